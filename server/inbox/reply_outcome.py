"""What became of a mail: it is noted once, and its writer is answered once, at the address on file.

Nothing here may keep two machines writing to each other: a mail that answers a refusal and holds the same
words again, to be refused for the same reason, or none that could be meant for the game, gets no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlmodel import Session

from emails.wording.questions import Question, encoded
from server.inbox.correspondent import Writer
from server.outbox.notifications import Occasion
from server.outbox.queue import queue
from server.store.context import Office
from server.store.models import Game, Incoming

MOST_IN_A_ROW = 5
"""Refusals, each of an answer to the one before: who still does not find the words has other ways."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing of a mail was done."""

    sentence: str
    lines: Sequence[str] = ()
    """What it said to the game."""
    meant: bool = False
    """Whether any of it was meant for the game, as no program that answers by itself would write."""
    question: Question | None = None
    """What its writer is asked, where a line could mean several things."""
    asked: Sequence[Sequence[str]] = field(default=())
    """What it asks to be shown all the same, as `emails.requests.Request` has it."""


def refuse(office: Office, row: Incoming, writer: Writer, why: Refusal, now: datetime) -> None:
    """Tell the address on file that nothing of a mail was done, and why."""
    before = writer.refused
    in_a_row = 0 if before is None else before.in_a_row
    if before is not None and (
        not why.meant
        or (before.lines, before.sentence) == (tuple(why.lines), why.sentence)
        or in_a_row == MOST_IN_A_ROW
    ):
        close(office, row, "ignored", "it answers a refusal, and would be refused for the same reason")
        return
    detail: dict[str, object] = {
        "sentence": why.sentence,
        "undone": list(why.lines),
        "in_a_row": in_a_row + 1,
    }
    if why.question is not None:
        detail |= {"question": encoded(why.question), "after": writer.game.after}
    if why.asked:
        detail["asked"] = [list(one) for one in why.asked]
    finish(office, row, writer, "refused", why.sentence, "refused", detail, now)


def finish(
    office: Office,
    row: Incoming,
    writer: Writer,
    state: str,
    why: str,
    kind: str,
    detail: Mapping[str, object],
    now: datetime,
) -> None:
    """Note what became of a mail and queue its answer, a letter of this kind, once."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state != "waiting":
            return  # another server has read it
        incoming.state, incoming.why = state, why
        answer(office, session, incoming, writer, kind, detail, now)
        session.commit()
    office.wake()


def answer(
    office: Office,
    session: Session,
    row: Incoming,
    writer: Writer,
    kind: str,
    detail: Mapping[str, object],
    now: datetime,
) -> None:
    """Queue the answer to a mail; the caller commits."""
    game = session.get_one(Game, writer.game.id)
    occasion = Occasion(writer.ticket.seat, kind, detail)
    queue(office, session, game, [replace(occasion, mail=row)], now)


def close(office: Office, row: Incoming, state: str, why: str) -> None:
    """Note what became of a mail that gets no answer."""
    with office.writing() as session:
        incoming = session.get_one(Incoming, row.id)
        if incoming.state == "waiting":
            incoming.state, incoming.why = state, why
        session.commit()
