"""The form in which guards are placed and cards handed over: what was filled in, and what it costs.

The page asks for the sum at each change, and shows the piece of a page that comes back. To ask changes
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.wording import costs
from emails.wording.costs import ConquestVerb, PlacementCheck
from engine.cards import COPIES, Bag, Symbol
from engine.notation.canonical_text import Verb
from engine.position import GUARDS_PER_SEAT, View
from engine.provinces import province_at
from server.store.histories import StartedHistory
from server.web.game.dock.turn_state import load_state
from server.web.game.ticket_context import load_ticket

LONGEST_FIELD_NAME = 40
"""Characters of a place or a symbol that are read."""
GIVE_FIELD_PREFIX = "give-"
"""How the fields begin that say how many cards of a symbol the loser gets."""
MOST_CARDS_GIVEN = 60
"""More cards than there are."""
VERBS: dict[str, ConquestVerb] = {"occupy": Verb.OCCUPY, "takeover": Verb.TAKEOVER}
pages = Blueprint("placement_form", __name__)


@dataclass(frozen=True, slots=True)
class PlacementForm:
    """What the form says, as it was sent."""

    verb: ConquestVerb
    guards: tuple[str, ...]
    """Names of places."""
    given: tuple[str, ...] | None
    """Names of symbols, one for each card; None where no such field was sent."""

    @property
    def words(self) -> str:
        """The same as an order; empty where no guard is placed."""
        if not self.guards:
            return ""
        return f"{self.verb} {'+'.join(self.guards)}" + (
            f" give {'+'.join(self.given)}" if self.given else ""
        )

    def province_in(self, view: View) -> str:
        """The name of the province in which the first guard is to stand; empty where there is none."""
        places = view.table.board.places
        first = next((places[name] for name in self.guards if name in places), None)
        return "" if first is None else str(province_at(view.table, first).first)

    def cost_for(self, view: View) -> PlacementCheck:
        """What it comes to for a reader."""
        places = view.table.board.places
        unknown = next((name for name in self.guards if name not in places), None)
        if unknown is not None:
            return PlacementCheck(
                False, (gettext("There is no symbol space “%(name)s” on this board.", name=unknown),)
            )
        guards = tuple(sorted(places[name] for name in self.guards))
        given = (
            None if self.given is None else Bag.of(Symbol(name) for name in self.given if name in [*Symbol])
        )
        return costs.check_placement(view, self.verb, guards, given)


def read_placement_form() -> PlacementForm | None:
    """What the form said that this request carries; None where it carries none."""
    verb = VERBS.get(request.values.get("place", ""))
    if verb is None:
        return None
    ticked = request.values.getlist("guard")[: GUARDS_PER_SEAT + 2]
    guards = tuple(name[:LONGEST_FIELD_NAME] for name in ticked)
    given: list[str] = []
    asked = False
    for name, value in request.values.items():
        symbol = name.removeprefix(GIVE_FIELD_PREFIX)[:LONGEST_FIELD_NAME]
        if name.startswith(GIVE_FIELD_PREFIX):
            asked = True
            number = min(int(value[:4]), COPIES) if value.isascii() and value.isdigit() else 0
            given += [symbol] * number
    return PlacementForm(verb, guards, tuple(given[:MOST_CARDS_GIVEN]) if asked else None)


@pages.get("/t/<token>/sum")
def show_cost(token: str) -> ResponseReturnValue:
    """What the guards and cards that are chosen would cost and bring, for the bearer, as the game is now."""
    case = load_ticket(token)
    asked = read_placement_form()
    if not isinstance(case.history, StartedHistory) or asked is None:
        found = PlacementCheck(False, (gettext(costs.NOT_YOUR_ACTIONS),))
    else:
        known = load_state(case).known if case.view.my_turn else case.view
        found = asked.cost_for(known)
    return render_template("placement_sum.html", sum=found)
