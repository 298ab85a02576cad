"""Small builders for the engine's tests: boards, positions, dice that fall as told.

Everything is written as a player writes it: symbols, points and places by their names, parted by blanks.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from engine.actions import (
    Action,
    Choose,
    Draw,
    End,
    Illegal,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.board import Board, Side, Space, side, sides
from engine.cards import DECK, EMPTY, Bag, Symbol
from engine.editions import RIO_GRANDE, Edition
from engine.events import Event, GameStarted
from engine.evolve import evolve, start
from engine.march_rules import targets
from engine.notation.grammar import read
from engine.notation.orders import write
from engine.position import BLACK_WALLS, RED_WALLS, Phase, Position, view
from engine.provinces import Province, province_at
from engine.rules import decide, due, legal, perform_due
from tests.paths import BOARD_FILE

PEOPLE = ("Anna", "Ben", "Cleo", "Dirk")


@cache
def alexandros() -> Board:
    """The board of the game as it was sold."""
    return Board.read(BOARD_FILE.read_text("utf-8"))


@cache
def board(*rows: str, start: str = "A1") -> Board:
    """A board of these strips. The first horse space in reading order is called Ha, the second Hb, ..."""
    letters = {character: iter("abcdefghijklmnopqrstuvwxyz") for character in "tahls"}
    lists = [[c.upper() + next(letters[c]) for c in strip if c in letters] for strip in rows]
    return Board.read(f'name = "Test"\nstart = "{start}"\nrows = {list(rows)}\nplaces = {lists}\n')


def bag(words: str) -> Bag:
    return Bag.of(Symbol(word) for word in words.split())


def places(board: Board, words: str) -> tuple[Space, ...]:
    """The spaces with these place names, in reading order."""
    return tuple(sorted(board.places[word] for word in words.split()))


def spaces(board: Board, words: str) -> tuple[Space, ...]:
    """The spaces written so (`AB3`), in reading order."""
    known = {str(space): space for space in board.symbols}
    return tuple(sorted(known[word] for word in words.split()))


def along(board: Board, words: str) -> frozenset[Side]:
    """Every side along these paths, such as `A3-B2-C3 C5-C7`."""
    found = set()
    for path in words.split():
        found |= {side(one, other) for one, other in pairwise(map(board.point_names.get, path.split("-")))}
    assert found <= set(board.spaces_on)
    return frozenset(found)


def fence(board: Board, within: Iterable[Space]) -> str:
    """The walls that make a province of these spaces, as words for `position`."""
    inside = set(within)
    edges = [edge for space in inside for edge in sides(space) if not board.is_on_rim(edge)]
    return " ".join(str(edge) for edge in edges if not inside.issuperset(board.spaces_on[edge]))


def position(
    board: Board,
    *,
    phase: str = "actions",
    edition: Edition = RIO_GRANDE,
    hands: tuple[str, ...] = ("", ""),
    display: str = "horse lyre",
    discard: str = "",
    supply: str | None = None,
    guards: tuple[str, ...] = (),
    walls: str = "",
    alexander: str | None = None,
    chosen: str | None = None,
    **table: object,
) -> Position:
    """A position of seat 0's first turn, two actions left, in which whatever is named here is otherwise.

    Cards not named are in the supply; where the supply is named too, they are in the discard pile. Walls on
    the board come off the black ones first.
    """
    seats = len(hands)
    dealt = GameStarted(board.name, edition.name, PEOPLE[:seats], tuple(map(bag, hands)), bag(display))
    fresh = start(board, dealt)
    laid = along(board, walls)
    changes: dict[str, object] = {
        "phase": Phase(phase),
        "actions_left": 2 if phase == "actions" else 0,
        "discard": bag(discard),
        "standing": tuple(
            board.grid.mask_spaces(places(board, words)) for words in (*guards, *[""] * (seats - len(guards)))
        ),
        "walled": board.grid.mask_sides(laid),
        "black": max(0, BLACK_WALLS - len(laid)),
        "red": RED_WALLS - max(0, len(laid) - BLACK_WALLS),
        "alexander": board.point_names[alexander] if alexander else board.start,
        "chosen": Symbol(chosen) if chosen else None,
    }
    rest = fresh.supply - bag(discard)
    if supply is not None:
        changes["discard"] = rest - bag(supply) + bag(discard)
        rest = bag(supply)
    return Position(replace(fresh.table, **(changes | table)), fresh.hands, rest)


def everything_but(words: str) -> str:
    """All the cards of the deck but these, as words: what a hoarder's hand holds."""
    return " ".join(DECK - bag(words))


class Dice:
    """Chance that falls as told, and complains when asked for more or for a card that is not there."""

    def __init__(self, words: str = "") -> None:
        self.ahead = [Symbol(word) for word in words.split()]

    def __call__(self, cards: Bag) -> Symbol:
        assert self.ahead, "nobody told how this would fall"
        card = self.ahead.pop(0)
        assert card in cards, f"there is no {card} to be drawn"
        return card


def no_dice(cards: Bag) -> Symbol:
    raise AssertionError("nothing may be drawn here")


def happens(now: Position, line: str, dice: str = "") -> tuple[Event, ...]:
    """The facts that one action of the seat whose turn it is brings about."""
    fall = Dice(dice)
    events = decide(now, now.table.seat, read(line, view(now, now.table.seat)), fall)
    assert not fall.ahead, f"not drawn: {fall.ahead}"
    return events


def after(now: Position, *lines: str, dice: str = "") -> Position:
    """The position after these actions, each done by the seat whose turn it then is."""
    fall = Dice(dice)
    for line in lines:
        for event in decide(now, now.table.seat, read(line, view(now, now.table.seat)), fall):
            now = evolve(now, event)
    assert not fall.ahead, f"not drawn: {fall.ahead}"
    return now


def settled(now: Position, dice: str = "") -> Position:
    """The position once all that comes by itself has come."""
    fall = Dice(dice)
    while (kind := due(now)) is not None:
        now = evolve(now, perform_due(now, kind, fall))
    assert due(now) is None
    assert not fall.ahead, f"not drawn: {fall.ahead}"
    return now


def spelled(line: str, board: Board) -> Action:
    """The action with exactly this canonical text, legal or not."""
    verb, *rest = line.split()
    named = tuple(board.places[name] for name in rest[0].split("+")) if rest and rest[0][0].isupper() else ()
    card = Symbol(rest[0]) if rest and not named else None
    match verb:
        case "march":
            return March(named[0], tuple(board.point_names[name] for name in rest[1].split("-")))
        case "takeover":
            return TakeOver(named, bag(rest[2].replace("+", " ")) if rest[1:] else EMPTY)
        case "occupy":
            return Occupy(named)
        case "recall":
            return Recall(named[0])
        case "stay":
            return Stay(card)
    if card:
        return {"choose": Choose, "play": Play, "take": Take, "levy": Levy}[verb](card)
    return {"draw": Draw, "end": End}[verb]()


def refused(now: Position, action: str | Action, rule: str) -> Illegal:
    """Make sure that an action is refused by this clause, is not offered, and has nothing drawn."""
    seat = now.table.seat
    said = spelled(action, now.table.board) if isinstance(action, str) else action
    with pytest.raises(Illegal) as caught:
        decide(now, seat, said, no_dice)
    assert caught.value.rule == rule, caught.value
    assert said not in set(legal(view(now, seat)))
    return caught.value


def offers(now: Position, verb: str = "") -> list[str]:
    """The canonical texts of what may be done, of one verb or of all, sorted."""
    actions = legal(view(now, now.table.seat))
    texts = sorted(write(action, now.table.board) for action in actions)
    return [text for text in texts if not verb or text.split()[0] == verb]


def aims(now: Position, card: str, *, hand: bool = False) -> list[str]:
    """The places to which a card may send Alexander, in reading order."""
    found = targets(now.table, Symbol(card), from_display=not hand)
    return [now.table.board.names[space] for space in found]


def province(now: Position, place: str) -> Province:
    return province_at(now.table, now.table.board.places[place])
