"""Answers in the words of people: numbers, whole turns and what was left of them, questions, wishes."""

import json
import re

import pytest

from engine import march_rules
from engine.board import corners
from engine.notation.orders import write
from engine.position import view
from engine.rules import card_choices, legal
from server.admin.reports import describe_correspondence
from server.delivery.sending import send_due_letters
from server.store.models import Act, ChatMessage, Game, OutgoingLetter, Resignation, StoredVacation
from server.turns.dry_run import preview
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Collector, body, desk
from tests.server.inbox.test_mail_dispatch import answer_to, last_letter, reply, states


@pytest.fixture
def says(context, carrier, name):
    """Let the player to move reply to a letter, by default to the last one; gives the answer."""

    def reply_to(words, letter=None, **more):
        reply(context, letter or last_letter(context, carrier, name), words, **more)
        return last_letter(context, carrier, name)

    return reply_to


@pytest.fixture
def first_letter(context, carrier, name):
    return last_letter(context, carrier, name)


@pytest.fixture
def choices(context, name):
    [row] = [one for one in letters(context, "your_turn") if f"{name.lower()}@" in one.recipient]
    return json.loads(row.detail)["numbers"]


def numbers_of(context, kind, at=-1):
    return json.loads(letters(context, kind)[at].detail)["numbers"]


def done(context, game):
    return context.rows_of(Act.said, Act.game == game, Act.seat.is_not(None), Act.door == "reply")


def letters(context, kind):
    return context.rows_of(OutgoingLetter, OutgoingLetter.kind == kind)


def chosen_cards(context, game):
    """Each card of this position in words, and the table once it is chosen."""
    now = context.position_of(game)
    for card in card_choices(view(now, now.table.seat)):
        words = write(card, now.table.board)
        yield words, preview(now, now.table.seat, [words]).position.table


@pytest.fixture
def lone(context, game):
    """A card and a corner to which exactly one way of that card leads."""
    for card, table in chosen_cards(context, game):
        for space in march_rules.targets_of_chosen(table):
            for corner in corners(space):
                reached = corner in march_rules.reachable_corners(table, space)
                if reached and march_rules.ShortestPaths(table, corner).count() == 1:
                    return f"{card}; march {corner}"
    raise AssertionError("no such march")


@pytest.fixture
def forked(context, game):
    """A card and a province to which several ways of that card lead."""
    for card, table in chosen_cards(context, game):
        for space in march_rules.targets_of_chosen(table):
            ends = march_rules.reachable_corners(table, space)
            if sum(march_rules.ShortestPaths(table, one).count() for one in ends) > 1:
                return f"{card}; march {table.board.names[space]}"
    raise AssertionError("no such march")


def end_of_march(words):
    return re.search(r"march \w+ (?:\w+-)*(\w+)", words)[1]


def stands_at(context, game):
    return str(context.position_of(game).table.alexander)


def test_the_letter_of_a_choice_is_an_answer(context, game, says, choices):
    says("b")
    assert stands_at(context, game) == end_of_march(choices["b"])


def test_a_mail_begun_with_a_link_of_the_letter_knows_its_choices_too(
    context, game, says, choices, first_letter
):
    """Such a mail names no letter that it answers: only its address tells."""
    first_letter.replace_header("Message-ID", "<somebody.else@example.org>")
    says("b", first_letter, quote=False)
    assert stands_at(context, game) == end_of_march(choices["b"])


@pytest.mark.parametrize(("words", "answer"), [("all", "p"), ("board", "b"), ("{}", "2")])
def test_a_letter_can_be_answered_before_its_sending_is_noted(
    context, game, first_letter, forked, words, answer
):
    reply(context, first_letter, words.format(forked))

    class Hasty(Collector):
        def send(self, sender, recipient, raw):
            super().send(sender, recipient, raw)
            if not done(context, game):
                reply(context, self.mails[-1], answer)

    send_due_letters(context, Hasty(), NOON)
    assert len(done(context, game)) == 1, states(context)


def test_in_the_middle_of_a_turn_the_numbers_are_those_of_the_choices(context, game, says, lone):
    says(lone)
    [draw] = [number for number, words in numbers_of(context, "answer").items() if words == "draw"]
    drawn = sum(map(len, context.position_of(game).hands))
    says(draw)
    assert sum(map(len, context.position_of(game).hands)) == drawn + 1


def test_a_march_that_could_go_several_ways_is_asked_about_and_a_number_answers(context, game, says, forked):
    asked = says(f"{forked}; draw")
    assert context.game_row(game).after == 2, "nothing was done"
    numbers = numbers_of(context, "refused")
    assert list(numbers) == [str(number + 1) for number in range(len(numbers))]
    assert 2 <= len(numbers) <= 6
    assert all(words.startswith(f"{forked} ") and words.endswith("; draw") for words in numbers.values())
    assert len(set(numbers.values())) == len(numbers)
    assert "wall" in body(asked), "each says what it would do"
    says("2")
    assert stands_at(context, game) == re.search(r"march \w+ (\S+);", numbers["2"])[1].split("-")[-1]
    [answer] = letters(context, "answer")
    assert json.loads(answer.detail)["done"] == numbers["2"].split("; ")


def test_an_answer_to_an_old_question_does_nothing(context, game, says, first_letter, forked, lone):
    question = says(forked)
    says(lone, first_letter)
    after = context.game_row(game).after
    says("1", question)
    assert (context.game_row(game).after, states(context)[-1][0]) == (after, "refused")


@pytest.mark.parametrize("words", ["horse 12, no 15", "corner 97", "marsh 2"])
def test_who_does_not_answer_a_question_as_it_asks_hears_why(context, game, says, forked, words):
    says(forked)
    says(words)
    assert (context.game_row(game).after, len(letters(context, "refused"))) == (2, 2)


def test_a_number_that_a_later_letter_uses_otherwise_is_asked_about(
    context, game, says, first_letter, forked
):
    """Who looks at both in one thread may have answered the wrong one."""
    says(f"{forked}; draw", first_letter)
    assert "later mail" in body(says("1", first_letter))
    assert context.game_row(game).after == 2
    choices = numbers_of(context, "refused")
    says("a")
    assert stands_at(context, game) == end_of_march(choices["a"])


def test_after_a_reveal_the_rest_can_be_answered_without_repeating_what_was_done(context, game, says, lone):
    seat = context.game_row(game).seat
    hand_before = context.position_of(game).hands[seat]
    says(f"{lone}; draw; levy")
    [answer] = letters(context, "answer")
    detail = json.loads(answer.detail)
    assert (detail["done"][-1], detail["undone"]) == ("draw", ["levy"])
    assert context.position_of(game).hands[seat] != hand_before
    says("draw")
    assert context.game_row(game).turn == 2


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("?", "a request for information"),
        ("say: hello", "a message"),
        ("sleep 23:00-07:00", "a request for information"),
        ("more time", "a request about time"),
        ("say: hello\nboard", "a message, a request for information"),
    ],
)
def test_the_operator_reads_as_what_a_mail_was_read(context, name, says, words, read):
    says(words)
    lines = list(describe_correspondence(context, f"{name.lower()}@example.org", NOON))
    last = [line for line in lines if "  mail " in line][-1].partition("play@  ")[2]
    assert last == f"read and performed: {read}"


def test_an_old_letter_still_answers_questions_but_plays_nothing(context, game, says, first_letter, lone):
    says(lone, first_letter)
    after = context.game_row(game).after
    for words, state in (("hand", "played"), ("draw", "refused")):
        says(words, first_letter)
        assert states(context)[-1][0] == state
    assert context.game_row(game).after == after


def test_a_letter_of_all_choices_is_good_in_every_mail_of_the_position(context, game, says, first_letter):
    says("all", first_letter)
    choices = numbers_of(context, "shown")
    says("march Nowhere", first_letter)
    says("f")
    assert done(context, game) == ["f"]
    assert json.loads(letters(context, "answer")[0].detail)["done"] == choices["f"].split("; ")


def test_a_question_lists_only_what_can_be_played_with_the_rest(context, game, says, forked):
    says(forked)
    now, seat = context.position_of(game), context.game_row(game).seat
    board = now.table.board
    asked = [*numbers_of(context, "refused").values()]
    marched = [preview(now, seat, words.split("; ")).position for words in asked]
    possible = [{write(one, board) for one in legal(view(then, seat))} for then in marched]
    deed = next(iter(set.union(*possible) - set.intersection(*possible)))
    says(f"{forked}; {deed}")
    found = [*numbers_of(context, "refused").values()]
    assert 0 < len(found) < len(asked)
    assert all(preview(now, seat, words.split("; ")).done[-1] == deed for words in found)


def test_a_mail_in_own_words_is_answered_with_what_it_may_mean(context, game, says, choices):
    card, march, *_ = choices["a"].split("; ")
    symbol, place, end = card.split()[1], march.split()[1], march.split("-")[-1]
    says(f"Hmm, let me see: perhaps the {symbol} to {place} at {end}, and an unknown card please!")
    assert done(context, game) == []
    says("yes")
    assert done(context, game) == ["1"]
    assert stands_at(context, game) == end
    assert context.type_in("understood").stdout == "proposal  1 mails  1 asked  chosen 1: 1\n"
    counted = context.events.metrics.registry.get_sample_value
    assert counted("alexandros_understood_total", {"kind": "proposal", "outcome": "chosen"}) == 1


def test_the_position_may_have_moved_on_and_the_game_may_not_have_ended(context, game, carrier, says, turn):
    other = context.names_of(game)[1]
    reply(context, last_letter(context, carrier, other), "resign")
    question = last_letter(context, carrier, other)
    says("\n".join([*turn, "draw; draw"]))
    for status, words, gone in (("over", "yes", []), ("running", "Yes", [1])):
        with context.changing() as session:
            session.get_one(Game, game).status = status
        reply(context, question, words)
        assert context.rows_of(Resignation.seat) == gone
        assert ("The game is over" in body(last_letter(context, carrier, other))) == (status == "over")


WAYS = {
    "a letter": ("", "b"),
    "a letter and thanks": ("", "b please"),
    "a number": ("proposal", "2"),
    "a yes": ("proposal", "yes"),
    "several lines": ("", "{card}\n{march}\ndraw"),
    "one line": ("", "{card}; {march}; draw"),
    "commas": ("", "{card}, {march}, draw"),
}
REASONS = {"none": ("", ""), "not proven": ("dmarc=fail", ""), "doubt": ("", "\n\nno wait, perhaps not")}


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("way", WAYS)
def test_a_turn_is_asked_about_however_it_is_said(tmp_path, carrier, way, reason):
    (before, words), (verdict, beside) = WAYS[way], REASONS[reason]
    context = desk(tmp_path, ALEXANDROS_MAIL_AUTHSERV="mx.example.org")
    game = begin_game(context, carrier, "Anna", "Ben")
    name, (card, march) = context.mover(game), context.turn_words(game)

    def send(text, verdict):
        given = f"mx.example.org; {verdict} header.from=example.org"
        return answer_to(context, carrier, name, text, Authentication_Results=given)[0]

    if before:
        wish = f"I would like the {card.split()[1]} over to {march.split()[1]} and a card I guess"
        send(wish, "dmarc=pass")
    start = context.game_row(game).seq
    kind = send(words.format(card=card, march=march) + beside, verdict or "dmarc=pass")
    if reason == "none":
        assert (kind, context.game_row(game).seq) == ("answer", start + 1)
        return
    if (way, reason) == ("a yes", "doubt"):
        assert kind == "asked_back", "a yes with a doubt is none"
        return
    assert (kind, context.game_row(game).seq) == ("asked_back", start)
    assert send("yes", "dmarc=fail") == "answer"
    assert context.game_row(game).seq == start + 1


def test_a_yes_does_all_that_its_question_shows(tmp_path, carrier):
    context = desk(tmp_path, ALEXANDROS_MAIL_AUTHSERV="mx.example.org")
    begin_game(context, carrier, "Anna", "Ben")
    failed = {"Authentication_Results": "mx.example.org; dmarc=fail header.from=example.org"}
    asked, _ = answer_to(context, carrier, "Anna", "pause\naway for 3 days\ntell all: See you!", **failed)
    done, _ = answer_to(context, carrier, "Anna", "yes", **failed)
    assert (asked, done) == ("asked_back", "answer")
    assert context.rows_of(Act.said)[-1] == "pause"  # the vote
    assert len(context.rows_of(StoredVacation)) == 1
    assert "See you!" in context.rows_of(ChatMessage.words)
