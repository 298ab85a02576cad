"""What somebody asks of all who play: more time by one yes, a pause by all, each once, by every door."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlmodel import select

from emails.wording.requests import MotionKind, MotionTerms
from server.clock import tick
from server.lobby.motions import (
    ASKED_AGAIN_AFTER,
    MotionOutcome,
    decline_motion,
    support_motion,
)
from server.lobby.open_motions import MotionRefused, hours_added
from server.outbox.chat import unread_chat
from server.store import projection
from server.store.context import Context
from server.store.facts.game_agreements import LONGEST_PAUSE, MOTION_OPEN_FOR
from server.store.histories import HistoryCache
from server.store.models import Act, Game
from server.store.seats import SeatRequest
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import (
    NOON,
    Clock,
    Collector,
    begin_time,
    body,
    committed,
    game_row,
    kinds,
    names_of,
    open_game,
    projected,
    resign,
    seat_of,
    set_preferences,
    start_timed_game,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import last_letter, reply
from tests.server.turns.test_play import say, whole_turn
from tests.server.web.bots import Bot, bot
from tests.server.web.site import Site

MORE_TIME, PAUSE, RESUME = MotionKind.MORE_TIME, MotionKind.PAUSE, MotionKind.RESUME
DONE, ASKED, WAITS = MotionOutcome.DONE, MotionOutcome.ASKED, MotionOutcome.WAITS


@pytest.fixture
def game(context: Context) -> str:
    """A game of three that nobody of them has opened; the time of the first turn runs."""
    return start_timed_game(context, "Anna", "Ben", "Cleo")


@pytest.fixture
def place(context: Context) -> Site:
    return Site(context)


def says(
    context: Context, game: str, seat: int, kind: MotionKind, now: datetime = NOON, *, no: bool = False
) -> MotionOutcome:
    say = decline_motion if no else support_motion
    found: MotionOutcome = committed(context, now, say, game, seat, kind, Channel.WEB)
    return found


def written(context: Context, game: str, kind: str) -> int:
    """How often the acts of a game say that something has happened."""
    with context.reading() as session:
        acts = session.exec(select(Act.events).where(Act.game == game)).all()
    return sum(fact["type"] == kind for events in acts for fact in json.loads(events))


# --- more time ------------------------------------------------------------------------------------------


def test_one_other_player_gives_more_time(context: Context, game: str) -> None:
    before = game_row(context, game).deadline
    assert says(context, game, 0, MORE_TIME) == ASKED
    assert game_row(context, game).deadline == before
    assert says(context, game, 0, MORE_TIME) == WAITS
    assert says(context, game, 2, MORE_TIME) == DONE
    assert game_row(context, game).deadline == before + timedelta(hours=24)
    assert written(context, game, "time_added") == 1


def test_whoever_is_not_to_move_gives_it_unasked_twice(context: Context, game: str) -> None:
    before = game_row(context, game).deadline
    assert [says(context, game, seat, MORE_TIME) for seat in (1, 1, 2)] == [DONE, DONE, DONE]
    assert game_row(context, game).deadline == before + timedelta(hours=48)
    with pytest.raises(MotionRefused, match="twice already"):
        says(context, game, 0, MORE_TIME)


def test_a_turn_that_has_more_time_is_reminded_of_and_ends_later(
    context: Context, game: str, mails: Collector, clock: Clock
) -> None:
    work_until_idle(context, mails, clock())
    says(context, game, 1, MORE_TIME)
    work_until_idle(context, mails, clock.forward(71))
    assert game_row(context, game).turn == 1
    assert kinds(mails.to(names_of(context, game)[0])).count("reminder") == 1
    work_until_idle(context, mails, clock.forward(2))
    assert game_row(context, game).turn == 2


@pytest.mark.parametrize(("hours", "again"), first(1, [(24, {48, 66}), (4, {46}), (1, set())]))
def test_more_time_after_the_last_reminder_brings_those_again_that_are_ahead(
    context: Context, game: str, mails: Collector, clock: Clock, hours: int, again: set[int]
) -> None:
    def reminders() -> int:
        return kinds(mails.to(names_of(context, game)[0])).count("reminder")

    for hour in (0, 24, 42):
        work_until_idle(context, mails, NOON + timedelta(hours=hour))
    assert reminders() == 2
    clock.forward(43)
    give = partial(support_motion, terms=MotionTerms(hours=hours))
    committed(context, clock(), give, game, 1, MORE_TIME, Channel.WEB)
    came = set()
    for hour in range(43, 48 + hours):
        before = reminders()
        work_until_idle(context, mails, NOON + timedelta(hours=hour))
        came |= {hour} if reminders() > before else set()
    assert came == again
    assert reminders() == 2 + len(again), "each comes once"


def test_what_was_asked_in_one_turn_is_not_given_in_the_next(context: Context, game: str) -> None:
    says(context, game, 0, MORE_TIME)
    say(context, game, *whole_turn(context, game), "end")
    begin_time(context, game)
    assert says(context, game, 1, MORE_TIME) == ASKED
    assert written(context, game, "time_added") == 0


def test_nobody_else_there_gives_it_to_oneself(context: Context, game: str) -> None:
    for seat in (1, 2):
        resign(context, game, seat)
    assert says(context, game, 0, MORE_TIME) == DONE


@pytest.mark.parametrize("hours", [1, 2, 3, 48])
def test_it_is_half_of_the_time_of_a_turn_and_an_hour_at_least(context: Context, hours: int) -> None:
    game = game_row(context, start_timed_game(context, "Anna", "Ben", hours=hours))
    assert hours_added(game) == max(1, -(-hours // 2))


def test_no_time_is_added_where_none_runs(context: Context) -> None:
    timeless = start_timed_game(context, "Anna", "Ben", hours=1)
    with context.writing() as session:
        session.get_one(Game, timeless).turn_minutes = 0
        session.commit()
    for kind, why in ((MORE_TIME, "as long as its player likes"), (PAUSE, "as long as its player likes")):
        with pytest.raises(MotionRefused, match=why):
            says(context, timeless, 0, kind)


# --- a pause --------------------------------------------------------------------------------------------


def test_all_agree_to_a_pause_and_no_time_runs_until_all_agree_to_go_on(
    context: Context, game: str, mails: Collector, clock: Clock
) -> None:
    clock.forward(12)
    assert [says(context, game, seat, PAUSE, clock()) for seat in range(3)] == [ASKED, WAITS, DONE]
    assert game_row(context, game).deadline is None
    work_until_idle(context, mails, clock.forward(24 * 20))
    assert game_row(context, game).turn == 1
    assert [says(context, game, seat, RESUME, clock()) for seat in (2, 0, 1)] == [ASKED, WAITS, DONE]
    assert game_row(context, game).deadline == clock() + timedelta(hours=36)
    assert (written(context, game, "game_paused"), written(context, game, "game_resumed")) == (1, 1)


def test_a_turn_that_is_played_in_a_pause_gives_the_next_no_time_until_it_is_over(
    context: Context, game: str, mails: Collector, clock: Clock
) -> None:
    for seat in range(3):
        says(context, game, seat, PAUSE)
    say(context, game, *whole_turn(context, game), "end")
    work_until_idle(context, mails, clock.forward(100))
    row = game_row(context, game)
    assert (row.turn, row.deadline) == (2, None)
    for seat in range(3):
        says(context, game, seat, RESUME, clock())
    work_until_idle(context, mails, clock())
    assert game_row(context, game).deadline == clock() + timedelta(hours=48)


def test_who_opened_the_game_pauses_and_resumes_it_alone(context: Context) -> None:
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben")]
    game = open_game(context, "Friday", requests, NOON, at_once=True, organiser="anna@example.org")
    begin_time(context, game)
    anna, ben = (seat_of(context, game, name) for name in ("Anna", "Ben"))
    assert says(context, game, anna, PAUSE) == DONE
    assert says(context, game, ben, RESUME) == ASKED
    assert says(context, game, anna, RESUME) == DONE


def test_a_pause_ends_by_itself(context: Context, game: str, mails: Collector, clock: Clock) -> None:
    for seat in range(3):
        says(context, game, seat, PAUSE)
    clock.now += LONGEST_PAUSE - timedelta(minutes=1)
    work_until_idle(context, mails, clock())
    assert game_row(context, game).paused_at == NOON
    clock.now += timedelta(minutes=1)
    assert tick(context, clock()) == 1
    assert tick(context, clock()) == 0
    row = game_row(context, game)
    assert (row.paused_at, row.deadline) == (None, clock() + timedelta(hours=48))


@pytest.mark.parametrize("ends", ["all agree", "by itself"])
def test_whoever_is_to_move_hears_by_letter_when_time_runs_again(
    context: Context, game: str, mails: Collector, clock: Clock, ends: str
) -> None:
    for name in names_of(context, game):
        set_preferences(context, game, name, reminders=False)
    work_until_idle(context, mails, clock())
    for seat in range(3):
        says(context, game, seat, PAUSE, clock())
    work_until_idle(context, mails, clock())
    mails.mails.clear()
    if ends == "by itself":
        clock.now += LONGEST_PAUSE
        tick(context, clock())
    else:
        for seat in (0, 1, 2):
            says(context, game, seat, RESUME, clock.forward(1))
    work_until_idle(context, mails, clock())
    first_name, *others = names_of(context, game)
    [letter] = [one for one in mails.to(first_name) if "The game goes on" in body(one)]
    assert "The game goes on, and it is your turn: you have until" in " ".join(body(letter).split())
    assert [one for name in others for one in mails.to(name) if "The game goes on" in body(one)] == []


def test_who_has_resigned_is_not_waited_for_and_asks_nothing(context: Context, game: str) -> None:
    resign(context, game, 2)
    assert [says(context, game, seat, PAUSE) for seat in (0, 1)] == [ASKED, DONE]
    with pytest.raises(MotionRefused, match="do not play"):
        says(context, game, 2, RESUME)


def test_what_is_declined_is_asked_no_more_and_not_asked_again_at_once(context: Context, game: str) -> None:
    says(context, game, 0, PAUSE)
    says(context, game, 1, PAUSE, no=True)
    assert says(context, game, 1, PAUSE, no=True) == MotionOutcome.DECLINED
    assert written(context, game, "motion_declined") == 1
    with pytest.raises(MotionRefused, match="a short while ago"):
        says(context, game, 0, PAUSE)
    assert says(context, game, 0, PAUSE, NOON + ASKED_AGAIN_AFTER) == ASKED


def test_what_nobody_answers_lapses(context: Context, game: str) -> None:
    says(context, game, 0, PAUSE)
    assert says(context, game, 1, PAUSE, NOON + MOTION_OPEN_FOR) == ASKED


def test_all_of_it_is_worked_out_anew_from_the_acts(context: Context, game: str, clock: Clock) -> None:
    says(context, game, 1, MORE_TIME)
    for seat in range(3):
        says(context, game, seat, PAUSE, clock.forward(1))
    for before in (projected(context, game), None):
        projection.rebuild(context)
        assert before in (None, projected(context, game))
    assert says(context, game, 1, RESUME, clock.forward(1)) == ASKED
    context.history_cache = HistoryCache()
    assert says(context, game, 1, RESUME, clock()) == WAITS


# --- by mail --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "words", "yes"), first(1, [("nl", "pauze", "ja"), ("en", "pause", "yes")])
)
def test_by_mail_in_both_languages(
    context: Context, game: str, carrier: Collector, language: str, words: str, yes: str
) -> None:
    names = names_of(context, game)
    for name in names:
        set_preferences(context, game, name, language=language)
    work_until_idle(context, carrier, NOON)
    reply(context, last_letter(context, carrier, names[0]), words)
    asked = [last_letter(context, carrier, name) for name in names[1:]]
    assert kinds(asked) == ["motion", "motion"]
    assert names[0] in body(asked[0])
    for number, letter in enumerate(asked):
        assert game_row(context, game).paused_at is None
        reply(context, letter, yes + "." * number)
    assert game_row(context, game).paused_at == NOON
    reply(context, asked[0], f"{yes}!")
    assert written(context, game, "game_paused") == 1


def test_a_no_by_mail_leaves_it_open_for_the_others_whose_yes_is_enough(
    context: Context, game: str, carrier: Collector
) -> None:
    names = names_of(context, game)
    work_until_idle(context, carrier, NOON)
    reply(context, last_letter(context, carrier, names[0]), "more time please")
    asked = {name: last_letter(context, carrier, name) for name in names[1:]}
    reply(context, asked[names[1]], "no")
    assert "Others are still asked." in body(last_letter(context, carrier, names[1]))
    with context.reading() as session:
        assert unread_chat(session, game, 0)[0] == ()
    reply(context, asked[names[1]], "No!")
    assert written(context, game, "motion_declined") == 1
    reply(context, asked[names[2]], "yes")
    assert written(context, game, "time_added") == 1
    told = last_letter(context, carrier, names[0])
    assert kinds([told]) == ["message"]
    assert "Your turn has got more time: until" in body(told)


def test_whoever_gets_more_time_unasked_hears_until_when(
    context: Context, game: str, carrier: Collector
) -> None:
    names = names_of(context, game)
    work_until_idle(context, carrier, NOON)
    reply(context, last_letter(context, carrier, names[1]), "more time")
    told, deadline = last_letter(context, carrier, names[0]), game_row(context, game).deadline
    assert deadline is not None
    assert kinds([told]) == ["message"]
    assert f"Your turn has got more time: until {deadline:%A}" in " ".join(body(told).split())
    assert f"{names[0]} has got" not in body(told)


def test_once_all_have_said_no_whoever_asked_gets_a_letter_and_nobody_is_asked_any_more(
    context: Context, game: str, carrier: Collector
) -> None:
    names = names_of(context, game)
    work_until_idle(context, carrier, NOON)
    reply(context, last_letter(context, carrier, names[0]), "more time please")
    asked = {name: last_letter(context, carrier, name) for name in names[1:]}
    for name in names[1:]:
        reply(context, asked[name], "no")
    told = last_letter(context, carrier, names[0])
    assert kinds([told]) == ["message"]
    assert "Nobody gives your turn more time" in body(told)
    reply(context, asked[names[1]], "yes")
    assert "Nobody asks for that any more." in body(last_letter(context, carrier, names[1]))
    assert written(context, game, "time_added") == 0
    projection.rebuild(context)
    assert written(context, game, "motion_declined") == 2


def test_who_asks_for_a_pause_hears_by_letter_that_all_agree_or_that_somebody_does_not(
    context: Context, game: str, carrier: Collector
) -> None:
    names = names_of(context, game)
    work_until_idle(context, carrier, NOON)
    assert [says(context, game, seat, PAUSE) for seat in (1, 2)] == [ASKED, WAITS]
    assert says(context, game, 0, PAUSE) == DONE
    told = last_letter(context, carrier, names[1])
    assert (kinds([told]), "The pause that you asked for begins" in body(told)) == (["message"], True)
    says(context, game, 1, RESUME)
    says(context, game, 2, RESUME, no=True)
    told = last_letter(context, carrier, names[1])
    assert f"{names[2]} does not agree to what you asked of all, so it is not done." in body(told)


def test_the_word_itself_gives_it_too_and_orders_beside_it_are_not_played(
    context: Context, game: str, carrier: Collector
) -> None:
    names = names_of(context, game)
    work_until_idle(context, carrier, NOON)
    reply(context, last_letter(context, carrier, names[0]), "more time\nchoose lyre")
    refused = last_letter(context, carrier, names[0])
    assert kinds([refused]) == ["refused"]
    assert "a mail of its own" in " ".join(body(refused).split())
    reply(context, last_letter(context, carrier, names[1]), "more time")
    assert written(context, game, "time_added") == 1


# --- on the page, and by a program -----------------------------------------------------------------------


def test_on_the_page_one_asks_and_another_agrees(place: Site) -> None:
    game = start_timed_game(place.context, "Anna", "Ben")
    first = place.visitor().get(place.link(game, seat=0)).click("Agreements")
    assert first.title == "What you ask of each other"
    first.send("//form[.//input[@value='more time']]", say="ask")
    assert "The others are asked" in first.text
    before = game_row(place.context, game).deadline
    second = place.visitor().get(f"{place.link(game, seat=1)}/agreements")
    assert f"{names_of(place.context, game)[0]} asks for it." in second.text
    second.send("//form[.//input[@value='more time']]", say="agree")
    assert "There is more time for this turn now." in second.text
    assert game_row(place.context, game).deadline == before + timedelta(hours=24)


def test_a_program_asks_and_agrees(place: Site) -> None:
    game = start_timed_game(place.context, "Anna", "Ben")
    names = names_of(place.context, game)

    def send(one: Bot, **set_preferences: object) -> tuple[int, str]:
        client = place.app.test_client()
        answer = client.post(f"/api/games/{game}/motions", json=set_preferences, headers=one.headers())
        return answer.status_code, answer.json.get("outcome", answer.json.get("detail"))

    one, other = (bot(place, game, name) for name in names)
    assert send(one, motion="pause") == (200, "asked")
    assert send(other, motion="pause", agree=False) == (200, "declined")
    assert send(one, motion="more time") == (200, "asked")
    assert send(other, motion="more time") == (200, "done")
    assert send(one, motion="holiday")[0] == 400
    assert send(one)[0] == 400
    assert send(one, motion="resume") == (422, "The game is not paused: time runs.")
    assert send(Bot(place), motion="pause")[0] == 401
