"""Mails that ask for something: answered with it at any time, and what gives a game up stands alone."""

import pytest
from sqlmodel import select

from emails.languages.supported_languages import LANGUAGES
from emails.wording.requests import RequestKind, list_phrases
from server.accounts.unsubscribe import stop_letters
from server.clock import tick
from server.store.models import Game, Resignation, Seating
from tests.breadth import first
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, committed, game_row, names_of, seat_of, set_preferences
from tests.server.inbox.test_mail_dispatch import body, last_letter, mover, reply, states, turn_words


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben", "Cleo")


def asks(context, carrier, name, text):
    """The answer to a mail, its lines joined."""
    reply(context, last_letter(context, carrier, name), text)
    letter = last_letter(context, carrier, name)
    return str(letter["X-Alexandros"]), " ".join(body(letter).split())


@pytest.mark.parametrize(
    ("words", "shown"),
    first(
        4,
        [
            ("?", "What you can write"),
            ("Help.", "What you can write"),
            ("board", "How the game stands"),
            ("my cards", "Your cards and what they can do"),
            ("history please", "The game so far"),
            ("rules", "The game in two minutes"),
            ("rules 5.9", "Rule 5.9: You can take over"),
            ("settings", "Language: English. Time zone: UTC."),
            ("my cards, please", "Your cards and what they can do"),
        ],
    ),
)
def test_whoever_asks_is_shown_it_in_turn_and_out_of_turn(context, game, carrier, words, shown):
    before = game_row(context, game).seq
    for name in names_of(context, game)[:2]:
        kind, text = asks(context, carrier, name, words)
        assert kind == "shown"
        assert f"== {shown} ==" in text or shown in text
    assert game_row(context, game).seq == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_answered_in_the_language_of_its_reader_whatever_he_writes(context, game, carrier, language):
    name = mover(context, game)
    set_preferences(context, game, name, language="nl")
    kind, text = asks(context, carrier, name, list_phrases(RequestKind.HAND, language)[0])
    assert kind == "shown"
    assert "Je kaarten en wat je ermee kunt" in text


def test_several_are_shown_in_their_order_and_what_is_played_is_played(context, game, carrier):
    name = mover(context, game)
    card, march = turn_words(context, game)
    kind, text = asks(context, carrier, name, f"{card}\n{march}\nrules 5.11\nhand")
    assert kind == "answer"
    assert game_row(context, game).seq == 3
    assert 0 < text.index("Rule 5.11") < text.index("Your cards and what they can do")


def test_what_is_asked_for_is_shown_although_an_order_is_refused(context, game, carrier):
    kind, text = asks(context, carrier, mover(context, game), "levy taxes\nrules 5.11")
    assert kind == "refused"
    assert "Rule 5.11" in text


def test_a_sentence_about_the_board_is_none(context, game, carrier):
    kind, _ = asks(context, carrier, mover(context, game), "the board looks odd to me today")
    assert kind == "refused"


# --- resigning ------------------------------------------------------------------------------------------


def resigned(context):
    with context.reading() as session:
        return [row.seat for row in session.exec(select(Resignation))]


@pytest.mark.parametrize(
    "words", first(3, ["resign", "I resign.", "Ik geef op!", "OPGEVEN", "Hi,\n\nresign\n\nRegards"])
)
def test_a_mail_that_says_nothing_else_gives_the_game_up_once_its_writer_has_said_yes(
    context, game, carrier, words
):
    name = mover(context, game)
    set_preferences(context, game, name, language="en" if "resign" in words else "nl")
    kind, text = asks(context, carrier, name, words)
    assert (kind, resigned(context)) == ("asked_back", [])
    assert "you give your seat up" in text or "je je plaats opgeeft" in text
    kind, text = asks(context, carrier, name, "yes")
    assert kind == "shown"
    assert "== You have resigned ==" in text or "== Je hebt opgegeven ==" in text
    assert resigned(context) == [seat_of(context, game, name)]
    assert tick(context, NOON) == 1
    assert mover(context, game) != name


@pytest.mark.parametrize(
    "words",
    [
        "I don't want to play any more",
        "I do not want to play anymore",
        "I no longer want to play",
        "I want to stop",
        "ik wil stoppen",
    ],
)
def test_whoever_wants_to_stop_is_asked_whether_they_give_the_game_up(context, game, carrier, words):
    """And is asked for no more time ("any more"), and offered no march that a "yes" would play."""
    name = mover(context, game)
    set_preferences(context, game, name, language="nl" if words.startswith("ik") else "en")
    kind, text = asks(context, carrier, name, words)
    assert (kind, resigned(context)) == ("asked_back", [])
    assert "you give your seat up" in text or "geef je je plaats op" in text.casefold()
    assert asks(context, carrier, name, "no")[0] != "shown"
    assert resigned(context) == []


def test_it_gives_the_game_up_whatever_letter_it_answers(context, game, carrier):
    name = names_of(context, game)[0]
    letter = last_letter(context, carrier, name)
    card, _ = turn_words(context, game)
    reply(context, letter, card)
    reply(context, letter, "resign")
    reply(context, last_letter(context, carrier, name), "yes")
    assert resigned(context) == [0]


@pytest.mark.parametrize("more", ["draw", "board", "say: sorry", "resign"])
def test_with_anything_else_it_is_refused_and_nothing_is_done(context, game, carrier, more):
    kind, text = asks(context, carrier, mover(context, game), f"resign\n{more}")
    assert (kind, resigned(context)) == ("refused", [])
    assert "in a mail of its own" in text
    assert "You have resigned" not in text


def test_whoever_has_resigned_plays_no_more_but_may_ask(context, game, carrier):
    name = mover(context, game)
    card, _ = turn_words(context, game)
    letter = last_letter(context, carrier, name)
    reply(context, letter, "resign")
    reply(context, last_letter(context, carrier, name), "yes")
    reply(context, letter, card)
    answer = last_letter(context, carrier, name)
    assert str(answer["X-Alexandros"]) == "refused"
    assert f"“{card}”: you have resigned from this game" in " ".join(body(answer).split())
    kind, text = asks(context, carrier, name, "history")
    assert kind == "shown"
    assert "Turn 1, you" not in text
    assert [state for state, _ in states(context)] == ["asked", "played", "refused", "played"]


def test_who_gets_no_letters_is_answered_all_the_same(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    committed(context, NOON, stop_letters, game, seat_of(context, game, name), False)
    reply(context, letter, "resign")
    assert str(last_letter(context, carrier, name)["X-Alexandros"]) == "asked_back"
    reply(context, last_letter(context, carrier, name), "yes")
    assert str(last_letter(context, carrier, name)["X-Alexandros"]) == "shown"


@pytest.mark.parametrize("words", ["", "no", "why?", "yes and no", "never\nyes", "draw"])
def test_anything_but_yes_leaves_it_undone(context, game, carrier, words):
    asks(context, carrier, mover(context, game), "resign")
    reply(context, last_letter(context, carrier, mover(context, game)), words)
    assert resigned(context) == []


def test_a_yes_to_any_other_letter_leaves_it_undone(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    asks(context, carrier, name, "resign")
    question = last_letter(context, carrier, name)
    assert question["Reply-To"] != letter["Reply-To"]
    del letter["Message-ID"]
    letter["Message-ID"] = str(question["Message-ID"])  # and names the letter that asks
    reply(context, letter, "yes")
    assert resigned(context) == []


def test_who_answers_a_question_with_no_hears_nothing_and_with_half_a_yes_what_is_needed(
    context, game, carrier
):
    name = mover(context, game)
    asks(context, carrier, name, "resign")
    question, sent = last_letter(context, carrier, name), len(carrier.mails)
    reply(context, question, "no, thank you")
    assert str(last_letter(context, carrier, name)["Message-ID"]) == str(question["Message-ID"])
    assert len(carrier.mails) == sent
    reply(context, question, "yes, but only if Ben agrees")
    assert "with the one word “yes”" in " ".join(body(last_letter(context, carrier, name)).split())
    assert resigned(context) == []
    reply(context, question, "yes")
    assert resigned(context) == [seat_of(context, game, name)]


def test_yes_twice_is_yes_once(context, game, carrier):
    name = mover(context, game)
    asks(context, carrier, name, "resign")
    question = last_letter(context, carrier, name)
    for words in ("yes", "Yes."):
        reply(context, question, words)
    assert [state for state, _ in states(context)] == ["asked", "played", "ignored"]


def test_new_links_are_made_once_their_reader_has_said_yes(context, game, carrier):
    name = mover(context, game)
    seat = seat_of(context, game, name)
    kind, text = asks(context, carrier, name, "new links")
    assert (kind, epoch(context, game, seat)) == ("asked_back", 0)
    assert "open nothing any more, and you get new ones" in text
    question = last_letter(context, carrier, name)
    reply(context, question, "yes")
    assert epoch(context, game, seat) == 1
    assert str(last_letter(context, carrier, name)["X-Alexandros"]) == "shown"
    reply(context, question, "yes!")
    assert epoch(context, game, seat) == 1


def epoch(context, game, seat):
    with context.reading() as session:
        return session.get_one(Seating, (game, seat)).epoch


def test_the_position_may_have_moved_on_and_the_game_may_not_have_ended(context, game, carrier):
    name, other = names_of(context, game)[:2]
    asks(context, carrier, other, "resign")
    question = last_letter(context, carrier, other)
    card, march = turn_words(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\n{march}\ndraw; draw")
    with context.writing() as session:
        session.get_one(Game, game).status = "over"
        session.commit()
    reply(context, question, "yes")
    assert resigned(context) == []
    assert "The game is over" in body(last_letter(context, carrier, other))
    with context.writing() as session:
        session.get_one(Game, game).status = "running"
        session.commit()
    reply(context, question, "Yes")
    assert resigned(context) == [1]
