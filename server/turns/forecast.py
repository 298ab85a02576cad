"""Forecasts for players: when their next turns come, and advice for the present one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select
from sqlmodel import Session

from emails.i18n import gettext
from emails.terms import HABITS, Habit, TurnOutlook
from emails.wording.phrases import safe_name
from engine.bots.advice import Suggestion, suggest_turns, suggest_turns_at_sight
from engine.events import GameStarted, TurnEnded, TurnOver
from engine.position import View, view
from server.store.context import Context
from server.store.event_log import (
    GameNotBegun,
    GameSuspended,
    History,
    Refusal,
    RefusalCode,
    StartedHistory,
    check_not_suspended,
    require_started,
)
from server.store.game_terms import terms_of
from server.store.models import Act, Game, table_of
from server.store.states import PERSONAL_CHANNELS, Channel
from server.store.turn_clock import (
    LETTER_ON_ITS_WAY,
    SECONDS_IN_MINUTE,
    absent_since,
    is_awaiting_letter,
    leave_night,
    load_people_of,
)
from server.thinker import ThinkingFailed
from server.turn_time import (
    Availability,
    add_counted,
    last_day_away,
    local_moment,
    protected_intervals,
    within_turn,
)

ACTS = table_of(Act).c
SELECT_TIMES = select(ACTS.game, ACTS.seq, ACTS.at, ACTS.door).where(
    ACTS.game.in_(bindparam("games", expanding=True)), ACTS.seq.in_(bindparam("numbers", expanding=True))
)
MOST_TURNS = 12
"""Maximum number of a player's latest turns from which the usual response time is derived."""
LEAST_TURNS = 3
MOSTLY = 2 / 3
"""Fraction of a player's latest turns that must have taken no longer than the stated response time."""
MINUTES_OF_HOUR = 60
ANSWERED = PERSONAL_CHANNELS | {Channel.PLAN}


class AskingSeat(NamedTuple):
    """A seat for which a forecast is requested."""

    game: Game
    history: History
    seat: int


def foresee_turns(session: Session, asking: Sequence[AskingSeat], now: datetime) -> list[TurnOutlook | None]:
    """Forecast the turns of several seats. The number of queries grows only with the absent players."""
    waiting = [one for one in asking if _waits(one)]
    if not waiting:
        return [None for _ in asking]
    people = load_people_of(session, sorted({one.game.id for one in waiting}), now)
    habits = _find_habits(session, waiting)
    stands_still = absent_since(session) is not None
    return [
        _foresee(one, people[one.game.id], habits.get(one.game.id), now, stands_still=stands_still)
        if _waits(one)
        else None
        for one in asking
    ]


def _waits(one: AskingSeat) -> bool:
    history = one.history
    if not isinstance(history, StartedHistory) or history.is_vacant(one.seat) or one.seat in history.skipped:
        return False
    table = history.position.table
    return not table.over and table.seat != one.seat


def _foresee(
    asking: AskingSeat,
    people: Mapping[int, Availability],
    habit: Habit | None,
    now: datetime,
    *,
    stands_still: bool,
) -> TurnOutlook:
    game, history, seat = asking
    table = require_started(history).position.table
    seats = len(table.names)
    between = ((table.seat + step) % seats for step in range((seat - table.seat) % seats))
    ahead = [one for one in between if one in people and not history.is_vacant(one)]
    if not ahead:
        return TurnOutlook(is_immediate=True)
    earliest = now
    for availability in (people[one] for one in ahead):
        zone = ZoneInfo(availability.zone)
        last = last_day_away(availability, earliest.astimezone(zone).date())
        if last is not None:
            earliest = local_moment(datetime.combine(last + timedelta(days=1), time()), zone)
    is_halted = game.suspended_at is not None or any(map(history.is_time_halted, ahead))
    latest = None if stands_still or is_halted else _find_latest(asking, ahead, people, now)
    return TurnOutlook(earliest if earliest > now else None, latest, habit if table.seat in ahead else None)


def _find_latest(
    asking: AskingSeat, ahead: Sequence[int], people: Mapping[int, Availability], now: datetime
) -> datetime | None:
    game, history, _ = asking
    if not game.turn_minutes:
        return None
    latest, later = now, list(ahead)
    if game.deadline is not None and game.seat == ahead[0]:
        began = game.turn_began_at or game.deadline
        latest, later = max(leave_night(game, people[game.seat], game.deadline, began), now), later[1:]
    elif is_awaiting_letter(game) and now - datetime.fromisoformat(history.after_at) >= LETTER_ON_ITS_WAY:
        return None
    for seat in later:
        latest += LETTER_ON_ITS_WAY
        bank = history.banks.get(seat, game.bank_minutes * SECONDS_IN_MINUTE)
        whole = timedelta(minutes=game.turn_minutes, seconds=bank)
        unavailable = within_turn(partial(protected_intervals, people[seat]), latest)
        ends = add_counted(latest, whole, unavailable)
        latest = leave_night(game, people[seat], ends, latest)
    return latest


# --- habits ---------------------------------------------------------------------------------------------


def _find_habits(session: Session, waiting: Sequence[AskingSeat]) -> Mapping[str, Habit]:
    turns: dict[str, list[tuple[int, int]]] = {}
    """By game: numbers of the acts with which the latest turns of the player to move began and ended."""
    for game, history, _ in waiting:
        seat = require_started(history).position.table.seat
        over = [(seq, event) for seq, event in history.events if isinstance(event, GameStarted | TurnOver)]
        taken = [
            (before, seq)
            for (before, _), (seq, event) in pairwise(over)
            if isinstance(event, TurnEnded) and event.seat == seat
        ]
        turns[game.id] = taken[-MOST_TURNS:]
    numbers = sorted({number for taken in turns.values() for turn in taken for number in turn})
    if not numbers:
        return {}
    acts: dict[str, dict[int, tuple[datetime, Channel]]] = {game: {} for game in turns}
    found = session.connection().execute(SELECT_TIMES, {"games": sorted(turns), "numbers": numbers})
    for game, seq, at, door in found:
        acts[game][seq] = datetime.fromisoformat(at), door
    habits = {}
    for game, history, _ in waiting:
        table = require_started(history).position.table
        tenure = history.seat_tenures.get(table.seat)
        within = _find_habit(turns[game.id], acts[game.id], None if tenure is None else tenure.at)
        is_live = 0 < game.turn_minutes < MINUTES_OF_HOUR  # for live games the time limit is more informative
        if within is not None and not is_live:
            habits[game.id] = Habit(safe_name(table.names[table.seat]), within)
    return habits


def _find_habit(
    turns: Sequence[tuple[int, int]], acts: Mapping[int, tuple[datetime, Channel]], since: datetime | None
) -> timedelta | None:
    answers = []
    for first, last in turns:
        (began, _), (ended, door) = acts[first], acts[last]
        if since is None or began >= since:
            answers.append(ended - began if door in ANSWERED else timedelta.max)
    if len(answers) < LEAST_TURNS:
        return None
    for within in HABITS:
        if sum(answer <= within for answer in answers) >= MOSTLY * len(answers):
            return within
    return None


SUGGESTIONS = 5
LETTER_WAITS = 2.0
"""Maximum seconds for which a letter waits for its suggestions."""
ADVICE_TAKES = 4.0

AT_SIGHT = "at sight"
"""Cache key of suggestions that were made without search, for lack of time."""


class AdviceRefused(Refusal):
    code = RefusalCode.ADVICE


@dataclass(frozen=True, slots=True)
class TurnAdvice:
    known: View
    suggestions: tuple[Suggestion, ...]
    at_sight: bool = False


def view_to_advise(session: Session, game: Game, history: History, seat: int) -> View:
    """Return the game as visible to the player of a seat, if advice may be requested for it now.

    Raises `AdviceRefused`, `GameSuspended` or `GameNotBegun`.
    """
    if not terms_of(session, game.id).advice:
        raise AdviceRefused(gettext("In this game no advice is given."))
    check_not_suspended(game)
    position = require_started(history).position
    if position.table.over:
        raise AdviceRefused(gettext("The game is over."))
    known = view(position, seat)
    if not known.my_turn or seat in history.resigned:
        raise AdviceRefused(gettext("Advice is for the player to move, and it is not your turn."))
    return known


def advise(
    context: Context, game: Game, history: History, seat: int, count: Callable[[], None]
) -> TurnAdvice:
    """Return good turns for a seat that may get advice; chosen without search if the search takes too long.

    `count`: called before a new computation, and may refuse it. Raises the errors of `view_to_advise`.
    """
    with context.reading() as session:
        known = view_to_advise(session, game, history, seat)
    asked = (game.id, history.after, seat)
    with context.advice.one_at_a_time(asked):  # concurrent requests are counted once
        found = context.advice.get(asked)
        if found is None:
            count()
            try:
                found = _work_out(context, game, history, known, ADVICE_TAKES)
            except ThinkingFailed:
                return TurnAdvice(known, suggest_turns_at_sight(known, SUGGESTIONS), at_sight=True)
    return TurnAdvice(known, found)


def offered_at_sight(context: Context, game: Game, history: History, seat: int) -> tuple[Suggestion, ...]:
    """Return the suggestions made without search for this position; empty if none are cached."""
    return context.advice.get((game.id, history.after, seat, AT_SIGHT)) or ()


def suggest(
    context: Context,
    session: Session,
    game: Game,
    history: History,
    seat: int,
    seconds: float = LETTER_WAITS,
) -> tuple[Suggestion, ...]:
    """Return good turns for a seat, the best first, for a letter or page that offers them unrequested.

    If the search takes too long, the turns are chosen without search. The choice is cached, so that a label
    such as "A" in a sent letter keeps its meaning. Empty if no advice is allowed or another seat moves.
    """
    try:
        known = view_to_advise(session, game, history, seat)
    except (AdviceRefused, GameSuspended, GameNotBegun):
        return ()
    asked = (game.id, history.after, seat)
    if found := offered_at_sight(context, game, history, seat) or context.advice.get(asked):
        return found
    try:
        return _work_out(context, game, history, known, seconds)
    except ThinkingFailed:
        seen = suggest_turns_at_sight(known, SUGGESTIONS)
        context.advice.put((*asked, AT_SIGHT), seen)
        return seen


def _work_out(
    context: Context, game: Game, history: History, known: View, seconds: float
) -> tuple[Suggestion, ...]:
    found = context.adviser.call(suggest_turns, known, SUGGESTIONS, seconds=seconds)
    context.advice.put((game.id, history.after, known.my_seat), found)
    return found
