"""Incoming mail is read: screened, and handed to the door that its address names.

What the mail may do is settled by the sealed token in that address. Answers go only to the address on file.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime

from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from emails.links import Forged, unseal_stop
from emails.replies.affirmations import says_yes
from emails.replies.reply_reader import read_reply
from emails.replies.screening import Facts, screen
from server.accounts import addresses, unsubscribe
from server.accounts.addresses import NotConfirmed
from server.accounts.unsubscribe import NotStopped
from server.inbox import new_game_mail, returned_mail
from server.inbox.correspondent import is_double, is_own, named
from server.inbox.game_replies import reply
from server.inbox.reply_outcome import close
from server.inbox.returned_mail import NotYet
from server.store.context import Office
from server.store.models import Incoming

LOG = logging.getLogger(__name__)
AT_ONCE = 50
CONFIRMED = frozenset(
    ("it is mine", "yes it is mine", "ja dat klopt", "dat klopt", "klopt", "ja dat is van mij")
)
"""The lines that confirm an address beside those of `assent.YES`."""

Door = Callable[[Office, Incoming, str, datetime], None]
"""Does what a mail says and closes its row, given the token that stands in its address after the +."""


def process(office: Office, now: datetime) -> int:
    """Read the mails that are waiting, the oldest first; how many were read."""
    with office.reading() as session:
        chosen = select(Incoming).where(Incoming.state == "waiting").order_by(col(Incoming.id)).limit(AT_ONCE)
        rows = list(session.exec(chosen))
    done = 0
    for row in rows:
        door, _, token = row.recipient.partition("@")[0].partition("+")
        try:
            DOORS.get(door.lower(), _nowhere)(office, row, token, now)
        except SQLAlchemyError:
            LOG.exception("mail %s waits until the database is there again", row.id)
            continue
        except NotYet:
            continue
        except Exception:
            # One mail that cannot be read must not keep back all the others; its bytes are kept.
            LOG.exception("mail %s cannot be read", row.id)
            close(office, row, "refused", "it could not be read: see the server's own messages")
        done += 1
    return done


def _nowhere(office: Office, row: Incoming, _: str, now: datetime) -> None:
    """No door has this name."""
    close(office, row, "ignored", _ignored(office, row, unknown=True))


def _stop(office: Office, row: Incoming, token: str, now: datetime) -> None:
    """No more letters of a game, please: whatever the mail says, unless a program wrote it by itself.

    The token says whose letters; mail programs send such a mail when their user presses "unsubscribe".
    """
    try:
        game, holder = unseal_stop(token, office.post.secret)
    except Forged:
        game, holder = "", 0
    why = _ignored(office, row, unknown=not game)
    if not why:
        try:
            unsubscribe.stop(office, game, unsubscribe.seat_of(office, game, holder), False, now)
        except NotStopped as error:
            why = str(error)
    close(office, row, "ignored" if why else "played", why)


def _confirm(office: Office, row: Incoming, code: str, now: datetime) -> None:
    """The answer from a new address: yes, it is mine. There is nobody to be told where it is refused."""
    why = _ignored(office, row, unknown=not code)
    if not why:
        with office.reading() as session:
            letter = named(session, row)
        sent = None if letter is None else letter.text
        found = read_reply(row.raw, sent or None, confirms)
        if found.doubtful or not found.lines or not confirms(found.lines[0]):
            why = "It does not say yes in its first line."
    if not why:
        try:
            addresses.confirmed(office, code, now)
        except NotConfirmed as error:
            why = str(error)
    close(office, row, "ignored" if why else "played", why)


def confirms(line: str) -> bool:
    """Whether a line confirms an address."""
    return says_yes(line, CONFIRMED)


def _ignored(office: Office, row: Incoming, unknown: bool) -> str:
    """Why a mail to such an address does nothing; empty where it may. Who wrote it is not asked."""
    with office.reading() as session:
        facts = Facts(own=is_own(session, row), unknown=unknown, double=is_double(session, row))
    verdict = screen(row.raw, row.sender, facts)
    return verdict.sentence if verdict.fate in ("ignored", "returned") else ""


DOORS: Mapping[str, Door] = {
    "play": reply,
    "stop": _stop,
    "confirm": _confirm,
    "new": new_game_mail.found,
    "nieuw": new_game_mail.found,
    "bounce": returned_mail.bounce,
}
"""What each name before the + is for."""
