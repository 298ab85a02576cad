"""A player's letters move to another address of theirs: those that wait go there, and the old one is told."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, delete, tuple_, update
from sqlmodel import Session, col, select

from server.accounts.confirmations import create_confirmation
from server.outbox.budgets import player_origin
from server.outbox.letter_details import MovedDetail
from server.outbox.letter_traits import GAMELESS_KINDS
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.models import AddressConfirmation, Game, OutgoingLetter, Player, Seating
from server.store.session_models import ApiKey, SignedInBrowser, SignInLink
from server.store.states import ConfirmationPurpose, GameStatus, LetterState


def is_letter_to(player: Player) -> ColumnElement[bool]:
    """Whether a letter is one to a seat of a player."""
    seats = select(Seating.game, Seating.seat).where(Seating.player == player.id)
    return tuple_(col(OutgoingLetter.game), col(OutgoingLetter.seat)).in_(seats)


def redirect_waiting_letters(session: Session, player: Player) -> None:
    """Let the letters that wait for a player go to their address as it is now; the caller commits."""
    waiting = update(OutgoingLetter).where(
        is_letter_to(player), col(OutgoingLetter.state) == LetterState.WAITING
    )
    session.execute(
        waiting.where(col(OutgoingLetter.kind).not_in(GAMELESS_KINDS)).values(recipient=player.address)
    )


def revoke_sign_ins(session: Session, player: Player) -> None:
    """Sign a player out everywhere, and end the links and the keys that they have; the caller commits.

    So it is when another address is confirmed to be theirs. All these came to somebody who reads the address
    used until then: where it is taken back from a thief, the thief must not stay signed in, and where its
    player leaves it, because they have lost it, whoever has it now must not.
    """
    for table in (SignInLink, SignedInBrowser, ApiKey):
        session.execute(delete(table).where(col(table.player) == player.id))


def void_due_move(session: Session, player: Player, now: datetime) -> None:
    """The address in use takes mail: nobody leaves it without its yes any more; the caller commits.

    The other address is asked anew after that yes.
    """
    waiting = select(AddressConfirmation).where(AddressConfirmation.player == player.id)
    for one in session.exec(waiting.where(col(AddressConfirmation.due_at).is_not(None))).all():
        if one.purpose is ConfirmationPurpose.MOVE:
            one.due_at, one.at = None, now
        else:
            session.delete(one)
    session.flush()


def notify_old_address(
    context: Context, session: Session, player: Player, old: str, back: bool, now: datetime
) -> None:
    """Tell the address that is not used any more; the caller commits.

    It gets a way back, but not where the player was taken `back` from it. A letter belongs to a game: whoever
    has given all their seats back has nothing that could be taken from them, and none is told.
    """
    who = player_origin(player.id).text
    context.security.note(SecurityEvent.ADDRESS_CHANGED, who, now, address=player.address)
    found = find_letter_seat(session, player)
    if found is None:
        return
    seating, game = found
    detail = MovedDetail(player.address)
    if not back:
        way = create_confirmation(context, session, player, old, ConfirmationPurpose.WAY_BACK, now)
        detail = MovedDetail(player.address, way.digest, way.mark)
    letter = Notification(seating.seat, detail, mark=detail.mark or f"{now.timestamp()}", recipient=old)
    queue_letters(context, session, game, [letter], now)


def find_letter_seat(session: Session, player: Player) -> tuple[Seating, Game] | None:
    """A seat to which a letter about no game belongs; None for whoever has given all theirs back.

    A seat of a game that has not begun can be given back before the letter has left, so others come first.
    """
    own = select(Seating, Game).join(Game, col(Game.id) == Seating.game).where(Seating.player == player.id)
    found = session.exec(own.order_by(col(Game.status) == GameStatus.OPEN)).first()
    return None if found is None else (found[0], found[1])
