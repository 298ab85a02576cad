"""Notifications of a seat, and whether each is still relevant when it is queued and sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, assert_never

from sqlalchemy import BindParameter, bindparam, exists
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.letters.account_letters import Pace
from emails.letters.kinds import LetterKind
from server.outbox.announcements import PRESSING
from server.outbox.budgets import find_address_block, is_unsolicited, names_address
from server.outbox.letter_kinds import (
    POLICIES,
    SIGN_IN_LINK_VALID,
    AbsenceDetail,
    AnswerDetail,
    AskedBackDetail,
    ConfirmDetail,
    DeclinedDetail,
    InvitationDetail,
    LetterContent,
    MoveAskedDetail,
    MovedDetail,
    NoticeDetail,
    PlanPlayedDetail,
    ProposalDetail,
    RefusedDetail,
    ReminderDetail,
    ReplacedDetail,
    SeatClaimDetail,
    SeatOfferedDetail,
    SeatRefusedDetail,
    ShownDetail,
    SignInDetail,
    StoppedDetail,
    TimePassedDetail,
    VoteDetail,
    kind_of,
    kinds_telling,
)
from server.outbox.preferences import Preferences
from server.store.context import Context
from server.store.models import (
    AbsentSeat,
    AddressConfirmation,
    BouncingAddress,
    ChatMessage,
    Game,
    IncomingMail,
    OfferedSeat,
    OutgoingLetter,
    Player,
    Proposal,
    ReadMarker,
    Resignation,
    Seating,
    SignInLink,
    table_of,
)
from server.store.states import BlockOrigin, GameStatus, Hindrance, LetterState
from server.store.turn_clock import rest_of
from server.time_control.turn_time import after_protected


@dataclass(frozen=True, slots=True)
class Notification:
    """An occasion for a letter to one seat."""

    seat: int
    content: LetterContent
    mail: IncomingMail | None = None
    mark: str = ""
    """Mark that distinguishes the letter from others of its kind about one act."""
    recipient: str = ""
    """Recipient's address; empty for the player's stored address."""
    later: timedelta = timedelta(0)
    answered: str = ""
    """Subject of the letter that the mail answers; empty if unknown."""
    asked: bool | None = None
    """Whether the recipient requested the letter; None: depends on its kind."""

    pressing: bool = False
    """True for a message that gets a letter of its own, whatever the recipient's preferences."""

    @property
    def kind(self) -> LetterKind:
        return kind_of(self.content)

    @property
    def is_unsolicited(self) -> bool:
        return POLICIES[self.kind].unasked if self.asked is None else not self.asked


class DropReason(StrEnum):
    """Reasons why a letter is not sent, as shown to the operator."""

    OUTDATED = "its occasion has passed"
    TOLD_ELSEWHERE = "another letter contains it"
    NO_LETTERS = "its recipient wants no letters"
    BOUNCES = "letters to its recipient are returned"
    RESIGNED = "its recipient has resigned"
    BLOCKED = "its recipient is blocked"
    READER_FULL = "its recipient's limit of unsolicited letters is reached"
    ORIGIN_FULL = "its origin's limit of unsolicited letters is reached"

    @property
    def state(self) -> LetterState:
        return LetterState.WITHHELD if self is DropReason.NO_LETTERS else LetterState.DROPPED

    @property
    def hindrance(self) -> Hindrance:
        barred = (DropReason.BLOCKED, DropReason.READER_FULL, DropReason.ORIGIN_FULL)
        return Hindrance.BARRED if self in barred else Hindrance.NONE


def outcome_of(reason: DropReason | None) -> dict[str, object]:
    """Return the column values of a letter that is dropped for a reason, or (None) waits."""
    if reason is None:
        return {"state": LetterState.WAITING, "why": "", "hindrance": Hindrance.NONE}
    return {"state": reason.state, "why": reason, "hindrance": reason.hindrance}


@dataclass(frozen=True, slots=True)
class Situation:
    """Facts that decide whether a letter is relevant.

    The defaults apply when the letter is queued, since its occasion cannot have passed yet.
    """

    status: GameStatus
    mover: bool = False
    moved_on: bool = False
    """Whether the position has changed since the letter's act."""
    void: bool = False
    """Whether the letter's subject no longer exists, such as an invitation, a code or a vacant seat."""
    bouncing: bool = False
    resigned: bool = False
    kept: bool = False
    """Whether a caretaker plays for the recipient."""
    unheard: bool = True
    """Whether there are messages that no letter has contained."""
    pressing: bool = False
    """Whether one of these messages is pressing."""
    told_since: bool = False
    blocked: bool = False


OutdatedTest = Callable[[Preferences, Situation], bool]


def _is_turn_over(_: Preferences, now: Situation) -> bool:
    return now.status != GameStatus.RUNNING or now.moved_on or (now.mover and now.kept)


def _has_begun(_: Preferences, now: Situation) -> bool:
    return now.status != GameStatus.OPEN


def _is_no_news(preferences: Preferences, now: Situation) -> bool:
    wanted = preferences.moves and preferences.pace != Pace.DAILY  # the daily letter shows it
    return now.status != GameStatus.RUNNING or now.mover or not wanted


def _stands_in_next_letter(preferences: Preferences, now: Situation) -> bool:
    if now.status == GameStatus.OVER:  # there is no next letter
        return not now.unheard
    wanted = preferences.messages or now.pressing
    return not (now.unheard and wanted and now.status == GameStatus.RUNNING)


OUTDATED_WHEN: Mapping[LetterKind, OutdatedTest] = {
    LetterKind.INVITATION: _has_begun,
    LetterKind.ACCEPTED: _has_begun,
    LetterKind.DECLINED: _has_begun,
    LetterKind.PROPOSAL: lambda _, now: now.status != GameStatus.PROPOSED,
    LetterKind.WELCOME: lambda _, now: now.status == GameStatus.OVER,
    LetterKind.SUBSTITUTE: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.STEP: _is_turn_over,
    LetterKind.YOUR_TURN: _is_turn_over,
    LetterKind.REMINDER: _is_turn_over,
    LetterKind.NEWS: _is_no_news,
    LetterKind.MESSAGE: _stands_in_next_letter,
    LetterKind.DIGEST: lambda preferences, now: (
        now.status != GameStatus.RUNNING or preferences.pace != Pace.DAILY
    ),
    LetterKind.ABSENCE: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.SEAT_OFFERED: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.VOTE: lambda _, now: now.status != GameStatus.RUNNING,
    LetterKind.STOPPED: lambda preferences, now: preferences.letters or now.status == GameStatus.PROPOSED,
}
"""Tests whether a letter of a kind is obsolete; other kinds never become obsolete by themselves."""


def reason_to_drop(kind: LetterKind, preferences: Preferences, now: Situation) -> DropReason | None:
    policy, outdated = POLICIES[kind], OUTDATED_WHEN.get(kind)
    if now.blocked:
        return DropReason.BLOCKED
    if not (preferences.letters or policy.despite_unsubscribe):
        return DropReason.NO_LETTERS
    if now.bouncing and not policy.despite_bounce:
        return DropReason.BOUNCES
    if now.resigned and now.status == GameStatus.RUNNING and not policy.despite_unsubscribe:
        return DropReason.RESIGNED
    if now.void or (outdated is not None and outdated(preferences, now)):
        return DropReason.OUTDATED
    return DropReason.TOLD_ELSEWHERE if now.told_since else None


NUDGE_WAITS = timedelta(hours=12)
"""Maximum time for which a nudge waits, as its answer says; longer than a night."""
SEATINGS, FAILING = table_of(Seating).c, table_of(BouncingAddress).c
RESIGNED, ABSENT = table_of(Resignation).c, table_of(AbsentSeat).c
LETTERS = table_of(OutgoingLetter).c
GAME: BindParameter[str] = bindparam("of")
READER: BindParameter[int] = bindparam("reader")
IS_BOUNCING = (
    exists()
    .where(SEATINGS.game == GAME, SEATINGS.seat == READER, FAILING.player == SEATINGS.player)
    .where(FAILING.address == bindparam("at"), FAILING.ended_at.is_(None))
)
HAS_GOT_SINCE = exists().where(
    LETTERS.game == GAME,
    LETTERS.seat == READER,
    LETTERS.state == LetterState.SENT,
    LETTERS.kind.in_(bindparam("kinds", expanding=True)),
    LETTERS.id > bindparam("after"),
)
SELECT_MARKS = plain_select(
    IS_BOUNCING,
    exists().where(RESIGNED.game == GAME, RESIGNED.seat == READER),
    exists().where(ABSENT.game == GAME, ABSENT.seat == READER),
    HAS_GOT_SINCE,
)


def load_situation(
    context: Context,
    session: Session,
    game: Game,
    row: OutgoingLetter,
    content: LetterContent,
    unheard: int,
    now: datetime,
) -> Situation:
    """Load the facts that decide whether a letter is relevant; `unheard`: id of the last unread message."""
    marks = _read_marks(session, row)
    return Situation(
        status=game.status,
        mover=game.seat == row.seat,
        moved_on=game.after != row.seq,
        void=(not isinstance(content, SeatRefusedDetail) and _has_seat_changed(context, session, game, row))
        or _is_void(session, row, content, now)
        or _is_vote_over(context, session, game, row, content),
        bouncing=marks.bouncing,
        resigned=marks.resigned,
        kept=marks.kept,
        unheard=unheard > 0,
        pressing=row.kind == LetterKind.MESSAGE and _is_pressing(session, row, unheard),
        blocked=marks.blocked and is_blocked(session, row),
        told_since=marks.told_since,  # for example while the relay was unavailable
    )


class _Marks(NamedTuple):
    """Stored facts about the seat and the address of a letter."""

    bouncing: bool
    resigned: bool
    kept: bool
    told_since: bool
    blocked: bool
    """Whether the address is blocked by any origin."""


def _read_marks(session: Session, row: OutgoingLetter) -> _Marks:
    """Read all facts in one statement, since this runs twice for every letter."""
    given = {"of": row.game, "reader": row.seat, "at": row.recipient.lower(), "after": row.id or 0}
    kinds = kinds_telling(row.kind)
    asked = SELECT_MARKS.add_columns(exists().where(names_address(row.recipient)))
    found = session.execute(asked, given | {"kinds": kinds}).one()
    return _Marks(*map(bool, found))


def _is_pressing(session: Session, row: OutgoingLetter, unheard: int) -> bool:
    told = select(ReadMarker.message).where(ReadMarker.game == row.game, ReadMarker.seat == row.seat)
    said = select(ChatMessage.id).where(
        ChatMessage.game == row.game,
        ChatMessage.addressee == row.seat,
        col(ChatMessage.announcement).in_(PRESSING),
        col(ChatMessage.id) <= unheard,
        col(ChatMessage.id) > (session.exec(told).first() or 0),
    )
    return session.exec(said.limit(1)).first() is not None


def _has_seat_changed(context: Context, session: Session, game: Game, row: OutgoingLetter) -> bool:
    seating = session.get(Seating, (game.id, row.seat))
    if seating is None or seating.player is None:
        return True
    return game.status == GameStatus.OPEN and row.seq < context.history_of(session, game).player_since(
        row.seat
    )


def _is_void(session: Session, row: OutgoingLetter, content: LetterContent, now: datetime) -> bool:
    match content:
        case InvitationDetail():
            return session.get_one(Seating, (row.game, row.seat)).accepted_at is not None
        case LetterKind.CALLED_OFF:
            return session.get_one(Seating, (row.game, row.seat)).accepted_at is None
        case AbsenceDetail():
            return session.get(AbsentSeat, (row.game, row.seat)) is None
        case SeatOfferedDetail(seat=seat):
            return session.get(OfferedSeat, (row.game, seat)) is None
        case ProposalDetail():
            made = session.get(Proposal, row.game)
            return made is None or bool(made.replaced_by)
        case DeclinedDetail(seat=seat):
            left = session.get_one(Seating, (row.game, seat))
            return left.player is not None or left.house
        case ConfirmDetail(digest=digest) | MoveAskedDetail(digest=digest) | MovedDetail(digest=digest):
            return bool(digest) and session.get(AddressConfirmation, digest) is None
        case SignInDetail(digest=digest) | SeatClaimDetail(digest=digest):
            return row.queued_at <= now - SIGN_IN_LINK_VALID or session.get(SignInLink, digest) is None
        case LetterKind.ACCEPTED | LetterKind.WELCOME | LetterKind.SUBSTITUTE | LetterKind.GAME_OVER:
            return False
        case (
            LetterKind.YOUR_TURN | LetterKind.STEP | LetterKind.NEWS | LetterKind.MESSAGE | LetterKind.DIGEST
        ):
            return False
        case AnswerDetail() | RefusedDetail() | ShownDetail() | AskedBackDetail():
            return False
        case ReminderDetail(asked_by=asker):
            return asker is not None and _is_nudge_stale(session, row, now)
        case TimePassedDetail() | PlanPlayedDetail() | StoppedDetail():
            return False
        case NoticeDetail() | ReplacedDetail() | SeatRefusedDetail():
            return False
        case VoteDetail():  # see `_is_vote_over`
            return False
        case _:
            assert_never(content)


def _is_nudge_stale(session: Session, row: OutgoingLetter, now: datetime) -> bool:
    resting = rest_of(session, session.get_one(Game, row.game), now)
    return row.queued_at < now - NUDGE_WAITS or after_protected(now, resting) > now


def _is_vote_over(
    context: Context, session: Session, game: Game, row: OutgoingLetter, content: LetterContent
) -> bool:
    if not isinstance(content, VoteDetail):
        return False
    if content.vote is None:
        return True
    vote = context.history_of(session, game).agreements.votes.get((content.vote, None))
    return vote is None or vote.done != content.done or row.seat in vote.answers


def is_blocked(session: Session, row: OutgoingLetter) -> bool:
    """Return whether the address of a letter is blocked; letters that the recipient requested are still sent.

    A player who never confirmed has requested only answers to mails, not even the game.
    """
    origin = find_address_block(session, row.recipient)
    if origin is not BlockOrigin.READER:
        return origin is BlockOrigin.OPERATOR
    return is_unsolicited(session, row.message_id) or (
        not POLICIES[row.kind].answers_mail and _is_for_stranger(session, row)
    )


def _is_for_stranger(session: Session, row: OutgoingLetter) -> bool:
    confirmed = select(Player.confirmed_at).join(Seating, col(Seating.player) == Player.id)
    confirmed = confirmed.where(Seating.game == row.game, Seating.seat == row.seat)
    return session.exec(confirmed).first() is None
