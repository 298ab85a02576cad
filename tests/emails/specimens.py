"""Letters of every kind, in each of its ways, about one stored game; and letters by the score."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache

from lxml import html

from emails import letters
from emails.letters import Invitation, Sheet, Undone
from emails.printing import Letter
from engine.editions import EDITIONS
from engine.events import AlexanderMarched, TurnEnded
from engine.views import Told, told
from tests.emails import sheets
from tests.emails.positions import NASTY_NAMES

STORED = "three-players"
ORDERS = ("draw", "end; draw", "take lyre", "x\ndraw")
"""Names that are orders."""
TURN = 16
"""The turn that most letters are about."""
SOON = sheets.DEADLINE - timedelta(hours=6)
WHY = "the supply is empty"


def invited(names: tuple[str, ...] = ("Anna", "Ben", "Cleo")) -> Invitation:
    return Invitation(sheets.GAME, sheets.NAME, names, 0, EDITIONS["rio-grande"], 48, sheets.POST)


def mover(turn: int = TURN) -> int:
    return sheets.turns(STORED)[turn - 1][1]


def seen_by(seat: int, turn: int = TURN) -> Sheet:
    """A turn as it begins, for any seat."""
    return sheets.sheet(STORED, sheets.turns(STORED)[turn - 1][0], seat % 3)


def middle() -> Sheet:
    """After the march of the turn, for whoever marched."""
    return sheets.sheet(STORED, *sheets.actions(STORED)[TURN - 1])


def over(seat: int) -> Sheet:
    return sheets.sheet(STORED, len(sheets.stored(STORED)), seat)


def last_turn(made: Sheet, seat: int) -> tuple[Told, ...]:
    """What a seat did in its last turn, from the card on, as the reader of the sheet hears it."""
    log = list(enumerate(sheets.stored(STORED)[: made.after]))
    end = max(number for number, event in log if isinstance(event, TurnEnded) and event.seat == seat)
    march = max(number for number, event in log[:end] if isinstance(event, AlexanderMarched))
    return tuple(told(event, made.view.me) for _, event in log[march - 1 : end + 1])


SHEETS: dict[str, Callable[[], Sheet]] = {
    "welcome": lambda: sheets.sheet(STORED, 1, 1),
    "your_turn": lambda: seen_by(mover()),
    "your_turn-first": lambda: sheets.sheet(STORED, 1, 0),
    "your_turn-middle": middle,
    "answer": lambda: seen_by(mover(), TURN + 1),
    "answer-in-part": middle,
    "answer-nothing": lambda: seen_by(mover()),
    "reminder": lambda: seen_by(mover()),
    "time_passed": lambda: seen_by(mover() + 1, TURN + 1),
    "time_passed-mine": lambda: seen_by(mover(), TURN + 1),
    "game_over": lambda: over(1),
    "game_over-won": lambda: over(0),
    "refused": lambda: seen_by(mover()),
    "refused-not-my-turn": lambda: seen_by(mover() + 1),
}
"""What the letters about a running game are made from."""
LETTERS: dict[str, Callable[[Sheet], Letter]] = {
    "welcome": letters.welcome,
    "your_turn": letters.your_turn,
    "your_turn-first": letters.your_turn,
    "your_turn-middle": letters.your_turn,
    "answer": lambda made: letters.answer(made, last_turn(made, mover()), ()),
    "answer-in-part": lambda made: letters.answer(
        made, made.since[-3:], (Undone("draw", WHY), Undone("occupy Larissa", ""))
    ),
    "answer-nothing": lambda made: letters.answer(made, (), (Undone("choose soldier", WHY),)),
    "reminder": lambda made: letters.reminder(made, SOON),
    "time_passed": lambda made: letters.time_passed(made, mover(), last_turn(made, mover())),
    "time_passed-mine": lambda made: letters.time_passed(made, mover(), last_turn(made, mover())),
    "game_over": letters.game_over,
    "game_over-won": letters.game_over,
    "refused": lambda made: letters.refused("This answers a letter that is past.", made),
    "refused-not-my-turn": lambda made: letters.refused("It is not your turn.", made),
}
KINDS = ("invitation", "accepted", *LETTERS, "refused-no-game")


@cache
def letter(name: str) -> Letter:
    """The letter of this name."""
    if name == "invitation":
        return letters.invitation(invited())
    if name == "accepted":
        return letters.accepted(invited(), ("Ben", "Cleo"))
    if name == "refused-no-game":
        return letters.refused("This mail could not be told to any game.")
    return LETTERS[name](SHEETS[name]())


def renamed(made: Sheet, names: tuple[str, ...]) -> Sheet:
    """The same game played, and called, by other names."""
    table = made.view.table.but(names=names[: len(made.view.table.names)])
    return replace(made, name=names[0], view=replace(made.view, table=table))


def _by(names: tuple[str, ...]) -> Iterator[Letter]:
    """Letters of all kinds to and about players with such names."""
    yield letters.invitation(replace(invited(names), name=names[1]))
    yield letters.accepted(invited(names), names)
    for name, make in LETTERS.items():
        yield make(renamed(SHEETS[name](), names))
    quoted = tuple(Undone(words, words) for words in names)
    yield letters.answer(renamed(SHEETS["your_turn"](), names), (), quoted)
    yield letters.refused(f"“{names[0]}” is no order.", renamed(SHEETS["your_turn"](), names))


def _of_every_turn() -> Iterator[Letter]:
    for name in ("two-players", "three-players"):
        for at, seat in (*sheets.turns(name), *sheets.actions(name)):
            yield letters.your_turn(sheets.sheet(name, at, seat))


MANY: dict[str, Callable[[], Iterator[Letter]]] = {
    "kinds": lambda: map(letter, KINDS),
    "turns": _of_every_turn,
    "nasty": lambda: _by(NASTY_NAMES),
    "orders": lambda: _by(ORDERS),
}


@cache
def many(which: str) -> tuple[Letter, ...]:
    """Letters by the score: of all kinds, of every turn of two games, about players with odd names."""
    return tuple(MANY[which]())


def page(made: Letter) -> html.HtmlElement:
    return html.document_fromstring(made.html)


def nodes(made: Letter) -> list[str]:
    """The pieces of text that a reader of the HTML sees or hears."""
    [body] = page(made).iter("body")
    shown = [str(text).strip() for text in body.itertext()]
    return [text for text in (*shown, *(str(image.get("alt")) for image in body.iter("img"))) if text]
