"""Changes of address: requests, confirmations, notices; renewal of links."""

from __future__ import annotations

import logging
import re
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, tuple_, update
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.declaration import AccountEvent, Payload
from emails.letters.lobby_letters import find_address_fault, tidy_address
from emails.tokens import Purpose, Ticket, digest_token, make_code
from emails.wording.requests import Request, RequestKind
from server.accounts.bounces import clear_bounce, is_refused, update_clocks
from server.accounts.vacations import keep_time_left
from server.mail_addresses import digest_address, is_reserved_address
from server.monitoring import SecurityEvent
from server.outbox.budgets import check_origin, is_player_banned, player_origin
from server.outbox.notifications import (
    GAMELESS_KINDS,
    Notification,
    confirm_player,
    decode_payload,
    load_note,
)
from server.outbox.queue import UnitOfWork, open_unit
from server.store.context import Context
from server.store.encrypted import WithdrawalKind, note_withdrawal
from server.store.event_log import Refusal, RefusalCode
from server.store.game_terms import NOBODY_PLAYS_THERE
from server.store.models import (
    AddressConfirmation,
    ApiKey,
    BouncingAddress,
    Game,
    OutgoingLetter,
    Player,
    Seating,
    SignedInBrowser,
    SignInLink,
    StoredPreferences,
    count_rows,
)
from server.store.personal import Kept
from server.store.states import ConfirmationPurpose, GameStatus, LetterState

LOG = logging.getLogger(__name__)
CONFIRMATION_VALID = timedelta(days=3)
WAY_BACK_VALID = Kept.ADDRESSES.period
OBJECTION_TIME = timedelta(days=7)
"""Time in which the current address can object to a change that it has not approved."""
CODE_FORM = re.compile(r"[a-z2-7]{26,32}")
"""Pattern of confirmation codes. New codes have 32 characters, older ones 26 or 30."""


class AddressRefused(Refusal):
    code = RefusalCode.ADDRESS


def create_confirmation(
    unit: UnitOfWork,
    player: Player,
    address: str,
    purpose: ConfirmationPurpose,
    due_at: datetime | None = None,
) -> tuple[str, str]:
    """Store a request for confirmation; return the digest and the mark of its code."""
    mark = secrets.token_hex(16)
    digest = digest_token(make_code(Purpose.CONFIRMATION, mark, unit.context.links.keys))
    made = AddressConfirmation(
        digest=digest, purpose=purpose, player=player.id, address=address, at=unit.now, due_at=due_at
    )
    unit.session.add(made)
    unit.session.flush()
    return digest, mark


def find_confirmation(session: Session, code: str, now: datetime) -> tuple[AddressConfirmation, Player]:
    """Return the confirmation request of a code, and its player.

    Raises `AddressRefused` if the code is unknown or expired.
    """
    found = load_confirmation(session, code)
    if found is None or now >= ends_at(found):
        raise AddressRefused(gettext("This link is not one of ours, or it is too old."))
    return found, session.get_one(Player, found.player)


def load_confirmation(session: Session, code: str) -> AddressConfirmation | None:
    """Return the confirmation request of a code, even if expired."""
    code = code.lower()
    return session.get(AddressConfirmation, digest_token(code)) if CODE_FORM.fullmatch(code) else None


def forget_old_confirmations(session: Session, player: Player, now: datetime) -> None:
    kept = select(AddressConfirmation).where(AddressConfirmation.player == player.id)
    for one in session.exec(kept).all():
        if now >= ends_at(one):
            session.delete(one)
    session.flush()


def ends_at(confirmation: AddressConfirmation) -> datetime:
    """Return the time at which a confirmation request expires."""
    if confirmation.due_at is not None:
        return confirmation.due_at + OBJECTION_TIME
    back = confirmation.purpose is ConfirmationPurpose.WAY_BACK
    return confirmation.at + (WAY_BACK_VALID if back else CONFIRMATION_VALID)


def is_letter_to(player: Player) -> ColumnElement[bool]:
    seats = select(Seating.game, Seating.seat).where(Seating.player == player.id)
    return tuple_(col(OutgoingLetter.game), col(OutgoingLetter.seat)).in_(seats)


def redirect_waiting_letters(session: Session, player: Player) -> None:
    waiting = update(OutgoingLetter).where(
        is_letter_to(player), col(OutgoingLetter.state) == LetterState.WAITING
    )
    session.execute(
        waiting.where(col(OutgoingLetter.kind).not_in(GAMELESS_KINDS)).values(recipient=player.address)
    )


def revoke_sign_ins(session: Session, player: Player) -> None:
    """Delete a player's sign-in links, browser sessions and API keys. Does not commit.

    Called when a new address is confirmed, since an intruder may read mail to the previous address.
    """
    for table in (SignInLink, SignedInBrowser, ApiKey):
        session.execute(delete(table).where(col(table.player) == player.id))


def _notify_old_address(unit: UnitOfWork, player: Player, old: str, back: bool) -> None:
    """Notify the former address of a change of address.

    The letter has a link that restores the former address, unless the change was such a restoration (`back`).
    Sends nothing if the player has no seat.
    """
    who = player_origin(player.id).text
    unit.context.security.note(SecurityEvent.ADDRESS_CHANGED, who, unit.now, address=player.address)
    found = find_letter_seat(unit.session, player)
    if found is None:
        return
    seating, game = found
    key = () if back else create_confirmation(unit, player, old, ConfirmationPurpose.WAY_BACK)
    detail = account_letters.Moved(player.address, *key)
    mark = detail.mark or f"{unit.now.timestamp()}"
    unit.queue(game, [Notification(seating.seat, detail, mark=mark, recipient=old)])


def find_letter_seat(session: Session, player: Player) -> tuple[Seating, Game] | None:
    """Return one of a player's seats with its game, under which to store a letter about the account.

    Returns None for a player without a seat. The seat of an open game is the last choice, since another
    player may take it before the letter is sent.
    """
    own = select(Seating, Game).join(Game, col(Game.id) == Seating.game).where(Seating.player == player.id)
    found = session.exec(own.order_by(col(Game.status) == GameStatus.OPEN)).first()
    return None if found is None else (found[0], found[1])


MOST_AN_HOUR = 3
"""Maximum notices per hour about one kind of event, so that repetitions do not fill the mailbox."""


def queue_notice(
    unit: UnitOfWork, player: Player, event: AccountEvent, browser: str = "", about: str = ""
) -> None:
    """Queue a notice to a player's current address about an account event.

    `browser` describes the browser that caused the event; `about` names the API key or address concerned.
    Sends nothing to a player without a seat, or after `MOST_AN_HOUR` notices of this event.
    """
    lately = select(OutgoingLetter.detail).where(OutgoingLetter.kind == account_letters.Notice.kind)
    lately = lately.where(col(OutgoingLetter.queued_at) > unit.now - timedelta(hours=1), is_letter_to(player))
    notices = [decode_payload(account_letters.Notice, detail) for detail in unit.session.exec(lately)]
    told, found = sum(one.event is event for one in notices), find_letter_seat(unit.session, player)
    if found is not None and told < MOST_AN_HOUR:
        detail = account_letters.Notice(event, unit.now, browser, about)
        mark = f"{event}.{unit.now.timestamp()}.{told}"
        unit.queue(found[1], [Notification(found[0].seat, detail, mark=mark)])


MAILED_IN = frozenset({GameStatus.OPEN, GameStatus.RUNNING})


def raise_generations(session: Session, player: int) -> list[Seating]:
    """Disable all links in letters to a player; return the player's seats."""
    seats = list(session.exec(select(Seating).where(Seating.player == player).order_by(col(Seating.game))))
    for seating in seats:
        seating.generation += 1
    return seats


def renew_links(unit: UnitOfWork, player: int, but: Seating | None = None) -> None:
    """Renew all links of a player. Mail a letter for each seat in an open or running game, except for `but`.

    Cancels every change of address that does not need the approval of the current address: a thief of an
    old link may have requested it.
    """
    unit.context.security.note(SecurityEvent.LINKS_RENEWED, player_origin(player).text, unit.now)
    waiting = delete(AddressConfirmation).where(col(AddressConfirmation.player) == player)
    unit.session.execute(waiting.where(col(AddressConfirmation.due_at).is_not(None)))
    for seating in raise_generations(unit.session, player):
        game = unit.session.get_one(Game, seating.game)
        if game.status in MAILED_IN and seating is not but:
            unit.tell(game, [_links_notification(unit.session, game, seating, f"new{seating.generation}")])


def mail_links(unit: UnitOfWork, withdrawn: Ticket) -> None:
    """Queue a letter with the current links of a seat, because an old link was used; at most once an hour.

    `withdrawn`: content of the old link. If the seat had another player when the old link was made, no
    letter is queued.
    """
    game = unit.session.get(Game, withdrawn.game)
    seating = unit.session.get(Seating, (withdrawn.game, withdrawn.seat))
    if game is None or seating is None or game.status in (GameStatus.PROPOSED, GameStatus.CANCELLED):
        return
    if withdrawn.after >= unit.history_of(game).player_since(seating.seat):
        hour = int(unit.now.timestamp()) // 3600
        unit.tell(
            game, [_links_notification(unit.session, game, seating, f"links{seating.generation}-{hour}")]
        )


def _links_notification(session: Session, game: Game, seating: Seating, mark: str) -> Notification:
    payload: Payload = game_letters.Shown((Request(RequestKind.NEW_LINKS),))
    if game.status == GameStatus.OPEN:
        payload = lobby_letters.Accepted()
        if seating.accepted_at is None:
            payload = lobby_letters.Invitation(load_note(session, game.id, seating.seat))
    return Notification(seating.seat, payload, mark=mark)


MOST_REQUESTS_A_DAY = 5
MOST_MOVES_ASKED_A_DAY = 2


def request_address_confirmation(
    context: Context, game: str, seat: int, address: str, now: datetime, browser: str = ""
) -> None:
    """Mail a confirmation request to a new address of a seat's player. Commits.

    The caller must have checked a proof of identity, such as a sign-in. A game link is not enough: see
    `request_move`. The current address gets a notice, and stays in use until the new address is confirmed.
    If the new address is blocked or has received too many letters, nothing is mailed and no error is
    raised. `browser`: description of the requesting browser.

    Raises `AddressRefused` if the address is unusable or is already the player's, or if the player has made
    too many requests today. Raises `BudgetSpent` if the player has caused too many letters.
    """
    address = tidy_address(address)
    with open_unit(context, now) as unit:
        player = _player_who_may_name(unit, game, seat, address)
        unit.origin = player_origin(player.id)
        check_origin(unit.session, unit.origin, now)
        ask_address(unit, game, seat, player, address)
        queue_notice(unit, player, AccountEvent.ADDRESS_ASKED, browser, address)
        unit.commit()
    context.security.note(SecurityEvent.ADDRESS_ASKED, unit.origin.text, now, address=address)


def request_move(
    context: Context, game: str, seat: int, address: str, now: datetime, browser: str = ""
) -> datetime | None:
    """Ask the current address to approve a change of address requested through a link to a game. Commits.

    If the current address rejects letters, the new address is asked to confirm instead. In that case the
    function returns the time at which the confirmed change will take effect; else None. Raises
    `AddressRefused` as `request_address_confirmation` does.
    """
    address = tidy_address(address)
    with open_unit(context, now) as unit:
        player = _player_who_may_name(unit, game, seat, address)
        _check_rate_limit(unit, player, account_letters.MoveAsked.kind, MOST_MOVES_ASKED_A_DAY)
        due_at = now + OBJECTION_TIME if is_refused(unit.session, player.id) else None
        if due_at is not None:
            ask_address(unit, game, seat, player, address, due_at)
        digest, mark = create_confirmation(unit, player, address, ConfirmationPurpose.MOVE, due_at)
        letter = Notification(seat, account_letters.MoveAsked(digest, mark, browser), mark=mark)
        unit.queue(unit.session.get_one(Game, game), [letter])
        unit.commit()
    context.security.note(SecurityEvent.ADDRESS_ASKED, player_origin(player.id).text, now, address=address)
    return due_at


def ask_address(
    unit: UnitOfWork, game: str, seat: int, player: Player, address: str, due_at: datetime | None = None
) -> None:
    """Queue a letter that asks an address for confirmation.

    `due_at`: when the confirmed address comes into use; until then the current address can object. None: at
    once. Raises `AddressRefused` above the daily limit.
    """
    _check_rate_limit(unit, player, account_letters.Confirm.kind, MOST_REQUESTS_A_DAY)
    digest, mark = create_confirmation(unit, player, address, ConfirmationPurpose.ADDRESS, due_at)
    letter = Notification(seat, account_letters.Confirm(digest, mark), mark=mark, recipient=address)
    asking = replace(unit, origin=player_origin(player.id))
    asking.queue(unit.session.get_one(Game, game), [letter])


def _player_who_may_name(unit: UnitOfWork, game: str, seat: int, address: str) -> Player:
    if fault := find_address_fault(address):
        raise AddressRefused(fault)
    if is_reserved_address(address, unit.context.settings):
        raise AddressRefused(gettext(NOBODY_PLAYS_THERE, address=address))
    seating = unit.session.get(Seating, (game, seat))
    if seating is None or seating.player is None:
        raise AddressRefused(gettext("No mails go to that seat."))
    player = unit.session.get_one(Player, seating.player)
    if player.address.lower() == address.lower():
        raise AddressRefused(gettext("Your mails go to that address already."))
    forget_old_confirmations(unit.session, player, unit.now)
    return player


def _check_rate_limit(unit: UnitOfWork, player: Player, kind: str, most: int) -> None:
    today = OutgoingLetter.kind == kind, OutgoingLetter.queued_at > unit.now - timedelta(days=1)
    if count_rows(unit.session, OutgoingLetter, *today, is_letter_to(player)) >= most:
        raise AddressRefused(gettext("You have named many addresses today: please try again tomorrow."))


@dataclass(frozen=True, slots=True)
class PendingAddress:
    name: str
    address: str
    purpose: ConfirmationPurpose = ConfirmationPurpose.ADDRESS
    due_at: datetime | None = None
    """When the confirmed address comes into use; until then the current address can object. None: at once."""


def find_pending_address(context: Context, code: str, now: datetime) -> PendingAddress:
    with context.reading() as session:
        found, player = find_confirmation(session, code, now)
        return PendingAddress(player.name, found.address, found.purpose, found.due_at)


def confirm_address(unit: UnitOfWork, code: str) -> PendingAddress:
    """Carry out the request with this confirmation code; return the request. Idempotent.

    The request asks a new or former address for confirmation, or the current address for approval. When an
    address comes into use, waiting letters are redirected to it, the former address gets a notice with a
    link to restore it, and other requests of the player are deleted. Raises `AddressRefused` if the code is
    unknown or expired, another player uses the address, or the player is banned.
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
    """Cancel a change of address that the current address declines, and renew all links of the player.

    The links are renewed because the requester of the change has one. Raises `AddressRefused` if the code is
    unknown or expired.
    """
    found, player = find_confirmation(unit.session, code, unit.now)
    if found.purpose is not ConfirmationPurpose.MOVE:
        raise AddressRefused(gettext("This link is not one of ours, or it is too old."))
    declined = PendingAddress(player.name, found.address, found.purpose)
    waiting = delete(AddressConfirmation).where(col(AddressConfirmation.player) == player.id)
    move = col(AddressConfirmation.purpose) == ConfirmationPurpose.MOVE
    unit.session.execute(waiting.where(move | col(AddressConfirmation.due_at).is_not(None)))
    renew_links(unit, player.id)
    return declined


def use_due_addresses(context: Context, now: datetime) -> int:
    """Complete or drop changes of address whose time for objections is over; return the number of changes.

    A change is dropped if another player uses the new address. A change stays open if letters to the current
    address are no longer rejected.
    """
    confirmed = select(AddressConfirmation.digest).where(
        col(AddressConfirmation.due_at) <= now,
        col(AddressConfirmation.due_at) > now - OBJECTION_TIME,
        col(AddressConfirmation.confirmed_at).is_not(None),
    )
    with context.reading() as session:
        waiting = session.exec(confirmed).all()
    return sum(_use_due_address(context, digest, now) for digest in waiting)


def _use_due_address(context: Context, digest: str, now: datetime) -> bool:
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
            LOG.info("a player cannot move to the requested address, which another player uses")
            unit.session.delete(found)
        unit.commit()
    return True


def _is_due(unit: UnitOfWork, player: Player, found: AddressConfirmation) -> bool:
    if found.due_at is None or not found.due_at <= unit.now < ends_at(found):
        return False
    return is_refused(unit.session, player.id)


def _let_move(unit: UnitOfWork, player: Player, move: AddressConfirmation) -> None:
    """Carry out an approved change: use the new address if it is confirmed, else request its confirmation."""
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
        ask_address(unit, found[0].game, found[0].seat, player, move.address)
        return
    if asked.due_at is not None:
        asked.due_at, asked.at = None, unit.now
    if asked.confirmed_at is not None and player.address.lower() != asked.address.lower():
        _use_address(unit, player, asked)


def _check_free(unit: UnitOfWork, player: Player, address: str, purpose: ConfirmationPurpose) -> None:
    session = unit.session
    same = func.lower(Player.address) == address.lower()
    other = session.exec(select(Player).where(same, Player.id != player.id)).first()
    if other is None:
        return
    if purpose is not ConfirmationPurpose.WAY_BACK:
        raise AddressRefused(gettext("Somebody else plays with that address already."))
    _take_over(session, player, other, unit.now)


def _use_address(unit: UnitOfWork, player: Player, found: AddressConfirmation) -> None:
    context, session = unit.context, unit.session
    old, player.address = player.address, found.address
    back = found.purpose is ConfirmationPurpose.WAY_BACK
    others = delete(AddressConfirmation).where(
        col(AddressConfirmation.player) == player.id, col(AddressConfirmation.digest) != found.digest
    )
    way_back = col(AddressConfirmation.purpose) == ConfirmationPurpose.WAY_BACK
    session.execute(others if back else others.where(~way_back))
    if found.due_at is not None:
        session.delete(found)  # expires later than other requests, and must not be used again
    session.flush()
    redirect_waiting_letters(session, player)
    if old.lower() != player.address.lower():
        revoke_sign_ins(session, player)
        for address, left in ((old, True), (player.address, False)):
            what = WithdrawalKind.ADDRESS, digest_address(address)
            note_withdrawal(context, session, *what, now=unit.now, holds=left)
        renew_links(unit, player.id)
        _notify_old_address(unit, player, old, back)
    # A confirmed address is deliverable, despite earlier bounces.
    if not clear_bounce(unit, player, player.address):
        update_clocks(unit, player)


def _take_over(session: Session, player: Player, other: Player, now: datetime) -> None:
    with keep_time_left(session, other.id or 0, now):
        session.execute(update(Seating).where(col(Seating.player) == other.id).values(player=player.id))
    revoke_sign_ins(session, other)
    for table in (StoredPreferences, AddressConfirmation, BouncingAddress):
        session.execute(delete(table).where(col(table.player) == other.id))
    session.delete(other)
    session.flush()
