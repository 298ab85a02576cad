"""The house and the caretaker: always legal, on any board; the one wins, the other does no harm."""

from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

import pytest

from engine import march_rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Play, Recall, Stay, Take
from engine.bots import play_to_win, stand_in
from engine.bots.fallbacks import MOST_QUIET_MARCHES
from engine.cards import Symbol
from engine.editions import EDITIONS
from engine.evolve import evolve, start
from engine.position import Phase, Position, View, view
from engine.provinces import levy_gains
from engine.rules import card_choices, deal, decide
from tests.breadth import first
from tests.engine.build import PEOPLE, alexandros, board, everything_but, fence, no_dice, position, spaces
from tests.engine.players import BOARDS, Game, Taste, anybody, draw_from, game, governor, play, shuffled


def taste(bot: Callable[[View], Action]) -> Taste:
    return lambda known, dice: bot(known)


plays_house, plays_caretaker = taste(play_to_win), taste(stand_in)


def played(seed: int, *tastes: Taste, edition: str = "rio-grande", name: str = "alexandros") -> Game:
    dice = Random(seed)
    first = deal(BOARDS[name], edition, PEOPLE[: len(tastes)], draw_from(dice))
    return play(start(BOARDS[name], first), first, tastes, dice)


def positions(name: str, seeds: range, every: int) -> Iterator[Position]:
    for seed in seeds:
        yield from islice((act.before for act in game(name, seed).acts), seed % every, None, every)


def known_to_mover(now: Position) -> View:
    return view(now, now.table.seat)


# --- both are legal -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", first(2, BOARDS))
@pytest.mark.parametrize("player", [play_to_win, stand_in])
def test_what_they_do_is_legal_in_the_positions_of_random_games(player, name):
    for now in positions(name, range(24), 7):
        action = player(known_to_mover(now))
        assert decide(now, now.table.seat, action, draw_from(Random(1)))


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_their_games_end_on_every_board(name, edition, seats):
    tastes = (plays_house, plays_caretaker, plays_house, governor)[:seats]
    assert played(seats, *tastes, edition=edition, name=name).last.table.over


def hoarded() -> Iterator[Position]:
    """A position of each phase in which seat 0 holds all cards but four."""
    cards = {"hands": (everything_but("lyre horse temple temple"), ""), "display": "lyre horse"}
    for phase, chosen in [("card", None), ("march", "lyre"), ("actions", None)]:
        yield position(alexandros(), phase=phase, chosen=chosen, **cards, supply="temple")


@pytest.mark.parametrize("player", [play_to_win, stand_in])
def test_a_hoarded_hand_is_no_matter(player):
    for now in hoarded():
        assert decide(now, 0, player(known_to_mover(now)), draw_from(Random(1)))


@pytest.mark.parametrize("player", [play_to_win, stand_in])
def test_they_choose_by_what_they_know_alone(player):
    dice = Random(5)
    for now in positions("alexandros", range(4), 9):
        other = shuffled(now, now.table.seat, dice)
        assert player(known_to_mover(now)) == player(known_to_mover(other))


# --- the house ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rival", [anybody, governor])
@pytest.mark.parametrize("seats", first(1, [2, 3, 4]))
def test_the_house_beats_who_plays_at_random(rival, seats):
    won = 0
    for seed in range(2 * seats):
        tastes = [rival] * seats
        tastes[seed % seats] = plays_house
        won += played(seed, *tastes).last.table.winners == (seed % seats,)
    assert won >= 2 * seats - 1


@pytest.mark.parametrize("seats", first(1, [2, 3, 4]))
def test_games_of_the_house_alone_mostly_end_by_points_after_a_fair_number_of_turns(seats):
    games = ((seed, edition) for seed in range(3) for edition in EDITIONS)
    ends = [played(seed, *[plays_house] * seats, edition=edition).last.table for seed, edition in games]
    assert all(15 <= table.turn <= 60 for table in ends)
    assert sum(table.reason == "points" for table in ends) >= 4


STRIP = board("h..l...s...a..t..h")
WEST = "AB2 AB3 AB4 AB5 AB6"
"""Two symbol spaces, Ha and La, and three open ones."""
EAST = "AB13 AB14 AB15 AB16 AB17 AB18 AB19"
"""Three symbol spaces, Aa, Ta and Hb, and four open ones."""


def parted(**changes: object) -> Position:
    """The strip, with a province in the west, one in the east, and Sa in the one between."""
    walls = f"{fence(STRIP, spaces(STRIP, WEST))} {fence(STRIP, spaces(STRIP, EAST))}"
    return position(STRIP, walls=walls, **changes)


def test_the_house_levies_when_that_wins():
    now = parted(guards=("Ha", "Hb"), hands=("horse", "lyre"), scores=(97, 50))
    assert play_to_win(known_to_mover(now)) == Levy(Symbol.HORSE)


def test_the_house_takes_back_a_guard_that_keeps_its_province_from_scoring():
    now = parted(guards=("Ta Hb", "Ha Sa"), hands=("", ""))
    assert isinstance(play_to_win(known_to_mover(now)), Recall)


def test_the_house_ends_its_turn_only_when_nothing_is_left_to_do():
    nothing = everything_but("")
    now = parted(hands=("", nothing), display="", supply="", guards=("Ha", "Sa Hb"))
    assert play_to_win(known_to_mover(now)) == End()
    assert play_to_win(known_to_mover(parted(hands=("", ""), guards=("Ha", "Hb")))) != End()


# --- the caretaker --------------------------------------------------------------------------------------


def harm(now: Position, march: March) -> tuple[int, int]:
    """The points that a march would cost its player's levies, and the walls it would lay."""
    table = now.table
    laid = march_rules.new_walls(table, march.path)
    after = table.but(walled=table.walled | table.board.grid.mask_sides(laid))
    return max(0, levy_gains(table)[table.seat] - levy_gains(after)[table.seat]), len(laid)


def ways(now: Position) -> list[March]:
    """Every march with any card that the caretaker may choose."""
    table, choices = now.table, list(card_choices(known_to_mover(now)))
    shown = [one for one in choices if isinstance(one, Choose)]
    found = []
    for one in shown or choices:
        if not isinstance(one, Stay):
            aims = march_rules.targets(table, one.card, from_display=bool(shown))
            found += march_rules.marches(table, aims)
    return found


@pytest.mark.parametrize("name", first(3, BOARDS))
def test_the_caretaker_marches_with_the_least_harm_and_then_the_fewest_walls(name):
    harmless = 0
    for now in positions(name, range(30), 5):
        if now.table.phase is not Phase.CARD:
            continue
        possible = ways(now)
        choice = stand_in(known_to_mover(now))
        assert not possible or not isinstance(choice, Stay)
        if not possible or len(possible) > MOST_QUIET_MARCHES // 2:
            continue
        chosen = now
        for event in decide(now, now.table.seat, choice, draw_from(Random(1))):
            chosen = evolve(chosen, event)
        march = stand_in(known_to_mover(chosen))
        assert isinstance(march, March)
        assert harm(now, march) == min(harm(now, one) for one in possible)
        harmless += harm(now, march)[0] == 0
    assert harmless or name == "bare"


def test_the_caretaker_keeps_the_hand_while_a_display_card_can_march():
    for now in positions("alexandros", range(12), 3):
        choice = stand_in(known_to_mover(now))
        if isinstance(choice, Play):
            assert not any(isinstance(one, Choose) for one in card_choices(known_to_mover(now)))


def test_the_caretaker_draws_then_takes_then_ends():
    rest = everything_but("horse")
    assert stand_in(known_to_mover(parted(hands=("", "lyre"), guards=("Ha",)))) == Draw()
    now = parted(hands=("", rest), display="horse", supply="")
    assert stand_in(known_to_mover(now)) == Take(Symbol.HORSE)
    assert stand_in(known_to_mover(parted(hands=("", everything_but("")), display="", supply=""))) == End()


def test_the_caretaker_neither_scores_nor_spends():
    last = played(3, plays_caretaker, plays_caretaker).last
    assert last.table.scores == (0, 0)
    assert decide(parted(), 0, End(), no_dice)
