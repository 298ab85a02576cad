"""What is so when a letter is to be sent: read from the database here, judged in notifications.py."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple, assert_never

from sqlalchemy import BindParameter, bindparam, exists
from sqlalchemy import select as plain_select
from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.outbox.announcements import PRESSING
from server.outbox.blocks import find_address_block, names_address
from server.outbox.budgets import is_unasked
from server.outbox.letter_details import (
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
)
from server.outbox.letter_traits import SIGN_IN_LINK_VALID, TRAITS, kinds_telling
from server.outbox.notifications import Situation
from server.store.columns import table_of
from server.store.context import Context
from server.store.models import (
    AddressConfirmation,
    BouncingAddress,
    ChatMessage,
    Game,
    OutgoingLetter,
    Player,
    ReadMarker,
    Resignation,
    Seating,
)
from server.store.session_models import SignInLink
from server.store.states import BlockOrigin, GameStatus, LetterState
from server.store.turn_clock import rest_of
from server.store.unasked_models import Proposal
from server.store.work_models import AbsentSeat, OfferedSeat
from server.time_control.turn_time import after_protected

NUDGE_WAITS = timedelta(hours=6)
"""How long a nudge waits at most until its reader is there: six hours, as its answer says."""
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
    """What decides whether a letter is still wanted; `unheard`: the last message that was not told yet."""
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
        told_since=marks.told_since,  # as when a relay was away
    )


class _Marks(NamedTuple):
    """What is noted of the seat of a letter and of the address to which it would go."""

    bouncing: bool
    """Whether the address is marked as one from which letters come back."""
    resigned: bool
    kept: bool
    told_since: bool
    """Whether a letter that tells this one has gone to its seat since."""
    blocked: bool
    """Whether the address is blocked at all, by whomever."""


def _read_marks(session: Session, row: OutgoingLetter) -> _Marks:
    """All in one statement, for every letter has it done twice."""
    given = {"of": row.game, "reader": row.seat, "at": row.recipient.lower(), "after": row.id or 0}
    kinds = kinds_telling(row.kind)
    asked = SELECT_MARKS.add_columns(exists().where(names_address(row.recipient)))
    found = session.execute(asked, given | {"kinds": kinds}).one()
    return _Marks(*map(bool, found))


def _is_pressing(session: Session, row: OutgoingLetter, unheard: int) -> bool:
    """Whether a message that was not told yet, up to number `unheard`, does not wait for the next letter."""
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
    """Whether a letter is not for whoever has its seat now, if anybody has."""
    seating = session.get(Seating, (game.id, row.seat))
    if seating is None or seating.player is None:
        return True
    return game.status == GameStatus.OPEN and row.seq < context.history_of(session, game).player_since(
        row.seat
    )


def _is_void(session: Session, row: OutgoingLetter, content: LetterContent, now: datetime) -> bool:
    """Whether what a letter is about is there no more."""
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
        case VoteDetail():  # `_is_vote_over` judges it
            return False
        case _:
            assert_never(content)


def _is_nudge_stale(session: Session, row: OutgoingLetter, now: datetime) -> bool:
    """Whether a nudge has waited for long, or its reader rests or is away."""
    resting = rest_of(session, session.get_one(Game, row.game), now)
    return row.queued_at < now - NUDGE_WAITS or after_protected(now, resting) > now


def _is_vote_over(
    context: Context, session: Session, game: Game, row: OutgoingLetter, content: LetterContent
) -> bool:
    """Whether a letter asks for what is not voted on any more, or what its reader has answered."""
    if not isinstance(content, VoteDetail):
        return False
    if content.vote is None:
        return True
    vote = context.history_of(session, game).agreements.votes.get((content.vote, None))
    return vote is None or vote.done != content.done or row.seat in vote.answers


def is_blocked(session: Session, row: OutgoingLetter) -> bool:
    """Whether nothing is sent to the address of a letter: what its reader has asked for they still get.

    A stranger has asked for nothing but answers: a game that was begun for them is none.
    """
    origin = find_address_block(session, row.recipient)
    if origin is not BlockOrigin.READER:
        return origin is BlockOrigin.OPERATOR
    return is_unasked(session, row.message_id) or (
        not TRAITS[row.kind].answers_mail and _is_for_stranger(session, row)
    )


def _is_for_stranger(session: Session, row: OutgoingLetter) -> bool:
    confirmed = select(Player.confirmed_at).join(Seating, col(Seating.player) == Player.id)
    confirmed = confirmed.where(Seating.game == row.game, Seating.seat == row.seat)
    return session.exec(confirmed).first() is None
