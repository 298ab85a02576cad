"""What the house plays by itself: who plays, with which pause, and what becomes of who thinks too long."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest

from emails.terms import Caretaker
from engine import bots
from engine.bots.advice import suggest_turns, suggest_turns_at_sight
from engine.bots.strengths import PROFILES, plan_gently
from engine.notation.orders import write
from engine.position import View, view
from server.clock import keep_deadlines, tick
from server.store.context import RecentlyUsed
from server.store.models import Act, Game, Seating, StoredTerms
from server.thinker import (
    InlineThinker,
    ThinkerBusy,
    ThinkerLost,
    ThinkerStopped,
    ThinkingTooLong,
)
from server.turns.bot_turns import LOOKS_EVERY, BotTurns, find_bot, play_bot_turns
from server.turns.forecast import SUGGESTIONS, suggest
from tests.server.desk import NOON, Desk, desk

STEADY, STRONG = "Roxana", "Darius"
LONG_AFTER = NOON + timedelta(hours=900)


class Seconds:
    """A clock that nobody sets but the test."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Failing:
    """A thinker that raises what it was given, call by call, and works out what is asked of it then."""

    def __init__(self, *errors: Exception) -> None:
        self.errors, self.asked = iter(errors), list[Any]()

    def call(self, function, *arguments, seconds=None):
        self.asked.append((function, seconds))
        for error in self.errors:
            raise error
        return function(*arguments)


@pytest.fixture
def patient(tmp_path) -> Desk:
    return desk(tmp_path, ALEXANDROS_HOUSE_SECONDS="20")


def seated(context: Desk, *people: str) -> str:
    """A game in which these sit in this order, a character or somebody else on the seats of the house."""
    asked = sorted("house" if name in PROFILES or name == "House" else name for name in people)
    wanted = [name if name in asked else "house" for name in people]
    for seed in range(100):
        drawn = list(asked)
        Random(seed).shuffle(drawn)
        if drawn == wanted:
            context.rng = Random(seed)
            game = context.start_game(*asked)
            break
    with context.changing() as session:
        for seat, name in enumerate(people):
            session.get_one(Seating, (game, seat)).name = name
    return game


def gently(context: Desk, game: str) -> None:
    with context.changing() as session:
        session.get_one(StoredTerms, game).caretaker = Caretaker.GENTLE


def doors(context: Desk, game: str) -> list[str]:
    found = context.rows_of(Act.door, Act.game == game)
    return [door for door in found if door in ("house", "caretaker", "clock", "link")]


def seen(context: Desk, game: str) -> View:
    position = context.position_of(game)
    return view(position, position.table.seat)


def play_by_hand(context: Desk, game: str) -> None:
    context.say(game, *context.turn_words(game), "draw", "draw", "end")


def play_all(house: BotTurns) -> int:
    done = 0
    while house.play(NOON):
        done += 1
    return done


def test_after_it_a_turn_comes_when_three_to_six_seconds_have_gone(patient):
    game, seconds = seated(patient, "Anna", STEADY), Seconds()
    house = BotTurns(patient, seconds)
    play_by_hand(patient, game)
    assert play_all(house) == 1, "thought about, and not played"
    for _ in range(10):
        if "house" in doors(patient, game):
            break
        seconds.now += LOOKS_EVERY
        play_all(house)
    assert 3 <= seconds.now <= 6


def test_a_wall_clock_that_is_put_back_delays_no_turn(patient):
    game, seconds = seated(patient, "Anna", STEADY), Seconds()
    house = BotTurns(patient, seconds)
    play_by_hand(patient, game)
    play_all(house)
    seconds.now += 5
    assert house.play(NOON - timedelta(days=400))
    assert doors(patient, game) == ["link", "house"]


def test_a_pause_moves_no_deadline_and_no_reminder(patient):
    rows = []
    for pauses in (False, True):
        game, seconds = seated(patient, "Anna", STEADY), Seconds()
        patient.begin_time(game)
        play_by_hand(patient, game)
        before = patient.game_row(game)
        house = BotTurns(patient, seconds)
        seconds.now += 100 * pauses
        play_all(house)
        assert patient.game_row(game) == before, "while it pauses nothing is written"
        seconds.now += 5
        play_all(house)
        patient.begin_time(game, NOON + timedelta(seconds=9))
        row = patient.game_row(game)
        rows.append((row.turn_began_at, row.deadline, row.reminded))
    assert rows[0] == rows[1]
    assert rows[0][1] == NOON + timedelta(hours=48, seconds=9)


def test_a_server_that_starts_again_meanwhile_plays_the_turn_once(patient):
    game, seconds = seated(patient, "Anna", STEADY), Seconds()
    play_by_hand(patient, game)
    one, other = BotTurns(patient, seconds), BotTurns(patient, seconds)
    play_all(one)
    play_all(other)
    seconds.now += 5
    assert play_all(one) + play_all(other) == 1
    assert doors(patient, game) == ["link", "house"]


def test_a_caretaker_does_not_pause(patient):
    game = seated(patient, "Anna", "Ben")
    play_by_hand(patient, game)
    patient.resign(game, 1)
    play_all(BotTurns(patient, Seconds()))
    assert doors(patient, game) == ["link", "caretaker"]


def test_one_game_after_the_other_is_looked_at_and_one_that_cannot_go_on_holds_no_other(context, caplog):
    context.thinker = Failing()
    games = [seated(context, STEADY, "Anna") for _ in range(3)]
    with context.changing() as session:
        session.get_one(Game, games[0]).board = "nowhere"
    context.history_cache = RecentlyUsed()
    assert play_bot_turns(context, NOON) == 2
    assert [context.game_row(game).turn for game in games] == [1, 2, 2]
    assert context.game_row(games[0]).due_at > NOON
    assert "nowhere" in caplog.text


def test_a_profile_plays_as_its_name_says(context):
    game = seated(context, STEADY, "Anna")
    context.thinker = Failing()
    known = seen(context, game)
    play_bot_turns(context, NOON)
    assert {function.args for function, _ in context.thinker.asked} == {(PROFILES[STEADY],)}
    assert len(PROFILES[STEADY].plan(known)) < 4
    assert len(context.thinker.asked) < 4, "a plan is asked for again only after a card came up"


def test_a_seat_from_before_the_house_had_names_plays_as_it_did(context):
    game = seated(context, "House", "Anna")
    context.thinker = Failing()
    with context.reading() as session:
        player = find_bot(session, session.get_one(Game, game), is_strong=True)
    assert (player.play, player.plans) == (bots.play_to_win, ())
    play_bot_turns(context, NOON)
    assert context.game_row(game).turn == 2
    assert context.thinker.asked == []


@pytest.mark.parametrize(("seconds", "plans"), [("0", ["steady"]), ("20", ["strong", "steady"])])
def test_the_strong_are_strong_where_they_have_time(tmp_path, seconds, plans):
    context = desk(tmp_path, ALEXANDROS_HOUSE_SECONDS=seconds)
    game = seated(context, STRONG, "Anna")
    with context.reading() as session:
        row = session.get_one(Game, game)
        player = find_bot(session, row, is_strong=context.settings.house_seconds > 0)
    assert [plan.args[0].strength for plan in player.plans] == plans
    assert {plan.args[0].name for plan in player.plans} == {STRONG}


@pytest.mark.parametrize("error", [ThinkingTooLong(), ThinkerLost(), ValueError("nobody thought of this")])
def test_for_whom_nothing_is_found_in_time_the_turn_is_played_that_steady_sees(patient, error):
    game = seated(patient, STRONG, "Anna")
    patient.thinker = Failing(error)
    house = BotTurns(patient, Seconds())
    play_all(house)
    assert patient.game_row(game).turn == 2
    asked = [(function.args[0].strength, seconds <= 20) for function, seconds in patient.thinker.asked]
    assert asked == [("strong", True)] + [("steady", True)] * (len(asked) - 1)


def test_at_last_what_is_found_at_once_is_played(patient):
    game = seated(patient, STEADY, "Anna")
    patient.thinker = Failing(*[ThinkingTooLong() for _ in range(9)])
    play_all(BotTurns(patient, Seconds()))
    assert patient.game_row(game).turn == 2
    assert len(patient.thinker.asked) == 1


@pytest.mark.parametrize("error", [ThinkerBusy(), ThinkerStopped()])
def test_while_others_think_or_the_server_stops_nothing_is_played_and_nothing_failed(patient, error, caplog):
    seated(patient, STEADY, "Anna")
    patient.thinker = Failing(error)
    house = BotTurns(patient, Seconds())
    assert house.play(NOON) == 0
    assert house.play(NOON) == 1
    assert caplog.records == []


@pytest.mark.parametrize("gentle", [False, True])
@pytest.mark.parametrize("resigned", [False, True])
def test_for_whoever_is_away_is_played_as_the_game_wishes(context, gentle, resigned):
    game = context.begin_time(seated(context, "Anna", "Ben"))
    if gentle:
        gently(context, game)
    known = seen(context, game)
    expected = plan_gently(known)[0] if gentle else bots.stand_in(known)
    if resigned:
        context.resign(game, 0)
        assert tick(context, NOON) == 1
    else:
        assert keep_deadlines(context, LONG_AFTER) == 1
    assert doors(context, game) == ["caretaker" if resigned else "clock"]
    said = context.rows_of(Act.said, Act.game == game)
    assert said[-1].startswith(write(expected, known.table.board))


def test_a_turn_whose_time_is_over_waits_for_nobody_who_thinks(context):
    game = context.begin_time(seated(context, "Anna", "Ben"))
    gently(context, game)
    context.thinker = Failing(ThinkerBusy())
    assert keep_deadlines(context, LONG_AFTER) == 1
    assert context.thinker.asked == []


def suggested(context, game, seat=None):
    row, history = context.game_row(game), context.history(game)
    with context.reading() as session:
        return suggest(context, session, row, history, row.seat if seat is None else seat)


@pytest.mark.parametrize("failed", [ThinkingTooLong(), ThinkerBusy(), ThinkerLost()])
def test_what_is_not_there_in_time_is_told_at_sight_and_stays_so_for_this_position(context, game, failed):
    context.let_advise(game)
    context.adviser = Failing(*[failed] * 9)
    found, known = suggested(context, game), seen(context, game)
    assert found == suggest_turns_at_sight(known, SUGGESTIONS) != ()
    context.adviser = InlineThinker()
    assert suggested(context, game) == found
    context.advice = RecentlyUsed()
    assert suggested(context, game) == suggest_turns(known, SUGGESTIONS)
    context.adviser = Failing(*[failed] * 9)
    assert suggested(context, game) == suggest_turns(known, SUGGESTIONS)


def test_nothing_is_suggested_where_no_advice_is_given_or_others_are_to_move(context, game):
    assert suggested(context, game) == ()
    context.let_advise(game)
    assert suggested(context, game, 1 - context.game_row(game).seat) == ()
