"""Confirmations: what somebody at an address is asked, and the code with which they say yes.

Of the code only its digest is stored. It follows from a key of the server and a mark that nobody can guess,
and is worked out when its letter is written, as that of a link to sign in (sign_in.py).
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, or_
from sqlmodel import Session, col

from emails.i18n import gettext
from emails.tokens import confirmation_code
from server.accounts.sessions import digest_token
from server.store.context import Context
from server.store.models import AddressConfirmation, Player
from server.store.refusals import Refusal, RefusalCode
from server.store.states import ConfirmationPurpose

CONFIRMATION_VALID = timedelta(days=3)
WAY_BACK_VALID = timedelta(days=30)
"""Of the way back to an old address: long enough for somebody who was away."""
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
) -> ConfirmationKey:
    """Wait for somebody to say yes to an address of a player; the caller commits."""
    mark = secrets.token_hex(16)
    digest = digest_token(confirmation_code(mark, context.links.keys))
    session.add(
        AddressConfirmation(digest=digest, purpose=purpose, player=player.id, address=address, at=now)
    )
    session.flush()
    return ConfirmationKey(digest, mark)


def find_confirmation(session: Session, code: str, now: datetime) -> tuple[AddressConfirmation, Player]:
    """What a code confirms, and whose it is. Raises `AddressRefused`: no such code, or too old."""
    code = code.lower()
    found = session.get(AddressConfirmation, digest_token(code)) if CODE_FORM.fullmatch(code) else None
    if found is None or found.at <= now - _lifetime(found.purpose):
        raise AddressRefused(gettext("This link is not one of ours, or it is too old."))
    return found, session.get_one(Player, found.player)


def forget_old_confirmations(session: Session, now: datetime) -> None:
    """Delete those to which nobody can say yes any more; the caller commits."""
    at, for_purpose = col(AddressConfirmation.at), col(AddressConfirmation.purpose)
    too_old = [
        and_(for_purpose == purpose, at <= now - _lifetime(purpose)) for purpose in ConfirmationPurpose
    ]
    session.execute(delete(AddressConfirmation).where(or_(*too_old)))


def _lifetime(purpose: ConfirmationPurpose) -> timedelta:
    """How long one is good."""
    return WAY_BACK_VALID if purpose is ConfirmationPurpose.WAY_BACK else CONFIRMATION_VALID
