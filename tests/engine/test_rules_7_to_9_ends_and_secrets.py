"""Sections 7 to 9 of the rules: how the game ends, what is secret, and the editions."""

from dataclasses import fields, replace

import pytest

from engine.cards import EMPTY, Symbol
from engine.editions import EDITIONS, IDENTITY_GAMES, RIO_GRANDE, Edition
from engine.event_log import check
from engine.events import (
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    Event,
    GameClosed,
    GameEnded,
    GameStarted,
    InvalidEvent,
    ProvinceTakenOver,
    TurnEnded,
)
from engine.evolve import evolve
from engine.position import (
    RED_WALLS,
    CardDrawnVeiled,
    GameStartedVeiled,
    Phase,
    Position,
    View,
    veil_event,
    view,
)
from engine.rules import close_game, due
from tests.engine.build import (
    after,
    alexandros,
    along,
    bag,
    board,
    fence,
    happens,
    offers,
    places,
    position,
    province,
    refused,
)

LAND = alexandros()
ROW = board("h...l....s..t..")
NO_LAND = board("......")


def levying(*scores: int, edition: Edition = RIO_GRANDE, **more: object) -> Position:
    """Seat 0 may levy 3 points for itself; the others hold nothing."""
    ahead = list(ROW.symbols)[:4]
    seats = ("horse",) + ("",) * (len(scores) - 1)
    walls = fence(ROW, ahead)
    return position(ROW, edition=edition, hands=seats, guards=("Ha",), walls=walls, scores=scores, **more)


def idling(idle: int, seats: int = 2, **more: object) -> Position:
    """So many turns have passed in which nothing happened, and Alexander has marched over old walls."""
    return position(NO_LAND, hands=("",) * seats, idle=idle, **more)


# --- 7.1 red walls --------------------------------------------------------------------------------------


def test_7_1_a_march_with_a_red_wall_makes_the_turn_the_last() -> None:
    now = position(LAND, phase="march", chosen="lyre", black=2, hands=("", "temple"))
    assert not after(now, "march Larissa A3-B4-C5").table.last_turn
    then = after(now, "march Larissa A3-B4-C5-D4")
    assert then.table.last_turn
    assert (then.table.phase, then.table.actions_left) == (Phase.ACTIONS, 2)
    once = after(then, "draw", dice="temple")
    assert once.table.phase is Phase.ACTIONS
    *_, ended = happens(once, "take horse")
    assert ended == GameEnded("walls", (0, 1))
    assert due(after(once, "take horse")) is None
    assert after(once, "take horse").table.display == bag("lyre"), "it is not filled again"


def test_7_1_ended_early_the_last_turn_is_the_last() -> None:
    now = position(LAND, red=RED_WALLS - 1, last_turn=True)
    assert happens(now, "end") == (GameEnded("walls", (0, 1)),)


def test_7_1_the_last_black_wall_does_not_end_the_game() -> None:
    now = position(LAND, phase="march", chosen="lyre", black=2)
    then = after(now, "march Larissa A3-B4-C5")
    assert (then.table.black, then.table.red) == (0, RED_WALLS)
    assert happens(then, "end") == (TurnEnded(0),)


# --- 7.2 points -----------------------------------------------------------------------------------------


def test_7_2_the_levy_is_scored_for_everyone_and_the_game_ends_at_once() -> None:
    walls = fence(ROW, list(ROW.symbols)[:8])
    now = position(ROW, hands=("horse", "", ""), guards=("Ha", "Sa"), walls=walls, scores=(94, 96, 0))
    levied, ended = happens(now, "levy horse")
    assert levied.gains == (6, 5, 0)
    assert ended == GameEnded("points", (1,))
    then = after(now, "levy horse")
    assert (then.table.scores, then.table.phase) == ((100, 101, 0), Phase.OVER)
    assert then.table.actions_left == 0
    assert offers(then) == []


def test_7_2_points_go_before_every_other_reason() -> None:
    for more in ({"last_turn": True, "red": 3}, {"last_turn": True}, {"idle": 30}):
        *_, ended = happens(levying(97, 0, **more), "levy horse")
        assert ended == GameEnded("points", (0,))


@pytest.mark.parametrize(
    ("edition", "before", "over"),
    [
        (RIO_GRANDE, 96, False),
        (RIO_GRANDE, 97, True),
        (IDENTITY_GAMES, 97, False),
        (IDENTITY_GAMES, 98, True),
    ],
)
def test_9_2_the_winning_score(edition: Edition, before: int, over: bool) -> None:
    then = after(levying(before, 0, edition=edition), "levy horse")
    assert then.table.over is over
    assert then.table.scores == (before + 3, 0)


# --- 7.3 the winners ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "winners"),
    [((5, 9, 2), (1,)), ((9, 5, 9), (0, 2)), ((0, 0, 0, 0), (0, 1, 2, 3)), ((100, 104), (1,))],
)
def test_7_3_most_points_win_and_equals_share(scores: tuple[int, ...], winners: tuple[int, ...]) -> None:
    now = position(LAND, hands=("",) * len(scores), scores=scores, last_turn=True, actions_left=1)
    then = after(now, "take horse")
    assert then.table.winners == winners


# --- 7.4 stalemate --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_7_4_ten_turns_of_every_seat_in_which_nothing_happened(seats: int) -> None:
    everybody = tuple(range(seats))
    assert happens(idling(10 * seats - 2, seats), "end") == (TurnEnded(0),)
    assert happens(idling(10 * seats - 1, seats), "end") == (GameEnded("stalemate", everybody),)
    now = after(idling(10 * seats - 1, seats), "draw", dice="temple")
    *_, ended = happens(now, "take horse")
    assert ended == GameEnded("stalemate", everybody)


def test_7_4_a_turn_is_counted_when_it_ends_and_not_when_it_ends_the_game() -> None:
    assert after(idling(4), "end").table.idle == 5
    assert after(idling(19), "end").table.idle == 19


def test_7_4_a_new_wall_or_a_point_starts_the_count_anew() -> None:
    now = position(LAND, phase="march", chosen="lyre", idle=19, walls="A3-B4-C5")
    assert after(now, "march Larissa A3-B4-C5", "end").table.reason == "stalemate"
    laid = after(now, "march Larissa A3-B2-C3", "end")
    assert (laid.table.phase, laid.table.idle) == (Phase.CARD, 0)
    scored = after(levying(0, 0, idle=19), "levy horse", "end")
    assert (scored.table.phase, scored.table.idle) == (Phase.CARD, 0)


def test_7_4_a_levy_worth_nothing_is_no_point() -> None:
    now = position(ROW, hands=("horse", ""), guards=("Ha La",), idle=19)
    assert after(now, "levy horse", "end").table.reason == "stalemate"


def test_7_4_a_point_of_another_seat_counts_too() -> None:
    walls = fence(ROW, list(ROW.symbols)[:8])
    now = position(ROW, hands=("horse", ""), guards=("Ha La", "Sa"), idle=19, walls=walls)
    assert after(now, "levy horse", "end").table.idle == 0


def test_7_4_the_other_reasons_go_before() -> None:
    assert happens(idling(19, last_turn=True), "end")[0].reason == "no march"
    assert happens(idling(19, last_turn=True, red=9), "end")[0].reason == "walls"


# --- an end by agreement --------------------------------------------------------------------------------


def test_7_3_closed_by_agreement_at_any_time_the_highest_score_wins() -> None:
    for now in (position(LAND), position(LAND, phase="march", chosen="lyre"), levying(7, 7, 3)):
        ended = close_game(now.table)
        check(now, ended)
        best = max(now.table.scores)
        assert ended.winners == tuple(at for at, score in enumerate(now.table.scores) if score == best)
        assert evolve(now, ended).table.over
    with pytest.raises(InvalidEvent):
        check(levying(7, 7, 3), GameClosed((0,)))


# --- 8. secret and public -------------------------------------------------------------------------------


def secrets(first: str, second: str) -> Position:
    return position(LAND, hands=("horse", first, second), display="temple temple")


def test_8_1_a_view_knows_the_own_hand_and_how_many_cards_the_others_hold() -> None:
    now = secrets("lyre soldier", "temple")
    mine = view(now, 1)
    assert (mine.hand, mine.hand_sizes, mine.supply_size) == (bag("lyre soldier"), (1, 2, 1), 49)
    nobody = view(now, None)
    assert (nobody.hand, nobody.hand_sizes) == (EMPTY, (1, 2, 1))
    assert not nobody.my_turn
    assert {field.name for field in fields(View)} == {"table", "me", "hand", "hand_sizes", "supply_size"}


def test_8_1_what_is_hidden_makes_no_difference() -> None:
    one, other = secrets("lyre soldier", "temple"), secrets("amphora amphora", "soldier")
    assert one != other
    assert view(one, 0) == view(other, 0)
    assert view(one, None) == view(other, None)
    assert view(one, 1) != view(other, 1)


def test_8_1_a_card_drawn_by_another_is_a_card() -> None:
    drawn = CardDrawn(1, Symbol.LYRE)
    assert veil_event(drawn, 1) == drawn
    assert veil_event(drawn, 0) == veil_event(drawn, None) == CardDrawnVeiled(1)


def test_8_1_the_deal_shows_everybody_his_own_card() -> None:
    dealt = GameStarted("Alexandros", "rio-grande", ("Anna", "Ben"), (bag("horse"), bag("lyre")), bag("lyre"))
    seen = veil_event(dealt, 1)
    assert isinstance(seen, GameStartedVeiled)
    assert seen.hand == bag("lyre")
    unseen = veil_event(dealt, None)
    assert isinstance(unseen, GameStartedVeiled)
    assert unseen.hand == EMPTY


def test_8_2_everything_else_is_public() -> None:
    guard = places(LAND, "Larissa")
    public: list[Event] = [
        CardChosen(0, Symbol.LYRE, "display"),
        CardChosen(0, Symbol.LYRE, "hand"),
        CardTaken(0, Symbol.LYRE),
        CardOpened(Symbol.LYRE),
        AlexanderStayed(0, Symbol.LYRE),
        ProvinceTakenOver(0, 1, guard, guard, bag("lyre lyre"), bag("lyre")),
    ]
    for event in public:
        assert all(veil_event(event, me) == event for me in (None, 0, 1, 2))
    now = secrets("lyre", "temple")
    assert all(view(now, me).table == now.table for me in (None, 0, 1, 2))


def test_8_3_nothing_is_drawn_by_what_is_refused_and_every_draw_is_an_event() -> None:
    now = position(LAND, phase="card", display="horse lyre")
    refused(now, "choose temple", "4.1")
    assert [type(event) for event in happens(now, "choose lyre", dice="lyre")] == [CardChosen, CardOpened]
    acting = position(LAND)
    assert [type(event) for event in happens(acting, "draw", dice="lyre")] == [CardDrawn]


# --- 9. editions ----------------------------------------------------------------------------------------


def test_9_the_printed_editions() -> None:
    assert list(EDITIONS.values())[:2] == [RIO_GRANDE, IDENTITY_GAMES]
    dutch = position(LAND, edition=IDENTITY_GAMES)
    assert replace(dutch.table, edition=RIO_GRANDE) == position(LAND).table


@pytest.mark.parametrize(
    ("edition", "laid"), [(RIO_GRANDE, ["A3-B2", "B2-C3", "C3-D4"]), (IDENTITY_GAMES, [])]
)
def test_9_1_coast_and_rim_sides(edition: Edition, laid: list[str]) -> None:
    now = position(LAND, phase="march", chosen="lyre", edition=edition)
    (marched,) = happens(now, "march Larissa A3-B2-C3-D4")
    assert [str(edge) for edge in marched.walls] == laid
    then = after(now, "march Larissa A3-B2-C3-D4").table
    assert then.walls_left == 75 - len(laid)
    assert str(then.alexander) == "D4"


def test_9_1_a_rim_side_without_a_wall_costs_nothing() -> None:
    now = position(LAND, phase="march", chosen="lyre", edition=IDENTITY_GAMES, black=0, red=1)
    assert "march Larissa A3-B2-C3-D4" in offers(now)
    then = after(now, "march Larissa A3-B2-C3-D4")
    assert not then.table.last_turn
    assert (then.table.red, then.table.stirred) == (1, False)
    assert all(line.split()[2] != "A3-B4-C3" for line in offers(now))


def test_9_1_a_space_on_a_walled_coast_is_not_empty_and_on_a_bare_one_it_is() -> None:
    path = "march Larissa A3-B2-C3-D4"
    english, dutch = (
        after(position(LAND, phase="march", chosen="lyre", edition=edition), path).table
        for edition in (RIO_GRANDE, IDENTITY_GAMES)
    )
    larissa = set(LAND.sides_around[LAND.places["Larissa"]])
    assert larissa & english.walls == along(LAND, "C3-D4")
    assert not larissa & dutch.walls


def test_9_1_the_rim_bounds_a_province_in_every_edition() -> None:
    for edition in EDITIONS.values():
        now = position(LAND, phase="march", chosen="lyre", edition=edition)
        then = after(now, "march Larissa A3-B4-C5-D4")
        assert len(province(then, "Larissa").spaces) == 4
