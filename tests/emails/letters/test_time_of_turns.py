"""What letters say of the time of a turn: where more is asked for, and since when others are waited for."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters import game_letters
from emails.terms import TurnTime
from emails.wording.deadlines import describe_whose_turn
from emails.wording.requests import RequestKind
from tests.emails.specimens import letter, letter_context, page
from tests.gallery.samples import NOW
from tests.spoken import parse_request

ASKING = ("your_turn", "step", "reminder", "reminder-asked")
TUESDAY = datetime(2027, 1, 12, 18, 30, tzinfo=UTC)


def links_of(name: str, language: str = "en") -> list[str]:
    return [str(one.get("href")) for one in page(letter(name, language)).iter("a")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ASKING)
def test_a_letter_that_asks_to_play_leads_to_more_time_and_to_days_away_once(
    name: str, language: str
) -> None:
    links = links_of(name, language)
    for where in ("/agreements", "/away"):
        assert sum(one.endswith(where) for one in links) == 1
    word = {"en": "“more time”", "nl": "“meer tijd”"}[language]
    assert letter(name, language).text.count(word) == 1


WAITING = ("news", "digest", "message", "answer", "shown", "refused-not-my-turn", "time_passed")
TIME = {"en": "Your time (days away, more time, a pause)", "nl": "Je tijd (dagen weg, meer tijd, een pauze)"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ASKING + WAITING)
def test_both_parts_of_every_letter_lead_to_days_away_more_time_and_a_pause(name: str, language: str) -> None:
    made, (link,) = letter(name, language), (one for one in links_of(name, language) if "/agreements" in one)
    lines = made.text.splitlines()
    assert lines[lines.index(link) - 1] == f"{TIME[language]}:"
    assert lines.count(link) == 1
    assert (TIME[language] in made.html) == (name in WAITING)  # whoever is to move has it beside the deadline


@pytest.mark.parametrize("name", WAITING)
def test_a_letter_that_asks_for_no_turn_has_one_link_for_all_of_it(name: str) -> None:
    assert not any(one.endswith("/away") for one in links_of(name))


def test_none_does_where_no_turn_has_a_limit_or_the_game_is_over() -> None:
    for made in (
        game_letters.render_news(replace(letter_context("news"), turn_time=TurnTime(0))),
        game_letters.render_your_turn(
            replace(letter_context("your_turn"), turn_time=TurnTime(0), deadline=None)
        ),
        letter("game_over"),
    ):
        assert "/agreements" not in made.text + made.html


def test_words_that_give_time_stand_in_no_letter_where_none_runs() -> None:
    for made in (
        replace(letter_context("your_turn"), deadline=None),
        replace(letter_context("your_turn"), pause_ends=NOW + timedelta(days=3)),
    ):
        written = game_letters.render_your_turn(made)
        assert "/away" not in written.html
        assert "“more time”" not in written.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_that_it_names_are_read(language: str) -> None:
    [line] = (
        one for one in letter("your_turn", language).text.splitlines() if one.endswith("”.") and "?" in one
    )
    more, away = (one.partition("”")[0] for one in line.split("“")[1:])
    with use_locale(Locale(language)):
        asked = parse_request(more)
        assert asked is not None
        assert asked.kind is RequestKind.MORE_TIME
        assert away.split()[0] in ("away", "weg")


# --- since when others are waited for -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "zone", "after", "said"),
    [
        ("en", "UTC", timedelta(minutes=59), "It is Ben's turn."),
        ("en", "UTC", timedelta(hours=20), "It has been Ben's turn since Tuesday evening."),
        ("en", "Asia/Tokyo", timedelta(hours=20), "It has been Ben's turn since Wednesday before dawn."),
        ("en", "America/New_York", timedelta(hours=20), "It has been Ben's turn since Tuesday afternoon."),
        ("nl", "Europe/Amsterdam", timedelta(hours=20), "Ben is sinds dinsdagavond aan de beurt."),
        ("en", "UTC", timedelta(days=6), "It has been Ben's turn since Tuesday evening."),
        ("en", "UTC", timedelta(days=7), "It has been Ben's turn since 12 January."),
        ("nl", "Asia/Tokyo", timedelta(days=7), "Ben is sinds 13 januari aan de beurt."),
    ],
)
def test_it_is_told_in_words_by_the_clock_of_the_reader(
    language: str, zone: str, after: timedelta, said: str
) -> None:
    with use_locale(Locale(language, zone)):
        assert describe_whose_turn("Ben", TUESDAY, TUESDAY + after) == said


def test_letters_to_the_others_tell_it_in_both_parts_and_no_letter_to_whoever_is_to_move() -> None:
    since = NOW - timedelta(hours=26)
    told = "It has been Anna's turn since Monday afternoon."
    for render in (game_letters.render_digest, game_letters.render_message, game_letters.render_news):
        written = render(replace(letter_context("digest"), turn_since=since))
        assert told in " ".join(written.text.split())
        assert told in written.html.replace("&#39;", "'")
        assert "It has been" not in render(replace(letter_context("your_turn"), turn_since=since)).text
