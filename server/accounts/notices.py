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

QUIET_AFTER_NOTICE = timedelta(hours=1)
"""After a notice no other about the same kind of event goes out for so long: a burst is one notice."""


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
    found = find_letter_seat(session, player)
    if found is None or _was_told(session, player, event, now):
        return
    seating, game = found
    mark = f"{event}.{now.timestamp()}"
    queue_letters(
        context,
        session,
        game,
        [Notification(seating.seat, NoticeDetail(event, now, browser, about), mark=mark)],
        now,
    )


def _was_told(session: Session, player: Player, event: AccountEvent, now: datetime) -> bool:
    """Whether a player has been told of such an event a short while ago."""
    lately = select(OutgoingLetter.detail).where(
        OutgoingLetter.kind == LetterKind.NOTICE, col(OutgoingLetter.queued_at) > now - QUIET_AFTER_NOTICE
    )
    details = session.exec(lately.where(is_letter_to(player)))
    told = (decode_content(LetterKind.NOTICE, detail) for detail in details)
    return any(isinstance(one, NoticeDetail) and one.event is event for one in told)
