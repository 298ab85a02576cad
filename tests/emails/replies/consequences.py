"""What comes of a mail: read as the server reads it, and its orders done in a game that is being played."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from emails.i18n import Locale, use_locale
from emails.letters.renderer import Letter
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.tokens import mask_tokens
from emails.wording import phrases
from emails.wording.options import list_options
from emails.wording.requests import orders_by_number
from engine.cards import Bag, Symbol
from engine.position import Position
from server.turns.dry_run import LinesRefused, simulate_orders
from tests.emails.positions import BOARD
from tests.emails.replies.shapes import CORPUS, OURS, Quoted, quoted_text, rendered, rows
from tests.emails.specimens import STORY
from tests.gallery import samples
from tests.gallery.samples import SampleGame
from tests.spoken import parse_lines

MAILS = Path(__file__).parent / "mails"
NAMES = ("Anna", "Ben", "Cleo")
SAYINGS: dict[str, dict[str, Any]] = tomllib.loads((CORPUS / "sayings.toml").read_text("utf-8"))
TURN, SEAT = 16, 0
BEFORE = {"card": (), "actions": ("choose amphora", "march Pura I29-I27-J26")}
OLD_ORDERS = {
    "card": ("play temple", "march Rhambacia I29-J30", "resign", "8"),
    "actions": ("takeover Aegae give amphora", "recall Chorasmia", "resign", "1", "end"),
}
"""Of the mail that the same player sent before: some could be done again now."""


@dataclass(frozen=True, slots=True)
class Case:
    """A mail, and what is to come of it."""

    name: str
    raw: bytes
    answers: str
    at: str
    lines: tuple[str, ...]
    words: str
    """All that its writer wrote, where that is known, else the lines."""
    doubtful: bool = False
    plays: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    rest: tuple[str, ...] | None = None
    doubtful_alone: bool = False
    """Whether it is doubtful where the letter that it answers is not known."""
    meant: tuple[str, ...] = ()
    """The actions that a person would read in it, where it is refused on purpose."""
    plans: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of a mail."""

    reply: Message
    done: tuple[str, ...]
    asked: tuple[str, ...]
    """What its writer asked to be shown or done."""
    said: tuple[str, ...]
    why: str = ""
    """The sentence that says why nothing is done; empty where something is."""


@cache
def game(at: str) -> SampleGame:
    """The game up to where Anna is to choose a card, or has her two actions left."""
    start = STORY.turn_starts()[TURN - 1][0]
    found = SampleGame(STORY.events[:start], STORY.positions[:start])
    if BEFORE[at]:
        orders = parse_lines(BEFORE[at], BOARD)
        for event in simulate_orders(found.positions[-1], SEAT, orders, chance).events:
            found = found.branch(len(found.events), event)
    assert (found.positions[-1].table.seat, found.positions[-1].table.turn) == (SEAT, TURN)
    return found


def position(at: str) -> Position:
    return game(at).positions[-1]


def chance(cards: Bag) -> Symbol:
    return cards.kinds()[0]


@cache
def letter(at: str) -> Letter:
    """The letter that she answers: of the very position in which her orders are played."""
    context = game(at).letter_context(len(game(at).events), SEAT)
    with use_locale(Locale("en")):
        return samples.render_step(context) if BEFORE[at] else samples.render_your_turn(context)


@cache
def game_letter(at: str) -> Quoted:
    """The letter that is answered, as a mail program has it."""
    page = letter(at).html.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
    return Quoted("Alexandros", OURS, letter(at).text, page)


@cache
def grammar(at: str) -> GameGrammar:
    """As the server reads: orders with the choices of the letter, by number in one of old, and requests."""
    known = game(at).letter_context(len(game(at).events), SEAT).view
    return GameGrammar(BOARD, {**orders_by_number(list_options(known)), **letter(at).choices})


def outcome(
    raw: bytes, at: str, sent: str | None = None, names: Collection[str] = NAMES, seat: int = SEAT
) -> Outcome:
    """Read a mail, and do what it says in a game that is being played."""
    reply = read_reply(Mail(raw), grammar(at), mask_tokens(sent or ""), names)
    if reply.doubtful:
        return Outcome(reply, (), (), (), reply.reason)
    asked = tuple(asked.kind for asked in reply.requests)
    try:
        done = simulate_orders(position(at), seat, reply.orders, chance).done if reply.orders else ()
    except LinesRefused as error:
        return Outcome(reply, (), (), (), phrases.explain_refusal(error.refusal))
    return Outcome(reply, done, asked, reply.chat, reply.reason)


def _case(name: str, raw: bytes, answers: str, wanted: Mapping[str, Any], at: str) -> Case:
    told = {"at": at, "words": "\n".join(wanted["lines"]), **wanted}
    listed = {key: tuple(one) if isinstance(one, list) else one for key, one in told.items()}
    return Case(name, raw, answers, **listed)


@cache
def files() -> tuple[Case, ...]:
    expected = tomllib.loads((MAILS / "expected.toml").read_text("utf-8"))
    sent = (MAILS / "letter.txt").read_text("utf-8")
    names = sorted(file.stem for file in MAILS.glob("*.eml"))
    assert names == sorted(expected)
    mails = {name: (MAILS / f"{name}.eml").read_bytes() for name in names}
    return tuple(_case(name, mails[name], sent, expected[name], "actions") for name in names)


@cache
def shaped() -> tuple[Case, ...]:
    """The mails that are written in the shape of a program."""
    return tuple(_said_in_shape(*row) for row in rows())


WAYS = tuple(name for name in SAYINGS if name.startswith("way-"))


USUAL_SHAPE = ("en", "above", "letter")


def asked_by(program: str) -> tuple[Case, ...]:
    """Each of the ways to ask in the shape of a program, by turns as its mails are read for certain."""
    own = [row for row in rows() if row[0] == program and _is_certain(*row[2:])]
    shapes = sorted({(tongue, place, quoted) for _, tongue, _, place, quoted in own}) or [USUAL_SHAPE]
    return tuple(
        _said_in_shape(program, tongue, way, place, quoted)
        for number, way in enumerate(WAYS)
        for tongue, place, quoted in [shapes[number % len(shapes)]]
    )


def _is_certain(saying: str, place: str, quoted: str, fate: str = "") -> bool:
    """Whether something is found in a mail, and nothing of it is doubtful."""
    said = SAYINGS[saying]
    return not fate and said.get("lines") != [] and not said.keys() & {"doubtful", "doubtful_alone"}


def _said_in_shape(program: str, tongue: str, saying: str, place: str, quoted: str, fate: str = "") -> Case:
    assert fate in ("", "doubtful")
    wanted = dict(SAYINGS[saying])
    at, words = wanted.get("at", "card"), wanted["words"]
    own = quoted_text("Anna", "anna@example.org", "\n".join((*OLD_ORDERS[at], "", "Anna")))
    answered = game_letter(at) if quoted == "letter" else own
    raw = rendered(program, tongue, words, answered, place=place)
    wanted.setdefault("lines", [line for line in words.splitlines() if line])
    if fate:
        wanted |= {"doubtful": True, "plays": (), "meant": wanted.get("plays", ())}
    name = f"{program} {tongue} {saying} {place} {quoted}"
    return _case(name, raw, game_letter(at).text, wanted, "card")
