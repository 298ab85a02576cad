"""What an incoming mail does not say itself: whose it is, which letter it answers, what came before it.

Who may act is shown by the sealed ticket in the recipient's address; the letter that a mail answers by its
number there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from emails.links import Forged, Ticket, unseal_reply
from emails.replies.headers import headers
from emails.replies.screening import Facts
from server.outbox.notifications import ANSWERS
from server.outbox.queue import Person, people
from server.store.context import Office
from server.store.models import CANCELLED, Game, Incoming, Outgoing, Seating, Second

MOST_ANSWERS = 60
"""Answers an address gets within an hour; a loop of two machines gets no more."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What a letter refused."""

    lines: tuple[str, ...]
    sentence: str
    """Why."""
    in_a_row: int
    """How many letters refused something since one that did not, this one among them."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Who a mail is from, as the ticket in its address shows, and what it answers."""

    game: Game
    ticket: Ticket
    person: Person
    names: tuple[str, ...]
    """Of the people who play."""
    letter: Outgoing | None
    """The letter that the mail answers, if it is known."""
    numbers: Mapping[str, str]
    """What each number stands for in that letter: a point of the board, or orders."""
    renumbered: frozenset[str]
    """The numbers that stand for something else in a later letter: nobody knows which he looked at."""

    @property
    def refused(self) -> Refused | None:
        """What the letter refused; None where it is of another kind."""
        if self.letter is None or self.letter.kind != "refused":
            return None
        detail = json.loads(self.letter.detail)
        lines, in_a_row = detail.get("undone"), detail.get("in_a_row")
        return Refused(
            tuple(map(str, lines)) if isinstance(lines, list) else (),
            str(detail.get("sentence", "")),
            in_a_row if isinstance(in_a_row, int) else 1,
        )


def writer(office: Office, session: Session, row: Incoming, token: str) -> Writer | None:
    """Who may answer at the address with this token; None where it is not one of ours."""
    try:
        ticket, letter = unseal_reply(token, office.post.secret)
    except Forged:
        return None
    game = session.get(Game, ticket.game)
    if game is None or game.status == CANCELLED:
        return None
    if ticket.after < office.history(session, game).since(ticket.seat):
        return None  # somebody else has that seat by now
    present = people(session, game.id)
    if ticket.seat not in present:
        return None
    names = tuple(one.name for one in present.values())
    found = _answered(session, row, ticket, letter)
    numbers = {} if found is None else _numbers(found.detail)
    later = () if found is None else _later(session, found)
    renumbered = frozenset(
        one for other in later for one, words in other.items() if numbers.get(one) != words
    )
    return Writer(game, ticket, present[ticket.seat], names, found, numbers, renumbered)


def _numbers(detail: str) -> Mapping[str, str]:
    found = json.loads(detail).get("numbers")
    return {str(one): str(words) for one, words in found.items()} if isinstance(found, dict) else {}


def _later(session: Session, letter: Outgoing) -> list[Mapping[str, str]]:
    """The numbers of the letters that went to the same seat after this one."""
    chosen = select(Outgoing.detail).where(Outgoing.game == letter.game, Outgoing.seat == letter.seat)
    return [
        _numbers(detail)
        for detail in session.exec(chosen.where(Outgoing.state == "sent", col(Outgoing.id) > letter.id))
    ]


def _answered(session: Session, row: Incoming, ticket: Ticket, letter: int) -> Outgoing | None:
    """The letter that a mail answers: by its number, else the one that it names, if it went to this seat."""
    found = session.get(Outgoing, letter) if letter else named(session, row)
    if found is None or (found.game, found.seat) != (ticket.game, ticket.seat):
        return None
    return found


def named(session: Session, row: Incoming) -> Outgoing | None:
    """The letter of ours that a mail names in In-Reply-To."""
    ids = re.findall(r"<[^<>\s]{1,200}>", " ".join(headers(row.raw).all("in-reply-to"))[:2000])
    return session.exec(select(Outgoing).where(col(Outgoing.message_id).in_(ids[:5]))).first()


def facts(session: Session, row: Incoming, writer: Writer | None, now: datetime) -> Facts:
    """What the table of screening is told of a mail to a game."""
    if writer is None:
        return Facts(own=is_own(session, row), unknown=True)
    return Facts(
        own=is_own(session, row),
        double=is_double(session, row),
        too_many=_answers_lately(session, writer, now) >= MOST_ANSWERS,
        stranger=not senders(row) & _addresses(session, writer),
        expired=writer.game.status != "open" and writer.ticket.after != writer.game.after,
        refusal=writer.refused is not None,
    )


def senders(row: Incoming) -> set[str]:
    """The addresses that a mail says it is from, in lower case."""
    return {address.lower() for _, address in headers(row.raw).people("from")}


def _addresses(session: Session, writer: Writer) -> set[str]:
    """The addresses from which a player may write, in lower case: his own, and his second one."""
    chosen = select(Second.address).join(Seating, col(Seating.player) == Second.player)
    second = session.exec(
        chosen.where(Seating.game == writer.game.id, Seating.seat == writer.ticket.seat)
    ).first()
    return {writer.person.address.lower(), *([second.lower()] if second else [])}


def is_own(session: Session, row: Incoming) -> bool:
    """Whether it is a letter of ours that came back. Its domain would not tell: players may write from it."""
    same = select(Outgoing.id).where(Outgoing.message_id == row.message_id)
    return row.message_id is not None and session.exec(same).first() is not None


def is_double(session: Session, row: Incoming) -> bool:
    """Whether the mail came before with other bytes, as when it was delivered by two ways."""
    if not row.message_id:
        return False
    same = select(Incoming.id).where(
        Incoming.message_id == row.message_id,
        func.lower(Incoming.recipient) == row.recipient.lower(),
        col(Incoming.id) < row.id,
    )
    return session.exec(same).first() is not None


def _answers_lately(session: Session, writer: Writer, now: datetime) -> int:
    """How many answers went to the writer's address within the hour, in whatever game."""
    seating = session.get_one(Seating, (writer.game.id, writer.ticket.seat))
    games = select(Seating.game).where(Seating.player == seating.player)
    answers = (
        select(func.count())
        .select_from(Outgoing)
        .where(
            col(Outgoing.game).in_(games),
            Outgoing.recipient == writer.person.address,
            col(Outgoing.kind).in_(ANSWERS),
            Outgoing.queued_at > now - timedelta(hours=1),
        )
    )
    return session.exec(answers).one()
