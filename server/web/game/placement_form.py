"""The form in which guards are placed and cards handed over: what it says, and what that comes to.

The page asks for the sum at each change, and shows the piece of a page that comes back. To ask changes
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import say
from emails.wording import costs
from emails.wording.costs import Sum, Verb
from engine.cards import COPIES, Bag, Symbol
from engine.position import GUARDS, View
from server.web.game.ticket_context import find

LONGEST_NAME = 40
"""Characters of a place or a symbol that are read."""
GIVE = "give-"
"""How the fields begin that say how many cards of a symbol the loser gets."""
MOST_GIVEN = 60
"""More cards than there are."""
VERBS: dict[str, Verb] = {"occupy": "occupy", "takeover": "takeover"}
pages = Blueprint("placement_form", __name__)


@dataclass(frozen=True, slots=True)
class Placing:
    """What the form says, as it was sent."""

    verb: Verb
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

    def sum(self, view: View) -> Sum:
        """What it comes to for a reader."""
        places = view.table.board.places
        unknown = next((name for name in self.guards if name not in places), None)
        if unknown is not None:
            return Sum(False, (say("There is no symbol space “%(name)s” on this board.", name=unknown),))
        guards = tuple(sorted(places[name] for name in self.guards))
        given = (
            None if self.given is None else Bag.of(Symbol(name) for name in self.given if name in [*Symbol])
        )
        return costs.sum_of(view, self.verb, guards, given)


def placing() -> Placing | None:
    """What the form said that this request carries; None where it carries none."""
    verb = VERBS.get(request.args.get("place", ""))
    if verb is None:
        return None
    guards = tuple(name[:LONGEST_NAME] for name in request.args.getlist("guard")[: GUARDS + 2])
    given: list[str] = []
    asked = False
    for name, value in request.args.items():
        symbol = name.removeprefix(GIVE)[:LONGEST_NAME]
        if name.startswith(GIVE):
            asked = True
            number = min(int(value[:4]), COPIES) if value.isascii() and value.isdigit() else 0
            given += [symbol] * number
    return Placing(verb, guards, tuple(given[:MOST_GIVEN]) if asked else None)


@pages.get("/t/<token>/sum")
def show(token: str) -> ResponseReturnValue:
    """What the guards and cards that are chosen would cost and bring, for the bearer, as the game is now."""
    case = find(token)
    asked = placing()
    if case.history.position is None or asked is None:
        found = Sum(False, (say(costs.NOT_NOW),))
    else:
        found = asked.sum(case.view)
    return render_template("sum.html", sum=found)
