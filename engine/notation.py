"""The one grammar: how an action is written, and how what people write is read.

`write` gives the exact spelling. `read` is liberal: letter case, commas, synonyms, small words, languages
(words.py), a lone path or corner left out. It never guesses: a word that it does not know makes a line
unreadable, what fits several actions is `Ambiguous`. `read(write(action), view) == action` if it is legal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
from engine.words import BEGUN, BY_CARD, EITHER, GIVE, PAIRS, SHAPES, SMALL, SYMBOLS_READ, VERBS, similar

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
            give = f" give {given}" if len(given) else ""
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


GIFT = re.compile(r"\s(?:{0})\s(?:(?!\s(?:{0})\s).)*$".format("|".join(sorted(GIVE))), re.IGNORECASE)
"""The end of a take-over: what is handed to the loser."""
TOKEN = re.compile(r"[A-Za-zÉé]+[0-9]*")
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
    verb, second = _verb(tokens)
    given = _given(line) if verb == "takeover" else 0
    symbols: list[Symbol] = []
    named: list[Space] = []
    walked: list[Point] = []
    small: list[str] = []
    for at, word in enumerate(tokens[1:], start=1):
        left = len(tokens) - at
        if at == second:
            continue  # it is a part of the verb
        if word in SYMBOLS_READ and (verb in BY_CARD or left < given):
            symbols.append(SYMBOLS_READ[word])
        elif word in places and left != given:
            named.append(places[word])
        elif word in points:
            walked.append(points[word])
        elif word in SYMBOLS_READ:
            symbols.append(SYMBOLS_READ[word])
        elif word in SMALL:
            small.append(word)
        else:
            known = (*board.places, *SYMBOLS_READ)
            word, meant = _short(word), similar(word, known)
            raise Unreadable("“%(word)s” is no place, point or symbol", meant, word=word)
    said = Said(verb, tuple(symbols), tuple(named), tuple(walked))
    _judge_shape(said, small)
    return said


def _verb(tokens: list[str]) -> tuple[str, int]:
    """The action that words begin, and where the second word of its pair stands; 0: it has no second."""
    first = tokens[0]
    if first in BEGUN:
        for at, word in enumerate(tokens):
            if (first, word) in PAIRS:
                return PAIRS[first, word], at
    if first not in VERBS:
        raise Unreadable("“%(word)s” is no action", similar(first, VERBS), word=_short(first))
    return VERBS[first], 0


def _given(line: str) -> int:
    """How many words at the end of a take-over say what is handed to the loser; 0 where nothing does."""
    gift = GIFT.search(line)
    words = _tokens(gift.group()) if gift else []
    return len(words) if all(word in SYMBOLS_READ or word in SMALL for word in words) else 0


def _short(word: str) -> str:
    return word if len(word) <= 30 else word[:29] + "…"


def _judge_shape(said: Said, small: list[str]) -> None:
    shape = SHAPES[said.verb]
    fewest, most = shape.symbols
    least_places, most_places = shape.places
    if (
        not fewest <= len(said.symbols) <= most
        or not least_places <= len(said.places) <= most_places
        or (said.points and not shape.points)
    ):
        raise Unreadable(shape.usage)
    most = max(len(said.symbols), len(said.places), len(said.points))
    if not most and (said.verb == "march" or not shape.alone.issuperset(small)):
        raise Unreadable(shape.usage)
    if most > 1 and not EITHER.isdisjoint(small):
        raise Unreadable("say which one of them you mean")


def _tokens(line: str) -> list[str]:
    tokens, at = [], _blanks(line, 0)
    while at < len(line):
        found = TOKEN.match(line, at)
        if not found:
            word = _short(line[at:].split()[0])
            raise Unreadable("“%(word)s” is no word of an action", word=word)
        tokens.append(found.group().casefold())
        at = _blanks(line, found.end())
    return tokens


def _blanks(line: str, at: int) -> int:
    found = BETWEEN.match(line, at)
    return found.end() if found else at


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
        case "levy" if card:
            return Levy(card)
        case "levy":
            return _only(_levies(known), known, Illegal("5.11", "no card of yours can levy taxes"))
        case "recall" if said.places:
            return Recall(said.places[0])
        case "recall":
            return _only(_recalls(known), known, Illegal("5.13", "no guard of yours is on the board"))
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
    if table.phase is Phase.CARD:
        raise Illegal("3.1", "a card must be chosen first")
    if table.phase is not Phase.MARCH:
        raise Illegal("3.1", "Alexander has marched")
    spaces = marching.targets_of_chosen(table)
    if said.places and said.places[0] not in spaces:
        return March(said.places[0], (table.alexander,))
    wanted = tuple(space for space in spaces if not said.places or space in said.places)
    none = Illegal("4.5", "no shortest path goes that way")
    return _only(_fitting(said.points, known, wanted), known, none)


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
    none = Illegal("5.10", "no cards can be given")
    return _only((TakeOver(guards, given) for given in choices), known, none)


def _only(found: Iterator[Action], known: View, none: Illegal) -> Action:
    """The one action found; raises `none` where there is none, and `Ambiguous` where there are several."""
    candidates = tuple(islice(found, MOST_CANDIDATES))
    if not candidates:
        raise none
    if len(candidates) > 1:
        named = " or ".join(write(action, known.table.board) for action in candidates)
        raise Ambiguous("it could mean %(actions)s", candidates, actions=named)
    return candidates[0]
