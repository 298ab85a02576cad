"""Change of address: confirmation codes, the move of waiting letters, and notices to the old address."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, tuple_, update
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters.contexts import AccountEvent
from emails.letters.kinds import LetterKind
from emails.tokens import confirmation_code, digest_token
from server.outbox.budgets import player_origin
from server.outbox.letter_kinds import GAMELESS_KINDS, MovedDetail, NoticeDetail, decode_content
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.security_log import SecurityEvent
from server.store.context import Context
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
from server.store.refusals import Refusal, RefusalCode
from server.store.states import ConfirmationPurpose, GameStatus, LetterState

CONFIRMATION_VALID = timedelta(days=3)
WAY_BACK_VALID = timedelta(days=30)
"""Of the way back to an old address: long enough for somebody who was away."""
OBJECTION_TIME = timedelta(days=7)
"""How long an address that is dead, as it seems, can object before its player leaves it."""
CODE_FORM = re.compile(r"[a-z2-7]{26,32}")
"""Codes have 32 letters; those from before codes were hidden have 26, and those of the way back 30."""


class AddressRefused(Refusal):
    """An address that cannot be used."""

    code = RefusalCode.ADDRESS


@dataclass(frozen=True, slots=True)
class ConfirmationKey:
    """A confirmation as its letter names it: its digest, and the mark from which its code follows."""

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
    """Wait for somebody to say yes to an address of a player; the caller commits."""
    mark = secrets.token_hex(16)
    digest = digest_token(confirmation_code(mark, context.links.keys))
    made = AddressConfirmation(
        digest=digest, purpose=purpose, player=player.id, address=address, at=now, due_at=due_at
    )
    session.add(made)
    session.flush()
    return ConfirmationKey(digest, mark)


def find_confirmation(session: Session, code: str, now: datetime) -> tuple[AddressConfirmation, Player]:
    """What a code confirms, and whose it is. Raises `AddressRefused`: no such code, or too old."""
    found = _load_confirmation(session, code)
    if found is None or now >= ends_at(found):
        raise AddressRefused(gettext("This link is not one of ours, or it is too old."))
    return found, session.get_one(Player, found.player)


def is_known_code(session: Session, code: str) -> bool:
    """Whether a code is kept, though it may be too old by now."""
    return _load_confirmation(session, code) is not None


def _load_confirmation(session: Session, code: str) -> AddressConfirmation | None:
    code = code.lower()
    return session.get(AddressConfirmation, digest_token(code)) if CODE_FORM.fullmatch(code) else None


def forget_old_confirmations(session: Session, player: Player, now: datetime) -> None:
    """Delete those of a player to which nobody can say yes any more; the caller commits."""
    kept = select(AddressConfirmation).where(AddressConfirmation.player == player.id)
    for one in session.exec(kept).all():
        if now >= ends_at(one):
            session.delete(one)
    session.flush()


def ends_at(confirmation: AddressConfirmation) -> datetime:
    """When it is too old: a move that waits can be confirmed, and refused, for as long again."""
    if confirmation.due_at is not None:
        return confirmation.due_at + OBJECTION_TIME
    back = confirmation.purpose is ConfirmationPurpose.WAY_BACK
    return confirmation.at + (WAY_BACK_VALID if back else CONFIRMATION_VALID)


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


HOUR = timedelta(hours=1)
MOST_AN_HOUR = 3
"""Notices of one kind of event: whoever does it again and again does not fill a mailbox.

More than one, for what a stranger does may follow what the player did.
"""


def queue_notice(
    context: Context,
    session: Session,
    player: Player,
    event: AccountEvent,
    now: datetime,
    browser: str = "",
    about: str = "",
) -> None:
    """Tell a player, at the address in use, of something done in a browser; the caller commits.

    `about` is the name of a key, or an address. Whoever has given all their seats back has nothing that could
    be taken from them, and is not told.
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
        [Notification(seating.seat, NoticeDetail(event, now, browser, about), mark=mark)],
        now,
    )


def _count_recent(session: Session, player: Player, event: AccountEvent, now: datetime) -> int:
    """How many notices of such an event a player was sent within the hour."""
    lately = select(OutgoingLetter.detail).where(
        OutgoingLetter.kind == LetterKind.NOTICE, col(OutgoingLetter.queued_at) > now - HOUR
    )
    details = session.exec(lately.where(is_letter_to(player)))
    told = (decode_content(LetterKind.NOTICE, detail) for detail in details)
    return sum(isinstance(one, NoticeDetail) and one.event is event for one in told)
