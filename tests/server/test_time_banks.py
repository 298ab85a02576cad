"""A game with a reserve of time: what it gives, what it is charged, and what its log says of it."""

from datetime import time, timedelta

import pytest
from sqlalchemy import update

from emails.wording.texts import say
from engine import bots
from server.accounts.vacations import store_rest
from server.clock import follow_wall_clock, give_back_downtime
from server.delivery.sending import send_due_letters
from server.lobby.games import find_or_create_player
from server.lobby.leaving import pass_seat_on
from server.outbox.queue import open_unit
from server.store.event_log import load_acts
from server.store.models import DailyRest, Game, Seating
from server.store.states import Channel, MomentName
from server.store.turn_clock import find_times, unavailable_times_of
from server.turn_time import after_protected, count_time
from server.turns.play import play_turn
from tests.server.desk import ANNA, BEN, NOON, words_of
from tests.server.lobby.voting import all_pause, lift_pause

HOUR = timedelta(hours=1)
GRACE, BANK = 12, 24
FROM_TUESDAY = "From Tuesday morning, 3 March, 08:00 UTC on it is taken from your reserve of 24 hours."


def opened(context, refill=0):
    """A game of two with 12 hours a turn and 24 in reserve, whose first turn begins at noon."""
    time = {"hours": GRACE, "bank": BANK, "refill": refill}
    return context.begin_time(context.open_game("Friday", [ANNA, BEN], NOON, at_once=True, **time))


def play_after(context, game, hours):
    """Let whoever is to move play so many hours after their turn began, and the next turn begin."""
    row = context.game_row(game)
    now = row.turn_began_at + hours * HOUR
    play_turn(context, game, row.after, bots.stand_in, "web", now)
    context.begin_time(game, now)
    return context.game_row(game)


def bank_of_mover(context, game):
    return context.game_row(game).bank_left / 3600


def check_rebuilt(context, game):
    """The list of games that is made anew says what it said before."""
    before = context.projected(game)
    context.rebuild()
    assert context.projected(game) == before


def test_what_is_over_the_hours_of_a_turn_is_charged_to_its_player_alone(context):
    game = opened(context)
    play_after(context, game, GRACE + 5)
    assert bank_of_mover(context, game) == BANK, "that is the other's"
    row = play_after(context, game, GRACE - 1)
    assert bank_of_mover(context, game) == BANK - 5
    assert row.deadline == row.turn_began_at + (GRACE + BANK - 5) * HOUR
    play_after(context, game, 1)
    assert bank_of_mover(context, game) == BANK, "who was in time was charged nothing"


def test_a_turn_puts_time_back_and_no_more_than_there_was(context):
    game = opened(context, refill=3)
    play_after(context, game, GRACE + 5)
    play_after(context, game, 1)
    assert bank_of_mover(context, game) == BANK - 2
    for _ in range(2):
        play_after(context, game, 1)
    assert bank_of_mover(context, game) == BANK


def test_the_log_says_what_was_charged_and_the_list_is_made_anew_from_it(context):
    game = opened(context)
    play_after(context, game, GRACE + 5)
    play_after(context, game, 1)
    with context.reading() as session:
        acts = [row.events for row in load_acts(session, game)]
    assert '"bank":24,"refill":0' in acts[0]
    assert [one.count('"bank_left"') for one in acts[1:]] == [0, 1, 0]
    check_rebuilt(context, game)


@pytest.fixture
def asleep(context):
    """A game of which the player to move sleeps from 22:00 to 6:00."""
    game = opened(context)
    player = context.player_of(game, context.game_row(game).seat)
    with context.changing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.add(DailyRest(player=player, sleeps_from="22:00", sleeps_until="06:00"))
    return context.begin_time(game)


@pytest.mark.parametrize("by", [7 * HOUR, -3 * HOUR, 30 * HOUR, -30 * HOUR])
def test_a_wall_clock_that_is_set_leaves_who_sleeps_as_much_time_as_there_was(context, asleep, by):
    row, before = context.game_row(asleep), NOON + 5 * HOUR
    now = before + by
    follow_wall_clock(context, by, (now, now))
    found = context.game_row(asleep).deadline
    with context.reading() as session:
        unavailable = unavailable_times_of(session, asleep, row.seat)
        assert count_time(before, row.deadline, unavailable) == 31 * HOUR
        assert count_time(now, found, unavailable) == 31 * HOUR
        assert found == after_protected(found, unavailable)
    follow_wall_clock(context, -by, (before, before))
    assert context.game_row(asleep).deadline == row.deadline


def pass_on(context, game, seat, now, sleeps=None):
    with context.changing() as session:
        player = find_or_create_player(session, "Cleo", "cleo@example.org", "en", NOON).id
        store_rest(session, player, sleeps, frozenset(), NOON)
    with open_unit(context, now) as unit:
        seating = unit.session.get_one(Seating, (game, seat))
        pass_seat_on(unit, unit.session.get_one(Game, game), seating, player, "Cleo", Channel.OPERATOR)
        unit.commit()


def test_who_plays_on_for_a_seat_sleeps_at_their_own_time(context):
    """What passed before they came is not counted anew."""
    game = opened(context)
    pass_on(context, game, context.game_row(game).seat, NOON + 5 * HOUR, (time(22), time(6)))
    assert context.game_row(game).deadline == NOON + 52 * HOUR


def test_who_plays_on_for_a_seat_has_a_reserve_of_their_own(context):
    """Whoever has vanished has used theirs up."""
    game = opened(context)
    gone = context.game_row(game).seat
    play_after(context, game, GRACE + BANK)
    pass_on(context, game, gone, context.game_row(game).turn_began_at + HOUR)
    row = context.game_row(game)
    found = row.seat, row.bank_left, row.deadline - row.turn_began_at
    assert found == (1 - gone, BANK * 3600, (GRACE + BANK) * HOUR), "that is the other's turn"
    row = play_after(context, game, 2)
    assert (row.seat, row.bank_left) == (gone, BANK * 3600)
    assert row.deadline == row.turn_began_at + (GRACE + BANK) * HOUR


@pytest.mark.parametrize("is_paused", [False, True])
def test_who_plays_on_amid_a_turn_has_the_hours_that_are_left_of_it_and_a_whole_reserve(context, is_paused):
    game = opened(context)
    gone = context.game_row(game).seat
    play_after(context, game, GRACE + 20)
    row = play_after(context, game, 1)
    began, now = row.turn_began_at, row.turn_began_at + 6 * HOUR
    assert (row.seat, row.deadline) == (gone, began + (GRACE + BANK - 20) * HOUR)
    if is_paused:
        all_pause(context, game, now)
    pass_on(context, game, gone, now)
    if is_paused:
        lift_pause(context, game, now)
    row = context.game_row(game)
    assert (row.bank_left, row.deadline) == (BANK * 3600, began + (GRACE + BANK) * HOUR)
    check_rebuilt(context, game)


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (0, FROM_TUESDAY),
        (19, FROM_TUESDAY),
        (22, "It is taken from your reserve: 22 hours of it are left."),
        (36, "It is taken from your reserve: 10 hours of it are left."),
        (40, "It is taken from your reserve: 10 hours of it are left."),
        (44, "It is taken from your reserve: 8 hours of it are left."),
    ],
)
def test_the_reserve_stands_too_while_its_player_sleeps(context, asleep, hours, said):
    """The deadline is on the third day at 16:00."""
    row, now = context.game_row(asleep), NOON + hours * HOUR
    assert row.deadline == NOON + 52 * HOUR
    with context.reading() as session:
        deadline, found = find_times(session, row, None, now)
        assert deadline == row.deadline
        assert say("time.reserve_left", reserve=found, now=now) == said
        row.deadline = None
        assert find_times(session, row, None, now) == (None, None)


def test_the_letter_of_a_turn_says_from_when_on_the_reserve_is_used(context, carrier):
    opened(context)
    send_due_letters(context, carrier, NOON)
    [said] = (words for mail in carrier.mails if " left: please play" in (words := words_of(mail)))
    assert "36 hours left: please play before" in said
    assert "on it is taken from your reserve of 24 hours." in said


def test_the_page_of_a_turn_says_it_too_as_the_clock_counts_it(context, place, asleep):
    page = place.visitor().get(place.link(asleep, seat=context.game_row(asleep).seat))
    assert FROM_TUESDAY in page.text


def test_nobody_loses_their_reserve_while_the_server_is_down(context):
    game = opened(context)
    context.note_moment(MomentName.HEARTBEAT, NOON + 20 * HOUR)
    give_back_downtime(context, NOON + 240 * HOUR)
    assert context.game_row(game).deadline == NOON + (GRACE + BANK + 220) * HOUR
    play_after(context, game, 20)
    play_after(context, game, 1)
    assert bank_of_mover(context, game) == BANK - 8
