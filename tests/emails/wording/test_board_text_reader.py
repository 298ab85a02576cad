"""The position in words read back: the whole view it was written from; a changed text is another or none."""

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
from emails.wording.board_text import describe_board
from engine.actions import Unreadable
from engine.board import Board, Point
from engine.cards import SYMBOLS
from engine.editions import EDITIONS
from engine.evolve import evolve, start
from engine.position import Phase, Position, View, view
from engine.rules import decide
from tests.breadth import first
from tests.emails.positions import BOARD, NAMES, NASTY_NAMES, ODD_BOARDS, board, opening, played
from tests.emails.wording.board_text_reader import read_text
from tests.engine.players import BOARDS, anybody, draw_from, game
from tests.spoken import parse_plainly

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
        for event in decide(position, position.table.seat, action, draw_from(dice)):
            position = evolve(position, event)


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
    text = describe_board(
        view(replace(over, table=replace(over.table, levied=levied, stirred=stirred)), None)
    )
    assert ("Final turn: taxes were levied\n" in text) == levied
    assert (" of 20, the final turn had one\n" in text) == stirred
    for piece in re.split("[\n;,:]", text):
        with pytest.raises(Unreadable):
            parse_plainly(piece, BOARD)


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


# --- changed texts --------------------------------------------------------------------------------------

MANY = dict.fromkeys(str(symbol) for symbol in SYMBOLS)
WORDS = re.compile(r"[A-Za-z]+|[0-9]+|[^\w\s]")


def refused(text: str, on: Board = BOARD) -> str:
    """The sentence with which a text is refused."""
    with pytest.raises(ValueError, match=r"^(the text is no position|de tekst is geen stand): .") as caught:
        read_text(text, on)
    assert type(caught.value) is ValueError
    return str(caught.value)


def reads_as(text: str) -> View | None:
    """The view a changed text is read as; None where it is refused, in a sentence."""
    try:
        return read_text(text, BOARD)
    except ValueError:
        refused(text)
        return None


def assert_another(text: str, known: View) -> bool:
    """Whether a changed text is refused; where it is not, it is what `board_text` says of another view."""
    other = reads_as(text)
    assert other != known
    assert other is None or describe_board(other).split() == text.split()
    return other is None


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize(("seats", "turns"), first(1, [(2, 8), (3, 21), (4, 999)]))
@pytest.mark.breadth
def test_a_changed_text_is_refused_or_another_position(seats: int, turns: int) -> None:
    known = view(played(NAMES[:seats], 2, turns)[0], 1)
    text, dice = describe_board(known), Random(turns)
    lines = text.splitlines(keepends=True)
    words = list(WORDS.finditer(text))
    judged = [assert_another("".join(lines[:at] + lines[at + 1 :]), known) for at in range(len(lines))]
    judged += [
        assert_another("".join([*lines[:at], line, *lines[at:]]), known) for at, line in enumerate(lines)
    ]
    for word in dice.sample(words, 150):
        others = (dice.choice(words).group(), "", "7", "Anna", "x" * 50, "9" * 5000, "٣")
        put = dice.choice([other for other in others if other != word.group()])
        judged.append(assert_another(text[: word.start()] + put + text[word.end() :], known))
    assert judged.count(True) > 150


CHANGES = {
    "You: Ben (seat 2)": "You: Anna (seat 1)",
    "Turn: number 15": "Turn: number 16",
    "Walls left: ": "Walls left: 1",
    "Display: ": "Display: none\nDiscard: ",
    "in hand, 0 guards": "in hand, 1 guards",
    "Edition: rio-grande": "Edition: second",
    "Board: Alexandros": "Board: Philippos",
    "Phase: a card is": "Phase: no card is",
    "Walls: A": "Walls: Z",
    "Alexander: on ": "Alexander: under ",
    " worth ": " worth more than ",
    "You: ": "draw\nYou: ",
}


@pytest.mark.parametrize(("old", "new"), CHANGES.items())
def test_these_changes_never_pass_unseen(old: str, new: str) -> None:
    known = view(played(NAMES[:2], 1, 14)[0], 1)
    text = describe_board(known)
    assert old in text
    assert_another(text.replace(old, new, 1), known)


def test_a_text_in_another_language_is_refused() -> None:
    known = view(played(NAMES[:2], 1, 14)[0], 1)
    text = describe_board(known)
    with use_locale(Locale("nl")):
        dutch = describe_board(known)
        with pytest.raises(ValueError, match="there is no line “Bord”"):
            read_text(text, BOARD)
    assert refused(dutch) == "the text is no position: there is no line “Board”"


def test_a_refusal_says_what_is_wrong() -> None:
    text = describe_board(view(played(NAMES[:2], 1, 14)[0], 1))
    head = "the text is no position: "
    assert refused("") == head + "the line “” is no fact with a key"
    assert refused("draw") == head + "the line “draw” is no fact with a key"
    assert refused("Board: Alexandros") == head + "there is no line “Seat 1”"
    assert (
        refused(text.replace("a card is to", "no card is to"))
        == head + "“no card is to be chosen” is no phase"
    )
    assert refused(text.replace("You: Ben", "You: Cleo")) == head + "nobody in it is “Cleo (seat 2)”"
    assert refused(text, ODD["hole"]) == head + f"it is of the board “{BOARD.name}”, not of “Odd”"
    assert refused(re.sub("worth [0-9]+", "worth 999", text, count=1)).startswith(head + "where it says “")
