"""Confirmations: what somebody at an address is asked, and the code with which they say yes.

Of the code only its digest is stored. It follows from a key of the server and a mark that nobody can guess,
and is worked out when its letter is written, as that of a link to sign in (sign_in.py). Which of several
secrets it follows from, the digest says: another may be the first by then.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, select

from emails.i18n import gettext
from emails.tokens import confirmation_code, digest_token
from server.store.context import Context
from server.store.models import AddressConfirmation, Player
from server.store.refusals import Refusal, RefusalCode
from server.store.states import ConfirmationPurpose

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
