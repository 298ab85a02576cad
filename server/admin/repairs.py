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
from server.outbox.blocks import find_address_block, find_banned_domain
from server.outbox.chat import last_unread_number
from server.outbox.confirmed_players import find_letter_player
from server.outbox.letter_details import LetterContent, ShownDetail, decode_content, kind_of
from server.outbox.letter_traits import GAMELESS_KINDS
from server.outbox.notifications import DropReason, Notification, outcome_of, reason_to_drop
from server.outbox.preferences import DEFAULTS
from server.outbox.queue import load_people
from server.outbox.situations import load_situation
from server.outbox.unit_of_work import UnitOfWork
from server.store.models import Game, IncomingMail, OutgoingLetter
from server.store.refusals import Refusal, RefusalCode
from server.store.states import BlockOrigin, GameStatus, Hindrance, LetterState, MailState

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
    """Let a letter wait that was given up; it goes to the address that its reader uses now.

    Where it would be dropped there, its reader gets how the game stands, if that letter leaves.
    """
    player = find_letter_player(unit.session, letter)
    moved = player is not None and letter.kind not in GAMELESS_KINDS
    address = player.address if player is not None and moved else letter.recipient
    try:
        content = decode_content(letter.kind, letter.detail)
    except ValueError as error:
        raise RepairRefused(f"what letter {letter.id} is to say cannot be read any more") from error
    reason = _find_drop_reason(unit, OutgoingLetter(**letter.model_dump() | {"recipient": address}), content)
    if reason is not None:
        return _tell_anew(unit, letter, reason)
    letter.recipient = address
    letter.sqlmodel_update(outcome_of(None) | {"tries": 0, "due_at": unit.now, "queued_at": unit.now})
    unit.session.flush()
    return f"letter {letter.id} to {letter.recipient} is sent again"


def _tell_anew(unit: UnitOfWork, letter: OutgoingLetter, reason: DropReason | None = None) -> str:
    """Send the reader of a letter how the game stands now: the letter itself would tell of what is past.

    `reason`: why the letter itself, which has failed, cannot be sent again. Raises `RepairRefused`.
    """
    game = unit.session.get_one(Game, letter.game)
    player = find_letter_player(unit.session, letter)
    if player is None or game.status != GameStatus.RUNNING or letter.kind in GAMELESS_KINDS:
        if reason is not None:
            raise RepairRefused(_explain(unit, letter, letter.recipient, reason))
        raise RepairRefused(
            f"letter {letter.id} was not lost on our side ({letter.state}), and there is no game that goes on"
            " of which its reader could be told instead"
        )
    content: LetterContent = ShownDetail((Request(RequestKind.BOARD),), unasked=True)
    if game.seat == letter.seat:
        content = LetterKind.YOUR_TURN
    new = {"id": LARGEST_NUMBER, "message_id": "", "seq": game.after, "kind": kind_of(content)}
    told = OutgoingLetter(**letter.model_dump() | new | {"recipient": player.address})
    hindered = _find_drop_reason(unit, told, content)
    if hindered is not None:
        raise RepairRefused(_explain(unit, letter, player.address, hindered))
    unit.tell(game, [Notification(letter.seat, content, mark=f"again{unit.now.timestamp():.0f}")])
    fate = f"has been {letter.state}" if reason is None else f"would not leave again ({reason})"
    return f"letter {letter.id} {fate}: how {game.id} stands now goes to {player.address}"


def _find_drop_reason(unit: UnitOfWork, row: OutgoingLetter, content: LetterContent) -> DropReason | None:
    """Why a letter would be dropped if it were due now; None where it leaves. It need not be stored."""
    session, game = unit.session, unit.session.get_one(Game, row.game)
    reader = load_people(session, game.id).get(row.seat)
    preferences = DEFAULTS if reader is None else reader.preferences
    unheard = last_unread_number(session, game.id, row.seat)
    situation = load_situation(unit.context, session, game, row, content, unheard, unit.now)
    return reason_to_drop(row.kind, preferences, situation)


def _explain(unit: UnitOfWork, letter: OutgoingLetter, address: str, reason: DropReason) -> str:
    """Why nothing would leave for a letter, and what can be done about it."""
    match reason:
        case DropReason.BOUNCES:
            return (
                f"letter {letter.id} would not leave: letters to {address} come back, so only those that say"
                " that it is their turn are tried; a mail from there ends that, as a button does on the page"
                f" of their settings, and `alexandros address {address} NEW` asks another address"
            )
        case DropReason.BLOCKED if find_address_block(unit.session, address) is BlockOrigin.OPERATOR:
            banned = find_banned_domain(unit.session, address) or address
            return f"nothing is sent to {address}: it is banned, which `alexandros allow {banned}` ends"
        case DropReason.BLOCKED:
            return f"nothing is sent to {address}: its reader wants no letters that they have not asked for"
        case _:
            return f"letter {letter.id} to {address} would not leave: {reason}"
