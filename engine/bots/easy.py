"""*Easy* plays like a friendly beginner: it builds and levies, takes nothing from anybody, and often errs.

Most of what it does it does without much thought, by dice that fall by the view alone.
"""

from __future__ import annotations

from itertools import islice

from engine import action_rules, march_rules, rules
from engine.actions import Action, Draw, End, Levy, March, Occupy, TakeOver
from engine.bots.candidates import some_marches
from engine.bots.greedy import play_to_win
from engine.bots.tempers import Temper
from engine.bots.worlds import Dice, dice_of
from engine.lattice import corners
from engine.position import Phase, View
from engine.provinces import levy_gains

THOUGHTLESS = 95
"""Of a hundred decisions, those made without much thought."""
FORGETFUL = {Temper.BUILDER: 46, Temper.RAIDER: 50, Temper.HOARDER: 56}
"""Of a hundred times, those it takes a card without a look at what else could be done."""
MOST_MARCHES = 60
"""Marches of which it picks one at random."""
MOST_PLACEMENTS = 12
"""Ways to occupy a province of which it picks one at random."""


def play_easily(known: View, temper: Temper = Temper.RAIDER) -> Action:
    """The next action of a friendly beginner: a builder, a hoarder, or a raider who only dreams of it."""
    dice = dice_of(known)
    if known.table.over:
        return End()
    if dice.throw(100) >= THOUGHTLESS:
        action = play_to_win(known)
        if not isinstance(action, TakeOver):
            return action
    return _play_thoughtlessly(known, dice, temper)


def _play_thoughtlessly(known: View, dice: Dice, temper: Temper) -> Action:
    table = known.table
    match table.phase:
        case Phase.CARD:
            choices = list(rules.card_choices(known))
            return choices[dice.throw(len(choices))]
        case Phase.MARCH:
            some = list(some_marches(table, march_rules.targets_of_chosen(table), MOST_MARCHES))
            picked = [some[dice.throw(len(some))] for _ in range(2 if temper is Temper.RAIDER else 1)]
            return min(picked, key=lambda march: _steps_to_rival(known, march))
        case _:
            return _act_thoughtlessly(known, dice, temper)


def _steps_to_rival(known: View, march: Action) -> int:
    """How far from the nearest guard of somebody else a march ends; 0 where nobody has one."""
    table = known.table
    if not isinstance(march, March):
        return 0
    far = table.board.distances_from(march.path[-1])
    guarded = [space for seat, own in enumerate(table.guards) if seat != table.seat for space in own]
    return min((far[corner] for space in guarded for corner in corners(space)), default=0)


def _act_thoughtlessly(known: View, dice: Dice, temper: Temper) -> Action:
    """Occupies what it can, levies when that is no worse for it than for others, else takes a card."""
    table = known.table
    if known.supply_size and dice.throw(100) < FORGETFUL[temper]:
        return Draw()
    ways: list[tuple[int, Occupy]] = []
    for siege in action_rules.find_sieges(table, table.seat, known.hand):
        if siege.province.holder is None and siege.province.value:
            placements = islice(siege.guard_places(table), MOST_PLACEMENTS)
            ways += [(siege.province.value, Occupy(guards)) for guards in placements]
    if ways:
        picked = [ways[dice.throw(len(ways))] for _ in range(2 if temper is Temper.BUILDER else 1)]
        return max(picked, key=lambda way: way[0])[1]
    gains = levy_gains(table)
    cards = action_rules.levy_cards(table, table.seat, known.hand)
    if cards and gains[table.seat] and gains[table.seat] == max(gains):
        return Levy(cards[0])
    return Draw() if known.supply_size else End()
