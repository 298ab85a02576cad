"""What is so when a letter is to be sent: read from the database here, judged in notifications.py."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from emails.letters.kinds import LetterKind
from server.outbox.announcements import PRESSING
from server.outbox.blocks import find_address_block
from server.outbox.budgets import is_unasked
from server.outbox.gameless_details import ConfirmDetail, MoveAskedDetail, MovedDetail, SignInDetail
from server.outbox.letter_details import (
    AbsenceDetail,
    DeclinedDetail,
    InvitationDetail,
    LetterContent,
    MotionDetail,
    ProposalDetail,
    SeatOfferedDetail,
)
from server.outbox.letter_traits import SIGN_IN_LINK_VALID, TRAITS, kinds_telling
from server.outbox.notifications import Situation
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
from server.store.unasked_models import Proposal
from server.store.work_models import AbsentSeat, OfferedSeat


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
    return Situation(
        status=GameStatus(game.status),
        mover=game.seat == row.seat,
        moved_on=game.after != row.seq,
        void=_has_seat_changed(context, session, game, row)
        or _is_void(session, row, content, now)
        or _is_motion_over(context, session, game, row, content, now),
        bouncing=_is_bouncing(session, row),
        resigned=session.get(Resignation, (game.id, row.seat)) is not None,
        kept=session.get(AbsentSeat, (game.id, row.seat)) is not None,
        unheard=unheard > 0,
        pressing=row.kind == LetterKind.MESSAGE and _is_pressing(session, row, unheard),
        blocked=is_blocked(session, row),
        told_since=_has_got(session, row, kinds_telling(row.kind), row.id or 0),  # as when a relay was away,
    )


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
        case SignInDetail(digest=digest):
            return row.queued_at <= now - SIGN_IN_LINK_VALID or session.get(SignInLink, digest) is None
        case _:
            return False


def _is_motion_over(
    context: Context, session: Session, game: Game, row: OutgoingLetter, content: LetterContent, now: datetime
) -> bool:
    """Whether a letter asks for what is asked no more, or what its reader has agreed to."""
    if not isinstance(content, MotionDetail):
        return False
    history, terms = context.history_of(session, game), content.terms
    if terms.without is not None and not history.is_vacant(terms.without):
        return True
    motion = history.accord.open_motion(content.motion, game.turn, now, terms)
    return motion is None or motion.terms != terms or row.seat in motion.agreed


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


def _is_bouncing(session: Session, row: OutgoingLetter) -> bool:
    """Whether the address to which a letter would go is marked as one from which letters come back."""
    mark = (
        select(BouncingAddress.since)
        .join(Seating, col(Seating.player) == BouncingAddress.player)
        .where(Seating.game == row.game, Seating.seat == row.seat)
        .where(BouncingAddress.address == row.recipient.lower(), col(BouncingAddress.ended_at).is_(None))
    )
    return session.exec(mark).first() is not None


def _has_got(session: Session, row: OutgoingLetter, kinds: Sequence[LetterKind], after: int = 0) -> bool:
    """Whether a letter of one of these kinds has gone to the seat of this one, of those after a number."""
    chosen = select(OutgoingLetter.id).where(OutgoingLetter.state == LetterState.SENT)
    chosen = chosen.where(OutgoingLetter.game == row.game, OutgoingLetter.seat == row.seat)
    chosen = chosen.where(col(OutgoingLetter.kind).in_(kinds), col(OutgoingLetter.id) > after)
    return bool(kinds) and session.exec(chosen).first() is not None
