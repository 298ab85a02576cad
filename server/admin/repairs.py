"""Mails that are read again, and letters that are sent again, as the operator asks.

A mail is read as if it had just come in: what it may do follows from the position of now and from the seal in
its address. What was done already is not done twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import CursorResult, update
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from emails.wording.requests import Request, RequestKind
from server.admin.correspondence import describe_letter
from server.admin.search import LARGEST_NUMBER
from server.outbox.confirmed_players import find_letter_player
from server.outbox.letter_details import ShownDetail
from server.outbox.letter_traits import GAMELESS_KINDS
from server.outbox.notifications import Notification, outcome_of
from server.outbox.unit_of_work import UnitOfWork
from server.store.models import Game, IncomingMail, OutgoingLetter
from server.store.refusals import Refusal, RefusalCode
from server.store.states import GameStatus, Hindrance, LetterState, MailState

MOST_LISTED = 50
READ_AGAIN = (MailState.WAITING, MailState.REFUSED, MailState.IGNORED)
"""Mails with which nothing was done."""


class RepairRefused(Refusal):
    """Something that is not read or sent again."""

    code = RefusalCode.REQUEST


def list_failed_letters(session: Session, now: datetime) -> Iterator[str]:
    """A line for each letter that could not be written or delivered, the latest first, at most so many."""
    failed = select(OutgoingLetter).where(OutgoingLetter.state == LetterState.FAILED)
    found = session.exec(failed.order_by(col(OutgoingLetter.id).desc()).limit(MOST_LISTED + 1)).all()
    for letter in found[:MOST_LISTED]:
        yield f"{describe_letter(letter, now)}, to {letter.recipient}, {letter.queued_at:%Y-%m-%d %H:%M}"
    if len(found) > MOST_LISTED:
        yield f"Only the latest {MOST_LISTED} are listed."


def read_mail_again(unit: UnitOfWork, number: int) -> str:
    """Let a mail be read anew; what was said of it before, as a sentence. Raises `RepairRefused`."""
    mail = unit.session.get(IncomingMail, number) if 0 < number <= LARGEST_NUMBER else None
    if mail is None:
        raise RepairRefused(f"there is no mail {number}: it was deleted, or never came in")
    if mail.state not in READ_AGAIN:
        raise RepairRefused(f"mail {number} is done already ({mail.state}), and is not done twice")
    if mail.raw_mail is None and not mail.raw:
        raise RepairRefused(f"of mail {number} only that it came in is kept, and not what it says")
    same = update(IncomingMail).where(col(IncomingMail.id) == number, col(IncomingMail.state) == mail.state)
    before = mail.why
    waiting = {"state": MailState.WAITING, "why": "", "hindrance": Hindrance.NONE}
    anew = same.values(**waiting, due_at=unit.now, tries=0)
    done = unit.session.execute(anew, execution_options={"synchronize_session": False})
    if not isinstance(done, CursorResult) or done.rowcount != 1:
        raise RepairRefused(f"mail {number} is being read at this moment")
    return f"mail {number} is read again" + (f"; before: {before}" if before else "")


def send_letter_again(unit: UnitOfWork, number: int) -> str:
    """Send a letter that has failed; for one that has left send how the game stands. What was done.

    Raises `RepairRefused`.
    """
    letter = unit.session.get(OutgoingLetter, number) if 0 < number <= LARGEST_NUMBER else None
    if letter is None or not letter.recipient:
        raise RepairRefused(f"there is no letter {number}: it was deleted, or never was")
    match letter.state:
        case LetterState.WAITING:
            return _hurry(unit, letter)
        case LetterState.FAILED:
            return _try_again(unit, letter)
        case LetterState.SENT | LetterState.DROPPED | LetterState.WITHHELD:
            return _tell_anew(unit, letter)


def _hurry(unit: UnitOfWork, letter: OutgoingLetter) -> str:
    """Let a letter that waits be due now, unless somebody is sending it."""
    if letter.tries and not letter.why:
        raise RepairRefused(f"letter {letter.id} is being sent at this moment")
    letter.due_at = min(letter.due_at, unit.now)
    unit.session.flush()
    return f"letter {letter.id} to {letter.recipient} is due now"


def _try_again(unit: UnitOfWork, letter: OutgoingLetter) -> str:
    """Let a letter wait that was given up; it goes to the address that its reader uses now."""
    player = find_letter_player(unit.session, letter)
    if player is not None and letter.kind not in GAMELESS_KINDS:
        letter.recipient = player.address
    letter.sqlmodel_update(outcome_of(None) | {"tries": 0, "due_at": unit.now, "queued_at": unit.now})
    unit.session.flush()
    return f"letter {letter.id} to {letter.recipient} is sent again"


def _tell_anew(unit: UnitOfWork, letter: OutgoingLetter) -> str:
    """Send the reader of a letter how the game stands now: the letter itself would tell of what is past."""
    game = unit.session.get_one(Game, letter.game)
    player = find_letter_player(unit.session, letter)
    if player is None or game.status != GameStatus.RUNNING or letter.kind in GAMELESS_KINDS:
        raise RepairRefused(
            f"letter {letter.id} was not lost on our side ({letter.state}), and there is no game that goes on"
            " of which its reader could be told instead"
        )
    mark = f"again{unit.now.timestamp():.0f}"
    told = Notification(letter.seat, ShownDetail((Request(RequestKind.BOARD),), unasked=True), mark=mark)
    if game.seat == letter.seat:
        told = Notification(letter.seat, LetterKind.YOUR_TURN, mark=mark)
    unit.tell(game, [told])
    return f"letter {letter.id} has been {letter.state}: how {game.id} stands now goes to {player.address}"
