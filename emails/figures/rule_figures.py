"""The figures of the rules: positions played by the engine, and their drawings as SVG.

A page contains the map of each board once, from `render_grounds`. Each drawing refers to the map of its
board, and contains only the elements in the visible part of the board.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

from lxml import etree

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
from emails.wording.texts import say
from engine.board import Board, Point, Side, Space, corners, sides_of_path
from engine.cards import Bag, Symbol
from engine.editions import DEFAULT_EDITION
from engine.events import GameStarted
from engine.evolve import evolve, start
from engine.march_rules import outcome_of, targets
from engine.notation.grammar import read
from engine.position import BLACK_WALLS, Phase, Position, View, view
from engine.provinces import province_at
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
