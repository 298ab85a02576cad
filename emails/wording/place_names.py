"""How words name a place, and which places and corners the picture of a letter points out for them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from emails.i18n import gettext, gettext_noop
from emails.picture.overlay import Overlay
from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.events import AlexanderMarched, GuardRecalled, ProvinceOccupied, ProvinceTakenOver
from engine.position import Table, VisibleEvent

MOST_OF_NEWS = 8
"""Places of the news that a picture names at most, the latest first: it is no list."""


THE_CARD_PHRASES: Mapping[Symbol, str] = {
    Symbol.TEMPLE: gettext_noop("the temple"),
    Symbol.AMPHORA: gettext_noop("the amphora"),
    Symbol.HORSE: gettext_noop("the horse"),
    Symbol.LYRE: gettext_noop("the lyre"),
    Symbol.SOLDIER: gettext_noop("the soldier"),
}
_NAMED: ContextVar[Container[Space] | None] = ContextVar("named places", default=None)


@contextmanager
def use_place_names(named: Container[Space] | None) -> Iterator[None]:
    """Sentences written here use the names of these places alone; None: of all places."""
    before = _NAMED.set(named)
    try:
        yield
    finally:
        _NAMED.reset(before)


def name_place(table: Table, space: Space) -> str:
    """The name of a symbol space; where the picture bears none, "the horse south of D14", after its tip."""
    named = _NAMED.get()
    if named is None or space in named:
        return table.board.names[space]
    symbol = gettext(THE_CARD_PHRASES[table.board.symbol_at(space)])
    tip = Point(space.row + space.points_down, space.col)
    if space.points_down:
        return gettext("%(symbol)s north of %(corner)s", symbol=symbol, corner=tip)
    return gettext("%(symbol)s south of %(corner)s", symbol=symbol, corner=tip)


def places_of_orders(board: Board, words: str) -> tuple[Space, ...]:
    """The places that canonical orders name, in their order."""
    named = (board.places.get(word) for word in re.findall("[A-Za-z]+", words))
    return tuple(dict.fromkeys(space for space in named if space is not None))


def places_of_events(told: Sequence[VisibleEvent]) -> tuple[Space, ...]:
    """The places that the news name, the latest first."""
    found = (space for fact in reversed(told) for space in _places_of(fact))
    return tuple(dict.fromkeys(found))[:MOST_OF_NEWS]


def _places_of(fact: VisibleEvent) -> Iterator[Space]:
    match fact:
        case ProvinceOccupied():
            yield from fact.guards
        case ProvinceTakenOver():
            yield from (*fact.guards, *fact.removed)
        case GuardRecalled():
            yield fact.place
        case AlexanderMarched():
            yield fact.target
        case _:
            pass


def label_corners(ends: Iterable[tuple[str, Point | None]]) -> dict[Point, str]:
    """The corners at which lettered turns end, each with the letters of its turns: "a c"."""
    found: dict[Point, list[str]] = {}
    for letter, corner in ends:
        if corner is not None:
            found.setdefault(corner, []).append(letter)
    return {corner: " ".join(letters) for corner, letters in found.items()}


def point_out_turns(
    pointed: Overlay,
    board: Board,
    turns: Iterable[tuple[str, str, Point | None]],
    told: Sequence[VisibleEvent] = (),
    news: Sequence[Space] = (),
) -> Overlay:
    """The marks of a picture with these turns alone to choose from: letter, canonical orders, and corner.

    Of the news the places that are given are named before all else, and those that are told after all else.
    """
    offered = tuple(turns)
    goals = [space for _, words, _ in offered for space in _targets_of(board, words)]
    places = [space for _, words, _ in offered for space in places_of_orders(board, words)]
    return replace(
        pointed,
        labels=label_corners((letter, corner) for letter, _, corner in offered),
        targets=frozenset(goals),
        named=tuple(dict.fromkeys((*news, *goals, *places, *places_of_events(told)))),
    )


def _targets_of(board: Board, words: str) -> Iterator[Space]:
    for target in re.findall(r"\bmarch ([A-Za-z]+)", words):
        if target in board.places:
            yield board.places[target]
