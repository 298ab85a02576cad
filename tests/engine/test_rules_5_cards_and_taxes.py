"""Section 5 of the rules without the provinces: taking cards, levying taxes, taking back a guard."""

import pytest

from engine.cards import Symbol
from engine.events import CardDrawn, CardTaken, GuardRecalled, SupplyRenewed, TaxesLevied
from engine.position import Position
from engine.provinces import levy_gains
from engine.rules import due
from tests.engine.build import (
    after,
    alexandros,
    bag,
    board,
    everything_but,
    fence,
    happens,
    offers,
    position,
    province,
    refused,
)

ROW = board("h...l....s..t..")


def row(*hands: str, guards: tuple[str, ...] = (), **more: object) -> Position:
    """On one strip with four symbol spaces, seat 0 with two actions left."""
    return position(ROW, hands=hands or ("", ""), guards=guards, **more)


def bare(*hands: str, **more: object) -> Position:
    return position(board("......"), hands=hands or ("", ""), **more)


def parts(*sizes: int) -> str:
    """The walls that cut the strip into provinces of these sizes."""
    ahead = iter(ROW.symbols)
    return " ".join(fence(ROW, [next(ahead) for _ in range(size)]) for size in sizes)


# --- 5.1 to 5.3 take a card -----------------------------------------------------------------------------


def test_5_1_draw_from_the_supply_or_take_from_the_display() -> None:
    assert offers(bare()) == ["draw", "end", "take horse", "take lyre"]
    assert happens(row(), "draw", dice="soldier") == (CardDrawn(0, Symbol.SOLDIER),)
    assert after(row(), "draw", dice="soldier").hands[0] == bag("soldier")
    assert happens(row(), "take lyre") == (CardTaken(0, Symbol.LYRE),)
    assert after(row(), "take lyre").hands[0] == bag("lyre")
    refused(row(), "take temple", "5.1")


def test_5_2_a_card_taken_leaves_a_gap_until_the_turn_ends() -> None:
    now = after(row(), "take lyre")
    assert now.table.display == bag("horse")
    assert due(now) is None
    assert after(now, "end", dice="temple").table.display == bag("temple horse")
    assert after(now, "take horse", dice="temple soldier").table.display == bag("temple soldier")


def test_5_3_an_empty_supply_is_renewed_at_once_from_the_discard_pile() -> None:
    now = row("", everything_but("horse lyre temple soldier amphora"), supply="temple", discard="")
    assert now.table.discard == bag("amphora soldier")
    drawn, renewed = happens(now, "draw", dice="temple")
    assert (drawn, renewed) == (CardDrawn(0, Symbol.TEMPLE), SupplyRenewed())
    then = after(now, "draw", dice="temple")
    assert then.supply == bag("amphora soldier")
    assert not then.table.discard
    assert after(then, "draw", dice="soldier").hands[0] == bag("temple soldier")


def test_5_3_also_before_the_turn_ends_and_by_any_discard() -> None:
    hoard = everything_but("horse lyre soldier")
    now = row("soldier", hoard, supply="", guards=("Sa",), actions_left=1)
    kinds = [type(event).__name__ for event in happens(now, "levy soldier")]
    assert kinds == ["TaxesLevied", "SupplyRenewed", "TurnEnded"]
    short = row("soldier", everything_but("horse soldier"), display="horse", supply="", guards=("Sa",))
    then = after(short, "levy soldier")
    assert then.supply == bag("soldier")
    assert then.table.display == bag("horse"), "the display waits for the end of the turn"
    assert after(then, "end", dice="soldier").table.display == bag("horse soldier")


def test_5_3_with_both_empty_nothing_can_be_drawn() -> None:
    now = bare("", everything_but("horse lyre"), supply="")
    assert offers(now) == ["end", "take horse", "take lyre"]
    refused(now, "draw", "5.3")
    then = after(now, "take horse")
    assert offers(then) == ["end", "take lyre"]
    last = after(then, "take lyre")
    assert (last.table.seat, last.table.display) == (1, bag(""))
    assert due(last) is None


def test_5_3_with_nothing_to_take_there_is_no_card_to_take() -> None:
    now = bare("", everything_but(""), display="", supply="")
    assert offers(now) == ["end"]
    refused(now, "take horse", "5.1")


def test_5_3_not_once_the_game_is_over() -> None:
    hoard = everything_but("horse lyre soldier")
    now = row("soldier", hoard, supply="", guards=("Sa",), actions_left=1, last_turn=True)
    assert [type(event).__name__ for event in happens(now, "levy soldier")] == ["TaxesLevied", "GameEnded"]
    over = after(now, "levy soldier")
    assert due(over) is None
    assert over.table.discard == bag("soldier")


# --- 5.11, 5.12 taxes -----------------------------------------------------------------------------------


def test_5_11_a_card_that_matches_the_space_of_any_own_guard() -> None:
    now = row("horse lyre soldier temple", "", guards=("Ha La", "Sa"), walls=parts(4, 4, 4, 3))
    assert offers(now, "levy") == ["levy horse", "levy lyre"]
    assert after(now, "levy lyre").hands[0] == bag("horse soldier temple")
    assert after(now, "levy lyre").table.discard == bag("lyre")
    refused(now, "levy soldier", "5.11")
    refused(now, "levy temple", "5.11")
    refused(row("lyre", "", guards=("Ha",)), "levy horse", "5.11")
    refused(row("horse", ""), "levy horse", "5.11")


def test_5_11_the_province_of_that_guard_need_not_score() -> None:
    now = row("horse", "", guards=("Ha La",), walls=parts(8, 4, 3))
    assert levy_gains(now.table) == (0, 0)
    assert happens(now, "levy horse")[0] == TaxesLevied(0, Symbol.HORSE, (0, 0))


def test_5_12_everybody_scores_each_province_with_exactly_one_guard() -> None:
    now = row("horse", "", "", guards=("Ha La", "Sa", "Ta"), walls=parts(4, 4, 4, 3))
    assert [province(now, place).value for place in ("Ha", "La", "Sa", "Ta")] == [3, 3, 3, 2]
    then = after(now, "levy horse")
    assert then.table.scores == (6, 3, 2)
    two_guards = row("horse", "", "", guards=("Ha La", "Sa", "Ta"), walls=parts(8, 4, 3))
    assert after(two_guards, "levy horse").table.scores == (0, 3, 2)


def test_5_12_a_levy_worth_nothing_is_legal() -> None:
    now = row("temple", "", guards=("Ta",), walls="A13-B14 A15-B14")
    assert province(now, "Ta").value == 0
    assert after(now, "levy temple").table.scores == (0, 0)


def test_5_12_points_add_up() -> None:
    now = row("horse horse", "", guards=("Ha", "Sa"), walls=parts(4, 4, 4, 3), scores=(10, 20))
    assert after(now, "levy horse").table.scores == (13, 23)


# --- 5.13 take back a guard -----------------------------------------------------------------------------


def test_5_13_it_costs_an_action_and_no_card_and_returns_none() -> None:
    now = row("horse", "", guards=("Ha La", "Sa"))
    assert offers(now, "recall") == ["recall Ha", "recall La"]
    assert happens(now, "recall La") == (GuardRecalled(0, ROW.places["La"]),)
    then = after(now, "recall La")
    assert then.hands == now.hands
    assert then.table.actions_left == 1
    assert then.table.guards_in_supply(0) == 3
    refused(now, "recall Sa", "5.13")
    refused(now, "recall Ta", "5.13")


def test_5_13_a_province_left_without_guards_is_free() -> None:
    now = row("", "", guards=("Ha", "Sa"), walls=parts(4, 4, 4, 3))
    assert province(now, "Ha").holder == 0
    assert province(after(now, "recall Ha"), "Ha").holder is None


def test_5_13_the_guard_may_be_used_again_in_the_same_turn() -> None:
    now = row("", "", guards=("Ha La Sa Ta",), walls=parts(4, 4, 4, 3))
    assert now.table.guards_in_supply(0) == 0
    assert not offers(now, "occupy")
    then = after(now, "recall Ha")
    assert offers(then, "occupy") == ["occupy Ha"]
    assert after(then, "occupy Ha").table.guards == now.table.guards


def test_5_13_a_guard_in_a_province_of_two_may_go_so_that_it_scores() -> None:
    now = row("lyre", "", guards=("Ha La",), walls=parts(8, 4, 3))
    assert after(now, "recall Ha", "levy lyre").table.scores == (6, 0)


# --- 6.1 provinces that split ---------------------------------------------------------------------------


def test_6_1_each_part_stays_with_the_guards_in_it() -> None:
    before = row("", "", guards=("Ha La", "Sa Ta"))
    two = row("", "", guards=("Ha La", "Ta"), walls=parts(8, 7))
    assert {province(two, place).holder for place in ("Ha", "La")} == {0}
    assert {province(two, place).holder for place in ("Sa", "Ta")} == {1}
    split = row("", "", guards=("Ha La", "Ta"), walls=parts(4, 4, 4, 3))
    held = {place: province(split, place) for place in ROW.places}
    holders = {place: (part.holder, len(part.guards)) for place, part in held.items()}
    assert holders == {"Ha": (0, 1), "La": (0, 1), "Sa": (None, 0), "Ta": (1, 1)}
    assert len(province(before, "Ha").spaces) == 15


@pytest.mark.parametrize("path", ["A3-B4-C5-D4", "A3-B2-C3-D4"])
def test_6_1_walls_are_never_removed_so_provinces_only_split(path: str) -> None:
    now = position(alexandros(), phase="march", chosen="lyre", guards=("Philippi", "Aegae"))
    sizes = {len(province(now, place).spaces) for place in ("Philippi", "Aegae")}
    then = after(now, f"march Larissa {path}")
    assert now.table.walls < then.table.walls
    assert all(len(province(then, place).spaces) <= max(sizes) for place in ("Philippi", "Aegae"))
