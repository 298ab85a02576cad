"""Positions to draw and to describe: games that are stored or played by chance, boards of odd shapes."""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count, islice

from emails.picture.layers import Overlay
from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Take
from engine.board import SYMBOL_LETTERS, Board, Space, corners
from engine.cards import ONE, Bag, Symbol
from engine.events import AlexanderMarched, Event, GameStarted, ProvinceOccupied, ProvinceTakenOver
from engine.evolve import start
from engine.position import Phase, Position, View, view
from engine.provinces import conquests, find_sieges, province_at
from engine.rules import play_out
from tests.engine.players import Game
from tests.gallery.samples import SampleGame
from tests.paths import BOARD_FILE, GAMES

BOARD = Board.read(BOARD_FILE.read_text("utf-8"))
NAMES = ("Anna", "Ben", "Cleo", "Dirk")
NASTY_NAMES = (
    '<script>alert("1")</script>',
    "draw\n\x00\x1b\u202e\ufffe\ud800&amp;'",
    "take temple, end; draw " + "W" * 90,
    "😀 🐎",
)
"""Markup, control characters, orders, and letters that no font has."""

ODD_BOARDS = {
    "one space": [" " * 40 + "t"],
    "one strip": ["t.a.h.l.s"],
    "25 strips": ["t..a."] * 25,
    "wide": ["t.a.h.l.s." * 30, "." * 299],
    "hole": ["  .....", " t.. .a.", " ..   ...", "  .......", "   h...."],
}


@cache
def stored_game(name: str) -> SampleGame:
    return SampleGame.from_lines((GAMES / f"{name}.jsonl").read_text("utf-8").splitlines(), BOARD)


def sample_of(found: Game) -> SampleGame:
    """A game by chance as one of which letters are written."""
    steps = [*found.steps()]
    events = (found.first, *(event for _, event in steps))
    return SampleGame(events, (*(now for now, _ in steps), found.last))


def board(strips: list[str]) -> Board:
    """A board with made-up names; Alexander starts on the first corner of its first space."""
    number = count()
    places = [[_letters(next(number)) for char in strip if char in SYMBOL_LETTERS] for strip in strips]
    start = corners(Space(0, len(strips[0]) - len(strips[0].lstrip()) + 1))[0]
    return Board.read(f'name = "Odd"\nstart = "{start}"\nrows = {strips!r}\nplaces = {places!r}\n')


def first_card(cards: Bag) -> Symbol:
    return next(iter(cards))


def _letters(number: int) -> str:
    return "Place" + "".join("abcdefghij"[int(digit)] for digit in str(number))


def opening(seats: Sequence[str], on: Board = BOARD, edition: str = "rio-grande") -> GameStarted:
    """The deal that gives everybody a temple and shows a horse and a lyre."""
    hands = tuple(ONE[Symbol.TEMPLE] for _ in seats)
    return GameStarted(on.name, edition, tuple(seats), hands, Bag.of([Symbol.HORSE, Symbol.LYRE]))


@cache
def played(seats: tuple[str, ...], seed: int, turns: int = 999) -> tuple[Position, tuple[Event, ...]]:
    """A game by chance players until so many turns are over, and its events; they occupy when they can."""
    dice = random.Random(seed)
    first = opening(seats)
    position = start(BOARD, first)
    log: list[Event] = [first]
    while not position.table.over and position.table.turn <= turns:
        known = view(position, position.table.seat)
        action = _action(known, dice)
        events, position = play_out(position, known.table.seat, action, lambda bag: dice.choice(list(bag)))
        log += events
    return position, tuple(log)


def _action(known: View, dice: random.Random) -> Action:
    table = known.table
    if table.phase is Phase.CARD:
        return dice.choice(list(rules.card_choices(known)))
    if table.phase is Phase.MARCH:
        spaces = march_rules.targets_of_chosen(table)
        space = dice.choice([one for one in spaces if march_rules.reachable_corners(table, one)])
        corner = dice.choice(march_rules.reachable_corners(table, space))
        return March(space, dice.choice(list(islice(march_rules.ShortestPaths(table, corner), 200))))
    sieges = find_sieges(table, table.seat, known.hand)
    actions: list[Action] = [found for siege in sieges for found in islice(conquests(table, siege), 3)]
    others = [one for one in rules.simple_actions(known) if isinstance(one, Draw | Take | Levy)]
    return dice.choice(actions or others or [End()])


def marks(position: Position, log: Sequence[Event], players: int = 4) -> Overlay:
    """Everything a picture can point out at once: the last marches, what they brought about, all choices."""
    table = position.table
    recent = [event for event in log if isinstance(event, AlexanderMarched)][-players:]
    conquests = [event for event in log[-30:] if isinstance(event, ProvinceOccupied | ProvinceTakenOver)]
    spaces = {space for event in conquests for space in province_at(table, event.guards[0]).spaces}
    found = sorted(set(_targets(position)))
    corners = sorted({corner for space in found for corner in march_rules.reachable_corners(table, space)})
    return Overlay(
        labels={corner: str(number) for number, corner in enumerate(corners, 1)},
        targets=frozenset(found),
        marches=tuple((event.seat, event.path) for event in recent),
        fresh=frozenset(edge for event in recent for edge in event.walls),
        changed=frozenset(spaces),
        preview=next(iter(march_rules.ShortestPaths(table, corners[0]))) if corners else (),
    )


def _targets(position: Position) -> Iterator[Space]:
    table = position.table
    if table.phase is Phase.CARD:
        for action in rules.card_choices(view(position, table.seat)):
            if isinstance(action, Choose):
                yield from march_rules.targets(table, action.card, from_display=True)
