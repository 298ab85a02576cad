"""A player's new address is asked for: by whoever is signed in, or by whoever holds a ticket of theirs.

Whoever is signed in has shown that they read the player's mail, so only the new address is asked. A ticket
may have come with a letter that was passed on, so first the address in use must say yes. Where the relay is
refused letters to it nobody there can: then both are told, and seven days later the player moves, unless
somebody at the address in use objects, letters arrive there again, or the player makes their links new. A
report by mail is not enough for that: whoever has the letter can write one.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, select

from emails.i18n import gettext
from emails.letters.contexts import AccountEvent
from emails.letters.kinds import LetterKind
from emails.letters.proposal_letter import find_address_fault, tidy_address
from server.accounts.address_change import is_letter_to
from server.accounts.confirmations import (
    OBJECTION_TIME,
    AddressRefused,
    create_confirmation,
    forget_old_confirmations,
)
from server.accounts.notices import queue_notice
from server.accounts.paused_clocks import is_refused
from server.mail_addresses import is_reserved_address
from server.outbox.budgets import check_origin, player_origin
from server.outbox.letter_details import ConfirmDetail, MoveAskedDetail
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.models import Game, OutgoingLetter, Player, Seating
from server.store.seats import NOBODY_PLAYS_THERE
from server.store.states import ConfirmationPurpose

MOST_REQUESTS_A_DAY = 5
"""Addresses that a player may name within a day."""
MOST_MOVES_ASKED_A_DAY = 2
"""Letters to the address in use within a day, whoever has a ticket and asks for them."""


def request_address_confirmation(
    context: Context,
    game: str,
    seat: int,
    address: str,
    now: datetime,
    browser: str = "",
) -> None:
    """Send a letter to a new address of a seat's player, which must be confirmed within three days. Commits.

    The player is known, by more than a ticket. The old address stays in use until then, and is told now and
    then. `browser`: in which it is asked for. Raises `AddressRefused`: no address to play at, theirs already,
    asked too often; and `BudgetSpent`. An address that wants no letters, or has got enough, gets none, and
    nobody hears of it.
    """
    address = tidy_address(address)
    with context.writing() as session:
        player = _player_who_may_name(context, session, (game, seat), address, now)
        check_origin(session, player_origin(player.id), now)
        ask_address(context, session, (game, seat), player, address, now)
        queue_notice(context, session, player, AccountEvent.ADDRESS_ASKED, now, browser, address)
        context.commit_work(session)
    context.security.note(SecurityEvent.ADDRESS_ASKED, player_origin(player.id).text, now, address=address)


def request_move(
    context: Context, game: str, seat: int, address: str, now: datetime, browser: str = ""
) -> datetime | None:
    """Ask the address in use whether its player moves to another, as somebody with a ticket wants. Commits.

    Gives when they move without an answer; None where nothing happens without one. Raises `AddressRefused`.
    """
    address = tidy_address(address)
    with context.writing() as session:
        player = _player_who_may_name(context, session, (game, seat), address, now)
        _check_rate_limit(session, player, LetterKind.MOVE_ASKED, now)
        due_at = now + OBJECTION_TIME if is_refused(session, player.id) else None
        if due_at is not None:
            ask_address(context, session, (game, seat), player, address, now, due_at=due_at)
        move = create_confirmation(
            context, session, player, address, ConfirmationPurpose.MOVE, now, due_at=due_at
        )
        detail = MoveAskedDetail(move.digest, move.mark, browser)
        letter = Notification(seat, detail, mark=move.mark)
        queue_letters(context, session, session.get_one(Game, game), [letter], now)
        context.commit_work(session)
    context.security.note(SecurityEvent.ADDRESS_ASKED, player_origin(player.id).text, now, address=address)
    return due_at


def ask_address(
    context: Context,
    session: Session,
    seat: tuple[str, int],
    player: Player,
    address: str,
    now: datetime,
    due_at: datetime | None = None,
) -> None:
    """Ask an address whether it is a player's, by a letter that belongs to a seat; the caller commits.

    Raises `AddressRefused`: asked too often.
    """
    _check_rate_limit(session, player, LetterKind.CONFIRM, now)
    asked = create_confirmation(context, session, player, address, ConfirmationPurpose.ADDRESS, now, due_at)
    detail = ConfirmDetail(asked.digest, asked.mark)
    letter = Notification(seat[1], detail, mark=asked.mark, recipient=address)
    origin = player_origin(player.id)
    queue_letters(context, session, session.get_one(Game, seat[0]), [letter], now, origin)


def _player_who_may_name(
    context: Context, session: Session, place: tuple[str, int], address: str, now: datetime
) -> Player:
    """The player of a seat. Raises `AddressRefused`: nobody, no address to play at, theirs already."""
    if fault := find_address_fault(address):
        raise AddressRefused(fault)
    if is_reserved_address(address, context.settings):
        raise AddressRefused(gettext(NOBODY_PLAYS_THERE, address=address))
    seating = session.get(Seating, place)
    if seating is None or seating.player is None:
        raise AddressRefused(gettext("No mails go to that seat."))
    player = session.get_one(Player, seating.player)
    if player.address.lower() == address.lower():
        raise AddressRefused(gettext("Your mails go to that address already."))
    forget_old_confirmations(session, player, now)
    return player


def _check_rate_limit(session: Session, player: Player, kind: LetterKind, now: datetime) -> None:
    """Refuse to ask more often than a person needs; raises `AddressRefused`."""
    most = MOST_MOVES_ASKED_A_DAY if kind == LetterKind.MOVE_ASKED else MOST_REQUESTS_A_DAY
    today = select(func.count()).select_from(OutgoingLetter).where(OutgoingLetter.kind == kind)
    today = today.where(OutgoingLetter.queued_at > now - timedelta(days=1))
    if session.exec(today.where(is_letter_to(player))).one() >= most:
        raise AddressRefused(gettext("You have named many addresses today: please try again tomorrow."))
