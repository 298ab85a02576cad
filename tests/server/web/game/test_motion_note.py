"""What is asked of all who play stands on the page of their game, and is answered there: a game of three."""

from datetime import timedelta

import pytest

from emails.wording.requests import MotionKind
from server.lobby.motions import decline_motion, support_motion
from server.store.facts.game_agreements import MOTION_OPEN_FOR
from server.store.states import Channel
from tests.server.desk import NOON, committed, game_row, names_of, resign, set_preferences, start_timed_game
from tests.server.web.site import site

NOTE = "//section[contains(@class, 'motion')]"
LANGUAGES = ("en", "nl")


@pytest.fixture
def place(tmp_path):
    return site(tmp_path)


@pytest.fixture
def game(place):
    """Nobody of them has opened it, so that nobody pauses it alone."""
    return start_timed_game(place.context, "Anna", "Ben", "Cleo")


def says(place, game, seat, kind, *, no=False):
    say = decline_motion if no else support_motion
    return committed(place.context, NOON, lambda unit: say(unit, game, seat, kind, Channel.WEB))


def speak(place, game, language):
    for name in names_of(place.context, game):
        set_preferences(place.context, game, name, everywhere=True, language=language)


def page(place, game, seat):
    return place.visitor().get(place.link(game, seat=seat))


def noted(visitor):
    return [" ".join(one.text_content().split()) for one in visitor.page.xpath(NOTE)]


ASKED = {
    "en": ("{} asks for a pause.", "I agree", "You have asked for a pause. Not answered yet: {} and {}."),
    "nl": (
        "{} vraagt om een pauze.",
        "Ik ga akkoord",
        "Je hebt om een pauze gevraagd. Nog niet geantwoord: {} en {}.",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_seen_by_who_is_to_move_and_who_waits_and_to_look_changes_nothing(place, game, language):
    speak(place, game, language)
    assert [noted(page(place, game, seat)) for seat in range(3)] == [[], [], []]
    says(place, game, 2, MotionKind.PAUSE)
    names, before = names_of(place.context, game), place.stored()
    asked, agree, own = ASKED[language]
    for seat in (0, 1):
        visitor = page(place, game, seat)
        [said] = noted(visitor)
        assert said.startswith(asked.format(names[2]))
        buttons = visitor.page.xpath(f"{NOTE}//form[@method='post']//button")
        assert [one.get("value") for one in buttons] == ["agree", "decline"]
        assert buttons[0].text_content() == agree
    assert "Nothing is needed of you now." not in page(place, game, 1).text
    [said] = noted(page(place, game, 2))
    assert said.startswith(own.format(names[0], names[1]))
    assert not page(place, game, 2).page.xpath(f"{NOTE}//button")
    assert place.stored() == before
    assert game_row(place.context, game).paused_at is None


def test_the_buttons_answer_it_and_who_has_asked_sees_who_is_awaited(place, game):
    says(place, game, 2, MotionKind.PAUSE)
    names = names_of(place.context, game)
    page(place, game, 0).send(f"{NOTE}//form", say="agree")
    [said] = noted(page(place, game, 2))
    assert f"Not answered yet: {names[1]}." in said
    [mine] = noted(page(place, game, 0))
    assert f"{names[2]} asks for a pause. Not answered yet: {names[1]}." in mine
    page(place, game, 1).send(f"{NOTE}//form", say="agree")
    assert game_row(place.context, game).paused_at is not None
    assert [noted(page(place, game, seat)) for seat in range(3)] == [[], [], []]


def test_a_no_on_the_page_ends_a_pause_that_was_asked_for(place, game):
    says(place, game, 2, MotionKind.PAUSE)
    page(place, game, 1).send(f"{NOTE}//form", say="decline")
    assert [noted(page(place, game, seat)) for seat in range(3)] == [[], [], []]
    assert game_row(place.context, game).paused_at is None


def test_more_time_that_one_does_not_give_is_told_to_who_has_asked(place, game):
    mover = game_row(place.context, game).seat
    says(place, game, mover, MotionKind.MORE_TIME)
    first, second = (seat for seat in range(3) if seat != mover)
    names = names_of(place.context, game)
    assert f"{names[mover]} asks for 24 hours more for this turn." in noted(page(place, game, first))[0]
    says(place, game, first, MotionKind.MORE_TIME, no=True)
    [said] = noted(page(place, game, mover))
    assert "You have asked for 24 hours more for this turn." in said
    assert f"{names[first]} does not agree. Not answered yet: {names[second]}." in said
    assert "You do not agree." in noted(page(place, game, first))[0]


def test_what_cannot_be_taken_back_is_read_on_its_page_before_it_is_answered(place, game):
    resign(place.context, game, 2, "web", NOON)
    says(place, game, 0, MotionKind.CLOSE)
    visitor = page(place, game, 1)
    [said] = noted(visitor)
    assert said.endswith("asks to end the game as it stands. Read and answer")
    assert not visitor.page.xpath(f"{NOTE}//form")
    [link] = visitor.page.xpath(f"{NOTE}//a/@href")
    assert link.endswith("/agreements")


def test_without_the_token_of_the_page_nothing_is_answered(place, game):
    says(place, game, 2, MotionKind.PAUSE)
    before = place.stored()
    forged = page(place, game, 0).send(f"{NOTE}//form", say="agree", nonce="x")
    assert (forged.status, place.stored()) == (400, before)


def test_what_nobody_answers_is_noted_until_it_lapses(place, game):
    says(place, game, 2, MotionKind.PAUSE)
    assert noted(page(place, game, 0))
    place.clock.now = NOON + MOTION_OPEN_FOR + timedelta(seconds=1)
    assert noted(page(place, game, 0)) == []
