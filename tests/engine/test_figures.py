"""The twelve figures of the rulebook: 1 to 6 on the board of the game, 7 to 12 on boards made for them."""

import pytest

from engine.board import Point, corners
from engine.cards import Bag, Symbol
from engine.march_rules import (
    MarchOutcome,
    ShortestPaths,
    marches,
    outcome_of,
    reachable_corners,
    targets,
    targets_of_chosen,
)
from engine.position import Position
from engine.provinces import levy_gains, provinces
from tests.engine.build import (
    after,
    aims,
    alexandros,
    bag,
    board,
    fence,
    happens,
    offers,
    position,
    province,
    refused,
    spaces,
)

# --- figures 1 to 6: one position that goes on ----------------------------------------------------------


def first() -> Position:
    """Figure 1: the game begins, with a horse and a lyre on display."""
    return position(alexandros(), phase="card", hands=("temple", "amphora"), display="horse lyre")


def second() -> Position:
    """Figure 2: the lyre was chosen and a soldier took its place."""
    return after(first(), "choose lyre", dice="soldier")


def fourth() -> Position:
    """Figure 4: Alexander went round a province of four spaces, and the soldier is chosen next."""
    now = after(second(), "march Larissa A3-B4-C5-D4", "end")
    return after(now, "choose soldier", dice="temple")


def distance(now: Position, place: str) -> int:
    """How far a place is from Alexander: to its nearest corner."""
    table = now.table
    return min(
        table.board.distances_from(table.alexander)[corner] for corner in corners(table.board.places[place])
    )


def goals(now: Position) -> set[Point]:
    """Every corner to which Alexander may march with the chosen card."""
    table = now.table
    return {corner for space in targets_of_chosen(table) for corner in reachable_corners(table, space)}


def ways(now: Position, corner: str) -> dict[str, MarchOutcome]:
    """Each path to a corner, as text, with what it would do."""
    table = now.table
    paths = ShortestPaths(table, table.board.point_names[corner])
    return {"-".join(map(str, path)): outcome_of(table, path) for path in paths}


def parts(found: MarchOutcome) -> list[set[int]]:
    """For each province that is split, how many spaces its parts have."""
    return [{len(part.spaces) for part in split.parts} for split in found.splits]


def test_figure_1_one_space_for_each_card() -> None:
    now = first()
    assert str(now.table.alexander) == "A3"
    assert offers(now, "choose") == ["choose horse", "choose lyre"]
    assert aims(now, "horse") == ["Perinthus"]
    assert aims(now, "lyre") == ["Larissa"]
    assert distance(now, "Perinthus") == distance(now, "Larissa") == 2


def test_figure_1_the_horse_three_sides_away_is_refused() -> None:
    now = first()
    assert distance(now, "Troy") == 3
    assert min(corners(now.table.board.places["Troy"])) > max(corners(now.table.board.places["Perinthus"]))
    refused(after(now, "choose horse", dice="soldier"), "march Troy A3-B4-B6-C7", "4.3")


def test_figure_2_the_easternmost_corner_is_two_walls_away_by_one_path() -> None:
    now = second()
    assert now.table.display == bag("horse soldier")
    assert str(now.table.alexander) == "A3"
    east = max(corners(now.table.board.places["Larissa"]), key=lambda corner: corner.col)
    assert list(ways(now, str(east))) == ["A3-B4-C5"]
    (marched,) = happens(now, "march Larissa A3-B4-C5")
    assert [str(edge) for edge in marched.walls] == ["A3-B4", "B4-C5"]


def test_figure_3_the_southernmost_corner_is_three_walls_away() -> None:
    found = ways(second(), str(max(corners(alexandros().places["Larissa"]))))
    assert sorted(found) == ["A3-B2-C3-D4", "A3-B4-C3-D4", "A3-B4-C5-D4"]
    assert {len(one.laid) for one in found.values()} == {3}


def test_figure_3_a_path_encloses_four_spaces_and_another_follows_the_coast() -> None:
    found = ways(second(), "D4")
    (split,) = found["A3-B4-C5-D4"].splits
    enclosed = min(split.parts, key=lambda part: len(part.spaces))
    assert (len(enclosed.spaces), len(enclosed.places), enclosed.value) == (4, 2, 2)
    assert not found["A3-B2-C3-D4"].splits
    assert all(alexandros().is_on_rim(edge) for edge in found["A3-B2-C3-D4"].laid)


def test_figure_4_three_soldiers_at_distance_two_and_nine_points() -> None:
    now = fourth()
    assert aims(now, "soldier") == ["Philippi", "Granicus", "Sparta"]
    assert {distance(now, place) for place in aims(now, "soldier")} == {2}
    assert len(goals(now)) == 9


def test_figure_5_fewest_new_walls_is_no_rule() -> None:
    now = fourth()
    found = ways(now, "B8")
    assert {path: len(one.laid) for path, one in found.items()} == {
        "D4-C5-B6-B8": 2,
        "D4-C5-C7-B8": 2,
        "D4-D6-C7-B8": 3,
    }
    cut_off = {path: min(sizes) for path, one in found.items() for sizes in parts(one)}
    assert max(cut_off, key=lambda path: cut_off[path]) == "D4-D6-C7-B8"
    assert {f"march Granicus {path}" for path in found} <= set(offers(now, "march"))


def test_figure_6_over_old_walls_or_through_the_closed_province() -> None:
    now = fourth()
    found = ways(now, "B4")
    assert {path: len(one.laid) for path, one in found.items()} == {"D4-C3-B4": 2, "D4-C5-B4": 0}
    (split,) = found["D4-C3-B4"].splits
    assert len(split.before.spaces) == 4
    assert parts(found["D4-C3-B4"]) == [{2}]
    assert not found["D4-C5-B4"].splits


def test_figure_6_a_corner_that_touches_a_wall_is_no_obstacle() -> None:
    now = fourth()
    walled = {point for edge in now.table.walls for point in edge}
    assert any(corner in walled for corner in corners(now.table.board.places["Philippi"]))
    assert "march Philippi D4-C5-B4" in offers(now, "march")


# --- figures 7 and 11: six symbols and nine open spaces -------------------------------------------------


def six_symbols(*hands: str, guards: tuple[str, ...] = ()) -> Position:
    return position(board("t..t.h..a..l..s"), hands=hands, guards=guards, display="lyre lyre")


def test_figure_7_two_guards_and_four_cards() -> None:
    now = six_symbols("amphora lyre temple soldier", "")
    (whole,) = provinces(now.table)
    assert (len(whole.places), whole.value) == (6, 9)
    then = after(now, "occupy Ta+Ha")
    assert then.hands[0] == Bag()
    assert then.table.discard == bag("amphora lyre temple soldier")
    assert then.table.guards_in_supply(0) == 2


@pytest.mark.parametrize(("further", "guard"), [("horse", "Ta"), ("temple", "Ha")])
def test_figure_7_a_card_could_have_replaced_a_guard(further: str, guard: str) -> None:
    refused(six_symbols("amphora lyre temple soldier", ""), f"occupy {guard}", "5.6")
    now = six_symbols(f"amphora lyre temple soldier {further}", "")
    assert after(now, f"occupy {guard}").hands[0] == Bag()


NINE = "temple temple temple temple horse horse horse soldier amphora"


@pytest.mark.parametrize("others", [1, 2])
def test_figure_11_the_loser_receives_five_of_nine(others: int) -> None:
    now = six_symbols(NINE, "", *[""] * others, guards=("", "Ta Ha"))
    (taken,) = happens(now, "takeover La give temple temple temple horse soldier")
    assert len(taken.paid) == 9
    assert taken.given == bag("temple temple temple horse soldier")
    then = after(now, "takeover La give temple temple temple horse soldier")
    assert then.hands[0] == Bag()
    assert then.hands[1] == taken.given
    assert then.table.discard == bag("temple horse horse amphora")
    assert then.table.guards_in_supply(1) == 4
    refused(now, "takeover La give temple temple temple horse", "5.10")


def test_figure_11_with_two_players_the_loser_receives_none() -> None:
    now = six_symbols(NINE, "", guards=("", "Ta Ha"))
    then = after(now, "takeover La")
    assert then.hands[1] == Bag()
    assert then.table.discard == bag(NINE)
    refused(now, "takeover La give temple temple temple horse soldier", "5.10")


# --- figures 8 to 10: a province with one guard and Alexander at its border -----------------------------

PLAINS = board(
    "t......s..a..a.",
    " ..l..ha...a.s..",
    "h....h.s.l...aa",
    " ..l..l....t..h.",
    "t..ll...a.s....",
    start="A1",
)
ELEVEN = spaces(PLAINS, "AB4 AB5 AB6 AB7 AB8 AB9 AB10 AB11 BC5 BC6 BC7 BC8 BC9 CD6 CD7 CD8")


def plains(guard: str, phase: str = "card", **more: object) -> Position:
    return position(
        PLAINS,
        phase=phase,
        hands=("horse amphora amphora", "", ""),
        display="lyre soldier",
        guards=(guard,),
        walls=fence(PLAINS, ELEVEN),
        alexander="D8",
        **more,
    )


def enters(now: Position, card: str, *, hand: bool = False) -> list[MarchOutcome]:
    """What the marches with a card do that would lay a wall inside the province."""
    table, inside = now.table, set(ELEVEN)
    marched = marches(table, targets(table, Symbol(card), from_display=not hand))
    found = [outcome_of(table, march.path) for march in marched]
    return [one for one in found if any(inside.issuperset(PLAINS.spaces_on[edge]) for edge in one.laid)]


def left_to(found: MarchOutcome) -> int:
    return next((part.value for split in found.splits for part in split.parts if part.holder == 0), 11)


def test_figure_8_five_spaces_and_fourteen_points() -> None:
    now = plains("Ha")
    assert (province(now, "Ha").value, province(now, "Ha").guards) == (11, spaces(PLAINS, "BC8"))
    assert province(now, "Sa") == province(now, "Ha")
    aimed = [place for card in ("soldier", "lyre") for place in aims(now, card)]
    assert len(aimed) == 5
    points = [corner for place in aimed for corner in corners(PLAINS.places[place])]
    assert (len(points), len(set(points))) == (15, 14)


def test_figure_9_the_march_splits_it_and_the_west_is_free() -> None:
    now = after(plains("Ha"), "choose soldier", dice="temple")
    north = min(PLAINS.places[place] for place in aims(now, "soldier"))
    assert PLAINS.names[north] == "Sa"
    then = after(now, f"march Sa D8-C7-B8-{min(corners(north))}")
    east, west = province(then, "Ha"), province(then, "La")
    assert (east.holder, east.value) == (0, 3)
    assert west.holder is None
    assert max(space.col for space in west.spaces) < max(space.col for space in east.spaces)
    assert {*east.spaces, *west.spaces} == set(ELEVEN)
    assert province(after(then, "occupy La"), "La").holder == 0


def test_figure_10_a_guard_on_the_soldier_space_keeps_alexander_out() -> None:
    now = plains("Sa")
    assert "Sa" not in aims(now, "soldier")
    assert not enters(now, "soldier")
    assert not enters(now, "lyre")
    harm = min(left_to(found) for found in enters(plains("Ha"), "soldier"))
    assert harm == 3
    by_hand = enters(now, "horse", hand=True)
    assert by_hand
    assert min(map(left_to, by_hand)) > harm
    assert "play horse" in offers(now, "play")


# --- figure 12: taxes -----------------------------------------------------------------------------------


def test_figure_12_red_levies_and_everybody_scores() -> None:
    row = ("........h", "....l", "....s....t", "....a", "......h", ".........l")  # the third has two guards
    strip = board("".join(row))
    ahead = iter(strip.symbols)
    fences = [fence(strip, [next(ahead) for _ in part]) for part in row]
    hands, guards = ("soldier horse", "", "", ""), ("Ha La Sa Ta", "Aa", "Hb", "Lb")
    now = position(strip, hands=hands, guards=guards, walls=" ".join(fences))
    assert [part.value for part in provinces(now.table)] == [8, 4, 8, 4, 6, 9]
    assert len(province(now, "Sa").guards) == 2
    assert levy_gains(now.table) == (12, 4, 6, 9)
    then = after(now, "levy soldier")
    assert then.table.scores == (12, 4, 6, 9)
    assert then.table.discard == bag("soldier")
    assert then.hands[0] == bag("horse")
