"""A position after actions of one player, as far as they know it: no card is turned, and none is dealt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.actions import Action, Draw, End, Illegal
from engine.cards import EMPTY, Bag, any_card
from engine.events import GameEnded, SupplyRenewed
from engine.evolve import evolve
from engine.position import Phase, Position, View, view
from engine.rules import due, perform


@dataclass(frozen=True, slots=True)
class KnownPosition:
    """A position of a turn, with what its player can know of it."""

    position: Position
    seat: int
    over: bool = False
    """Whether the turn has ended."""

    @property
    def known(self) -> View:
        """What its player knows."""
        return view(self.position, self.seat)

    def after(self, action: Action) -> KnownPosition | None:
        """What stands after an action; None where it is not legal."""
        if self.over:
            return None
        try:
            event = perform(self.position, action, any_card)
        except Illegal:
            return None
        if isinstance(action, Draw):
            return self._after_draw()
        if isinstance(action, End):
            return replace(self, over=True)
        position = evolve(self.position, event)
        coming = due(position)
        if coming is SupplyRenewed:
            position = evolve(position, SupplyRenewed())
        table = position.table
        spent = table.phase is Phase.ACTIONS and table.actions_left == 0
        return replace(self, position=position, over=spent or coming is GameEnded)

    def after_all(self, actions: Sequence[Action]) -> KnownPosition | None:
        """What stands after several actions."""
        now: KnownPosition | None = self
        for action in actions:
            if now is None:
                return None
            now = now.after(action)
        return now

    def _after_draw(self) -> KnownPosition:
        """A card less in the supply and an action less; the card itself is not known, so it is not held."""
        position = self.position
        table = position.table.but(actions_left=position.table.actions_left - 1)
        supply = position.supply - Bag.of([any_card(position.supply)])
        made = Position(table, position.hands, supply)
        if not supply and table.discard:
            made = evolve(made, SupplyRenewed())
        return replace(self, position=made, over=table.actions_left == 0)


def look_out(known: View) -> KnownPosition:
    """What a player knows now, in a form in which their actions can be tried."""
    seat = known.my_seat
    hands = tuple(known.hand if one == seat else EMPTY for one in range(len(known.table.names)))
    return KnownPosition(Position(known.table, hands, Bag((known.supply_size, 0, 0, 0, 0))), seat)
