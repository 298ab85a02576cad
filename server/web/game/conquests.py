"""The provinces a player can get now, for the form in which guards are placed and cards handed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emails.picture import palette
from emails.wording import costs, option_text, phrases
from emails.wording.costs import ConquestVerb
from emails.wording.options import guard_placements
from engine import action_rules
from engine.actions import TakeOver
from engine.cards import SYMBOL_INDEX, Symbol
from engine.lattice import Space
from engine.notation.canonical_text import Verb
from engine.position import View


@dataclass(frozen=True, slots=True)
class GuardSite:
    """A symbol space of a province that can be had."""

    name: str
    symbol: Symbol
    space: str
    """As the lattice calls it, for the script that lets it be tapped on the board."""
    ticked: bool
    """Whether a guard stands there in the first way that can be paid."""


@dataclass(frozen=True, slots=True)
class Conquest:
    """A province that can be had, for the form in which its guards are placed."""

    name: str
    """The first space of the province, by which the page calls it."""
    heading: str
    verb: ConquestVerb
    sites: tuple[GuardSite, ...]
    most: int
    """Guards that can be placed."""
    removal: str
    """The cards that remove the guards there; empty where none stand."""
    loser: str
    """Who gets half of the cards; empty where nobody does."""
    gifts: tuple[tuple[int, Symbol, int, int], ...]
    """Cards that can be handed to the loser: the number of the symbol in canonical order, the symbol, at most
    how many, how many in the first way."""


def build_conquest(view: View, siege: action_rules.Siege) -> Conquest:
    """A province that can be had, with the places for its guards."""
    table, province = view.table, siege.province
    first = next(guard_placements(view, siege))
    verb: ConquestVerb = Verb.OCCUPY if province.holder is None else Verb.TAKEOVER
    most = siege.removal + action_rules.symbols_on(table, province.places)
    given = costs.check_placement(view, verb, first, None).given
    loses = province.holder is not None and len(table.names) > 2
    sites = []
    for place in province.places:
        symbol = table.board.symbol_at(place)
        sites.append(GuardSite(table.board.names[place], symbol, str(place), place in first))
    return Conquest(
        name=str(province.first),
        heading=option_text.siege_heading(table, siege),
        verb=verb,
        sites=tuple(sites),
        most=siege.most,
        removal=phrases.format_cards(siege.removal) if len(siege.removal) else "",
        loser=phrases.safe_name(table.names[province.holder])
        if loses and province.holder is not None
        else "",
        gifts=tuple((SYMBOL_INDEX[card], card, most[card], given[card]) for card in most.kinds())
        if loses
        else (),
    )


def seat_mark(seat: int, name: str) -> dict[str, str]:
    """How a seat is told apart: its colour and shape in words, its initial."""
    return {"words": phrases.seat_look(seat), "initial": palette.initial_of(name, seat)}


def list_takeovers(known: View, guards: tuple[Space, ...]) -> Iterator[TakeOver]:
    """The ways to take over a province with these guards: which cards its loser gets (5.10)."""
    table = known.table
    province = action_rules.province_to_conquer(table, table.seat, guards)
    paid = action_rules.removal_cost(table, province) + action_rules.symbols_on(table, province.places)
    paid -= action_rules.symbols_on(table, guards)
    return (TakeOver(guards, given) for given in paid.handfuls(action_rules.loser_share(table, paid)))
