"""A player who only writes mails has a zone too: by a word of theirs, or asked once by the date of a mail."""

from datetime import timedelta
from email.utils import format_datetime
from zoneinfo import ZoneInfo

import pytest

from emails.terms import AbsenceRule
from server.lobby.leaving import resign
from server.outbox.preferences import load_preferences
from server.store.models import Seating
from server.store.states import Channel
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, committed, kinds, seat_of, set_preferences
from tests.server.inbox.test_mail_dispatch import body, last_letter, mover, reply
from tests.server.inbox.test_new_game_mail import Post
from tests.server.lobby.test_seat_returns import opened


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


@pytest.fixture
def name(context, game):
    return mover(context, game)


def preferences(context, game, name):
    with context.reading() as session:
        player = session.get_one(Seating, (game, seat_of(context, game, name))).player
        return load_preferences(session, player)


def dated(zone, later=timedelta()):
    """The header Date of a mail that is written at noon UTC by a clock of a zone."""
    return format_datetime((NOON + later).astimezone(ZoneInfo(zone)))


def plain(letter):
    return " ".join(body(letter).split())


@pytest.mark.parametrize(
    ("language", "line", "told"),
    [
        ("en", "zone New York", "times are by the clock of New York"),
        ("en", "My time zone is New York.", "times are by the clock of New York"),
        ("en", "America/New_York", "times are by the clock of New York"),
        ("nl", "Mijn tijdzone is Parijs", "de tijden zijn volgens de klok van Paris"),
        ("nl", "tijdzone Parijs", "de tijden zijn volgens de klok van Paris"),
    ],
)
def test_the_word_zone_sets_it_and_the_answer_is_by_that_clock(
    context, game, carrier, name, language, line, told
):
    set_preferences(context, game, name, everywhere=True, language=language)
    reply(context, last_letter(context, carrier, name), line)
    assert preferences(context, game, name).zone != "UTC"
    answer = last_letter(context, carrier, name)
    assert told in f"{answer['Subject']} {plain(answer)}".lower().replace("new york", "New York").replace(
        "paris", "Paris"
    )
    assert "UTC" not in plain(answer)


def test_a_zone_that_nobody_knows_changes_nothing(context, game, carrier, name):
    reply(context, last_letter(context, carrier, name), "zone Atlantis")
    assert preferences(context, game, name).zone == "UTC"
    assert "no time zone is known by that name" in plain(last_letter(context, carrier, name)).lower()


@pytest.mark.parametrize("line", ["New York", "Mars/New_York", "My time zone is not New York"])
def test_control_a_city_alone_and_a_zone_that_is_none_set_nothing(context, game, carrier, name, line):
    reply(context, last_letter(context, carrier, name), line)
    assert preferences(context, game, name).zone == "UTC"


def test_who_only_writes_mails_is_asked_once_by_the_clock_of_their_mail(context, game, carrier, name):
    reply(context, last_letter(context, carrier, name), "hand", Date=dated("Pacific/Auckland"))
    question = last_letter(context, carrier, name)
    assert kinds([question]) == ["asked_back"]
    assert "Is it 01:00 where you are, as in Auckland?" in plain(question)
    assert "“zone” and your city" in plain(question)
    reply(context, last_letter(context, carrier, name), "1", Date=dated("Pacific/Auckland"))
    assert preferences(context, game, name).zone == "Pacific/Auckland"
    answer = last_letter(context, carrier, name)
    assert kinds([answer]) == ["shown"]
    assert "NZDT" in plain(answer)
    assert "UTC" not in plain(answer)


def test_who_does_not_answer_is_not_asked_again(context, game, carrier, name):
    letter = last_letter(context, carrier, name)
    for words in ("hand", "when", "history"):
        reply(context, letter, words, Date=dated("America/Vancouver"))
    last_letter(context, carrier, name)
    assert kinds(carrier.to(name)).count("asked_back") == 1
    assert preferences(context, game, name).zone == "UTC"


@pytest.mark.parametrize(
    "date",
    [
        dated("UTC"),
        dated("Europe/Amsterdam", timedelta(days=-3000)),
        dated("Europe/Amsterdam", timedelta(days=400)),
        "Mon, 2 Mar 2026 12:00:00 -0000",
        "noon",
    ],
    ids=["in UTC", "long ago", "to come", "without a zone", "no date"],
)
def test_a_date_that_tells_no_zone_asks_nothing(context, game, carrier, name, date):
    reply(context, last_letter(context, carrier, name), "hand", Date=date)
    last_letter(context, carrier, name)
    assert "asked_back" not in kinds(carrier.to(name))


@pytest.mark.parametrize("words", ["away until Friday", "sleep 23:00 - 7:00", "settings"])
def test_an_answer_in_utc_says_how_to_set_the_zone(context, game, carrier, name, words):
    assert "Write “zone” and your city" in plain(answer_to(context, carrier, name, words))
    set_preferences(context, game, name, everywhere=True, zone="Europe/Amsterdam")
    assert "Write “zone” and your city" not in plain(answer_to(context, carrier, name, f"{words}."))


def answer_to(context, carrier, name, words):
    """The answer to a mail, and to a yes where it is asked whether its writer means it."""
    reply(context, last_letter(context, carrier, name), words)
    if kinds([last_letter(context, carrier, name)]) == ["asked_back"]:
        reply(context, last_letter(context, carrier, name), "yes." if words.endswith(".") else "yes")
    return last_letter(context, carrier, name)


@pytest.fixture
def post(context):
    return Post(context)


@pytest.fixture
def claim(context, post, clock):
    """The letter by which Dirk, who has only written a mail, takes an offered seat; and the game."""
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    committed(context, clock(), resign, game, 0, Channel.WEB)
    post.write(
        "I would like to play.",
        to=context.links.join_address(game),
        sender="Dirk <dirk@example.org>",
        Date=dated("Pacific/Auckland"),
    )
    return post.to("dirk"), game


@pytest.mark.parametrize("answers", ["1", "hand"])
def test_a_substitute_who_comes_by_mail_is_asked_for_their_zone_once(context, post, claim, answers):
    letter, game = claim
    assert post.answer(letter, "yes", Date=dated("Pacific/Auckland")) == "played"
    question = next(one for one in post.carrier.to("dirk") if kinds([one]) == ["asked_back"])
    assert "Is it 01:00 where you are, as in Auckland?" in plain(question)
    post.answer(question, answers, Date=dated("Pacific/Auckland"))
    assert preferences(context, game, "Dirk").zone == ("Pacific/Auckland" if answers == "1" else "UTC")
    post.answer(letter, "yes", Date=dated("Pacific/Auckland"))
    assert kinds(post.carrier.to("dirk")).count("asked_back") == 1
