"""The one grammar: how an action is written, and how what people write is read.

`write` gives the exact spelling. `read` is liberal: letter case, commas, synonyms, small words, a lone path
or corner left out. It never guesses: a word it does not know makes the line unreadable, and what fits
several actions is `Ambiguous`. `read(write(action), view) == action` for every legal action.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice, pairwise
from typing import assert_never

from engine import acting, marching
from engine.actions import (
    Action,
    Ambiguous,
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
    Unreadable,
)
from engine.board import Board
from engine.cards import EMPTY, Bag, Symbol
from engine.lattice import Point, Space
from engine.position import Phase, View

MOST_CANDIDATES = 6
LONGEST_LINE = 400
"""Characters, beside those of a path over every point of the board; no legal action comes near it."""


def write(action: Action, board: Board) -> str:
    """The canonical text of an action."""
    match action:
        case Choose(card):
            return f"choose {card}"
        case Play(card):
            return f"play {card}"
        case March(target, path):
            return f"march {board.names[target]} {'-'.join(str(point) for point in path)}"
        case Stay(card):
            return "stay" if card is None else f"stay {card}"
        case Draw():
            return "draw"
        case Take(card):
            return f"take {card}"
        case Occupy(guards):
            return f"occupy {_places(guards, board)}"
        case TakeOver(guards, given):
            give = f" give {'+'.join(given)}" if len(given) else ""
            return f"takeover {_places(guards, board)}{give}"
        case Levy(card):
            return f"levy {card}"
        case Recall(place):
            return f"recall {board.names[place]}"
        case End():
            return "end"
        case _:
            assert_never(action)


def _places(guards: tuple[Space, ...], board: Board) -> str:
    return "+".join(board.names[place] for place in guards)


VERBS = {
    "choose": "choose",
    "play": "play",
    "discard": "play",
    "march": "march",
    "move": "march",
    "go": "march",
    "stay": "stay",
    "draw": "draw",
    "take": "take",
    "occupy": "occupy",
    "takeover": "takeover",
    "levy": "levy",
    "tax": "levy",
    "recall": "recall",
    "end": "end",
    "pass": "end",
    "done": "end",
}
"""Every word that can begin an action, and the action it means."""
BY_CARD = frozenset("choose play stay take levy".split())
"""The actions that name a card and no place: there a symbol's name is that, even where a place bears it."""
PAIRS = {("take", "over"): "takeover", ("take", "back"): "recall"}
SMALL = frozenset(
    """a alexander an and at by card cards corner from give guard in of on please point taxes the to turn
    via with""".split()
)
"""Words that carry no meaning of their own."""
GIFT = re.compile(r"\sgive\s(?:(?!\sgive\s).)*$", re.IGNORECASE)
"""The end of a take-over: what is handed to the loser."""
TOKEN = re.compile(r"[A-Za-z]+[0-9]*")
BETWEEN = re.compile(r"[\s,.+&/>-]*")


@dataclass(frozen=True, slots=True)
class Said:
    """The words of one line, sorted by kind, before anybody looks at the position."""

    verb: str
    symbols: tuple[Symbol, ...]
    places: tuple[Space, ...]
    points: tuple[Point, ...]


@lru_cache(maxsize=16)
def _words(board: Board) -> tuple[Mapping[str, Space], Mapping[str, Point], int]:
    """The words for places and points on a board, and the most characters that a line about it can need."""
    places = {name.casefold(): space for name, space in board.places.items()}
    points = {name.casefold(): point for name, point in board.point_names.items()}
    return places, points, LONGEST_LINE + sum(len(name) + 1 for name in board.point_names)


def parse(line: str, board: Board) -> Said:
    """The words of one line; raises `Unreadable` for a word or a shape that no action has."""
    places, points, longest = _words(board)
    if len(line) > longest:
        raise Unreadable("the line is too long for one action")
    tokens = _tokens(line)
    if not tokens:
        raise Unreadable("the line is empty")
    verb = PAIRS.get((tokens[0], tokens[1])) if len(tokens) > 1 else None
    rest = tokens[2:] if verb else tokens[1:]
    verb = verb or VERBS.get(tokens[0])
    if verb is None:
        raise Unreadable(f"“{_short(tokens[0])}” is no action", _similar(tokens[0], tuple(VERBS)))
    gift = GIFT.search(line) if verb == "takeover" else None
    given = len(_tokens(gift.group())) if gift else 0
    symbols: list[Symbol] = []
    named: list[Space] = []
    walked: list[Point] = []
    for left, word in zip(range(len(rest), 0, -1), rest, strict=True):
        if word in SYMBOLS_READ and (verb in BY_CARD or left < given):
            symbols.append(SYMBOLS_READ[word])
        elif word in places and left != given:
            named.append(places[word])
        elif word in points:
            walked.append(points[word])
        elif word in SYMBOLS_READ:
            symbols.append(SYMBOLS_READ[word])
        elif word not in SMALL:
            known = (*board.places, *SYMBOLS_READ)
            raise Unreadable(f"“{_short(word)}” is no place, point or symbol", _similar(word, known))
    said = Said(verb, tuple(symbols), tuple(named), tuple(walked))
    _judge_shape(said)
    return said


SYMBOLS_READ = {str(symbol): symbol for symbol in Symbol} | {f"{symbol}s": symbol for symbol in Symbol}

SHAPES: dict[str, tuple[int, int, int, int, bool, str]] = {
    "choose": (1, 1, 0, 0, False, "choose and one symbol"),
    "play": (1, 1, 0, 0, False, "play and one symbol"),
    "march": (0, 0, 0, 1, True, "march, a place, and the corner or the path"),
    "stay": (0, 1, 0, 0, False, "stay and one symbol of the display"),
    "draw": (0, 0, 0, 0, False, "draw alone"),
    "take": (1, 1, 0, 0, False, "take and one symbol"),
    "occupy": (0, 0, 1, 4, False, "occupy and the places of the guards"),
    "takeover": (0, 99, 1, 4, False, "takeover, the places of the guards, give, the cards for the loser"),
    "levy": (0, 1, 0, 0, False, "levy and one symbol"),
    "recall": (0, 0, 0, 1, False, "recall and the place of the guard"),
    "end": (0, 0, 0, 0, False, "end alone"),
}
"""For each action: least and most symbols, least and most places, whether points, how to say it."""


def _judge_shape(said: Said) -> None:
    fewest, most, least_places, most_places, points, usage = SHAPES[said.verb]
    if (
        not fewest <= len(said.symbols) <= most
        or not least_places <= len(said.places) <= most_places
        or (said.points and not points)
    ):
        raise Unreadable(f"say {usage}")
    if said.verb == "march" and not said.places and not said.points:
        raise Unreadable(f"say {usage}")


def _tokens(line: str) -> list[str]:
    tokens, at = [], _blanks(line, 0)
    while at < len(line):
        found = TOKEN.match(line, at)
        if not found:
            raise Unreadable(f"“{_short(line[at:].split()[0])}” is no word of an action")
        tokens.append(found.group().casefold())
        at = _blanks(line, found.end())
    return tokens


def _blanks(line: str, at: int) -> int:
    found = BETWEEN.match(line, at)
    return found.end() if found else at


def _short(word: str) -> str:
    return word if len(word) <= 30 else word[:29] + "…"


def _similar(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    by_fold = {name.casefold(): name for name in known}
    return tuple(by_fold[name] for name in get_close_matches(word, by_fold, n=3, cutoff=0.7))


def read(line: str, known: View) -> Action:
    """The action a line means in the position its writer sees.

    Raises `Unreadable`, `Ambiguous` with some of the actions it could mean, or `Illegal` where nothing fits.
    A fully spelled action is returned unjudged: `rules.decide` judges it.
    """
    return resolve(parse(line, known.table.board), known)


def resolve(said: Said, known: View) -> Action:
    """The action that words mean in a position; raises as `read` does."""
    table = known.table
    card = said.symbols[0] if said.symbols else None
    match said.verb:
        case "choose" if card:
            return Choose(card)
        case "take" if card:
            return Choose(card) if table.phase is Phase.CARD else Take(card)
        case "play" if card:
            return Play(card)
        case "march":
            return _march(said, known)
        case "stay":
            return Stay(card)
        case "draw":
            return Draw()
        case "occupy":
            return Occupy(tuple(sorted(said.places)))
        case "takeover":
            return _takeover(said, known)
        case "levy":
            return (
                Levy(card)
                if card
                else _only(_levies(known), known, "5.11", "no card of yours can levy taxes")
            )
        case "recall":
            recalls = iter([Recall(place) for place in said.places])
            return _only(
                recalls if said.places else _recalls(known),
                known,
                "5.13",
                "no guard of yours is on the board",
            )
        case "end":
            return End()
    raise Unreadable("that is no action")


def _levies(known: View) -> Iterator[Action]:
    return (Levy(card) for card in acting.levy_cards(known.table, known.table.seat, known.hand))


def _recalls(known: View) -> Iterator[Action]:
    return (Recall(place) for place in known.table.guards[known.table.seat])


def _march(said: Said, known: View) -> Action:
    table = known.table
    whole = all(other in table.board.steps[one] for one, other in pairwise(said.points))
    if said.places and len(said.points) > 1 and said.points[0] == table.alexander and whole:
        return March(said.places[0], said.points)
    if table.phase is not Phase.MARCH:
        raise Illegal(
            "3.1", "a card must be chosen first" if table.phase is Phase.CARD else "Alexander has marched"
        )
    spaces = marching.targets_of_chosen(table)
    if said.places and said.places[0] not in spaces:
        return March(said.places[0], (table.alexander,))
    wanted = tuple(space for space in spaces if not said.places or space in said.places)
    return _only(_fitting(said.points, known, wanted), known, "4.5", "no shortest path goes that way")


def _fitting(points: tuple[Point, ...], known: View, spaces: tuple[Space, ...]) -> Iterator[Action]:
    """The marches to these spaces that end on the last of the points and pass the others in order."""
    table = known.table
    for space in spaces:
        for corner in marching.corners_to(table, space):
            if points and corner != points[-1]:
                continue
            yield from (March(space, path) for path in marching.Ways(table, corner).through(points))


def _takeover(said: Said, known: View) -> Action:
    table = known.table
    guards = tuple(sorted(said.places))
    if said.symbols or len(table.names) == 2:
        return TakeOver(guards, Bag.of(said.symbols))
    province = acting.besieged(table, table.seat, guards)
    if province.holder is None:
        return TakeOver(guards, EMPTY)
    paid = acting.removal(table, province) + acting.symbols_on(table, province.places)
    paid -= acting.symbols_on(table, guards)
    acting.pay(known.hand, paid, "5.9")
    choices = paid.handfuls(acting.handed_over(table, paid))
    return _only((TakeOver(guards, given) for given in choices), known, "5.10", "no cards can be given")


def _only(found: Iterator[Action], known: View, rule: str, none: str) -> Action:
    candidates = tuple(islice(found, MOST_CANDIDATES))
    if not candidates:
        raise Illegal(rule, none)
    if len(candidates) > 1:
        named = " or ".join(write(action, known.table.board) for action in candidates)
        raise Ambiguous(f"it could mean {named}", candidates)
    return candidates[0]
