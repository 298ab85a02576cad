"""Who reads a page about a game: the bearer of a ticket, or a spectator of a game that anybody may watch.

Pages that both can read are made from a `Reader`, who knows what they may know at each step of the game, and
where the same page lies for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from flask import url_for
from sqlmodel import select

from emails.i18n import gettext
from emails.keys import Purpose
from emails.picture.overlay import Overlay
from emails.tokens import seal_game
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
"""The pages that a spectator can read, by their names in addresses."""
PLAYER_ENDPOINTS = {
    "history": "history_page.show_player_history",
    "log": "history_page.download_player_log",
    "pulse": "live_updates.show_player_pulse",
    "recap": "history_page.show_player_frames",
    "sheet": "readonly_pages.show_print_sheet",
    "resign": "absence_pages.show_resign_page",
    "agreements": "votes_page.show_votes",
}
"""The same for the bearer of a ticket; their first page is the ticket's own."""


BY_WEIGHT = (AlexanderMarched, TaxesLevied, ProvinceOccupied, ProvinceTakenOver, GameEnded, GameClosed)
"""Facts of which those who look on hear first, what matters most last."""


@dataclass(frozen=True)
class Reader:
    """Somebody who reads a page about a game that is as it is now."""

    game: Game
    history: History
    seat: int | None
    """None: a spectator."""
    name: str = ""
    """The name of the seat."""
    token: str = ""
    """Of the ticket for the game as it is now; empty for a spectator."""
    case: TicketContext | None = None
    """None for a spectator."""
    deadline: datetime | None = None
    """Of the turn; None where no time runs."""

    @property
    def has_begun(self) -> bool:
        """Whether there is a position yet."""
        return isinstance(self.history, StartedHistory)

    def page_link(self, page: str = "", **query: object) -> str:
        """The address of their page `page`: "" is the board, others are those named above.

        Raises `KeyError` for a page that they have not, such as the sheet of a spectator.
        """
        if self.case is None:
            return url_for(SPECTATOR_ENDPOINTS[page], game=self.game.id, **query)  # type: ignore[arg-type]
        if not page:
            return link_of(self.case.turn_ticket)
        return url_for(PLAYER_ENDPOINTS[page], token=self.token, **query)  # type: ignore[arg-type]

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The position after each fact of the game, the first once the cards are dealt; folded once.

        Whoever plays on for a seat is named from the first fact on that came after.
        """
        history = require_started(self.history)
        found = [start(history.position.table.board, history.deal)]
        for number, (_, event) in enumerate(history.events[1:], 1):
            after = evolve(found[-1], event)
            found.append(name_seats(after, history.names_at(number)) if history.new_names else after)
        return tuple(found)

    def view_at(self, at: int | None = None) -> View:
        """What they know after fact `at` (from 0: the cards are dealt), or now."""
        if at is not None:
            return view(self.positions[at], self.seat)
        return view(require_started(self.history).position, self.seat)

    @cached_property
    def planned_acts(self) -> frozenset[int]:
        """The acts that were played by a plan, as far as they may know."""
        with current_context().reading() as session:
            return list_planned_acts(session, self.game.id, self.history, self.seat)

    @cached_property
    def visible_events(self) -> tuple[VisibleEvent, ...]:
        """Every fact of the game as they hear it."""
        return tuple(veil_event(event, self.seat) for _, event in self.history.events)

    def add_red_march(self, at: int, marks: Overlay) -> Overlay:
        """The same marks, and after fact `at` the march that laid red walls: it tells which they are."""
        if self.positions[at].table.red < RED_WALLS and not marks.marches:
            marched = [fact for fact in self.visible_events[: at + 1] if isinstance(fact, AlexanderMarched)]
            last = marched[-1]
            return replace(marks, marches=((last.seat, last.path),), fresh=frozenset(last.walls))
        return marks

    def narrate(self, first: int, last: int) -> list[NarrationLine]:
        """What happened from one fact up to another, by the names of that time."""
        history = require_started(self.history)
        names = history.list_seat_names(self.seat)[first:last]
        return narrate_lines(self.visible_events[first:last], self.view_at(), names)

    @property
    def last_act_text(self) -> str:
        """What the last act did that matters most, in a sentence."""
        last = [number for number, (seq, _) in enumerate(self.history.events) if seq == self.history.after]
        lines = self.narrate(last[0], last[-1] + 1) if last else []
        facts = self.visible_events[last[0] :] if last else ()
        return max(lines, key=lambda line: _weight(facts[line.first]), default=NarrationLine("", 0, 0)).words


def _weight(fact: VisibleEvent) -> int:
    """How much a fact matters to those who look on."""
    return next((weight for weight, kinds in enumerate(BY_WEIGHT, 1) if isinstance(fact, kinds)), 0)


def reader_of_context(case: TicketContext) -> Reader:
    """The bearer of a ticket."""
    token = token_of(case.turn_ticket)
    return Reader(case.game, case.history, case.ticket.seat, case.seating.name, token, case, case.deadline)


def reader_of_ticket(token: str) -> Reader:
    """The bearer of a ticket, spoken to in their language. Raises `ForgedToken` and `GameGone`."""
    return reader_of_context(load_ticket(token))


def reader_of_game(game_id: str) -> Reader:
    """A spectator. Raises `GameNotWatchable` where a game is not open to watch, or is none."""
    with current_context().reading() as session:
        game = session.get(Game, game_id)
        if (
            game is None
            or game.status in (GameStatus.PROPOSED, GameStatus.CANCELLED)
            or not is_watchable(session, game_id)
        ):
            raise errors.GameNotWatchable
        deadline = shown_deadline(session, game, now())
        return Reader(game, current_context().history_of(session, game), None, deadline=deadline)


def own_seat_link(game_id: str, page: str = "") -> str:
    """Where a page of a game lies for whoever is signed in here, if they play in it; else empty.

    Of several seats of theirs it is the one whose turn it is, else the first.
    """
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
    """Where the page of a game lies for whoever has opened it, as our own pages have it."""
    with current_context().reading() as session:
        epoch = organiser_epoch(session, game_id)
    token = seal_game(Purpose.ORGANISER, game_id, current_context().links.keys, epoch)
    return url_for("new_game.show_organiser_page", token=token)


def page_links(reader: Reader, here: str, pulse: str = "") -> dict[str, object]:
    """The pages about the same game for the line under a title, of which `here` is the one that is shown.

    Also what the page asks to hear of what happens next: `pulse` where, `after` and `said` up to what it
    knows, `over` whether nothing more can happen, `news` the last thing it tells; and whose eyes see it.
    """
    found: dict[str, object] = {
        "board": reader.page_link(),
        "history": reader.page_link("history"),
        "log": reader.page_link("log"),
        "sheet": "",
        "settings": "",
        "resign": "",
        "agreements": "",
        "here": here,
        "pulse": pulse or reader.page_link("pulse"),
        "after": reader.history.after,
        "said": 0,
        "over": reader.view_at().table.over,
        "halted": reader.game.suspended_at,
        "pause_ends": find_pause_end(reader.game, reader.history),
        "news": reader.last_act_text,
        "seen": "",
        "nonce": "",
        "reader": reader,
    }
    if reader.case is None or reader.seat is None:
        return found
    with current_context().reading() as session:
        found["said"] = chat.count_visible_to(session, reader.game.id, reader.seat)
    return found | {
        "sheet": reader.page_link("sheet"),
        "settings": settings_of(reader.case.turn_ticket),
        "resign": reader.page_link("resign") if reader.case.may_resign else "",
        "agreements": reader.page_link("agreements") if reader.case.may_resign else "",
    }


def ticket_page_links(case: TicketContext) -> dict[str, object]:
    """The same for a page of a ticket.

    Where it shows what words would do, what happens next is told of that: they are done, or too late. Where
    the time for the reader's turn waits for its letter, `seen` is where the page says that they have it
    before them, and `nonce` its CSRF token.
    """
    shown = case.ticket if case.is_current and case.lines else case.turn_ticket
    pulse = url_for("live_updates.show_player_pulse", token=token_of(shown))
    found = page_links(reader_of_context(case), "board", pulse)
    if case.is_current and case.lines:  # a page of what is not so yet: what has happened stands on another
        found["reader"] = None
    if not (case.awaits_letter and case.game.seat == case.ticket.seat):
        return found
    seen = url_for("live_updates.note_page_seen", token=token_of(case.turn_ticket))
    return found | {"seen": seen, "nonce": form_token(SeatForm.SEEN, case)}


@dataclass(frozen=True, slots=True)
class ButtonForm:
    """What a form of one button needs."""

    action: str
    nonce: str


def build_return_form(case: TicketContext) -> ButtonForm | None:
    """The form with which who has resigned is back; None where its reader has not, or cannot come back."""
    is_open = is_return_open(case.game, case.history, case.ticket.seat)
    if not is_open or case.game.suspended_at is not None:
        return None
    action = url_for("absence_pages.take_back", token=token_of(case.turn_ticket))
    return ButtonForm(action, form_token(SeatForm.RETURN, case))


def not_begun_sentence() -> str:
    """What is said of a game that has not begun."""
    return gettext("The game has not begun yet. Please come back later.")
