"""Answers in the words of people: numbers, whole turns and what was left of them, questions, wishes."""

import json
import re

import pytest
from sqlmodel import select

from emails.wording.requests import RequestKind
from engine import march_rules
from engine.board import corners
from engine.notation.orders import write
from engine.position import view
from engine.rules import card_choices, legal
from server.admin.search import describe_correspondence
from server.delivery.sending import send_due_letters
from server.inbox.reply_outcome import READ_REQUESTS
from server.store.event_log import load_acts
from server.store.models import Game, OutgoingLetter
from server.turns.dry_run import preview
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, game_row, set_preferences
from tests.server.inbox.test_mail_dispatch import body, last_letter, mover, reply, states


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def position(context, game):
    with context.reading() as session:
        return context.history_of(session, session.get_one(Game, game)).position


def done(context, game):
    """The canonical words of every act of a player."""
    with context.reading() as session:
        return [
            row.said for row, _ in load_acts(session, game, 0) if row.seat is not None and row.door == "reply"
        ]


def letters(context, kind):
    with context.reading() as session:
        return session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == kind)).all()


def lone_march(context, game):
    """A card and a corner of this position to which exactly one way of that card leads, with its number."""
    now = position(context, game)
    seat = now.table.seat
    for card in card_choices(view(now, seat)):
        after = preview(now, seat, [write(card, now.table.board)]).position
        for space in march_rules.targets_of_chosen(after.table):
            for corner in corners(space):
                reached = corner in march_rules.reachable_corners(after.table, space)
                if reached and march_rules.ShortestPaths(after.table, corner).count() == 1:
                    return write(card, now.table.board), corner
    raise AssertionError("no such march")


def forked_march(context, game):
    """A card and a place to which several ways lead."""
    now = position(context, game)
    seat = now.table.seat
    for card in card_choices(view(now, seat)):
        after = preview(now, seat, [write(card, now.table.board)]).position
        for space in march_rules.targets_of_chosen(after.table):
            ways = sum(
                march_rules.ShortestPaths(after.table, one).count()
                for one in march_rules.reachable_corners(after.table, space)
            )
            if ways > 1:
                return write(card, now.table.board), now.table.board.names[space]
    raise AssertionError("no such march")


def number_of(letter_row, words):
    numbers = json.loads(letter_row.detail)["numbers"]
    return next(number for number, meaning in numbers.items() if meaning == words)


def end_of_march(letter_row, letter):
    """Where Alexander ends with the choice of a letter."""
    words = json.loads(letter_row.detail)["numbers"][letter]
    return re.search(r"march \w+ (?:\w+-)*(\w+)", words)[1]


# --- numbers ---------------------------------------------------------------------------------------------


def test_the_letter_of_a_choice_is_an_answer(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    [row] = [one for one in letters(context, "your_turn") if f"{name.lower()}@" in one.recipient]
    reply(context, letter, "b")
    assert str(position(context, game).table.alexander) == end_of_march(row, "b")


def test_a_mail_begun_with_a_link_of_the_letter_knows_its_choices_too(context, game, carrier):
    """Such a mail names no letter that it answers: only its address tells."""
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    [row] = [one for one in letters(context, "your_turn") if f"{name.lower()}@" in one.recipient]
    del letter["Message-ID"]
    letter["Message-ID"] = "<somebody.else@example.org>"
    reply(context, letter, "b", quote=False)
    assert str(position(context, game).table.alexander) == end_of_march(row, "b")


@pytest.mark.parametrize(("words", "answer"), [("all", "p"), ("board", "b"), ("%s\nmarch %s", "2")])
def test_a_letter_can_be_answered_before_its_sending_is_noted(context, game, carrier, words, answer):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    reply(context, letter, words % forked_march(context, game) if "%" in words else words)

    class Hasty(type(carrier)):
        def send(self, sender, recipient, raw):
            super().send(sender, recipient, raw)
            if not done(context, game):
                reply(context, self.mails[-1], answer)

    send_due_letters(context, Hasty(), NOON)
    assert len(done(context, game)) == 1, states(context)


def test_a_number_that_stands_for_nothing_does_nothing(context, game, carrier):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "97")
    assert game_row(context, game).after == 2
    assert states(context)[0][0] == "refused"
    assert "97" in body(last_letter(context, carrier, name))


@pytest.mark.parametrize("words", ["h", "L.", "q", "Option z, please", "s\n\nBest, Anna"])
def test_a_letter_that_was_not_offered_is_answered_with_those_that_were(context, game, carrier, words):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), words)
    assert done(context, game) == []
    answer = body(last_letter(context, carrier, name))
    assert "in that mail; it offers a, b, c, d, e." in answer
    assert "  * a. " in answer


def test_in_the_middle_of_a_turn_the_numbers_are_those_of_the_choices(context, game, carrier):
    name = mover(context, game)
    card, corner = lone_march(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nmarch {corner}")
    letter = last_letter(context, carrier, name)
    [row] = letters(context, "answer")
    drawn = len(position(context, game).hands[0]) + len(position(context, game).hands[1])
    reply(context, letter, number_of(row, "draw"))
    assert len(position(context, game).hands[0]) + len(position(context, game).hands[1]) == drawn + 1


# --- questions -------------------------------------------------------------------------------------------


def test_a_march_that_could_go_several_ways_is_asked_about_and_a_number_answers(context, game, carrier):
    name = mover(context, game)
    card, place = forked_march(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nmarch {place}\ndraw")
    assert game_row(context, game).after == 2  # nothing was done
    letter = last_letter(context, carrier, name)
    [row] = letters(context, "refused")
    numbers = json.loads(row.detail)["numbers"]
    assert list(numbers) == [str(number + 1) for number in range(len(numbers))]
    assert 2 <= len(numbers) <= 6
    assert all(words.startswith(f"{card}; march {place} ") for words in numbers.values())
    assert all(words.endswith("; draw") for words in numbers.values())
    assert len(set(numbers.values())) == len(numbers)
    assert "wall" in body(letter)  # each says what it would do
    reply(context, letter, "2")
    now = position(context, game)
    path = re.search(r"march \w+ (\S+);", numbers["2"])[1]
    assert str(now.table.alexander) == path.split("-")[-1]
    assert done(context, game)
    [answer] = letters(context, "answer")
    assert json.loads(answer.detail)["done"] == numbers["2"].split("; ")


def test_an_answer_to_an_old_question_does_nothing(context, game, carrier):
    name = mover(context, game)
    card, place = forked_march(context, game)
    first = last_letter(context, carrier, name)
    reply(context, first, f"{card}\nmarch {place}")
    question = last_letter(context, carrier, name)
    lone, corner = lone_march(context, game)
    reply(context, first, f"{lone}\nmarch {corner}")
    after = game_row(context, game).after
    reply(context, question, "1")
    assert game_row(context, game).after == after
    assert states(context)[-1][0] == "refused"


@pytest.mark.parametrize("words", ["horse 12, no 15", "corner 97", "marsh 2"])
def test_who_does_not_answer_a_question_as_it_asks_hears_why(context, game, carrier, words):
    name = mover(context, game)
    card, place = forked_march(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nmarch {place}")
    reply(context, last_letter(context, carrier, name), words)
    assert game_row(context, game).after == 2
    assert len(letters(context, "refused")) == 2


def test_a_number_that_a_later_letter_uses_otherwise_is_asked_about(context, game, carrier):
    """Who looks at both in one thread may have answered the wrong one."""
    name = mover(context, game)
    card, place = forked_march(context, game)
    first = last_letter(context, carrier, name)
    reply(context, first, f"{card}\nmarch {place}\ndraw")
    send_due_letters(context, carrier, NOON)
    reply(context, first, "1")
    assert game_row(context, game).after == 2
    newest = last_letter(context, carrier, name)
    assert "later mail" in body(newest)
    reply(context, newest, "a")
    assert str(position(context, game).table.alexander) == end_of_march(letters(context, "refused")[-1], "a")


def test_who_reads_dutch_sees_his_words_in_dutch(context, game, carrier):
    name = mover(context, game)
    set_preferences(context, game, name, language="nl")
    card, place = forked_march(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}, march {place} and draw")
    letter = body(last_letter(context, carrier, name))
    assert f"“marcheer {place}”" in letter
    assert "march " not in letter


# --- whole turns -----------------------------------------------------------------------------------------


def test_after_a_reveal_the_rest_can_be_answered_without_repeating_what_was_done(context, game, carrier):
    name = mover(context, game)
    card, corner = lone_march(context, game)
    seat = game_row(context, game).seat
    hand_before = position(context, game).hands[seat]
    reply(context, last_letter(context, carrier, name), f"{card}; march {corner}; draw; levy")
    [answer] = letters(context, "answer")
    detail = json.loads(answer.detail)
    assert detail["done"][-1] == "draw"
    assert detail["undone"] == ["levy"]
    assert position(context, game).hands[seat] != hand_before
    reply(context, last_letter(context, carrier, name), "draw")
    assert game_row(context, game).turn == 2


# --- what is asked for, whatever the letter ----------------------------------------------------------------


@pytest.mark.parametrize("words", ["?", "help", "board", "hand", "history", "rules 5.9", "settings", "log"])
def test_what_is_asked_for_is_shown_and_nothing_is_played(context, game, carrier, words):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), words)
    assert game_row(context, game).after == 2
    assert states(context)[0] == ("played", "a look-up")
    letter = last_letter(context, carrier, name)
    assert letter["Auto-Submitted"] == "auto-replied"
    assert len(letters(context, "shown")) == 1


def as_it_was_read(context, name):
    """What the operator reads of the last mail of a player."""
    lines = list(describe_correspondence(context, f"{name.lower()}@example.org", NOON))
    return [line for line in lines if "  mail " in line][-1].partition("play@  ")[2]


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("?", "a look-up"),
        ("say: hello", "a message"),
        ("sleep 23:00-07:00", "a look-up"),
        ("more time", "a wish about time"),
        ("say: hello\nboard", "a message, a look-up"),
    ],
)
def test_the_operator_reads_as_what_a_mail_was_read(context, game, carrier, words, read):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), words)
    assert as_it_was_read(context, name) == f"read, and done what it says: {read}"


def test_of_orders_the_operator_reads_which_act_they_were(context, game, carrier):
    name = mover(context, game)
    now = position(context, game)
    card = write(next(iter(card_choices(view(now, now.table.seat)))), now.table.board)
    reply(context, last_letter(context, carrier, name), card)
    seq = game_row(context, game).seq
    assert done(context, game) == [card]
    assert as_it_was_read(context, name) == f"read, and done what it says: orders (act {seq} of {game})"


def test_after_a_yes_the_operator_reads_what_was_asked(context, game, carrier):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "away until 20 March")
    assert as_it_was_read(context, name) == "read, and its player asked whether they mean it"
    reply(context, last_letter(context, carrier, name), "yes")
    assert as_it_was_read(context, name) == "read, and done what it says: a wish about time"


def test_each_request_has_words_for_the_operator():
    assert READ_REQUESTS.keys() == set(RequestKind)


def test_an_old_letter_still_answers_questions_but_plays_nothing(context, game, carrier):
    name = mover(context, game)
    old = last_letter(context, carrier, name)
    card, corner = lone_march(context, game)
    reply(context, old, f"{card}\nmarch {corner}")
    after = game_row(context, game).after
    reply(context, old, "hand")
    assert states(context)[-1][0] == "played"
    reply(context, old, "draw")
    assert states(context)[-1][0] == "refused"
    assert game_row(context, game).after == after


def test_orders_and_a_request_in_one_mail_are_both_done(context, game, carrier):
    name = mover(context, game)
    card, corner = lone_march(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nmarch {corner}\nrules 5.9")
    assert position(context, game).table.alexander == corner
    assert "5.9" in body(last_letter(context, carrier, name))


def test_who_resigns_says_nothing_else(context, game, carrier):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "draw\nresign")
    assert states(context)[0][0] == "refused"
    reply(context, last_letter(context, carrier, name), "resign")
    assert states(context)[1][0] == "asked"
    reply(context, last_letter(context, carrier, name), "yes")
    assert states(context)[2][0] == "played"
    reply(context, last_letter(context, carrier, name), "draw")
    assert states(context)[3][0] == "refused"


# --- answers to a refusal --------------------------------------------------------------------------------


def test_a_letter_of_all_choices_is_good_in_every_mail_of_the_position(context, game, carrier):
    name = mover(context, game)
    first = last_letter(context, carrier, name)
    reply(context, first, "all")
    last_letter(context, carrier, name)
    [row] = letters(context, "shown")
    reply(context, first, "march Nowhere")
    reply(context, last_letter(context, carrier, name), "f")
    assert done(context, game) == ["f"]
    assert json.loads(letters(context, "answer")[0].detail)["done"] == json.loads(row.detail)["numbers"][
        "f"
    ].split("; ")


@pytest.mark.parametrize("words", ["f", "the first one", "perhaps I could walk along the sea to Aegae then"])
def test_who_answers_a_refusal_in_other_words_hears_why(context, game, carrier, words):
    """Few words are a person's, and so are those that name a place."""
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "march Nowhere")
    refused = last_letter(context, carrier, name)
    reply(context, refused, words)
    assert game_row(context, game).after == 2
    assert [state for state, _ in states(context)[-2:]] == ["refused", "refused"]
    reply(context, last_letter(context, carrier, name), f"{words} ")  # the very same words
    assert states(context)[-1][0] == "ignored"


def test_a_question_lists_only_what_can_be_played_with_the_rest(context, game, carrier):
    name = mover(context, game)
    card, place = forked_march(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nmarch {place}")
    letter = last_letter(context, carrier, name)
    now, seat = position(context, game), game_row(context, game).seat
    board = now.table.board
    asked = [*json.loads(letters(context, "refused")[0].detail)["numbers"].values()]
    marched = [preview(now, seat, words.split("; ")).position for words in asked]
    possible = [{write(one, board) for one in legal(view(then, seat))} for then in marched]
    deed = next(iter(set.union(*possible) - set.intersection(*possible)))
    reply(context, letter, f"{card}\nmarch {place}\n{deed}")
    last_letter(context, carrier, name)
    found = [*json.loads(letters(context, "refused")[-1].detail)["numbers"].values()]
    assert 0 < len(found) < len(asked)
    assert all(preview(now, seat, words.split("; ")).done[-1] == deed for words in found)


def test_where_the_rest_can_be_played_with_nothing_it_is_said_why_in_a_few_words(context, game, carrier):
    name = mover(context, game)
    card, place = forked_march(context, game)
    reply(context, last_letter(context, carrier, name), f"{card}\nmarch {place}\noccupy {place}")
    text = " ".join(body(last_letter(context, carrier, name)).split())
    assert re.search(rf"“occupy {place}”: it takes \d+ cards and the hand holds \d", text)


def test_a_number_is_quoted_as_it_was_written(context, game, carrier):
    name = mover(context, game)
    reply(context, last_letter(context, carrier, name), "2")
    assert "“2”" in body(last_letter(context, carrier, name))
