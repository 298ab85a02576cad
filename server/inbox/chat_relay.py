"""What a mail says to other players is passed on to them, and its writer hears what was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlmodel import Session, col, select

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import lexicon_of
from emails.replies.remarks.chat_lines import find_swallowed_order, parse_chat_line
from emails.replies.reply_reader import Message
from emails.wording import phrases
from engine.board import Board
from server.inbox.correspondent import Correspondent
from server.outbox import chat
from server.outbox.chat import ChatRefused
from server.outbox.queue import load_people
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.models import Game, Seating

LONGEST_QUOTED = 80
"""Characters of a line that an answer repeats."""


def check_chat(lines: Sequence[str], board: Board) -> None:
    """Raise `ChatRefused` where what is said to others may hold an order, or words for somebody else."""
    for line in lines:
        if piece := find_swallowed_order(line, board, lexicon_of(current_locale().language)):
            raise ChatRefused(
                gettext(
                    "A message goes on to the end of its line, so “%(words)s” would be sent with it: "
                    "put orders and other messages on lines of their own.",
                    words=piece[:LONGEST_QUOTED],
                )
            )


def set_house_aside(context: Context, writer: Correspondent, message: Message) -> Message:
    """A mail without what it says to players of the house, who read nothing, and doubtful for that.

    Raises `ChatRefused` where it orders nothing.
    """
    if not message.chat:
        return message
    chosen = select(Seating.name, Seating.house).where(Seating.game == writer.game.id)
    with context.reading() as session:
        seated = session.exec(chosen.order_by(col(Seating.seat))).all()
    names = [name for name, _ in seated]
    addressed = {line: parse_chat_line(line, names, writer.lexicon).seat for line in message.chat}
    lost = {line: seat for line, seat in addressed.items() if seat is not None and seated[seat][1]}
    if not lost:
        return message
    why = gettext(
        "%(name)s is a player of the house: a program, which reads no messages.",
        name=phrases.safe_name(names[min(lost.values())]),
    )
    if not message.orders:
        raise ChatRefused(why)
    reason = why if message.reason is None else f"{message.reason} {why}"
    left = tuple(line for line in message.chat if line not in lost)
    return replace(message, chat=left, doubtful=True, reason=reason)


def post_chat_lines(unit: UnitOfWork, game: Game, seat: int, lines: Sequence[str]) -> tuple[str, ...]:
    """Tell others what these lines say, and give a sentence about each. Raises `ChatRefused`."""
    session = unit.session
    chosen = select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat))
    names = list(session.exec(chosen)) if lines else []
    posted = []
    for line in lines:
        message = parse_chat_line(line, names, lexicon_of(current_locale().language))
        if message.name:
            raise ChatRefused(_explain_unknown_name(session, game, seat, message.name))
        to = message.seat
        chat.post(unit.context, session, game, seat, to, message.words, unit.now)
        if to is None:
            posted.append(gettext("You told everybody: “%(words)s”", words=message.words))
        else:
            name = phrases.safe_name(names[to])
            posted.append(gettext("You told only %(name)s: “%(words)s”", name=name, words=message.words))
            if not load_people(session, game.id)[to].preferences.letters:
                posted[-1] += ". " + gettext(
                    "%(name)s gets no mails, and can read it only on the page of the game.", name=name
                )
    return tuple(posted)


def _explain_unknown_name(session: Session, game: Game, seat: int, name: str) -> str:
    """That nobody is called so, and who can be told something."""
    others = [
        phrases.safe_name(one.name) for one in load_people(session, game.id).values() if one.seat != seat
    ]
    if not others:
        return gettext("Nobody but you reads mail in this game.")
    names = phrases.format_list(others, "or")
    return gettext(
        "Nobody here is called %(name)s: you can tell %(names)s.", name=phrases.safe_name(name), names=names
    )
