"""Words that mean several things: every one of them can be named by answering questions."""

from dataclasses import replace
from itertools import islice

import pytest

from emails.wording.options import number_corners
from engine import march_rules
from engine.actions import Choose, March, TakeOver
from engine.board import corners, sides_of_path
from engine.cards import ONE, Bag, Symbol
from engine.events import GameStarted
from engine.evolve import start
from engine.notation import grammar
from engine.notation.orders import write
from engine.position import Phase, Position, view
from server.store import load_boards
from server.turns.dry_run import LinesRefused
from server.web.game.preview import (
    MOST_ACTIONS_SHOWN,
    MOST_MARCHES_SHOWN,
    Disambiguation,
    PreviewOutcome,
    preview_lines,
)
from server.web.game.viewers import lines_of
from tests.spoken import parse

BOARD = load_boards()["Alexandros"]


def begun(names=("Anna", "Ben"), walls=frozenset(), **changes) -> Position:
    hands = tuple(ONE[Symbol.LYRE] for _ in names)
    dealt = GameStarted(BOARD.name, "rio-grande", names, hands, ONE[Symbol.TEMPLE] + ONE[Symbol.SOLDIER])
    position = start(BOARD, dealt)
    walled = BOARD.grid.mask_sides(walls)
    return replace(position, table=replace(position.table, walled=walled, **changes))


def far(stands: str = "A3") -> Position:
    """Alexander far in the west, and one soldier space left empty in the far east: hundreds of paths."""
    soldiers = {space for space, symbol in BOARD.symbols.items() if symbol is Symbol.SOLDIER}
    walls = frozenset(BOARD.sides_around[one][0] for one in soldiers - {BOARD.places["Sangala"]})
    alexander = BOARD.point_names[stands]
    position = begun(phase=Phase.MARCH, chosen=Symbol.SOLDIER, walls=walls, alexander=alexander)
    assert march_rules.targets_of_chosen(position.table) == (BOARD.places["Sangala"],)
    return position


def test_lines_are_parted_by_semicolons_and_by_lines():
    assert lines_of(" choose  lyre;march Troy D4\r\n\nend ; ") == ["choose lyre", "march Troy D4", "end"]


def asked(words: str, position: Position) -> Disambiguation:
    found = preview_lines(position, 0, words.split("; "))
    assert isinstance(found, Disambiguation)
    return found


def ways(choice) -> int:
    """How many ways a choice says it stands for."""
    return int(choice.detail.split()[0]) if choice.further else 1


def test_very_many_paths_are_asked_by_steps_until_each_can_be_named():
    position = far()
    corner = corners(BOARD.places["Sangala"])[0]
    paths = march_rules.ShortestPaths(position.table, corner)
    wanted = list(islice(paths, 0, None, 97))
    assert paths.count() > 3 * MOST_MARCHES_SHOWN
    for path in (*wanted[:4], *wanted[-4:]):
        words = "march Sangala"
        for _ in range(40):
            found = preview_lines(position, 0, [words])
            if isinstance(found, PreviewOutcome):
                break
            assert 1 < len(found.choices) <= MOST_MARCHES_SHOWN
            words = next(one.words for one in found.choices if leads_to(one.words, path))
        assert words == write(March(BOARD.places["Sangala"], path), BOARD)


@pytest.mark.parametrize("few_walls", [False, True])
def test_each_question_counts_all_its_ways_rightly(few_walls):
    """With few walls left most ways cannot be paid; the others are counted all the same."""
    position = far("B16")
    corner = corners(BOARD.places["Sangala"])[0]
    if few_walls:
        path = next(iter(march_rules.ShortestPaths(position.table, corner)))
        walled = position.table.walled | BOARD.grid.mask_sides(sides_of_path(path[:-3]))
        spent = position.table.but(walled=walled, black=len(path) - 4, red=0)
        position = replace(position, table=spent)
    every = list(march_rules.ShortestPaths(position.table, corner))
    open_questions = [f"march Sangala {corner}"]
    named: list[str] = []
    while open_questions:
        words = open_questions.pop()
        fitting = [path for path in every if leads_to(words, path)]
        found = asked(words, position)
        assert sum(map(ways, found.choices)) == len(fitting)
        assert len(found.choices) > 1
        if len(fitting) <= MOST_MARCHES_SHOWN:
            assert not any(choice.further for choice in found.choices)
        for choice, trail in zip(found.choices, found.trails, strict=False):
            assert trail[-1] in found.labels
            assert all(path[: len(trail)] == trail for path in fitting if leads_to(choice.words, path))
        for choice in found.choices:
            if choice.further:
                those = [path for path in fitting if leads_to(choice.words, path)]
                assert ways(choice) == len(those) > 1
                least = min(len(march_rules.new_walls(position.table, path)) for path in those)
                assert f"with {least} new wall" in choice.detail
                open_questions.append(choice.words)
            else:
                named.append(choice.words)
    assert sorted(named) == sorted(write(March(BOARD.places["Sangala"], path), BOARD) for path in every)


def test_up_to_150_marches_stand_on_one_page_the_best_first():
    position = far("E15")
    standing = (0, BOARD.grid.mask_spaces([BOARD.places["Susa"]]))
    position = replace(position, table=replace(position.table, standing=standing))
    table, corner = position.table, corners(BOARD.places["Sangala"])[0]
    ways_there = march_rules.ShortestPaths(table, corner)
    found = asked(f"march Sangala {corner}", position)
    assert 100 < len(found.choices) == len(found.paths) == ways_there.count()
    assert set(found.paths) == set(ways_there)
    merits = [choice.merit for choice in found.choices]
    assert merits == sorted(merits, reverse=True)
    assert merits[0] > merits[-1]
    for choice, path in zip(found.choices, found.paths, strict=True):
        assert choice.words == write(March(BOARD.places["Sangala"], path), BOARD)
    lettered = {choice.title[0] for choice in found.choices if choice.title[1:3] == ": "}
    assert lettered == set(found.labels.values())


def leads_to(words, path) -> bool:
    (said,) = parse(words, BOARD)
    walk = iter(path)
    return said.points[-1] == path[-1] and all(point in walk for point in said.points)


def test_the_lines_around_the_question_stay():
    found = asked("choose temple; march Sestos B8; draw", begun())
    for choice in found.choices:
        assert choice.words.startswith("choose temple; march Sestos A3-")
        assert choice.words.endswith("-B8; draw")


def test_corners_keep_the_numbers_they_had_on_the_page_of_the_turn():
    position = begun()
    before = number_corners(view(position, 0), Choose(Symbol.SOLDIER))
    found = asked("choose soldier; march Philippi", position)
    assert found.numbers == before
    for choice, path in zip(found.choices, found.paths, strict=True):
        assert f"corner {before[path[-1]]} ({path[-1]})" in choice.title


def acting(*standing: tuple[str, ...], hand: Bag) -> Position:
    """Guards of each player stand on these places; the first has this hand and two actions."""
    masks = tuple(BOARD.grid.mask_spaces(BOARD.places[name] for name in names) for names in standing)
    players = ("Anna", "Ben", "Cleo")[: len(standing)]
    position = begun(players, phase=Phase.ACTIONS, actions_left=2, standing=masks)
    return replace(position, hands=(hand, *position.hands[1:]))


def test_a_takeover_without_its_gift_asks_for_it():
    position = acting((), ("Troy",), (), hand=Bag((20, 20, 20, 20, 20)))
    found = asked("takeover Troy", position)
    assert found.more
    assert len(found.choices) == MOST_ACTIONS_SHOWN
    for choice in found.choices:
        assert isinstance(grammar.read(choice.words, view(position, 0)), TakeOver)
        assert isinstance(preview_lines(position, 0, [choice.words]), PreviewOutcome)


def test_a_levy_without_its_card_asks_for_it():
    found = asked("levy", acting(("Troy", "Larissa"), (), hand=Bag((0, 0, 1, 1, 0))))
    assert [choice.words for choice in found.choices] == ["levy horse", "levy lyre"]
    assert all(choice.detail for choice in found.choices)


@pytest.mark.parametrize(
    "lines", [["draw"] * 30, ["march Troy"], ["choose temple", "march Troy"], ["nonsense"]]
)
def test_what_cannot_be_done_is_refused(lines):
    with pytest.raises(LinesRefused):
        preview_lines(begun(), 0, lines)


def test_a_preview_tells_the_path_the_details_and_what_comes_later():
    found = preview_lines(begun(), 0, ["choose temple", "march Sestos A3-B4-B6-B8", "draw", "draw", "end"])
    assert isinstance(found, PreviewOutcome)
    assert [str(point) for point in found.path] == ["A3", "B4", "B6", "B8"]
    assert any("closes off" in detail for detail in found.details)
    assert found.later == ("draw", "end")
