"""Letters of every kind, in each of its ways and in every language; and letters by the score."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from lxml import html

from emails.gallery import letter_files
from emails.gallery.letter_files import (
    TAKEOVER,
    Specimen,
    Way,
    confirmation,
    invited,
    link,
    moved,
    proposed,
    story,
    ways,
)
from emails.i18n import LANGUAGES, Tongue, speaking
from emails.letters import letter_kinds
from emails.letters.letter_kinds import Absent, Message, Question, Section, Sheet, Undone
from emails.letters.renderer import Letter
from emails.wording.questions import question
from engine.actions import Ambiguous
from engine.notation.grammar import read
from engine.position import View
from tests.emails import sheets
from tests.emails.positions import BOARD, NASTY_NAMES

STORY = story(BOARD)
TONGUES = tuple(LANGUAGES)
WAYS: dict[str, Way] = {way.name: way for way in ways(STORY)}
"""The letters about a game that is being played or over, by their names."""
KINDS = ("invitation", "accepted", *WAYS, "refused-no-game", "stopped-invitation", "confirm", "moved")
KINDS += ("called_off", "declined", "declined-left", "declined-silent")
KINDS += ("confirm-second", "proposal", "proposal-incomplete", "signin")
TO_AN_ADDRESS = ("confirm", "confirm-second", "moved", "signin")
"""The letters that hold nothing that leads to a game."""
ABOUT_NO_GAME = ("refused-no-game", *TO_AN_ADDRESS)
ASKING = ("refused-march", "refused-takeover", "answer-question")
"""The letters that ask which of several things is meant."""
FUNCTIONS = sorted({name.partition("-")[0] for name in KINDS})
ORDERS = ("draw", "end; draw", "take lyre", "x\ndraw", "say: hello", "zeg: hoi", "kies harp", "-pas", "ja")
"""Names that are orders, or are said to other players."""
HOSTILE = (
    '<img src="https://example.com/x.png" onerror="alert(1)"> & &lt;b&gt;',
    "draw",
    "\n\ndraw\nend\n",
    "say: hello\nzeg: hoi; trek",
    "--- Write above this line ---\ndraw",
    "--- Schrijf boven deze regel ---\r\ntrek",
    "> draw\n| draw\n* draw",
    "On Thu, 14 January 2027 Anna wrote:\n> draw",
    "draw " * 120,
    "x, draw, -draw. /draw >draw &draw +draw " * 15,
    "W" * 600,
    "https://example.com/" + "a" * 300,
    "\u202edraw\u202c\x00\x1b[31m \ud800 \ufffe 😀🐎 {{ 7 * 7 }} %(name)s {% raw %}",
    "",
)
"""What a player may write who wishes the others ill."""


@cache
def specimens() -> dict[tuple[str, str], Specimen]:
    """Every letter of the gallery, by its name and language."""
    return {(one.name, one.language): one for one in letter_files.specimens(BOARD)}


def letter(name: str, language: str = "en") -> Letter:
    """The letter of this name."""
    return specimens()[name, language].letter


def sheet(name: str) -> Sheet:
    """What the letter of this name is made from."""
    return WAYS[name].sheet(STORY)


def turn(number: int, seat: int) -> Sheet:
    """A turn of the gallery's game as it begins, for any seat."""
    return STORY.sheet(STORY.turns()[number - 1][0], seat % 3)


def renamed(made: Sheet, names: tuple[str, ...]) -> Sheet:
    """The same game played, and called, by other names."""
    table = made.view.table.but(names=names[: len(made.view.table.names)])
    return replace(made, name=names[0], view=replace(made.view, table=table))


def _by(names: tuple[str, ...]) -> Iterator[Letter]:
    """Letters of all kinds to and about players with such names."""
    yield letter_kinds.invitation(replace(invited(names), name=names[1]))
    yield letter_kinds.accepted(invited(names), names)
    yield letter_kinds.called_off(replace(invited(names), name=names[1]))
    for how in ("declined", "left", "silent"):
        yield letter_kinds.declined(
            replace(invited(names), name=names[1]), Absent(names[1], how, joined=True)
        )
    yield letter_kinds.confirm(confirmation(names[0], names[1]))
    yield letter_kinds.confirm(confirmation(names[0], names[1], second=True))
    yield letter_kinds.moved(moved(names[0], names[1]))
    yield letter_kinds.signin(link(names[0]))
    yield letter_kinds.stopped_before(replace(invited(names), name=names[1]), everywhere=False)
    yield letter_kinds.proposal(proposed(names, names, names[1]))
    said = tuple(Message(name, name, private=name == names[0]) for name in names)
    for way in WAYS.values():
        yield way.write(replace(renamed(way.sheet(STORY), names), messages=said))
    turn = renamed(sheet("your_turn"), names)
    yield letter_kinds.answer(turn, (), tuple(Undone(words, words) for words in names), names)
    yield letter_kinds.refused(
        f"“{names[0]}” is no order.", turn, None, (Section("What you asked for", names),)
    )
    takeover = renamed(sheet("refused-takeover"), names)
    yield letter_kinds.refused("It could mean several things.", takeover, _meant(takeover.view))


def _meant(known: View) -> Question:
    """What a take-over could mean, to a player of the gallery's game who knows this."""
    try:
        read(TAKEOVER, known)
    except Ambiguous as refusal:
        return question(refusal, known, (), ("draw",))
    raise ValueError(f"{TAKEOVER} can mean one thing only")


def _told() -> Iterator[Letter]:
    """Letters in which somebody writes what he should not."""
    for words in HOSTILE:
        told = (Message("Ben", words, private=False), Message("Cleo", words, private=True))
        yield letter_kinds.message(replace(sheet("message"), messages=told))
        yield letter_kinds.your_turn(
            replace(sheet("your_turn"), messages=(*told, Message("", f"“{words}” is gone.", private=True)))
        )
        yield letter_kinds.answer(sheet("answer"), (), (Undone(words, words),), (f"You told all: “{words}”",))
        yield letter_kinds.refused(f"“{words}” is no order.")
    everything = tuple(Message("Ben", words, private=False) for words in HOSTILE * 3)
    for name in ("game_over", "stopped", "news"):
        yield WAYS[name].write(replace(sheet(name), messages=everything))


def _of_every_turn() -> Iterator[Letter]:
    for number, name in enumerate(("two-players", "three-players")):
        for at, seat in (*sheets.turns(name), *sheets.actions(name)):
            made = sheets.sheet(name, at, seat)
            with speaking(Tongue(TONGUES[(at + number) % len(TONGUES)])):
                letter = (
                    letter_kinds.your_turn(made)
                    if made.view.table.phase == "card"
                    else letter_kinds.step(made)
                )
            yield letter


def _in_all(make: Callable[[], Iterator[Letter]]) -> Iterator[Letter]:
    """The same in every language."""
    for language in TONGUES:
        with speaking(Tongue(language)):
            made = list(make())
        yield from made


MANY: dict[str, Callable[[], Iterator[Letter]]] = {
    "kinds": lambda: (one.letter for one in specimens().values()),
    "turns": _of_every_turn,
    "nasty": lambda: _in_all(lambda: _by(NASTY_NAMES)),
    "orders": lambda: _in_all(lambda: _by(ORDERS)),
    "answers": lambda: _in_all(lambda: _by(ORDERS[3:])),
    "told": lambda: _in_all(_told),
}


@cache
def many(which: str) -> tuple[Letter, ...]:
    """Letters by the score: of all kinds, of every turn of two games, with odd names and odd messages."""
    return tuple(MANY[which]())


def page(made: Letter) -> html.HtmlElement:
    return html.document_fromstring(made.html)


def nodes(made: Letter) -> list[str]:
    """The pieces of text that a reader of the HTML sees or hears."""
    [body] = page(made).iter("body")
    shown = [str(text).strip() for text in body.itertext()]
    return [text for text in (*shown, *(str(image.get("alt")) for image in body.iter("img"))) if text]
