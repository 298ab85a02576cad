"""Change of address: confirmation codes, redirected letters, and notices to the old address."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, tuple_, update
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import account_letters
from emails.letters.declaration import AccountEvent
from emails.tokens import confirmation_code, digest_token
from server.outbox.budgets import player_origin
from server.outbox.notifications import GAMELESS_KINDS, Notification, decode_payload
from server.outbox.queue import queue_letters
from server.security_log import SecurityEvent
from server.store.context import Context
from server.store.event_log import Refusal, RefusalCode
from server.store.models import (
    AddressConfirmation,
    ApiKey,
    Game,
    OutgoingLetter,
    Player,
    Seating,
    SignedInBrowser,
    SignInLink,
)
from server.store.personal import Kept
from server.store.states import ConfirmationPurpose, GameStatus, LetterState

CONFIRMATION_VALID = timedelta(days=3)
WAY_BACK_VALID = Kept.ADDRESSES.period
OBJECTION_TIME = timedelta(days=7)
"""Time in which the current address can object to a change that it has not approved."""
CODE_FORM = re.compile(r"[a-z2-7]{26,32}")
"""Pattern of confirmation codes. New codes have 32 characters, older ones 26 or 30."""


class AddressRefused(Refusal):
    code = RefusalCode.ADDRESS


@dataclass(frozen=True, slots=True)
class ConfirmationKey:
    digest: str
    mark: str


def create_confirmation(
    context: Context,
    session: Session,
    player: Player,
    address: str,
    purpose: ConfirmationPurpose,
    now: datetime,
    due_at: datetime | None = None,
) -> ConfirmationKey:
    mark = secrets.token_hex(16)
    digest = digest_token(confirmation_code(mark, context.links.keys))
    made = AddressConfirmation(
        digest=digest, purpose=purpose, player=player.id, address=address, at=now, due_at=due_at
    )
    session.add(made)
    session.flush()
    return ConfirmationKey(digest, mark)


def find_confirmation(session: Session, code: str, now: datetime) -> tuple[AddressConfirmation, Player]:
    """Return the confirmation request of a code, and its player.

    Raises `AddressRefused` if the code is unknown or expired.
    """
    found = _load_confirmation(session, code)
    if found is None or now >= ends_at(found):
        raise AddressRefused(gettext("This link is not one of ours, or it is too old."))
    return found, session.get_one(Player, found.player)


def is_known_code(session: Session, code: str) -> bool:
    """Return whether a code is stored, even if expired."""
    return _load_confirmation(session, code) is not None


def _load_confirmation(session: Session, code: str) -> AddressConfirmation | None:
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


def notify_old_address(
    context: Context, session: Session, player: Player, old: str, back: bool, now: datetime
) -> None:
    """Notify the former address of a change of address. Does not commit.

    The letter has a link that restores the former address, unless the change was such a restoration (`back`).
    Sends nothing if the player has no seat.
    """
    who = player_origin(player.id).text
    context.security.note(SecurityEvent.ADDRESS_CHANGED, who, now, address=player.address)
    found = find_letter_seat(session, player)
    if found is None:
        return
    seating, game = found
    detail = account_letters.Moved(player.address)
    if not back:
        way = create_confirmation(context, session, player, old, ConfirmationPurpose.WAY_BACK, now)
        detail = account_letters.Moved(player.address, way.digest, way.mark)
    letter = Notification(seating.seat, detail, mark=detail.mark or f"{now.timestamp()}", recipient=old)
    queue_letters(context, session, game, [letter], now)


def find_letter_seat(session: Session, player: Player) -> tuple[Seating, Game] | None:
    """Return one of a player's seats with its game, under which to store a letter about the account.

    Returns None for a player without a seat. The seat of an open game is the last choice, since another
    player may take it before the letter is sent.
    """
    own = select(Seating, Game).join(Game, col(Game.id) == Seating.game).where(Seating.player == player.id)
    found = session.exec(own.order_by(col(Game.status) == GameStatus.OPEN)).first()
    return None if found is None else (found[0], found[1])


HOUR = timedelta(hours=1)
MOST_AN_HOUR = 3
"""Maximum notices per hour about one kind of event, so that repetitions do not fill the mailbox."""


def queue_notice(
    context: Context,
    session: Session,
    player: Player,
    event: AccountEvent,
    now: datetime,
    browser: str = "",
    about: str = "",
) -> None:
    """Queue a notice to a player's current address about an account event. Does not commit.

    `browser` describes the browser that caused the event; `about` names the API key or address concerned.
    Sends nothing to a player without a seat, or after `MOST_AN_HOUR` notices of this event.
    """
    found, told = find_letter_seat(session, player), _count_recent(session, player, event, now)
    if found is None or told >= MOST_AN_HOUR:
        return
    seating, game = found
    mark = f"{event}.{now.timestamp()}.{told}"
    queue_letters(
        context,
        session,
        game,
        [Notification(seating.seat, account_letters.Notice(event, now, browser, about), mark=mark)],
        now,
    )


def _count_recent(session: Session, player: Player, event: AccountEvent, now: datetime) -> int:
    lately = select(OutgoingLetter.detail).where(
        OutgoingLetter.kind == account_letters.Notice.kind, col(OutgoingLetter.queued_at) > now - HOUR
    )
    details = session.exec(lately.where(is_letter_to(player)))
    return sum(decode_payload(account_letters.Notice, detail).event is event for detail in details)
