"""Questions: a line that could mean several things is asked back, and answered with a number."""

import json
import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from emails.i18n import Locale, use_locale
from emails.letters import game_letters
from emails.letters.contexts import LetterSection
from emails.letters.parts import LONGEST_LINKED
from emails.letters.renderer import Letter
from emails.tokens import Ticket, unseal_reply, unseal_ticket
from emails.wording.options import Option
from emails.wording.questions import MOST_OPTIONS, OrderQuestion, ask_which, decode_question, encode_question
from engine.actions import (
    Action,
    Ambiguous,
    Choose,
    Draw,
    End,
    Levy,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
)
from engine.cards import Symbol
from engine.evolve import evolve
from engine.notation.orders import write
from engine.position import Position, view
from engine.rules import decide
from tests.emails.positions import BOARD
from tests.emails.specimens import ASKING, STORY, TONGUES, WAYS, letter, letter_context, nodes, page
from tests.gallery.samples import SAMPLE_LINKS
from tests.spoken import read, translate_orders

SILENT = OrderQuestion((Option("draw", "x"), Option("end", "y")), more=False)


def played(position: Position, orders: str) -> Position:
    """The position after these orders."""
    seat = position.table.seat
    for order in orders.split("; "):
        for event in decide(position, seat, read(order, view(position, seat)), lambda bag: next(iter(bag))):
            position = evolve(position, event)
    return position


def asked(made: Letter) -> list[str]:
    """The orders that its numbers stand for, from 1 on."""
    assert [*made.choices] == [str(number) for number in range(1, len(made.choices) + 1)]
    return [*made.choices.values()]


@pytest.mark.parametrize("name", ASKING)
def test_each_meaning_is_another_way_to_play_the_whole_mail(name: str) -> None:
    game = WAYS[name].other or STORY
    position = game.positions[letter_context(name).after - 1]
    ends = [played(position, words) for words in asked(letter(name))]
    assert 1 < len(ends) <= MOST_OPTIONS
    for number, end in enumerate(ends):
        assert end != position
        assert end not in ends[:number]


def test_the_rest_of_the_mail_goes_with_each_meaning() -> None:
    for words in asked(letter("refused-march")):
        first, march, last = words.split("; ")
        assert (first, march[:16], last) == ("choose amphora", "march Bucephala ", "draw")


HEADINGS = (("Which one do you mean?", "Welke bedoel je?"), ("Is this what you mean?", "Bedoel je dit?"))
"""Of a question which of several things is meant, and of what a mail may mean."""


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", ASKING)
def test_the_question_stands_above_all_else_in_both_parts(name: str, language: str) -> None:
    made = letter(name, language)
    proposed = name == "refused-proposal"
    english, dutch = HEADINGS[proposed]
    heading = english if language == "en" else dutch
    assert made.text.count(heading) == 1
    top, _, _ = made.text.partition("https://")
    lines = top.splitlines()
    for number, words in made.choices.items():
        told = translate_orders(words, language)
        if proposed:
            assert any(line.startswith(f"  {number}. ") for line in lines[: lines.index(f"     * {told}")])
        else:
            assert lines[lines.index(f"  * {told}") + 1].startswith(f"      {number}. ")
    assert made.html.index(heading) < made.html.index("<b>1.") < made.html.index('class="button"')


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", ASKING)
def test_each_meaning_has_a_page_and_a_mail_that_holds_its_number_alone(name: str, language: str) -> None:
    made, game = letter(name, language), letter_context(name)
    seat = game.view.table.seat
    top = made.html.partition('class="button"')[0]
    found = re.findall(r'<td[^>]*><a href="([^"]+)"[^>]*>(?:<b>)?(\d+)?', top)
    pages = {
        number: unseal_ticket(link.rpartition("/")[2], SAMPLE_LINKS.keys) for link, number in found if number
    }
    assert pages == {
        number: Ticket(game.game, seat, game.after, words) for number, words in made.choices.items()
    }
    mails = [link.replace("&amp;", "&") for link, _ in found if link.startswith("mailto:")]
    assert [unquote(mail.partition("&body=")[2]) for mail in mails] == [*made.choices]


@pytest.mark.parametrize("name", ASKING)
def test_nothing_else_bears_a_number_while_a_letter_asks(name: str) -> None:
    made = letter(name)
    assert not any("data-label" in one.svg for one in made.pictures)
    assert "data-label" in letter("your_turn").pictures[0].svg
    assert not page(made).xpath("//area")
    assert len(re.findall(r"^(?: {6}| {2})\d+\. ", made.text, re.MULTILINE)) == len(made.choices)
    assert sum(bool(re.match(r"\d+\.\s", words)) for words in nodes(made)) == len(made.choices)
    for part in (made.text, " ".join(nodes(made))):
        assert not re.search(r"corner \d", part)
        assert "number of a corner" not in part
        assert "numbered corners" not in part.lower()


def test_a_question_outlives_the_night_in_the_outbox() -> None:
    made = STORY.question_about(
        letter_context("refused-takeover").after, 2, (), "takeover Armavir", ("draw",)
    )
    assert made.common
    assert decode_question(json.loads(json.dumps(encode_question(made)))) == made


def test_six_meanings_are_asked_at_most_and_the_letter_says_that_there_are_more() -> None:
    game = letter_context("your_turn")
    cards = [Choose(card) for card in Symbol] + [Play(card) for card in Symbol]
    many = ask_which(Ambiguous("x", tuple(cards)), game.view, (), ())
    few = ask_which(Ambiguous("x", tuple(cards[:2])), game.view, (), ())
    assert len(many.choices) == MOST_OPTIONS
    assert (many.more, few.more) == (True, False)
    for made, said in ((many, True), (few, False)):
        asking = game_letters.render_refused("x.", game, made)
        for part in (asking.text, " ".join(nodes(asking))):
            assert ("There are other ways too" in part) == said


def test_whatever_is_meant_has_a_title_of_its_own() -> None:
    game = letter_context("step").view
    place = next(iter(BOARD.names))
    meant: tuple[Action, ...]
    for meant in (
        (
            Levy(Symbol.LYRE),
            Take(Symbol.LYRE),
            Choose(Symbol.LYRE),
            Play(Symbol.LYRE),
            Stay(Symbol.LYRE),
            Draw(),
        ),
        (Recall(game.table.guards[0][0]), End(), Occupy((place,)), Stay(None)),
    ):
        found = ask_which(Ambiguous("x", meant), game, ("end",), ("draw",)).choices
        assert [one.words for one in found] == [f"end; {write(one, BOARD)}; draw" for one in meant]
        assert len({one.title for one in found}) == len(meant)
        assert all(one.title for one in found)


def test_words_that_are_too_long_for_a_link_are_answered_by_number_only() -> None:
    long = "; ".join(["recall Hecatompylos"] * (LONGEST_LINKED // 10))
    made = game_letters.render_refused(
        "x.", letter_context("step"), OrderQuestion((Option(long, "x"), Option("end", "y")), more=False)
    )
    assert made.choices == {"1": long, "2": "end"}
    assert f"  * {long}\n" in made.text
    links = [str(link.get("href")) for link in page(made).iter("a")]
    assert max(map(len, links)) < 2000


def test_an_answer_by_a_link_names_its_letter() -> None:
    game = replace(letter_context("step"), letter=4711)
    with use_locale(Locale("en")):
        made = (
            game_letters.render_step(game),
            game_letters.render_refused("x.", game, SILENT),
            game_letters.render_shown(game, ()),
        )
    for one in made:
        mails = [link for a in page(one).iter("a") if (link := str(a.get("href"))).startswith("mailto:")]
        assert mails
        for mail in mails:
            token = mail.removeprefix("mailto:play+").partition("@")[0]
            ticket, number = unseal_reply(token, SAMPLE_LINKS.keys)
            assert (ticket.seat, ticket.after, number) == (game.view.table.seat, game.after, 4711)


def test_what_was_asked_for_stands_under_what_was_done() -> None:
    game, shown = (
        letter_context("answer-in-part"),
        LetterSection("Rule 5.9", ("It is a rule.", "And <b>another</b>.")),
    )
    for made in (
        game_letters.render_shown(game, (shown,)),
        game_letters.render_refused("No.", game, None, (shown,)),
        game_letters.render_answer(game, (), (), ("You told everybody: “x”",), None, (shown,)),
    ):
        assert "\n== Rule 5.9 ==\n\n  * It is a rule.\n  * And <b>another</b>.\n" in made.text
        assert "And <b>another</b>." in nodes(made)
        for part in (made.text, made.html):
            assert part.index("It is a rule.") < part.index("Turns to choose from")
            assert "You told" not in part or part.index("You told") < part.index("It is a rule.")
