"""The provinces a player can get now, for the form in which guards are placed and cards handed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emails.picture import palette
from emails.wording import costs, option_text, phrases
from emails.wording.costs import Verb
from emails.wording.options import placements
from engine import acting
from engine.actions import TakeOver
from engine.cards import ORDER, Symbol
from engine.lattice import Space
from engine.position import Phase, View


@dataclass(frozen=True, slots=True)
class Ground:
    """A symbol space of a province that can be had."""

    name: str
    symbol: Symbol
    space: str
    """As the lattice calls it, for the script that lets it be tapped on the board."""
    ticked: bool
    """Whether a guard stands there in the first way that can be paid."""


@dataclass(frozen=True, slots=True)
class Camp:
    """A province that can be had, for the form in which its guards are placed."""

    name: str
    """The first space of the province, by which the page calls it."""
    heading: str
    verb: Verb
    grounds: tuple[Ground, ...]
    most: int
    """Guards that can be placed."""
    removal: str
    """The cards that remove the guards there; empty where none stand."""
    loser: str
    """Who gets half of the cards; empty where nobody does."""
    gifts: tuple[tuple[int, Symbol, int, int], ...]
    """Cards that can be handed to the loser: the number of the symbol in canonical order, the symbol, at most
    how many, how many in the first way."""


def camps(view: View) -> list[Camp]:
    """Every province the reader can get now, the most valuable first."""
    table = view.table
    if not view.my_turn or table.phase is not Phase.ACTIONS:
        return []
    found = sorted(acting.sieges(table, table.seat, view.hand), key=lambda siege: -siege.province.value)
    return [_camp(view, siege) for siege in found]


def _camp(view: View, siege: acting.Siege) -> Camp:
    table, province = view.table, siege.province
    first = next(placements(view, siege))
    verb: Verb = "occupy" if province.holder is None else "takeover"
    most = siege.removal + acting.symbols_on(table, province.places)
    given = costs.sum_of(view, verb, first, None).given
    loses = province.holder is not None and len(table.names) > 2
    grounds = []
    for place in province.places:
        symbol = table.board.symbols[place]
        assert symbol
        grounds.append(Ground(table.board.names[place], symbol, str(place), place in first))
    return Camp(
        name=str(province.first),
        heading=option_text.siege_heading(table, siege),
        verb=verb,
        grounds=tuple(grounds),
        most=siege.most,
        removal=phrases.cards(siege.removal) if len(siege.removal) else "",
        loser=phrases.shown(table.names[province.holder]) if loses and province.holder is not None else "",
        gifts=tuple((ORDER[card], card, most[card], given[card]) for card in most.kinds()) if loses else (),
    )


def mark(seat: int, name: str) -> dict[str, str]:
    """How a seat is told apart: its colour and shape in words, its initial."""
    return {"words": phrases.look(seat), "initial": palette.initial(name, seat)}


def gifts(known: View, guards: tuple[Space, ...]) -> Iterator[TakeOver]:
    """The ways to take over a province with these guards: which cards its loser gets (5.10)."""
    table = known.table
    province = acting.besieged(table, table.seat, guards)
    paid = acting.removal(table, province) + acting.symbols_on(table, province.places)
    paid -= acting.symbols_on(table, guards)
    return (TakeOver(guards, given) for given in paid.handfuls(acting.handed_over(table, paid)))
