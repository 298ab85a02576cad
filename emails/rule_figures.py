"""The figures of the rules: positions played by the engine, their drawings as SVG, and captions.

A page contains the map of each board once, from `render_grounds`. Each drawing refers to the map of its
board, and contains only the elements in the visible part of the board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

from lxml import etree

from emails.i18n import gettext, gettext_noop
from emails.picture import palette
from emails.picture.board_picture import draw_board
from emails.picture.layers import (
    DEFINITIONS,
    EMPTY_OVERLAY,
    FONT,
    FRAME_WIDTH,
    Overlay,
    basemap_of,
    join_sides,
)
from emails.wording import phrases, standings
from emails.wording.texts import say, tell
from engine.board import Board, Point, Side, Space, corners, sides_of_path
from engine.cards import ONE, Bag, Symbol
from engine.editions import DEFAULT_EDITION
from engine.events import GameStarted
from engine.evolve import evolve, start
from engine.march_rules import MarchOutcome, ShortestPaths, new_walls, outcome_of, targets
from engine.notation.grammar import read
from engine.position import BLACK_WALLS, Phase, Position, Table, View, view
from engine.provinces import levy_gains, loser_share, province_at, removal_cost, symbols_on
from engine.rules import decide

ViewBox = tuple[int, int, int, int]
"""Left, top, width and height in units of the drawing."""
OMITTED_LAYERS = frozenset(("ground", "seats"))
"""Layers that drawings omit: the map, which all drawings of a page share, and the list of players."""
SCATTERED_LAYERS = frozenset(("symbols", "names", "values"))
"""Layers of many small elements; a drawing contains only the elements within its box."""
FADE_WIDTH = 44  # of the right edge of a drawing that ends within the board
DRAWING_REACH = 30
TRANSLATE_PATTERN = re.compile(r"translate\(([\d.]+) ([\d.]+)\)")
PAGE_ATTRIBUTES = re.compile(r' (?:class|xmlns|data-[\w-]+)="[^"]*"')
"""Attributes removed from drawings, so that styles and scripts of the page do not affect the drawings."""


@dataclass(frozen=True, slots=True)
class Drawing:
    view: View
    marks: Overlay
    box: ViewBox
    layers: str


def draw_part(view: View, marks: Overlay = EMPTY_OVERLAY, box: ViewBox | None = None) -> Drawing:
    """Draw the part of the board within `box`; by default, the board and a narrow strip of its frame."""
    if box is None:
        chart, left = basemap_of(view.table.board), FRAME_WIDTH - 6
        box = left, left, chart.width - 2 * left, chart.height - 2 * left
    root = etree.fromstring(draw_board(view, marks))
    drawn = []
    for layer in root:
        name = layer.get("class", "")
        kind = str(layer.tag).rpartition("}")[2]
        if kind not in ("g", "path") or name in OMITTED_LAYERS or (kind == "g" and not len(layer)):
            continue
        if name in SCATTERED_LAYERS:
            for one in [one for one in layer if not _is_within(one, box)]:
                layer.remove(one)
        if name == "preview":
            layer.remove(layer[0])  # the light edge would hide the old walls beneath the path
        drawn.append(PAGE_ATTRIBUTES.sub("", etree.tostring(layer, encoding="unicode")))
    return Drawing(view, marks, box, "".join(drawn))


def _is_within(one: etree._Element, box: ViewBox) -> bool:
    moved = TRANSLATE_PATTERN.match(one.get("transform", ""))
    x, y = (float(moved[1]), float(moved[2])) if moved else (float(one.get("x", 0)), float(one.get("y", 0)))
    left, top, width, height = box
    return (
        -DRAWING_REACH < x - left < width + DRAWING_REACH
        and -DRAWING_REACH < y - top < height + DRAWING_REACH
    )


def render_svg(drawing: Drawing) -> str:
    (left, top, width, height), fade = drawing.box, ""
    right = left + width
    if right < basemap_of(drawing.view.table.board).inner.right:
        fade = (
            f'<path fill="url(#fade)" d="M{right - FADE_WIDTH} {top}h{FADE_WIDTH}v{height}h-{FADE_WIDTH}z"/>'
        )
    return (
        f'<svg class="plate" role="img" viewBox="{left} {top} {width} {height}" width="{width}" '
        f'height="{height}" font-family="{FONT}" font-weight="700" '
        f'aria-label="{escape(describe_drawing(drawing))}">'
        f'<use href="#{_ground_id(drawing.view.table.board)}"/>{drawing.layers}{fade}</svg>'
    )


def render_grounds(boards: Iterable[Board]) -> str:
    """Return one invisible SVG element with the map of each board, to which the drawings refer."""
    found = (
        f'<g id="{_ground_id(board)}">{PAGE_ATTRIBUTES.sub("", basemap_of(board).ground)}</g>'
        for board in dict.fromkeys(boards)
    )
    return (
        f'<svg class="unseen" width="0" height="0" aria-hidden="true" font-family="{FONT}" font-weight="700">'
        f'<defs>{DEFINITIONS}{"".join(found)}<linearGradient id="fade">'
        f'<stop stop-color="{palette.PAPER}" stop-opacity="0"/>'
        f'<stop offset="1" stop-color="{palette.PAPER}"/>'
        "</linearGradient></defs></svg>"
    )


def _ground_id(board: Board) -> str:
    return "ground-" + "-".join(board.name.casefold().split())


def describe_drawing(drawing: Drawing) -> str:
    table, marks = drawing.view.table, drawing.marks
    marked = say(
        "board.marks",
        walls=[format_path(run) for run in join_sides(table.walls)],
        targets=phrases.format_places(table, sorted(marks.targets)) if marks.targets else "",
        path=format_path(marks.preview),
        changed=[table.board.names.get(space, str(space)) for space in sorted(marks.changed)],
    )
    return f"{standings.board_alt_text(drawing.view, marks.labels)} {marked}".strip()


def format_path(points: Iterable[Point]) -> str:
    """Format a path as A3-B4-C5."""
    return "-".join(map(str, points))


PLAYER_NAMES = ("Anna", "Ben", "Cleo", "Dirk")

SIX_SYMBOLS = """
name = "Six symbols"
start = "E9"
rows = [
  "  ..h.....  ",
  " ..t...t.a. ",
  " .la.h...s..",
  "  ..l..s.h..",
  "   ..a..... ",
]
places = [
  ["Amida"],
  ["Pella", "Larnaca", "Assus"],
  ["Lampsacus", "Amisus", "Heraclea", "Smyrna"],
  ["Lindus", "Sinope", "Hyrtacus"],
  ["Argos"],
]
"""
SIX_SYMBOLS_PROVINCE = """
............
...#####....
...#####....
...#####....
............
"""

PLAINS = """
name = "Plains"
start = "A1"
rows = [
  "t......s..a..a.",
  " ..l..ha...a.s..",
  "h....h.s.l...aa",
  " ..l..l....t..h.",
  "t..ll...a.s....",
]
places = [
  ["Tarsus", "Sardis", "Amasia", "Abydus"],
  ["Leucas", "Hamath", "Apamea", "Arados", "Samos"],
  ["Hermus", "Hypsus", "Soli", "Lesbos", "Antioch", "Aspendus"],
  ["Lebedus", "Lycia", "Tralles", "Hieron"],
  ["Thyatira", "Lampra", "Larsa", "Alalia", "Side"],
]
"""
"""The board of figures 8 to 10, as TOML."""
ELEVEN_POINTS_PROVINCE = """
..########.....
...#####.......
....###........
...............
...............
"""

TAXES = """
name = "Taxes"
start = "F10"
rows = [
  ".....a....l..",
  ".h...........",
  "....s..t..h..",
  "..l..h...a.t.",
  "..s.......   ",
]
places = [
  ["Adana", "Lystra"],
  ["Halys"],
  ["Sidas", "Temnos", "Hydra"],
  ["Limyra", "Harran", "Ancyra", "Telmessus"],
  ["Selge"],
]
"""
SIX_PROVINCES = """
AAAAA..FFFFFF
AAAA.CCCFFFF.
..CCCCCCC....
BBB.EEEEDDD..
BB..EEE.DD...
"""


@cache
def read_board(text: str) -> Board:
    return Board.read(text)


def spaces_drawn(shape: str, letter: str) -> frozenset[Space]:
    """Return the spaces marked with `letter` in the text map `shape`, which has rows like a board file."""
    strips = enumerate(shape.strip().splitlines())
    return frozenset(
        Space(row, at + 1) for row, strip in strips for at, char in enumerate(strip) if char == letter
    )


def play_orders(now: Position, *orders: str, card: str = "temple") -> Position:
    """Play each order for the seat to move and return the final position; every card revealed is `card`."""
    for order in orders:
        seat = now.table.seat
        for event in decide(now, seat, read(order, view(now, seat)), lambda _: Symbol(card)):
            now = evolve(now, event)
    return now


def _read_bag(words: str) -> Bag:
    return Bag.of(map(Symbol, words.split()))


def _begin_game(board: Board, hands: Sequence[str], display: str) -> Position:
    dealt = GameStarted(
        board.name,
        DEFAULT_EDITION.name,
        PLAYER_NAMES[: len(hands)],
        tuple(map(_read_bag, hands)),
        _read_bag(display),
    )
    return start(board, dealt)


def _set_up(
    board_text: str,
    shapes: str,
    hands: Sequence[str],
    display: str,
    guards: Sequence[str],
    *,
    seat: int = 0,
    phase: Phase = Phase.ACTIONS,
    alexander: str = "",
) -> Position:
    """Return a position with walls around the provinces in `shapes`, which marks each by a character."""
    board = read_board(board_text)
    now, walls = _begin_game(board, hands, display), set[Side]()
    for letter in set(shapes) - {".", " ", "\n"}:
        within = spaces_drawn(shapes, letter)
        edges = {edge for space in within for edge in board.sides_around[space] if not board.is_on_rim(edge)}
        walls |= {edge for edge in edges if not within.issuperset(board.spaces_on[edge])}
    standing = [board.grid.mask_spaces(board.places[name] for name in names.split()) for names in guards]
    table = now.table.but(
        walled=board.grid.mask_sides(walls),
        black=BLACK_WALLS - len(walls),
        standing=(*standing, *[0] * (len(hands) - len(standing))),
        seat=seat,
        phase=phase,
        actions_left=now.table.edition.actions_per_turn if phase is Phase.ACTIONS else 0,
        alexander=board.point_names[alexander] if alexander else board.start,
    )
    return Position(table, now.hands, now.supply)


def figure_1(board: Board) -> Position:
    return _begin_game(board, ("temple", "amphora"), "horse lyre")


def figure_2(board: Board) -> Position:
    """Return the position of figures 2 and 3: a player chose the lyre, and a soldier came to the display."""
    return play_orders(figure_1(board), "choose lyre", card="soldier")


def figure_4(board: Board) -> Position:
    """Return the position of figures 4 to 6: in the turn after figure 3, a player has chosen a soldier."""
    return play_orders(figure_2(board), "march Larissa A3-B4-C5-D4", "end", "choose soldier")


def figure_7(*, occupied: bool, further: str = "") -> Position:
    hands = f"temple amphora lyre soldier {further}", "", ""
    now = _set_up(SIX_SYMBOLS, SIX_SYMBOLS_PROVINCE, hands, "lyre lyre", ())
    return play_orders(now, "occupy Pella+Heraclea") if occupied else now


def figure_8(guard: str = "Hamath") -> Position:
    """Return the position of figures 8 to 10: one guard, at `guard`, in a province worth eleven points."""
    hands, display = ("", "horse amphora amphora", ""), "lyre soldier"
    return _set_up(
        PLAINS, ELEVEN_POINTS_PROVINCE, hands, display, [guard], seat=1, phase=Phase.CARD, alexander="D8"
    )


PATH_THROUGH = "D8-C7-B8-A9"


def figure_9() -> Position:
    return play_orders(figure_8(), "choose soldier", f"march Sardis {PATH_THROUGH}")


NINE_CARDS = "temple temple temple temple horse horse horse soldier amphora"
FIVE_CARDS_GIVEN = "temple+temple+temple+horse+soldier"


def figure_11(*, taken: bool, players: int = 3) -> Position:
    hands = "", NINE_CARDS, *[""] * (players - 2)
    now = _set_up(SIX_SYMBOLS, SIX_SYMBOLS_PROVINCE, hands, "lyre lyre", ["Pella Heraclea"], seat=1)
    if not taken:
        return now
    return play_orders(now, "takeover Lindus" + (f" give {FIVE_CARDS_GIVEN}" if players > 2 else ""))


def figure_12(*, levied: bool) -> Position:
    guards = "Lystra", "Halys Limyra Sidas Temnos", "Ancyra", "Harran"
    now = _set_up(TAXES, SIX_PROVINCES, ("", "soldier horse", "", ""), "lyre lyre", guards, seat=1)
    return play_orders(now, "levy soldier") if levied else now


WEST: ViewBox = (6, 6, 326, 320)
MIDDLE: ViewBox = (26, 26, 430, 286)


@dataclass(frozen=True, slots=True)
class FigureText:
    caption: str
    notes: tuple[str, ...] = ()
    """A sentence for each drawing, if there are several drawings."""
    cards: tuple[tuple[str, Bag], ...] = ()


@cache
def draw_figures(board: Board) -> Mapping[int, tuple[Drawing, ...]]:
    first, second, fourth = figure_1(board), figure_2(board), figure_4(board)
    eighth, tenth = figure_8(), figure_8("Sardis")
    aimed = Overlay(
        targets=display_targets(first, "horse", "lyre"), changed=frozenset([board.places["Troy"]])
    )
    return {
        1: (draw_part(view(first, None), aimed, WEST),),
        2: (_draw_preview(second, "Larissa", "A3-B4-C5", WEST),),
        3: tuple(_draw_preview(second, "Larissa", way, WEST) for way in ("A3-B4-C5-D4", "A3-B2-C3-D4")),
        4: (draw_part(view(fourth, None), _number_targets(display_targets(fourth, "soldier")), WEST),),
        5: tuple(
            _draw_preview(fourth, "Granicus", way, WEST)
            for way in ("D4-C5-B6-B8", "D4-C5-C7-B8", "D4-D6-C7-B8")
        ),
        6: tuple(_draw_preview(fourth, "Philippi", way, WEST) for way in ("D4-C5-B4", "D4-C3-B4")),
        7: (draw_part(view(figure_7(occupied=True), None)),),
        8: (
            draw_part(
                view(eighth, None), _number_targets(display_targets(eighth, "lyre", "soldier")), MIDDLE
            ),
        ),
        9: (_draw_march(eighth, figure_9()),),
        10: (
            draw_part(view(tenth, None), Overlay(targets=display_targets(tenth, "lyre", "soldier")), MIDDLE),
            _draw_preview(play_orders(tenth, "play horse"), "Hamath", "D8-C7-B8", MIDDLE),
        ),
        11: tuple(draw_part(view(figure_11(taken=taken), None)) for taken in (False, True)),
        12: (draw_part(view(figure_12(levied=True), None)),),
    }


def boards_drawn(board: Board) -> tuple[Board, ...]:
    return tuple(
        dict.fromkeys(one.view.table.board for found in draw_figures(board).values() for one in found)
    )


def display_targets(now: Position, *cards: str) -> frozenset[Space]:
    found = (targets(now.table, Symbol(card), from_display=True) for card in cards)
    return frozenset(space for spaces in found for space in spaces)


def _number_targets(spaces: Iterable[Space]) -> Overlay:
    found = frozenset(spaces)
    points = sorted({corner for space in found for corner in corners(space)})
    return Overlay(labels={point: str(number) for number, point in enumerate(points, 1)}, targets=found)


def _draw_preview(now: Position, target: str, way: str, box: ViewBox) -> Drawing:
    board, path = now.table.board, parse_path(now.table.board, way)
    split = (min(one.parts, key=lambda part: len(part.spaces)) for one in outcome_of(now.table, path).splits)
    cut = frozenset(space for part in split for space in part.spaces)
    marks = Overlay(targets=frozenset([board.places[target]]), preview=path, changed=cut)
    return draw_part(view(now, None), marks, box)


def _draw_march(before: Position, now: Position) -> Drawing:
    way = parse_path(now.table.board, PATH_THROUGH)
    fresh = now.table.walls - before.table.walls
    assert fresh <= frozenset(sides_of_path(way))
    free = province_at(now.table, now.table.board.places["Leucas"])
    marks = Overlay(marches=((before.table.seat, way),), fresh=fresh, changed=frozenset(free.spaces))
    return draw_part(view(now, None), marks, MIDDLE)


def parse_path(board: Board, way: str) -> tuple[Point, ...]:
    """Parse a path written as A3-B4-C5."""
    return tuple(board.point_names[name] for name in way.split("-"))


# --- captions --------------------------------------------------------------------------------------------


def _caption(figure: str, drawn: Sequence[tuple[str, Bag]] = (), **values: object) -> FigureText:
    caption, *notes = tell(f"captions.{figure}", **values)
    return FigureText(caption, tuple(notes), tuple(drawn))


def caption_figure_1(one: Drawing) -> FigureText:
    table = one.view.table
    horse, lyre = sorted(one.marks.targets)
    [other] = one.marks.changed
    return _caption(
        "figure_1",
        [(gettext("Display"), table.display)],
        horse=table.board.names[horse],
        lyre=table.board.names[lyre],
        far=_distance_to(table, horse),
        other=table.board.names[other],
        farther=_distance_to(table, other),
    )


def caption_figure_2(one: Drawing) -> FigureText:
    table, way = one.view.table, one.marks.preview
    assert ShortestPaths(table, way[-1]).count() == 1
    return _caption(
        "figure_2",
        [(gettext("Display"), table.display)],
        place=_target_name(one),
        sides=len(way) - 1,
        path=format_path(way),
        walls=len(new_walls(table, way)),
    )


def caption_figure_3(round_it: Drawing, by_coast: Drawing) -> FigureText:
    table, way = round_it.view.table, round_it.marks.preview
    [split] = outcome_of(table, way).splits
    enclosed = min(split.parts, key=lambda part: len(part.spaces))
    return _caption(
        "figure_3",
        point=way[-1],
        sides=len(way) - 1,
        walls=len(new_walls(table, way)),
        ways=ShortestPaths(table, way[-1]).count(),
        path=format_path(way),
        spaces=len(enclosed.spaces),
        symbols=len(enclosed.places),
        open=enclosed.value,
        coast=format_path(by_coast.marks.preview),
    )


def caption_figure_4(one: Drawing) -> FigureText:
    table, aims = one.view.table, sorted(one.marks.targets)
    return _caption(
        "figure_4",
        places=phrases.format_places(table, aims),
        far=_distance_to(table, aims[0]),
        points=len(one.marks.labels),
    )


def caption_figure_5(*ways: Drawing) -> FigureText:
    table, corner = ways[0].view.table, ways[0].marks.preview[-1]
    *short, (long, cut) = [(format_path(one.marks.preview), _preview_outcome(one)) for one in ways]
    return _caption(
        "figure_5",
        ways=ShortestPaths(table, corner).count(),
        point=corner,
        place=_target_name(ways[0]),
        sides=len(ways[0].marks.preview) - 1,
        short=[(way, len(told.laid)) for way, told in short],
        path=long,
        walls=len(cut.laid),
        spaces=min(len(part.spaces) for part in cut.splits[0].parts),
    )


def caption_figure_6(old: Drawing, through: Drawing) -> FigureText:
    table, corner = old.view.table, old.marks.preview[-1]
    told = _preview_outcome(through)
    return _caption(
        "figure_6",
        ways=ShortestPaths(table, corner).count(),
        point=corner,
        place=_target_name(old),
        old=format_path(old.marks.preview),
        path=format_path(through.marks.preview),
        walls=len(told.laid),
        parts=len(told.splits[0].parts),
    )


def _distance_to(table: Table, space: Space) -> int:
    far = table.board.distances_from(table.alexander)
    return min(far[corner] for corner in corners(space))


def _target_name(one: Drawing) -> str:
    return phrases.format_places(one.view.table, one.marks.targets)


def _preview_outcome(one: Drawing) -> MarchOutcome:
    return outcome_of(one.view.table, one.marks.preview)


def caption_figure_7(one: Drawing) -> FigureText:
    table = one.view.table
    whole = province_at(table, table.guards[0][0])
    paid = symbols_on(table, whole.places) - symbols_on(table, whole.guards)
    return _caption(
        "figure_7",
        [(gettext("Paid"), paid)],
        symbols=len(whole.places),
        open=whole.value,
        name=table.names[0],
        temple=table.board.names[whole.guards[0]],
        horse=table.board.names[whole.guards[1]],
        cards=phrases.format_cards(paid),
    )


def caption_figure_8(one: Drawing) -> FigureText:
    table, aims = one.view.table, one.marks.targets
    [guard] = table.guards[0]
    inside = province_at(table, guard)
    [bare] = aims & set(inside.places)
    return _caption(
        "figure_8",
        [(gettext("Display"), table.display)],
        name=table.names[0],
        value=inside.value,
        guard=table.board.names[guard],
        bare=table.board.names[bare],
        mover=table.names[table.seat],
        spaces=len(aims),
        points=len(one.marks.labels),
    )


def caption_figure_9(one: Drawing) -> FigureText:
    table = one.view.table
    [guard] = table.guards[0]
    kept, [(_, way)] = province_at(table, guard), one.marks.marches
    free = province_at(table, min(one.marks.changed))
    return _caption(
        "figure_9", mover=table.names[table.seat], point=way[-1], kept=kept.value, free=free.value
    )


def caption_figure_10(shut: Drawing, by_hand: Drawing) -> FigureText:
    table, inside = by_hand.view.table, province_at(by_hand.view.table, by_hand.view.table.guards[0][0])
    assert not outcome_of(by_hand.view.table, by_hand.marks.preview).splits
    return _caption(
        "figure_10",
        guard=phrases.format_places(table, table.guards[0]),
        places=phrases.format_places(table, sorted(shut.marks.targets), "or"),
        place=phrases.format_places(table, by_hand.marks.targets),
        value=inside.value,
    )


def caption_figure_11(before: Drawing, now: Drawing) -> FigureText:
    table = before.view.table
    whole = province_at(table, table.guards[0][0])
    [guard] = now.view.table.guards[1]
    removed = removal_cost(table, whole)
    others = symbols_on(table, whole.places) - symbols_on(table, (guard,))
    played = removed + others
    return _caption(
        "figure_11",
        [(gettext("To remove the guards"), removed), (gettext("For the other symbols"), others)],
        taker=table.names[1],
        loser=table.names[0],
        number=len(played),
        given=loser_share(table, played),
        removed=phrases.format_cards(removed),
        place=table.board.names[guard],
        cards=phrases.format_cards(others),
    )


def caption_figure_12(one: Drawing) -> FigureText:
    table, scored = one.view.table, levy_gains(one.view.table)
    held = [province_at(table, guard) for guard in table.guards[1]]
    several = next(part for part in held if len(part.guards) > 1)
    alone = sorted((part.value for part in held if len(part.guards) == 1), reverse=True)
    [anna, ben, cleo, dirk] = table.names
    return _caption(
        "figure_12",
        [(gettext("Discarded"), ONE[Symbol.SOLDIER])],
        ben=ben,
        parts=" + ".join(map(str, alone)),
        sum=scored[1],
        several=several.value,
        cleo=cleo,
        gold=scored[2],
        dirk=dirk,
        violet=scored[3],
        anna=anna,
        blue=scored[0],
    )


Captioner = Callable[..., FigureText]
FIGURES: Sequence[tuple[str, str, str, Captioner]] = (
    ("4.3", "4.2 4.3", gettext_noop("The closest space for each card"), caption_figure_1),
    ("4.5", "4.1 4.5 4.6", gettext_noop("To the eastern corner"), caption_figure_2),
    ("4.5", "4.5 4.6 5.4 5.5", gettext_noop("To the southern corner"), caption_figure_3),
    ("4.5", "4.3 4.4 4.5", gettext_noop("Three targets, nine corners"), caption_figure_4),
    ("4.5", "4.5 4.6 6.1", gettext_noop("Fewest sides, not fewest walls"), caption_figure_5),
    ("4.7", "4.2 4.7 6.1", gettext_noop("Along old walls, or through a province"), caption_figure_6),
    ("5.6", "5.5 5.6", gettext_noop("A province with six symbols"), caption_figure_7),
    ("5.7", "4.4 4.5 5.5", gettext_noop("A guard with company"), caption_figure_8),
    ("5.7", "5.6 6.1", gettext_noop("Cut in two"), caption_figure_9),
    ("5.7", "4.1 4.2", gettext_noop("A better place for the guard"), caption_figure_10),
    ("5.10", "5.9 5.10", gettext_noop("Taken over"), caption_figure_11),
    ("5.12", "5.11 5.12", gettext_noop("One pays, everybody scores"), caption_figure_12),
)
"""For each figure: number of the adjacent rule, numbers of all rules shown, title, caption function."""


@dataclass(frozen=True, slots=True)
class Figure:
    number: int
    title: str
    clause: str
    shows: tuple[str, ...]
    drawings: tuple[Drawing, ...]
    words: FigureText


def caption_figures(board: Board) -> tuple[Figure, ...]:
    drawn = draw_figures(board)
    return tuple(
        Figure(number, gettext(title), clause, tuple(shows.split()), drawn[number], make(*drawn[number]))
        for number, (clause, shows, title, make) in enumerate(FIGURES, 1)
    )
