"""The turn as its player sees it: draft, selection, and the ways of a march.

A selected card, corner or province is stored in the page address only. If many ways lead to a corner, the
page offers only the selected way and its detours. A detour follows the selected way up to some point, leaves
it there, and goes on in the best way. By selecting detours repeatedly, the player can reach every way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from flask import request

from emails.wording.options import MarchOptions
from engine.actions import Choose, Play
from engine.board import Point, corners
from engine.events import AlexanderMarched, GuardRecalled, ProvinceOccupied, ProvinceTakenOver
from engine.march_rules import Path
from engine.notation.orders import write
from engine.position import Phase, Position, View, view
from engine.provinces import Province, provinces
from engine.rules import card_choices, due
from server.store.game_terms import terms_of
from server.turns.dry_run import SEPARATOR, DraftedTurn, LinesRefused, compile_draft, load_draft, mark_draft
from server.web.game.viewers import TicketContext
from server.web.kit.request_context import read


@dataclass(frozen=True, slots=True)
class DockSelection:
    """What is selected in the dock: the order that plays a card, and the names of a corner and a province."""

    card: str = ""
    corner: str = ""
    province: str = ""

    def link(self, case: TicketContext) -> str:
        named = {"card": self.card, "corner": self.corner, "province": self.province}
        asked = urlencode({name: value for name, value in named.items() if value})
        return f"{case.page or case.page_link()}{'&' if asked else ''}{asked}"


def read_look() -> DockSelection:
    given = request.values.get
    return DockSelection(given("card", "")[:40], given("corner", "")[:8], given("province", "")[:8])


@dataclass(frozen=True)
class TurnState:
    """A turn in progress, as its player sees it."""

    case: TicketContext
    draft: DraftedTurn | None
    asked: DockSelection = DockSelection()
    next: tuple[str, ...] = ()

    @property
    def drafted(self) -> tuple[str, ...]:
        return self.draft.kept if self.draft else ()

    @property
    def words(self) -> str:
        return SEPARATOR.join(self.drafted)

    @property
    def mark(self) -> str:
        return mark_draft(self.words)

    @property
    def position(self) -> Position:
        return self.draft.seen.position if self.draft else self.case.position

    @cached_property
    def known(self) -> View:
        return view(self.position, self.case.ticket.seat) if self.draft else self.case.view

    @property
    def turns_up(self) -> bool:
        """Whether performing the draft reveals a hidden card."""
        return self.draft is not None and self.draft.seen.hidden

    @property
    def is_complete(self) -> bool:
        """Whether only the end of the turn is left."""
        return self.known.table.phase is Phase.ACTIONS and due(self.position) is not None

    @property
    def is_last_action(self) -> bool:
        table = self.known.table
        return table.phase is Phase.ACTIONS and table.actions_left == 1 and not self.is_complete

    @cached_property
    def cards(self) -> dict[str, Choose | Play]:
        """The cards with which the turn can begin, by their orders."""
        if self.known.table.phase is not Phase.CARD:
            return {}
        board = self.known.table.board
        return {
            write(card, board): card for card in card_choices(self.known) if isinstance(card, Choose | Play)
        }

    @cached_property
    def card(self) -> str:
        """Order of the selected card; by default a card that reaches the selected corner, else the best."""
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
    def decisions(self) -> dict[str, MarchOptions]:
        return {words: MarchOptions(self.known, card) for words, card in self.cards.items()}

    @property
    def is_card_chosen(self) -> bool:
        return bool(self.asked.card or self.asked.corner) or self.known.table.phase is Phase.MARCH

    @cached_property
    def decision(self) -> MarchOptions | None:
        """The march to be chosen; None if no card is selected, or after the march."""
        if self.known.table.phase is Phase.MARCH:
            return MarchOptions(self.known, None)
        return self.decisions[self.card] if self.card else None

    @cached_property
    def corner(self) -> Point | None:
        found = self.known.table.board.point_names.get(self.asked.corner)
        return found if found and self.decision and found in self.decision.goals else None

    @cached_property
    def path(self) -> Path:
        marched = (event for event in self.draft.seen.events) if self.draft else iter(())
        return next((event.path for event in marched if isinstance(event, AlexanderMarched)), ())

    @cached_property
    def last_places(self) -> frozenset[Point]:
        last = next(reversed(self.draft.seen.events), None) if self.draft else None
        if isinstance(last, ProvinceOccupied | ProvinceTakenOver):
            return frozenset(point for guard in last.guards for point in corners(guard))
        return frozenset(corners(last.place)) if isinstance(last, GuardRecalled) else frozenset()

    @property
    def has_just_marched(self) -> bool:
        """Whether the march is the last drafted step, so that another way can replace it."""
        return bool(self.drafted) and self.drafted[-1].startswith("march ")

    def without_march(self) -> TurnState:
        """Return the state before the march that was drafted last, with its card selected."""
        before = self.drafted[:-1]
        look = self.asked
        if before and self.case.view.table.phase is Phase.CARD:
            *before, card = before  # type: ignore[assignment]
            look = replace(look, card=card, corner="")
        return make_state(self.case, tuple(before), look)

    @cached_property
    def is_advised(self) -> bool:
        return read(terms_of, self.case.game.id).advice

    @cached_property
    def province(self) -> Province | None:
        name = self.asked.province
        if not name:
            return None
        return next((one for one in provinces(self.known.table) if str(one.first) == name), None)


def make_state(case: TicketContext, lines: tuple[str, ...], asked: DockSelection) -> TurnState:
    """Return the state of a turn with these drafted lines. Raises `LinesRefused`."""
    draft = compile_draft(case.position, case.ticket.seat, lines) if lines else None
    return TurnState(case, draft, asked)


def load_state(case: TicketContext, asked: DockSelection | None = None) -> TurnState:
    lines = read(load_draft, case.game, case.seat)
    try:
        return make_state(case, lines, asked or DockSelection())
    except LinesRefused:  # drafted by an older version of the program
        return make_state(case, (), asked or DockSelection())
