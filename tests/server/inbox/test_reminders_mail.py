"""Mails that say whether their writer wants to be reminded of a turn, in English and in Dutch."""

import pytest

from server.outbox.preferences import load_preferences, preferences_changed_at
from server.store.models import Seating
from tests.server.beginnings import begin_game
from tests.server.desk import names_of, seat_of, set_preferences, start_game
from tests.server.inbox.test_presence_mail import mover, tells


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben", "Cleo")


def wanted(context, game, name):
    with context.reading() as session:
        seating = session.get_one(Seating, (game, seat_of(context, game, name)))
        return load_preferences(session, seating.player, game).reminders


@pytest.mark.parametrize(
    ("language", "words", "reminders"),
    [
        ("en", "stop reminders", False),
        ("en", "Please stop reminding me!", False),
        ("en", "no reminders", False),
        ("en", "No more reminders please, I know that it is my turn.", False),
        ("en", "Thanks, but no more reminders. I can see it is my turn", False),
        ("en", "Hi,\n\nplease stop the reminders, they are annoying\n\nAnna", False),
        ("nl", "Geen herinneringen meer graag, ik weet dat ik aan de beurt ben.", False),
        ("en", "reminders on", True),
        ("nl", "Stop met herinneringen.", False),
        ("nl", "herinneringen mogen uit", False),
        ("nl", "herinneringen aan", True),
    ],
)
def test_a_line_sets_them_and_its_answer_tells_them(context, game, carrier, language, words, reminders):
    name = mover(context, game)
    set_preferences(context, game, name, language=language, reminders=not reminders, everywhere=True)
    kind, text = tells(context, carrier, name, words)
    assert (kind, wanted(context, game, name)) == ("shown", reminders)
    told = {"en": ("Two reminders", "No reminders come"), "nl": ("twee herinneringen", "geen h")}
    assert told[language][not reminders] in text
    again = {"en": "“reminders on”", "nl": "“herinneringen aan”"}
    assert reminders or again[language] in text


def test_the_word_alone_shows_them(context, game, carrier):
    name = mover(context, game)
    kind, text = tells(context, carrier, name, "my reminders, please")
    assert (kind, wanted(context, game, name)) == ("shown", True)
    assert "Two reminders come while your time goes, and none at night." in text
    with context.reading() as session:
        seating = session.get_one(Seating, (game, seat_of(context, game, name)))
        assert preferences_changed_at(session, seating.player, game) is None


@pytest.mark.parametrize(
    "words",
    [
        "stop reminders?",
        "Remind me to buy milk a day before.",
        "no reminders for Cleo",
        "no more reminders at night please",
        "no more reminders between 22 and 7",
        "Cleo wants no more reminders",
        "reminders: half, but not at night",
    ],
)
def test_what_is_not_certain_sets_nothing(context, game, carrier, words):
    name = mover(context, game)
    tells(context, carrier, name, words)
    assert wanted(context, game, name)


def test_they_hold_in_all_games_but_those_with_settings_of_their_own(context, game, carrier):
    name = mover(context, game)
    other = start_game(context, *names_of(context, game))
    set_preferences(context, other, name, moves=True)
    tells(context, carrier, name, "stop reminders")
    assert not wanted(context, other, name), "the newest letter is of the game with its own"
    assert wanted(context, game, name)
    third = start_game(context, *names_of(context, game))
    tells(context, carrier, name, "stop reminders")
    assert not wanted(context, third, name)
    assert not wanted(context, game, name)
