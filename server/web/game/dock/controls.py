"""The dock: what a turn can be played with. Hand and display are controls, the verbs of the moment buttons.

It says in one line what is asked. A script exchanges it with the board after each step; without one each step
is a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from emails.i18n import gettext, ngettext
from emails.wording import costs, option_text, phrases, standings
from emails.wording.options import heading_for_card
from engine import action_rules
from engine.actions import Choose, Play, Stay, Take
from engine.cards import Bag, Symbol
from engine.notation.canonical_text import write
from engine.position import DISPLAY_SIZE, Phase, Table
from engine.rules import card_choices
from server.store.histories import require_started
from server.web.game import conquests
from server.web.game.conquests import Conquest
from server.web.game.dock.march_ways import CornerPick, MarchWay
from server.web.game.dock.turn_state import TurnState
from server.web.game.dock.verbs import (
    DockVerb,
    VerbAction,
    end_turn,
    list_levies,
    list_placements,
    list_takes,
    list_verbs,
)
from server.web.kit.locale import localize_orders


@dataclass(frozen=True, slots=True)
class DockCard:
    """A card of the display or the hand."""

    symbol: Symbol
    number: int
    title: str
    """What it does, or why it does nothing."""
    pick: str = ""
    """The words by which it is looked at, where a turn can begin with it."""
    words: str = ""
    """The step that it does."""
    pressed: bool = False


@dataclass(frozen=True, slots=True)
class LandPanel:
    """What the dock says of one province."""

    name: str
    heading: str
    contents: str
    sentences: tuple[str, ...]
    ways: tuple[str, ...]
    step: VerbAction | None
    """The best way to get it now."""
    others: tuple[VerbAction, ...]
    """The next ways."""
    conquest: Conquest | None
    """The form in which its guards are placed."""


@dataclass(frozen=True, slots=True)
class Dock:
    """The values that dock.html needs."""

    asks: str
    told: str
    display: tuple[DockCard, ...]
    hand: tuple[DockCard, ...]
    hidden: int
    """Cards of the display that are turned up only when the draft is played."""
    corners: tuple[CornerPick, ...] = ()
    ways: tuple[MarchWay, ...] = ()
    way: int | None = None
    """Which of the ways is drafted, from 0; None: none of them."""
    base: str = ""
    """What is drafted before the march whose corners and ways stand here."""
    verbs: tuple[DockVerb, ...] = ()
    steps: tuple[str, ...] = ()
    """What is drafted, in short."""
    land: LandPanel | None = None
    stay: VerbAction | None = None
    """To stay, where no march is possible."""
    is_last: bool = False
    """Whether every step plays the turn so far, since the turn ends with it."""

    @property
    def picks(self) -> bool:
        """Whether cards are there to be looked at."""
        return any(card.pick for card in (*self.display, *self.hand))

    @property
    def drafts(self) -> bool:
        """Whether there is something to be done, or to be undone, beside the march."""
        return bool(self.verbs or self.steps or self.stay)

    @property
    def others(self) -> tuple[DockVerb, ...]:
        """The verbs of which more can be done than their buttons do."""
        return tuple(verb for verb in self.verbs if verb.others)


def build_dock(state: TurnState) -> Dock:
    """The dock of a turn."""
    table = state.known.table
    made = _build_march(state) if table.phase is not Phase.ACTIONS else _build_actions(state)
    made = replace(made, steps=tuple(_list_steps(state)))
    if state.province is None:
        return made
    land = _build_land(state)
    return replace(made, land=land, asks=land.heading, told=land.contents)


def _list_steps(state: TurnState) -> Iterator[str]:
    """What is drafted, in short: a card with its march is one step."""
    card = ""
    for words in state.drafted:
        verb, _, rest = words.partition(" ")
        if verb in ("choose", "play"):
            card = phrases.symbol_name(Symbol(rest))
            if len(state.drafted) == 1:
                yield localize_orders(words)
        elif verb == "march":
            yield f"{card} → {rest.rpartition(' ')[0]}" if card else localize_orders(words)
        else:
            yield localize_orders(words)


# --- the march ------------------------------------------------------------------------------------------


def _build_march(state: TurnState) -> Dock:
    """The dock while a card, a corner or a way is to be chosen."""
    stay = next((one for one in card_choices(state.known) if isinstance(one, Stay)), None)
    display = tuple(_march_cards(state, state.known.table.display, Choose))
    hand = tuple(_march_cards(state, state.known.hand, Play))
    if state.known.table.phase is Phase.CARD and stay is not None:
        words = write(stay, state.known.table.board)
        told = gettext(option_text.STAY_HEADING)
        step = VerbAction(words, option_text.stay_title(stay.card))
        return Dock(gettext("Nowhere to march."), told, display, hand, 0, stay=step)
    if state.decision is None:
        asks = gettext("Choose a card and a corner.")
        return Dock(asks, "", display, hand, _hidden_cards(state))
    told = ""
    if (card := state.decision.card) is not None:
        told = heading_for_card(state.known.table, card) + "."
    ways = state.decision.find_ways(state.corner) if state.corner else ()
    if ways:
        asks = gettext("Choose a way for Alexander.")
    elif state.is_card_chosen:
        asks = gettext("Choose a corner for Alexander.")
    else:
        asks = gettext("Choose a card and a corner.")
    corners = () if ways else state.decision.corners
    return Dock(asks, told, display, hand, _hidden_cards(state), corners=corners, ways=ways, base=state.words)


def _march_cards(state: TurnState, bag: Bag, kind: type[Choose] | type[Play]) -> Iterator[DockCard]:
    table = state.known.table
    for symbol in bag.kinds():
        words = write(kind(symbol), table.board)
        card = state.cards.get(words)
        title = (
            gettext("%(card)s: no march is possible", card=phrases.symbol_name(symbol))
            if card is None
            else heading_for_card(table, card)
        )
        yield DockCard(symbol, bag[symbol], title, words if card else "", pressed=words == state.card)


def _hidden_cards(state: TurnState) -> int:
    """Places of the display where a card comes that nobody has seen."""
    if not state.turns_up:
        return 0
    return DISPLAY_SIZE - len(state.known.table.display) if state.known.supply_size else 0


# --- the actions ----------------------------------------------------------------------------------------


def _build_actions(state: TurnState) -> Dock:
    """The dock after the march."""
    known, table = state.known, state.known.table
    following = require_started(state.case.history).following_name
    board = replace(
        Dock("", "", (), (), _turned_up(state)),
        display=tuple(
            _action_cards(table, known.table.display, {} if state.is_complete else list_takes(known))
        ),
        hand=tuple(_action_cards(table, known.hand, {} if state.is_complete else list_levies(known))),
    )
    if state.is_complete:
        asks = gettext("Your turn is complete.")
        return _add_ways(state, replace(board, asks=asks, verbs=(end_turn(known, following),)))
    if state.is_last_action:
        asks = gettext("Your last action: it ends the turn.")
    else:
        asks = ngettext(
            "You have %(number)s action: choose.",
            "You have %(number)s actions: choose one.",
            table.actions_left,
        )
    made = replace(board, asks=asks, verbs=list_verbs(known, following), is_last=state.is_last_action)
    return _add_ways(state, made)


def _turned_up(state: TurnState) -> int:
    """Whether a card is turned up once the draft is played: the one after a card of the display."""
    first = state.drafted[0].split(" ")[0] if state.drafted else ""
    return int(state.turns_up and first == "choose")


def _add_ways(state: TurnState, made: Dock) -> Dock:
    """The same with the other ways of the march that was drafted last."""
    if not state.has_just_marched or not state.path:
        return made
    before = state.without_march()
    if before.decision is None:
        return made
    ways = before.decision.list_ways(state.path)
    at = next((number for number, way in enumerate(ways) if way.path == state.path), None)
    told = "" if at is None else phrases.capitalize_first(ways[at].detail) + "."
    return replace(made, told=told, ways=ways, way=at, base=before.words)


def _action_cards(table: Table, bag: Bag, words: dict[str, str]) -> Iterator[DockCard]:
    for symbol in bag.kinds():
        does = words.get(symbol, "")
        if does.startswith("take"):
            title = option_text.action_title(table, Take(symbol))
        elif does:
            title = option_text.levy_title(symbol)
        else:
            title = phrases.symbol_name(symbol)
        yield DockCard(symbol, bag[symbol], title, words=does)


# --- a province -----------------------------------------------------------------------------------------


def _build_land(state: TurnState) -> LandPanel:
    """What the province that is looked at is worth and costs, and how to get it."""
    known, province = state.known, state.province
    assert province is not None
    told = next(
        one for one in standings.province_standings(known, None) if one.province.first == province.first
    )
    price = costs.cost_of_province(known, province)
    step, others, conquest = None, list[VerbAction](), None
    if known.my_turn and known.table.phase is Phase.ACTIONS and not state.is_complete:
        siege = action_rules.find_siege(known.table, known.my_seat, known.hand, province)
        if siege is not None:
            step, *others = list_placements(known, siege)
            conquest = conquests.build_conquest(known, siege)
    if province.holder is None:
        heading = gettext("Free, worth %(value)s", value=province.value)
    elif province.holder == known.me:
        heading = gettext("Yours, worth %(value)s", value=province.value)
    else:
        heading = gettext("%(name)s's, worth %(value)s", name=told.name, value=province.value)
    if len(province.guards) > 1:
        scoreless = gettext("%(count)s guards: scores 0", count=len(province.guards))
        heading = f"{heading}; {scoreless}"
    return LandPanel(
        str(province.first),
        heading,
        told.contents,
        price.sentences,
        price.ways,
        step,
        tuple(others),
        conquest,
    )
