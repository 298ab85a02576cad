"""Letters that were not wanted: the reader of an address ends them for good, and may let them come again.

All that a letter to a stranger has to carry for it is the digest of its address, sealed. So it works for
whoever has such a letter, however old, and though nothing is kept of them.
"""

from __future__ import annotations

from sqlalchemy import update
from sqlmodel import Session, col, select

from server.lobby.open_seats import give_seat_back
from server.lobby.proposals import delete_proposal
from server.lobby.strangers import delete_stranger, must_keep_player
from server.outbox.blocks import delete_block, is_reader_blocked, note_block, reader_block, store_block
from server.outbox.notifications import DropReason, outcome_of
from server.outbox.unit_of_work import UnitOfWork
from server.store.models import Game, OutgoingLetter, Player, Seating
from server.store.states import Channel, GameStatus, LetterState
from server.store.unasked_models import UnaskedLetter


def is_ended(session: Session, digest: str) -> bool:
    """Whether the reader of an address gets no letters that they have not asked for."""
    return is_reader_blocked(session, digest)


def end_unwanted_letters(unit: UnitOfWork, digest: str) -> bool:
    """Send nothing to an address any more that its reader does not ask for; whether that is new.

    They decline every invitation that they have not answered, letters that wait are dropped, games that they
    only seem to have asked for go, and who never showed that they read mail is known no more. Raises
    `StalePosition` when somebody acts in the same moment.
    """
    session = unit.session
    invited = _undecided_seats(session, digest)
    note_block(unit.context, session, block := reader_block(digest, unit.now))
    new = store_block(session, block)
    for game, seating in invited:
        give_seat_back(unit, game, seating, Channel.LINK, seating.name)
    unsent = select(UnaskedLetter.message_id).where(
        UnaskedLetter.address == digest, col(UnaskedLetter.sent_at).is_(None)
    )
    waiting = update(OutgoingLetter).where(
        col(OutgoingLetter.state) == LetterState.WAITING, col(OutgoingLetter.message_id).in_(unsent)
    )
    session.execute(waiting.values(outcome_of(DropReason.BLOCKED)))
    _delete_strangers(session, digest)
    return new


def resume_letters(unit: UnitOfWork, digest: str) -> bool:
    """Let the reader of an address be written to again; whether that is new."""
    block = reader_block(digest, unit.now)
    note_block(unit.context, unit.session, block, holds=False)
    return delete_block(unit.session, block)


def _delete_strangers(session: Session, digest: str) -> None:
    """Delete who has an address, never showed that they read mail there, and is needed for nothing."""
    named = select(Player.id).where(Player.mailbox == digest, col(Player.confirmed_at).is_(None))
    for player in session.exec(named).all():
        proposed = select(Game).join(Seating, col(Seating.game) == Game.id)
        proposed = proposed.where(Seating.player == player, Game.status == GameStatus.PROPOSED)
        for game in list(session.exec(proposed)):
            delete_proposal(session, game)
        if not must_keep_player(session, player, blocked=True):
            delete_stranger(session, player)


def _undecided_seats(session: Session, digest: str) -> list[tuple[Game, Seating]]:
    """The seats that the reader of an address has not accepted, each with its game."""
    chosen = (
        select(Game, Seating)
        .where(col(Seating.game) == Game.id, col(Seating.player) == Player.id, Player.mailbox == digest)
        .where(Game.status == GameStatus.OPEN, col(Seating.accepted_at).is_(None))
    )
    return [(game, seating) for game, seating in session.exec(chosen)]
