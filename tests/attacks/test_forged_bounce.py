"""A player forges reports that their own letters came back, so that no time runs on their turn.

The sender of a letter's envelope names the letter, and who gets the letter can read it. So a player can write
such a report by every letter of theirs, press the button that says that their address is good, and write the
next one. It must not hold up the others for more than a day of the whole game.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest

from server.accounts import bounces
from server.accounts.bounces import clear_bounce_of_seat
from tests.emails.replies.reports import FORMS
from tests.server.beginnings import begin_game
from tests.server.desk import Clock, Collector, Desk
from tests.server.inbox.returned import comes, envelope_of, halted, mended, report

HOURS = 48
"""The time for a turn."""
LONGEST_WAIT = timedelta(hours=HOURS) * 1.25 + bounces.LONGEST_REPORTED_PAUSE
"""A clock that goes on leaves a quarter of the time for a turn at least."""
STEP = 6
Habit = Callable[[int], bool]
HABITS: dict[str, Habit] = {
    "never presses the button": lambda _: False,
    "presses it at once": lambda _: True,
    "presses it twice a day": lambda number: number % 2 == 1,
    "presses it every three days": lambda number: number % 12 == 11,
}


@pytest.fixture
def game(context, mails) -> str:
    return begin_game(context, mails, "Anna", "Ben", "Cleo")


def hold_up(
    context: Desk, mails: Collector, game: str, clock: Clock, presses: Habit
) -> tuple[timedelta, list[timedelta]]:
    """Forge in each turn, and play nothing; how long the forger's clock stood, and how long their turns took.

    Two turns of the forger; the server plays for the others too.
    """
    name = context.mover(game)
    seat, stood, turns = context.seat_of(game, name), timedelta(), [timedelta()]
    forged: set[str] = set()
    mine = True
    for number in range(60 * 24 // STEP):
        for letter in mails.to(name) if mine else ():
            if letter["Message-ID"] not in forged:
                forged.add(str(letter["Message-ID"]))
                text = report(mails, letter, FORMS[len(forged) % len(FORMS)])
                comes(context, text, envelope_of(mails, letter), clock())
        before = halted(context, game, name)
        context.work_until_idle(mails, clock.forward(STEP))
        turns[-1] += timedelta(hours=STEP) * mine
        stood += timedelta(hours=STEP) * before
        if presses(number):
            context.committed(clock(), clear_bounce_of_seat, game, seat)
            context.work_until_idle(mails, clock())
        if mine != (context.game_row(game).seat == seat):
            mine = not mine
            if mine and len(turns) == 2:
                break
            turns += [timedelta()] * mine
    assert forged
    return stood, turns


@pytest.mark.breadth
@pytest.mark.parametrize("habit", HABITS)
def test_a_forged_report_stops_a_clock_for_a_day_of_the_game_at_most(context, mails, game, clock, habit):
    stood, turns = hold_up(context, mails, game, clock, HABITS[habit])
    assert timedelta() < stood <= timedelta(days=1)
    assert len(turns) == 2, "the game goes on"
    assert max(turns) <= LONGEST_WAIT
    mended(context, game)


@pytest.mark.breadth
def test_it_would_be_noticed_if_a_forged_report_stopped_it_for_longer(
    context, mails, game, clock, monkeypatch
):
    monkeypatch.setattr(bounces, "LONGEST_REPORTED_PAUSE", bounces.LONGEST_CLOCK_PAUSE)
    habit = "never presses the button"
    with pytest.raises(AssertionError):
        test_a_forged_report_stops_a_clock_for_a_day_of_the_game_at_most(context, mails, game, clock, habit)


@pytest.mark.breadth
def test_it_would_be_noticed_if_a_clock_stopped_again_in_the_same_game(
    context, mails, game, clock, monkeypatch
):
    end = bounces._pause_end
    monkeypatch.setattr(bounces, "_pause_end", lambda mark, _: end(mark, None))
    habit = "presses it every three days"
    with pytest.raises(AssertionError):
        test_a_forged_report_stops_a_clock_for_a_day_of_the_game_at_most(context, mails, game, clock, habit)
