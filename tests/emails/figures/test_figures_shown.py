"""The twelve figures as they are drawn: each is what is said of it, and its caption says what is so."""

import re

from lxml import etree

from emails import rule_figures
from emails.rule_figures import (
    Figure,
    caption_figures,
    describe_drawing,
    format_path,
    render_grounds,
    render_svg,
)
from emails.wording.texts import find_clauses
from engine.board import corners
from engine.cards import Bag, Symbol
from engine.events import ProvinceTakenOver
from engine.march_rules import ShortestPaths, marches, new_walls, outcome_of, targets
from engine.provinces import levy_gains, province_at, provinces
from server.store import load_boards
from tests.engine.build import after, aims, bag, happens, offers, refused

BOARD = load_boards()["Alexandros"]
DRAWN = rule_figures.draw_figures(BOARD)


def figure(number: int) -> Figure:
    return caption_figures(BOARD)[number - 1]


def caption(number: int) -> str:
    words = figure(number).words
    return " ".join((words.caption, *words.notes))


def table(number: int, panel: int = 0):
    return DRAWN[number][panel].view.table


def previews(number: int) -> list[str]:
    return [format_path(one.marks.preview) for one in DRAWN[number]]


def named(number: int, panel: int = 0) -> list[str]:
    names = table(number, panel).board.names
    return [names[space] for space in sorted(DRAWN[number][panel].marks.targets)]


# --- each figure ----------------------------------------------------------------------------------------


def test_figure_1_one_target_for_each_card_and_a_horse_too_far() -> None:
    now = rule_figures.figure_1(BOARD)
    assert table(1) == now.table
    assert now.table.display == bag("horse lyre")
    assert now.table.alexander == BOARD.start
    assert aims(now, "horse") + aims(now, "lyre") == named(1) == ["Perinthus", "Larissa"]
    assert DRAWN[1][0].marks.changed == {BOARD.places["Troy"]}
    refused(after(now, "choose horse", dice="soldier"), "march Troy A3-B4-B6-C7", "4.3")
    assert "Perinthus" in caption(1)
    assert "each 2 sides" in caption(1)
    assert "Troy, which is hatched, is 3 sides" in caption(1)


def test_figure_2_the_easternmost_corner_costs_two_walls() -> None:
    one = DRAWN[2][0]
    assert table(2).display == bag("horse soldier")
    east = max(corners(BOARD.places["Larissa"]), key=lambda corner: corner.col)
    assert [format_path(way) for way in ShortestPaths(table(2), east)] == previews(2) == ["A3-B4-C5"]
    assert len(new_walls(table(2), one.marks.preview)) == 2
    assert "It builds 2 walls" in caption(2)


def test_figure_3_the_southernmost_corner_costs_three_walls_and_one_path_encloses_four_spaces() -> None:
    round_it, by_coast = DRAWN[3]
    south = max(corners(BOARD.places["Larissa"]))
    assert {one.marks.preview[-1] for one in DRAWN[3]} == {south}
    assert [len(new_walls(table(3), way)) for way in ShortestPaths(table(3), south)] == [3, 3, 3]
    [split] = outcome_of(table(3), round_it.marks.preview).splits
    small = min(split.parts, key=lambda part: len(part.spaces))
    assert (len(small.spaces), len(small.places), small.value) == (4, 2, 2)
    assert round_it.marks.changed == set(small.spaces)
    assert not outcome_of(table(3), by_coast.marks.preview).splits
    assert all(BOARD.is_on_rim(edge) for edge in new_walls(table(3), by_coast.marks.preview))
    assert not by_coast.marks.changed
    assert "3 sides away and takes 3 walls" in caption(3)
    assert "province of 4 spaces. 2 of them bear symbols and 2 are open" in caption(3)


def test_figure_4_three_spaces_and_nine_points() -> None:
    now = rule_figures.figure_4(BOARD)
    assert (table(4), str(now.table.alexander), now.table.chosen) == (now.table, "D4", Symbol.SOLDIER)
    assert aims(now, "soldier") == named(4) == ["Philippi", "Granicus", "Sparta"]
    goals = {str(march.path[-1]) for march in marches(now.table, tuple(DRAWN[4][0].marks.targets))}
    assert set(map(str, DRAWN[4][0].marks.labels)) == goals
    assert len(goals) == 9
    assert "all 2 sides away" in caption(4)
    assert "9 different points" in caption(4)


def test_figure_5_all_three_shortest_paths_are_legal() -> None:
    now = rule_figures.figure_4(BOARD)
    assert {f"march Granicus {way}" for way in previews(5)} <= set(offers(now, "march"))
    assert [format_path(way) for way in ShortestPaths(table(5), BOARD.point_names["B8"])] == previews(5)
    told = [outcome_of(table(5), one.marks.preview) for one in DRAWN[5]]
    assert [len(one.laid) for one in told] == [2, 2, 3]
    cut = [len(one.marks.changed) for one in DRAWN[5]]
    assert cut[2] == max(cut) > max(cut[:2])
    assert all(set(one.marks.changed) for one in DRAWN[5])
    assert f"needs 3 new walls and cuts off the largest province, {cut[2]} spaces" in caption(5)


def test_figure_6_over_old_walls_or_through_the_closed_province() -> None:
    old, through = (outcome_of(table(6), one.marks.preview) for one in DRAWN[6])
    ways = ShortestPaths(table(6), BOARD.point_names["B4"])
    assert [format_path(way) for way in ways] == sorted(previews(6))
    assert (old.laid, old.splits) == ((), ())
    [split] = through.splits
    assert [len(split.before.spaces), *(len(part.spaces) for part in split.parts)] == [4, 2, 2]
    walled = {point for edge in table(6).walls for point in edge}
    assert walled & set(corners(BOARD.places["Philippi"]))
    assert "builds nothing" in caption(6)
    assert "builds 2 walls through the closed province and splits it into 2" in caption(6)


def test_figure_7_two_guards_and_four_cards() -> None:
    before, now = rule_figures.figure_7(occupied=False), rule_figures.figure_7(occupied=True)
    [whole] = [part for part in provinces(now.table) if part.holder == 0]
    assert (table(7), len(whole.places), whole.value, whole.scores) == (now.table, 6, 9, 0)
    borne = now.table.board.symbols
    assert sorted(borne[space] for space in whole.places) == sorted([*Symbol, Symbol.TEMPLE])
    assert {borne[space] for space in whole.guards} == {Symbol.TEMPLE, Symbol.HORSE}
    assert now.hands[0] == Bag()
    assert before.hands[0] == now.table.discard == bag("amphora lyre temple soldier")
    refused(before, "occupy Pella", "5.6")
    for further, guard in (("horse", "Pella"), ("temple", "Heraclea")):
        spared = rule_figures.figure_7(occupied=False, further=further)
        assert after(spared, f"occupy {guard}").hands[0] == Bag()
    [(_, paid)] = figure(7).words.cards
    assert paid == now.table.discard
    assert "6 symbol spaces and 9 open ones" in caption(7)


def test_figure_8_five_spaces_and_fourteen_points() -> None:
    now = rule_figures.figure_8()
    [inside] = [part for part in provinces(now.table) if part.holder == 0]
    assert (inside.value, len(inside.guards)) == (11, 1)
    assert now.table.board.symbols[inside.guards[0]] is Symbol.HORSE
    assert sorted(aims(now, "lyre") + aims(now, "soldier")) == sorted(named(8))
    points = [corner for space in DRAWN[8][0].marks.targets for corner in corners(space)]
    assert (len(points), len(set(points)), len(DRAWN[8][0].marks.labels)) == (15, 14, 14)
    assert now.table.alexander not in points
    assert "worth 11" in caption(8)
    assert "5 spaces with the two cards of the display. They have 14 different corners" in caption(8)


def test_figure_9_the_east_keeps_the_guard_and_the_west_can_be_occupied() -> None:
    now, names = rule_figures.figure_9(), rule_figures.figure_9().table.board.places
    east, west = province_at(now.table, names["Hamath"]), province_at(now.table, names["Leucas"])
    assert (east.holder, east.value, west.holder) == (0, 3, None)
    assert max(space.col for space in west.spaces) < max(space.col for space in east.spaces)
    assert DRAWN[9][0].marks.changed == set(west.spaces)
    assert now.table.alexander == min(corners(names["Sardis"]))
    assert province_at(after(now, "occupy Leucas").table, names["Leucas"]).holder == 1
    assert "is worth 3" in caption(9)
    assert f"worth {west.value}, and Ben" in caption(9)


def test_figure_10_no_card_of_the_display_leads_inside_and_a_horse_does_less_harm() -> None:
    now = rule_figures.figure_8("Sardis")
    inside = rule_figures.spaces_drawn(rule_figures.ELEVEN_POINTS_PROVINCE, "#")

    def built_inside(card: str, hand: bool) -> list[bool]:
        found = marches(now.table, targets(now.table, Symbol(card), from_display=not hand))
        laid = (new_walls(now.table, march.path) for march in found)
        return [any(inside.issuperset(now.table.board.spaces_on[edge]) for edge in one) for one in laid]

    assert "Sardis" not in named(10)
    assert sorted(aims(now, "lyre") + aims(now, "soldier")) == sorted(named(10))
    assert not any(built_inside("lyre", False) + built_inside("soldier", False))
    assert any(built_inside("horse", True))
    assert aims(now, "horse", hand=True) == named(10, 1) == ["Hamath"]
    for march in marches(now.table, targets(now.table, Symbol.HORSE, from_display=False)):
        assert not outcome_of(now.table, march.path).splits
    assert "stays whole and worth 11" in caption(10)


def test_figure_11_nine_cards_of_which_the_loser_receives_five() -> None:
    before = rule_figures.figure_11(taken=False)
    [taken] = happens(before, f"takeover Lindus give {rule_figures.FIVE_CARDS_GIVEN}")
    assert isinstance(taken, ProvinceTakenOver)
    assert (len(taken.paid), len(taken.given)) == (9, 5)
    assert [table(11), table(11, 1)] == [before.table, rule_figures.figure_11(taken=True).table]
    (_, removed), (_, others) = figure(11).words.cards
    assert (removed, others) == (bag("temple temple horse horse"), bag("temple temple horse soldier amphora"))
    assert removed + others == taken.paid
    alone = rule_figures.figure_11(taken=True, players=2)
    assert (alone.hands[0], alone.table.discard) == (Bag(), taken.paid)
    assert "costs Ben 9 cards" in caption(11)
    assert "receives 5 of them" in caption(11)


def test_figure_12_red_scores_twelve_for_one_card() -> None:
    before, now = rule_figures.figure_12(levied=False), rule_figures.figure_12(levied=True)
    assert levy_gains(before.table) == now.table.scores == (9, 12, 4, 6)
    assert now.table.discard == bag("soldier")
    places = now.table.board.places
    red = [part for part in provinces(now.table) if part.holder == 1]
    assert sorted((part.value, len(part.guards)) for part in red) == [(4, 1), (8, 1), (8, 2)]
    assert len(province_at(now.table, places["Sidas"]).guards) == 2
    assert now.table.board.symbols[places["Sidas"]] is Symbol.SOLDIER
    assert "8 + 4 = 12" in caption(12)
    assert "Cleo (gold) 4, Dirk (violet) 6, Anna (blue) 9" in caption(12)


# --- how they are shown ---------------------------------------------------------------------------------


def test_a_plate_draws_nothing_that_lies_outside_of_it_and_has_no_names_of_its_own() -> None:
    known = set(re.findall(r' id="([\w-]+)"', render_grounds(rule_figures.boards_drawn(BOARD))))
    for found in DRAWN.values():
        for one in found:
            drawn = render_svg(one)
            assert etree.fromstring(drawn).get("role") == "img"
            assert not re.search(r' (?:id|class)="(?!plate")', drawn)
            assert set(re.findall(r'(?:href="#|url\(#)([\w-]+)', drawn)) <= known
            assert len(drawn) < 9_000
    assert "Sangala" not in render_svg(DRAWN[1][0])
    assert "Larissa" in render_svg(DRAWN[1][0])


def test_every_figure_has_a_title_a_caption_and_words_for_those_who_hear_it(language: str) -> None:
    found = caption_figures(BOARD)
    assert [one.number for one in found] == list(range(1, 13))
    for one in found:
        assert all(find_clauses(number) for number in (one.clause, *one.shows))
        assert one.clause in one.shows or one.clause == "5.7"
        assert len(one.words.caption) > 60
        assert len(one.words.notes) in (0, len(one.drawings))
        for plate in one.drawings:
            assert str(plate.view.table.alexander) in describe_drawing(plate)


def test_what_a_plate_points_out_is_told_in_words() -> None:
    told = describe_drawing(DRAWN[5][2])
    assert "Walls: A3-B4-C5-D4." in told
    assert "Marked in green: Granicus." in told
    assert "The dashed line is the path D4-D6-C7-B8." in told
    assert "Hatched: AB4, Philippi" in told
