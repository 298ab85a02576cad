"""Mails that say when their writer wants to be reminded of a turn, in English and in Dutch."""

import pytest

from emails.wording.times.reminder_times import USUAL_REMINDERS, ReminderTime
from server.outbox.preferences import load_preferences, preferences_changed_at
from server.store.models import Seating
from tests.server.beginnings import begin_game
from tests.server.desk import names_of, seat_of, set_preferences, start_game
from tests.server.inbox.test_presence_mail import mover, tells

HALF, QUARTER, EIGHTH, DAY, HOURS = ReminderTime


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
        ("en", "reminders: half, 3 hours before", (HALF, HOURS)),
        ("en", "Remind me a day before the deadline, please.", (DAY,)),
        ("en", "reminders 1/4 and 1/8", (QUARTER, EIGHTH)),
        ("en", "no reminders", ()),
        ("nl", "herinneringen: de helft en een achtste", USUAL_REMINDERS),
        ("nl", "Herinner me een dag van tevoren en 3 uur voor het einde.", (DAY, HOURS)),
        ("nl", "geen herinneringen meer", ()),
    ],
)
def test_a_line_sets_them_and_its_answer_tells_them(context, game, carrier, language, words, reminders):
    name = mover(context, game)
    set_preferences(context, game, name, language=language, reminders=(QUARTER,), everywhere=True)
    kind, text = tells(context, carrier, name, words)
    assert (kind, wanted(context, game, name)) == ("shown", reminders)
    told = {
        "en": ("Reminders come when", "No reminders come"),
        "nl": ("Er komen herinneringen als", "geen h"),
    }
    assert told[language][not reminders] in text


@pytest.mark.parametrize("words", ["reminders", "my reminders, please"])
def test_the_word_alone_shows_them(context, game, carrier, words):
    name = mover(context, game)
    kind, text = tells(context, carrier, name, words)
    assert (kind, wanted(context, game, name)) == ("shown", USUAL_REMINDERS)
    assert "Reminders come when this is left: half of your time and an eighth of your time." in text
    with context.reading() as session:
        seating = session.get_one(Seating, (game, seat_of(context, game, name)))
        assert preferences_changed_at(session, seating.player, game) is None


@pytest.mark.parametrize(
    "words",
    [
        "reminders: half or a quarter",
        "reminders: two hours before",
        "reminders: half, but not at night",
        "reminders?",
        "reminders: half?",
        "Remind me to buy milk a day before.",
        "no reminders for Ben",
    ],
)
def test_what_is_not_certain_sets_nothing(context, game, carrier, words):
    name = mover(context, game)
    tells(context, carrier, name, words)
    assert wanted(context, game, name) == USUAL_REMINDERS


def test_they_hold_in_all_games_but_those_with_settings_of_their_own(context, game, carrier):
    name = mover(context, game)
    other = start_game(context, *names_of(context, game))
    set_preferences(context, other, name, reminders=())
    tells(context, carrier, name, "reminders: 3 hours")
    assert wanted(context, other, name) == (HOURS,), "the newest letter is of the game with its own"
    assert wanted(context, game, name) == USUAL_REMINDERS
    third = start_game(context, *names_of(context, game))
    tells(context, carrier, name, "reminders: half")
    assert wanted(context, third, name) == wanted(context, game, name) == (HALF,)
    assert wanted(context, other, name) == (HOURS,)
