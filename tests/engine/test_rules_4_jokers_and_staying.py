"""Rules 4.8 to 4.11 and 9.3: jokers, marches that cannot be afforded, staying, and the chosen card."""

import pytest

from engine.actions import Stay
from engine.cards import Symbol
from engine.editions import EDITIONS, IDENTITY_GAMES, RIO_GRANDE, Edition
from engine.events import AlexanderStayed, GameEnded
from engine.march_rules import targets_of_chosen
from engine.position import Phase, Position
from tests.engine.build import after, aims, alexandros, bag, board, happens, offers, position, refused

LAND = alexandros()
HORSES_AND_LYRES = board("..h.....h..l.....l.", start="A7")

both = pytest.mark.parametrize("edition", EDITIONS.values(), ids=EDITIONS)


def two_symbols(edition: Edition = RIO_GRANDE, **more: object) -> Position:
    return position(HORSES_AND_LYRES, phase="card", edition=edition, **more)


def at_the_end(**more: object) -> Position:
    """On the board as sold, the last walls all but gone."""
    return position(LAND, **{"phase": "card", "hands": ("temple", "amphora"), "black": 0, "red": 0, **more})


def names(now: Position) -> list[str]:
    """The places to which Alexander may march with the chosen card."""
    return [now.table.board.names[space] for space in targets_of_chosen(now.table)]


# --- 4.8, 9.3 jokers ------------------------------------------------------------------------------------


def test_4_8_a_joker_goes_to_the_closest_of_any_symbol_it_names() -> None:
    now = two_symbols(display="temple horse")
    assert aims(now, "temple") == ["Ha", "Hb", "La"]
    then = after(now, "choose temple", dice="temple")
    assert names(then) == ["Ha", "Hb", "La"]
    refused(then, "march Lb A7-A9-A11-A13-A15-A17", "4.3")
    assert after(then, "march La A7-A9-A11-B12").hands[0] == bag("temple")


def test_4_8_spaces_with_guards_or_walls_count_as_no_empty_ones() -> None:
    now = two_symbols(display="horse lyre", guards=("Ha",), walls="A9-B10")
    assert aims(now, "horse") == aims(now, "lyre") == ["La"]


@both
def test_4_8_a_hand_card_is_never_a_joker(edition: Edition) -> None:
    now = two_symbols(edition, hands=("temple lyre", ""), display="temple amphora")
    assert offers(now) == ["choose amphora", "choose temple", "play lyre"]
    refused(now, "play temple", "4.8")
    assert aims(now, "temple", hand=True) == []


def test_9_3_rio_grande_each_card_is_a_joker_on_its_own() -> None:
    now = two_symbols(RIO_GRANDE, display="temple horse")
    assert offers(now) == ["choose horse", "choose temple"]
    assert aims(now, "horse") == ["Ha", "Hb"]


def test_9_3_identity_games_only_when_no_card_in_the_display_has_a_space() -> None:
    now = two_symbols(IDENTITY_GAMES, display="temple horse")
    assert offers(now) == ["choose horse"]
    refused(now, "choose temple", "9.3")
    either = two_symbols(IDENTITY_GAMES, display="temple amphora")
    assert offers(either) == ["choose amphora", "choose temple"]
    assert aims(either, "temple") == aims(either, "amphora") == ["Ha", "Hb", "La"]


@both
def test_9_3_a_short_display_is_judged_as_it_is(edition: Edition) -> None:
    hoard = " ".join(["temple"] * 10 + ["amphora"] * 11 + ["horse"] * 11 + ["lyre"] * 11 + ["soldier"] * 11)
    now = two_symbols(edition, display="temple", hands=("", hoard), supply="")
    assert offers(now) == ["choose temple"]
    assert aims(now, "temple") == ["Ha", "Hb", "La"]


@both
def test_9_3_two_cards_alike(edition: Edition) -> None:
    now = two_symbols(edition, display="temple temple")
    assert offers(now) == ["choose temple"]
    assert after(now, "choose temple", dice="horse").table.display == bag("temple horse")


def test_4_8_a_space_that_cannot_be_afforded_makes_no_joker() -> None:
    """The horses can be reached with the two walls that are left, the lyre cannot."""
    strip = board("..h.....h......l.", start="A7")
    now = position(strip, phase="card", display="lyre temple", black=0, red=2)
    assert aims(now, "lyre") == ["La"]
    refused(now, "choose lyre", "4.9")
    assert offers(now) == ["choose temple"]
    assert aims(now, "temple") == ["Ha", "Hb", "La"]


def test_9_3_identity_games_a_space_that_cannot_be_afforded_counts_for_the_other_card_too() -> None:
    horses = [space for space, symbol in LAND.symbols.items() if symbol is Symbol.HORSE]
    walled = " ".join(str(LAND.sides_around[space][0]) for space in horses)
    inland = {"display": "horse lyre", "alexander": "F18", "walls": walled, "black": 0, "red": 0}
    now = position(LAND, phase="card", edition=IDENTITY_GAMES, **inland)
    assert aims(now, "horse") == []
    assert aims(now, "lyre")
    assert offers(now) == ["stay horse", "stay lyre"]
    refused(now, "choose horse", "9.3")
    refused(now, "choose lyre", "4.9")


def test_4_8_a_joker_may_name_only_what_can_be_afforded() -> None:
    now = two_symbols(display="temple horse", black=0, red=1)
    then = after(now, "choose temple", dice="temple")
    assert names(then) == ["Ha", "Hb", "La"]
    assert offers(then) == ["march Ha A7-A5", "march Hb A7-A9"]
    refused(then, "march La A7-A9-A11-B12", "4.9")


# --- 4.9 what cannot be afforded ------------------------------------------------------------------------


def test_4_9_a_path_that_needs_more_walls_than_there_are_is_illegal() -> None:
    now = position(LAND, phase="march", chosen="lyre", black=1, red=1)
    assert offers(now) == ["march Larissa A3-B2-C3", "march Larissa A3-B4-C3", "march Larissa A3-B4-C5"]
    refused(now, "march Larissa A3-B4-C5-D4", "4.9")
    over_an_old_wall = position(LAND, phase="march", chosen="lyre", walls="A3-B4", black=1, red=1)
    assert "march Larissa A3-B4-C5-D4" in offers(over_an_old_wall)
    assert "march Larissa A3-B2-C3-D4" not in offers(over_an_old_wall)


def test_4_9_a_space_that_cannot_be_afforded_makes_no_farther_space_a_target() -> None:
    to_troy = "A3-B4-C5-C7"
    now = at_the_end(display="horse horse", hands=("", ""), walls=to_troy)
    assert aims(now, "horse") == ["Perinthus"]
    refused(now, "choose horse", "4.9")
    assert offers(now) == ["stay horse"]
    then = at_the_end(display="horse horse", walls=to_troy, guards=("Perinthus",))
    assert aims(then, "horse") == ["Troy"]
    assert offers(after(then, "choose horse", dice="lyre")) == ["march Troy A3-B4-C5-C7"]


def test_4_9_another_card_of_hand_or_display_must_be_found() -> None:
    now = at_the_end(hands=("horse", ""), display="lyre lyre", walls="A3-A5-B6")
    assert offers(now) == ["play horse"]
    refused(now, "choose lyre", "4.9")
    refused(now, "stay lyre", "4.9")


def test_4_9_a_hand_card_that_cannot_be_afforded() -> None:
    refused(at_the_end(), "play temple", "4.9")


def test_4_9_stay_with_a_display_card() -> None:
    now = at_the_end()
    assert offers(now) == ["stay horse", "stay lyre"]
    assert happens(now, "stay lyre") == (AlexanderStayed(0, Symbol.LYRE),)
    then = after(now, "stay lyre")
    assert then.hands[0] == bag("temple lyre")
    assert then.table.display == bag("horse"), "the gap stays"
    assert (then.table.phase, then.table.actions_left) == (Phase.ACTIONS, 2)
    assert then.table.alexander == now.table.alexander
    assert then.table.last_turn
    refused(now, "stay temple", "4.9")
    refused(now, Stay(None), "4.9")


def test_4_9_after_staying_the_two_actions_and_the_end() -> None:
    now = after(position(board("......"), phase="card", hands=("", "", "")), "stay lyre")
    over = GameEnded("no march", (0, 1, 2))
    assert happens(now, "end") == (over,)
    now = after(now, "draw", dice="lyre")
    assert happens(now, "end") == (over,)
    *_, ended = happens(now, "take horse")
    assert ended == over
    assert after(now, "draw", dice="horse").table.display == bag("horse"), "it is not filled again"


def test_4_9_stay_without_a_display_card() -> None:
    hoard = " ".join(["temple"] * 11 + ["amphora"] * 11 + ["horse"] * 11 + ["lyre"] * 11 + ["soldier"] * 11)
    now = at_the_end(hands=("", hoard), display="", supply="")
    assert offers(now) == ["stay"]
    then = after(now, "stay")
    assert then.table.last_turn
    assert offers(then) == ["end"]
    refused(now, Stay(Symbol.HORSE), "4.9")


def test_4_9_no_empty_space_on_the_whole_board() -> None:
    bare = board("......", start="A1")
    now = position(bare, phase="card", hands=("horse", ""))
    assert offers(now) == ["stay horse", "stay lyre"]
    refused(now, "choose horse", "9.3")
    refused(now, "play horse", "4.8")


def test_4_9_he_may_not_stay_while_a_march_exists() -> None:
    refused(position(LAND, phase="card"), "stay horse", "4.9")


# --- 4.10, 4.11 the chosen card -------------------------------------------------------------------------


def test_4_10_a_chosen_card_cannot_be_put_back() -> None:
    now = after(position(LAND, phase="card", hands=("temple", "")), "choose lyre", dice="horse")
    for line in ("choose horse", "play temple", "stay horse"):
        refused(now, line, "4.10")


def test_4_10_only_cards_that_leave_a_march() -> None:
    now = at_the_end(display="horse lyre", red=1, walls="A3-A5", hands=("", ""))
    assert offers(now) == ["choose horse"]
    refused(now, "choose lyre", "4.9")


@both
def test_4_11_the_replacement_changes_no_target(edition: Edition) -> None:
    now = two_symbols(edition, display="temple amphora")
    before = aims(now, "temple")
    for drawn in ("horse", "lyre", "temple"):
        assert names(after(now, "choose temple", dice=drawn)) == before
