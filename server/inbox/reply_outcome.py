"""Outcome of a mail: its chat posted, its row closed, and one answer queued for its sender."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, select

from emails.i18n import current_locale, gettext
from emails.languages.lexicon import lexicon_of, whole_lexicon
from emails.languages.supported_languages import ENGLISH
from emails.letters import account_letters, game_letters
from emails.letters.declaration import Payload
from emails.letters.kinds import SeatLoss
from emails.replies.grammars import find_swallowed_order, parse_chat_line
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import Message
from emails.replies.screening import Screening, ScreeningFate, ScreeningRow, screen_mail
from emails.tokens import Purpose
from emails.wording import phrases
from emails.wording.absences import ExpectedDays
from emails.wording.questions import OrderQuestion
from emails.wording.requests import Request
from engine.board import Board
from server.accounts.sign_in import player_at
from server.inbox.screening import (
    NO_ROOM,
    Correspondent,
    ReplacedPlayer,
    find_doubles,
    find_replaced_player,
    has_room_for_answer,
    reserve_room_for_answer,
)
from server.outbox import chat
from server.outbox.budgets import mail_origin
from server.outbox.chat import ChatRefused
from server.outbox.letter_kinds import decode_payload
from server.outbox.notifications import Notification
from server.outbox.preferences import load_preferences
from server.outbox.queue import (
    UnitOfWork,
    load_people,
    note_answered,
    open_unit,
    queue_letters,
    read_sent_letter,
)
from server.security_log import AttemptChannel, SecurityEvent
from server.store.context import Context
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.refusals import RefusalCode
from server.store.states import MailState

LONGEST_QUOTED = 80


def check_chat(lines: Sequence[str], board: Board) -> None:
    """Raise `ChatRefused` if a chat line seems to contain an order or another chat line."""
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
    """Remove chat addressed to bots, which read no messages; if there was any, the mail needs confirmation.

    Raises `ChatRefused` if the mail contains chat to bots but no orders.
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
    """Post chat lines and return a sentence about each. Raises `ChatRefused`."""
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
    others = [
        phrases.safe_name(one.name) for one in load_people(session, game.id).values() if one.seat != seat
    ]
    if not others:
        return gettext("Nobody but you reads mail in this game.")
    names = phrases.format_list(others, "or")
    return gettext(
        "Nobody here is called %(name)s: you can tell %(names)s.", name=phrases.safe_name(name), names=names
    )


MOST_REFUSALS_IN_A_ROW = 5
"""Maximum refusals in a chain of replies to refusals; a reply to the last one gets no answer."""
FEW_WORDS = 6
"""Maximum words of an unreadable mail that is assumed to be written by a person."""

PLAYED_BY_ANOTHER = "Its sender is a former player of the seat."
SUCCESSOR_TOLD = "Its sender, a former player of the seat, was already informed."


@dataclass(frozen=True, slots=True)
class MailRefusal:
    """Reason why a mail had no effect, and further contents of the answer."""

    sentence: str
    lines: Sequence[str] = ()
    meant: bool = False
    question: OrderQuestion | None = None
    asked: tuple[Request, ...] = ()
    """Requests in the mail that are answered despite the refusal."""
    ended: bool = False
    code: RefusalCode = RefusalCode.REQUEST
    proposed: bool = False
    """Whether `question` proposes turns that a partly unreadable mail may mean."""
    understood: str = ""
    """Kind of the proposed turns, for the metrics; empty without a proposal."""
    days: ExpectedDays | None = None


def refuse_mail(
    context: Context, row: IncomingMail, writer: Correspondent, why: MailRefusal, now: datetime
) -> None:
    """Inform the player at the stored address that a mail had no effect, with the reason.

    A mail that answers an earlier refusal gets no answer if the new refusal would be the same, if the mail
    does not seem to be written by a person, or after `MOST_REFUSALS_IN_A_ROW`.
    """
    before = writer.earlier_refusal
    in_a_row = 0 if before is None else before.in_a_row
    after = None if why.question is None else writer.game.after
    detail = game_letters.Refused(
        why.sentence,
        tuple(why.lines),
        in_a_row + 1,
        after,
        why.question,
        why.asked,
        why.ended,
        why.proposed,
        why.understood,
        why.days,
    )
    if before is not None and (
        not (why.meant or _is_worth_an_answer(why.lines, writer.board))
        or detail.tells_the_same(before)
        or in_a_row == MOST_REFUSALS_IN_A_ROW
    ):
        close_silently(context, row, MailState.IGNORED, "it answers a refusal, and would be refused again")
        return
    with open_unit(context, now) as unit:
        if incoming := claim_mail(unit, row, writer.letter):
            if close_without_room(unit, writer, incoming):
                return
            incoming.state, incoming.why = MailState.REFUSED, why.sentence
            game = unit.session.get_one(Game, writer.game.id)
            queue_answer(unit, game, writer.ticket.seat, incoming, detail, writer.letter)
            unit.commit()
            context.events.note_refusal(why.code, AttemptChannel.MAIL, writer.game.id)
            if why.understood:
                context.events.count_understood(why.understood, asked=why.proposed)


def _is_worth_an_answer(lines: Sequence[str], board: Board) -> bool:
    """Return whether unreadable lines seem to be written by a person about the game.

    Such lines contain few words, or name a card or a place of the board.
    """
    words = re.findall(r"\w+", " ".join(lines).casefold())
    known = whole_lexicon().orders
    named = frozenset(name.casefold() for name in board.places).union(known.symbols, known.places)
    return bool(words) and (len(words) <= FEW_WORDS or not named.isdisjoint(words))


def claim_mail(
    unit: UnitOfWork, row: IncomingMail, answered: OutgoingLetter | None = None
) -> IncomingMail | None:
    """Return a mail's row, to be closed in this unit of work; None if another process has closed the mail.

    `answered`: the letter that the mail answers. The text of this letter is no longer needed, and is
    deleted later.
    """
    incoming = unit.session.get_one(IncomingMail, row.id)
    if incoming.state != MailState.WAITING:
        return None
    if answered is not None:
        note_answered(unit.session, answered, unit.now)

    def carry_state() -> None:
        row.state = incoming.state

    unit.after_commit(carry_state)
    return incoming


def queue_answer(
    unit: UnitOfWork,
    game: Game,
    seat: int,
    row: IncomingMail,
    payload: Payload,
    answered: OutgoingLetter | None = None,
) -> None:
    """Queue the answer to a mail, to be sent when the hourly limit on answers permits.

    Call it before queueing letters about the effects of the mail, so that the answer arrives first.
    `answered`: the letter that the mail replies to; the answer joins its thread.
    """
    later = reserve_room_for_answer(unit.session, game.id, seat, unit.now) - unit.now
    subject = "" if answered is None else read_sent_letter(answered.detail).subject
    letter = Notification(seat, payload, row, later=later, answered=subject)
    queue_letters(unit.context, unit.session, game, [letter], unit.now)


def close_without_room(unit: UnitOfWork, writer: Correspondent, incoming: IncomingMail) -> bool:
    """Ignore a mail if the hourly limit on answers is reached; return whether it was ignored."""
    seat, now = writer.ticket.seat, unit.now
    if has_room_for_answer(unit.session, writer.game.id, seat, now):
        return False
    incoming.state, incoming.why = MailState.IGNORED, NO_ROOM
    unit.commit()
    unit.context.security.note(
        SecurityEvent.LIMIT_REACHED, incoming.network, now, by=AttemptChannel.MAIL, kind=Purpose.REPLY
    )
    return True


def reason_to_ignore(
    context: Context, row: IncomingMail, mail: Mail, unknown: bool, *, generated: bool = False
) -> str | None:
    """Return why a mail is ignored regardless of its sender, such as an auto-reply; None if it is processed.

    `unknown`: the recipient address has no valid token; `generated`: accept a mail that a program sends for
    its user.
    """
    with context.reading() as session:
        facts = replace(find_doubles(session, row), unknown=unknown)
    if generated and mail.headers.first("auto-submitted").strip().lower() == "auto-generated":
        fields = {name: value for name, value in mail.headers.fields.items() if name != "auto-submitted"}
        mail = replace(mail, headers=replace(mail.headers, fields=fields))
    verdict = screen_mail(mail, facts)
    return verdict.sentence if verdict.fate in (ScreeningFate.IGNORED, ScreeningFate.RETURNED) else None


def close_unread(
    context: Context, row: IncomingMail, mail: Mail, token: str, verdict: Screening, now: datetime
) -> None:
    had = None
    if verdict.row == ScreeningRow.UNKNOWN:
        with context.reading() as session:
            had = find_replaced_player(context, session, mail, token)
    if had is None:
        close_silently(context, row, MailState.IGNORED, verdict.sentence)
    else:
        _answer_replaced_player(context, row, had, now)


def _answer_replaced_player(context: Context, row: IncomingMail, had: ReplacedPlayer, now: datetime) -> None:
    game = had.game.id
    with open_unit(context, now, mail_origin(row.network, had.address)) as unit:
        incoming = claim_mail(unit, row)
        if incoming is None:
            return
        if _was_told_of_successor(unit.session, had):
            incoming.state, incoming.why = MailState.IGNORED, SUCCESSOR_TOLD
        else:
            known = player_at(unit.session, had.address)
            language = ENGLISH if known is None else load_preferences(unit.session, known.id).language
            detail = account_letters.Replaced(had.name, had.game.name, language, SeatLoss.LATE)
            mark, address = f"late{incoming.id}", had.address
            letters = [
                Notification(seat, detail, mark=mark, recipient=address, asked=False)
                for seat in sorted(load_people(unit.session, game))[:1]
            ]
            row_of_game = unit.session.get_one(Game, game)
            queue_letters(unit.context, unit.session, row_of_game, letters, now, unit.origin)
            incoming.state, incoming.why = MailState.REFUSED, PLAYED_BY_ANOTHER
        unit.commit()


def _was_told_of_successor(session: Session, had: ReplacedPlayer) -> bool:
    told = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == had.game.id,
        OutgoingLetter.kind == account_letters.Replaced.kind,
        OutgoingLetter.recipient == had.address,
    )
    found = (decode_payload(account_letters.Replaced, detail) for detail in session.exec(told))
    return any(one.loss is SeatLoss.LATE for one in found)


def close_silently(context: Context, row: IncomingMail, state: MailState, why: str) -> None:
    with context.writing() as session:
        incoming = session.get_one(IncomingMail, row.id)
        if incoming.state == MailState.WAITING:
            incoming.state, incoming.why = state, why
        session.commit()
    row.state = state
