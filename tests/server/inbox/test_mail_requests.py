"""Mails that ask for something: answered with it at any time, and what gives a game up stands alone."""

import pytest
from sqlmodel import select

from emails.wording.requests import WORDS
from server.accounts.unsubscribe import stop
from server.clock import tick
from server.delivery.outgoing import deliver
from server.store.models import Resigned
from tests.server.desk import NOON, game_row, names_of, seat_of, start_game, wish
from tests.server.inbox.test_incoming import body, last_letter, mover, reply, states, turn_words


@pytest.fixture
def game(office, carrier):
    game = start_game(office, "Anna", "Ben", "Cleo")
    deliver(office, carrier, NOON)
    return game


def asks(office, carrier, name, text):
    """The answer to a mail, its lines joined."""
    reply(office, last_letter(office, carrier, name), text)
    letter = last_letter(office, carrier, name)
    return str(letter["X-Alexandros"]), " ".join(body(letter).split())


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("?", "What you can write"),
        ("Help.", "What you can write"),
        ("board", "The whole position"),
        ("my cards", "Your cards and what they can do"),
        ("history please", "The game so far"),
        ("rules", "The game in two minutes"),
        ("rules 5.9", "Rule 5.9: You can take over"),
        ("settings", "Language: English. Time zone: UTC."),
        ("kaarten, aub", "Your cards and what they can do"),
    ],
)
def test_whoever_asks_is_shown_it_in_turn_and_out_of_turn(office, game, carrier, words, shown):
    before = game_row(office, game).seq
    for name in names_of(office, game)[:2]:
        kind, text = asks(office, carrier, name, words)
        assert kind == "shown"
        assert f"== {shown} ==" in text or shown in text
    assert game_row(office, game).seq == before


@pytest.mark.parametrize("language", WORDS)
def test_it_is_answered_in_the_language_of_its_reader_whatever_he_writes(office, game, carrier, language):
    name = mover(office, game)
    wish(office, game, name, language="nl")
    kind, text = asks(office, carrier, name, WORDS[language]["hand"].split(", ")[0])
    assert kind == "shown"
    assert "Je kaarten en wat je ermee kunt" in text


def test_several_are_shown_in_their_order_and_what_is_played_is_played(office, game, carrier):
    name = mover(office, game)
    card, march = turn_words(office, game)
    kind, text = asks(office, carrier, name, f"{card}\n{march}\nrules 5.11\nhand")
    assert kind == "answer"
    assert game_row(office, game).seq == 3
    assert 0 < text.index("Rule 5.11") < text.index("Your cards and what they can do")


def test_what_is_asked_for_is_shown_although_an_order_is_refused(office, game, carrier):
    kind, text = asks(office, carrier, mover(office, game), "levy taxes\nrules 5.11")
    assert kind == "refused"
    assert "Rule 5.11" in text


def test_a_sentence_about_the_board_is_none(office, game, carrier):
    kind, _ = asks(office, carrier, mover(office, game), "the board looks odd to me today")
    assert kind == "refused"


# --- resigning ------------------------------------------------------------------------------------------


def resigned(office):
    with office.reading() as session:
        return [row.seat for row in session.exec(select(Resigned))]


@pytest.mark.parametrize(
    "words", ["resign", "I resign.", "Ik geef op!", "OPGEVEN", "Hi,\n\nresign\n\nRegards"]
)
def test_a_mail_that_says_nothing_else_gives_the_game_up(office, game, carrier, words):
    name = mover(office, game)
    kind, text = asks(office, carrier, name, words)
    assert kind == "shown"
    assert "== You have resigned ==" in text
    assert resigned(office) == [seat_of(office, game, name)]
    assert tick(office, NOON) == 1
    assert mover(office, game) != name


def test_it_gives_the_game_up_whatever_letter_it_answers(office, game, carrier):
    name = names_of(office, game)[0]
    letter = last_letter(office, carrier, name)
    card, _ = turn_words(office, game)
    reply(office, letter, card)
    reply(office, letter, "resign")
    assert resigned(office) == [0]


@pytest.mark.parametrize("more", ["draw", "board", "say: sorry", "resign"])
def test_with_anything_else_it_is_refused_and_nothing_is_done(office, game, carrier, more):
    kind, text = asks(office, carrier, mover(office, game), f"resign\n{more}")
    assert (kind, resigned(office)) == ("refused", [])
    assert "in a mail of its own" in text
    assert "You have resigned" not in text


def test_whoever_has_resigned_plays_no_more_but_may_ask(office, game, carrier):
    name = mover(office, game)
    card, _ = turn_words(office, game)
    letter = last_letter(office, carrier, name)
    reply(office, letter, "resign")
    reply(office, letter, card)
    answer = last_letter(office, carrier, name)
    assert str(answer["X-Alexandros"]) == "refused"
    assert f"“{card}”: you have resigned from this game" in " ".join(body(answer).split())
    kind, text = asks(office, carrier, name, "history")
    assert kind == "shown"
    assert "Turn 1, you" not in text
    assert [state for state, _ in states(office)] == ["played", "refused", "played"]


def test_who_gets_no_letters_is_answered_all_the_same(office, game, carrier):
    name = mover(office, game)
    letter = last_letter(office, carrier, name)
    stop(office, game, seat_of(office, game, name), False, NOON)
    reply(office, letter, "resign")
    assert str(last_letter(office, carrier, name)["X-Alexandros"]) == "shown"
