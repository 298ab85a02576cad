"""Time: when a turn begins and ends, reminders, the caretaker, the house, and who comes home."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import select

from emails.terms import USUAL_TIME
from engine import bots
from server.clock import tick
from server.delivery.relay import RelayAway
from server.delivery.sending import send_due_letters
from server.outbox.notifications import load_preferences, set_letters_wanted
from server.store.game_terms import USUAL_TERMS
from server.store.models import Game, OutgoingLetter, StoredPreferences
from server.store.schedule import AT_ONCE, look_at_game_next
from server.store.states import Channel, LetterState
from server.turns.play import play_turn
from tests.server.desk import ANNA, BEN, CLEO, NOON, FailingRelay, body, fact_names
from tests.server.stories import stories, tell

HOUR = timedelta(hours=1)


@pytest.fixture
def timed(context):
    """A game in which the time for the first turn runs."""
    return context.start_timed_game("Anna", "Ben", hours=48)


def letters(context, kind):
    return context.rows_of(OutgoingLetter, OutgoingLetter.kind == kind)


def test_a_rebuilt_list_reminds_nobody_twice(context, timed, clock):
    tick(context, clock.forward(24))
    context.rebuild()
    with context.changing() as session:
        session.exec(select(Game)).one().reminded = 0
    tick(context, clock())
    assert len(letters(context, "reminder")) == 1


def test_when_time_has_passed_the_caretaker_plays_and_everybody_is_told(context, timed, clock, carrier):
    tick(context, clock.forward(48))
    row = context.game_row(timed)
    assert (row.turn, row.seat) == (2, 1)
    assert (row.turn_began_at, row.deadline) == (None, None), "its letter has not left"
    assert {letter.seat for letter in letters(context, "time_passed")} == {0, 1}
    assert "turn_ended" in fact_names(context.facts(timed))
    send_due_letters(context, carrier, clock())
    assert any("ran out of time" in body(mail) for mail in carrier.mails)


def test_the_caretaker_ends_a_turn_that_was_begun(context, timed, clock):
    card, _ = context.turn_words(timed)
    context.play(timed, 0, context.game_row(timed).after, [card], "link", clock.forward(47))
    tick(context, clock.forward(1))
    assert context.game_row(timed).turn == 2


def test_the_house_plays_its_turns_until_a_person_is_to_move(context, clock):
    game = context.start_game("Anna", "house", "house")
    tick(context, clock())
    assert context.mover(game) == "Anna"


def test_a_game_of_houses_is_played_to_its_end(context, clock):
    game = context.start_game("house", "house", "house")
    for _ in range(10):
        tick(context, clock())
    assert context.game_row(game).status == "over"
    assert fact_names(context.facts(game))[-1] == "game_ended"


# --- reminders, and who comes home -----------------------------------------------------------------------


@pytest.mark.parametrize(("story", "case"), stories(Path(__file__).parent / "clock_stories"))
def test_a_story_of_reminders_and_of_who_comes_home(context, carrier, story, case):
    tell(context, carrier, story, case)


@pytest.mark.parametrize(
    ("stored", "wanted"), [(0, False), (1, True), (2, True), ("1/4, 3 hours", True), ("", False)]
)
def test_what_was_stored_as_a_number_or_a_text_means_on_or_off(context, timed, stored, wanted):
    context.set_preferences(timed, context.mover(timed), moves=True)
    with context.changing() as session:
        row = session.exec(select(StoredPreferences).where(StoredPreferences.game == timed)).one()
        row.said = json.dumps({**json.loads(row.said), "reminders": stored})
    with context.reading() as session:
        assert load_preferences(session, row.player, timed).reminders == wanted


def test_a_turn_that_was_reminded_of_by_the_numbers_of_old_is_not_reminded_of_again(context, timed):
    for old, hour, more in ((1, 25, 0), (2, 43, 0), (1, 43, 1), (31, 43, 0)):
        with context.changing() as session:
            session.execute(update(Game).values(reminded=old, due_at=NOON))
        before = len(letters(context, "reminder"))
        tick(context, NOON + hour * HOUR)
        assert len(letters(context, "reminder")) - before == more, (timed, old, hour)


@pytest.fixture
def begun(context, carrier):
    game = context.start_game("Anna", "Ben", hours=48)
    context.work_until_idle(carrier, NOON)
    return game


def test_an_illness_without_a_word_costs_the_reserve_first_and_eight_letters(context, carrier):
    """Of three players one is ill for eleven days; the others play within eight hours."""
    game = context.open_game(
        "Friday", [ANNA, BEN, CLEO], NOON, time=USUAL_TIME, at_once=True, terms=USUAL_TERMS
    )
    ill, name = context.game_row(game).seat, context.mover(game)
    for hours in range(0, 11 * 24, 8):
        now = NOON + timedelta(hours=hours)
        context.work_until_idle(carrier, now)
        row = context.game_row(game)
        if hours < 48 + 96:
            assert row.turn == 1, "its time and the reserve"
        if row.seat != ill:
            play_turn(context, game, row.after, bots.stand_in, Channel.WEB, now)
    assert len(carrier.to(name)) <= 8


# --- from when on time runs -----------------------------------------------------------------------------

BEGINS = "The time for this turn begins when its mail has left."


@pytest.fixture
def away():
    return FailingRelay(error=RelayAway("it does not answer"))


@pytest.fixture
def unheard(place, away):
    game = place.context.start_game("Anna", "Ben")
    place.context.work_until_idle(away, NOON)
    return game


def times(context, game):
    row = context.game_row(game)
    return row.turn_began_at, row.deadline


@pytest.mark.parametrize(
    "wanted", [{"pace": "daily"}, {"pace": "gathered"}, {}], ids=["daily", "gathered", "none"]
)
def test_a_delay_that_its_reader_chose_is_theirs(context, begun, wanted):
    if wanted:
        context.set_preferences(begun, context.names_of(begun)[1], **wanted)
    else:
        with context.changing() as session:
            set_letters_wanted(session, context.player_of(begun, 1), begun, False, NOON)
    play_turn(context, begun, context.game_row(begun).after, bots.play_to_win, "link", NOON + HOUR)
    assert times(context, begun) == (NOON + HOUR, NOON + 49 * HOUR)


@pytest.mark.parametrize("state", [LetterState.DROPPED, LetterState.FAILED])
def test_where_no_letter_comes_any_more_time_runs_all_the_same(context, unheard, state):
    """Whatever became of it: the clock looks for it once a minute."""
    with context.changing() as session:
        session.execute(update(OutgoingLetter).values(state=state))
    tick(context, NOON + timedelta(minutes=1))
    assert times(context, unheard)[0] == NOON + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("seat", "runs"),
    [(0, (NOON + 3 * HOUR, NOON + 51 * HOUR)), (1, (None, None))],
    ids=["their own", "another's"],
)
def test_who_says_something_on_their_page_knows_of_it_and_who_looks_may_be_a_scanner(
    place, unheard, seat, runs
):
    place.clock.forward(3)
    visitor = place.visitor().get(place.link(unheard, seat=seat))
    assert times(place.context, unheard) == (None, None)
    visitor.send("//form[contains(@action, '/say')]", words="hello")
    assert times(place.context, unheard) == runs


def say_seen(visitor, **changes):
    """What the script of the page says that a visitor has before them; the status of the answer."""
    (about,) = visitor.page.xpath("//nav[@data-seen]")
    fields = {"nonce": about.get("data-nonce")} | changes
    return visitor.client.post(about.get("data-seen"), data=fields).status_code


def test_who_has_their_turn_before_them_knows_of_it_once(place, unheard):
    stored = place.stored()
    visitor = place.visitor().get(place.link(unheard))
    for hours in (3, 1):
        place.clock.forward(hours)
        assert say_seen(visitor) == 204
    assert times(place.context, unheard) == (NOON + 3 * HOUR, NOON + 51 * HOUR)
    assert place.stored() == stored
    shown = visitor.get(place.link(unheard)).text
    assert "Wednesday afternoon, 4 March, 16:00 UTC (our mail is down: no time runs)" in shown
    assert not visitor.page.xpath("//*[@data-seen]")


def test_no_other_page_says_that_a_turn_is_seen_and_none_for_another_site(place, unheard):
    visitor, link = place.visitor(), place.link(unheard)
    for other in (place.link(unheard, seat=1), f"{link}/history", f"{link}/sheet"):
        assert not visitor.get(other).page.xpath("//*[@data-seen]")
    visitor.get(link)
    assert say_seen(visitor, nonce="x") == 400
    visitor.client.environ_base["HTTP_SEC_FETCH_SITE"] = "cross-site"
    assert say_seen(visitor) == 400
    assert times(place.context, unheard) == (None, None)


def test_pages_are_seen_only_so_often(place, unheard):
    place.app.config["LIMITS"]["pages-seen"] = 0
    assert say_seen(place.visitor().get(place.link(unheard))) == 429
    assert times(place.context, unheard) == (None, None)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_page_says_that_no_time_runs_only_where_that_lasts(place, unheard, seat):
    link = place.link(unheard, seat=seat)
    page = place.visitor().get(link).text
    assert "Wednesday afternoon, 4 March, 12:00 UTC" in page
    assert BEGINS not in page
    place.clock.forward(0.1)
    page = place.visitor().get(link).text
    assert BEGINS in page
    assert "4 March" not in page


@pytest.mark.parametrize("begun", [False, True])
def test_a_list_that_is_worked_out_anew_knows_when_time_began(context, away, carrier, begun):
    game = context.start_game("Anna", "Ben")
    context.work_until_idle(carrier if begun else away, NOON + 5 * HOUR)
    before = context.projected(game)
    assert (before["deadline"] is not None) is begun
    context.rebuild()
    assert context.projected(game) == before


def test_a_look_that_was_slow_does_not_put_off_a_clock_that_began_meanwhile(context):
    game = context.start_game("Anna", "Ben")
    seen = context.game_row(game)
    context.begin_time(game)
    with context.changing() as session:
        look_at_game_next(session, seen, NOON + timedelta(hours=30))
    assert context.game_row(game).due_at == AT_ONCE
