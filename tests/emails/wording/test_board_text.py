"""The position in words: complete, regular, safe to quote, read back whole; and its drawing."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.picture.palette import clean_name
from emails.wording import phrases
from emails.wording.board_text import NO_LABELS, describe_board, draw_ascii_map, summarize_board
from emails.wording.phrases import LINE_WIDTH
from engine.board import Point, Side, side
from engine.cards import Bag, Symbol
from engine.editions import EDITIONS
from engine.evolve import start
from engine.position import Phase, Position, View, view
from engine.rules import play_out
from tests.breadth import first
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NAMES, NASTY_NAMES, ODD_BOARDS, board, opening, played
from tests.emails.wording.board_text_reader import read_text
from tests.engine.players import BOARDS, anybody, draw_from, game
from tests.spoken import assert_no_orders

GAMES = [(2, 0, 0), (2, 1, 9), (3, 2, 14), (4, 3, 21), (4, 4, 27), (2, 0, 999), (3, 1, 999), (4, 4, 999)]


LAST_WALLS = {
    "en": (
        "0 black walls are left: the next wall ends the game",
        "1 black wall is left: two more walls end the game",
    ),
    "nl": (
        "er zijn nog 0 zwarte muren: na de volgende muur is het spel uit",
        "er is nog 1 zwarte muur: na nog twee muren is het spel uit",
    ),
}


def test_the_last_walls_say_what_they_mean(language: str) -> None:
    position = played(NAMES[:2], 4, 17)[0]
    with use_locale(Locale(language)):
        for black, words in enumerate(LAST_WALLS[language]):
            known = view(replace(position, table=position.table.but(black=black)), 0)
            assert words in summarize_board(known)[0]
            _, _, meaning = words.partition(": ")
            assert meaning in describe_board(known)
        for table in (position.table.but(black=2), position.table.but(black=0, red=9, last_turn=True)):
            assert ":" not in summarize_board(view(replace(position, table=table), 0))[0]


def facts(text: str) -> dict[str, list[str]]:
    """The text read back: each key with its items."""
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\n {2}", " ", text).splitlines():
        key, _, items = line.partition(": ")
        assert key not in found or key == "Walls", f"{key} stands there twice"
        found.setdefault(key, []).extend(items.split(", "))
    return found


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


FIRST_KEYS = (
    "Board|Edition|You|Turn|Phase|Turns without a wall or a point|Your hand|Display|Supply|Discard pile|"
    "Walls left|Seat 1|Seat 2|Alexander|Guards of seat 1|Guards of seat 2"
)


def test_what_matters_most_is_said_first() -> None:
    keys = list(facts(describe_board(view(played(NAMES[:2], 4, 17)[0], 0), {BOARD.start: "1"})))
    provinces_at = [at for at, key in enumerate(keys) if key.startswith("Province ")]
    assert keys[: provinces_at[0]] == FIRST_KEYS.split("|")
    assert keys[provinces_at[-1] + 1].startswith("The rest of the board, ")
    assert keys[provinces_at[-1] + 2 :] == ["Walls", "Numbered corners"]


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("names", [NAMES, NASTY_NAMES])
def test_lines_are_short_and_none_is_an_order(names: tuple[str, ...]) -> None:
    for turns in (0, 8, 20, 999):
        position, _ = played(names, 5, turns)
        labels = {point: str(label) for label, point in enumerate(BOARD.steps, 1)}
        lines = describe_board(view(position, 0), labels).splitlines()
        assert all(len(line) <= LINE_WIDTH and line == line.rstrip() for line in lines)
        assert_no_orders(lines, BOARD, "[;,:]")


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
    seats, seed, turns = game
    position, _ = played(NAMES[:seats], seed, turns)
    table, drawing = position.table, draw_ascii_map(view(position, 0))
    lines = [line.ljust(LINE_WIDTH) for line in drawing.splitlines()]
    assert drawing.isascii()
    assert max(map(len, drawing.splitlines())) <= LINE_WIDTH
    assert drawn_walls(drawing) == table.walls
    assert drawing.count("@") == 1
    assert lines[2 + 2 * table.alexander.row][1 + 2 * table.alexander.col] == "@"
    for space, symbol in BOARD.symbols.items():
        holder = next((seat for seat, guards in enumerate(table.guards) if space in guards), None)
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


LETTERED = "O'Brien & Söhne", "seat 2: (seat 1)", "draw; end", "😀 🐎"
"""Names that are shown as they are, and try to be something else."""
ODD = {name: board(strips) for name, strips in ODD_BOARDS.items()}


def readers(position: Position) -> Iterator[View]:
    """What every seat knows, and what a spectator does."""
    yield from (view(position, me) for me in (*range(len(position.hands)), None))


def named(position: Position, names: tuple[str, ...]) -> Position:
    return replace(position, table=replace(position.table, names=names[: len(position.hands)]))


def assert_read_back(position: Position, dice: Random) -> None:
    on = position.table.board
    corners = dice.sample(list(on.steps), min(3, len(on.steps)))
    labels = {point: str(label) for label, point in enumerate(sorted(corners), 1)}
    for known in readers(position):
        for language in LANGUAGES:
            with use_locale(Locale(language)):
                assert read_text(describe_board(known), on) == known
                assert read_text(describe_board(known, labels), on) == known


# --- the law --------------------------------------------------------------------------------------------


@cache
def moments(name: str, seed: int, most: int = 8) -> tuple[Position, ...]:
    """Some positions of a game by chance, those between two facts of one action too; the last is its end."""
    found = game(name, seed)
    steps = [before for before, _ in found.steps()]
    return *Random(seed).sample(steps, min(most, len(steps))), found.last


@pytest.mark.parametrize("seed", first(1, range(6)))
@pytest.mark.parametrize("name", first(3, BOARDS))
def test_what_was_written_is_read_back(name: str, seed: int) -> None:
    for position in moments(name, seed):
        assert_read_back(position, Random(seed))


@pytest.mark.breadth
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seats", [3, 2, 4])
@pytest.mark.parametrize("name", ODD)
def test_odd_boards_are_read_back(name: str, seats: int, edition: str) -> None:
    dice = Random(f"{name} {seats}")
    position = start(ODD[name], opening(LETTERED[:seats], ODD[name], edition))
    for _ in range(12):
        assert_read_back(position, dice)
        if position.table.over:
            return
        action = anybody(view(position, position.table.seat), dice)
        _, position = play_out(position, position.table.seat, action, draw_from(dice))


@pytest.mark.parametrize("seats", first(1, [4, 2, 3]))
def test_games_on_the_great_board_are_read_back(seats: int) -> None:
    for turns in (0, 3, 9, 14, 21, 27, 999):
        position, _ = played(NAMES[:seats], seats, turns)
        assert_read_back(position, Random(turns))
        assert_read_back(named(position, LETTERED), Random(turns))


def test_the_games_have_every_kind_of_position() -> None:
    positions = [position for name in BOARDS for seed in range(6) for position in moments(name, seed)]
    tables = [position.table for position in positions]
    phases = Counter(table.phase for table in tables)
    assert len(positions) >= 300
    assert min(phases[phase] for phase in Phase) >= 20
    assert {table.edition.name for table in tables} == set(EDITIONS)
    assert {len(table.names) for table in tables} == {2, 3, 4}
    assert {table.reason for table in tables if table.over} == {"points", "no march", "walls", "stalemate"}
    acting = [table for table in tables if table.phase in (Phase.ACTIONS, Phase.OVER)]
    assert len({(table.phase, table.levied, table.stirred) for table in acting}) >= 6
    assert {table.last_turn for table in tables} == {True, False}


@pytest.mark.parametrize("levied", [True, False])
@pytest.mark.parametrize("stirred", [True, False])
def test_what_a_turn_did_is_said_while_it_lasts_and_of_the_final_one(levied: bool, stirred: bool) -> None:
    over, _ = played(NAMES[:2], 0)
    acting = replace(over.table, phase=Phase.ACTIONS, reason=None, winners=None)
    for table in (over.table, acting):
        changed = replace(table, levied=levied, stirred=stirred)
        assert_read_back(replace(over, table=changed), Random(0))
    ended = replace(over, table=replace(over.table, levied=levied, stirred=stirred))
    text = describe_board(view(ended, None))
    assert ("Final turn: taxes were levied\n" in text) == levied
    assert (" of 20, the final turn had one\n" in text) == stirred
    assert_no_orders(text.splitlines(), BOARD, "[;,:]")


# --- names and lines ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("names", [NASTY_NAMES, ("a,b", "\u200b", "e\u200b\u0301", "  x \n y" * 20)])
def test_a_name_is_read_as_it_is_shown(names: tuple[str, ...]) -> None:
    for turns in (0, 14, 999):
        position = named(played(NAMES, 4, turns)[0], names)
        known = read_text(describe_board(view(position, 1)), BOARD)
        assert known == view(named(position, known.table.names), 1)
        assert all(clean_name(name, 40) == name for name in known.table.names)


@pytest.mark.usefixtures("language")
def test_lines_may_be_broken_elsewhere() -> None:
    known = view(played(NAMES, 4, 27)[0], 1)
    text = describe_board(known)
    assert read_text("\r\n".join(text.splitlines()), BOARD) == known
    assert read_text(text.replace("\n  ", " "), BOARD) == known
    assert read_text(text.replace(", ", ",\n  "), BOARD) == known
    assert read_text("\n" + text.replace("\n", " \n") + "\n", BOARD) == known


def test_numbered_corners_are_passed_over() -> None:
    known = view(played(NAMES, 4, 27)[0], 1)
    labels = {point: str(label) for label, point in enumerate(BOARD.steps, 1)}
    assert read_text(describe_board(known, labels), BOARD) == known
    assert read_text(describe_board(known, {Point(2, 2): "a, b: c"}), BOARD) == known
