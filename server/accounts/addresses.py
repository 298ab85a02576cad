"""A player's new address: asked for on a page, and used once somebody there has confirmed it.

Whoever holds a letter of a player, forwarded say, can ask for that. So the old address is told as soon as the
new one is used, and can take the player back with one click: that too is an address to be confirmed.

A second address is asked for and confirmed in the same way. It is used where letters to the first come back
(server/accounts/undeliverable.py), and mail from it is played; its player is told of it in their next letter.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters.kinds import LetterKind
from emails.letters.proposal_letter import ADDRESS, LONGEST_ADDRESS
from server.accounts import undeliverable
from server.accounts.address_change import (
    is_letter_to,
    notify_old_address,
    redirect_waiting_letters,
    revoke_sign_ins,
)
from server.accounts.confirmations import (
    AddressRefused,
    create_confirmation,
    find_confirmation,
    forget_old_confirmations,
)
from server.outbox import chat
from server.outbox.letter_details import ConfirmDetail
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.models import (
    AddressConfirmation,
    BouncingAddress,
    Game,
    OutgoingLetter,
    Player,
    Seating,
    SecondAddress,
    StoredPreferences,
)
from server.store.states import Announcement, ConfirmationPurpose, GameStatus

MOST_REQUESTS_A_DAY = 5
"""Addresses that a player may name within a day."""
MOST_LETTERS_A_DAY = 2
"""Letters to one address within a day, whoever names it."""


@dataclass(frozen=True, slots=True)
class PendingAddress:
    """A new address that waits for its answer."""

    name: str
    """The player's."""
    address: str
    second: bool = False
    """Whether it is to be used only where letters to the first come back."""


def request_address_confirmation(
    context: Context, game: str, seat: int, address: str, now: datetime, second: bool = False
) -> None:
    """Send a letter to a new address of a seat's player, which must be confirmed within three days. Commits.

    The old address stays in use until then, and is told then. `second`: it is to be their second address.
    Raises `AddressRefused`: no address, theirs already, asked too often.
    """
    address = address.strip()
    if len(address) > LONGEST_ADDRESS or not ADDRESS.fullmatch(address):
        raise AddressRefused(gettext("That is no mail address."))
    with context.writing() as session:
        seating = session.get(Seating, (game, seat))
        if seating is None or seating.player is None:
            raise AddressRefused(gettext("No letters go to that seat."))
        player = session.get_one(Player, seating.player)
        if player.address.lower() == address.lower():
            raise AddressRefused(gettext("Your letters go to that address already."))
        if second and second_address_of(session, seating.player).lower() == address.lower():
            raise AddressRefused(gettext("That is your second address already."))
        forget_old_confirmations(session, now)
        _check_rate_limit(session, player, address, now)
        purpose = ConfirmationPurpose.SECOND_ADDRESS if second else ConfirmationPurpose.ADDRESS
        asked = create_confirmation(context, session, player, address, purpose, now)
        detail = ConfirmDetail(asked.digest, asked.mark)
        letter = Notification(seat, detail, mark=asked.mark, recipient=address)
        queue_letters(context, session, session.get_one(Game, game), [letter], now)
        session.commit()
    context.wake()


def _check_rate_limit(session: Session, player: Player, address: str, now: datetime) -> None:
    """Refuse to send more letters that nobody asked for than a person needs; raises `AddressRefused`."""
    today = select(func.count()).select_from(OutgoingLetter).where(OutgoingLetter.kind == LetterKind.CONFIRM)
    today = today.where(OutgoingLetter.queued_at > now - timedelta(days=1))
    if session.exec(today.where(is_letter_to(player))).one() >= MOST_REQUESTS_A_DAY:
        raise AddressRefused(gettext("You have named many addresses today: please try again tomorrow."))
    if (
        session.exec(today.where(func.lower(OutgoingLetter.recipient) == address.lower())).one()
        >= MOST_LETTERS_A_DAY
    ):
        raise AddressRefused(
            gettext("That address has got enough mails for today: please try again tomorrow.")
        )


def second_address_of(session: Session, player: int) -> str:
    """A player's second address; empty where they have none."""
    found = session.get(SecondAddress, player)
    return "" if found is None else found.address


def remove_second_address(context: Context, game: str, seat: int) -> None:
    """The player of a seat wants no second address any more. Commits."""
    with context.writing() as session:
        seating = session.get(Seating, (game, seat))
        if seating is not None:
            session.execute(delete(SecondAddress).where(col(SecondAddress.player) == seating.player))
        session.commit()


def find_pending_address(context: Context, code: str, now: datetime) -> PendingAddress:
    """What a code would confirm; changes nothing. Raises `AddressRefused`: no such code, or too old."""
    with context.reading() as session:
        found, player = find_confirmation(session, code, now)
        return PendingAddress(player.name, found.address, found.purpose == ConfirmationPurpose.SECOND_ADDRESS)


def confirm_address(unit: UnitOfWork, code: str) -> PendingAddress:
    """Use the address that a code confirms; letters that wait go there too. Twice is once.

    The address that was used before is told, with a way back, and the other addresses that the player has
    named are forgotten. The way back forgets all else, and leaves none; a second address is only kept, unless
    letters to the first come back. Raises `AddressRefused`: no such code, too old, or somebody else plays
    with that address.
    """
    context, session, now = unit.context, unit.session, unit.now
    found, player = find_confirmation(session, code, now)
    _check_free(session, player, found.address, found.purpose)
    second = found.purpose is ConfirmationPurpose.SECOND_ADDRESS
    if second:
        _store_second_address(context, session, player, found.address, now)
    else:
        _use_address(context, session, player, found, now)
    if not undeliverable.clear_bounce(unit, player, found.address):
        undeliverable.apply_address_change(unit, player)
    return PendingAddress(player.name, found.address, second)


def _check_free(session: Session, player: Player, address: str, purpose: ConfirmationPurpose) -> None:
    """Refuse an address of somebody else, or take it for the way back; raises `AddressRefused`."""
    same = func.lower(Player.address) == address.lower()
    other = session.exec(select(Player).where(same, Player.id != player.id)).first()
    taken = select(SecondAddress).where(
        func.lower(SecondAddress.address) == address.lower(), SecondAddress.player != player.id
    )
    if other is not None and purpose is ConfirmationPurpose.WAY_BACK:
        _take_over(session, player, other)
    elif other is not None or (
        purpose is ConfirmationPurpose.SECOND_ADDRESS and session.exec(taken).first() is not None
    ):
        raise AddressRefused(gettext("Somebody else plays with that address already."))


def _use_address(
    context: Context, session: Session, player: Player, found: AddressConfirmation, now: datetime
) -> None:
    """Use an address from now on."""
    old, player.address = player.address, found.address
    back = found.purpose is ConfirmationPurpose.WAY_BACK
    others = delete(AddressConfirmation).where(
        col(AddressConfirmation.player) == player.id, col(AddressConfirmation.digest) != found.digest
    )
    way_back = col(AddressConfirmation.purpose) == ConfirmationPurpose.WAY_BACK
    session.execute(others if back else others.where(~way_back))
    second = session.get(SecondAddress, player.id)
    if second is not None and (back or second.address.lower() == found.address.lower()):
        session.delete(second)
    session.flush()
    redirect_waiting_letters(session, player)
    if old.lower() != found.address.lower():
        revoke_sign_ins(session, player)
        notify_old_address(context, session, player, old, back, now)


def _store_second_address(
    context: Context, session: Session, player: Player, address: str, now: datetime
) -> None:
    """Keep a second address, and tell the player of it in the next letter of a game of theirs."""
    if player.address.lower() == address.lower():
        return  # it has taken over meanwhile
    known = second_address_of(session, player.id)
    session.execute(delete(SecondAddress).where(col(SecondAddress.player) == player.id))
    session.add(SecondAddress(player=player.id, address=address))
    session.flush()
    playing = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    rows = session.exec(playing.where(Seating.player == player.id, Game.status == GameStatus.RUNNING))
    for seating, game in rows.all()[: 0 if known.lower() == address.lower() else 1]:
        added = Announcement.SECOND_ADDRESS_ADDED
        chat.announce_to(context, session, game, seating.seat, added, address, now)


def _take_over(session: Session, player: Player, other: Player) -> None:
    """Take the seats of whoever was invited at the old address meanwhile, for that would bar the way back."""
    session.execute(update(Seating).where(col(Seating.player) == other.id).values(player=player.id))
    revoke_sign_ins(session, other)
    for table in (StoredPreferences, AddressConfirmation, BouncingAddress, SecondAddress):
        session.execute(delete(table).where(col(table.player) == other.id))
    session.delete(other)
    session.flush()
