"""The time for a turn: it begins when its player can know of it, and what is nobody's is not counted.

In a game with a limit `turn_began_at` and `deadline` are empty from the act that passes the turn until the
letter that tells it has left, or its player has it before them on a page, or acts there. A clock that runs
has a deadline: when the time is over that the game and its player's bank give for the turn, without what the
player's availability protects. One that was stopped has what was left then, and no deadline. How long that
is, and what a turn is charged, is worked out by server/time_control.

What is protected goes from `turn_began_at` on, and only so long. So whatever gives back time that was
nobody's (a server that was down, a relay that was away, a halt) moves that too; what others give and what a
player asks for does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time, timedelta

from sqlalchemy import and_, func, literal, not_, or_, update
from sqlmodel import Session, col, select

from emails.terms import TurnTime
from emails.wording.deadlines import ReserveLeft
from engine.events import GameStarted, TurnOver
from server.store.dialects.expressions import hexed, is_within, moved, moved_by_gap
from server.store.event_log import History
from server.store.models import Act, Game, Seating, UTCDateTime, read_id
from server.store.schedule import AT_ONCE, execute_update, read_moment, write_moment
from server.store.states import GameStatus, MomentName
from server.store.stored_availability import (
    LONGEST_FREE_AFTER,
    DailyRest,
    StoredVacation,
    load_people_of,
    load_seat_availability,
    unavailable_spans_from,
    unavailable_spans_of,
)
from server.time_control.availability import MORNING, NIGHT_ENDS, Availability, Span, holds_rest, night_of
from server.time_control.turn_time import (
    NO_TIME,
    TimeControl,
    UnavailableSpans,
    add_counted,
    after_protected,
    always_available,
    count_back,
    count_time,
    deadline_after_loss,
    list_reminders,
    passed_marks,
    with_night,
    within_turn,
)

LETTER_ON_ITS_WAY = timedelta(minutes=2)
"""After an act: a letter that has not left by then waits for something."""
LEAST_ABSENCE = timedelta(minutes=1)
"""How long a relay or a mailbox is away at least before the time of turns stands still for it."""
ABSENCES: Mapping[MomentName, str] = {
    MomentName.RELAY_AWAY: "the relay takes no letters",
    MomentName.MAILBOX_AWAY: "the mailbox in which mail comes in cannot be read",
}
"""What no turn loses time for, and how the operator is told of it."""
PUT_OFF_WHILE_AWAY = timedelta(minutes=1)
"""How long a game that is due is not looked at again while no turn may end."""
SECONDS_IN_MINUTE = 60
WELCOMED = 1 << 10
"""Beside the marks of reminders: its player was told on their first day home that the turn is theirs."""
MOVED = ("turn_began_at", "deadline", "due_at")


def control_of(game: Game) -> TimeControl:
    """The time control of a game."""
    return TimeControl.of(turn_time_of(game))


def turn_time_of(game: Game) -> TurnTime:
    """The same as it is told."""
    return TurnTime(game.turn_minutes, game.bank_minutes, game.refill_minutes)


def whole_time(game: Game) -> timedelta:
    """The time for the turn of now: that of every turn, and what was in its player's bank when it came."""
    return control_of(game).grace + timedelta(seconds=game.bank_left)


def longest_turn(game: Game, history: History, seat: int) -> timedelta:
    """How much time a turn of a seat has that begins now."""
    return timedelta(minutes=game.turn_minutes, seconds=bank_of(game, history, seat))


def bank_of(game: Game, history: History, seat: int) -> int:
    """The seconds that are in the bank of a seat by what was done."""
    return history.banks.get(seat, game.bank_minutes * SECONDS_IN_MINUTE)


def protection_of(game: Game, unavailable: UnavailableSpans, at: datetime) -> UnavailableSpans:
    """What is protected of the turn of now, or of one that begins then, by its player's availability."""
    return within_turn(unavailable, game.turn_began_at or at)


def time_left(game: Game, at: datetime, unavailable: UnavailableSpans = always_available) -> timedelta:
    """What is left of the turn of now at a moment; or while its clock stands, or has not begun to run."""
    if game.deadline is not None:
        return count_time(at, game.deadline, protection_of(game, unavailable, at))
    return whole_time(game) if game.time_left is None else timedelta(seconds=game.time_left)


def run_clock(
    game: Game, left: timedelta, at: datetime, unavailable: UnavailableSpans = always_available
) -> None:
    """Let a turn have so much time left at a moment, from which on its clock runs."""
    game.turn_began_at = game.turn_began_at or at
    game.deadline, game.time_left = add_counted(at, left, protection_of(game, unavailable, at)), None


def remind_again(game: Game, at: datetime, unavailable: UnavailableSpans) -> None:
    """Let those reminders of a turn come again that are ahead of it now that it has more time."""
    if game.reminded and game.deadline is not None:
        protected = protection_of(game, unavailable, at)
        reminders = list_reminders(whole_time(game), game.deadline, protected, protected)
        game.reminded &= passed_marks(reminders, at) | WELCOMED


def counted_until(session: Session, game: Game, now: datetime) -> datetime:
    """Up to when the time of the turn of now is counted: during an absence, until that began."""
    away = absent_since(session)
    return now if away is None else min(now, max(away, game.turn_began_at or away))


def leave_halt_uncounted(game: Game, halt: Span) -> None:
    """Let a turn have begun later by as much of a halt as lies in it, at whose end its clock runs again."""
    if game.turn_began_at is not None:
        game.turn_began_at += max(halt[1] - max(halt[0], game.turn_began_at), NO_TIME)


def stop_clock(game: Game, at: datetime, unavailable: UnavailableSpans = always_available) -> None:
    """Let the clock of a turn stand, which keeps what it has left; one that has not begun begins so later."""
    if game.deadline is not None:
        game.time_left = int(time_left(game, at, unavailable).total_seconds())
    game.deadline = None


def bank_after_turn(
    game: Game, now: datetime, unavailable: UnavailableSpans = always_available, *, by_player: bool = True
) -> timedelta:
    """What the bank of whoever is to move holds if their turn ends now; it refills if they have ended it."""
    before, left = timedelta(seconds=game.bank_left), time_left(game, now, unavailable)
    return control_of(game).bank_after(before, left, by_player=by_player)


def begin_turn_clock(session: Session, game: str, seat: int | None, turn: int, at: datetime) -> bool:
    """Let the time for a turn begin; whether that is new. No commit.

    Nothing happens where nobody is to move, where it has begun, where its clock is stopped, and where the
    turn has passed.
    """
    if seat is None:
        return False
    same = (Game.id == game, Game.seat == seat, Game.turn == turn, Game.status == GameStatus.RUNNING)
    halts = Game.turn_began_at, Game.suspended_at, Game.paused_at
    not_begun = [col(one).is_(None) for one in halts]
    found = session.exec(select(Game.turn_minutes, Game.bank_left).where(*same, *not_begun)).first()
    if found is None or not found[0]:
        return False
    whole = timedelta(minutes=found[0], seconds=found[1])
    deadline = add_counted(at, whole, within_turn(unavailable_spans_of(session, game, seat), at))
    begun = {"turn_began_at": at, "deadline": deadline, "due_at": AT_ONCE}
    session.execute(update(Game).where(col(Game.id) == game).values(begun))
    return True


def is_awaiting_letter(game: Game) -> bool:
    """Whether the time for the turn has not begun, since the letter that tells it has not left."""
    has_clock = game.status == GameStatus.RUNNING and game.turn_minutes and game.suspended_at is None
    return bool(has_clock) and game.paused_at is None and game.turn_began_at is None


def rest_of(session: Session, game: Game, at: datetime) -> UnavailableSpans:
    """When the player to move is not to be disturbed: what their availability protects, and their nights."""
    availability = load_seat_availability(session, game.id, game.seat)
    if availability is None:
        return always_available
    return _rest_from(game, availability, game.turn_began_at or at, NIGHT_ENDS)


def _rest_from(game: Game, availability: Availability, began: datetime, night_ends: time) -> UnavailableSpans:
    """What is protected of a turn that began then, and the nights of its player if they hold in the game."""
    protected = within_turn(unavailable_spans_from(availability), began)
    if not holds_rest(game.turn_minutes):
        return protected
    return with_night(protected, unavailable_spans_from(night_of(availability, night_ends)))


def leave_night(game: Game, availability: Availability, deadline: datetime, began: datetime) -> datetime:
    """A deadline of a turn that began then, or where it falls into a night or an absence the end of that."""
    return after_protected(deadline, _rest_from(game, availability, began, MORNING))


def find_deadline(
    session: Session, game: Game, now: datetime, begins: datetime | None = None
) -> datetime | None:
    """The deadline of a turn that counts and is told; None where no time runs, or nobody is to move.

    One in a night or an absence moves to its end. Time is not counted anew for that: availability holds from
    when it was told on. While mail is down it is what it would be if that ended now.

    `begins`: when the time of a turn begins that has not begun; without it such a turn has no deadline.
    """
    mover = load_seat_availability(session, game.id, game.seat)
    return _find_deadline(game, mover, now, absent_since(session), begins)


def shown_deadlines(session: Session, games: Sequence[Game], now: datetime) -> list[datetime | None]:
    """The deadlines of games as pages show them: while a letter is only on its way, what it will name."""
    away, people = absent_since(session), load_people_of(session, [game.id for game in games], now)
    found = []
    for game in games:
        mover = None if game.seat is None else people[game.id].get(game.seat)
        found.append(_find_deadline(game, mover, now, away, _expect_start(session, game, now)))
    return found


def shown_deadline(session: Session, game: Game, now: datetime) -> datetime | None:
    """The same of one game."""
    return shown_deadlines(session, [game], now)[0]


def _expect_start(session: Session, game: Game, now: datetime) -> datetime | None:
    """When the time of a turn begins whose letter is only on its way; None where it waits for something."""
    passed = session.get(Act, (game.id, game.after)) if is_awaiting_letter(game) else None
    at = None if passed is None else min(datetime.fromisoformat(passed.at), now)
    return at if at is not None and now - at < LETTER_ON_ITS_WAY else None


def _find_deadline(
    game: Game, mover: Availability | None, now: datetime, away: datetime | None, begins: datetime | None
) -> datetime | None:
    if mover is None:
        return None
    counted = _count_deadline(game, unavailable_spans_from(mover), now, away, begins)
    began = game.turn_began_at or begins
    return None if counted is None or began is None else leave_night(game, mover, counted, began)


def _count_deadline(
    game: Game,
    unavailable: UnavailableSpans,
    now: datetime,
    away: datetime | None,
    begins: datetime | None,
) -> datetime | None:
    """When the time of a turn has been counted, as if an absence that lasts since `away` ended now."""
    if is_awaiting_letter(game):
        whole = whole_time(game)
        return None if begins is None else add_counted(begins, whole, within_turn(unavailable, begins))
    if game.deadline is None or away is None or now - away < LEAST_ABSENCE:
        return game.deadline
    return deadline_after_loss(game.deadline, (away, now), game.turn_began_at or away, unavailable)


def find_reserve(
    session: Session, game: Game, deadline: datetime | None, now: datetime
) -> ReserveLeft | None:
    """The reserve of whoever is to move as their clock counts it; None where they have none, or no time runs.

    It goes last: what is counted until the deadline is that.
    """
    unavailable = unavailable_spans_of(session, game.id, game.seat)
    counted = _count_deadline(game, unavailable, now, absent_since(session), now)
    if deadline is None or counted is None or not game.bank_left:
        return None
    protected = protection_of(game, unavailable, now)
    whole = timedelta(seconds=game.bank_left)
    left = min(whole, count_time(now, counted, protected))
    return ReserveLeft(whole, count_back(counted, whole, protected), left)


def find_turn_start(session: Session, game: Game, history: History) -> datetime | None:
    """When the act was accepted that passed the turn which goes on; None before the game and after it.

    All may know it, as they may not know when its time began: then its player has seen it.
    """
    if game.status != GameStatus.RUNNING:
        return None
    passed = (seq for seq, event in reversed(history.events) if isinstance(event, TurnOver | GameStarted))
    number = next(passed, game.after)
    if number == history.after and history.after_at:
        return datetime.fromisoformat(history.after_at)
    act = session.get(Act, (game.id, number))
    return None if act is None else datetime.fromisoformat(act.at)


def follow_clocks(session: Session, by: timedelta, newer: Span) -> None:
    """Move the time of all turns whose clock runs as the wall clock was set; not of newer ones. No commit.

    Whoever protects time of theirs has as much left as before, by the hours that the clock shows now.
    """
    now = newer[1]
    by_availability = _deadlines_by_availability(session, (now - by, now), but=newer)
    shift_clocks(session, by, but=newer)
    _store_deadlines(session, by_availability)


def shift_clocks(session: Session, by: timedelta, but: Span | None = None) -> None:
    """Move the time of all turns whose clock runs; not of those begun within a span. No commit."""
    running = update(Game).where(col(Game.deadline).is_not(None))
    if but is not None:
        running = running.where(not_(is_within(col(Game.turn_began_at), but)))
    execute_update(session, running.values({name: moved(getattr(Game, name), by) for name in MOVED}))


def give_back(session: Session, lost: Span, least: timedelta = NO_TIME) -> None:
    """Give all turns a span of time in which nobody could play. No commit.

    A turn that has begun in it has its whole time from its end on, and what others gave to it. No row is
    read but of turns whose players protect time of theirs, of which so much at `least` is left, and none
    that cannot be read holds up the others.
    """
    since, until = lost
    by_availability = _deadlines_by_availability(session, lost, least)
    begun = update(Game).where(col(Game.deadline).is_not(None), is_within(col(Game.turn_began_at), lost))
    ends = literal(until, UTCDateTime)
    whole = func.coalesce(moved_by_gap(Game.deadline, Game.turn_began_at, ends), col(Game.deadline))
    execute_update(session, begun.values(turn_began_at=until, deadline=whole, due_at=AT_ONCE))
    shift_clocks(session, until - since, but=lost)  # those have begun at its end, which is in the span
    _store_deadlines(session, by_availability)


def _store_deadlines(session: Session, found: list[tuple[str, datetime]]) -> None:
    for game, deadline in found:  # which may lie before the moment at which the game was to be looked at
        own = update(Game).where(col(Game.id) == game)
        execute_update(session, own.values(deadline=deadline, due_at=AT_ONCE))


def _deadlines_by_availability(
    session: Session, lost: Span, least: timedelta = NO_TIME, but: Span | None = None
) -> list[tuple[str, datetime]]:
    """The deadlines, after a span that was nobody's, of turns whose players protect time of theirs.

    After it so much is counted as was left at its beginning, which is not what the clock on the wall says.
    `but`: those begun within it are left out.
    """
    is_movers = and_(col(Seating.game) == Game.id, col(Seating.seat) == Game.seat)
    away = select(StoredVacation.player).where(col(StoredVacation.ends_at) > min(lost) - LONGEST_FREE_AFTER)
    rests = or_(col(Seating.player).in_(select(DailyRest.player)), col(Seating.player).in_(away))
    ids = select(hexed(Game.id)).join(Seating, is_movers).where(col(Game.deadline).is_not(None), rests)
    clock = select(Game.seat, Game.turn_began_at, Game.deadline)
    found = []
    for game in map(read_id, session.exec(ids).all()):
        with suppress(ValueError, TypeError):  # of a row that cannot be read
            seat, began, deadline = session.exec(clock.where(Game.id == game)).one()
            unavailable = unavailable_spans_of(session, game, seat)
            if but is not None and began is not None and but[0] < began <= but[1]:
                continue
            if deadline is None or began is None:
                continue
            found.append((game, deadline_after_loss(deadline, lost, began, unavailable, least)))
    return found


def give_grace(session: Session, until: datetime) -> None:
    """Let no turn end before a moment: mail that was sent in time may not have come yet. No commit."""
    ending = update(Game).where(col(Game.deadline) < until)
    execute_update(session, ending.values(deadline=until, due_at=AT_ONCE))


def list_absences(session: Session) -> Iterator[tuple[str, datetime]]:
    """The absences of now, in the operator's words, and since when each lasts."""
    for name, what in ABSENCES.items():
        if (since := read_moment(session, name)) is not None:
            yield what, since


def absent_since(session: Session) -> datetime | None:
    """Since when the time of turns stands for an absence; None: there is none.

    What was away at the same time and is not any more counts too, but nothing that was given back already.
    """
    lasting = [since for _, since in list_absences(session)]
    if not lasting:
        return None
    since = min(*lasting, read_moment(session, MomentName.OUTAGE) or lasting[0])
    return max(since, read_moment(session, MomentName.GIVEN_BACK) or since)


def shift_absences(session: Session, by: timedelta, now: datetime) -> None:
    """Move what is stored of absences as the wall clock was set. No commit."""
    for name in (*ABSENCES, MomentName.MAILBOX_READ, MomentName.OUTAGE, MomentName.GIVEN_BACK):
        if (at := read_moment(session, name)) is not None:
            write_moment(session, name, min(at + by, now))


def look_at_put_off_games(session: Session, now: datetime) -> None:
    """Look at once at the games that were not looked at during an absence. No commit."""
    put_off = update(Game).where(col(Game.due_at) > AT_ONCE, col(Game.due_at) <= now + PUT_OFF_WHILE_AWAY)
    execute_update(session, put_off.values(due_at=AT_ONCE))
