"""Pages to read: the rules of the game with their figures, and the help for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parseaddr
from functools import cache
from html import escape

from flask import Blueprint, render_template, request, url_for
from markupsafe import Markup

from emails.figures import example_positions, plates, rule_figures
from emails.figures.captions import Figure, captioned
from emails.i18n import LANGUAGES, say, sentence
from emails.i18n import spoken as tongue
from emails.letters import sections
from emails.picture.overlay import Marks
from emails.wording import rules_text
from emails.wording.requests import WORDS, Kind, word
from engine.board import Board
from engine.cards import SYMBOLS
from engine.editions import EDITIONS, IDENTITY_GAMES, RIO_GRANDE
from engine.notation.vocabulary import VOCABULARIES, spoken
from engine.views import view
from server.store.boards import boards
from server.web.kit import editions
from server.web.kit.request_context import office

GAME = "Alexandros"
"""The board on which the game is played and explained."""
NUMBER = re.compile(r"(?<![\w.])[1-9]\.\d{1,2}(?!\d)")
"""The number of a clause within a text."""
RULE = re.compile(r"\b(?:rule|regel) ([1-9](?:\.\d{1,2})?)(?!\d)")
"""A rule as a refusal names it."""
DIFFER: Mapping[str, Mapping[str, str]] = {
    "4.6": {
        RIO_GRANDE.name: sentence("Coast and rim get walls as all other sides do."),
        IDENTITY_GAMES.name: sentence("Coast and rim stay bare and cost nothing."),
    },
    "4.8": {
        RIO_GRANDE.name: sentence("Each card of the display is judged alone."),
        IDENTITY_GAMES.name: sentence("Only when this is so for all cards of the display are they jokers."),
    },
    "7.2": {
        RIO_GRANDE.name: sentence("The winning score is 100 points."),
        IDENTITY_GAMES.name: sentence("The winning score is 101 points: more than 100."),
    },
}
"""What holds in each edition, for the clauses that differ: section 9 says why."""
pages = Blueprint("rules_pages", __name__)


@dataclass(frozen=True, slots=True)
class Difference:
    """What holds in one edition."""

    edition: str
    """As a page calls it."""
    words: str
    mine: bool
    """Whether it is the one that the reader plays."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One clause on the page."""

    number: str
    words: Markup
    """With a link for each clause that it names."""
    differences: tuple[Difference, ...]
    figures: tuple[Figure, ...]
    """Those that stand beside it."""
    seen: tuple[int, ...]
    """The numbers of all others that show it."""


@pages.get("/rules")
def rules() -> str:
    """The rules; with `?edition=` one of them is the reader's own."""
    mine = EDITIONS.get(request.args.get("edition", ""))
    drawn = captioned(boards()[GAME])
    return render_template(
        "rules.html",
        parts=[
            (number, title, _clauses(number, drawn, mine.name if mine else None))
            for number, title in rules_text.parts().items()
        ],
        brief=list(sections.two_minutes((mine or RIO_GRANDE).winning_score)),
        mine=editions.called(mine.name) if mine else "",
        others=[(name, editions.called(name)) for name in EDITIONS if mine is None or name != mine.name],
        symbols=SYMBOLS,
        anchor=anchor,
        grounds=_grounds(),
        shown=plates.shown,
    )


def _clauses(part: str, drawn: Sequence[Figure], mine: str | None) -> Iterator[Shown]:
    for clause in rules_text.clauses(part):
        number = clause.number
        yield Shown(
            number,
            _linked(clause.text),
            tuple(
                Difference(editions.called(name), say(words), name == mine)
                for name, words in DIFFER.get(number, {}).items()
            ),
            tuple(one for one in drawn if one.clause == number),
            tuple(one.number for one in drawn if number in one.shows and one.clause != number),
        )


def _linked(text: str) -> Markup:
    """A clause as HTML, in which the numbers of other clauses lead to them."""
    return Markup(NUMBER.sub(lambda found: _link(found[0]), escape(text)))


def _link(number: str) -> str:
    return f'<a href="#{anchor(number)}">{number}</a>' if rules_text.clauses(number) else number


def with_rules(words: str) -> Markup:
    """A sentence as HTML, such as a refusal, in which "rule 5.9" leads to that rule."""

    def link(found: re.Match[str]) -> str:
        page = url_for("rules_pages.rules", lang=tongue().language, _anchor=anchor(found[1]))
        return f'<a href="{escape(page)}">{found[0]}</a>' if rules_text.clauses(found[1]) else found[0]

    return Markup(RULE.sub(link, escape(words)))


def anchor(number: str) -> str:
    """Where a clause or a part stands on the page."""
    return f"r{number.replace('.', '-')}" if "." in number else f"part-{number}"


@cache
def _grounds() -> str:
    return plates.grounds(rule_figures.boards(boards()[GAME]))


# --- help -----------------------------------------------------------------------------------------------

ORDERS = (
    ("choose", sentence("march with a card of the display, which you keep"), "choose lyre"),
    ("play", sentence("march with a card from your hand, which is discarded"), "play lyre"),
    ("march", sentence("the march itself, to a corner or along a path"), "march Larissa A3-B4-C5"),
    ("stay", sentence("no march is possible"), "stay lyre"),
    ("draw", sentence("get the next card of the supply"), "draw"),
    ("take", sentence("get a card of the display"), "take horse"),
    ("occupy", sentence("put guards into a free province"), "occupy Larissa+Aegae"),
    ("takeover", sentence("take a province from somebody"), "takeover Larissa give horse+lyre"),
    ("levy", sentence("levy taxes"), "levy lyre"),
    ("recall", sentence("take a guard back from the board"), "recall Larissa"),
    ("end", sentence("end the turn early"), "end"),
)
"""What each order does, with an example."""
TURN = "choose lyre; march Larissa A3-B4-C3; occupy Aegae; draw"
"""A whole turn."""
ASKED: Sequence[tuple[Kind, str]] = (
    ("help", sentence("all that can be written")),
    ("board", sentence("the whole position in words")),
    ("hand", sentence("your cards and what they can do")),
    ("history", sentence("what everybody did, turn by turn")),
    ("rules", sentence("the game in two minutes; with a number, such as 5.9, that rule")),
    ("settings", sentence("which letters you get, and when")),
    ("resign", sentence("you give the game up, and a caretaker plays on for you")),
)
"""What each request brings."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """What can be written for one thing, in one language."""

    language: str
    first: str
    """An example, or the word itself."""
    others: tuple[str, ...]
    """Words that are read as the same."""


@pages.get("/help")
def help_() -> str:
    """How to play here."""
    drawn = _named()
    return render_template(
        "help.html",
        grounds=plates.grounds([boards()[GAME]]),
        named=plates.shown(drawn),
        orders=[(say(words), _orders(verb, example)) for verb, words, example in ORDERS],
        asked=[(say(words), _asked(kind)) for kind, words in ASKED],
        languages=LANGUAGES,
        turn=TURN,
        resign=word("resign"),
        document=url_for("calls.described"),
        operator=parseaddr(office().settings.mail_from)[1],
        proposals=_proposals(),
    )


def _orders(verb: str, example: str) -> list[Spelled]:
    found = []
    for language, own in VOCABULARIES.items():
        others = (*own.verbs[verb].split()[1:], *own.pairs.get(verb, ()))
        found.append(Spelled(language, spoken(example, language), others))
    return found


def _asked(kind: Kind) -> list[Spelled]:
    found = []
    for language, own in WORDS.items():
        first, *others = own[kind].split(", ")
        found.append(Spelled(language, first, tuple(others)))
    return found


def _proposals() -> str:
    """The address to which a mail opens a game."""
    return f"new@{office().settings.mail_domain}"


@cache
def _named() -> plates.Plate:
    """A corner of the board with a path of three points and a place."""
    board: Board = boards()[GAME]
    marks = Marks(
        targets=frozenset([board.places["Larissa"]]), preview=rule_figures.walked(board, "A3-B4-C5")
    )
    return plates.plate(view(example_positions.second(board), None), marks, (6, 6, 250, 222))
