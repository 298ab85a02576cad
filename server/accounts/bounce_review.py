"""The clock looks at marked addresses: those that have proven good are cleared, clocks go on in time.

A mark is looked at when something has happened that its clocks hang on, and then every few minutes.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from server.accounts.paused_clocks import needs_clock_update, update_clocks
from server.accounts.undeliverable import PROVEN_AFTER, clear_bounce
from server.monitoring.server_events import RowFate, WorkTable
from server.outbox.letter_traits import ADDRESS_KINDS
from server.outbox.unit_of_work import open_unit
from server.store.context import Context
from server.store.due_work import AT_ONCE, marked_players_due, put_off_marks
from server.store.models import BouncingAddress, OutgoingLetter, Player, Seating
from server.store.states import LetterState

LOOK_AGAIN_AFTER = timedelta(minutes=5)
"""When marks are looked at again where nothing has happened but that time has passed."""
BROKEN_PUT_OFF_FOR = timedelta(hours=1)
"""How long the marks of a player are left alone of whom something cannot be read."""


def review_bounces(context: Context, now: datetime) -> int:
    """Clear marks that have lasted and update paused clocks; gives the number of players concerned.

    Marks are looked at that are due; what cannot be read of one stops only itself.
    """
    with context.reading() as session:
        marked = dict.fromkeys(marked_players_due(session, now))
    done = 0
    for player in marked:
        try:
            done += _review_player(context, player, now)
        except OperationalError:
            raise  # the database is away
        except Exception:
            context.events.note_failed_row(WorkTable.FAILING, player, RowFate.PUT_OFF)
            with context.writing() as session:
                put_off_marks(session, player, now + BROKEN_PUT_OFF_FOR)
                session.commit()
    return done


def _review_player(context: Context, number: int, now: datetime) -> bool:
    """Look at the marks of a player, and settle when to look again; whether anything had to be done."""
    with context.reading() as session:
        concerned = bool(_proven(session, number, now)) or needs_clock_update(context, session, number, now)
    with open_unit(context, now) as unit:
        put_off_marks(unit.session, number, now + LOOK_AGAIN_AFTER)
        if concerned:
            player = unit.session.get_one(Player, number)
            proven = _proven(unit.session, number, now)
            for address in proven[:1]:
                put_off_marks(unit.session, number, AT_ONCE)  # another one at the next look
                clear_bounce(unit, player, address)
            if not proven:
                update_clocks(unit, player)
        unit.commit()
    return concerned


def _proven(session: Session, player: int, now: datetime) -> list[str]:
    """The marked addresses of a player to which a letter has gone since, and has not come back."""
    chosen = (
        select(BouncingAddress.address)
        .join(Seating, col(Seating.player) == BouncingAddress.player)
        .join(
            OutgoingLetter,
            (col(OutgoingLetter.game) == Seating.game) & (col(OutgoingLetter.seat) == Seating.seat),
        )
        .where(BouncingAddress.player == player, col(BouncingAddress.ended_at).is_(None))
        .where(
            func.lower(OutgoingLetter.recipient) == BouncingAddress.address,
            OutgoingLetter.state == LetterState.SENT,
        )
        .where(
            col(OutgoingLetter.sent_at) > BouncingAddress.since,
            col(OutgoingLetter.sent_at) <= now - PROVEN_AFTER,
        )
        .where(col(OutgoingLetter.kind).not_in(ADDRESS_KINDS))
    )
    return list(session.exec(chosen.distinct()))
