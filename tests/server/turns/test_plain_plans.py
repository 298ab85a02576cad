"""Plans as people write them, a card with its place and no condition: all that are legal are played."""

import random
from collections import Counter

import pytest

from engine.actions import Choose, March
from engine.board import Space
from engine.bots import stand_in
from engine.evolve import evolve
from engine.plans import foresee_turn
from engine.position import Position, view
from engine.rules import card_choices, legal, perform
from server.store.states import Channel
from server.turns.play import play_turn
from tests.server.desk import NOON, PEOPLE, game_row, start_game
from tests.server.planning import SOON, acts, plan, play_due_plans
from tests.server.turns.test_play import position_of

TURNS = 12
"""Of each game."""


def list_ways(now: Position, seat: int) -> set[tuple[Choose, Space]]:
    """The open cards that a seat could choose if its turn were now, each with the places it leads to."""
    known = foresee_turn(view(now, seat))
    begun, found = Position(known.table, now.hands, now.supply), set()
    for card in card_choices(known):
        if isinstance(card, Choose):
            marching = evolve(begun, perform(begun, card, no_dice))
            marches = (one for one in legal(view(marching, seat)) if isinstance(one, March))
            found |= {(card, march.target) for march in marches}
    return found


def no_dice(_):
    raise AssertionError("nothing is drawn")


def live(context, people, seed):
    """Count plans: how many were legal in their turn, and how many were played."""
    dice, counts = random.Random(seed), Counter()
    context.rng.seed(seed)
    game = start_game(context, *people)
    for _ in range(TURNS):
        now = position_of(context, game)
        seat = (now.table.seat + 1) % len(people)
        ways = sorted(list_ways(now, seat), key=repr)
        if not ways or now.table.last_turn:
            break
        card, place = way = dice.choice(ways)
        plan(context, game, seat, f"plan: {card.card}; march {now.table.board.names[place]}; draw")
        play_turn(context, game, game_row(context, game).after, stand_in, Channel.HOUSE, NOON)
        begun = position_of(context, game)
        is_legal = not begun.table.over and way in list_ways(begun, seat)
        play_due_plans(context, SOON)
        is_played = acts(context, game)[-1][1] == "plan"
        counts += Counter(kept=1, legal=is_legal, played=is_played, both=is_legal and is_played)
        if game_row(context, game).seat == seat:
            play_turn(context, game, game_row(context, game).after, stand_in, Channel.HOUSE, NOON)
    return counts


@pytest.mark.parametrize("many", [2, 3, 4])
def test_all_plain_plans_that_are_legal_in_their_turn_are_played(context, many):
    found = sum((live(context, PEOPLE[:many], seed) for seed in range(4)), Counter())
    assert found["legal"] == found["played"] == found["both"]
    assert found["played"] > 5
