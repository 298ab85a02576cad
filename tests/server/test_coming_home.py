"""Who comes home has the first day free, and hears in the morning that it is their turn."""

from datetime import UTC, date, datetime, timedelta

import pytest

from emails.terms import USUAL_TIME
from engine import bots
from server.accounts.vacations import take_vacation
from server.store.game_terms import USUAL_TERMS, SeatRequest
from server.store.models import Seating
from server.store.states import Channel
from server.turns.play import play_turn
from tests.server.desk import (
    NOON,
    Collector,
    body,
    changing,
    game_row,
    names_of,
    open_game,
    start_game,
    work_until_idle,
)

HOUR = timedelta(hours=1)
AWAY = date(2026, 3, 3), date(2026, 3, 6)
"""From the day after the first turn begins, Tuesday to Friday."""


def goes_away(context, game, seat, days=AWAY, now=NOON):
    with changing(context) as session:
        player = session.get_one(Seating, (game, seat)).player
        take_vacation(session, player, days[0], days[1], now)


def welcomes(mails, name):
    return [mail for mail in mails.to(name) if f"Welcome back, {name}" in body(mail)]


def test_a_letter_in_the_morning_of_the_first_day_home_says_until_when_the_turn_is_theirs(context):
    game, mails = start_game(context, "Anna", "Ben", hours=48), Collector()
    work_until_idle(context, mails, NOON)
    row = game_row(context, game)
    name = names_of(context, game)[row.seat]
    goes_away(context, game, row.seat)
    morning = datetime(2026, 3, 7, 8, tzinfo=UTC)
    now = NOON
    while now < morning - HOUR:
        now += HOUR
        work_until_idle(context, mails, now)
    assert not welcomes(mails, name)
    for hours in range(1, 12):
        work_until_idle(context, mails, morning + hours * HOUR)
    [letter] = welcomes(mails, name)
    text = " ".join(body(letter).split())
    assert "It is your turn until Monday afternoon, 9 March, 12:00 UTC. No time runs today." in text
    assert game_row(context, game).deadline == datetime(2026, 3, 9, 12, tzinfo=UTC)


def march(*days):
    return tuple(date(2026, 3, day) for day in days)


AT_ONCE, ON_WEDNESDAY, ON_THE_LAST_DAY = NOON, NOON + 50 * HOUR, NOON + 144 * HOUR
SIX_DAYS = {
    "at once": [(AT_ONCE, 3, 8)],
    "overlapping": [(AT_ONCE, 3, 6), (AT_ONCE, 5, 8)],
    "overlapping, the later ones first": [(AT_ONCE, 5, 8), (AT_ONCE, 3, 6)],
    "touching": [(AT_ONCE, 3, 6), (AT_ONCE, 7, 8)],
    "overlapping and announced on the way": [(AT_ONCE, 3, 6), (ON_WEDNESDAY, 5, 8)],
    "touching and announced on the way": [(AT_ONCE, 3, 6), (ON_WEDNESDAY, 7, 8)],
    "on the last day": [(AT_ONCE, 3, 6), (NOON + 98 * HOUR, 6, 8)],
    "said again": [(AT_ONCE, 3, 8), (ON_WEDNESDAY, 3, 8)],
    "the rest of them said again": [(AT_ONCE, 3, 8), (ON_WEDNESDAY, 5, 8)],
    "some of them said again": [(AT_ONCE, 3, 8), (ON_WEDNESDAY, 6, 7)],
    "said again on the last day": [(AT_ONCE, 3, 8), (ON_THE_LAST_DAY, 8, 8)],
}


@pytest.mark.parametrize("said", SIX_DAYS.values(), ids=SIX_DAYS)
def test_days_that_overlap_or_touch_have_one_free_day_behind_them_and_one_letter(context, said):
    game, mails = start_game(context, "Anna", "Ben", hours=48), Collector()
    work_until_idle(context, mails, NOON)
    row = game_row(context, game)
    for now, first, last in said:
        work_until_idle(context, mails, now)
        goes_away(context, game, row.seat, march(first, last), now)
    name = names_of(context, game)[row.seat]
    for hours in range(7, 24):
        work_until_idle(context, mails, datetime(2026, 3, 9, hours, tzinfo=UTC))
        assert len(welcomes(mails, name)) == (hours >= 8)
    assert game_row(context, game).deadline == datetime(2026, 3, 11, 12, tzinfo=UTC)


def test_who_goes_away_again_on_the_first_day_home_is_welcomed_again(context):
    game, mails = start_game(context, "Anna", "Ben", hours=48), Collector()
    work_until_idle(context, mails, NOON)
    seat = game_row(context, game).seat
    goes_away(context, game, seat)
    home = datetime(2026, 3, 7, 8, tzinfo=UTC)
    work_until_idle(context, mails, home)
    goes_away(context, game, seat, march(7, 9), home + HOUR)
    name = names_of(context, game)[seat]
    for hours in range(1, 72):
        work_until_idle(context, mails, home + hours * HOUR)
        assert len(welcomes(mails, name)) == 1
    work_until_idle(context, mails, home + 72 * HOUR)
    assert len(welcomes(mails, name)) == 2


def test_who_comes_home_while_others_are_to_move_gets_no_such_letter(context):
    game, mails = start_game(context, "Anna", "Ben", hours=240), Collector()
    work_until_idle(context, mails, NOON)
    other = 1 - game_row(context, game).seat
    goes_away(context, game, other)
    for days in range(7):
        work_until_idle(context, mails, NOON + timedelta(days=days))
    assert not welcomes(mails, names_of(context, game)[other])


def test_an_illness_without_a_word_costs_the_reserve_first_and_eight_letters(context):
    """Of three players one is ill for eleven days; the others play within eight hours."""
    seats = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    game = open_game(context, "Friday", seats, NOON, time=USUAL_TIME, at_once=True, terms=USUAL_TERMS)
    mails = Collector()
    work_until_idle(context, mails, NOON)
    ill = game_row(context, game).seat
    for hours in range(0, 11 * 24, 8):
        now = NOON + timedelta(hours=hours)
        work_until_idle(context, mails, now)
        row = game_row(context, game)
        if hours < 48 + 96:
            assert row.turn == 1, "its time and the reserve"
        if row.seat != ill:
            play_turn(context, game, row.after, bots.stand_in, Channel.WEB, now)
    assert len(mails.to(names_of(context, game)[ill])) <= 8
