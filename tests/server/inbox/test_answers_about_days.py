"""Bare replies to the question until when somebody is away: a date alone, in both languages."""

import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest

from emails.languages.lexicon import lexicon_of
from emails.replies.time_requests.absences import ExpectedDays, Interval, read_days_answer
from server.inbox import intake
from tests.server.desk import NOON, mover, set_preferences, start_game, work_until_idle
from tests.server.inbox.test_presence_mail import mail_to, tells, vacations

ASKED_AT = NOON + timedelta(days=8)
TODAY = date(2026, 3, 10)
HOUR = timedelta(hours=1)
AWAY = {"en": "I am away", "nl": "ik ben weg"}
AGAIN = {"en": "Reply with the ", "nl": "Antwoord met de "}
CORPUS = tomllib.loads((Path(__file__).parent / "answers_about_days.toml").read_text(encoding="utf-8"))
REPLIES = [(language, one) for language, replies in CORPUS.items() for one in replies]
NAMES = [f"{language}-{one['said']!r}" for language, one in REPLIES]


@pytest.fixture
def game(context, carrier):
    return begin_slow_game(context, carrier)


def begin_slow_game(context, carrier):
    """A game with forty days for each turn, whose letters have left."""
    game = start_game(context, "Anna", "Ben", "Cleo", now=ASKED_AT - HOUR, hours=40 * 24)
    work_until_idle(context, carrier, ASKED_AT - HOUR)
    return game


@pytest.mark.parametrize(("language", "reply"), REPLIES, ids=NAMES)
def test_a_bare_reply_is_a_last_day_or_no_certain_one(language, reply):
    asked = ExpectedDays((reply["first"],) if "first" in reply else ())
    read = (read_days_answer(one, lexicon_of(language), asked, TODAY) for one in reply["said"].splitlines())
    periods = [one for one in read if isinstance(one, Interval)]
    wanted = [Interval(reply.get("first", TODAY), reply["last"])] if "last" in reply else []
    assert periods == wanted


@pytest.mark.breadth
@pytest.mark.parametrize(("language", "reply"), REPLIES, ids=NAMES)
def test_by_mail_it_is_done_or_asked_about_again(context, game, carrier, language, reply):
    name = mover(context, game)
    set_preferences(context, game, name, everywhere=True, language=language)
    tells(context, carrier, name, reply.get("asked", AWAY[language]), ASKED_AT)
    assert vacations(context) == []
    kind, text = tells(context, carrier, name, reply["said"], ASKED_AT + HOUR)
    if "last" in reply:
        assert (kind, vacations(context)) == ("shown", [(reply.get("first", TODAY), reply["last"])])
    else:
        assert (kind, vacations(context)) == ("refused", [])
        assert AGAIN[language] in text


def test_what_is_not_understood_is_asked_again_until_it_is(context, game, carrier):
    """Each question knows what was asked before it: the day from which they are away."""
    name = mover(context, game)
    _, text = tells(context, carrier, name, "away from Friday", ASKED_AT)
    assert "Until when are you not there? Reply with the last day, such as “Friday” or “4 December”" in text
    for hours, said, asked in (
        (1, "when the snow melts", "Your answer was not understood. Until when"),
        (2, "I am away", "Until when are you not there?"),
        (3, "3 March", "That day has passed. Until when"),
        (4, "3/4", "Which days do you mean"),
    ):
        kind, text = tells(context, carrier, name, said, ASKED_AT + hours * HOUR)
        assert (kind, vacations(context)) == ("refused", [])
        assert asked in text
        assert "is no action" not in text
    tells(context, carrier, name, "the twentieth", ASKED_AT + 5.5 * HOUR)
    assert vacations(context) == [(date(2026, 3, 13), date(2026, 3, 20))]


def test_the_first_day_that_is_told_last_counts(context, game, carrier):
    name = mover(context, game)
    tells(context, carrier, name, "away from Friday", ASKED_AT)
    tells(context, carrier, name, "away from 20 March", ASKED_AT + HOUR)
    tells(context, carrier, name, "25 March", ASKED_AT + 2 * HOUR)
    assert vacations(context) == [(date(2026, 3, 20), date(2026, 3, 25))]


def test_of_two_first_days_one_is_chosen_by_the_days_that_the_question_shows(context, game, carrier):
    """On a Tuesday "from Tuesday" is today or in a week."""
    name = mover(context, game)
    tells(context, carrier, name, "away from Tuesday", ASKED_AT)
    kind, text = tells(context, carrier, name, "the 20th", ASKED_AT + HOUR)
    assert (kind, vacations(context)) == ("refused", [])
    assert "Reply with the date, such as “away 2026-03-17 - 2026-03-20”." in text
    tells(context, carrier, name, "away 2026-03-17 - 2026-03-20", ASKED_AT + 2 * HOUR)
    assert vacations(context) == [(date(2026, 3, 17), date(2026, 3, 20))]


def test_it_is_answered_once(context, game, carrier):
    name = mover(context, game)
    tells(context, carrier, name, "I am away", ASKED_AT)
    question = carrier.to(name)[-1]
    tells(context, carrier, name, "Friday", ASKED_AT + HOUR)
    answer_again(context, carrier, question, "Saturday", ASKED_AT + 2 * HOUR)
    assert vacations(context) == [(TODAY, date(2026, 3, 13))]
    told = " ".join(carrier.to(name)[-1].get_body(("plain",)).get_content().split())
    assert "is answered already, so nothing has changed" in told
    assert "“away until Friday”; “back” ends those" in told


def test_after_two_weeks_a_day_alone_is_no_answer(context, game, carrier):
    name = mover(context, game)
    set_preferences(context, game, name, everywhere=True, language="nl")
    tells(context, carrier, name, "ik ben weg", ASKED_AT)
    kind, text = tells(context, carrier, name, "vrijdag", ASKED_AT + timedelta(days=15))
    assert (kind, vacations(context)) == ("refused", [])
    assert "is op dinsdag 10 maart 2026 gesteld" in text


def test_orders_and_other_lines_are_read_as_ever(context, game, carrier):
    name = mover(context, game)
    tells(context, carrier, name, "I am away", ASKED_AT)
    kind, text = tells(context, carrier, name, "chose lyre, march Larisa", ASKED_AT + HOUR)
    assert "Until when" not in text
    kind, text = tells(context, carrier, name, "away until 2026-03-20", ASKED_AT + 2 * HOUR)
    assert (kind, vacations(context)) == ("shown", [(TODAY, date(2026, 3, 20))])


def test_a_day_alone_answers_no_other_letter(context, game, carrier):
    kind, text = tells(context, carrier, mover(context, game), "Friday", ASKED_AT)
    assert (kind, vacations(context)) == ("refused", [])
    assert "Until when" not in text


def answer_again(context, carrier, letter, words, now):
    mail = mail_to(letter, words)
    intake.store_mail(context, str(mail["From"]), str(mail["To"]), bytes(mail), now)
    work_until_idle(context, carrier, now)
