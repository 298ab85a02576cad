"""Answer addresses end: with their game, and once their seat has been silent for too long.

Whoever finds an old letter must not play by its address. So it ends when the game is over or called off, and
when for `LONGEST_SILENCE` no letter has gone to the seat and nothing has been done by it. What has ended
stays so; a letter that is sent later has an address that is good. Letters are known as long as they are kept,
so that of a seat which only gets letters and does nothing for months may end sooner: its player is told, in a
letter with a good one.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.tokens import Ticket
from server.outbox.letter_details import RefusedDetail, decode_content
from server.store.models import Act, ChatMessage, Game, OutgoingLetter

LONGEST_SILENCE = timedelta(days=60)
"""For so long an address is good though no letter goes to its seat and nothing is done by it."""


def has_fallen_silent(session: Session, ticket: Ticket, letter: OutgoingLetter | None, now: datetime) -> bool:
    """Whether the seat of a ticket was silent for too long at any time since this letter was sent."""
    since = _sent_at(session, ticket, letter)
    if now - since <= LONGEST_SILENCE:
        return False
    heard = [moment for moment in _signs_of_life(session, ticket) if moment > since]
    return any(later - earlier > LONGEST_SILENCE for earlier, later in pairwise(sorted([since, *heard, now])))


def _sent_at(session: Session, ticket: Ticket, letter: OutgoingLetter | None) -> datetime:
    """When a letter was sent; where it is not kept any more, when the position arose that it is about."""
    if letter is not None:
        return letter.sent_at or letter.queued_at
    act = session.get(Act, (ticket.game, ticket.after))
    return session.get_one(Game, ticket.game).opened_at if act is None else datetime.fromisoformat(act.at)


def _signs_of_life(session: Session, ticket: Ticket) -> list[datetime]:
    """When letters were sent to a seat, and when it acted or wrote to others."""
    game, seat = ticket.game, ticket.seat
    sent = select(OutgoingLetter.sent_at).where(OutgoingLetter.game == game, OutgoingLetter.seat == seat)
    acted = select(Act.at).where(Act.game == game, Act.seat == seat, col(Act.seq) > ticket.after)
    wrote = select(ChatMessage.at).where(ChatMessage.game == game, ChatMessage.seat == seat)
    return [
        *filter(None, session.exec(sent)),
        *map(datetime.fromisoformat, session.exec(acted)),
        *session.exec(wrote.where(col(ChatMessage.announcement).is_(None))),
    ]


def was_told_of_end(session: Session, ticket: Ticket, now: datetime) -> bool:
    """Whether the player of a seat was told not long ago that an address has ended."""
    refused = select(OutgoingLetter.detail).where(
        OutgoingLetter.game == ticket.game,
        OutgoingLetter.seat == ticket.seat,
        OutgoingLetter.kind == LetterKind.REFUSED,
        OutgoingLetter.queued_at > now - LONGEST_SILENCE,
    )
    contents = (decode_content(LetterKind.REFUSED, detail) for detail in session.exec(refused))
    return any(isinstance(one, RefusedDetail) and one.ended for one in contents)
