"""Viewers of a game's pages: the bearer of a ticket, or a spectator of a public game.

Pages for both are made from a `Viewer`, who knows what they may see at each step, and their own links.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from flask import url_for
from sqlmodel import select

from emails.i18n import gettext
from emails.picture.overlay import Overlay
from emails.tokens import Purpose, seal_game
from emails.wording.narration import NarrationLine, narrate_lines
from engine.events import (
    AlexanderMarched,
    GameClosed,
    GameEnded,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
)
from engine.evolve import evolve, start
from engine.position import RED_WALLS, Position, View, VisibleEvent, veil_event, view
from server.outbox import chat
from server.store.event_log import History, StartedHistory, name_seats, require_started
from server.store.game_terms import find_pause_end, is_return_open, is_watchable, organiser_epoch, ticket_to
from server.store.models import Game, Seating
from server.store.states import GameStatus
from server.store.turn_clock import shown_deadline
from server.turns.play import list_planned_acts
from server.web.game.ticket_context import (
    SeatForm,
    TicketContext,
    form_token,
    link_of,
    load_ticket,
    settings_of,
    token_of,
)
from server.web.kit import errors, visitors
from server.web.kit.request_context import current_context, now

SPECTATOR_ENDPOINTS = {
    "": "readonly_pages.show_spectator_page",
    "history": "history_page.show_spectator_history",
    "log": "history_page.download_spectator_log",
    "pulse": "live_updates.show_spectator_pulse",
    "recap": "history_page.show_spectator_frames",
}
PLAYER_ENDPOINTS = {
    "history": "history_page.show_player_history",
    "log": "history_page.download_player_log",
    "pulse": "live_updates.show_player_pulse",
    "recap": "history_page.show_player_frames",
    "sheet": "readonly_pages.show_print_sheet",
    "resign": "absence_pages.show_resign_page",
    "agreements": "votes_page.show_votes",
}
"""Pages of players: endpoint by page name; their board is the page of the ticket."""


BY_WEIGHT = (AlexanderMarched, TaxesLevied, ProvinceOccupied, ProvinceTakenOver, GameEnded, GameClosed)
"""Events by ascending importance for those who watch."""


@dataclass(frozen=True)
class Viewer:
    """Someone who views a page about a game as it is now."""

    game: Game
    history: History
    seat: int | None
    """None for a spectator."""
    name: str = ""
    case: TicketContext | None = None
    deadline: datetime | None = None

    @property
    def has_begun(self) -> bool:
        return isinstance(self.history, StartedHistory)

    def page_link(self, page: str = "", **query: str | int) -> str:
        """Raises `KeyError` for pages that the viewer does not have, such as a spectator's sheet."""
        if self.case is None:
            return url_for(SPECTATOR_ENDPOINTS[page], game=self.game.id, **query)  # type: ignore[arg-type]
        if not page:
            return link_of(self.case.turn_ticket)
        return self.case.link_to(PLAYER_ENDPOINTS[page], **query)

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The position after each event, the deal first, with the names of that time."""
        history = require_started(self.history)
        found = [start(history.position.table.board, history.deal)]
        for number, (_, event) in enumerate(history.events[1:], 1):
            after = evolve(found[-1], event)
            found.append(name_seats(after, history.names_at(number)) if history.new_names else after)
        return tuple(found)

    def view_at(self, at: int | None = None) -> View:
        """Return what the viewer knew after event `at` (0: the deal), by default what they know now."""
        if at is not None:
            return view(self.positions[at], self.seat)
        return view(require_started(self.history).position, self.seat)

    @cached_property
    def planned_acts(self) -> frozenset[int]:
        """The acts played by a plan, as far as the viewer may know."""
        with current_context().reading() as session:
            return list_planned_acts(session, self.game.id, self.history, self.seat)

    @cached_property
    def visible_events(self) -> tuple[VisibleEvent, ...]:
        return tuple(veil_event(event, self.seat) for _, event in self.history.events)

    def add_red_march(self, at: int, marks: Overlay) -> Overlay:
        """Add the march that laid the red walls after event `at`, if no march is marked."""
        if self.positions[at].table.red < RED_WALLS and not marks.marches:
            marched = [fact for fact in self.visible_events[: at + 1] if isinstance(fact, AlexanderMarched)]
            last = marched[-1]
            return replace(marks, marches=((last.seat, last.path),), fresh=frozenset(last.walls))
        return marks

    def narrate(self, first: int, last: int) -> list[NarrationLine]:
        """Narrate the events from `first` up to `last`, with the names of that time."""
        history = require_started(self.history)
        names = history.list_seat_names(self.seat)[first:last]
        return narrate_lines(self.visible_events[first:last], self.view_at(), names)

    @property
    def last_act_text(self) -> str:
        """A sentence about the most important event of the last act."""
        last = [number for number, (seq, _) in enumerate(self.history.events) if seq == self.history.after]
        lines = self.narrate(last[0], last[-1] + 1) if last else []
        facts = self.visible_events[last[0] :] if last else ()
        return max(lines, key=lambda line: _weight(facts[line.first]), default=NarrationLine("", 0, 0)).words


def _weight(fact: VisibleEvent) -> int:
    return next((weight for weight, kinds in enumerate(BY_WEIGHT, 1) if isinstance(fact, kinds)), 0)


def viewer_of_context(case: TicketContext) -> Viewer:
    return Viewer(case.game, case.history, case.ticket.seat, case.seating.name, case, case.deadline)


def viewer_of_ticket(token: str) -> Viewer:
    return viewer_of_context(load_ticket(token))


def spectator_of_game(game_id: str) -> Viewer:
    """Return a spectator. Raises `GameNotWatchable` if the game is not public or does not exist."""
    with current_context().reading() as session:
        game = session.get(Game, game_id)
        if (
            game is None
            or game.status in (GameStatus.PROPOSED, GameStatus.CANCELLED)
            or not is_watchable(session, game_id)
        ):
            raise errors.GameNotWatchable
        deadline = shown_deadline(session, game, now())
        return Viewer(game, current_context().history_of(session, game), None, deadline=deadline)


def own_seat_link(game_id: str, page: str = "") -> str:
    """Return the signed-in player's page, of the seat to move or their first; empty without a seat."""
    player = visitors.signed_in_player()
    if player is None:
        return ""
    with current_context().reading() as session:
        game = session.get(Game, game_id)
        seats = select(Seating).where(Seating.game == game_id, Seating.player == player)
        own = {one.seat: one for one in session.exec(seats)}
    if game is None or not own:
        return ""
    seat = game.seat if game.seat is not None and game.seat in own else min(own)
    ticket = ticket_to(own[seat], game.after)
    if not page:
        return link_of(ticket)
    return url_for(PLAYER_ENDPOINTS[page], token=token_of(ticket))


def organiser_link(game_id: str) -> str:
    with current_context().reading() as session:
        epoch = organiser_epoch(session, game_id)
    token = seal_game(Purpose.ORGANISER, game_id, current_context().links.keys, epoch)
    return url_for("new_game.show_organiser_page", token=token)


def page_links(viewer: Viewer, here: str, pulse: str = "") -> dict[str, object]:
    """Return the links to the pages of a game for the line below a title; `here` is the current page.

    Also the values for polling: `pulse` the address, `after` and `said` what the page shows, `over` whether
    the game has ended, `news` the last event; and the viewer.
    """
    found: dict[str, object] = {
        "board": viewer.page_link(),
        "history": viewer.page_link("history"),
        "log": viewer.page_link("log"),
        "sheet": "",
        "settings": "",
        "resign": "",
        "agreements": "",
        "here": here,
        "pulse": pulse or viewer.page_link("pulse"),
        "after": viewer.history.after,
        "said": 0,
        "over": viewer.view_at().table.over,
        "halted": viewer.game.suspended_at,
        "pause_ends": find_pause_end(viewer.game, viewer.history),
        "news": viewer.last_act_text,
        "seen": "",
        "nonce": "",
        "reader": viewer,
    }
    if viewer.case is None or viewer.seat is None:
        return found
    with current_context().reading() as session:
        found["said"] = chat.count_visible_to(session, viewer.game.id, viewer.seat)
    return found | {
        "sheet": viewer.page_link("sheet"),
        "settings": settings_of(viewer.case.turn_ticket),
        "resign": viewer.page_link("resign") if viewer.case.may_resign else "",
        "agreements": viewer.page_link("agreements") if viewer.case.may_resign else "",
    }


def ticket_page_links(case: TicketContext) -> dict[str, object]:
    """Return `page_links` for a page of a ticket.

    The page of a preview polls for that ticket: whether its orders were played or are outdated. If the clock
    of the viewer's turn waits for its letter, `seen` is where the page reports that it is shown, with the
    CSRF token `nonce`.
    """
    shown = case.ticket if case.is_current and case.lines else case.turn_ticket
    pulse = url_for("live_updates.show_player_pulse", token=token_of(shown))
    found = page_links(viewer_of_context(case), "board", pulse)
    if case.is_current and case.lines:  # a preview shows no recap
        found["reader"] = None
    if not (case.awaits_letter and case.game.seat == case.ticket.seat):
        return found
    seen = case.link_to("live_updates.note_page_seen")
    return found | {"seen": seen, "nonce": form_token(SeatForm.SEEN, case)}


@dataclass(frozen=True, slots=True)
class ButtonForm:
    action: str
    nonce: str


def build_return_form(case: TicketContext) -> ButtonForm | None:
    """Return the form that undoes a resignation; None if the viewer cannot come back."""
    is_open = is_return_open(case.game, case.history, case.ticket.seat)
    if not is_open or case.game.suspended_at is not None:
        return None
    action = case.link_to("absence_pages.take_back")
    return ButtonForm(action, form_token(SeatForm.RETURN, case))


def not_begun_sentence() -> str:
    return gettext("The game has not begun yet. Please come back later.")
