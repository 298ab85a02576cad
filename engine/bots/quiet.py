"""The quiet caretaker: keeps an absent player's seat unharmed and does nothing for it but take cards."""

from __future__ import annotations

from functools import cache

from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, March, Play, Stay, Take
from engine.bots.candidates import best, some_marches
from engine.lattice import Side, Space
from engine.position import Phase, Table, View
from engine.provinces import levy_gains, province_at

MOST_QUIET_MARCHES = 300
"""Marches the caretaker looks at in one decision."""
LOST_POINT_WORTH = 100
"""What a lost point is to the caretaker in walls: more than there are."""


def stand_in(known: View) -> Action:
    """The action of one who keeps an absent player's seat unharmed: quiet marches, then cards for them."""
    table = known.table
    match table.phase:
        case Phase.CARD:
            return _quiet_card(known)
        case Phase.MARCH:
            return _quiet_march(table, march_rules.targets_of_chosen(table), MOST_QUIET_MARCHES)[1]
        case Phase.ACTIONS if known.supply_size:
            return Draw()
        case Phase.ACTIONS:
            return next((Take(card) for card in table.display.kinds()), End())
        case Phase.OVER:
            return End()


def _quiet_card(known: View) -> Choose | Play | Stay:
    """A display card with the quietest march; a hand card only where no display card can march."""
    table, choices = known.table, list(rules.card_choices(known))
    kept = [one for one in choices if not isinstance(one, Play)] or choices
    judged: list[tuple[float, Choose | Play | Stay]] = []
    for choice in kept:
        if isinstance(choice, Stay):
            judged.append((0.0, choice))
        else:
            spaces = march_rules.targets(table, choice.card, from_display=isinstance(choice, Choose))
            judged.append((_quiet_march(table, spaces, MOST_QUIET_MARCHES // len(kept))[0], choice))
    return best(table.board, judged)[1]


def _quiet_march(table: Table, spaces: tuple[Space, ...], most: int) -> tuple[float, March]:
    """The march with the fewest walls that leaves the mover what they score, else the least harmful one."""
    now = levy_gains(table)[table.seat]
    own = {space for place in table.guards[table.seat] for space in province_at(table, place).spaces}

    @cache
    def lost(inside: frozenset[Side]) -> int:
        walled = table.walled | table.board.grid.mask_sides(inside)
        return max(0, now - levy_gains(table.but(walled=walled))[table.seat]) if inside else 0

    judged: list[tuple[float, March]] = []
    for march in some_marches(table, spaces, most):
        laid = march_rules.new_walls(table, march.path)
        inside = frozenset(edge for edge in laid if own.issuperset(table.board.spaces_on[edge]))
        judged.append((-LOST_POINT_WORTH * lost(inside) - len(laid), march))
    return best(table.board, judged)
