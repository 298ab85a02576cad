"""Who waits is told when their turn probably comes: by letter, page and answer; and who plays is counted."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from emails.i18n import Locale, use_locale
from emails.wording.times.forecasts import Forecast, NoForecastReason, tell_own_turn
from server.accounts.vacations import take_vacation
from server.clock import tick
from server.forecast.answer_counts import AnswerCounts, count_wait, read_counts, write_counts
from server.privacy.erasure import forget_address
from server.privacy.personal_data import collect_data_at
from server.store.availability.availability_models import DailyRest
from server.store.models import Game, Seating
from server.store.work_models import StoredAnswerCounts
from server.turns.answer_times import TOO_SOON_TO_COUNT
from server.turns.next_turns import AskingSeat, foresee_turn
from server.turns.plans import PLAN_PAUSE
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    game_row,
    names_of,
    play,
    resign,
    seat_of,
    set_preferences,
    start_game,
    start_timed_game,
)
from tests.server.inbox.test_mail_dispatch import body, last_letter, mover, reply, turn_words
from tests.server.planning import SOON, acts, march_after, plan, play_due_plans

UTC_ZONE = ZoneInfo("UTC")


def counts_of(context, name):
    """What is counted of a player."""
    with context.reading() as session:
        player = session.exec(select(Seating.player).where(Seating.name == name)).first()
        row = session.get(StoredAnswerCounts, player)
        return None if row is None else read_counts(row.answers, row.quarters)


def answers_in_the_evening(context, *names):
    """Let players have answered at nine in the evening, thirty times."""
    counts = AnswerCounts()
    for day in range(30):
        answer = datetime(2026, 1, 1, 21, 30, tzinfo=UTC_ZONE) + timedelta(days=day)
        counts = count_wait(counts, answer - timedelta(hours=15), answer, UTC_ZONE, is_answered=True)
    with context.writing() as session:
        for player in session.exec(select(Seating.player).where(Seating.name.in_(names))):
            texts = {"answers": write_counts(counts.answers), "quarters": write_counts(counts.quarters)}
            session.merge(StoredAnswerCounts(player=player, **texts))
        session.commit()


def outlook(context, game, name, now=NOON):
    with context.reading() as session:
        row = session.get_one(Game, game)
        asking = AskingSeat(row, context.history_of(session, row), seat_of(context, game, name))
        return foresee_turn(context, session, asking, now)


def play_whole_turn(context, game, now, channel="web"):
    row = game_row(context, game)
    return play(
        context, game, row.seat, row.after, [*turn_words(context, game), "draw", "draw"], channel, now
    )


def in_order(context, game):
    """The names in the order of their turns, whose turn it is first."""
    names, seat = names_of(context, game), game_row(context, game).seat
    return (*names[seat:], *names[:seat])


# --- what is counted ------------------------------------------------------------------------------------


@pytest.mark.parametrize("channel", ["reply", "web", "link", "api"])
def test_a_turn_that_somebody_plays_is_counted_whichever_way_they_play_it(context, channel):
    game = start_timed_game(context, "Anna", "Ben")
    name = mover(context, game)
    play_whole_turn(context, game, NOON + timedelta(hours=7, minutes=10), channel)
    counts = counts_of(context, name)
    assert counts.total == 1
    assert sum(counts.quarters) == 4 * 7 + 1
    assert counts_of(context, mover(context, game)) is None


def test_a_turn_is_counted_once_however_many_acts_it_has(context):
    game = start_timed_game(context, "Anna", "Ben")
    name = mover(context, game)
    for hours, words in enumerate([*turn_words(context, game), "draw", "draw"]):
        row = game_row(context, game)
        play(context, game, row.seat, row.after, [words], "web", NOON + timedelta(hours=hours))
    assert game_row(context, game).turn == 2
    assert counts_of(context, name).total == 1
    assert sum(counts_of(context, name).quarters) == 4 * 3


def test_a_turn_whose_time_runs_out_is_waited_for_and_not_answered(context):
    game = start_timed_game(context, "Anna", "Ben", hours=24)
    name = mover(context, game)
    tick(context, NOON + timedelta(hours=25))
    assert game_row(context, game).turn == 2
    assert counts_of(context, name).total == 0
    assert sum(counts_of(context, name).quarters) >= 4 * 24


def test_neither_the_house_nor_a_caretaker_is_counted(context):
    game = start_game(context, "Anna", "Ben", "house")
    for name in ("Anna", "Ben"):
        resign(context, game, seat_of(context, game, name))
    for hours in range(4):
        tick(context, NOON + timedelta(hours=hours))
    with context.reading() as session:
        assert session.exec(select(StoredAnswerCounts)).all() == []


def test_a_turn_that_a_plan_plays_tells_nothing_of_when_its_player_answers(context):
    """What they add by themselves after a card that it drew they do answer."""
    game = start_timed_game(context, "Anna", "Ben")
    _, second = in_order(context, game)
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw; draw")
    row = game_row(context, game)
    play(context, game, row.seat, row.after, turn, "web", NOON)
    assert play_due_plans(context, SOON) == 1
    assert (acts(context, game)[-1][1], game_row(context, game).turn) == ("plan", 3)
    assert counts_of(context, second) is None
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw")
    row = game_row(context, game)
    play(context, game, row.seat, row.after, turn, "web", SOON)
    assert play_due_plans(context, SOON + PLAN_PAUSE) == 1
    assert counts_of(context, second) is None
    row = game_row(context, game)
    play(context, game, row.seat, row.after, ["draw"], "reply", SOON + timedelta(hours=3))
    assert counts_of(context, second).total == 1


@pytest.mark.parametrize("channel", ["reply", "web", "link", "api"])
def test_nor_does_one_that_somebody_plays_as_soon_as_a_plan_would(context, channel):
    """Or the next forecast would tell the others that there was no plan."""
    game = start_timed_game(context, "Anna", "Ben")
    first, second = in_order(context, game)
    soon = NOON + TOO_SOON_TO_COUNT - timedelta(seconds=1)
    play_whole_turn(context, game, soon, channel)
    assert counts_of(context, first) is None
    play_whole_turn(context, game, soon, channel)  # at once, before a letter tells them of it
    assert counts_of(context, second) is None


def test_what_comes_a_moment_later_is_counted(context):
    game = start_timed_game(context, "Anna", "Ben")
    name = mover(context, game)
    play_whole_turn(context, game, NOON + TOO_SOON_TO_COUNT)
    assert counts_of(context, name).total == 1


def test_the_hours_are_those_of_the_player(context):
    game = start_timed_game(context, "Anna", "Ben")
    name = mover(context, game)
    set_preferences(context, game, name, everywhere=True, zone="Asia/Tokyo")
    play_whole_turn(context, game, NOON + timedelta(hours=1, minutes=30))  # half past ten in the evening
    assert counts_of(context, name).answers.index(1) % 24 == 22


# --- what is told ---------------------------------------------------------------------------------------


def test_nothing_is_told_of_whom_nothing_is_known_and_a_forecast_as_soon_as_it_is(context):
    game = start_timed_game(context, "Anna", "Ben", "Cleo")
    first, second, third = in_order(context, game)
    assert outlook(context, game, first) is None
    assert outlook(context, game, second) is NoForecastReason.UNKNOWN
    answers_in_the_evening(context, first)
    context.mean_rates = None
    soon, later = outlook(context, game, second), outlook(context, game, third)
    assert isinstance(soon, Forecast)
    assert soon.median.hour in (21, 22)
    assert isinstance(later, Forecast)
    assert later.median > soon.median
    with use_locale(Locale("en")):
        assert tell_own_turn(soon, NOON) == "Your turn: probably Monday evening."


def test_nobody_waits_for_the_house_nor_for_who_has_resigned(context):
    game = start_timed_game(context, "Anna", "Ben")
    late, waiting = in_order(context, game)
    resign(context, game, seat_of(context, game, late))
    assert outlook(context, game, waiting) is NoForecastReason.HOUSE
    assert outlook(context, game, late) is None


def test_a_turn_comes_no_sooner_than_whoever_is_waited_for_is_there_again(context):
    game = start_timed_game(context, "Anna", "Ben", "Cleo")
    first, second, third = in_order(context, game)
    answers_in_the_evening(context, first, second)
    context.mean_rates = None
    before = outlook(context, game, third)
    go_away(context, second, NOON.date(), date(2026, 3, 5))
    there, later = outlook(context, game, second), outlook(context, game, third)
    assert there.median == outlook(context, game, second, NOON).median
    assert later.low >= datetime(2026, 3, 6, tzinfo=UTC_ZONE) > before.high
    go_away(context, first, NOON.date(), date(2026, 3, 3))
    assert outlook(context, game, second).low >= datetime(2026, 3, 4, tzinfo=UTC_ZONE)


def go_away(context, name, first, last):
    with context.writing() as session:
        player = session.exec(select(Seating.player).where(Seating.name == name)).one()
        take_vacation(session, player, first, last, NOON)
        session.commit()


def test_the_time_of_a_turn_to_come_does_not_run_on_a_day_off(context):
    """Who has Tuesday off is not out of time on Tuesday morning, and answers in the evening as ever."""
    game = start_timed_game(context, "Anna", "Ben", "Cleo", hours=12)
    first, second, third = in_order(context, game)
    answers_in_the_evening(context, first, second)
    context.mean_rates = None
    assert outlook(context, game, third).high < datetime(2026, 3, 3, 12, tzinfo=UTC_ZONE)
    rest(context, second, days_off="1")
    assert outlook(context, game, third).high > datetime(2026, 3, 3, 21, tzinfo=UTC_ZONE)
    rest(context, second, sleeps_from="23:00", sleeps_until="09:00")
    assert outlook(context, game, third).high > datetime(2026, 3, 3, 17, tzinfo=UTC_ZONE)


def test_so_it_is_of_a_turn_whose_letter_is_on_its_way(context):
    game = start_timed_game(context, "Anna", "Ben", hours=8)
    first, second = in_order(context, game)
    answers_in_the_evening(context, first)
    context.mean_rates = None
    with context.writing() as session:
        row = session.get_one(Game, game)
        row.turn_began_at = row.deadline = None
        session.commit()
    assert outlook(context, game, second).high <= NOON + timedelta(hours=9)
    rest(context, first, days_off="0")
    assert outlook(context, game, second).median.hour in (21, 22)


def rest(context, name, **changes):
    with context.writing() as session:
        player = session.exec(select(Seating.player).where(Seating.name == name)).one()
        session.merge(DailyRest(player=player, **changes))
        session.commit()


def test_of_a_game_that_is_halted_there_is_no_telling(context):
    game = start_timed_game(context, "Anna", "Ben")
    first, second = in_order(context, game)
    answers_in_the_evening(context, first)
    assert isinstance(outlook(context, game, second), Forecast)
    with context.writing() as session:
        session.get_one(Game, game).suspended_at = NOON
        session.commit()
    assert outlook(context, game, second) is NoForecastReason.UNKNOWN


@pytest.mark.parametrize(
    ("language", "words", "told", "untold"),
    [
        (
            "en",
            "when",
            "Your turn: probably Monday evening.",
            "There is no telling yet when your turn comes.",
        ),
        ("nl", "wanneer", "Jouw beurt: waarschijnlijk maandagavond.", "Het is nog niet te zeggen wanneer"),
    ],
)
def test_whoever_asks_by_mail_hears_it_in_a_line(context, carrier, language, words, told, untold):
    game = begin_game(context, carrier, "Anna", "Ben", "Cleo")
    first, second, _ = in_order(context, game)
    set_preferences(context, game, second, everywhere=True, language=language)
    reply(context, last_letter(context, carrier, second), words)
    answer = " ".join(body(last_letter(context, carrier, second)).split())
    assert untold in answer
    answers_in_the_evening(context, first)
    context.mean_rates = None
    reply(context, last_letter(context, carrier, second), f"{words}?")
    answer = last_letter(context, carrier, second)
    assert str(answer["X-Alexandros"]) == "shown"
    assert told in " ".join(body(answer).split())
    reply(context, last_letter(context, carrier, first), "when")
    assert "It is your turn now." in " ".join(body(last_letter(context, carrier, first)).split())


def test_the_answer_to_a_turn_tells_when_the_next_one_comes(context, carrier):
    game = begin_game(context, carrier, "Anna", "Ben")
    answers_in_the_evening(context, "Anna", "Ben")
    context.mean_rates = None
    name = mover(context, game)
    card, march = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\n{march}\ndraw; draw")
    answer = " ".join(body(last_letter(context, carrier, name)).split())
    waited = mover(context, game)
    assert f"It is {waited}'s turn. {waited} has until Wednesday" in answer
    assert "UTC. Your turn: probably Monday" in answer
    assert "probably" not in body(last_letter(context, carrier, mover(context, game)))


# --- whose it is ----------------------------------------------------------------------------------------


def test_it_stands_in_my_data_and_goes_with_its_player(context):
    game = start_timed_game(context, "Anna", "Ben")
    name = mover(context, game)
    play_whole_turn(context, game, NOON + timedelta(hours=2, minutes=30))
    address = f"{name.lower()}@example.org"
    [found] = [one["how_soon_you_answer"] for one in collect_data_at(context, address)["players"]]
    assert found[0]["workdays"]["answers_by_hour"][14] == 1
    forget_address(context, address, NOON)
    with context.reading() as session:
        assert session.exec(select(StoredAnswerCounts)).all() == []
