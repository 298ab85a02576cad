"""The interval of a forecast holds in four of five: measured on people who have habits and no rates."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from random import Random

import pytest

from server.forecast.answer_counts import AGES, CELLS_OF_AGE, AnswerCounts
from server.forecast.rates import Rates, fit_mean, fit_rates
from server.time_control.control import TimeControl
from tests.server.forecast.habits import (
    BANKS,
    HABITS,
    PLAIN,
    SHORT,
    UNSEEN_HABITS,
    Habit,
    Told,
    by_part_of_day,
    by_seats_ahead,
    cover,
    make_people,
    mean_score,
    play_games,
)

STATED = (0.75, 0.85)


def without_hours(counts: AnswerCounts) -> AnswerCounts:
    """The same in all, spread evenly over hours and days: what a clock says is lost."""
    answers, quarters = list[float](), list[float]()
    for age in range(AGES):
        cells = slice(age * CELLS_OF_AGE, (age + 1) * CELLS_OF_AGE)
        answers += [sum(counts.answers[cells]) / CELLS_OF_AGE] * CELLS_OF_AGE
        quarters += [sum(counts.quarters[cells]) / CELLS_OF_AGE] * CELLS_OF_AGE
    return AnswerCounts(tuple(answers), tuple(quarters))


def fit_mean_blindly(counts: AnswerCounts) -> Rates:
    return fit_mean(without_hours(counts))


def fit_rates_blindly(counts: AnswerCounts, mean: Rates) -> Rates:
    return fit_rates(without_hours(counts), mean)


def play(seed: int, games: int, habits: Mapping[str, Habit] = HABITS, *, blind: bool = False) -> list[Told]:
    """Games of 48 people; who is `blind` ignores the hours of the day."""
    dice = Random(seed)
    fits = (fit_rates_blindly, fit_mean_blindly) if blind else (fit_rates, fit_mean)
    return list(play_games(make_people(48, dice, habits), games, 30, dice, *fits))


def play_with_rest(seed: int, games: int, controls: Sequence[TimeControl]) -> list[Told]:
    """Games of 48 people who sleep, and of whom a third is off at weekends."""
    dice = Random(seed)
    return list(play_games(make_people(48, dice, rest=True), games, 30, dice, controls=controls))


def report(name: str, told: Sequence[Told]) -> None:
    """Print the figures of a run."""
    parts = " ".join(f"{4 * part:02}h {cover(some):.1%}" for part, some in by_part_of_day(told).items())
    seats = " ".join(f"{ahead}: {cover(some):.1%}" for ahead, some in by_seats_ahead(told).items())
    figures = f"{len(told)} forecasts, {cover(told):.1%} hold, score {mean_score(told):.1f} h"
    sys.stdout.write(f"{name}: {figures}; {parts}; by seats ahead {seats}\n")


@pytest.mark.breadth
def test_four_of_five_intervals_hold() -> None:
    told, blind = play(11, 50), play(11, 50, blind=True)
    report("by the hour", told)
    report("without hours", blind)
    assert len(told) > 800
    assert STATED[0] <= cover(told) <= STATED[1]
    assert mean_score(told) < 0.93 * mean_score(blind)


@pytest.mark.long
def test_they_hold_at_each_time_of_the_day_and_without_hours_they_do_not() -> None:
    told, blind = play(12, 400), play(12, 400, blind=True)
    report("by the hour", told)
    report("without hours", blind)
    assert STATED[0] <= cover(told) <= STATED[1]
    assert all(STATED[0] <= cover(some) <= STATED[1] for some in by_part_of_day(told).values())
    assert not all(STATED[0] <= cover(some) <= STATED[1] for some in by_part_of_day(blind).values())
    assert mean_score(told) < 0.93 * mean_score(blind)


@pytest.mark.breadth
@pytest.mark.parametrize("seed", range(3))
def test_they_hold_of_people_nobody_had_in_mind(seed: int) -> None:
    told = play(seed, 120, UNSEEN_HABITS)
    report("unseen habits", told)
    assert STATED[0] <= cover(told) <= STATED[1]


@pytest.mark.breadth
def test_they_hold_of_people_who_sleep_and_have_days_off() -> None:
    told = play_with_rest(5, 60, SHORT)
    report("with sleep and days off", told)
    assert STATED[0] <= cover(told) <= STATED[1]


CONTROLS = {"plain": PLAIN, "short": SHORT, "with a reserve": BANKS}


@pytest.mark.long
@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("rest", [False, True])
def test_they_hold_through_each_number_of_seats(control: str, rest: bool) -> None:
    dice = Random(14)
    people = make_people(48, dice, rest=rest)
    told = list(play_games(people, 400, 30, dice, controls=CONTROLS[control]))
    report(f"{control}, {rest=}", told)
    assert STATED[0] <= cover(told) <= STATED[1]
    assert all(STATED[0] <= cover(some) <= STATED[1] for some in by_seats_ahead(told).values())
