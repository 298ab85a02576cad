"""The turn as its player has it before them: what is played, what is drafted, what they look at.

A card, a corner or a province that is looked at stands in the address and is kept nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from flask import request

from engine.actions import Choose, Play
from engine.events import AlexanderMarched, GuardRecalled, ProvinceOccupied, ProvinceTakenOver
from engine.lattice import Point, corners
from engine.march_rules import Path
from engine.notation.canonical_text import write
from engine.position import Phase, Position, View
from engine.provinces import Province, provinces
from engine.rules import card_choices, due
from engine.views import view
from server.turns.drafts import SEPARATOR, DraftedTurn, compile_draft, load_draft, mark_draft
from server.turns.dry_run import LinesRefused
from server.turns.turn_advice import is_advice_given
from server.web.game.dock.march_ways import MarchDecision
from server.web.game.ticket_context import TicketContext, link_of
from server.web.kit.request_context import current_context


@dataclass(frozen=True, slots=True)
class DockSelection:
    """What is selected in the dock: the words of a card, the names of a corner and of a province."""

    card: str = ""
    corner: str = ""
    province: str = ""

    def link(self, case: TicketContext) -> str:
        """The page of the turn that shows this."""
        named = {"card": self.card, "corner": self.corner, "province": self.province}
        asked = urlencode({name: value for name, value in named.items() if value})
        return f"{case.page or link_of(case.turn_ticket)}{'&' if asked else ''}{asked}"


def read_look() -> DockSelection:
    """What the address of this request looks at, or its form."""
    given = request.values.get
    return DockSelection(given("card", "")[:40], given("corner", "")[:8], given("province", "")[:8])


@dataclass(frozen=True)
class TurnState:
    """A turn that its player is at."""

    case: TicketContext
    draft: DraftedTurn | None
    """What is drafted; None for nothing."""
    asked: DockSelection = DockSelection()
    next: tuple[str, ...] = ()
    """What a whole turn that was chosen does next: it cannot be drafted."""

    @property
    def drafted(self) -> tuple[str, ...]:
        """The actions of the draft."""
        return self.draft.kept if self.draft else ()

    @property
    def words(self) -> str:
        """The same in one line."""
        return SEPARATOR.join(self.drafted)

    @property
    def mark(self) -> str:
        """By what a page tells the draft from another one."""
        return mark_draft(self.words)

    @property
    def position(self) -> Position:
        """The position that the draft leads to."""
        return self.draft.seen.position if self.draft else self.case.position

    @cached_property
    def known(self) -> View:
        """What its player knows there."""
        return view(self.position, self.case.ticket.seat) if self.draft else self.case.view

    @property
    def turns_up(self) -> bool:
        """Whether playing the draft turns up a card (8.3)."""
        return self.draft is not None and self.draft.seen.hidden

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left but to end the turn."""
        return self.known.table.phase is Phase.ACTIONS and due(self.position) is not None

    @property
    def is_last_action(self) -> bool:
        """Whether whatever is done now ends the turn."""
        table = self.known.table
        return table.phase is Phase.ACTIONS and table.actions_left == 1 and not self.is_complete

    @cached_property
    def cards(self) -> dict[str, Choose | Play]:
        """The cards with which the turn can begin, by their words."""
        if self.known.table.phase is not Phase.CARD:
            return {}
        board = self.known.table.board
        return {
            write(card, board): card for card in card_choices(self.known) if isinstance(card, Choose | Play)
        }

    @cached_property
    def card(self) -> str:
        """The words of the card that is looked at.

        Of a corner alone it is the first that leads there, and where nobody has chosen any it is the card of
        the display that does most at once.
        """
        if self.asked.card in self.cards:
            return self.asked.card
        corner = self.known.table.board.point_names.get(self.asked.corner)
        found = next((words for words, one in self.decisions.items() if corner in one.goals), "")
        if self.draft is not None or (corner and found):
            return found if corner else ""
        rated = {
            words: self.decisions[words] for words, card in self.cards.items() if isinstance(card, Choose)
        }
        return max(rated, key=lambda words: rated[words].merit, default=next(iter(self.cards), ""))

    @cached_property
    def decisions(self) -> dict[str, MarchDecision]:
        """The march with each of these cards."""
        return {words: MarchDecision(self.known, card) for words, card in self.cards.items()}

    @property
    def is_card_chosen(self) -> bool:
        """Whether the card that is looked at was chosen by the reader."""
        return bool(self.asked.card or self.asked.corner) or self.known.table.phase is Phase.MARCH

    @cached_property
    def decision(self) -> MarchDecision | None:
        """The march that is to be decided; None where no card is chosen, or Alexander has marched."""
        if self.known.table.phase is Phase.MARCH:
            return MarchDecision(self.known, None)
        return self.decisions[self.card] if self.card else None

    @cached_property
    def corner(self) -> Point | None:
        """The corner that is looked at."""
        found = self.known.table.board.point_names.get(self.asked.corner)
        return found if found and self.decision and found in self.decision.goals else None

    @cached_property
    def path(self) -> Path:
        """The path of the march that is drafted."""
        marched = (event for event in self.draft.seen.events) if self.draft else iter(())
        return next((event.path for event in marched if isinstance(event, AlexanderMarched)), ())

    @cached_property
    def last_places(self) -> frozenset[Point]:
        """The points around the guards that the last step of the draft placed, or took back."""
        last = next(reversed(self.draft.seen.events), None) if self.draft else None
        if isinstance(last, ProvinceOccupied | ProvinceTakenOver):
            return frozenset(point for guard in last.guards for point in corners(guard))
        return frozenset(corners(last.place)) if isinstance(last, GuardRecalled) else frozenset()

    @property
    def has_just_marched(self) -> bool:
        """Whether the march is the last thing drafted, so that another way can take its place."""
        return bool(self.drafted) and self.drafted[-1].startswith("march ")

    def without_march(self) -> TurnState:
        """The state before the march that was drafted last, its card being looked at."""
        before = self.drafted[:-1]
        look = self.asked
        if before and self.case.view.table.phase is Phase.CARD:
            *before, card = before  # type: ignore[assignment]
            look = replace(look, card=card, corner="")
        return make_state(self.case, tuple(before), look)

    @cached_property
    def is_advised(self) -> bool:
        """Whether its player may ask for advice."""
        with current_context().reading() as session:
            return is_advice_given(session, self.case.game.id)

    @cached_property
    def province(self) -> Province | None:
        """The province that is looked at."""
        name = self.asked.province
        if not name:
            return None
        return next((one for one in provinces(self.known.table) if str(one.first) == name), None)


def make_state(case: TicketContext, lines: tuple[str, ...], asked: DockSelection) -> TurnState:
    """The state of a turn of which these lines are drafted. Raises `LinesRefused`."""
    draft = compile_draft(case.position, case.ticket.seat, lines) if lines else None
    return TurnState(case, draft, asked)


def load_state(case: TicketContext, asked: DockSelection | None = None) -> TurnState:
    """The state of a turn as its player left it, on whatever device."""
    with current_context().reading() as session:
        lines = load_draft(session, case.game, case.ticket.seat)
    try:
        return make_state(case, lines, asked or DockSelection())
    except LinesRefused:  # it was drafted under other rules
        return make_state(case, (), asked or DockSelection())
