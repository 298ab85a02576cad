"""A waiting player is told between which days their turn comes, and how soon the player to move answers."""

from datetime import UTC, date, datetime, timedelta

import pytest

from emails.terms import Habit
from server.accounts.vacations import take_vacation
from server.clock import tick
from server.store.models import DailyRest, Game, Seating
from server.store.schedule import write_moment
from server.store.states import MomentName
from server.turns.forecast import AskingSeat, foresee_turns
from tests.server.desk import NOON

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def outlook(context, game, name, now=NOON):
    with context.reading() as session:
        row = session.get_one(Game, game)
        asking = AskingSeat(row, context.history_of(session, row), context.seat_of(game, name))
        return foresee_turns(session, [asking], now)[0]


def play_whole_turn(context, game, now, channel="web"):
    row = context.game_row(game)
    return context.play(game, row.seat, row.after, [*context.turn_words(game), "draw", "draw"], channel, now)


def in_order(context, game):
    """The names in the order of their turns, whose turn it is first."""
    names, seat = context.names_of(game), context.game_row(game).seat
    return (*names[seat:], *names[:seat])


def go_away(context, name, first, last):
    [player] = context.rows_of(Seating.player, Seating.name == name)
    with context.changing() as session:
        take_vacation(session, player, first, last, NOON)


def test_the_turn_comes_when_the_time_of_all_before_it_is_up_at_the_latest(context):
    game = context.start_timed_game("Anna", "Ben", "Cleo", hours=48)
    first, second, third = in_order(context, game)
    assert outlook(context, game, first) is None
    assert outlook(context, game, second).latest == context.game_row(game).deadline
    later = outlook(context, game, third)
    assert later.earliest is None
    assert 2 * DAY <= later.latest - context.game_row(game).deadline < 2 * DAY + HOUR


def test_a_turn_comes_no_sooner_than_the_players_ahead_are_back(context):
    game = context.start_timed_game("Anna", "Ben", "Cleo")
    first, second, third = in_order(context, game)
    go_away(context, second, NOON.date(), date(2026, 3, 5))
    assert outlook(context, game, second).earliest is None
    assert outlook(context, game, third).earliest == datetime(2026, 3, 6, tzinfo=UTC)
    assert outlook(context, game, third).latest > datetime(2026, 3, 7, 23, tzinfo=UTC)
    go_away(context, first, NOON.date(), date(2026, 3, 9))
    assert outlook(context, game, second).earliest == datetime(2026, 3, 10, tzinfo=UTC)
    assert outlook(context, game, third).earliest == datetime(2026, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize("away", [None, MomentName.RELAY_AWAY, MomentName.MAILBOX_AWAY])
def test_while_no_time_runs_nothing_is_certain(context, away):
    """The operator has halted the game, or our mail is down."""
    game = context.start_timed_game("Anna", "Ben")
    _, second = in_order(context, game)
    with context.changing() as session:
        if away is None:
            session.get_one(Game, game).suspended_at = NOON
        else:
            write_moment(session, away, NOON)
    assert outlook(context, game, second, NOON + HOUR).latest is None


def test_nobody_waits_for_the_house_nor_for_who_has_resigned(context):
    game = context.start_timed_game("Anna", "Ben")
    late, waiting = in_order(context, game)
    context.resign(game, context.seat_of(game, late))
    assert outlook(context, game, waiting).is_immediate
    assert outlook(context, game, late) is None


@pytest.mark.parametrize("life", [["wait"] * 3, ["wait", "play", "wait"], ["play", "wait", "wait"]])
def test_the_turn_is_there_by_then_whoever_lets_their_time_run_out(context, life):
    game = context.start_timed_game("Anna", "Ben", "Cleo", "Dirk", hours=24)
    names = in_order(context, game)
    player = context.player_of(game, context.seat_of(game, names[1]))
    with context.changing() as session:
        session.merge(DailyRest(player=player, sleeps_from="22:00", sleeps_until="08:00"))
    go_away(context, names[2], date(2026, 3, 4), date(2026, 3, 5))
    latest, now = outlook(context, game, names[3]).latest, NOON
    for what in life:
        whose = context.mover(game)
        assert outlook(context, game, names[3], now).latest <= latest
        if what == "play":
            play_whole_turn(context, game, now)
        while context.mover(game) == whose:
            now = max(now + timedelta(minutes=1), context.game_row(game).deadline)
            tick(context, now)
        context.begin_time(game, now)
    assert context.mover(game) == names[3]
    assert now <= latest


def play_turns(context, game, *waits):
    """Let each turn of the first player wait so long, and the others answer after three days."""
    now, first = NOON, context.mover(game)
    for wait in waits:
        now += wait
        play_whole_turn(context, game, now)
        while context.mover(game) != first:
            now += 3 * DAY
            play_whole_turn(context, game, now)
    return now


@pytest.mark.parametrize(
    ("hours", "within"),
    [
        ((0.5, 0.2, 0.9), HOUR),
        ((0.5, 40, 0.9), HOUR),
        ((5, 20, 23), DAY),
        ((5, 40, 47), 2 * DAY),
        ((50, 90, 160), 7 * DAY),
        ((5, 20), None),
        ((200, 20, 300), None),
    ],
)
def test_a_habit_is_what_two_of_three_turns_of_this_game_show(context, hours, within):
    game = context.start_timed_game("Anna", "Ben")
    first, second = in_order(context, game)
    now = play_turns(context, game, *(one * HOUR for one in hours))
    assert outlook(context, game, second, now).habit == (None if within is None else Habit(first, within))


def test_it_is_the_habit_of_the_player_to_move(context):
    game = context.start_timed_game("Anna", "Ben", "Cleo")
    first, second, third = in_order(context, game)
    now = play_turns(context, game, HOUR / 2, HOUR / 2, HOUR / 2)
    assert outlook(context, game, third, now).habit == Habit(first, HOUR)
    play_whole_turn(context, game, now)
    assert outlook(context, game, third, now).habit == Habit(second, 7 * DAY)
