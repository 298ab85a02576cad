"""What comes of a mail: read as the server reads it, and its orders done in a game that is being played."""

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from emails.chat import is_chat
from emails.replies import Reply, read_reply
from emails.requests import requested
from engine.actions import Refusal
from engine.cards import Bag, Symbol
from engine.evolve import evolve
from engine.position import Position
from engine.reading import parse
from server.trying import Refused, run_lines
from tests.emails.positions import BOARD
from tests.emails.shapes import CORPUS, OURS, Quoted, quoted_text, rendered, rows
from tests.emails.specimens import STORY, letter

MAILS = Path(__file__).parent / "mails"
NAMES = ("Anna", "Ben", "Cleo")
TURN, SEAT = 16, 0
LETTERS = {"card": "your_turn", "actions": "step"}
NUMBERS: Mapping[str, Mapping[str, str]] = {
    "card": {"8": "I27", "11": "J26", "16": "K29"},
    "actions": {"1": "draw", "2": "take horse", "3": "occupy Harmozia", "4": "end"},
}
"""What numbers stand for in the letter that is answered."""
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
    """The text of what it answers."""
    at: str
    lines: tuple[str, ...]
    doubtful: bool
    plays: tuple[str, ...]
    asks: tuple[str, ...]
    rest: tuple[str, ...] | None
    words: str
    """All that its writer wrote, where that is known, else the lines."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of a mail."""

    reply: Reply
    done: tuple[str, ...]
    """The actions done, in canonical text."""
    asked: tuple[str, ...]
    """What its writer asked to be shown or done."""
    said: tuple[str, ...]
    """What is told to the other players."""


@cache
def position(at: str) -> Position:
    """Anna is to choose a card, or has her two actions left."""
    found = next(
        STORY.positions[number - 1]
        for number, _ in STORY.turns()
        if STORY.positions[number - 1].table.turn == TURN
    )
    if at == "actions":
        for event in run_lines(found, SEAT, ["choose amphora", "march Pura I29-I27-J26"], chance).events:
            found = evolve(found, event)
    assert (found.table.seat, found.table.turn) == (SEAT, TURN)
    return found


def chance(cards: Bag) -> Symbol:
    """The same card whenever it is asked."""
    return cards.kinds()[0]


@cache
def game_letter(at: str) -> Quoted:
    """The letter that is answered, as a mail program has it."""
    found = letter(LETTERS[at])
    page = found.html.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
    return Quoted("Alexandros", OURS, found.text, page)


def own_mail(at: str) -> Quoted:
    """The last mail of the same player."""
    return quoted_text("Anna", "anna@example.org", "\n".join((*OLD_ORDERS[at], "", "Anna")))


def is_command(at: str) -> Callable[[str], bool]:
    """As the server judges: whether a line can be read as orders or as a wish."""

    def judge(line: str) -> bool:
        try:
            parse(line, BOARD, NUMBERS[at])
        except Refusal:
            return requested(line) is not None
        return True

    return judge


def outcome(
    raw: bytes, at: str, sent: str | None = None, names: Collection[str] = NAMES, seat: int = SEAT
) -> Outcome:
    """Read a mail, and do what it says in a game that is being played."""
    reply = read_reply(raw, sent, is_command(at), names)
    if reply.doubtful:
        return Outcome(reply, (), (), ())
    said = tuple(line for line in reply.lines if is_chat(line))
    wishes = {line: wish for line in reply.lines if line not in said and (wish := requested(line))}
    orders = [line for line in reply.lines if line not in said and line not in wishes]
    asked = tuple(wish.kind for wish in wishes.values())
    try:
        done = run_lines(position(at), seat, orders, chance, NUMBERS[at]).done if orders else ()
    except Refused:
        return Outcome(reply, (), (), ())
    return Outcome(reply, done, asked, said)


def _case(name: str, raw: bytes, answers: str, wanted: Mapping[str, Any], at: str) -> Case:
    lines = tuple(wanted["lines"])
    return Case(
        name,
        raw,
        answers,
        wanted.get("at", at),
        lines,
        wanted.get("doubtful", False),
        tuple(wanted.get("plays", ())),
        tuple(wanted.get("asks", ())),
        tuple(wanted["rest"]) if "rest" in wanted else None,
        wanted.get("words", "\n".join(lines)),
    )


@cache
def files() -> tuple[Case, ...]:
    """The mails that are stored as they are."""
    expected = tomllib.loads((MAILS / "expected.toml").read_text("utf-8"))
    sent = (MAILS / "letter.txt").read_text("utf-8")
    names = sorted(file.stem for file in MAILS.glob("*.eml"))
    assert names == sorted(expected)
    return tuple(
        _case(name, (MAILS / f"{name}.eml").read_bytes(), sent, expected[name], "actions") for name in names
    )


@cache
def shaped() -> tuple[Case, ...]:
    """The mails that are written in the shape of a program."""
    sayings = tomllib.loads((CORPUS / "sayings.toml").read_text("utf-8"))
    found = []
    for program, tongue, saying, place, quoted, *fate in rows():
        wanted = dict(sayings[saying])
        at, words = wanted.get("at", "card"), wanted["words"]
        answered = game_letter(at) if quoted == "letter" else own_mail(at)
        raw = rendered(program, tongue, words, answered, place=place)
        wanted.setdefault("lines", [line for line in words.splitlines() if line])
        if fate == ["doubtful"]:
            wanted |= {"doubtful": True, "plays": ()}
        else:
            assert not fate
        name = f"{program} {tongue} {saying} {place} {quoted}"
        found.append(_case(name, raw, game_letter(at).text, wanted, "card"))
    return tuple(found)
