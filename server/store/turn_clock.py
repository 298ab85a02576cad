"""Columns of games that are derived from their acts, such as the turn and its clock; availability of players.

In a game with a time limit, `turn_began_at` and `deadline` are None in a new turn. Its clock starts when its
letter is sent, or earlier if the player sees the turn on a page or acts. A running clock has a `deadline`,
which allows for the reserve and the player's availability. A stopped clock has a `time_left` and no
`deadline`. server/turn_time.py does the calculations.

Sleep hours and absences postpone a deadline, but only up to a limit after `turn_began_at`. Downtime (an
outage of server, relay or mailbox, or a suspension) moves `turn_began_at` as well as `deadline`. Extensions
and changes of availability move only `deadline`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, partial
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    func,
    literal,
    not_,
    or_,
    update,
)
from sqlalchemy import select as plain_select
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.i18n import UTC_ZONE, zone_names
from emails.terms import ReserveLeft, TurnTime
from engine.events import GameStarted, TurnOver
from server.store.context import Context
from server.store.dialects import GapShiftedMoment, hexed, is_within, moved, text_of_bytes
from server.store.event_log import (
    History,
    HistoryFold,
    StartedHistory,
    fold_acts,
    list_server_facts,
    load_act_time,
)
from server.store.models import (
    AbsentSeat,
    DailyRest,
    Game,
    OfferedSeat,
    Player,
    Resignation,
    Seating,
    StoredPreferences,
    StoredTerms,
    StoredVacation,
    UTCDateTime,
    read_id,
    table_of,
)
from server.store.schedule import AT_ONCE, execute_update, read_moments, write_moment
from server.store.server_facts import ClockPause, GameOpened, GameTerms
from server.store.states import GameStatus, MomentName
from server.turn_time import (
    LEAST_SHARE_LEFT,
    MORNING,
    NIGHT_ENDS,
    NO_TIME,
    Availability,
    Interval,
    TimeControl,
    UnavailableTimes,
    Vacation,
    add_counted,
    after_protected,
    always_available,
    count_back,
    count_time,
    deadline_after_loss,
    holds_rest,
    last_day_away,
    list_reminders,
    local_moment,
    night_of,
    passed_marks,
    protected_intervals,
    within_turn,
)

# --- availability of players ----------------------------------------------------------------------------

# Core statements, since they run for each letter and each act.
PLAYERS, SEATINGS, GAMES, SAID, REST, TERMS, AWAY = (
    table_of(one)
    for one in (Player, Seating, Game, StoredPreferences, DailyRest, StoredTerms, StoredVacation)
)
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def with_availability(found: Select[Any], player: ColumnElement[Any]) -> Select[Any]:
    """Add to a query of games the columns that `read_availability` reads, for the player `player`."""
    has_vacations = exists().where(AWAY.c.player == player, AWAY.c.ends_at > bindparam("since"))
    return (
        found.add_columns(
            *(player, SAID.c.said, REST.c.sleeps_from, REST.c.sleeps_until, REST.c.days_off),
            *(TERMS.c.vacation_days, GAMES.c.turn_minutes, has_vacations),
        )
        .outerjoin(SAID, and_(SAID.c.player == player, SAID.c.game == ""))
        .outerjoin(REST, REST.c.player == player)
        .outerjoin(TERMS, TERMS.c.game == GAMES.c.id)
    )


SELECT_DAYS = with_availability(
    plain_select()
    .select_from(PLAYERS.outerjoin(GAMES, GAMES.c.id == bindparam("in")))
    .where(PLAYERS.c.id == bindparam("of")),
    PLAYERS.c.id,
)
SELECT_SEATS = with_availability(
    plain_select(SEATINGS.c.game, SEATINGS.c.seat)
    .select_from(SEATINGS.join(GAMES, GAMES.c.id == SEATINGS.c.game))
    .where(SEATINGS.c.game.in_(bindparam("games", expanding=True)), SEATINGS.c.player.is_not(None)),
    SEATINGS.c.player,
)
SELECT_SEAT = SELECT_SEATS.where(SEATINGS.c.seat == bindparam("at_seat"))
SELECT_VACATIONS = (
    select(StoredVacation)
    .where(
        col(StoredVacation.player) == bindparam("of"),
        col(StoredVacation.game).in_(bindparam("games", expanding=True)),
    )
    .order_by(col(StoredVacation.first), col(StoredVacation.id))
)


def read_availability(session: Session, game: str | None, found: Sequence[Any]) -> Availability:
    """Return the availability in a game from the columns of `with_availability`."""
    player, said, sleeps_from, sleeps_until, days_off, allowance, minutes, has_vacations = found
    try:
        known = json.loads(said or "{}")
    except ValueError:
        known = {}
    zone = known.get("zone") if isinstance(known, dict) else None
    if not isinstance(zone, str) or zone not in zone_names():
        zone = UTC_ZONE
    rows = list_vacations(session, player, game) if has_vacations else ()
    vacations = tuple(Vacation(row.first, row.last, row.told_at, row.back_at) for row in rows)
    if not holds_rest(minutes or 0):
        return Availability(zone, vacations=vacations, yearly_allowance=allowance)
    begins: time | None = None
    ends: time | None = None
    with suppress(ValueError):
        begins, ends = time.fromisoformat(sleeps_from or ""), time.fromisoformat(sleeps_until or "")
    off = frozenset(int(sign) for sign in days_off or "" if sign in "0123456")
    return Availability(zone, begins, ends, off, vacations, allowance)


def load_availability(session: Session, player: int, game: str | None = None) -> Availability:
    """Return the availability of a player in a game; without `game`, as set for all games."""
    asked = {"of": player, "in": game, "since": LONG_AGO}
    return read_availability(session, game, session.connection().execute(SELECT_DAYS, asked).one())


def load_seat_availability(session: Session, game: str, seat: int | None) -> Availability | None:
    """Return the availability of the player of a seat; None without a player."""
    asked = {"games": [game], "at_seat": seat, "since": LONG_AGO}
    found = session.connection().execute(SELECT_SEAT, asked).first()
    return None if found is None else read_availability(session, game, found[2:])


def unavailable_times_of(session: Session, game: str, seat: int | None) -> UnavailableTimes:
    found = load_seat_availability(session, game, seat)
    return always_available if found is None else partial(protected_intervals, found)


def unavailable_when_needed(load: Callable[[], Availability | None]) -> UnavailableTimes:
    """Return the unavailable times of a player, whose availability is loaded only at the first call."""
    known = cache(load)
    return lambda since, until: () if (found := known()) is None else protected_intervals(found, since, until)


def list_vacations(session: Session, player: int, game: str | None = None) -> list[StoredVacation]:
    """Return a player's vacations that apply in a game, in order; without `game`, those for all games."""
    rows = session.exec(SELECT_VACATIONS, params={"of": player, "games": ["", game or ""]}).all()
    replaced = {row.replaces for row in rows if row.game == (game or "")}
    return [row for row in rows if row.game or row.id not in replaced]


def away_until(session: Session, player: int | None, game: str | None, now: datetime) -> date | None:
    """Return the last day of a player's current vacation, in the player's zone; None without vacation.

    With `game`, the vacations that apply in this game are considered, else only vacations for all games.
    """
    if player is None or not list_vacations(session, player, game):
        return None
    availability = load_availability(session, player, game)
    return last_day_away(availability, now.astimezone(ZoneInfo(availability.zone)).date())


def load_people_of(
    session: Session, games: Sequence[str], since: datetime
) -> dict[str, dict[int, Availability]]:
    """Return the players' availability by game and seat, for the time from `since`."""
    people: dict[str, dict[int, Availability]] = {game: {} for game in games}
    asked = {"games": games, "since": since - LONGEST_FREE_AFTER}
    for game, seat, *found in session.connection().execute(SELECT_SEATS, asked).all():
        people[game][seat] = read_availability(session, game, found)
    return people


LONGEST_FREE_AFTER = timedelta(hours=26)  # after a vacation: a first day at home, longest when clocks change


def end_vacation_day(last: date, zone: str) -> datetime:
    return local_moment(datetime.combine(last + timedelta(days=1), time()), ZoneInfo(zone))


def move_vacation_ends(session: Session, player: int) -> None:
    zone = load_availability(session, player).zone
    going_on = col(StoredVacation.back_at).is_(None)
    for row in session.exec(select(StoredVacation).where(StoredVacation.player == player, going_on)):
        row.ends_at = end_vacation_day(row.last, zone)
        session.add(row)


def sleep_length(begins: time, ends: time) -> timedelta:
    minutes = (ends.hour - begins.hour) * 60 + ends.minute - begins.minute
    return timedelta(minutes=minutes % (24 * 60))


# --- the clock of a turn --------------------------------------------------------------------------------

LETTER_ON_ITS_WAY = timedelta(minutes=2)
"""Age of an act after which its letter, if still waiting, counts as delayed."""
LEAST_ABSENCE = timedelta(minutes=1)
ABSENCES: Mapping[MomentName, str] = {
    MomentName.RELAY_AWAY: "the relay takes no letters",
    MomentName.MAILBOX_AWAY: "the mailbox for incoming mail cannot be read",
}
CLOCK_MOMENTS = (*ABSENCES, MomentName.OUTAGE, MomentName.GIVEN_BACK)
PUT_OFF_WHILE_AWAY = timedelta(minutes=1)
SECONDS_IN_MINUTE = 60
WELCOMED = 1 << 10
"""Bit in `Game.reminded`, beside the marks of reminders: the player was welcomed back from a vacation."""
MOVED = ("turn_began_at", "deadline", "due_at")


def turn_time_of(game: Game) -> TurnTime:
    return TurnTime(game.turn_minutes, game.bank_minutes, game.refill_minutes)


def whole_time(game: Game) -> timedelta:
    """Return the total time of the current turn: its limit, and the reserve at its start."""
    return timedelta(minutes=game.turn_minutes, seconds=game.bank_left)


def protection_of(game: Game, unavailable: UnavailableTimes, at: datetime) -> UnavailableTimes:
    return within_turn(unavailable, game.turn_began_at or at)


def time_left(game: Game, at: datetime, unavailable: UnavailableTimes = always_available) -> timedelta:
    if game.deadline is not None:
        return count_time(at, game.deadline, protection_of(game, unavailable, at))
    return whole_time(game) if game.time_left is None else timedelta(seconds=game.time_left)


def run_clock(
    game: Game, left: timedelta, at: datetime, unavailable: UnavailableTimes = always_available
) -> None:
    game.turn_began_at = game.turn_began_at or at
    game.deadline, game.time_left = add_counted(at, left, protection_of(game, unavailable, at)), None


def remind_again(game: Game, at: datetime, unavailable: UnavailableTimes) -> None:
    """Clear the marks of reminders that are in the future again because the deadline was moved."""
    if game.reminded and game.deadline is not None:
        protected = protection_of(game, unavailable, at)
        reminders = list_reminders(whole_time(game), game.deadline, protected, protected)
        game.reminded &= passed_marks(reminders, at) | WELCOMED


def counted_until(session: Session, game: Game, now: datetime) -> datetime:
    return before_absence(game, absent_since(session), now)


def before_absence(game: Game, away: datetime | None, now: datetime) -> datetime:
    """Return the moment up to which the current turn's time counts, if an outage lasts since `away`."""
    return now if away is None else min(now, max(away, game.turn_began_at or away))


def leave_halt_uncounted(game: Game, halt: Interval) -> None:
    """Move the start of a turn later by the part of a suspension that lies in the turn."""
    if game.turn_began_at is not None:
        game.turn_began_at += max(halt[1] - max(halt[0], game.turn_began_at), NO_TIME)


def stop_clock(game: Game, at: datetime, unavailable: UnavailableTimes = always_available) -> None:
    if game.deadline is not None:
        game.time_left = int(time_left(game, at, unavailable).total_seconds())
    game.deadline = None


def bank_after_turn(
    game: Game, now: datetime, unavailable: UnavailableTimes = always_available, *, by_player: bool = True
) -> timedelta:
    before, left = timedelta(seconds=game.bank_left), time_left(game, now, unavailable)
    return TimeControl.of(turn_time_of(game)).bank_after(before, left, by_player=by_player)


def begin_turn_clock(session: Session, game: str, seat: int | None, turn: int, at: datetime) -> bool:
    """Start the clock of a turn; return whether this was done. Does not commit.

    Does nothing if the clock has started or is stopped, the turn is over, or there is no seat or time limit.
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
    deadline = add_counted(at, whole, within_turn(unavailable_times_of(session, game, seat), at))
    begun = {"turn_began_at": at, "deadline": deadline, "due_at": AT_ONCE}
    session.execute(update(Game).where(col(Game.id) == game).values(begun))
    return True


def is_awaiting_letter(game: Game) -> bool:
    """Return whether the clock of the turn has not started because its letter is not sent yet."""
    has_clock = game.status == GameStatus.RUNNING and game.turn_minutes and game.suspended_at is None
    return bool(has_clock) and game.paused_at is None and game.turn_began_at is None


def rest_of(session: Session, game: Game, at: datetime) -> UnavailableTimes:
    availability = load_seat_availability(session, game.id, game.seat)
    if availability is None:
        return always_available
    return rest_from(game.turn_minutes, availability, game.turn_began_at or at, NIGHT_ENDS)


def rest_from(turn_minutes: int, availability: Availability, began: datetime, ends: time) -> UnavailableTimes:
    """Return a player's unavailable times in a turn, with nights; `ends`: end of the default night."""
    protected = within_turn(partial(protected_intervals, availability), began)
    if not holds_rest(turn_minutes):
        return protected
    night = partial(protected_intervals, night_of(availability, ends))
    return lambda since, until: (*protected(since, until), *night(since, until))


def leave_night(game: Game, availability: Availability, deadline: datetime, began: datetime) -> datetime:
    """Return the deadline, moved to the end of a night or an absence that contains it."""
    return after_protected(deadline, rest_from(game.turn_minutes, availability, began, MORNING))


def find_deadline(session: Session, game: Game, now: datetime) -> datetime | None:
    """Return the deadline that is in effect and shown; None if the clock is stopped or no person is to move.

    A deadline within sleep hours or an absence is postponed to their end. An outage is assumed to end now.
    """
    mover = load_seat_availability(session, game.id, game.seat)
    return _find_deadline(game, mover, now, absent_since(session), None)


def find_times(
    session: Session, game: Game, away: datetime | None, now: datetime, begins: datetime | None = None
) -> tuple[datetime | None, ReserveLeft | None]:
    """Return a turn's deadline (see `find_deadline`) and the reserve of the player to move.

    The reserve is None if there is none or no time runs. It is used after the turn's limit, and ends at the
    deadline. `away`: start of the current outage, as `absent_since` returns it. `begins`: start to assume for
    a clock that has not started; None: now, if the turn's letter is about to be sent.
    """
    begins = begins or _expect_start(session, game, now)
    mover = load_seat_availability(session, game.id, game.seat)
    deadline = _find_deadline(game, mover, now, away, begins)
    if mover is None or deadline is None or not game.bank_left:
        return deadline, None
    unavailable = partial(protected_intervals, mover)
    counted = _count_deadline(game, unavailable, now, away, now)
    assert counted is not None
    protected, whole = protection_of(game, unavailable, now), timedelta(seconds=game.bank_left)
    left = min(whole, count_time(now, counted, protected))
    return deadline, ReserveLeft(whole, count_back(counted, whole, protected), left)


def shown_deadlines(session: Session, games: Sequence[Game], now: datetime) -> list[datetime | None]:
    """Return the deadlines of games for pages.

    If a turn's letter is about to be sent, this is the deadline that the letter will name.
    """
    away, people = absent_since(session), load_people_of(session, [game.id for game in games], now)
    found = []
    for game in games:
        mover = None if game.seat is None else people[game.id].get(game.seat)
        found.append(_find_deadline(game, mover, now, away, _expect_start(session, game, now)))
    return found


def _expect_start(session: Session, game: Game, now: datetime) -> datetime | None:
    """Return when a turn's clock starts if its letter is about to be sent; None if the letter is delayed."""
    passed = load_act_time(session, game.id, game.after) if is_awaiting_letter(game) else ""
    at = min(datetime.fromisoformat(passed), now) if passed else None
    return at if at is not None and now - at < LETTER_ON_ITS_WAY else None


def _find_deadline(
    game: Game, mover: Availability | None, now: datetime, away: datetime | None, begins: datetime | None
) -> datetime | None:
    if mover is None:
        return None
    counted = _count_deadline(game, partial(protected_intervals, mover), now, away, begins)
    began = game.turn_began_at or begins
    return None if counted is None or began is None else leave_night(game, mover, counted, began)


def _count_deadline(
    game: Game,
    unavailable: UnavailableTimes,
    now: datetime,
    away: datetime | None,
    begins: datetime | None,
) -> datetime | None:
    if is_awaiting_letter(game):
        whole = whole_time(game)
        return None if begins is None else add_counted(begins, whole, within_turn(unavailable, begins))
    if game.deadline is None or away is None or now - away < LEAST_ABSENCE:
        return game.deadline
    return deadline_after_loss(game.deadline, (away, now), game.turn_began_at or away, unavailable)


def find_turn_start(session: Session, game: Game, history: History) -> datetime | None:
    """Return the time of the act that began the current turn; None unless the game is running.

    This time is public, unlike the start of the clock, which shows when the player saw the turn.
    """
    if game.status != GameStatus.RUNNING:
        return None
    passed = (seq for seq, event in reversed(history.events) if isinstance(event, TurnOver | GameStarted))
    number = next(passed, game.after)
    at = history.after_at if number == history.after else ""
    at = at or load_act_time(session, game.id, number)
    return datetime.fromisoformat(at) if at else None


def follow_clocks(session: Session, by: timedelta, newer: Interval) -> None:
    """Move the deadlines of running clocks by a jump of the wall clock. Does not commit.

    `newer`: interval from the last check of the wall clock until now. Turns that began in it are not moved.
    For players with sleep hours or vacations, the deadline is calculated anew, so that the time left stays
    the same.
    """
    now = newer[1]
    by_availability = _deadlines_by_availability(session, (now - by, now), but=newer)
    shift_clocks(session, by, but=newer)
    _store_deadlines(session, by_availability)


def shift_clocks(session: Session, by: timedelta, but: Interval | None = None) -> None:
    running = update(Game).where(col(Game.deadline).is_not(None))
    if but is not None:
        running = running.where(not_(is_within(col(Game.turn_began_at), but)))
    execute_update(session, running.values({name: moved(getattr(Game, name), by) for name in MOVED}))


def give_back(session: Session, lost: Interval, least: timedelta = NO_TIME) -> None:
    """Extend all turns by the downtime `lost`, and further if less than `least` would be left. No commit.

    A turn that began within the downtime gets its whole time from the end of the downtime. If the sleep
    hours and vacations of a player cannot be read, the player's turn is extended as if there were none.
    """
    since, until = lost
    by_availability = _deadlines_by_availability(session, lost, least)
    begun = update(Game).where(col(Game.deadline).is_not(None), is_within(col(Game.turn_began_at), lost))
    ends = literal(until, UTCDateTime)
    whole = func.coalesce(GapShiftedMoment(Game.deadline, Game.turn_began_at, ends), col(Game.deadline))
    execute_update(session, begun.values(turn_began_at=until, deadline=whole, due_at=AT_ONCE))
    shift_clocks(session, until - since, but=lost)  # `but` includes `until`, their new start
    _store_deadlines(session, by_availability)
    seconds = int(least.total_seconds())
    stopped = update(Game).where(col(Game.time_left) < seconds)
    execute_update(session, stopped.values(time_left=seconds))


def _store_deadlines(session: Session, found: list[tuple[str, datetime]]) -> None:
    for game, deadline in found:  # the new deadline may be earlier than `due_at`
        own = update(Game).where(col(Game.id) == game)
        execute_update(session, own.values(deadline=deadline, due_at=AT_ONCE))


def _deadlines_by_availability(
    session: Session, lost: Interval, least: timedelta = NO_TIME, but: Interval | None = None
) -> list[tuple[str, datetime]]:
    """Return new deadlines after a downtime, for turns of players with sleep hours or vacations.

    A turn has as much time left after the downtime as before it. `but`: omit turns begun in this interval.
    """
    is_movers = and_(col(Seating.game) == Game.id, col(Seating.seat) == Game.seat)
    away = select(StoredVacation.player).where(col(StoredVacation.ends_at) > min(lost) - LONGEST_FREE_AFTER)
    rests = or_(col(Seating.player).in_(select(DailyRest.player)), col(Seating.player).in_(away))
    ids = select(hexed(Game.id)).join(Seating, is_movers).where(col(Game.deadline).is_not(None), rests)
    clock = select(Game.seat, Game.turn_began_at, Game.deadline)
    found = []
    for game in map(read_id, session.exec(ids).all()):
        with suppress(ValueError, TypeError):  # an unreadable row
            seat, began, deadline = session.exec(clock.where(Game.id == game)).one()
            unavailable = unavailable_times_of(session, game, seat)
            if but is not None and began is not None and but[0] < began <= but[1]:
                continue
            if deadline is None or began is None:
                continue
            found.append((game, deadline_after_loss(deadline, lost, began, unavailable, least)))
    return found


def give_grace(session: Session, until: datetime) -> None:
    ending = update(Game).where(col(Game.deadline) < until)
    execute_update(session, ending.values(deadline=until, due_at=AT_ONCE))


def list_absences(session: Session) -> Iterator[tuple[str, datetime]]:
    found = read_moments(session, ABSENCES)
    yield from ((what, found[name]) for name, what in ABSENCES.items() if name in found)


def absent_since(session: Session) -> datetime | None:
    return find_absence(read_moments(session, CLOCK_MOMENTS))


def find_absence(moments: Mapping[MomentName, datetime]) -> datetime | None:
    """Return the time since which clocks are stopped by an outage; None if there is no outage.

    If several outages overlap, this is the start of the first, even if the first has ended. The time is never
    earlier than the end of the last outage by which turns were extended.
    """
    lasting = [moments[name] for name in ABSENCES if name in moments]
    if not lasting:
        return None
    since = min(*lasting, moments.get(MomentName.OUTAGE, lasting[0]))
    return max(since, moments.get(MomentName.GIVEN_BACK, since))


def shift_absences(session: Session, by: timedelta, now: datetime) -> None:
    names = (*CLOCK_MOMENTS, MomentName.MAILBOX_READ)
    for name, at in read_moments(session, names).items():
        write_moment(session, name, min(at + by, now))


def look_at_put_off_games(session: Session, now: datetime) -> None:
    put_off = update(Game).where(col(Game.due_at) > AT_ONCE, col(Game.due_at) <= now + PUT_OFF_WHILE_AWAY)
    execute_update(session, put_off.values(due_at=AT_ONCE))


MOST_AT_ONCE = 500
LEAST_LEFT = timedelta(hours=6)
WORKED_OUT_MOMENTS = ("turn_began_at", "deadline", "ended_at", "watched_at", "due_at")


def project_history(
    game: Game,
    history: History,
    at: datetime,
    unavailable: UnavailableTimes = always_available,
    until: datetime | None = None,
) -> None:
    """Update a game's row to its history, whose last act was at `at`.

    `unavailable`: intervals in which no time counts for the player to move. `until`: the current turn's used
    time is counted up to this moment; None: up to `at`.
    """
    game.seq, game.after, game.due_at = history.seq, history.after, None
    game.watched_at = game.watched_at and at
    if not isinstance(history, StartedHistory):
        game.status = GameStatus.CANCELLED if history.cancelled else GameStatus.OPEN
        game.ended_at = (game.ended_at or at) if history.cancelled else None
        return
    table = history.position.table
    if table.over:
        game.status, game.deadline, game.ended_at = GameStatus.OVER, None, game.ended_at or at
        game.turn_began_at = game.turn_began_at or at
    else:
        game.status, game.due_at = GameStatus.RUNNING, AT_ONCE
        _project_clock(game, history, at, unavailable, until or at)
        paused = history.agreements.pause if history.agreements.is_paused else None
        game.paused_at = None if paused is None else paused.began
    game.turn, game.seat = table.turn, table.seat


def store_seats(session: Session, game: str, before: History, after: History) -> None:
    """Store which seats are absent or offered to substitutes, if an act changed them."""
    over = isinstance(after, StartedHistory) and after.position.table.over
    offers = {} if over and after.offers else after.offers
    if before.absences is after.absences and before.offers is offers:
        return
    session.execute(delete(AbsentSeat).where(col(AbsentSeat.game) == game))
    session.execute(delete(OfferedSeat).where(col(OfferedSeat.game) == game))
    absent = {seat: one.kept_at for seat, one in after.absences.items() if one.kept_at is not None}
    session.add_all(AbsentSeat(game=game, seat=seat, at=at) for seat, at in absent.items())
    session.add_all(OfferedSeat(game=game, seat=seat, at=at) for seat, at in offers.items())
    session.flush()


def _project_clock(
    game: Game, history: StartedHistory, at: datetime, unavailable: UnavailableTimes, until: datetime
) -> None:
    table = history.position.table
    halted = history.is_time_halted(table.seat) or game.suspended_at is not None
    timed, bank = game.turn_minutes > 0, history.banks.get(table.seat, game.bank_minutes * SECONDS_IN_MINUTE)
    if table.turn != game.turn:  # the turn's clock starts when its letter is sent: `begin_turn_clock`
        game.turn_began_at, game.reminded = None if timed else at, 0
        game.deadline = game.time_left = None
        game.bank_left = bank
    elif timed and game.turn_began_at is None and history.after == history.seq:  # the player acted already
        run_clock(game, whole_time(game), at, unavailable)
    elif timed and game.turn_began_at is not None and game.deadline is None and not halted:
        halt = history.last_halt(table.seat)
        left = _time_left_at_halt(game, game.turn_began_at, halt, unavailable)
        if halt is not None:
            leave_halt_uncounted(game, (halt.began, until))
        run_clock(game, max(left, whole_time(game) * LEAST_SHARE_LEFT), until, unavailable)
    added = history.agreements.extension
    if added is not None and added.seq == history.seq and game.deadline is not None:
        hours = timedelta(hours=added.hours)
        if added.hours < 0:
            run_clock(game, max(time_left(game, at, unavailable) + hours, LEAST_LEFT), at, unavailable)
        else:
            game.deadline = add_counted(game.deadline, hours, protection_of(game, unavailable, at))
    refilled = bank - game.bank_left
    if refilled > 0:
        game.bank_left += refilled
        if game.deadline is not None:
            more, protected = timedelta(seconds=refilled), protection_of(game, unavailable, at)
            game.deadline = add_counted(game.deadline, more, protected)
        elif game.time_left is not None:
            game.time_left += refilled
        remind_again(game, at, unavailable)
    if history.is_clock_paused(table.seat):
        game.turn_began_at = game.turn_began_at or at
    if halted:
        pause = history.clock_pauses.get(table.seat)
        since = pause.uncounted_from if pause and pause.ended is None else until
        stop_clock(game, min(until, since), unavailable)


def _time_left_at_halt(
    game: Game, began: datetime, halt: ClockPause | None, unavailable: UnavailableTimes
) -> timedelta:
    if game.time_left is not None:
        return timedelta(seconds=game.time_left)
    stopped_at = began if halt is None else max(began, halt.began)
    return whole_time(game) - count_time(began, stopped_at, within_turn(unavailable, began))


def list_game_ids(context: Context, after: str = "", until: str = "") -> Iterator[str]:
    last = after.encode()
    while True:
        with context.reading() as session:
            behind = col(Game.id) > text_of_bytes(last)
            further = select(hexed(Game.id)).where(behind).order_by(col(Game.id)).limit(MOST_AT_ONCE)
            ids = session.exec(further.where(col(Game.id) <= until) if until else further).all()
        if not ids:
            return
        yield from map(read_id, ids)
        last = bytes.fromhex(ids[-1])


def rebuild_games(context: Context) -> Iterator[tuple[str, str | None]]:
    """Recompute the rows of all games, one transaction each; yield the id, and an error message or None.

    A game that fails is left unchanged, and the others are still recomputed.
    """
    for game in list_game_ids(context):
        try:
            with context.writing() as session:
                if not _is_readable(context, game):
                    emptied = dict.fromkeys(WORKED_OUT_MOMENTS)
                    session.execute(update(Game).where(col(Game.id) == game).values(emptied))
                _rebuild_game(context, session, session.get_one(Game, game))
                session.commit()
        except OperationalError:
            raise  # the database is unavailable
        except Exception as error:
            yield game, str(error) or type(error).__name__
        else:
            yield game, None


def _is_readable(context: Context, game: str) -> bool:
    with context.reading() as session:
        try:
            return session.get(Game, game) is not None
        except ValueError:
            return False


def _rebuild_game(context: Context, session: Session, game: Game) -> None:
    before = game.model_copy()
    session.execute(delete(Resignation).where(col(Resignation.game) == game.id))
    session.execute(delete(StoredTerms).where(col(StoredTerms.game) == game.id))
    game.status, game.turn, game.seat = GameStatus.PROPOSED, 0, None
    game.turn_began_at = game.deadline = game.ended_at = game.suspended_at = game.watched_at = None
    game.time_left = None
    fold = HistoryFold(History(), context.board_of(game))
    for row in fold_acts(session, game.id, fold):
        at = datetime.fromisoformat(row.at)
        project_history(game, fold.history(), at)
        for fact in list_server_facts(row) if row.seq == 1 else ():
            if isinstance(fact, GameOpened):
                session.add(store_terms(game.id, row.seat, fact.terms))
                game.watched_at = at if fact.terms.watched else None
    last = fold.history()
    store_seats(session, game.id, History(), last)
    session.add_all(Resignation(game=game.id, seat=seat, at=at) for seat, at in last.resigned.items())
    _keep_unlogged_facts(game, before, last, unavailable_times_of(session, game.id, game.seat))


def store_terms(game: str, seat: int | None, terms: GameTerms) -> StoredTerms:
    """Return the row of a game's terms. `seat`: the organiser's; None if the organiser does not play."""
    return StoredTerms(game=game, seat=seat, **asdict(terms) | {"rematch_of": terms.rematch_of or ""})


def _keep_unlogged_facts(game: Game, before: Game, history: History, unavailable: UnavailableTimes) -> None:
    """Restore values that no act records: start of the turn, time left, suspension."""
    game.suspended_at = before.suspended_at
    is_same_turn = game.turn == before.turn
    if is_same_turn:
        game.reminded, game.time_left = before.reminded, before.time_left
        game.turn_began_at = before.turn_began_at or game.turn_began_at
    halted = game.suspended_at is not None or (game.seat is not None and history.is_time_halted(game.seat))
    if halted:
        game.deadline = None
    elif is_same_turn and game.status == GameStatus.RUNNING and game.turn_minutes and game.turn_began_at:
        protected = within_turn(unavailable, game.turn_began_at)
        whole = add_counted(game.turn_began_at, whole_time(game), protected)
        game.deadline, game.time_left = before.deadline or whole, None
