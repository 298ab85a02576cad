"""Section 4 of the rules up to 4.7: the card, the target, the path and the walls."""

import pytest

from engine.actions import March
from engine.board import corners
from engine.cards import DECK
from engine.editions import IDENTITY_GAMES, RIO_GRANDE
from engine.march_rules import ShortestPaths, empty_spaces
from engine.position import BLACK_WALLS, RED_WALLS, Phase, Position
from tests.engine.build import after, aims, alexandros, along, bag, board, happens, offers, position, refused

LAND = alexandros()


def card(**more: object) -> Position:
    """Somewhere in a game on the board as sold, a card to be chosen."""
    return position(LAND, **{"phase": "card", "hands": ("temple", "amphora"), **more})


def march(**more: object) -> Position:
    return card(**{"phase": "march", "display": "horse soldier", "chosen": "lyre", **more})


# --- 4.1 the card ---------------------------------------------------------------------------------------


def test_4_1_a_display_card_goes_to_the_hand_and_is_replaced_before_the_march() -> None:
    chosen, opened = happens(card(), "choose lyre", dice="soldier")
    assert (chosen.source, opened.card) == ("display", "soldier")
    now = after(card(), "choose lyre", dice="soldier")
    assert now.hands[0] == bag("temple lyre")
    assert now.table.display == bag("horse soldier")
    assert (now.table.phase, now.table.chosen) == (Phase.MARCH, "lyre")
    assert now.table.alexander == LAND.start


def test_4_1_a_hand_card_is_discarded_and_the_display_stays() -> None:
    (chosen,) = happens(card(), "play temple")
    assert chosen.source == "hand"
    now = after(card(), "play temple")
    assert now.hands[0] == bag("")
    assert now.table.discard == bag("temple")
    assert now.table.display == bag("horse lyre")
    assert aims(card(), "temple", hand=True) == ["Sestos"]
    assert all(line.startswith("march Sestos ") for line in offers(now))


def test_4_1_a_discard_that_ends_a_shortage_fills_the_gap_before_the_march() -> None:
    now = card(display="horse", supply="", hands=("temple", " ".join(DECK - bag("temple horse"))))
    events = happens(now, "play temple", dice="temple")
    assert [type(event).__name__ for event in events] == ["CardChosen", "SupplyRenewed", "CardOpened"]
    then = after(now, "play temple", dice="temple")
    assert then.table.phase is Phase.MARCH
    assert then.table.display == bag("temple horse")


def test_4_1_the_full_display_does_not_change_when_the_supply_is_renewed() -> None:
    now = card(supply="", hands=("temple", " ".join(DECK - bag("temple horse lyre"))))
    events = happens(now, "play temple")
    assert [type(event).__name__ for event in events] == ["CardChosen", "SupplyRenewed"]
    assert after(now, "play temple").table.display == bag("horse lyre")


def test_4_1_only_cards_that_are_there() -> None:
    refused(card(), "choose temple", "4.1")
    refused(card(), "play horse", "4.1")


# --- 4.2 empty spaces -----------------------------------------------------------------------------------


def test_4_2_a_guard_a_wall_or_alexander_at_a_corner_and_a_space_is_not_empty() -> None:
    assert aims(card(), "horse") == ["Perinthus"]
    assert aims(card(guards=("Perinthus",)), "horse") == ["Troy"]
    assert aims(card(guards=("", "Perinthus")), "horse") == ["Troy"]
    for wall in LAND.sides_around[LAND.places["Perinthus"]]:
        assert aims(card(walls=str(wall)), "horse") == ["Troy"]
    for corner in corners(LAND.places["Perinthus"]):
        assert "Perinthus" not in aims(card(alexander=str(corner)), "horse")


def test_4_2_a_corner_that_touches_a_wall_is_no_obstacle() -> None:
    touching = {
        str(edge)
        for corner in corners(LAND.places["Perinthus"])
        for edge in LAND.spaces_on
        if corner in edge and edge not in LAND.sides_around[LAND.places["Perinthus"]]
    }
    assert len(touching) == 7
    assert aims(card(walls=" ".join(touching)), "horse") == ["Perinthus"]


def test_4_2_a_coast_side_without_a_wall_is_no_obstacle() -> None:
    larissa = LAND.places["Larissa"]
    assert any(LAND.is_on_rim(edge) for edge in LAND.sides_around[larissa])
    assert aims(card(), "lyre") == ["Larissa"]


def test_4_2_he_never_stands_still() -> None:
    for start in map(str, LAND.steps):
        table = card(alexander=start).table
        free = empty_spaces(table)
        empty = [space for space in LAND.names if free & LAND.grid.space_bits[space]]
        far = LAND.distances_from(table.alexander)
        assert all(far[corner] for space in empty for corner in corners(space))


# --- 4.3, 4.4 the target --------------------------------------------------------------------------------


def test_4_3_only_the_closest_empty_space_is_a_target() -> None:
    wrong = refused(march(), "march Gordium A3-A5-B6-B8-C9", "4.3")
    assert "Larissa" in str(wrong)


def test_4_3_the_way_goes_along_sides_of_spaces_round_what_is_no_land() -> None:
    """Two towers on one strip: nine columns apart in the air, but the way leads down and up again."""
    towers = board("h..   ..h", " ....... ", start="A5")
    far = towers.distances_from(towers.point_names["A5"])
    assert far[towers.point_names["A7"]] == 4
    joined = board("h.......h", " ....... ", start="A5")
    assert joined.distances_from(joined.point_names["A5"])[joined.point_names["A7"]] == 1
    assert aims(position(towers, phase="card"), "horse") == ["Ha"]


def test_4_3_walls_guards_and_provinces_neither_lengthen_nor_block_a_path() -> None:
    around = " ".join(str(edge) for point in ("A3", "B4", "B2") for edge in at(point))
    now = card(walls=around, guards=("", "Philippi Aegae"))
    assert aims(now, "horse") == ["Perinthus"]
    assert aims(now, "temple") == ["Sestos"]
    assert offers(after(now, "play temple")) == offers(after(card(), "play temple"))


def at(point: str) -> list[str]:
    """Every side at a point that is none of the horse's or the temple's."""
    spared = {*LAND.sides_around[LAND.places["Perinthus"]], *LAND.sides_around[LAND.places["Sestos"]]}
    return [edge for edge in LAND.spaces_on if LAND.point_names[point] in edge and edge not in spared]


def test_4_4_several_spaces_equally_close() -> None:
    now = position(board("..h.....h..", start="A7"), phase="card")
    assert aims(now, "horse") == ["Ha", "Hb"]
    then = after(now, "choose horse", dice="temple")
    assert {line.split()[1] for line in offers(then)} == {"Ha", "Hb"}
    one_side = position(board("..h......h.", start="A7"), phase="card")
    assert aims(one_side, "horse") == ["Ha"]


# --- 4.5 the corner and the path ------------------------------------------------------------------------


def test_4_5_any_corner_and_any_shortest_path() -> None:
    paths = ("A3-B2-C3", "A3-B2-C3-D4", "A3-B4-C3", "A3-B4-C3-D4", "A3-B4-C5", "A3-B4-C5-D4")
    assert offers(march()) == [f"march Larissa {path}" for path in paths]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("A5-B4-C5", "where Alexander stands"),
        ("B2-C3", "where Alexander stands"),
        ("A3-B4", "no corner"),
        ("A3-B2-B4-C5", "shortest has 2"),
        ("A3-B4-C3-C5", "shortest has 2"),
        ("A3-C3", "no side leads"),
        ("A3-B4-D4", "no side leads"),
        ("A3-B4-B4-C5", "no side leads"),
    ],
)
def test_4_5_no_other_path(path: str, reason: str) -> None:
    assert reason in str(refused(march(), f"march Larissa {path}", "4.5"))
    refused(march(), March(LAND.places["Larissa"], ()), "4.5")


def test_4_5_paths_are_counted_without_being_listed() -> None:
    """Across an open plain there are as many shortest paths as the binomial coefficient says."""
    plain = board(*("." * 41 for _ in range(20)), start="A1")
    ways = ShortestPaths(position(plain).table, plain.point_names["U21"])
    assert ways.length == 20
    assert ways.count() == 1
    across = ShortestPaths(position(plain, black=1000).table, plain.point_names["U41"])
    assert (across.length, across.count()) == (30, 30045015)


def test_4_5_a_way_may_be_longer_than_python_likes_to_go_deep() -> None:
    """Along a coast nothing is laid in the Dutch edition, so any way can be afforded."""
    coast = board("." * 3000 + "h", start="A1")
    now = position(coast, phase="card", edition=IDENTITY_GAMES)
    then = after(now, "choose horse", dice="lyre")
    table = then.table
    goal = coast.point_names["A3001"]
    ways = ShortestPaths(table, goal)
    assert (ways.length, ways.fewest_walls(), ways.is_affordable(), ways.count()) == (1500, 0, True, 1)
    (path,) = ways
    (marched, *_) = happens(then, f"march Ha {'-'.join(map(str, path))}")
    assert marched.walls == ()


# --- 4.6, 4.7 walls -------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", [RIO_GRANDE, IDENTITY_GAMES])
def test_4_6_a_wall_on_every_side_that_has_none(edition: object) -> None:
    now = march(walls="B4-C5", edition=edition)
    (marched,) = happens(now, "march Larissa A3-B4-C5-D4")
    assert [str(edge) for edge in marched.walls] == ["A3-B4", "C5-D4"]
    then = after(now, "march Larissa A3-B4-C5-D4").table
    assert then.walls == along(LAND, "A3-B4-C5-D4")
    assert then.black == BLACK_WALLS - 3


def test_4_7_black_walls_first_then_red_ones() -> None:
    (marched,) = happens(march(black=2), "march Larissa A3-B4-C5-D4")
    assert (len(marched.walls), marched.red) == (3, 1)
    then = after(march(black=2), "march Larissa A3-B4-C5-D4").table
    assert (then.black, then.red) == (0, RED_WALLS - 1)
    (marched,) = happens(march(black=0), "march Larissa A3-B4-C5-D4")
    assert marched.red == 3


def test_4_7_no_new_wall_at_all_is_legal_and_no_wall_is_removed() -> None:
    old = "A3-B4-C5 B4-C3-B2"
    now = march(walls=old, black=0, red=0)
    (marched,) = happens(now, "march Larissa A3-B4-C3")
    assert (marched.walls, marched.red) == ((), 0)
    then = after(now, "march Larissa A3-B4-C3").table
    assert then.walls == along(LAND, old)
    assert not then.last_turn


def test_4_7_paths_cross_walls_and_provinces() -> None:
    now = march(walls="B2-B4-B6 C3-C5", guards=("", "Philippi"), chosen="temple")
    (marched,) = happens(now, "march Sestos A3-B4-B6-C7")
    assert [str(edge) for edge in marched.walls] == ["A3-B4", "B6-C7"]
    assert after(now, "march Sestos A3-B4-B6-C7").table.alexander == LAND.point_names["C7"]
