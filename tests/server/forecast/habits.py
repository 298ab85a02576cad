"""People who answer as people do: when they look at their mail, by their clock; nothing here knows a rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from emails.wording.times.forecasts import Forecast
from emails.wording.times.turn_times import TurnTime
from server.forecast.answer_counts import AnswerCounts, add_counts, count_wait
from server.forecast.rates import Rates, fit_mean, fit_rates
from server.forecast.turn_forecast import HORIZON, STEP, SeatAhead, forecast_turn
from server.time_control.availability import Availability, protected_spans
from server.time_control.control import TimeControl
from server.time_control.spans import Span
from server.time_control.turn_time import add_counted, count_time

ZONES = """
    Pacific/Kiritimati Pacific/Auckland Australia/Adelaide Asia/Tokyo Asia/Shanghai Asia/Kathmandu
    Asia/Kolkata Asia/Dubai Europe/Moscow Africa/Cairo Europe/Amsterdam Europe/London Atlantic/Azores
    America/Sao_Paulo America/St_Johns America/New_York America/Chicago America/Denver America/Phoenix
    America/Los_Angeles America/Anchorage Pacific/Honolulu Pacific/Pago_Pago Africa/Lagos
    """.split()
MOST_DAYS = 60


@dataclass(frozen=True, slots=True)
class Look:
    """A time of the day at which somebody looks at their mail, give or take, and how often they do."""

    hour: float
    around: float
    workday: float
    weekend: float


@dataclass(frozen=True, slots=True)
class Habit:
    """When somebody looks at their mail, and whether they then take their turn."""

    looks: tuple[Look, ...]
    plays: float
    at_once: float = 0.0
    """How often they answer within minutes, where the turn comes while they are awake."""


HABITS = {
    "evening": Habit((Look(20.5, 1.0, 0.8, 0.6),), 0.85),
    "lunch": Habit((Look(12.5, 0.4, 0.85, 0.2), Look(21, 1.5, 0.3, 0.5)), 0.8),
    "commuter": Habit((Look(7.8, 0.3, 0.9, 0.1), Look(17.8, 0.5, 0.9, 0.1), Look(11, 2, 0, 0.7)), 0.7),
    "quick": Habit(tuple(Look(hour, 0.7, 0.6, 0.5) for hour in range(8, 24, 2)), 0.7, 0.4),
    "weekend": Habit((Look(21, 1, 0.15, 0.1), Look(10.5, 1.5, 0, 0.9), Look(16, 2, 0, 0.8)), 0.9),
    "slow": Habit((Look(19, 3, 0.6, 0.6),), 0.45),
    "owl": Habit((Look(23.5, 1.0, 0.8, 0.9), Look(2, 0.7, 0.4, 0.7)), 0.75, 0.1),
    "office": Habit(tuple(Look(hour, 0.5, 0.7, 0.03) for hour in (9, 11, 14, 16)), 0.6, 0.15),
}


@dataclass(slots=True)
class Person:
    """Somebody who plays, and what is counted of them."""

    habit: Habit
    zone: ZoneInfo
    counts: AnswerCounts = field(default_factory=AnswerCounts)
    availability: Availability = field(default_factory=lambda: Availability("UTC"))
    """When they sleep and have days off: no time of theirs runs, whether they look at their mail or not."""

    def rest_between(self, since: datetime, until: datetime) -> Sequence[Span]:
        """When no time of theirs runs."""
        return protected_spans(self.availability, since, until)

    def answer(self, since: datetime, dice: Random) -> datetime:
        """When they answer a turn that came at a moment; far away where they never do."""
        local = since.astimezone(self.zone)
        if 8 <= local.hour < 23 and dice.random() < self.habit.at_once:
            return since + timedelta(minutes=dice.expovariate(1 / 8))
        for days in range(-1, MOST_DAYS):
            looks = sorted(self._looks(local, days, dice))
            for look in looks:
                if look > since and dice.random() < self.habit.plays:
                    return look
        return since + timedelta(days=MOST_DAYS)

    def _looks(self, local: datetime, days: int, dice: Random) -> Iterator[datetime]:
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0) + timedelta(days=days)
        for look in self.habit.looks:
            often = look.weekend if midnight.weekday() >= 5 else look.workday
            if dice.random() < often:
                at = midnight + timedelta(hours=dice.gauss(look.hour, look.around))
                yield at.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of a turn, and when it came."""

    forecast: Forecast
    now: datetime
    came: datetime
    ahead: int
    hour: int
    """By the clock of whoever was waited for."""
    known: int
    """Answers of theirs that were counted."""

    @property
    def holds(self) -> bool:
        """Whether the truth lies in the interval."""
        return self.forecast.low <= self.came <= self.forecast.high

    @property
    def width(self) -> timedelta:
        """How long the interval is."""
        return self.forecast.high - self.forecast.low

    @property
    def score(self) -> float:
        """The interval score in hours: the width, and ten times what the truth lies beside it."""
        beside = max(self.forecast.low - self.came, self.came - self.forecast.high, timedelta())
        return (self.width + 10 * beside) / timedelta(hours=1)


def make_people(
    number: int, dice: Random, habits: Mapping[str, Habit] = HABITS, *, rest: bool = False
) -> list[Person]:
    """People of these habits in all zones; with `rest` all sleep at night, and a third is off at weekends."""
    kinds = list(habits.values())
    people = [Person(kinds[one % len(kinds)], ZoneInfo(dice.choice(ZONES))) for one in range(number)]
    for one, person in enumerate(people):
        if rest:
            weekend = frozenset({5, 6}) if one % 3 == 0 else frozenset[int]()
            person.availability = Availability(person.zone.key, time(23), time(7), weekend)
    return people


PLAIN = tuple(TimeControl.of(TurnTime.of_hours(hours)) for hours in (24, 48, 72, 120))
SHORT = tuple(TimeControl.of(TurnTime.of_hours(hours)) for hours in (12, 24, 48))
BANKS = (TimeControl.of(TurnTime.of_hours(12, 24)), TimeControl.of(TurnTime.of_hours(48, 96)))
"""With a reserve."""


def play_games(
    people: Sequence[Person],
    games: int,
    turns: int,
    dice: Random,
    fit: Callable[[AnswerCounts, Rates], Rates] = fit_rates,
    fit_all: Callable[[AnswerCounts], Rates] = fit_mean,
    controls: Sequence[TimeControl] = PLAIN,
) -> Iterator[Told]:
    """Games one after another; of each turn one of those who wait is told when theirs comes."""
    begin = datetime(2026, 1, 5, tzinfo=UTC)
    mean = Rates()
    for number in range(games):
        seated = dice.sample(people, dice.choice((2, 3, 4)))
        control = dice.choice(controls)
        banks = [control.bank for _ in seated]
        at = begin + timedelta(hours=dice.uniform(0, 24) + number * 300 * 24 / games)
        if number % 10 == 0:
            mean = fit_all(add_counts([one.counts for one in people]))
        course: list[tuple[datetime, Person]] = []
        asked: list[tuple[int, int, Forecast, datetime, int, int]] = []
        for turn in range(turns):
            place = turn % len(seated)
            mover = seated[place]
            answer = mover.answer(at, dice)
            deadline = add_counted(at, control.grace + banks[place], mover.rest_between)
            end = min(answer, deadline)
            course.append((at, mover))
            now = at if dice.random() < 0.5 else at + timedelta(hours=dice.uniform(0, 18))
            steps = dice.randrange(1, len(seated))
            if now < end:
                places = [(place + one) % len(seated) for one in range(steps)]
                ahead = [
                    seat_of(seated[one], fit(seated[one].counts, mean), control.grace + banks[one], now)
                    for one in places
                ]
                found = forecast_turn(ahead, at, deadline, now)
                if found is not None:
                    hour = now.astimezone(mover.zone).hour
                    asked.append((turn + steps, steps, found, now, hour, mover.counts.total))
            answered = answer <= deadline
            mover.counts = count_wait(mover.counts, at, end, mover.zone, is_answered=answered)
            left = count_time(end, deadline, mover.rest_between)
            banks[place] = control.bank_after(banks[place], left)
            at = end
        for turn, steps, found, now, hour, known in asked:
            if turn < len(course):
                yield Told(found, now, course[turn][0], steps, hour, known)


def seat_of(person: Person, rates: Rates, limit: timedelta, now: datetime) -> SeatAhead:
    """A seat of somebody who has so much time for a turn."""
    return SeatAhead(rates, person.zone, limit, rest=person.rest_between(now, now + HORIZON * STEP))


# --- what the figures of a test are ---------------------------------------------------------------------

UNSEEN_HABITS = {
    "every other day": Habit((Look(19, 2.5, 0.45, 0.45),), 0.95),
    "shifts": Habit((Look(6, 0.7, 0.5, 0.5), Look(14.5, 0.7, 0.5, 0.5), Look(22.5, 0.7, 0.5, 0.5)), 0.5),
    "lark": Habit((Look(6.2, 0.4, 0.9, 0.7), Look(13, 1.5, 0.2, 0.4)), 0.75),
    "parent": Habit((Look(20.8, 0.6, 0.7, 0.5), Look(13.3, 0.8, 0.3, 0.6)), 0.7, 0.05),
    "always there": Habit(tuple(Look(hour, 0.6, 0.8, 0.8) for hour in range(8, 24)), 0.8, 0.6),
}
"""Kinds of people that nobody had in mind when the numbers of the model were chosen."""


def cover(told: Sequence[Told]) -> float:
    """The share of intervals that held."""
    return sum(one.holds for one in told) / len(told)


def by_part_of_day(told: Sequence[Told]) -> dict[int, list[Told]]:
    """What was told in each sixth of the day of whoever was waited for."""
    found: dict[int, list[Told]] = {}
    for one in told:
        found.setdefault(one.hour // 4, []).append(one)
    return dict(sorted(found.items()))


def mean_score(told: Sequence[Told]) -> float:
    """The interval score on average."""
    return sum(one.score for one in told) / len(told)


def by_seats_ahead(told: Sequence[Told]) -> dict[int, list[Told]]:
    """What was told through each number of seats."""
    found: dict[int, list[Told]] = {}
    for one in told:
        found.setdefault(one.ahead, []).append(one)
    return dict(sorted(found.items()))
