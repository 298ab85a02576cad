"""Votes on more time and a pause: who may ask, answer and end, when, and each once; by every door."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from server.lobby import votes
from server.lobby.votes import VoteRefused
from server.outbox.queue import open_unit
from server.store.context import RecentlyUsed
from server.store.event_log import StalePosition
from server.store.models import Game
from server.store.states import Channel
from tests.server.desk import NOON, kinds, words_of
from tests.server.lobby.voting import all_pause, answers, extends, pauses, written
from tests.server.web.bots import Bot, bot, bots

DAY = timedelta(days=1)


@pytest.fixture
def game(context) -> str:
    """A game of three that nobody of them has opened; the time of the first turn runs, 48 hours."""
    return context.start_timed_game("Anna", "Ben", "Cleo")


def test_the_first_day_more_is_added_at_once_and_the_others_are_asked_for_a_no(context, game, mails):
    context.confirm(*context.names_of(game))
    context.work_until_idle(mails, NOON)
    before = context.game_row(game).deadline
    assert extends(context, game, 0, NOON) is VoteOutcome.ADDED
    assert context.game_row(game).deadline == before + DAY
    context.work_until_idle(mails, NOON)
    names = context.names_of(game)
    assert [kinds(mails.to(name)).count("motion") for name in names] == [0, 1, 1]
    told = mails.to(names[1])[-1]
    assert told["Subject"] == f"Friday: {names[0]} has got 24 hours more"
    letter = words_of(told)
    assert f"{names[0]} has got 24 hours more" in letter
    assert "reply “no”" in letter


def test_of_two_answers_in_one_moment_one_counts(context, game):
    extends(context, game, 0, NOON)

    def declines(seat: int) -> object:
        try:
            return answers(context, game, seat, VoteKind.MORE_TIME, VoteAnswer.NO, NOON)
        except (StalePosition, VoteRefused) as error:
            return type(error)

    with ThreadPoolExecutor(2) as both:
        said = list(both.map(declines, (1, 2)))
    assert said.count(VoteOutcome.WITHDRAWN) == 1
    assert written(context, game, "time_withdrawn") == 1


@pytest.mark.parametrize("asked_at", [0, 25, 45])
def test_a_turn_that_has_got_more_time_is_reminded_twice_in_all(context, game, mails, clock, asked_at):
    for hour in range(72):
        if hour == asked_at:
            extends(context, game, 0, clock())
        context.work_until_idle(mails, clock())
        clock.forward(1)
    assert context.game_row(game).turn == 1
    assert kinds(mails.to(context.names_of(game)[0])).count("reminder") == 2
    context.work_until_idle(mails, clock())
    assert context.game_row(game).turn == 2


@pytest.mark.parametrize("asks", [extends, pauses])
def test_no_time_is_added_where_none_runs(context, asks):
    untimed = context.start_timed_game("Anna", "Ben", hours=1)
    context.change_game(untimed, turn_minutes=0)
    with pytest.raises(VoteRefused, match="as long as its player likes"):
        asks(context, untimed, 0, NOON)


def test_votes_of_a_log_from_before_lapse(context, game):
    old = [{"type": "motion_agreed", "seat": 1, "motion": "close the game"}]
    with open_unit(context, NOON) as unit:
        row = unit.session.get_one(Game, game)
        votes.record_act(unit, row, unit.history_of(row), 1, Channel.WEB, "close the game", old)
        unit.commit()
    context.history_cache = RecentlyUsed()
    assert context.history(game).agreements.votes == {}


def test_a_page_that_is_pressed_twice_asks_once(place):
    game = place.context.start_timed_game("Anna", "Ben")
    pages = [place.look(game, "/agreements", seat=0) for _ in range(2)]
    for page in pages:
        page.send("//form[.//button[@value='more time']]", wish="more time")
    assert [written(place.context, game, kind) for kind in ("time_added", "vote_cast")] == [1, 0]


def test_a_pause_is_shown_with_its_end_everywhere(place):
    game = place.context.start_timed_game("Anna", "Ben")
    all_pause(place.context, game, NOON, NOON + 5 * DAY)
    assert "The game is paused until" in place.look(game).text
    one = bot(place, game, place.names(game)[0])
    told = one.get(f"games/{game}").json
    assert told["paused_until"].startswith("2026-03-07T12:00:00")
    [listed] = one.get("games").json["games"]
    assert listed["paused_until"] == told["paused_until"]
    assert "Paused until" in place.signed_in(game, 0).get("/me").text


def test_a_program_asks_and_answers(place):
    game = place.context.start_timed_game("Anna", "Ben")

    def send(one: Bot, **words: object) -> tuple[int, str]:
        answer = one.post(f"games/{game}/votes", words)
        return answer.status_code, answer.json.get("outcome", answer.json.get("detail"))

    one, other = bots(place, game)
    assert send(one, vote="pause") == (200, "asked")
    assert send(other, vote="pause", answer="no") == (200, "declined")
    assert send(one, vote="more time") == (200, "time added")
    assert send(other, vote="more time", answer="no") == (200, "time withdrawn")
    assert send(one, vote="holiday")[0] == 400
    assert send(one)[0] == 400
    assert send(one, vote="pause", answer="no") == (422, "That is not voted on any more.")
    assert send(Bot(place), vote="pause")[0] == 401
