"""An address says yes or no: then a player's letters go elsewhere, or do not.

The address that was used before is told as soon as another is used, and can take the player back with one
click: that too is an address to be confirmed. Whoever moves is signed out everywhere, and the links in all
their letters are made new: what was sent to the address before may be read by somebody else.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from emails.i18n import gettext
from server.accounts import undeliverable
from server.accounts.address_change import (
    find_letter_seat,
    notify_old_address,
    redirect_waiting_letters,
    revoke_sign_ins,
)
from server.accounts.address_requests import ask_address
from server.accounts.confirmations import OBJECTION_TIME, AddressRefused, ends_at, find_confirmation
from server.accounts.link_renewal import renew_links_of
from server.accounts.paused_clocks import is_refused, update_clocks
from server.accounts.vacations import keep_time_left
from server.mail_addresses import digest_address
from server.outbox.blocks import is_player_banned
from server.outbox.confirmed_players import confirm_player
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.context import Context
from server.store.models import (
    AddressConfirmation,
    BouncingAddress,
    Player,
    Seating,
    StoredPreferences,
)
from server.store.refusals import Refusal
from server.store.states import ConfirmationPurpose
from server.store.withdrawals import WithdrawalKind, note_withdrawal

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PendingAddress:
    """An address that waits for an answer, or has had it."""

    name: str
    """The player's."""
    address: str
    purpose: ConfirmationPurpose = ConfirmationPurpose.ADDRESS
    due_at: datetime | None = None
    """When letters go there, where the address in use may still object; None: at once."""


def find_pending_address(context: Context, code: str, now: datetime) -> PendingAddress:
    """What a code would confirm; changes nothing. Raises `AddressRefused`: no such code, or too old."""
    with context.reading() as session:
        found, player = find_confirmation(session, code, now)
        return PendingAddress(player.name, found.address, found.purpose, found.due_at)


def confirm_address(unit: UnitOfWork, code: str) -> PendingAddress:
    """Do what follows from a yes, such as to use an address; letters that wait go there too. Twice is once.

    The address that was used before is told, with a way back, and the other addresses that the player has
    named are forgotten. The way back forgets all else, and leaves none. Raises `AddressRefused`: no such
    code, too old, somebody else plays with that address, or its player is banned.
    """
    found, player = find_confirmation(unit.session, code, unit.now)
    if is_player_banned(unit.session, player.id):
        raise AddressRefused(gettext("The operator of this server takes nothing from this address."))
    _check_free(unit, player, found.address, found.purpose)
    confirm_player(unit.session, player.id, unit.now)
    due_at = None
    match found.purpose:
        case ConfirmationPurpose.MOVE:
            _let_move(unit, player, found)
        case _ if found.due_at is not None and not _is_due(unit, player, found):
            found.confirmed_at, due_at = unit.now, found.due_at
        case _:
            _use_address(unit, player, found)
    return PendingAddress(player.name, found.address, found.purpose, due_at)


def decline_move(unit: UnitOfWork, code: str) -> PendingAddress:
    """The address in use says no: its player does not move, and the links in all their letters are made new.

    For whoever asked has such a link. Raises `AddressRefused`: no such code, or too old.
    """
    found, player = find_confirmation(unit.session, code, unit.now)
    if found.purpose is not ConfirmationPurpose.MOVE:
        raise AddressRefused(gettext("This link is not one of ours, or it is too old."))
    declined = PendingAddress(player.name, found.address, found.purpose)
    waiting = delete(AddressConfirmation).where(col(AddressConfirmation.player) == player.id)
    move = col(AddressConfirmation.purpose) == ConfirmationPurpose.MOVE
    unit.session.execute(waiting.where(move | col(AddressConfirmation.due_at).is_not(None)))
    renew_links_of(unit, player.id)
    return declined


def use_due_addresses(context: Context, now: datetime) -> int:
    """Let players move whose address in use is dead and has not objected; how many."""
    confirmed = select(AddressConfirmation.digest).where(
        col(AddressConfirmation.due_at) <= now,
        col(AddressConfirmation.due_at) > now - OBJECTION_TIME,
        col(AddressConfirmation.confirmed_at).is_not(None),
    )
    with context.reading() as session:
        waiting = session.exec(confirmed).all()
    return sum(_use_due_address(context, digest, now) for digest in waiting)


def _use_due_address(context: Context, digest: str, now: datetime) -> bool:
    """Whether a player moves to an address that has said yes; where they cannot, nothing waits any more."""
    with open_unit(context, now) as unit:
        found = unit.session.get(AddressConfirmation, digest)
        if found is None:
            return False
        player = unit.session.get_one(Player, found.player)
        if not _is_due(unit, player, found):
            return False
        try:
            _check_free(unit, player, found.address, found.purpose)
            _use_address(unit, player, found)
        except Refusal:
            LOG.info("a player cannot move to the address they named: somebody else plays with it")
            unit.session.delete(found)
        unit.commit()
    return True


def _is_due(unit: UnitOfWork, player: Player, found: AddressConfirmation) -> bool:
    """Whether a player may leave an address that has not agreed: time has passed, and it is dead still."""
    if found.due_at is None or not found.due_at <= unit.now < ends_at(found):
        return False
    return is_refused(unit.session, player.id)


def _let_move(unit: UnitOfWork, player: Player, move: AddressConfirmation) -> None:
    """The address in use agrees: the other one is asked, or used where it has said yes already."""
    same = select(AddressConfirmation).where(
        AddressConfirmation.player == player.id,
        AddressConfirmation.address == move.address,
        AddressConfirmation.purpose == ConfirmationPurpose.ADDRESS,
    )
    asked = unit.session.exec(same).first()
    if asked is None:
        found = find_letter_seat(unit.session, player)
        if found is None:
            raise AddressRefused(gettext("No mails go to that seat."))
        seat = found[0].game, found[0].seat
        ask_address(unit.context, unit.session, seat, player, move.address, unit.now)
        return
    if asked.due_at is not None:
        asked.due_at, asked.at = None, unit.now
    if asked.confirmed_at is not None and player.address.lower() != asked.address.lower():
        _use_address(unit, player, asked)


def _check_free(unit: UnitOfWork, player: Player, address: str, purpose: ConfirmationPurpose) -> None:
    """Refuse an address of somebody else, or take it for the way back; raises `AddressRefused`."""
    session = unit.session
    same = func.lower(Player.address) == address.lower()
    other = session.exec(select(Player).where(same, Player.id != player.id)).first()
    if other is None:
        return
    if purpose is not ConfirmationPurpose.WAY_BACK:
        raise AddressRefused(gettext("Somebody else plays with that address already."))
    _take_over(session, player, other, unit.now)


def _use_address(unit: UnitOfWork, player: Player, found: AddressConfirmation) -> None:
    """Use an address from now on."""
    context, session = unit.context, unit.session
    old, player.address = player.address, found.address
    back = found.purpose is ConfirmationPurpose.WAY_BACK
    others = delete(AddressConfirmation).where(
        col(AddressConfirmation.player) == player.id, col(AddressConfirmation.digest) != found.digest
    )
    way_back = col(AddressConfirmation.purpose) == ConfirmationPurpose.WAY_BACK
    session.execute(others if back else others.where(~way_back))
    if found.due_at is not None:
        session.delete(found)  # it lasts longer than others, and is not to bring anybody back later
    session.flush()
    redirect_waiting_letters(session, player)
    if old.lower() != player.address.lower():
        revoke_sign_ins(session, player)
        for address, left in ((old, True), (player.address, False)):
            what = WithdrawalKind.ADDRESS, digest_address(address)
            note_withdrawal(context, session, *what, now=unit.now, holds=left)
        renew_links_of(unit, player.id)
        notify_old_address(context, session, player, old, back, unit.now)
    # An address that has said yes takes mail, whatever came back from there.
    if not undeliverable.clear_bounce(unit, player, player.address):
        update_clocks(unit, player)


def _take_over(session: Session, player: Player, other: Player, now: datetime) -> None:
    """Take the seats of whoever was invited at the old address meanwhile, for that would bar the way back."""
    with keep_time_left(session, other.id or 0, now):
        session.execute(update(Seating).where(col(Seating.player) == other.id).values(player=player.id))
    revoke_sign_ins(session, other)
    for table in (StoredPreferences, AddressConfirmation, BouncingAddress):
        session.execute(delete(table).where(col(table.player) == other.id))
    session.delete(other)
    session.flush()
