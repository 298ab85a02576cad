"""What a mail says to other players is passed on to them, and its writer hears what was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from emails.i18n import say
from emails.replies.chat_lines import remark, swallowed
from emails.wording import phrases
from engine.board import Board
from server.outbox import chat
from server.outbox.chat import NotSaid
from server.outbox.queue import people
from server.store.context import Office
from server.store.models import Game, Seating

MOST_SHOWN = 80
"""Characters of a line that an answer repeats."""


def judge(talk: Sequence[str], board: Board) -> None:
    """Raise `NotSaid` where what is said to others may hold an order, or words for somebody else."""
    for line in talk:
        if piece := swallowed(line, board):
            raise NotSaid(
                say(
                    "A message goes on to the end of its line, so “%(words)s” would be sent with it: "
                    "put orders and other messages on lines of their own.",
                    words=piece[:MOST_SHOWN],
                )
            )


def tell(
    office: Office, session: Session, game: Game, seat: int, talk: Sequence[str], now: datetime
) -> list[str]:
    """Tell others what these lines say, and give a sentence about each. Raises `NotSaid`."""
    chosen = select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat))
    names = list(session.exec(chosen)) if talk else []
    posted = []
    for line in talk:
        said = remark(line, names)
        if said.name:
            raise NotSaid(_unknown(session, game, seat, said.name))
        to = said.seat
        chat.post(office, session, game, seat, to, said.words, now)
        if to is None:
            posted.append(say("You told everybody: “%(words)s”", words=said.words))
        else:
            name = phrases.shown(names[to])
            posted.append(say("You told only %(name)s: “%(words)s”", name=name, words=said.words))
            if not people(session, game.id)[to].wants.letters:
                posted[-1] += ". " + say(
                    "%(name)s gets no letters, and can read it only on the page of the game.", name=name
                )
    return posted


def _unknown(session: Session, game: Game, seat: int, name: str) -> str:
    """That nobody is called so, and who can be told something."""
    others = [phrases.shown(one.name) for one in people(session, game.id).values() if one.seat != seat]
    if not others:
        return say("Nobody but you reads mail in this game.")
    names = phrases.listed(others, "or")
    return say(
        "Nobody here is called %(name)s: you can tell %(names)s.", name=phrases.shown(name), names=names
    )
