"""The whole visible position in words, for plain letters and for those who listen to them.

One fact a line, as `key: value`; what does not fit goes on in lines that begin with two spaces. No line, and
no part of one, can be read as an order (engine/notation): each begins with a key or with an item of a list,
and neither with a word that orders begin with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from emails.i18n import gettext, gettext_noop, ngettext
from emails.names import isolate
from emails.picture.basemap import join_sides
from emails.picture.palette import clean_name
from emails.wording import phrases
from engine.board import Point, Space
from engine.cards import Bag, Symbol
from engine.events import EndReason
from engine.position import Phase, Table, View
from engine.provinces import Province, levy_gains, province_at, provinces

LINE_WIDTH = 78
"""Characters in a line at most."""
LONGEST_RUN = 13
"""Points in a row of walls; a longer row goes on in another that begins where it ends."""
NO_LABELS: Mapping[Point, str] = {}


def describe_board(view: View, labels: Mapping[Point, str] = NO_LABELS) -> str:
    """All that the reader may know of the position; `labels` are the corners that have a number elsewhere.

    The tests read it back (board_text_reader.py): the view is all there, the names as they are shown.
    """
    table = view.table
    facts: list[KeyedItems] = [
        *_game_lines(view),
        *_turn_lines(table),
        *_card_lines(view),
        (
            gettext("Walls left"),
            [gettext("%(number)s black", number=table.black), gettext("%(number)s red", number=table.red)],
        ),
        *_seat_lines(view),
        (gettext("Alexander"), [alexander_item(table.alexander)]),
        *_guard_lines(table),
        *_province_lines(table),
        *((gettext("Walls"), items) for items in _wall_lines(table)),
    ]
    if labels:
        facts.append((gettext("Numbered corners"), _corner_items(labels)))
    return "".join(_wrap_items(key, items) for key, items in facts)


KeyedItems = tuple[str, Iterable[str]]
"""A key and a list of items; each item is written in one piece."""


def _wrap_items(key: str, items: Iterable[str]) -> str:
    """A fact as one line or several, broken only between items."""
    lines, line = [], f"{key}:"
    *others, last = items
    for item in (*(f"{other}," for other in others), last):
        if len(line) + 1 + len(item) > LINE_WIDTH:
            lines.append(line)
            line = " "
        line += f" {item}"
    return "\n".join((*lines, line)) + "\n"


# --- items that the tests know by their words -----------------------------------------------------------

REASON_ITEMS: Mapping[EndReason, str] = {
    "points": gettext_noop("points"),
    "no march": gettext_noop("no march"),
    "walls": gettext_noop("walls"),
    "stalemate": gettext_noop("stalemate"),
    "agreement": gettext_noop("agreement"),
}


def player_item(name: str, seat: int) -> str:
    """A player by their shown name and their seat."""
    return gettext("%(name)s (seat %(number)s)", name=name, number=seat + 1)


def turn_item(player: str) -> str:
    """Whose turn it is."""
    return gettext("of %(player)s", player=player)


def alexander_item(point: Point) -> str:
    """Where Alexander stands."""
    return gettext("on %(point)s", point=point)


def card_phase_item() -> str:
    """The phase in which a turn begins."""
    return gettext("a card is to be chosen")


def march_phase_item(chosen: Symbol) -> str:
    """The phase in which Alexander is to march."""
    return gettext("Alexander is to march with %(card)s", card=phrases.the_card(chosen))


def actions_phase_item(left: int) -> str:
    """The phase of the actions."""
    return ngettext("%(number)s action left", "%(number)s actions left", left)


def over_phase_item(reason: EndReason) -> str:
    """The phase after the last turn."""
    return gettext("the game is over (%(reason)s)", reason=gettext(REASON_ITEMS[reason]))


# --- the facts ------------------------------------------------------------------------------------------


def _seat_item(table: Table, seat: int) -> str:
    return player_item(_item_name(table, seat), seat)


def _item_name(table: Table, seat: int) -> str:
    """A name without what parts the items of a list."""
    return isolate(clean_name(table.names[seat].replace(",", " "), 40)) or "?"


def _game_lines(view: View) -> Iterator[KeyedItems]:
    table = view.table
    yield gettext("Board"), [clean_name(table.board.name)]
    yield gettext("Edition"), [table.edition.name]
    yield gettext("You"), [gettext("a spectator") if view.me is None else _seat_item(table, view.me)]


def _turn_lines(table: Table) -> Iterator[KeyedItems]:
    mover = turn_item(_seat_item(table, table.seat))
    yield gettext("Turn"), [gettext("number %(number)s", number=table.turn), mover]
    yield gettext("Phase"), _phase_items(table)
    if table.over:
        yield gettext("Winners"), [_seat_item(table, seat) for seat in table.winners or ()]
        if table.levied:
            yield gettext("Final turn"), [gettext("taxes were levied")]
    if table.last_turn:
        yield gettext("Last turn"), [gettext("yes")]
    idle = [gettext("%(number)s of %(most)s", number=table.idle, most=10 * len(table.names))]
    if table.phase is Phase.ACTIONS:
        idle.append(gettext("this turn had one") if table.stirred else gettext("this turn had none yet"))
    elif table.over and table.stirred:
        idle.append(gettext("the final turn had one"))
    yield gettext("Turns without a wall or a point"), idle


def _phase_items(table: Table) -> Iterator[str]:
    match table.phase:
        case Phase.CARD:
            yield card_phase_item()
        case Phase.MARCH:
            assert table.chosen
            yield march_phase_item(table.chosen)
        case Phase.ACTIONS:
            yield actions_phase_item(table.actions_left)
            yield (
                gettext("taxes were levied this turn")
                if table.levied
                else gettext("no taxes were levied this turn")
            )
        case Phase.OVER:
            assert table.reason
            yield over_phase_item(table.reason)
        case _:
            assert_never(table.phase)


def _card_lines(view: View) -> Iterator[KeyedItems]:
    table = view.table
    if view.me is not None:
        yield gettext("Your hand"), _bag_items(view.hand)
    yield gettext("Display"), _bag_items(table.display)
    yield gettext("Supply"), [phrases.format_card_count(view.supply_size)]
    yield gettext("Discard pile"), _bag_items(table.discard)


def _bag_items(bag: Bag) -> list[str]:
    return [phrases.format_symbol_count(card, bag[card]) for card in bag.kinds()] or [gettext("none")]


def _seat_lines(view: View) -> Iterator[KeyedItems]:
    table = view.table
    for seat, (points, gain) in enumerate(zip(table.scores, levy_gains(table), strict=True)):
        hand, supply = view.hand_sizes[seat], table.guards_in_supply(seat)
        yield (
            gettext("Seat %(number)s", number=seat + 1),
            [
                _item_name(table, seat),
                phrases.seat_look(seat),
                phrases.format_points(points),
                ngettext("%(number)s card in hand", "%(number)s cards in hand", hand),
                ngettext("%(number)s guard in supply", "%(number)s guards in supply", supply),
                gettext("a levy would give %(number)s", number=gain),
            ],
        )


def _guard_lines(table: Table) -> Iterator[KeyedItems]:
    for seat, standing in enumerate(table.guards):
        found = [_guard_item(table, space) for space in standing] or [gettext("none on the board")]
        yield gettext("Guards of seat %(number)s", number=seat + 1), found


def _guard_item(table: Table, space: Space) -> str:
    place, home = _place_item(table, space), province_at(table, space)
    return gettext(
        "%(place)s in %(province)s worth %(value)s", place=place, province=home.first, value=home.value
    )


def _place_item(table: Table, space: Space) -> str:
    symbol = table.board.symbol_at(space)
    return f"{phrases.symbol_name(symbol)} {table.board.names[space]} {space}"


def _province_lines(table: Table) -> Iterator[KeyedItems]:
    """Every province in reading order; the largest one, while it is free, is the rest of the board: last."""
    parts = list(provinces(table))
    largest = max(parts, key=lambda part: len(part.spaces))
    rest = largest if largest.holder is None and len(parts) > 1 else None
    for part in parts:
        if part is not rest:
            yield gettext("Province %(name)s", name=part.first), _province_items(table, part)
    if rest:
        yield gettext("The rest of the board, %(name)s", name=rest.first), _province_items(table, rest)


def _province_items(table: Table, part: Province) -> Iterator[str]:
    yield gettext("worth %(value)s", value=part.value)
    yield phrases.format_spaces(len(part.spaces))
    if part.holder is None:
        yield gettext("free")
    else:
        yield gettext("held by %(player)s", player=_seat_item(table, part.holder))
        many = len(part.guards)
        yield (
            phrases.format_guards(1)
            if many == 1
            else gettext("%(number)s guards and so scores nothing", number=many)
        )
    for place in part.places:
        named = _place_item(table, place)
        yield gettext("%(place)s with a guard", place=named) if place in part.guards else named
    if not part.places:
        yield gettext("without a symbol")


def _corner_items(labels: Mapping[Point, str]) -> Iterator[str]:
    for point, label in sorted(labels.items()):
        yield gettext("%(label)s is %(point)s", label=clean_name(label, 3), point=point)


def _wall_lines(table: Table) -> Iterator[list[str]]:
    """The sides that carry walls, joined into rows of points; as many as one line has room for.

    Each line has its key, for rows that stood alone would be marches where a letter is quoted without a mark.
    """
    rows = [
        "-".join(map(str, run[at : at + LONGEST_RUN]))
        for run in join_sides(table.walls)
        for at in range(0, len(run) - 1, LONGEST_RUN - 1)
    ] or [gettext("none")]
    room = LINE_WIDTH - len(gettext("Walls") + ": ")
    while rows:
        many = next((n for n in range(len(rows), 1, -1) if len(", ".join(rows[:n])) <= room), 1)
        yield rows[:many]
        del rows[:many]
