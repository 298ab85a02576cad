"""Notices: a player hears by mail what was done in their name, so that nobody can do it unnoticed."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from emails.letters.contexts import AccountEvent
from emails.letters.kinds import LetterKind
from server.accounts.address_change import find_letter_seat, is_letter_to
from server.outbox.letter_details import NoticeDetail, decode_content
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.store.context import Context
from server.store.models import OutgoingLetter, Player

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
