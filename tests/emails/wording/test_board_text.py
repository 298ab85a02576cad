"""The position in words: complete, regular, safe to quote; and the drawing in plain characters."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from emails.picture.palette import SEAT_LOOKS
from emails.wording import phrases
from emails.wording.board_text import LINE_WIDTH, NO_LABELS, describe_board, draw_ascii_map
from engine.actions import Unreadable
from engine.board import Point, Side, side
from engine.cards import EMPTY, ONE, Bag, Symbol
from engine.evolve import evolve, start
from engine.position import Phase, Position, View, view
from engine.provinces import levy_gains, provinces
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NAMES, NASTY_NAMES, ODD_BOARDS, board, opening, played
from tests.spoken import VOCABULARY, parse_plainly

GAMES = [(2, 0, 0), (2, 1, 9), (3, 2, 14), (4, 3, 21), (4, 4, 27), (2, 0, 999), (3, 1, 999), (4, 4, 999)]
"""Seats, seed and turns played."""


def positions(seats: int, seed: int, turns: int) -> list[Position]:
    """Every position of the last turns of a game, in whatever phase."""
    _, log = played(NAMES[:seats], seed, turns)
    found = [start(BOARD, opening(NAMES[:seats]))]
    for event in log[1:]:
        found.append(evolve(found[-1], event))
    return found[-12:]


def facts(text: str) -> dict[str, list[str]]:
    """The text read back: each key with its items."""
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\n {2}", " ", text).splitlines():
        key, _, items = line.partition(": ")
        assert key not in found or key == "Walls", f"{key} stands there twice"
        found.setdefault(key, []).extend(items.split(", "))
    return found


def bag(items: list[str]) -> Bag:
    cards = EMPTY
    for item in items:
        if item != "none":
            number, name = item.split()
            for _ in range(int(number)):
                cards += ONE[VOCABULARY.symbols[name]]
    return cards


def number(item: str) -> int:
    found = re.search(r"\d+", item)
    assert found
    return int(found.group())


def walls(rows: list[str]) -> set[Side]:
    found = set()
    for row in rows if rows != ["none"] else []:
        walked = [BOARD.point_names[name] for name in row.split("-")]
        found |= {side(*pair) for pair in pairwise(walked)}
    return found


@pytest.mark.parametrize("game", GAMES)
def test_the_text_says_all_that_its_reader_knows(game: tuple[int, int, int]) -> None:
    for position in positions(*game):
        known = view(position, 1)
        table, said = known.table, facts(describe_board(known))
        assert said["You"] == ["Ben (seat 2)"]
        assert said["Turn"] == [
            f"number {table.turn}",
            f"of {table.names[table.seat]} (seat {table.seat + 1})",
        ]
        assert bag(said["Your hand"]) == known.hand
        assert bag(said["Display"]) == table.display
        assert bag(said["Discard pile"]) == table.discard
        assert number(said["Supply"][0]) == known.supply_size
        assert [number(item) for item in said["Walls left"]] == [table.black, table.red]
        assert said["Alexander"] == [f"on {table.alexander}"]
        assert ("Last turn" in said) == table.last_turn
        assert number(said["Turns without a wall or a point"][0]) == table.idle
        assert walls(said["Walls"]) == table.walls
        assert_phase(said["Phase"], known)
        assert_seats(said, known)
        assert_provinces(said, known)


def assert_phase(said: list[str], known: View) -> None:
    table = known.table
    match table.phase:
        case Phase.CARD:
            assert said == ["a card is to be chosen"]
        case Phase.MARCH:
            assert said == [f"Alexander is to march with the {table.chosen}"]
        case Phase.ACTIONS:
            assert number(said[0]) == table.actions_left
            assert said[1].startswith("no") != table.levied
        case Phase.OVER:
            assert said == [f"the game is over ({table.reason})"]


def assert_seats(said: dict[str, list[str]], known: View) -> None:
    table = known.table
    for seat, name in enumerate(table.names):
        shown, look, points, hand, supply, levy = said[f"Seat {seat + 1}"]
        assert shown == name
        assert look == SEAT_LOOKS[seat]
        assert number(points) == table.scores[seat]
        assert number(hand) == known.hand_sizes[seat]
        assert number(supply) == table.guards_in_supply(seat)
        assert number(levy) == levy_gains(table)[seat]
        guards = [item.split() for item in said[f"Guards of seat {seat + 1}"] if item != "none on the board"]
        assert tuple(BOARD.places[words[1]] for words in guards) == table.guards[seat]


def assert_provinces(said: dict[str, list[str]], known: View) -> None:
    for province in provinces(known.table):
        first = province.first
        items = said.get(f"Province {first}") or said[f"The rest of the board, {first}"]
        assert [number(items[0]), number(items[1])] == [province.value, len(province.spaces)]
        assert (items[2] == "free") == (province.holder is None)
        places = [item.split()[:3] for item in items if re.search(r" [A-Z]{2}\d+", item)]
        assert places == [
            [str(BOARD.symbols[space]), BOARD.names[space], str(space)] for space in province.places
        ]
        assert sum(item.endswith("with a guard") for item in items) == len(province.guards)
        if province.holder is not None:
            assert items[2] == f"held by {NAMES[province.holder]} (seat {province.holder + 1})"
            assert number(items[3]) == len(province.guards)


def test_the_winners_and_the_reason_are_named() -> None:
    position, _ = played(NAMES[:2], 0)
    table = replace(position.table, reason="points", winners=(0, 1))
    said = facts(describe_board(view(replace(position, table=table), 0)))
    assert said["Phase"] == ["the game is over (points)"]
    assert said["Winners"] == ["Anna (seat 1)", "Ben (seat 2)"]


def test_a_spectator_has_no_hand_and_learns_none() -> None:
    position, _ = played(NAMES, 3, 15)
    hands = tuple(Bag.of([Symbol.LYRE] * len(hand)) for hand in position.hands)
    text = describe_board(view(position, None))
    assert "Your hand" not in text
    assert facts(text)["You"] == ["a spectator"]
    assert text == describe_board(view(replace(position, hands=hands), None))


def test_what_matters_most_is_said_first() -> None:
    keys = list(facts(describe_board(view(played(NAMES[:2], 4, 17)[0], 0), {BOARD.start: "1"})))
    provinces_at = [at for at, key in enumerate(keys) if key.startswith("Province ")]
    assert keys[: provinces_at[0]] == [
        "Board",
        "Edition",
        "You",
        "Turn",
        "Phase",
        "Turns without a wall or a point",
        "Your hand",
        "Display",
        "Supply",
        "Discard pile",
        "Walls left",
        "Seat 1",
        "Seat 2",
        "Alexander",
        "Guards of seat 1",
        "Guards of seat 2",
    ]
    assert keys[provinces_at[-1] + 1].startswith("The rest of the board, ")
    assert keys[provinces_at[-1] + 2 :] == ["Walls", "Numbered corners"]


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("names", [NAMES, NASTY_NAMES])
def test_lines_are_short_and_none_is_an_order(names: tuple[str, ...]) -> None:
    for turns in (0, 8, 20, 999):
        position, _ = played(names, 5, turns)
        labels = {point: str(label) for label, point in enumerate(BOARD.steps, 1)}
        for line in describe_board(view(position, 0), labels).splitlines():
            assert len(line) <= LINE_WIDTH
            assert line == line.rstrip()
            for piece in [line, *re.split(r"[;,:]", line)]:
                with pytest.raises(Unreadable):
                    parse_plainly(piece, BOARD)


def test_no_name_can_begin_a_line_or_add_a_fact() -> None:
    plain, _ = played(NAMES, 5, 20)
    nasty = replace(plain, table=replace(plain.table, names=NASTY_NAMES))
    one, other = describe_board(view(plain, 0)), describe_board(view(nasty, 0))
    assert facts(one).keys() == facts(other).keys()
    assert [len(items) for items in facts(one).values()] == [len(items) for items in facts(other).values()]


@pytest.mark.usefixtures("dutch")
def test_the_board_reads_as_approved_in_dutch() -> None:
    position, _ = played(NAMES[:3], 2, 21)
    labels = {Point(3, 3): "2", Point(2, 2): "1"}
    known = view(position, 1)
    approved("board.nl.txt", describe_board(known, labels) + "\n" + draw_ascii_map(known))


def test_numbered_corners_are_listed_in_reading_order() -> None:
    position, _ = played(NAMES[:2], 0, 0)
    labels = {Point(3, 3): "2", Point(2, 2): "1"}
    assert facts(describe_board(view(position, 0), labels))["Numbered corners"] == ["1 is C3", "2 is D4"]
    assert "Numbered corners" not in describe_board(view(position, 0), NO_LABELS)


# --- the drawing ----------------------------------------------------------------------------------------


def drawn_walls(drawing: str) -> set[Side]:
    """The walls read back from a drawing of the great board."""
    lines = [line.ljust(LINE_WIDTH) for line in drawing.splitlines()][2:]
    found = set()
    for point in BOARD.steps:
        x, y = 3 + 2 * (point.col - 1), 2 * point.row
        if lines[y][x + 1] == "-":
            found.add(side(point, Point(point.row, point.col + 2)))
        for sign, step in (("\\", 1), ("/", -1)):
            if y + 1 < len(lines) and lines[y + 1][x + step] == sign:
                found.add(side(point, Point(point.row + 1, point.col + step)))
    return found


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("game", GAMES)
def test_the_drawing_shows_walls_guards_symbols_and_alexander(game: tuple[int, int, int]) -> None:
    position = positions(*game)[-1]
    table, drawing = position.table, draw_ascii_map(view(position, 0))
    lines = [line.ljust(LINE_WIDTH) for line in drawing.splitlines()]
    assert drawing.isascii()
    assert max(map(len, drawing.splitlines())) <= LINE_WIDTH
    assert drawn_walls(drawing) == table.walls
    assert drawing.count("@") == 1
    assert lines[2 + 2 * table.alexander.row][1 + 2 * table.alexander.col] == "@"
    for space, symbol in BOARD.symbols.items():
        holder = table.holder_of(space)
        sign = lines[3 + 2 * space.row][1 + 2 * space.col]
        borne = phrases.symbol_name(symbol)[0] if symbol else " "
        assert sign == (borne if holder is None else str(holder + 1))


def test_the_drawing_has_letters_and_numbers_at_its_rim() -> None:
    lines = draw_ascii_map(view(played(NAMES[:2], 0, 0)[0], 0)).splitlines()
    assert [line[0] for line in lines[2::2]] == [line[-1] for line in lines[2::2]] == list("ABCDEFGHIJK")
    assert lines[0].split() == ["1", "2", "3"]
    assert [lines[1][at] for at, digit in enumerate(lines[0]) if digit != " "] == ["0"] * 3
    assert lines[1].split() == [str(column % 10) for column in range(2, 35)]


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("name", ODD_BOARDS)
def test_odd_boards_have_a_text_and_a_drawing_where_there_is_room(name: str) -> None:
    position = start(board(ODD_BOARDS[name]), opening(NAMES))
    text, drawing = describe_board(view(position, 0)), draw_ascii_map(view(position, 0))
    assert max(map(len, text.splitlines())) <= LINE_WIDTH
    assert (drawing == "") == (name == "wide")
    assert all(len(line) <= LINE_WIDTH for line in drawing.splitlines())
