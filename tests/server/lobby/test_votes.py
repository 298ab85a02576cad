"""Votes on more time and a pause: who may ask, answer and end, when, and each once; by every door."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from server.clock import tick
from server.lobby import votes
from server.lobby.votes import VoteRefused, end_pause, unanswered_votes
from server.outbox.queue import open_unit
from server.store import projection
from server.store.event_log import HistoryCache, require_started
from server.store.models import Game
from server.store.refusals import StalePosition
from server.store.server_facts import LONGEST_PAUSE, VOTE_OPEN_FOR
from server.store.states import Channel
from tests.server.desk import ANNA, BEN, CLEO, NOON, kinds, words_of
from tests.server.inbox.test_mail_dispatch import last_letter, reply
from tests.server.lobby.voting import all_pause, answers, extends, pauses, written
from tests.server.web.bots import Bot, bot, bots

MORE_TIME, PAUSE, EMPTY_SEAT = VoteKind
YES, NO = VoteAnswer.YES, VoteAnswer.NO
ADDED, ASKED, NOTED = VoteOutcome.ADDED, VoteOutcome.ASKED, VoteOutcome.NOTED
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@pytest.fixture
def game(context) -> str:
    """A game of three that nobody of them has opened; the time of the first turn runs, 48 hours."""
    return context.start_timed_game("Anna", "Ben", "Cleo")


def deadline(context, game) -> datetime:
    return context.game_row(game).deadline


def ends(context, game, seat: int | None, now: datetime) -> VoteOutcome:
    return context.committed(now, end_pause, game, seat, Channel.WEB)


def test_the_first_day_more_is_added_at_once_and_the_others_are_asked_for_a_no(context, game, mails):
    context.confirm(*context.names_of(game))
    context.work_until_idle(mails, NOON)
    before = deadline(context, game)
    assert extends(context, game, 0, NOON) is ADDED
    assert deadline(context, game) == before + DAY
    context.work_until_idle(mails, NOON)
    names = context.names_of(game)
    assert [kinds(mails.to(name)).count("motion") for name in names] == [0, 1, 1]
    told = mails.to(names[1])[-1]
    assert told["Subject"] == f"Friday: {names[0]} has got 24 hours more"
    letter = words_of(told)
    assert f"{names[0]} has got 24 hours more" in letter
    assert "reply “no”" in letter


@pytest.mark.parametrize(("hours", "left"), [(1, 47), (40, 8), (47, 6)])
def test_a_no_before_the_old_deadline_withdraws_it_and_leaves_six_hours(context, game, hours, left):
    extends(context, game, 0, NOON)
    now = NOON + hours * HOUR
    assert answers(context, game, 1, MORE_TIME, NO, now) is VoteOutcome.WITHDRAWN
    assert deadline(context, game) == now + left * HOUR
    with pytest.raises(VoteRefused, match="not voted on any more"):
        answers(context, game, 2, MORE_TIME, NO, now)
    before = context.projected(game)
    projection.rebuild(context)
    assert context.projected(game) == before


def test_a_no_at_the_old_deadline_comes_too_late(context, game):
    before = deadline(context, game)
    extends(context, game, 0, NOON)
    with pytest.raises(VoteRefused, match="not voted on any more"):
        answers(context, game, 1, MORE_TIME, NO, before)
    assert deadline(context, game) == before + DAY


@pytest.mark.parametrize(("hours", "withdraws"), [(32, True), (40, True), (44, False)])
def test_a_no_at_night_counts_until_the_morning_in_which_the_turn_would_have_ended(context, hours, withdraws):
    """Begun at 13:00 by the clock of its player, it would have ended at 22:00 of the next day."""
    game = context.start_game("Anna", "Ben", "Cleo", hours=33)
    context.set_preferences(game, context.mover(game), everywhere=True, zone="Europe/Amsterdam")
    context.begin_time(game)
    extends(context, game, 0, NOON)
    now, row = NOON + hours * HOUR, context.game_row(game)
    with context.reading() as session:
        history = require_started(context.history_of(session, row))
        assert bool(unanswered_votes(session, row, history, 1, now)) is withdraws
    if withdraws:
        assert answers(context, game, 1, MORE_TIME, NO, now) is VoteOutcome.WITHDRAWN
        assert deadline(context, game) == now + 6 * HOUR
    else:
        with pytest.raises(VoteRefused, match="not voted on any more"):
            answers(context, game, 1, MORE_TIME, NO, now)


def test_who_has_asked_or_is_to_move_does_not_answer(context, game):
    extends(context, game, 1, NOON)
    for seat in (0, 1):
        with pytest.raises(VoteRefused, match="The others answer that"):
            answers(context, game, seat, MORE_TIME, NO, NOON)
    assert answers(context, game, 2, MORE_TIME, YES, NOON) is NOTED
    assert answers(context, game, 2, MORE_TIME, YES, NOON) is NOTED
    assert written(context, game, "vote_cast") == 1


def test_the_second_needs_one_yes_and_there_is_no_third(context, game):
    extends(context, game, 0, NOON)
    before = deadline(context, game)
    assert extends(context, game, 0, NOON) is ASKED
    assert deadline(context, game) == before
    with pytest.raises(VoteRefused, match="asked for more time already"):
        extends(context, game, 0, NOON)
    assert answers(context, game, 1, MORE_TIME, NO, NOON) is NOTED
    assert answers(context, game, 2, MORE_TIME, YES, NOON) is ADDED
    assert deadline(context, game) == before + DAY
    with pytest.raises(VoteRefused, match="twice already"):
        extends(context, game, 0, NOON)


def test_once_all_say_no_to_the_second_who_asked_hears_it_and_asks_no_more(context, game):
    extends(context, game, 0, NOON)
    extends(context, game, 0, NOON)
    assert answers(context, game, 1, MORE_TIME, NO, NOON) is NOTED
    assert answers(context, game, 2, MORE_TIME, NO, NOON) is VoteOutcome.DECLINED
    assert any("Nobody gives your turn more time" in one for one in context.unread(game, 0))
    with pytest.raises(VoteRefused, match="do not give"):
        extends(context, game, 0, NOON)


def test_the_next_turn_has_its_own(context, game):
    extends(context, game, 0, NOON)
    extends(context, game, 0, NOON)
    context.say(game, *context.turn_words(game), "end")
    context.begin_time(game)
    with pytest.raises(VoteRefused, match="not voted on any more"):
        answers(context, game, 2, MORE_TIME, YES, NOON)
    assert extends(context, game, 1, NOON) is ADDED


def test_with_nobody_else_there_the_second_is_added_too(context, game):
    for seat in (1, 2):
        context.resign(game, seat)
    assert [extends(context, game, 0, NOON) for _ in range(2)] == [ADDED, ADDED]


def test_of_two_answers_in_one_moment_one_counts(context, game):
    extends(context, game, 0, NOON)

    def declines(seat: int) -> object:
        try:
            return answers(context, game, seat, MORE_TIME, NO, NOON)
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


@pytest.fixture
def own(context) -> str:
    """A game that Anna has opened."""
    people = [ANNA, BEN, CLEO]
    return context.begin_time(context.open_game("Friday", people, NOON, at_once=True, organiser=ANNA.address))


def test_the_organiser_pauses_alone_and_the_player_to_move_hears_it_at_once(context, own, mails):
    context.work_until_idle(mails, NOON)
    anna, until = context.seat_of(own, "Anna"), NOON + 10 * DAY
    assert pauses(context, own, anna, NOON, until) is VoteOutcome.PAUSED
    assert pauses(context, own, anna, NOON, until) is VoteOutcome.PAUSED
    assert context.history(own).agreements.pause_ends == until
    mails.mails.clear()
    context.work_until_idle(mails, NOON)
    assert {name for name in context.names_of(own) if mails.to(name)} == {"Ben", "Cleo"}


def test_a_no_ends_the_asking(context, game):
    pauses(context, game, 0, NOON)
    assert answers(context, game, 1, PAUSE, NO, NOON) is VoteOutcome.DECLINED
    with pytest.raises(VoteRefused, match="not voted on any more"):
        answers(context, game, 2, PAUSE, YES, NOON)


def test_what_nobody_answers_lapses(context, game):
    pauses(context, game, 0, NOON)
    late = NOON + VOTE_OPEN_FOR
    with pytest.raises(VoteRefused, match="not voted on any more"):
        answers(context, game, 1, PAUSE, YES, late)
    assert pauses(context, game, 1, late) is ASKED


def test_who_resigns_is_not_waited_for(context, game):
    for seat in (0, 1):
        pauses(context, game, seat, NOON)
    context.resign(game, 2)
    assert context.game_row(game).paused_at is not None
    with pytest.raises(VoteRefused, match="do not play"):
        pauses(context, game, 2, NOON)


def test_a_pause_lasts_thirty_days_and_none_follows_for_seven(context, game, clock):
    with pytest.raises(VoteRefused, match="thirty days"):
        pauses(context, game, 0, NOON, NOON + LONGEST_PAUSE + 2 * DAY)
    all_pause(context, game, NOON)
    clock.now = NOON + LONGEST_PAUSE
    assert tick(context, clock()) == 1
    row = context.game_row(game)
    assert (row.paused_at, row.deadline) == (None, clock() + timedelta(hours=48))
    with pytest.raises(VoteRefused, match="not long ago"):
        pauses(context, game, 0, clock() + 7 * DAY - HOUR)
    assert pauses(context, game, 0, clock() + 7 * DAY) is ASKED


def test_after_a_day_who_did_not_agree_ends_it_and_who_did_does_not(context, own):
    anna, ben, cleo = (context.seat_of(own, name) for name in ("Anna", "Ben", "Cleo"))
    pauses(context, own, ben, NOON)
    pauses(context, own, anna, NOON)
    with pytest.raises(VoteRefused, match="lasted a day"):
        ends(context, own, cleo, NOON + 23 * HOUR)
    with pytest.raises(VoteRefused, match="agreed to this pause"):
        ends(context, own, ben, NOON + DAY)
    assert ends(context, own, cleo, NOON + DAY) is VoteOutcome.RESUMED
    with pytest.raises(VoteRefused, match="not paused"):
        ends(context, own, cleo, NOON + DAY)


def test_the_organiser_ends_it_at_once_and_any_of_all_who_agreed_after_a_day(context, own, game):
    anna = context.seat_of(own, "Anna")
    pauses(context, own, anna, NOON)
    assert ends(context, own, anna, NOON + HOUR) is VoteOutcome.RESUMED
    all_pause(context, game, NOON)
    assert ends(context, game, 1, NOON + DAY) is VoteOutcome.RESUMED


def test_all_of_it_is_worked_out_anew_from_the_acts(context, game, clock):
    extends(context, game, 1, NOON)
    all_pause(context, game, clock.forward(1))
    before, known = context.projected(game), context.history(game)
    projection.rebuild(context)
    assert context.projected(game) == before
    context.history_cache = HistoryCache()
    assert context.history(game) == known


def test_votes_of_a_log_from_before_lapse(context, game):
    old = [{"type": "motion_agreed", "seat": 1, "motion": "close the game"}]
    with open_unit(context, NOON) as unit:
        row = unit.session.get_one(Game, game)
        votes.record_act(unit, row, unit.history_of(row), 1, Channel.WEB, "close the game", old)
        unit.commit()
    context.history_cache = HistoryCache()
    assert context.history(game).agreements.votes == {}


@pytest.mark.parametrize("words", ["no", "No.", "NO!", "“no”", "No, I do not agree"])
def test_a_no_to_any_letter_of_the_game_reaches_the_open_vote(context, game, carrier, words):
    names = context.names_of(game)
    context.work_until_idle(carrier, NOON)
    welcome = last_letter(context, carrier, names[1])
    reply(context, last_letter(context, carrier, names[0]), "more time please")
    before = deadline(context, game)
    reply(context, welcome, words)
    assert deadline(context, game) == before - DAY
    assert "taken back" in words_of(last_letter(context, carrier, names[1]))


def test_what_is_not_certain_is_answered_where_it_stands(context, game, carrier):
    names = context.names_of(game)
    context.work_until_idle(carrier, NOON)
    reply(context, last_letter(context, carrier, names[0]), "pause")
    reply(context, last_letter(context, carrier, names[1]), "Hmm, I'd rather not say")
    asked_back = last_letter(context, carrier, names[1])
    assert "It is not certain whether you agree" in words_of(asked_back)
    reply(context, asked_back, "no")
    assert context.history(game).agreements.votes == {}


def test_a_word_to_nothing_that_is_voted_on_is_what_it_was(context, game, carrier):
    names = context.names_of(game)
    context.work_until_idle(carrier, NOON)
    reply(context, last_letter(context, carrier, names[1]), "no")
    assert written(context, game, "vote_cast") == 0


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
