"""A second address: asked and confirmed as the first, and used where letters to that one come back.

Mail from it is played too. Its player is told of it in their next letter; undeliverable.py uses it.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete
from sqlmodel import Session, col

from server.accounts.paused_clocks import running_seats_of
from server.outbox import posted_announcements
from server.outbox.budgets import player_origin
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.models import Player, Seating, SecondAddress
from server.store.states import Announcement


def second_address_of(session: Session, player: int) -> str | None:
    """A player's second address; None where they have none."""
    found = session.get(SecondAddress, player)
    return None if found is None else found.address


def store_second_address(
    context: Context, session: Session, player: Player, address: str, now: datetime
) -> None:
    """Keep a second address, and tell the player of it in the next letter of a game of theirs."""
    if player.address.lower() == address.lower():
        return  # it has taken over meanwhile
    known = second_address_of(session, player.id)
    session.execute(delete(SecondAddress).where(col(SecondAddress.player) == player.id))
    session.add(SecondAddress(player=player.id, address=address))
    session.flush()
    if known is not None and known.lower() == address.lower():
        return
    who = player_origin(player.id).text
    context.security.note(SecurityEvent.SECOND_ADDRESS_ADDED, who, now, address=address)
    for seating, game in running_seats_of(session, player.id)[:1]:
        added = Announcement.SECOND_ADDRESS_ADDED
        posted_announcements.announce_to(context, session, game, seating.seat, added, address, now)


def remove_second_address(context: Context, game: str, seat: int) -> None:
    """The player of a seat wants no second address any more. Commits."""
    with context.writing() as session:
        seating = session.get(Seating, (game, seat))
        if seating is not None:
            session.execute(delete(SecondAddress).where(col(SecondAddress.player) == seating.player))
        session.commit()
