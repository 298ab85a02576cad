"""Sections 1 to 3 of the rules: what is in the box, the set-up, and what makes a turn."""

import pytest

from engine.actions import End, Illegal, Take
from engine.board import corners
from engine.cards import DECK, SYMBOLS, Bag, Symbol
from engine.event_log import check_start
from engine.events import GameStarted, InvalidEvent, TurnEnded
from engine.evolve import evolve, replay, start
from engine.position import Phase, Position
from engine.rules import decide, due, perform_due
from tests.engine.build import (
    PEOPLE,
    Dice,
    after,
    alexandros,
    bag,
    board,
    happens,
    no_dice,
    offers,
    position,
    refused,
    settled,
)


def dealt(seats: int, *, display: str = "horse lyre", hand: str = "temple") -> GameStarted:
    return GameStarted("Alexandros", "rio-grande", PEOPLE[:seats], (bag(hand),) * seats, bag(display))


def opening(seats: int = 2) -> Position:
    return start(alexandros(), dealt(seats))


# --- 1. components --------------------------------------------------------------------------------------


def test_1_1_a_space_is_open_or_bears_one_of_five_symbols() -> None:
    land = alexandros()
    assert {symbol for symbol in land.symbols.values() if symbol} == set(SYMBOLS)
    assert {space for space, symbol in land.symbols.items() if symbol} == set(land.names)
    assert len(land.symbols) - len(land.names) == 112


def test_1_1_a_space_has_three_sides_and_three_corners() -> None:
    land = alexandros()
    for space in land.symbols:
        points = corners(space)
        assert len(set(points)) == 3
        assert {point for edge in land.sides_around[space] for point in edge} == set(points)
    assert {len(spaces) for spaces in land.spaces_on.values()} == {1, 2}


def test_1_2_eleven_cards_of_each_symbol() -> None:
    assert len(DECK) == 55
    assert {DECK[symbol] for symbol in SYMBOLS} == {11}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_1_2_each_of_two_to_four_players_has_four_guards_and_no_points(seats: int) -> None:
    table = opening(seats).table
    assert table.scores == (0,) * seats
    assert [table.guards_in_supply(seat) for seat in range(seats)] == [4] * seats


def test_1_2_one_player_or_five_are_no_game() -> None:
    check_start(dealt(4))
    five = GameStarted("Alexandros", "rio-grande", (*PEOPLE, "Eve"), (bag("temple"),) * 5, bag("horse lyre"))
    for wrong in (dealt(1), five):
        with pytest.raises(InvalidEvent, match=r"rule 1\.2"):
            check_start(wrong)


def test_1_3_65_black_and_10_red_walls() -> None:
    assert (opening().table.black, opening().table.red) == (65, 10)


def test_1_4_alexander_stands_on_a_point() -> None:
    now = after(opening(), "choose lyre", "march Larissa A3-B4-C5", dice="soldier")
    assert str(now.table.alexander) == "C5"
    assert now.table.alexander in now.table.board.steps


# --- 2. set-up ------------------------------------------------------------------------------------------


def test_2_1_alexander_starts_on_the_start_point_without_walls_or_guards() -> None:
    table = opening(3).table
    assert table.alexander == table.board.start
    assert not table.walls
    assert table.guards == ((), (), ())
    assert start(board("h..l..", start="A5"), dealt(2)).table.alexander == (0, 4)


def test_2_2_one_card_each_two_face_up_and_the_rest_face_down() -> None:
    now = replay(alexandros(), [dealt(4)])
    assert now.hands == (bag("temple"),) * 4
    assert now.table.display == bag("horse lyre")
    assert now.supply == DECK - bag("temple temple temple temple horse lyre")
    assert not now.table.discard


@pytest.mark.parametrize(
    ("hands", "display"),
    [
        ((bag("temple"),), "horse lyre"),
        ((bag("temple"), bag("")), "horse lyre"),
        ((bag("temple"), bag("temple horse")), "horse lyre"),
        ((bag("temple"), bag("temple")), "horse"),
        ((bag("temple"), bag("temple")), "horse horse horse"),
    ],
)
def test_2_2_another_deal_is_refused(hands: tuple[Bag, ...], display: str) -> None:
    with pytest.raises(InvalidEvent, match=r"rule 2\.2"):
        check_start(GameStarted("Alexandros", "rio-grande", PEOPLE[:2], hands, bag(display)))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_2_3_seat_0_starts_and_turns_go_round(seats: int) -> None:
    now, order = opening(seats), []
    for _ in range(2 * seats):
        order.append(now.table.seat)
        now = evolve(now, TurnEnded(now.table.seat))
    assert order == [*range(seats)] * 2


# --- 3. a turn ------------------------------------------------------------------------------------------


def test_3_1_a_card_then_the_march_then_up_to_two_actions() -> None:
    now = opening()
    assert {line.split()[0] for line in offers(now)} == {"choose", "play"}
    now = after(now, "choose lyre", dice="soldier")
    assert {line.split()[0] for line in offers(now)} == {"march"}
    now = after(now, "march Larissa A3-B4-C5")
    assert now.table.actions_left == 2
    assert {"draw", "take horse", "end"} <= set(offers(now))
    now = after(now, "draw", dice="temple")
    assert now.table.actions_left == 1
    now = after(now, "draw", dice="temple")
    assert (now.table.seat, now.table.turn, now.table.phase) == (1, 2, Phase.CARD)


@pytest.mark.parametrize(
    "line", ["draw", "take horse", "occupy Larissa", "levy temple", "recall Larissa", "end"]
)
def test_3_1_no_action_before_the_march(line: str) -> None:
    action = Take(Symbol.HORSE) if line == "take horse" else line
    refused(opening(), action, "3.1")
    refused(after(opening(), "choose lyre", dice="soldier"), action, "3.1")


def test_3_1_no_march_before_a_card_and_none_after_another() -> None:
    refused_march = "march Larissa A3-B4-C5"
    refused(opening(), refused_march, "3.1")
    marched = after(opening(), "choose lyre", refused_march, dice="soldier")
    for line in ("march Larissa C5-B4-A3", "choose horse", "play temple", "stay horse"):
        refused(marched, line, "3.1")


def test_3_1_the_turn_may_end_early() -> None:
    marched = after(opening(), "choose lyre", "march Larissa A3-B4-C5", dice="soldier")
    for now in (marched, after(marched, "draw", dice="temple")):
        assert happens(now, "end") == (TurnEnded(0),)


def test_3_1_nobody_acts_out_of_turn_or_after_the_end() -> None:
    with pytest.raises(Illegal) as caught:
        decide(opening(), 1, End(), no_dice)
    assert caught.value.rule == "3.1"
    assert "Anna" in str(caught.value)
    refused(position(alexandros(), phase="over"), "end", "7")


def test_3_2_the_same_action_may_be_taken_twice() -> None:
    now = position(board("h..h..l.."), hands=("horse horse horse lyre", "horse"), guards=("Ha",))
    assert len(after(now, "draw", "draw", dice="temple temple").hands[0]) == 6
    assert len(after(now, "take horse", "take lyre", dice="temple temple").hands[0]) == 6
    assert after(now, "recall Ha", "occupy Hb").table.guards[0] == (now.table.board.places["Hb"],)


def test_3_2_the_actions_come_in_any_order() -> None:
    now = position(board("h..h..l.."), hands=("horse horse lyre", ""), guards=("Ha",))
    one = after(now, "levy horse", "draw", dice="temple")
    other = after(now, "draw", "levy horse", dice="temple")
    assert one == other


def test_3_2_taxes_are_levied_once_a_turn() -> None:
    now = position(board("h..h..l.."), hands=("horse horse", "horse"), guards=("Ha", ""))
    levied = after(now, "levy horse")
    assert levied.table.levied
    assert not offers(levied, "levy")
    refused(levied, "levy horse", "3.2")
    later = after(levied, "end")
    assert not later.table.levied


def test_3_3_the_display_is_filled_before_anything_is_chosen() -> None:
    now = position(alexandros(), hands=("temple", "temple"))
    now = after(now, "take horse")
    assert now.table.display == bag("lyre")
    told = [type(event).__name__ for event in happens(now, "take lyre", dice="soldier amphora")]
    assert told == ["CardTaken", "TurnEnded", "CardOpened", "CardOpened"]
    then = after(now, "take lyre", dice="soldier amphora")
    assert then.table.display == bag("soldier amphora")
    assert (then.table.seat, then.table.phase) == (1, Phase.CARD)


def test_3_3_what_comes_by_itself_comes_in_its_order() -> None:
    now = position(alexandros(), hands=("temple", "temple"), display="", supply="lyre", actions_left=0)
    told, fall = [], Dice("lyre horse")
    while (kind := due(now)) is not None:
        event = perform_due(now, kind, fall)
        assert type(event) is kind
        told.append(type(event).__name__)
        now = evolve(now, event)
    assert told == ["TurnEnded", "CardOpened", "SupplyRenewed", "CardOpened"]
    assert settled(now) == now
    assert now.table.display == bag("lyre horse")
    assert Symbol.HORSE in now.supply
