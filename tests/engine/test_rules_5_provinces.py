"""Rules 5.4 to 5.10: what a province is, occupying a free one, taking over another player's."""

import pytest

from engine.actions import Illegal, Occupy, TakeOver
from engine.cards import EMPTY
from engine.events import ProvinceOccupied, ProvinceTakenOver
from engine.position import Position
from engine.provinces import provinces
from tests.engine.build import (
    after,
    alexandros,
    bag,
    board,
    fence,
    happens,
    offers,
    places,
    position,
    province,
    refused,
    spaces,
)

ROW = board("h...h.l....s..t..")
"""Two parts, once walled: one with two horses and a lyre, one with a soldier and a temple."""
CUT = fence(ROW, spaces(ROW, "AB2 AB3 AB4 AB5 AB6 AB7 AB8 AB9 AB10"))


def row(*hands: str, guards: tuple[str, ...] = (), walls: str = CUT, **more: object) -> Position:
    return position(ROW, hands=hands or ("", ""), guards=guards, walls=walls, **more)


# --- 5.4, 5.5 provinces ---------------------------------------------------------------------------------


def test_5_4_spaces_connected_across_sides_without_a_wall() -> None:
    now = row()
    west, east = provinces(now.table)
    assert [(str(part.first), len(part.spaces)) for part in (west, east)] == [("AB2", 9), ("AB11", 8)]
    joined = board("..    ..", " .......")
    assert len(list(provinces(position(joined).table))) == 1


def test_5_4_the_rim_bounds_walled_or_not() -> None:
    rim = " ".join(str(edge) for edge in ROW.spaces_on if ROW.is_on_rim(edge))
    walled, bare = (provinces(row(walls=walls).table) for walls in (f"{CUT} {rim}", CUT))
    assert [part.spaces for part in walled] == [part.spaces for part in bare]


def test_5_4_a_shared_corner_joins_nothing() -> None:
    fan = board("......", start="A1")
    cut = position(fan, walls="A3-B2 B2-A3 A3-B4 A5-B4 B4-A5")
    assert len(list(provinces(cut.table))) == 4


def test_5_4_the_large_remainder_is_a_province_like_any_other() -> None:
    everything = position(alexandros(), hands=("", ""))
    (whole,) = provinces(everything.table)
    assert (len(whole.spaces), len(whole.places), whole.value) == (202, 90, 112)
    small = board("h......", start="A1")
    assert offers(position(small), "occupy") == ["occupy Ha"]


def test_5_5_no_symbol_space_no_occupation() -> None:
    strip = board("h....l")
    now = position(strip, hands=("horse horse", ""), walls=fence(strip, spaces(strip, "AB4 AB5")))
    assert [(len(part.places), part.value) for part in provinces(now.table)] == [(1, 1), (0, 2), (1, 1)]
    assert offers(now, "occupy") == ["occupy Ha", "occupy La"]
    refused(now, Occupy(spaces(strip, "AB4")), "5.6")
    refused(now, TakeOver(spaces(strip, "AB4"), EMPTY), "5.6")


def test_5_5_the_value_is_the_number_of_open_spaces() -> None:
    now = row(walls=CUT + " A1-B2 A3-B2")
    assert {place: province(now, place).value for place in ("Ha", "Hb", "Sa")} == {"Ha": 0, "Hb": 6, "Sa": 6}


# --- 5.6 to 5.8 occupy ----------------------------------------------------------------------------------


def test_5_6_guards_on_some_symbol_spaces_and_a_card_for_every_other() -> None:
    now = row("horse lyre temple", "")
    (occupied,) = happens(now, "occupy Ha")
    assert occupied == ProvinceOccupied(0, places(ROW, "Ha"), bag("horse lyre"))
    then = after(now, "occupy Ha")
    assert then.table.guards[0] == places(ROW, "Ha")
    assert then.hands[0] == bag("temple")
    assert then.table.discard == bag("horse lyre")
    assert then.table.actions_left == 1
    assert province(then, "Hb").holder == 0


def test_5_6_every_choice_of_guards_that_can_be_paid_is_offered_and_no_other() -> None:
    now = row("horse", "")
    assert offers(now, "occupy") == ["occupy Ha+Hb+La", "occupy Ha+La", "occupy Hb+La", "occupy Sa+Ta"]
    for guards in ("Ha+Hb", "La", "Sa"):
        refused(now, f"occupy {guards}", "5.6")


def test_5_6_more_guards_than_needed_are_allowed() -> None:
    now = row("horse horse lyre", "")
    assert "occupy Ha+Hb+La" in offers(now)
    then = after(now, "occupy Ha+Hb+La")
    assert then.hands == now.hands
    assert then.table.guards_in_supply(0) == 1


def test_5_6_one_guard_at_most_on_a_space_and_one_at_least() -> None:
    space = ROW.places["Ha"]
    refused(row("horse lyre", ""), Occupy((space, space)), "5.6")
    refused(row("horse lyre", ""), Occupy(()), "5.6")


def test_5_6_guards_come_from_the_own_supply() -> None:
    now = row("horse lyre", "", guards=("Sa Ta",))
    assert offers(now, "occupy") == ["occupy Ha", "occupy Ha+Hb", "occupy Ha+La", "occupy Hb", "occupy Hb+La"]
    refused(now, "occupy Ha+Hb+La", "5.6")


def test_5_6_guards_stand_in_one_province() -> None:
    refused(row("horse lyre soldier temple", ""), "occupy Ha+Sa", "5.6")


def test_5_6_a_held_province_is_not_free() -> None:
    refused(row("horse lyre", "", guards=("", "Ha")), "occupy Hb", "5.6")


def test_5_7_alexander_and_dangling_walls_and_other_targets_change_nothing() -> None:
    plain = row("horse lyre", "")
    standing = row("horse lyre", "", walls=CUT + " A5-A7 B8-B10", alexander="A3")
    assert offers(standing, "occupy") == offers(plain, "occupy")
    assert happens(standing, "occupy Ha") == happens(plain, "occupy Ha")


def test_5_8_a_province_of_ones_own_is_neither_occupied_nor_reinforced() -> None:
    now = row("horse lyre horse horse", "", guards=("Ha",))
    assert offers(now, "occupy") == ["occupy Sa+Ta"]
    for line in ("occupy Hb", "occupy Ha", "takeover Hb"):
        refused(now, line, "5.8")


# --- 5.9, 5.10 take over --------------------------------------------------------------------------------


def test_5_9_two_matching_cards_for_each_guard_and_then_as_a_free_province() -> None:
    now = row("horse horse horse lyre temple", "", guards=("", "Ha"))
    choices = ("Ha", "Ha+Hb", "Ha+Hb+La", "Ha+La", "Hb", "Hb+La")
    assert offers(now, "takeover") == [f"takeover {guards}" for guards in choices]
    (taken,) = happens(now, "takeover Ha")
    space = places(ROW, "Ha")
    assert taken == ProvinceTakenOver(0, 1, space, space, bag("horse horse horse lyre"), EMPTY)
    then = after(now, "takeover Ha")
    assert then.table.guards == (space, ())
    assert then.table.guards_in_supply(1) == 4
    assert then.hands == (bag("temple"), EMPTY)
    assert then.table.actions_left == 1


def test_5_9_the_spaces_just_vacated_are_paid_or_taken_too() -> None:
    now = row("horse horse lyre", "", guards=("", "Ha"))
    refused(now, "takeover Hb", "5.9")
    assert "takeover Ha+Hb" in offers(now)


def test_5_9_wholly_or_not_at_all() -> None:
    now = row("horse horse lyre", "", guards=("", "Ha Hb"))
    assert offers(now, "takeover") == []
    refused(now, "takeover Ha+Hb+La", "5.9")
    enough = row("horse horse horse horse", "", guards=("", "Ha Hb"))
    assert offers(enough, "takeover") == ["takeover Ha+Hb+La"]


def test_5_9_at_least_one_own_guard_in_supply() -> None:
    strip = board("h..h..h..h..l..", start="A1")
    fence_off = fence(strip, [space for space in strip.symbols if space.col < 13])
    now = position(strip, hands=("lyre lyre", ""), guards=("Ha Hb Hc Hd", "La"), walls=fence_off)
    assert offers(now, "takeover") == []
    refused(now, "takeover La", "5.6")
    assert offers(after(now, "recall Ha"), "takeover") == ["takeover La"]


def test_5_9_a_free_province_is_not_taken_over() -> None:
    refused(row("horse lyre", ""), "takeover Ha", "5.9")


def test_5_9_guards_of_a_split_province_count_each_part_by_itself() -> None:
    now = row("soldier soldier temple", "", guards=("", "Ha Sa"))
    then = after(now, "takeover Sa")
    assert then.table.guards == (places(ROW, "Sa"), places(ROW, "Ha"))


def test_5_10_with_two_players_all_cards_are_discarded() -> None:
    now = row("horse horse lyre horse", "", guards=("", "Ha"))
    assert after(now, "takeover Ha").table.discard == bag("horse horse horse lyre")
    refused(now, TakeOver(places(ROW, "Ha"), bag("horse horse")), "5.10")


@pytest.mark.parametrize("others", [("", ""), ("", "", "")])
def test_5_10_with_more_the_loser_gets_half_rounded_up_as_the_attacker_chooses(
    others: tuple[str, ...],
) -> None:
    now = row("horse horse lyre temple", *others, guards=("", "Ha"))
    assert offers(now, "takeover") == [
        "takeover Ha+Hb give horse+horse",
        "takeover Ha+Hb give horse+lyre",
        "takeover Ha+Hb+La give horse",
    ]
    (taken,) = happens(now, "takeover Ha+Hb give horse+lyre")
    assert (taken.paid, taken.given) == (bag("horse horse lyre"), bag("horse lyre"))
    then = after(now, "takeover Ha+Hb give horse+lyre")
    assert then.hands[:2] == (bag("temple"), bag("horse lyre"))
    assert then.table.discard == bag("horse")


def test_5_10_no_more_no_fewer_and_only_cards_that_were_played() -> None:
    now = row("horse horse lyre temple", "", "", guards=("", "Ha"))
    for given in ("", "horse", "horse horse lyre", "horse temple", "lyre lyre"):
        refused(now, TakeOver(places(ROW, "Ha Hb"), bag(given)), "5.10")


def test_5_10_the_loser_is_the_former_holder_not_the_next_seat() -> None:
    now = row("soldier soldier", "", "lyre", guards=("", "Ha", "Sa"))
    then = after(now, "takeover Sa+Ta give soldier")
    assert then.hands == (EMPTY, EMPTY, bag("soldier lyre"))
    assert then.table.guards == (places(ROW, "Sa Ta"), places(ROW, "Ha"), ())


def test_5_9_a_refusal_names_what_the_hand_lacks() -> None:
    with pytest.raises(Illegal, match="lacks horse"):
        happens(row("horse lyre", "", guards=("", "Ha")), "takeover Ha+Hb")
