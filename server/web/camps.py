"""The provinces a player can get now, for the form in which guards are placed and cards handed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from emails import offering, palette, wording
from engine import acting
from engine.actions import TakeOver
from engine.cards import SYMBOLS, Symbol
from engine.lattice import Space
from engine.position import Phase, View


@dataclass(frozen=True, slots=True)
class Ground:
    """A symbol space of a province that can be had."""

    name: str
    symbol: Symbol
    ticked: bool
    """Whether a guard stands there in the first way that can be paid."""


@dataclass(frozen=True, slots=True)
class Camp:
    """A province that can be had, for the form in which its guards are placed."""

    number: int
    heading: str
    verb: str
    """occupy or takeover."""
    grounds: tuple[Ground, ...]
    most: int
    """Guards that can be placed."""
    removal: str
    """The cards that remove the guards there; empty where none stand."""
    loser: str
    """Who gets half of the cards; empty where nobody does."""
    gifts: tuple[tuple[Symbol, int, int], ...]
    """Cards that can be handed to the loser: of which symbol, at most how many, how many in the first way."""


def camps(view: View) -> list[Camp]:
    """The provinces the reader can get now in more ways than one, the most valuable first."""
    table = view.table
    if not view.my_turn or table.phase is not Phase.ACTIONS:
        return []
    found = [
        siege
        for siege in acting.sieges(table, table.seat, view.hand)
        if len(list(islice(acting.conquests(table, siege), 2))) > 1
    ]
    found.sort(key=lambda siege: -siege.province.value)
    return [_camp(view, siege, number) for number, siege in enumerate(found, 1)]


def _camp(view: View, siege: acting.Siege, number: int) -> Camp:
    table, province = view.table, siege.province
    first = min(siege.guard_places(table), key=len)
    played = siege.price(table, first)
    due = acting.handed_over(table, played) if province.holder is not None else 0
    gift = next(iter(played.handfuls(due)), None)
    most = siege.removal + acting.symbols_on(table, province.places)
    loses = province.holder is not None and len(table.names) > 2
    grounds = []
    for place in province.places:
        symbol = table.board.symbols[place]
        assert symbol
        grounds.append(Ground(table.board.names[place], symbol, place in first))
    return Camp(
        number=number,
        heading=offering.siege_heading(table, siege),
        verb="occupy" if province.holder is None else "takeover",
        grounds=tuple(grounds),
        most=siege.most,
        removal=wording.cards(siege.removal) if len(siege.removal) else "",
        loser=wording.shown(table.names[province.holder]) if loses and province.holder is not None else "",
        gifts=tuple((card, most[card], gift[card] if gift else 0) for card in SYMBOLS if most[card])
        if loses
        else (),
    )


def mark(seat: int, name: str) -> dict[str, str]:
    """How a seat is told apart: its colour and shape in words, its initial."""
    return {"words": wording.look(seat), "initial": palette.initial(name, seat)}


def gifts(known: View, guards: tuple[Space, ...]) -> Iterator[TakeOver]:
    """The ways to take over a province with these guards: which cards its loser gets (5.10)."""
    table = known.table
    province = acting.besieged(table, table.seat, guards)
    paid = acting.removal(table, province) + acting.symbols_on(table, province.places)
    paid -= acting.symbols_on(table, guards)
    return (TakeOver(guards, given) for given in paid.handfuls(acting.handed_over(table, paid)))
