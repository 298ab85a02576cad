"""What the operator changes in games: acts that all who play are told of, and that show nobody a hand."""

import json
import shlex
from datetime import timedelta

import pytest

from server.admin import interventions
from server.admin.backups import examine_stored_acts
from server.lobby.leaving import resign
from server.store.event_log import load_acts
from server.store.models import ChatMessage
from server.store.states import Announcement, Channel
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, kinds, words_of

HOUR = timedelta(hours=1)


@pytest.fixture
def game(context, carrier):
    return context.begin_time(begin_game(context, carrier, "Anna", "Ben"))


def last_act(context, game):
    with context.reading() as session:
        row = load_acts(session, game)[-1]
    return row.door, row.seat, [fact["type"] for fact in json.loads(row.events)]


def told(context, game):
    return {
        (one.addressee, one.announcement) for one in context.rows_of(ChatMessage, ChatMessage.game == game)
    }


def check(context, game):
    """The log replays, and what is projected from it is what stands there."""
    assert list(examine_stored_acts(context)) == []
    before = context.projected(game)
    context.rebuild()
    assert context.projected(game) == before


def test_a_pause_is_an_act_of_the_operator_and_told_to_everybody(context, game):
    left = context.game_row(game).deadline - (NOON + HOUR)
    said = interventions.pause_game(context, game, NOON + HOUR)
    assert said == f"{game} is paused: no time runs, and its players are notified"
    assert last_act(context, game) == ("operator", None, ["game_paused"])
    assert told(context, game) == {(seat, Announcement.PAUSED_BY_OPERATOR) for seat in (0, 1)}
    assert context.game_row(game).deadline is None
    check(context, game)
    interventions.resume_game(context, game, NOON + 50 * HOUR)
    assert last_act(context, game) == ("operator", None, ["game_resumed"])
    assert context.game_row(game).deadline == NOON + 50 * HOUR + left
    seat = context.game_row(game).seat
    paused = {(one, Announcement.PAUSED_BY_OPERATOR) for one in (0, 1)}
    goes_on = {(seat, Announcement.TURN_GOES_ON), (1 - seat, Announcement.RESUMED_BY_OPERATOR)}
    assert told(context, game) == paused | goes_on
    check(context, game)


def test_more_time_is_told_in_the_language_of_each(context, carrier, game):
    for name in ("Anna", "Ben"):
        context.set_preferences(game, name, messages=True, language="nl" if name == "Ben" else "en")
    before, name = context.game_row(game).deadline, context.mover(game)
    said = interventions.extend_turn(context, game, 24, NOON + HOUR)
    assert context.game_row(game).deadline == before + timedelta(hours=24)
    assert said.startswith(f"{name} has until 2026-03-05 12:00 UTC")
    assert last_act(context, game) == ("operator", None, ["time_added"])
    carrier.mails.clear()
    context.work_until_idle(carrier, NOON + HOUR)
    assert f"The operator of this server has given {name} more time" in words_of(carrier.to("Anna")[0])
    assert f"heeft {name} meer tijd gegeven" in words_of(carrier.to("Ben")[0])
    check(context, game)


def test_an_extension_of_the_operator_takes_none_from_those_of_the_players(context, game):
    for _ in range(3):
        interventions.extend_turn(context, game, 1, NOON)
    assert context.history(game).agreements.extension.times == 0
    assert context.game_row(game).deadline == NOON + 51 * HOUR


def test_another_who_plays_here_plays_on_for_a_seat(context, carrier, game):
    context.start_game("Cleo", "Dirk")
    context.confirm("Cleo")
    name = context.mover(game)
    seat = context.seat_of(game, name)
    said = interventions.replace_player(context, game, seat, "Cleo@example.org", NOON + HOUR)
    assert said == f"Cleo <cleo@example.org> plays on for {name} in {game}, and all are notified"
    assert last_act(context, game)[:2] == ("operator", None)
    assert context.mover(game) == "Cleo"
    other = 1 - seat
    assert told(context, game) == {(other, Announcement.REPLACED_BY_OPERATOR)}
    carrier.mails.clear()
    context.work_until_idle(carrier, NOON + HOUR)
    assert kinds(carrier.to(name)) == ["replaced"]
    said = words_of(carrier.to(name)[0])
    assert "The operator of this server has given your seat in “Friday” to somebody else" in said
    assert "caretaker" not in said, "they had not vanished"
    assert carrier.to("Cleo")
    check(context, game)


def test_whoever_plays_on_has_a_quarter_of_the_turn_at_least(context, carrier, game):
    context.start_game("Cleo", "Dirk")
    context.confirm("Cleo")
    late = NOON + 48 * HOUR - timedelta(minutes=2)
    assert context.game_row(game).deadline == NOON + 48 * HOUR
    context.work_until_idle(carrier, late)
    assert context.game_row(game).reminded
    interventions.replace_player(context, game, context.game_row(game).seat, "cleo@example.org", late)
    assert context.game_row(game).deadline == late + 12 * HOUR
    context.work_until_idle(carrier, late)
    carrier.mails.clear()
    context.work_until_idle(carrier, late + 11 * HOUR)
    assert "reminder" in kinds(carrier.to("Cleo"))
    check(context, game)


NOT_CONFIRMED = "has not accepted or played anything here yet, so the address is not confirmed; let them"
NOT_KNOWN = "no player here has the address zoe@example.org; let them take a seat in another game first"
SITS_HERE = "ben@example.org has a seat in this game already"
NO_HOURS = "a turn can be given 1 to 720 hours"
NO_GAME = "alexandros: "


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("replace {game} 1 cleo@example.org", NOT_CONFIRMED),
        ("replace {game} 1 zoe@example.org", NOT_KNOWN),
        ("replace {game} 1 'Ben <ben@example.org>'", SITS_HERE),
        ("replace {game} 1 ben@example.org", SITS_HERE),
        ("replace {game} 4 ben@example.org", "seat 4 of {game} is not played by a person"),
        ("resume {game}", "{game} is not paused"),
        ("extend {game} 0", NO_HOURS),
        ("extend {game} 99999999999999999999", NO_HOURS),
        ("address zoe@example.org zoe@example.net", "0 players here have the address"),
        ("address anna@example.org ben@example.org", "the address of another player here"),
        ("address anna@example.org root@localhost", "root@localhost cannot be a player"),
        ("address anna@example.org anna", "anna is not a mail address"),
        ("pause abcd2345", "This game is no longer here."),
        ("offer abcd2345", NO_GAME),
        ("offer abcd2345 1", NO_GAME),
        ("suspend abcd2345", NO_GAME),
        ("suspend abcd2345 --lift", NO_GAME),
        ("show abcd2345", NO_GAME),
        ("resume abcd2345", NO_GAME),
        ("extend abcd2345 5", NO_GAME),
        ("replace abcd2345 1 ben@example.org", NO_GAME),
        ("export abcd2345", NO_GAME),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(context, game, typed, sentence):
    context.start_game("Cleo", "Dirk")  # they have never answered
    context.confirm("Anna", "Ben")
    before = context.projected(game)
    result = context.type_in(*shlex.split(typed.format(game=game)))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("alexandros: ")
    assert sentence.format(game=game) in result.stderr
    assert result.stderr.count("\n") == 1
    assert context.projected(game) == before


def test_a_seat_that_can_be_offered_is_to_be_offered_to_whom_nobody_knows(context, game):
    resigned = context.mover(game)
    seat = context.seat_of(game, resigned)
    context.committed(NOON, resign, game, seat, Channel.WEB)
    result = context.type_in("replace", game, str(seat + 1), "zoe@example.org")
    assert "zoe@example.org; offer the seat and pass its link on instead" in result.stderr
    assert context.type_in("offer", game, str(seat + 1)).exit_code == 0


def test_a_game_without_a_limit_and_one_that_is_halted_are_not_paused(context):
    timeless, halted = context.start_game("Anna", "Ben"), context.start_game("Cleo", "Dirk")
    context.change_game(timeless, turn_minutes=0)  # as in games from before each had its limit
    assert "has no time limit" in context.type_in("pause", timeless).stderr
    context.type_in("suspend", halted)
    assert "has halted this game" in context.type_in("pause", halted).stderr
