"""A turn as its player sees it: the board on a page, and the dock with cards and buttons and their prices.

Corners of the board are links, and provinces are links that name the holder. For narrow screens without
scripts there is also a close-up. It reuses the drawing on the page, so it adds hardly any bytes. Scripts zoom
into the board itself, and replace board and dock after each step. Without scripts each step loads a page.

A selected card, corner or province is stored in the page address only. If many ways lead to a corner, the
page offers only the selected way and its detours. A detour follows the selected way up to some point, leaves
it there, and goes on in the best way. By selecting detours repeatedly, the player can reach every way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from html import escape
from urllib.parse import urlencode

from flask import render_template, request

from emails.i18n import gettext, gettext_noop, ngettext
from emails.picture.board_picture import draw_board
from emails.picture.labels import place_value
from emails.picture.layers import (
    COLUMN_WIDTH,
    EMPTY_OVERLAY,
    ROW_HEIGHT,
    Basemap,
    Overlay,
    basemap_of,
    join_sides,
    turning_points,
)
from emails.wording import costs, options, phrases, standings
from emails.wording.costs import ProvinceCost, begin_turn_of_reader
from emails.wording.narration import build_overlay
from emails.wording.options import CornerPick, MarchOptions, Option, guard_placements, heading_for_card
from engine.actions import Choose, Draw, End, Levy, Play, Recall, Stay, Take
from engine.board import Board, Point, Side, Space, corners
from engine.cards import Bag, Symbol
from engine.events import AlexanderMarched, GuardRecalled, ProvinceOccupied, ProvinceTakenOver
from engine.march_rules import Path
from engine.notation.orders import write
from engine.position import DISPLAY_SIZE, Phase, Position, View, view
from engine.provinces import Province, find_siege, find_sieges, levy_cards, provinces
from engine.rules import card_choices, due
from server.store.event_log import require_started
from server.store.game_terms import terms_of
from server.turns.dry_run import SEPARATOR, DraftedTurn, LinesRefused, compile_draft, load_draft, mark_draft
from server.web.game import preview
from server.web.game.preview import Conquest
from server.web.game.viewers import TicketContext, path_of, token_of
from server.web.kit.request_context import read


@dataclass(frozen=True, slots=True)
class DockSelection:
    """What is selected in the dock: the order that plays a card, and the names of a corner and a province."""

    card: str = ""
    corner: str = ""
    province: str = ""

    def link(self, case: TicketContext) -> str:
        named = {"card": self.card, "corner": self.corner, "province": self.province}
        asked = urlencode({name: value for name, value in named.items() if value})
        return f"{case.page or case.page_link()}{'&' if asked else ''}{asked}"


def read_look() -> DockSelection:
    given = request.values.get
    return DockSelection(given("card", "")[:40], given("corner", "")[:8], given("province", "")[:8])


@dataclass(frozen=True)
class TurnState:
    """A turn in progress, as its player sees it."""

    case: TicketContext
    draft: DraftedTurn | None
    asked: DockSelection = DockSelection()
    next: tuple[str, ...] = ()

    @property
    def drafted(self) -> tuple[str, ...]:
        return self.draft.kept if self.draft else ()

    @property
    def words(self) -> str:
        return SEPARATOR.join(self.drafted)

    @property
    def mark(self) -> str:
        return mark_draft(self.words)

    @property
    def position(self) -> Position:
        return self.draft.seen.position if self.draft else self.case.position

    @cached_property
    def known(self) -> View:
        return view(self.position, self.case.ticket.seat) if self.draft else self.case.view

    @property
    def turns_up(self) -> bool:
        """Whether performing the draft reveals a hidden card."""
        return self.draft is not None and self.draft.seen.hidden

    @property
    def is_complete(self) -> bool:
        """Whether only the end of the turn is left."""
        return self.known.table.phase is Phase.ACTIONS and due(self.position) is not None

    @property
    def is_last_action(self) -> bool:
        table = self.known.table
        return table.phase is Phase.ACTIONS and table.actions_left == 1 and not self.is_complete

    @cached_property
    def cards(self) -> dict[str, Choose | Play]:
        """The cards with which the turn can begin, by their orders."""
        if self.known.table.phase is not Phase.CARD:
            return {}
        board = self.known.table.board
        return {
            write(card, board): card for card in card_choices(self.known) if isinstance(card, Choose | Play)
        }

    @cached_property
    def card(self) -> str:
        """Order of the selected card; by default a card that reaches the selected corner, else the best."""
        if self.asked.card in self.cards:
            return self.asked.card
        corner = self.known.table.board.point_names.get(self.asked.corner)
        found = next((words for words, one in self.decisions.items() if corner in one.goals), "")
        if self.draft is not None or (corner and found):
            return found if corner else ""
        rated = {
            words: self.decisions[words] for words, card in self.cards.items() if isinstance(card, Choose)
        }
        return max(rated, key=lambda words: rated[words].merit, default=next(iter(self.cards), ""))

    @cached_property
    def decisions(self) -> dict[str, MarchOptions]:
        return {words: MarchOptions(self.known, card) for words, card in self.cards.items()}

    @property
    def is_card_chosen(self) -> bool:
        return bool(self.asked.card or self.asked.corner) or self.known.table.phase is Phase.MARCH

    @cached_property
    def decision(self) -> MarchOptions | None:
        """The march to be chosen; None if no card is selected, or after the march."""
        if self.known.table.phase is Phase.MARCH:
            return MarchOptions(self.known, None)
        return self.decisions[self.card] if self.card else None

    @cached_property
    def corner(self) -> Point | None:
        found = self.known.table.board.point_names.get(self.asked.corner)
        return found if found and self.decision and found in self.decision.goals else None

    @cached_property
    def path(self) -> Path:
        marched = (event for event in self.draft.seen.events) if self.draft else iter(())
        return next((event.path for event in marched if isinstance(event, AlexanderMarched)), ())

    @cached_property
    def last_places(self) -> frozenset[Point]:
        last = next(reversed(self.draft.seen.events), None) if self.draft else None
        if isinstance(last, ProvinceOccupied | ProvinceTakenOver):
            return frozenset(point for guard in last.guards for point in corners(guard))
        return frozenset(corners(last.place)) if isinstance(last, GuardRecalled) else frozenset()

    @property
    def has_just_marched(self) -> bool:
        """Whether the march is the last drafted step, so that another way can replace it."""
        return bool(self.drafted) and self.drafted[-1].startswith("march ")

    def without_march(self) -> TurnState:
        """Return the state before the march that was drafted last, with its card selected."""
        before, look = self.drafted[:-1], self.asked
        if before and self.case.view.table.phase is Phase.CARD:
            before, look = before[:-1], replace(look, card=before[-1], corner="")
        return make_state(self.case, before, look)

    @cached_property
    def is_advised(self) -> bool:
        return read(terms_of, self.case.game.id).advice

    @cached_property
    def province(self) -> Province | None:
        name = self.asked.province
        if not name:
            return None
        return next((one for one in provinces(self.known.table) if str(one.first) == name), None)


def make_state(case: TicketContext, lines: tuple[str, ...], asked: DockSelection) -> TurnState:
    """Return the state of a turn with these drafted lines. Raises `LinesRefused`."""
    draft = compile_draft(case.position, case.ticket.seat, lines) if lines else None
    return TurnState(case, draft, asked)


def load_state(case: TicketContext, asked: DockSelection | None = None) -> TurnState:
    lines = read(load_draft, case.game, case.seat)
    try:
        return make_state(case, lines, asked or DockSelection())
    except LinesRefused:  # drafted by an older version of the program
        return make_state(case, (), asked or DockSelection())


# --- board and dock --------------------------------------------------------------------------------------

CLOSEUP_MARGIN = 1.3  # rows
LEAST_ROWS, LEAST_COLUMNS = 5, 9
TOUCH_RADIUS = 26
"""Radius of the clickable area of a corner, in units of the drawing. Corners are 58 apart."""


@dataclass(frozen=True, slots=True)
class CornerLink:
    link: str
    title: str


PROVINCE_ANCHOR = "#province-"


def draw_chart(
    view: View,
    marks: Overlay,
    spots: Mapping[Point, CornerLink] | None = None,
    *,
    lands: str | None = PROVINCE_ANCHOR,
    tags: Iterable[str] = (),
    about: Collection[Point] = (),
) -> str:
    """Draw the board as a viewer knows it, as SVG that a page may contain only once.

    `spots` are links on corners. `lands` is the prefix of links on provinces; None omits these links. `tags`
    are SVG elements that are drawn on top of the board. The close-up shows the points `about`; if empty, it
    shows Alexander and the labelled points of `marks`.
    """
    found = basemap_of(view.table.board)
    head, described, drawn = draw_board(view, marks).partition("</desc>")
    told = (
        f'role="group" data-left="{found.left}" data-top="{found.top}" data-stands="{view.table.alexander}" '
        f'data-box="{" ".join(f"{number:g}" for number in _closeup_box(view, marks, about))}"'
    )
    head = head.replace('role="img"', told, 1)  # an element with role img must not contain links
    corners = _corner_links(found, spots or {}, scripted=True)
    links = "".join((*tags, *([] if lands is None else _province_links(view, found, lands)), *corners))
    return f'{head}{described}<g id="board">{drawn.removesuffix("</svg>")}</g>{links}</svg>'


def draw_closeup(view: View, marks: Overlay, spots: Mapping[Point, CornerLink] | None = None) -> str:
    x, y, width, height = _closeup_box(view, marks)
    links = "".join(_corner_links(basemap_of(view.table.board), spots or {}, scripted=False))
    return (
        f'<svg class="closeup" viewBox="{x:g} {y:g} {width:g} {height:g}" role="group" '
        f'aria-label="{escape(gettext("The same, enlarged"))}"><use href="#board"/>{links}</svg>'
    )


def _closeup_box(
    view: View, marks: Overlay, about: Collection[Point] = ()
) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the close-up (see `draw_chart`), with a margin and within the map."""
    found = basemap_of(view.table.board)
    matter = about or {view.table.alexander, *marks.labels, *marks.preview}
    xs, ys = zip(*(found.locate(point) for point in matter), strict=True)
    width = min(
        found.width, max(max(xs) - min(xs) + 2 * CLOSEUP_MARGIN * ROW_HEIGHT, LEAST_COLUMNS * COLUMN_WIDTH)
    )
    height = min(
        found.height, max(max(ys) - min(ys) + 2 * CLOSEUP_MARGIN * ROW_HEIGHT, LEAST_ROWS * ROW_HEIGHT)
    )
    x = min(max(0, (min(xs) + max(xs) - width) / 2), found.width - width)
    y = min(max(0, (min(ys) + max(ys) - height) / 2), found.height - height)
    return x, y, width, height


def _province_links(view: View, found: Basemap, lands: str) -> Iterator[str]:
    for province in provinces(view.table):
        if province.places:
            yield (
                f'<a class="land" href="{escape(lands)}{province.first}" data-province="{province.first}" '
                f'aria-label="{escape(_province_label(view, province))}">'
                f'<path d="{_province_outline(found.board, province.spaces)}"/></a>'
            )


def _province_label(view: View, province: Province) -> str:
    if province.holder is None:
        return gettext("Free province worth %(value)s", value=province.value)
    mine, theirs = (
        gettext_noop("Your province worth %(value)s"),
        gettext_noop("%(name)s's province worth %(value)s"),
    )
    return phrases.gettext_for_seat(view, province.holder, mine, theirs, value=province.value)


@lru_cache(maxsize=4096)
def _province_outline(board: Board, spaces: tuple[Space, ...]) -> str:
    found = basemap_of(board)
    edges: set[Side] = set()
    for space in spaces:
        edges.symmetric_difference_update(board.sides_around[space])
    return "".join(found.polyline_path(turning_points(run)) + "z" for run in join_sides(frozenset(edges)))


def _corner_links(found: Basemap, spots: Mapping[Point, CornerLink], *, scripted: bool) -> Iterator[str]:
    for point, spot in sorted(spots.items()):
        x, y = found.locate(point)
        more = f' data-point="{point}"' if scripted else ""
        yield (
            f'<a class="spot" href="{escape(spot.link)}"{more} aria-label="{escape(spot.title)}">'
            f'<circle cx="{x}" cy="{y}" r="{TOUCH_RADIUS}"/></a>'
        )


def scene_values(bots: frozenset[int], known: View, marked: Overlay) -> dict[str, object]:
    """Return the values for scene.html. `bots`: seats played by bots."""
    return {
        **standing_values(bots, known),
        "chart": draw_chart(known, marked),
        "closeup": "" if known.table.over else draw_closeup(known, marked),
        "alt": standings.board_alt_text(known, {}),
        "lands": costs.province_costs(known),
    }


def standing_values(bots: frozenset[int], known: View) -> dict[str, object]:
    table = known.table
    return {
        "links": {},
        "view": known,
        "table": table,
        "rows": standings.player_standings(known),
        "house": bots,
        "mover": phrases.safe_name(table.names[table.seat]),
        "summary": standings.summarize_game(known),
    }


class VerbKind(StrEnum):
    DRAW = "draw"
    OCCUPY = "occupy"
    LEVY = "levy"
    RECALL = "recall"
    END = "end"


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
    others: tuple[Option, ...] = ()


def list_verbs(view: View, following: str) -> tuple[DockVerb, ...]:
    """Return the buttons of the action phase in fixed order. `following` is the name of the next player."""
    found = (_draw(view), _occupy(view), _levy(view), _recall(view), end_turn(view, following))
    if view.table.actions_left > 1:
        return found
    return tuple(replace(verb, plays=True) for verb in found)


def _draw(view: View) -> DockVerb:
    name = gettext("Draw")
    if not view.supply_size:
        return DockVerb(VerbKind.DRAW, name, why=gettext("No card is left in the supply."))
    return replace(_offer(VerbKind.DRAW, name, [options.describe(view, Draw())]), plays=True)


def _offer(kind: VerbKind, name: str, found: Sequence[Option]) -> DockVerb:
    first, *others = found
    return DockVerb(kind, name, "", first.price, first.gain, first.words, others=tuple(others))


def _occupy(view: View) -> DockVerb:
    table, name = view.table, gettext("Occupy")
    best = [
        (options.rate_placement(view, siege, guards), siege, guards)
        for siege in find_sieges(table, view.my_seat, view.hand)
        for guards in [options.rank_placements(view, siege)[0]]
    ]
    if not best:
        why = (
            gettext("Your cards and guards pay for no province.")
            if table.guards_in_supply(view.my_seat)
            else gettext("You have no guard left; you can take one back.")
        )
        return DockVerb(VerbKind.OCCUPY, name, why=why)
    best.sort(key=lambda one: -one[0])
    _, siege, guards = best[0]
    if siege.province.holder is not None:
        name = gettext("Take over")
    found = [options.describe_placement(view, siege, guards) for _, siege, guards in best]
    return replace(_offer(VerbKind.OCCUPY, name, found), place=phrases.format_places(table, guards))


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
    ranked = sorted(cards, key=lambda card: -view.hand[card])
    return _offer(VerbKind.LEVY, name, [options.describe(view, Levy(card)) for card in ranked])


def _recall(view: View) -> DockVerb:
    name, standing = gettext("Recall"), view.table.guards[view.my_seat]
    if not standing:
        return DockVerb(VerbKind.RECALL, name, why=gettext("You have no guard on the board."))
    steps = tuple(options.describe(view, Recall(place)) for place in standing)
    if len(steps) > 1:
        return DockVerb(VerbKind.RECALL, name, gain=gettext(options.RECALL_GAIN), others=steps)
    return _offer(VerbKind.RECALL, name, steps)


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
    price: ProvinceCost
    conquest: Conquest | None
    """The form for placing guards; None if the player cannot conquer the province now."""


@dataclass(frozen=True, slots=True)
class Dock:
    asks: str
    told: str
    display: tuple[DockCard, ...]
    hand: tuple[DockCard, ...]
    hidden: int
    """Number of cards that will be added to the display when the draft is played."""
    corners: tuple[CornerPick, ...] = ()
    ways: tuple[Option, ...] = ()
    way: int | None = None
    """Index in `ways` of the march that is in the draft; None if none of them is."""
    base: str = ""
    verbs: tuple[DockVerb, ...] = ()
    steps: tuple[str, ...] = ()
    land: LandPanel | None = None
    stay: Option | None = None
    is_last: bool = False
    """Whether one action is left. The action ends the turn, so its button submits the drafted orders."""

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
    card = ""  # a card and its march are one step
    for words in state.drafted:
        verb, _, rest = words.partition(" ")
        if verb in ("choose", "play"):
            card = phrases.symbol_name(Symbol(rest))
            if len(state.drafted) == 1:
                yield phrases.translate_order(words)
        elif verb == "march":
            yield f"{card} → {rest.rpartition(' ')[0]}" if card else phrases.translate_order(words)
        else:
            yield phrases.translate_order(words)


# --- the march ------------------------------------------------------------------------------------------


def _build_march(state: TurnState) -> Dock:
    stay = next((one for one in card_choices(state.known) if isinstance(one, Stay)), None)
    display = tuple(_march_cards(state, state.known.table.display, Choose))
    hand = tuple(_march_cards(state, state.known.hand, Play))
    if state.known.table.phase is Phase.CARD and stay is not None:
        told, step = gettext(options.STAY_HEADING), options.describe(state.known, stay)
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
    takes = {} if state.is_complete else {card: Take(card) for card in table.display.kinds()}
    cards = () if state.is_complete else levy_cards(table, known.my_seat, known.hand)
    board = replace(
        Dock("", "", (), (), int(state.turns_up and state.words.startswith("choose "))),
        display=tuple(_action_cards(known, table.display, takes)),
        hand=tuple(_action_cards(known, known.hand, {card: Levy(card) for card in cards})),
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


def _action_cards(known: View, bag: Bag, steps: Mapping[Symbol, Take | Levy]) -> Iterator[DockCard]:
    for symbol in bag.kinds():
        if symbol in steps:
            step = options.describe(known, steps[symbol])
            yield DockCard(symbol, bag[symbol], step.title, words=step.words)
        else:
            yield DockCard(symbol, bag[symbol], phrases.symbol_name(symbol))


# --- a province -----------------------------------------------------------------------------------------


def _build_land(state: TurnState) -> LandPanel:
    known, province = state.known, state.province
    assert province is not None
    told = standings.describe_province(known.table, province)
    price = costs.cost_of_province(known, province)
    conquest = None
    if known.my_turn and known.table.phase is Phase.ACTIONS and not state.is_complete:
        siege = find_siege(known.table, known.my_seat, known.hand, province)
        if siege is not None:
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
    return LandPanel(str(province.first), heading, told.contents, price, conquest)


MOST_SHOWN = 12  # symbol spaces; a larger province, such as the board at first, gets no price tag


def list_price_tags(view: View) -> list[tuple[Province, Bag]]:
    """Return the provinces that the viewer's hand could conquer with one guard, and their prices in cards."""
    if view.me is None or view.table.over:
        return []
    known = begin_turn_of_reader(view)
    return [
        (siege.province, siege.price(known.table, next(guard_placements(known, siege))))
        for siege in find_sieges(known.table, view.me, view.hand)
        if siege.can_score and siege.province.value and len(siege.province.places) <= MOST_SHOWN
    ]


def draw_price_tags(view: View) -> Iterator[str]:
    chart = basemap_of(view.table.board)
    yield '<g class="tags" aria-hidden="true">'
    for province, price in list_price_tags(view):
        value = place_value(chart, province, province.spaces)
        yield (
            f'<g class="tag" transform="translate({value.x:g} {value.y + 24:g})">'
            '<rect x="-24" y="-12" width="48" height="24" rx="6"/><path d="M-18-6l8-2 3 14-8 2z"/>'
            f'<path d="M-12-8l8 2-3 14-8-2z"/><text x="10" y="7">{len(price)}</text></g>'
        )
    yield "</g>"


MOST_DRAWN = 6


def play_values(state: TurnState, said: str = "") -> dict[str, object]:
    """Return the values for play.html. `said` is a sentence to show first."""
    case, dock = state.case, build_dock(state)
    turns = case.link_to("draft_pages.show_turn_choices")
    marks = _point_out(state, dock)
    spots = {pick.corner: _corner_link(state, pick) for pick in dock.corners}
    look = replace(state.asked, card=state.asked.card and state.card, corner="", province="").link(case)
    chart = draw_chart(
        state.known,
        marks,
        spots,
        lands=f"{look}&province=",
        tags=draw_price_tags(state.known),
        about=state.last_places,
    )
    return {
        "state": state,
        "dock": dock,
        "board": chart,
        "closeup": draw_closeup(state.known, marks, spots) if spots else "",
        "said": said,
        "token": token_of(case.turn_ticket),
        "turn_link": case.page_link(),
        "self_link": path_of(case.turn_ticket),
        "look": look,
        "turns_link": turns if not state.drafted and state.is_advised else "",
        "act": case.link_to("draft_pages.change_draft"),
    }


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
