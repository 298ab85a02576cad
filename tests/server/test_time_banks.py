"""A game with a reserve of time: what it gives, what it is charged, and what its log says of it."""

from datetime import time, timedelta

import pytest
from sqlalchemy import update

from emails.terms import TurnTime
from emails.wording.deadlines import describe_reserve
from engine import bots
from server.accounts.vacations import keep_time_left, store_rest
from server.clock import follow_wall_clock, give_back_downtime, tick
from server.delivery.sending import send_due_letters
from server.lobby.games import find_or_create_player
from server.lobby.leaving import pass_seat_on
from server.lobby.votes import ask_extension
from server.outbox.preferences import Preferences, store_preferences
from server.outbox.queue import open_unit
from server.store import projection
from server.store.event_log import load_acts
from server.store.game_terms import SeatRequest
from server.store.models import Game, Seating
from server.store.schedule import write_moment
from server.store.states import Channel, MomentName
from server.store.stored_availability import DailyRest, unavailable_spans_of
from server.store.turn_clock import find_reserve
from server.time_control.availability import clip_spans
from server.time_control.turn_time import TimeControl, after_protected, count_time
from server.turns.play import play_turn
from tests.server.desk import NOON, Collector, begin_time, body, game_row, open_game, projected
from tests.server.lobby.voting import all_pause, lift_pause
from tests.server.time_control.seat_clock import ClockHistory, TurnTaken, due
from tests.server.web.site import Site

HOUR = timedelta(hours=1)
GRACE, BANK = 12, 24


def opened(context, refill=0):
    """A game of two with 12 hours a turn and 24 in reserve, whose first turn begins at noon."""
    seats = [SeatRequest.read(f"{name} <{name.lower()}@example.org>") for name in ("Anna", "Ben")]
    game = open_game(context, "Friday", seats, NOON, hours=GRACE, bank=BANK, refill=refill, at_once=True)
    return begin_time(context, game)


def play_after(context, game, hours):
    """Let whoever is to move play so many hours after their turn began, and the next turn begin."""
    row = game_row(context, game)
    now = row.turn_began_at + hours * HOUR
    play_turn(context, game, row.after, bots.stand_in, "web", now)
    begin_time(context, game, now)
    return game_row(context, game)


def bank_of_mover(context, game):
    return game_row(context, game).bank_left / 3600


def test_a_turn_has_its_hours_and_the_reserve(context):
    game = opened(context)
    assert game_row(context, game).deadline == NOON + (GRACE + BANK) * HOUR


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


def test_a_turn_that_ran_out_of_time_puts_nothing_back(context):
    game = opened(context, refill=3)
    tick(context, NOON + (GRACE + BANK) * HOUR)
    begin_time(context, game, NOON + 40 * HOUR)
    play_after(context, game, 1)
    assert bank_of_mover(context, game) == 0
    play_after(context, game, 1)
    play_after(context, game, 1)
    assert bank_of_mover(context, game) == 3, "the next turn, played in time, does"


def test_time_is_up_when_the_reserve_is_empty_and_then_the_hours_are_left(context):
    game = opened(context)
    tick(context, NOON + (GRACE + BANK) * HOUR - timedelta(seconds=1))
    assert game_row(context, game).turn == 1
    tick(context, NOON + (GRACE + BANK) * HOUR)
    assert game_row(context, game).turn == 2
    begin_time(context, game, NOON + 40 * HOUR)
    row = play_after(context, game, 1)
    assert (row.bank_left, row.deadline) == (0, row.turn_began_at + GRACE * HOUR)


def test_the_log_says_what_was_charged_and_the_list_is_made_anew_from_it(context):
    game = opened(context)
    play_after(context, game, GRACE + 5)
    play_after(context, game, 1)
    with context.reading() as session:
        acts = [row.events for row, _ in load_acts(session, game)]
    assert '"bank":24,"refill":0' in acts[0]
    assert [one.count('"bank_left"') for one in acts[1:]] == [0, 1, 0]
    before = projected(context, game)
    projection.rebuild(context)
    assert projected(context, game) == before


def test_nobody_loses_their_reserve_while_the_server_is_down(context):
    game = opened(context)
    with context.writing() as session:
        write_moment(session, MomentName.HEARTBEAT, NOON + 20 * HOUR)
        session.commit()
    give_back_downtime(context, NOON + 240 * HOUR)
    assert game_row(context, game).deadline == NOON + (GRACE + BANK + 220) * HOUR
    row = game_row(context, game)
    play_turn(context, game, row.after, bots.stand_in, "web", NOON + 240 * HOUR)
    begin_time(context, game, NOON + 240 * HOUR)
    play_after(context, game, 1)
    assert bank_of_mover(context, game) == BANK - 8


def rests(context, game, *days):
    """Let whoever is to move have such weekdays off, and sleep from 22:00 to 6:00."""
    row = game_row(context, game)
    with context.writing() as session:
        player = session.get_one(Seating, (game, row.seat)).player
        off = "".join(map(str, days))
        session.add(DailyRest(player=player, sleeps_from="22:00", sleeps_until="06:00", days_off=off))
        session.commit()


def due_by_acts(context, game, *, now, began=NOON, **spans):
    """When time is up by the pure clock, for a first turn."""
    row = game_row(context, game)
    history = ClockHistory(
        TimeControl.of(TurnTime.of_hours(GRACE, BANK)), (TurnTaken(began, **spans.pop("turn", {})),), **spans
    )
    with context.reading() as session:
        return due(history, unavailable_spans_of(session, game, row.seat), now)


@pytest.mark.parametrize("hours", [1, 30, 100, 240])
def test_time_is_up_as_the_acts_give_after_the_server_was_down_with_nights_and_days_off(context, hours):
    game = opened(context)
    with context.writing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.commit()
    rests(context, game, 5, 6)
    begin_time(context, game)
    down = NOON + 5 * HOUR, NOON + (5 + hours) * HOUR
    assert game_row(context, game).deadline == due_by_acts(context, game, now=NOON)
    with context.writing() as session:
        write_moment(session, MomentName.HEARTBEAT, down[0])
        session.commit()
    give_back_downtime(context, down[1])
    assert game_row(context, game).deadline == due_by_acts(context, game, now=down[1], down=(down,))


@pytest.mark.parametrize(("before", "lasted"), [(30, 0.1), (8, 0.1), (1, 0.1), (1, 300)])
def test_after_a_start_before_the_night_ten_minutes_are_counted_as_the_acts_give(context, before, lasted):
    """Its player sleeps from 22:00 to 6:00: what is not over by then goes on in the morning."""
    game, began, minute = opened(context), NOON.replace(hour=17, minute=57), timedelta(minutes=1)
    with context.writing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.commit()
    rests(context, game)
    begin_time(context, game, began)
    deadline = began + 52 * HOUR
    assert game_row(context, game).deadline == deadline, "two nights, and three minutes before the third"
    down = deadline - before * minute, deadline + (lasted - before) * minute
    with context.writing() as session:
        write_moment(session, MomentName.HEARTBEAT, down[0])
        session.commit()
    give_back_downtime(context, down[1])
    ends = game_row(context, game).deadline
    assert ends == due_by_acts(context, game, now=down[1], began=began, down=(down,))
    tick(context, ends - timedelta(seconds=1))
    assert game_row(context, game).turn == 1
    tick(context, ends)
    assert game_row(context, game).turn == 2


@pytest.mark.parametrize(
    ("change", "ends"),
    [("sleep", NOON + 87 * HOUR), ("zone", NOON + 57 * HOUR)],
)
def test_availability_counts_from_when_it_was_told_on(context, change, ends):
    """A minute before the end of a turn its player sleeps at another time: what has passed stays so."""
    game, minute = opened(context), timedelta(minutes=1)
    with context.writing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.commit()
    rests(context, game)
    begin_time(context, game)
    row = game_row(context, game)
    made = NOON + 52 * HOUR - minute
    assert row.deadline == made + minute
    with context.writing() as session:
        player, before = (
            session.get_one(Seating, (game, row.seat)).player,
            unavailable_spans_of(session, game, row.seat),
        )
        if change == "sleep":
            store_rest(session, player, (time(15), time(3)), frozenset({3}), made)
        else:
            with keep_time_left(session, player, made):
                store_preferences(session, player, None, Preferences(zone="Asia/Tokyo"), made)
        session.commit()
        after = unavailable_spans_of(session, game, row.seat)

    def unavailable(since, until):
        return (*clip_spans(before(since, until), since, made), *clip_spans(after(since, until), made, until))

    history = ClockHistory(TimeControl.of(TurnTime.of_hours(GRACE, BANK)), (TurnTaken(NOON),))
    found = game_row(context, game).deadline
    assert found == due(history, unavailable, made) == ends + minute
    tick(context, found - timedelta(seconds=1))
    assert game_row(context, game).turn == 1
    tick(context, found)
    assert game_row(context, game).turn == 2


@pytest.mark.parametrize("by", [7 * HOUR, -3 * HOUR, 30 * HOUR, -30 * HOUR])
def test_a_wall_clock_that_is_set_leaves_who_sleeps_as_much_time_as_there_was(context, by):
    game = opened(context)
    with context.writing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.commit()
    rests(context, game)
    begin_time(context, game)
    row, before = game_row(context, game), NOON + 5 * HOUR
    now = before + by
    follow_wall_clock(context, by, (now, now))
    found = game_row(context, game).deadline
    with context.reading() as session:
        unavailable = unavailable_spans_of(session, game, row.seat)
        assert (
            count_time(now, found, unavailable) == count_time(before, row.deadline, unavailable) == 31 * HOUR
        )
        assert found == after_protected(found, unavailable)
    follow_wall_clock(context, -by, (before, before))
    assert game_row(context, game).deadline == row.deadline


def test_who_plays_on_for_a_seat_sleeps_at_their_own_time(context):
    """What passed before they came is not counted anew."""
    game = opened(context)
    row, now = game_row(context, game), NOON + 5 * HOUR
    with context.writing() as session:
        player = find_or_create_player(session, "Cleo", "cleo@example.org", "en", NOON).id
        store_rest(session, player, (time(22), time(6)), frozenset(), NOON)
        session.commit()
    with open_unit(context, now) as unit:
        seating = unit.session.get_one(Seating, (game, row.seat))
        pass_seat_on(unit, unit.session.get_one(Game, game), seating, player, "Cleo", Channel.OPERATOR)
        unit.commit()
    assert game_row(context, game).deadline == NOON + 52 * HOUR


def pass_on(context, game, seat, now):
    """Cleo, who plays here, plays on for a seat."""
    with context.writing() as session:
        player = find_or_create_player(session, "Cleo", "cleo@example.org", "en", NOON).id
        session.commit()
    with open_unit(context, now) as unit:
        seating = unit.session.get_one(Seating, (game, seat))
        pass_seat_on(unit, unit.session.get_one(Game, game), seating, player, "Cleo", Channel.OPERATOR)
        unit.commit()


def test_who_plays_on_for_a_seat_has_a_reserve_of_their_own(context):
    """Whoever has vanished has used theirs up."""
    game = opened(context)
    gone = game_row(context, game).seat
    play_after(context, game, GRACE + BANK)
    pass_on(context, game, gone, game_row(context, game).turn_began_at + HOUR)
    row = game_row(context, game)
    assert (row.seat, row.bank_left, row.deadline) == (
        1 - gone,
        BANK * 3600,
        row.turn_began_at + (GRACE + BANK) * HOUR,
    ), "that is the other's turn"
    row = play_after(context, game, 2)
    assert (row.seat, row.bank_left) == (gone, BANK * 3600)
    assert row.deadline == row.turn_began_at + (GRACE + BANK) * HOUR


@pytest.mark.parametrize("is_paused", [False, True])
def test_who_plays_on_amid_a_turn_has_the_hours_that_are_left_of_it_and_a_whole_reserve(context, is_paused):
    game = opened(context)
    gone = game_row(context, game).seat
    play_after(context, game, GRACE + 20)
    row = play_after(context, game, 1)
    began, now = row.turn_began_at, row.turn_began_at + 6 * HOUR
    assert (row.seat, row.deadline) == (gone, began + (GRACE + BANK - 20) * HOUR)
    if is_paused:
        all_pause(context, game, now)
    pass_on(context, game, gone, now)
    if is_paused:
        lift_pause(context, game, now)
    row = game_row(context, game)
    assert (row.bank_left, row.deadline) == (BANK * 3600, began + (GRACE + BANK) * HOUR)
    before = projected(context, game)
    projection.rebuild(context)
    assert projected(context, game) == before


def test_what_is_left_while_a_game_is_paused_is_its_hours_and_its_reserve_without_the_nights(context):
    game = opened(context)
    with context.writing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.commit()
    rests(context, game)
    begin_time(context, game)
    for number, (change, now) in enumerate([(all_pause, NOON + 8 * HOUR), (lift_pause, NOON + 49 * HOUR)]):
        change(context, game, now)
        left = timedelta(seconds=game_row(context, game).time_left or 0)
        assert left == (0 if number else GRACE + BANK - 8) * HOUR
    lost = ((NOON + 8 * HOUR, NOON + 49 * HOUR),)
    now = NOON + 49 * HOUR
    assert game_row(context, game).deadline == due_by_acts(context, game, now=now, lost=lost)
    row = game_row(context, game)
    mover = row.seat
    with open_unit(context, now) as unit:
        ask_extension(unit, game, 1 - mover, Channel.WEB)
        unit.commit()
    given = {"given": ((now, 24 * HOUR),)}
    assert game_row(context, game).deadline == due_by_acts(context, game, now=now, lost=lost, turn=given)


def test_a_turn_that_begins_while_the_server_is_down_has_all_of_its_time_after_it(context):
    game = opened(context)
    with context.writing() as session:
        write_moment(session, MomentName.HEARTBEAT, NOON - HOUR)
        session.commit()
    give_back_downtime(context, NOON + 5 * HOUR)
    row = game_row(context, game)
    assert (row.turn_began_at, row.deadline) == (NOON + 5 * HOUR, NOON + (5 + GRACE + BANK) * HOUR)


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (0, "From Tuesday morning, 3 March, 08:00 UTC on it is taken from your reserve of 24 hours."),
        (19, "From Tuesday morning, 3 March, 08:00 UTC on it is taken from your reserve of 24 hours."),
        (22, "It is taken from your reserve: 22 hours of it are left."),
        (36, "It is taken from your reserve: 10 hours of it are left."),
        (40, "It is taken from your reserve: 10 hours of it are left."),
        (44, "It is taken from your reserve: 8 hours of it are left."),
    ],
)
def test_the_reserve_stands_too_while_its_player_sleeps(context, hours, said):
    """From 22:00 to 6:00: the deadline is on the third day at 16:00."""
    game, now = opened(context), NOON + hours * HOUR
    with context.writing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.commit()
    rests(context, game)
    begin_time(context, game)
    row = game_row(context, game)
    assert row.deadline == NOON + 52 * HOUR
    with context.reading() as session:
        found = find_reserve(session, row, row.deadline, now)
        assert describe_reserve(found, now) == said
        assert describe_reserve(find_reserve(session, row, None, now), now) == ""


def test_the_letter_of_a_turn_says_from_when_on_the_reserve_is_used(context):
    opened(context)
    carrier = Collector()
    send_due_letters(context, carrier, NOON)
    said = next(" ".join(body(mail).split()) for mail in carrier.mails if " left: please play" in body(mail))
    assert "36 hours left: please play before" in said
    assert "on it is taken from your reserve of 24 hours." in said


def test_the_page_of_a_turn_says_it_too_as_the_clock_counts_it(context):
    game = opened(context)
    with context.writing() as session:
        session.execute(update(Game).values(turn_began_at=None, deadline=None))
        session.commit()
    rests(context, game)
    begin_time(context, game)
    place = Site(context)
    page = place.visitor().get(place.link(game, seat=game_row(context, game).seat))
    assert (
        "From Tuesday morning, 3 March, 08:00 UTC on it is taken from your reserve of 24 hours." in page.text
    )
