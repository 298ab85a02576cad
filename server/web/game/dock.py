"""The dock of a turn: cards and buttons with their prices, and the board beside them.

A script replaces the board and the dock after each step. Without scripts each step loads a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from flask import render_template, url_for

from emails.i18n import gettext, ngettext
from emails.picture.basemap import basemap_of
from emails.picture.labels import find_clear_spot
from emails.picture.overlay import EMPTY_OVERLAY, Overlay
from emails.wording import costs, options, phrases, standings
from emails.wording.costs import begin_turn_of_reader
from emails.wording.narration import build_overlay
from emails.wording.options import guard_placements, heading_for_card
from engine.actions import Choose, Draw, End, Levy, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Space
from engine.cards import EMPTY, Bag, Symbol
from engine.notation.orders import write
from engine.position import DISPLAY_SIZE, Phase, Table, View
from engine.provinces import (
    Province,
    Siege,
    find_siege,
    find_sieges,
    levy_cards,
    levy_gains,
    loser_share,
    province_at,
    provinces,
    symbols_on,
)
from engine.rules import card_choices
from server.store.event_log import require_started
from server.web.game import preview
from server.web.game.board_scene import CornerLink, draw_chart, draw_closeup
from server.web.game.preview import Conquest
from server.web.game.turn_state import CornerPick, DockSelection, MarchWay, TurnState
from server.web.game.viewers import TicketContext, link_of, path_of, token_of
from server.web.kit.locale import localize_orders
from server.web.kit.request_context import csrf_token

MOST_PLACEMENTS = 6
MOST_GIFTS = 8


class VerbKind(StrEnum):
    DRAW = "draw"
    OCCUPY = "occupy"
    LEVY = "levy"
    RECALL = "recall"
    END = "end"


@dataclass(frozen=True, slots=True)
class VerbAction:
    words: str
    title: str
    detail: str = ""
    gifts: tuple[TakeoverGift, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeoverGift:
    """An order for a takeover, and the cards that the former holder of the province gets by it."""

    words: str
    cards: str


@dataclass(frozen=True, slots=True)
class DockVerb:
    kind: VerbKind
    name: str
    place: str = ""
    price: str = ""
    gain: str = ""
    words: str = ""
    """The order that the button gives; empty if it gives none, or if one of `others` must be chosen."""
    plays: bool = False
    """Whether the step reveals a card or ends the turn. If so, the button submits all drafted orders."""
    why: str = ""
    others: tuple[VerbAction, ...] = ()


def list_verbs(view: View, following: str) -> tuple[DockVerb, ...]:
    """Return the buttons of the action phase in fixed order. `following` is the name of the next player."""
    found = (_draw(view), _occupy(view), _levy(view), _recall(view), end_turn(view, following))
    if view.table.actions_left > 1:
        return found
    return tuple(replace(verb, plays=True) for verb in found)


def list_placements(view: View, siege: Siege) -> list[VerbAction]:
    return [_describe(view, siege, guards) for guards in _ranked_placements(view, siege)]


def _ranked_placements(view: View, siege: Siege) -> list[tuple[Space, ...]]:
    found = islice(guard_placements(view, siege), MOST_PLACEMENTS)
    return sorted(found, key=lambda guards: -_rate(view, siege, guards))


def _rate(view: View, siege: Siege, guards: tuple[Space, ...]) -> float:
    price = siege.price(view.table, guards)
    kinds = len((view.hand - price).kinds())
    gained = _scoring_value(siege, guards) + 2 * (siege.province.holder is not None)
    return gained - len(price) + 0.3 * kinds - 3 * (len(guards) - 1)


def _scoring_value(siege: Siege, guards: tuple[Space, ...]) -> int:
    return siege.province.value if len(guards) == 1 else 0


def _describe(view: View, siege: Siege, guards: tuple[Space, ...]) -> VerbAction:
    table, paid = view.table, siege.price(view.table, guards)
    title, loser = options.placement_title(table, guards), siege.province.holder
    if loser is None:
        detail = options.conquest_detail(view, siege, guards, paid, EMPTY)
        return VerbAction(write(Occupy(guards), table.board), title, detail)
    given, *others = _rank_gifts(view, loser, paid)
    detail = options.conquest_detail(view, siege, guards, paid, given)
    gifts = tuple(
        TakeoverGift(write(TakeOver(guards, other), table.board), phrases.format_cards(other))
        for other in others
    )
    return VerbAction(write(TakeOver(guards, given), table.board), title, detail, gifts)


def _rank_gifts(view: View, loser: int, paid: Bag) -> list[Bag]:
    table = view.table
    standing = symbols_on(table, table.guards[loser])

    def rate(given: Bag) -> tuple[int, int]:
        return sum(given[card] for card in standing.kinds()), len(given.kinds())

    return sorted(paid.handfuls(loser_share(table, paid)), key=rate)[:MOST_GIFTS]


def _draw(view: View) -> DockVerb:
    name = gettext("Draw")
    if not view.supply_size:
        return DockVerb(VerbKind.DRAW, name, why=gettext("No card is left in the supply."))
    words = write(Draw(), view.table.board)
    return DockVerb(VerbKind.DRAW, name, gain=gettext("+1 card"), words=words, plays=True)


def _occupy(view: View) -> DockVerb:
    table, name = view.table, gettext("Occupy")
    found = [
        (siege, _ranked_placements(view, siege)[0]) for siege in find_sieges(table, view.my_seat, view.hand)
    ]
    if not found:
        why = (
            gettext("Your cards and guards pay for no province.")
            if table.guards_in_supply(view.my_seat)
            else gettext("You have no guard left; you can take one back.")
        )
        return DockVerb(VerbKind.OCCUPY, name, why=why)
    found.sort(key=lambda one: -_rate(view, *one))
    steps = tuple(_describe(view, *one) for one in found)
    siege, guards = found[0]
    value = _scoring_value(siege, guards)
    if siege.province.holder is not None:
        name = gettext("Take over")
    cards = len(siege.price(table, guards))
    return DockVerb(
        VerbKind.OCCUPY,
        name,
        phrases.format_places(table, guards),
        ngettext("%(number)s card", "%(number)s cards", cards) if cards else gettext("no card"),
        gettext("+%(value)s a levy", value=value) if value else gettext("scores 0"),
        steps[0].words,
        others=steps[1:],
    )


def _levy(view: View) -> DockVerb:
    table, name = view.table, gettext("Levy")
    if table.levied:
        return DockVerb(VerbKind.LEVY, name, why=gettext("Taxes were levied in this turn already."))
    if not table.guards[view.my_seat]:
        return DockVerb(VerbKind.LEVY, name, why=gettext("You have no guard on the board."))
    cards = levy_cards(table, view.my_seat, view.hand)
    if not cards:
        return DockVerb(
            VerbKind.LEVY, name, why=gettext("No card of yours has the symbol of a guard of yours.")
        )
    first, *others = sorted(cards, key=lambda card: -view.hand[card])
    gains = levy_gains(table)
    return DockVerb(
        VerbKind.LEVY,
        name,
        price=phrases.a_card(first),
        gain=gettext("you +%(value)s", value=gains[view.my_seat]),
        words=write(Levy(first), table.board),
        others=tuple(_describe_step(view, Levy(card)) for card in others),
    )


def _recall(view: View) -> DockVerb:
    table, name = view.table, gettext("Recall")
    standing = table.guards[view.my_seat]
    if not standing:
        return DockVerb(VerbKind.RECALL, name, why=gettext("You have no guard on the board."))
    steps = tuple(_describe_step(view, Recall(place)) for place in standing)
    if len(steps) > 1:
        return DockVerb(VerbKind.RECALL, name, gain=gettext("+1 guard"), others=steps)
    (place,) = standing
    price = gettext("-%(value)s a levy", value=province_at(table, place).scores)
    return DockVerb(VerbKind.RECALL, name, price=price, gain=gettext("+1 guard"), words=steps[0].words)


def _describe_step(view: View, action: Levy | Recall) -> VerbAction:
    table = view.table
    title = options.action_title(table, action)
    return VerbAction(write(action, table.board), title, options.action_detail(view, action))


def end_turn(view: View, following: str) -> DockVerb:
    table = view.table
    left = table.actions_left
    if table.last_turn or table.has_winning_score:
        gain = gettext("the game is over")
    else:
        gain = gettext("%(name)s is next", name=phrases.safe_name(following))
    price = gettext("%(number)s unused", number=left) if left else ""
    words = write(End(), table.board)
    return DockVerb(VerbKind.END, gettext("End"), price=price, gain=gain, words=words, plays=True)


def list_takes(view: View) -> dict[str, str]:
    return {card: write(Take(card), view.table.board) for card in view.table.display.kinds()}


def list_levies(view: View) -> dict[str, str]:
    cards = levy_cards(view.table, view.my_seat, view.hand)
    return {card: write(Levy(card), view.table.board) for card in cards}


@dataclass(frozen=True, slots=True)
class DockCard:
    symbol: Symbol
    number: int
    title: str
    pick: str = ""
    """Order that selects the card for the march; empty if the turn cannot begin with it."""
    words: str = ""
    pressed: bool = False


@dataclass(frozen=True, slots=True)
class LandPanel:
    name: str
    heading: str
    contents: str
    sentences: tuple[str, ...]
    ways: tuple[str, ...]
    step: VerbAction | None
    others: tuple[VerbAction, ...]
    conquest: Conquest | None


@dataclass(frozen=True, slots=True)
class Dock:
    asks: str
    told: str
    display: tuple[DockCard, ...]
    hand: tuple[DockCard, ...]
    hidden: int
    """Number of cards that will be added to the display when the draft is played."""
    corners: tuple[CornerPick, ...] = ()
    ways: tuple[MarchWay, ...] = ()
    way: int | None = None
    """Index in `ways` of the march that is in the draft; None if none of them is."""
    base: str = ""
    verbs: tuple[DockVerb, ...] = ()
    steps: tuple[str, ...] = ()
    land: LandPanel | None = None
    stay: VerbAction | None = None
    is_last: bool = False
    """Whether every step that is left ends the turn, and so submits the drafted orders."""

    @property
    def picks(self) -> bool:
        return any(card.pick for card in (*self.display, *self.hand))

    @property
    def drafts(self) -> bool:
        return bool(self.verbs or self.steps or self.stay)

    @property
    def others(self) -> tuple[DockVerb, ...]:
        return tuple(verb for verb in self.verbs if verb.others)


def build_dock(state: TurnState) -> Dock:
    table = state.known.table
    made = _build_march(state) if table.phase is not Phase.ACTIONS else _build_actions(state)
    made = replace(made, steps=tuple(_list_steps(state)))
    if state.province is None:
        return made
    land = _build_land(state)
    return replace(made, land=land, asks=land.heading, told=land.contents)


def _list_steps(state: TurnState) -> Iterator[str]:
    """Return short texts of the drafted steps. A card and its march are one step."""
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
    stay = next((one for one in card_choices(state.known) if isinstance(one, Stay)), None)
    display = tuple(_march_cards(state, state.known.table.display, Choose))
    hand = tuple(_march_cards(state, state.known.hand, Play))
    if state.known.table.phase is Phase.CARD and stay is not None:
        words = write(stay, state.known.table.board)
        told = gettext(options.STAY_HEADING)
        step = VerbAction(words, options.stay_title(stay.card))
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
    if not state.turns_up:
        return 0
    return DISPLAY_SIZE - len(state.known.table.display) if state.known.supply_size else 0


# --- the actions ----------------------------------------------------------------------------------------


def _build_actions(state: TurnState) -> Dock:
    known, table = state.known, state.known.table
    following = require_started(state.case.history).following_name
    board = replace(
        Dock("", "", (), (), _count_revealed(state)),
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


def _count_revealed(state: TurnState) -> int:
    first = state.drafted[0].split(" ")[0] if state.drafted else ""
    return int(state.turns_up and first == "choose")


def _add_ways(state: TurnState, made: Dock) -> Dock:
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
            title = options.action_title(table, Take(symbol))
        elif does:
            title = options.levy_title(symbol)
        else:
            title = phrases.symbol_name(symbol)
        yield DockCard(symbol, bag[symbol], title, words=does)


# --- a province -----------------------------------------------------------------------------------------


def _build_land(state: TurnState) -> LandPanel:
    known, province = state.known, state.province
    assert province is not None
    told = next(
        one for one in standings.province_standings(known, None) if one.province.first == province.first
    )
    price = costs.cost_of_province(known, province)
    step, others, conquest = None, list[VerbAction](), None
    if known.my_turn and known.table.phase is Phase.ACTIONS and not state.is_complete:
        siege = find_siege(known.table, known.my_seat, known.hand, province)
        if siege is not None:
            step, *others = list_placements(known, siege)
            conquest = preview.build_conquest(known, siege)
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


MOST_SHOWN = 12  # symbol spaces; a larger province, such as the board at first, gets no price tag


@dataclass(frozen=True, slots=True)
class PriceTag:
    province: Province
    guards: tuple[Space, ...]
    price: Bag | None

    @property
    def scores(self) -> bool:
        """Whether the seat with the guards would score points for the province in a levy."""
        return len(self.guards) == 1 and self.province.value > 0


def list_price_tags(view: View) -> tuple[PriceTag, ...]:
    """Return the costs, in cards, of the provinces that the viewer does not hold, except very large ones."""
    if view.me is None or view.table.over:
        return ()
    known = begin_turn_of_reader(view)
    return tuple(
        _price_of(known, province)
        for province in provinces(view.table)
        if province.holder != view.me and 0 < len(province.places) <= MOST_SHOWN
    )


def _price_of(known: View, province: Province) -> PriceTag:
    siege = find_siege(known.table, known.my_seat, known.hand, province)
    if siege is None:
        return PriceTag(province, (), None)
    guards = next(guard_placements(known, siege))
    return PriceTag(province, guards, siege.price(known.table, guards))


def draw_price_tags(view: View, tags: tuple[PriceTag, ...]) -> Iterator[str]:
    chart = basemap_of(view.table.board)
    yield '<g class="tags" aria-hidden="true">'
    for tag in tags:
        if tag.price is not None and tag.scores:
            x, y, _ = find_clear_spot(chart, view.table, tag.province, tag.province.spaces)
            yield (
                f'<g class="tag" transform="translate({x:g} {y + 24:g})">'
                '<rect x="-24" y="-12" width="48" height="24" rx="6"/><path d="M-18-6l8-2 3 14-8 2z"/>'
                f'<path d="M-12-8l8 2-3 14-8-2z"/><text x="10" y="7">{len(tag.price)}</text></g>'
            )
    yield "</g>"


MOST_DRAWN = 6


def play_values(state: TurnState, said: str = "") -> dict[str, object]:
    """Return the values for play.html. `said` is a sentence to show first."""
    case, dock = state.case, build_dock(state)
    marks = _point_out(state, dock)
    spots = {pick.corner: _corner_link(state, pick) for pick in dock.corners}
    look = replace(state.asked, card=state.asked.card and state.card, corner="", province="").link(case)
    chart = draw_chart(
        state.known,
        marks,
        spots,
        lands=f"{look}&province=",
        tags=draw_price_tags(state.known, list_price_tags(state.known)),
        about=state.last_places,
    )
    return {
        "state": state,
        "dock": dock,
        "board": chart,
        "closeup": draw_closeup(state.known, marks, spots) if spots else "",
        "said": said,
        "token": token_of(case.turn_ticket),
        "turn_link": link_of(case.turn_ticket),
        "self_link": path_of(case.turn_ticket),
        "look": look,
        "turns_link": _turns_link(state),
        **form_values(case),
    }


def form_values(case: TicketContext) -> dict[str, object]:
    act = case.link_to("draft_pages.change_draft")
    return {"act": act, "nonce": csrf_token()}


def _turns_link(state: TurnState) -> str:
    if state.drafted or not state.is_advised:
        return ""
    return url_for("draft_pages.show_turn_choices", token=token_of(state.case.turn_ticket))


def render_play_section(state: TurnState, said: str = "") -> str:
    return render_template("play.html", **play_values(state, said))


def _point_out(state: TurnState, dock: Dock) -> Overlay:
    table, seat = state.case.position.table, state.case.ticket.seat
    if state.draft is not None and state.decision is None:
        marked = build_overlay(state.draft.seen.events, table, state.known, state.path)
        # the arrow only distinguishes red walls from black walls
        return replace(
            marked, changed=frozenset(), marches=marked.marches if state.known.table.last_turn else ()
        )
    if state.decision is not None:
        labels = {pick.corner: pick.label for pick in dock.corners}
        tried = tuple((seat, way.path) for way in dock.ways[:MOST_DRAWN])
        labels |= {state.corner: ""} if state.corner else {}
        return Overlay(labels=labels, targets=frozenset(state.decision.targets), marches=tried)
    since, before = state.case.events_since
    if not since:
        return EMPTY_OVERLAY
    marked = build_overlay(since, before, state.known)
    return replace(marked, labels={}, targets=frozenset(), marches=marked.marches[-1:])


def _corner_link(state: TurnState, pick: CornerPick) -> CornerLink:
    link = DockSelection(state.card, str(pick.corner)).link(state.case)
    name = gettext("Corner %(label)s (%(point)s)", label=pick.label, point=pick.corner)
    return CornerLink(link, f"{name}: {pick.way.detail}")
