"""The viewer of a game, a spectator or the holder of a ticket; and the forms on the pages of a ticket.

When a player sends a form, the clock of the player's turn starts, the player takes the seat back from a
caretaker, and a cookie records that the seat is played in this browser.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial

from flask import Flask, Response, abort, g, redirect, render_template, request, url_for
from sqlalchemy import bindparam
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.languages.lexicon import whole_lexicon
from emails.picture.layers import Overlay
from emails.terms import ReserveLeft
from emails.tokens import Purpose, Ticket, seal_game, seal_ticket, unseal_ticket
from emails.wording import phrases
from emails.wording.narration import NarrationLine, narrate_lines
from emails.wording.requests import PlanContext
from emails.wording.texts import say
from engine.board import Board
from engine.event_log import ACTIONS
from engine.events import (
    AlexanderMarched,
    CardChosen,
    Event,
    GameClosed,
    GameEnded,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
    TurnEnded,
)
from engine.evolve import evolve, start
from engine.notation.orders import Verb, spell_out
from engine.notation.parser import NO_CHOICES, parse
from engine.position import RED_WALLS, Position, Table, View, VisibleEvent, veil_event, view
from server.accounts.bounces import find_bounce_mark
from server.commands import Actor, Command, Done
from server.delivery.composition import events_since_last_turn, tell_mover_away, tell_player_away
from server.lobby.leaving import come_back
from server.lobby.votes import may_nudge
from server.outbox import chat
from server.outbox.notifications import load_preferences
from server.store.context import act_tag_of, is_set_back
from server.store.event_log import History, Refusal, StartedHistory, load_acts, name_seats, require_started
from server.store.game_terms import (
    find_pause_end,
    is_return_open,
    organiser_generation,
    terms_of,
    ticket_to,
)
from server.store.models import BouncingAddress, Game, Seating
from server.store.personal import Kept
from server.store.states import Channel, GameStatus
from server.store.turn_clock import begin_turn_clock, find_times, find_turn_start, is_awaiting_letter
from server.turns.dry_run import LinesRefused, preview
from server.turns.forecast import AskingSeat, foresee_turns
from server.turns.play import find_plan, list_planned_acts
from server.web.kit import errors, visitors
from server.web.kit.request_context import (
    bind_forms,
    current_context,
    in_transaction,
    now,
    outage_began,
    read,
)
from server.web.kit.visitors import check_player_heard

FOR_ANY_BEARER = ("sign_in_pages.mail_link", "settings_pages.renew")
"""Endpoints open to anyone with a link to a finished game, as they only mail to the player's own address."""
FOR_OLD_TICKETS = ("sign_in_pages.mail_link",)


SPECTATOR_ENDPOINTS = {
    "": "readonly_pages.show_spectator_page",
    "history": "readonly_pages.show_spectator_history",
    "log": "readonly_pages.download_spectator_log",
    "pulse": "live_updates.show_spectator_pulse",
    "recap": "readonly_pages.show_spectator_frames",
}
PLAYER_ENDPOINTS = {
    "history": "readonly_pages.show_player_history",
    "log": "readonly_pages.download_player_log",
    "pulse": "live_updates.show_player_pulse",
    "recap": "readonly_pages.show_player_frames",
    "sheet": "readonly_pages.show_print_sheet",
    "resign": "settings_pages.resign_game",
    "agreements": "votes_page.vote",
}
"""Endpoints of the pages of a seat, by page name. The board is missing, as the link of a ticket opens it."""
BY_WEIGHT = (AlexanderMarched, TaxesLevied, ProvinceOccupied, ProvinceTakenOver, GameEnded, GameClosed)
"""Events that may sum up an act for spectators, the least important first."""
MOST_SUMMED_UP = 20  # last events of an act; the log of an imported game is a single act


@dataclass(frozen=True)
class Viewer:
    """A spectator of a game. The subclass `TicketContext` is a player."""

    game: Game
    history: History
    seats: tuple[Seating, ...]

    @property
    def seat(self) -> int | None:
        return None

    @property
    def has_begun(self) -> bool:
        return isinstance(self.history, StartedHistory)

    @property
    def position(self) -> Position:
        """The current position. Raises `GameNotBegun`."""
        return require_started(self.history).position

    @cached_property
    def view(self) -> View:
        return view(self.position, self.seat)

    @cached_property
    def times(self) -> tuple[datetime | None, ReserveLeft | None]:
        """The deadline of the turn, and the reserve of the player to move."""
        return read(find_times, self.game, outage_began(), now())

    @property
    def deadline(self) -> datetime | None:
        return self.times[0]

    @property
    def bots(self) -> frozenset[int]:
        """The seats played by bots."""
        return frozenset(one.seat for one in self.seats if one.house)

    def page_link(self, page: str = "", **query: str | int) -> str:
        """Return the address of a page. Raises `KeyError` if the viewer has no such page."""
        return url_for(SPECTATOR_ENDPOINTS[page], game=self.game.id, **query)  # type: ignore[arg-type]

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The position after each event, the deal first, with the players' names of that time."""
        history = require_started(self.history)
        found = [start(history.position.table.board, history.deal)]
        for number, (_, event) in enumerate(history.events[1:], 1):
            after = evolve(found[-1], event)
            found.append(name_seats(after, history.names_at(number)) if history.new_names else after)
        return tuple(found)

    def view_at(self, at: int) -> View:
        """Return the viewer's knowledge after event `at`; 0 is the deal."""
        return view(self.positions[at], self.seat)

    @cached_property
    def planned_acts(self) -> frozenset[int]:
        """Numbers of the acts that were performed by a plan, as far as the viewer may know."""
        return read(list_planned_acts, self.game.id, self.history, self.seat)

    @cached_property
    def visible_events(self) -> tuple[VisibleEvent, ...]:
        return tuple(veil_event(event, self.seat) for _, event in self.history.events)

    def add_red_march(self, at: int, marks: Overlay) -> Overlay:
        """If the board has red walls at step `at` and `marks` has no march, add the march that laid them."""
        if self.positions[at].table.red < RED_WALLS and not marks.marches:
            marched = [fact for fact in self.visible_events[: at + 1] if isinstance(fact, AlexanderMarched)]
            last = marched[-1]
            return replace(marks, marches=((last.seat, last.path),), fresh=frozenset(last.walls))
        return marks

    def narrate(self, first: int, last: int) -> list[NarrationLine]:
        """Narrate the events from `first` up to `last`, exclusive, with the players' names of that time."""
        history = require_started(self.history)
        names = history.list_seat_names(self.seat)[first:last]
        return narrate_lines(self.visible_events[first:last], self.view, names)

    @property
    def last_act_text(self) -> str:
        """A sentence about the most important event of the last act."""
        last = [number for number, (seq, _) in enumerate(self.history.events) if seq == self.history.after]
        last = last[-MOST_SUMMED_UP:]
        lines = self.narrate(last[0], last[-1] + 1) if last else []
        facts = self.visible_events[last[0] :] if last else ()
        weights = {kind: weight for weight, kind in enumerate(BY_WEIGHT, 1)}
        weighed = [(weights.get(type(facts[line.first]), 0), line.words) for line in lines]
        return max(weighed, key=lambda one: one[0], default=(0, ""))[1]


def lines_of(words: str) -> list[str]:
    return [line for part in re.split(r"[;\r\n]", words) if (line := " ".join(part.split()))]


@dataclass(frozen=True)
class TicketContext(Viewer):
    ticket: Ticket
    seating: Seating
    act: TicketAct | None
    late: tuple[str, ...]
    """Names of players who ran out of time since the ticket was made."""
    page: str = ""
    """Address of the page that shows the turn; if empty, the ticket's own address."""

    @property
    def seat(self) -> int:
        return self.ticket.seat

    def page_link(self, page: str = "", **query: str | int) -> str:
        return self.link_to(PLAYER_ENDPOINTS[page], **query) if page else link_of(self.turn_ticket)

    @cached_property
    def failing(self) -> BouncingAddress | None:
        return None if self.seating.player is None else read(find_bounce_mark, self.seating.player)

    @cached_property
    def absence(self) -> str:
        """Sentences about the days away of the ticket's holder and of the player to move."""
        own = read(tell_player_away, self.seating.player, self.game.id, now())
        return " ".join(filter(None, (own, read(tell_mover_away, self.game, self.seat, now()))))

    @cached_property
    def waited_since(self) -> datetime | None:
        return read(find_turn_start, self.game, self.history)

    @property
    def other_mover(self) -> str:
        """Name of the player to move if a clock runs and the ticket's holder is not to move, else ""."""
        if self.deadline is None or self.view.my_turn:
            return ""
        table = self.position.table
        return phrases.safe_name(table.names[table.seat])

    @property
    def player(self) -> int:
        """The player of the seat. Raises `GameGone` if there is none."""
        if self.seating.player is None:
            raise errors.GameGone
        return self.seating.player

    @property
    def is_own_browser(self) -> bool:
        """Whether the seat's player is signed in here, so that settings for all games may change."""
        return visitors.signed_in_player() == self.player

    @property
    def actor(self) -> Actor:
        return Actor(self.player, Channel.WEB, self.game.id, self.seat, is_identified=self.is_own_browser)

    @cached_property
    def lines(self) -> list[str]:
        return lines_of(self.ticket.words)

    @property
    def sign_in_link(self) -> str:
        """Link to sign in if the game is over and the seat's player is not signed in, else ""."""
        if self.game.status != GameStatus.OVER or visitors.signed_in_player() == self.seating.player:
            return ""
        return self.link_to("sign_in_pages.mail_link")

    @property
    def awaits_letter(self) -> bool:
        return is_awaiting_letter(self.game)

    @cached_property
    def outlook(self) -> str:
        [outlook] = read(foresee_turns, [AskingSeat(self.game, self.history, self.seat)], now())
        return say("time.next_turn", outlook=outlook, now=now())

    @property
    def is_current(self) -> bool:
        """Whether the position is unchanged since the ticket was made."""
        return self.ticket.after == self.history.after

    @property
    def has_resigned(self) -> bool:
        return self.seat in self.history.resigned

    @property
    def is_skipped(self) -> bool:
        return self.seat in self.history.skipped

    @property
    def is_caretaken(self) -> bool:
        return self.game.status == GameStatus.RUNNING and self.history.is_caretaken(self.seat)

    @property
    def may_resign(self) -> bool:
        return self.has_begun and not self.position.table.over and not self.has_resigned

    @property
    def may_return(self) -> bool:
        return is_return_open(self.game, self.history, self.seat) and self.game.suspended_at is None

    @property
    def may_nudge(self) -> bool:
        return read(may_nudge, self.game, self.history, self.seat, now())

    @cached_property
    def plan(self) -> PlanContext | None:
        with current_context().reading() as session:
            return find_plan(current_context(), session, self.game, self.seat)

    @cached_property
    def turn_ticket(self) -> Ticket:
        return replace(self.ticket, after=self.history.after, words="", act_tag=b"")

    def link_to(self, endpoint: str, **query: str | int | None) -> str:
        """Return the address of a page of this seat, with a ticket for the current position."""
        return url_for(endpoint, token=token_of(self.turn_ticket), **query)  # type: ignore[arg-type]

    def events_after(self, seq: int) -> tuple[VisibleEvent, ...]:
        return tuple(veil_event(event, self.seat) for number, event in self.history.events if number > seq)

    @cached_property
    def events_since(self) -> tuple[tuple[VisibleEvent, ...], Table | None]:
        """The events since the last turn of the ticket's holder, and the state just before the events."""
        return events_since_last_turn(current_context(), self.game, self.history, self.seat)


@dataclass(frozen=True, slots=True)
class TicketAct:
    seq: int
    told: tuple[VisibleEvent, ...]
    undone: tuple[str, ...]
    reason: str


SELECT_GAME = (
    select(Game, Seating)
    .join(Seating, col(Seating.game) == Game.id)
    .where(col(Game.id) == bindparam("of"))
    .order_by(col(Seating.seat))
)


def load_ticket(token: str) -> TicketContext:
    """Return the context of a token, and use its player's language for the rest of the request.

    Raises `ForgedToken`, `GameGone` if game or seat no longer exist, `GameCalledOff`, or `SeatLeft` if
    another player has the seat now.
    """
    ticket = unseal_ticket(token, current_context().links.keys)
    with current_context().reading() as session:
        rows = session.exec(SELECT_GAME, params={"of": ticket.game}).all()
        if ticket.seat >= len(rows):
            raise errors.GameGone
        game, seats = rows[0][0], tuple(seating for _, seating in rows)
        history = current_context().history_of(session, game)
        _check_still_good(session, ticket, game, history, seats[ticket.seat])
        if (player := seats[ticket.seat].player) is not None:
            visitors.use_player_locale(load_preferences(session, player, game.id), settings_of(ticket))
            check_player_heard(session, player)
        later = load_acts(session, game.id, ticket.after) if history.after > ticket.after else ()
        changing = {seq for seq, _ in history.events}  # other acts are the server's own
        acts = [row for row in later if row.seq in changing]
    late = dict.fromkeys(
        seats[row.seat].name for row in acts if row.door == Channel.CLOCK and row.seat is not None
    )
    act = None
    text = "; ".join(lines_of(ticket.words))
    if acts and text and acts[0].seat == ticket.seat and acts[0].said == text:
        act = _act_of_ticket(require_started(history), ticket, acts[0].seq)
    case = TicketContext(game, history, seats, ticket, seats[ticket.seat], act, tuple(late))
    g.bearer = case
    bind_forms(f"seat {game.id} {ticket.seat}")  # stays valid when the game moves on
    return case


def _check_still_good(
    session: Session, ticket: Ticket, game: Game, history: History, seating: Seating
) -> None:
    if game.status == GameStatus.CANCELLED:
        raise errors.GameCalledOff
    if is_set_back(current_context(), session, ticket):
        raise errors.GameSetBack
    if history.is_of_earlier_player(ticket):
        raise errors.SeatLeft(game.id)
    if ticket.generation != seating.generation:
        raise errors.LinkWithdrawn
    check_still_shown(game, seating)
    if game.status == GameStatus.OVER and request.method == "POST":
        _check_may_write(seating)


def check_still_shown(game: Game, seating: Seating) -> None:
    """Refuse a ticket of a game that ended long ago. Raises `GameLongOver`."""
    if game.ended_at is None or now() < game.ended_at + Kept.OLD_LINKS.period:
        return
    if request.endpoint not in FOR_OLD_TICKETS and visitors.signed_in_player() != seating.player:
        raise errors.GameLongOver


def _check_may_write(seating: Seating) -> None:
    if request.endpoint not in FOR_ANY_BEARER and visitors.signed_in_player() != seating.player:
        raise errors.SignInNeeded


def _act_of_ticket(history: StartedHistory, ticket: Ticket, seq: int) -> TicketAct:
    events = [event for number, event in history.events if number == seq]
    undone = _undone_orders(lines_of(ticket.words), events, history.position.table.board)
    table, why = history.position.table, ""
    if undone and history.seq == seq and not table.over and table.seat == ticket.seat:
        try:
            preview(history.position, ticket.seat, undone[:1])
        except LinesRefused as refused:
            why = refused.sentence
    return TicketAct(seq, tuple(veil_event(event, ticket.seat) for event in events), undone, why)


def _undone_orders(lines: Sequence[str], events: Sequence[Event], board: Board) -> tuple[str, ...]:
    done = deque(
        event for event in events if type(event) in ACTIONS and not isinstance(event, TurnEnded)
    )  # a turn may end by itself
    orders = deque(one for line in lines for one in parse(line, board, NO_CHOICES, whole_lexicon().orders))
    while orders and done:
        includes_card = orders.popleft().verb == Verb.MARCH and isinstance(done[0], CardChosen)
        if includes_card:
            done.popleft()
        if done:
            done.popleft()
    if orders and orders[0].verb == Verb.END:  # a turn may end by itself
        return ()
    return tuple(spell_out(one, board) for one in orders)


def token_of(ticket: Ticket) -> str:
    """Return the token of a ticket. Raises `ValueError` if the ticket is too long."""
    tokens: dict[Ticket, str] = g.setdefault("tokens", {})  # a page needs equal tokens many times
    if ticket not in tokens:
        act_tags, act = g.setdefault("act_tags", {}), (ticket.game, ticket.after)
        if not ticket.act_tag and act not in act_tags:
            act_tags[act] = read(partial(act_tag_of, current_context()), *act)
        tagged = ticket if ticket.act_tag else replace(ticket, act_tag=act_tags[act])
        tokens[ticket] = seal_ticket(tagged, current_context().links.keys)
    return tokens[ticket]


def path_of(ticket: Ticket) -> str:
    return url_for("ticket_pages.show_ticket", token=token_of(ticket))


def settings_of(ticket: Ticket) -> str:
    return f"{path_of(replace(ticket, words=''))}/settings"


def link_of(ticket: Ticket) -> str:
    """Return a ticket's address for our own pages. The address alone never performs the orders."""
    if "looking" not in g:  # a page has many links
        g.looking = url_for("ticket_pages.show_ticket", token="-", look="1").rpartition("-")
    return token_of(ticket).join(g.looking[::2])


def load_if(holds: Callable[[TicketContext], bool], token: str) -> TicketContext:
    """Load a ticket; redirect to the game unless `holds` is true of it."""
    case = load_ticket(token)
    if not holds(case):
        abort(redirect(case.page_link(), 303))
    return case


load_resignable = partial(load_if, lambda case: case.may_resign)


LOG = logging.getLogger(__name__)


def register(app: Flask) -> None:
    app.after_request(_note_press)


def _note_press(response: Response) -> Response:
    if not g.get("is_form_checked", False):
        return response
    case: TicketContext | None = g.get("bearer")
    try:
        if case is not None:
            _note_bearer(case, response.status_code)
        player = visitors.signed_in_player() if case is None else case.seating.player
        if player is not None and response.status_code < 400 and "zone" not in request.form:
            visitors.learn_zone(player)
    except OperationalError as error:  # the form's action is performed already
        LOG.error("a press could not be noted: %s", error.orig)
    return response


def _note_bearer(case: TicketContext, status: int) -> None:
    pressed = status < 400
    if pressed and visitors.signed_in_player() != case.seating.player:
        visitors.note_played_seat(case.ticket.game, case.ticket.seat, case.ticket.generation)
    if case.is_caretaken and (pressed or status == 409):
        with suppress(Refusal):  # the player has returned, so no caretaker plays the seat
            in_transaction(lambda unit: come_back(unit, case.game.id, case.ticket.seat, Channel.WEB))
    if not pressed or case.game.seat != case.ticket.seat or not is_awaiting_letter(case.game):
        return
    with current_context().writing(case.game.id) as session:
        if begin_turn_clock(session, case.game.id, case.ticket.seat, case.game.turn, now()):
            session.commit()


def perform(case: TicketContext, command: Command) -> Done:
    """Perform a command for the seat of a ticket, and commit. Raises `Refusal`."""
    return in_transaction(lambda unit: command.perform(unit, case.actor))


def render_note(case: TicketContext, title: str, words: str) -> str:
    link, label = case.page_link(), gettext("To the game")
    return render_template("message.html", title=title, sentence=words, link=link, label=label)


def render_form(template: str, case: TicketContext, wrong: str = "", /, **values: object) -> str:
    own = {
        "case": case,
        "name": phrases.safe_name(case.game.name),
        "reader": phrases.safe_name(case.seating.name),
        "wrong": wrong,
        "back": case.page_link(),
    }
    return render_template(template, **values | own)


def spectator_of_game(game_id: str) -> Viewer:
    """Return a spectator. Raises `GameNotWatchable` if the game is not public or does not exist."""
    with current_context().reading() as session:
        rows = session.exec(SELECT_GAME, params={"of": game_id}).all()
        if not rows or not terms_of(session, game_id).watched:
            raise errors.GameNotWatchable
        game, seats = rows[0][0], tuple(seating for _, seating in rows)
        if game.status in (GameStatus.PROPOSED, GameStatus.CANCELLED):
            raise errors.GameNotWatchable
        return Viewer(game, current_context().history_of(session, game), seats)


def load_viewer(token: str = "", game: str = "") -> Viewer:
    return load_ticket(token) if token else spectator_of_game(game)


def own_seat_link(game_id: str, page: str = "") -> str:
    """Return the page of a signed-in player's seat, preferably the seat to move; empty without a seat."""
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
    generation = read(organiser_generation, game_id)
    token = seal_game(Purpose.ORGANISER, game_id, current_context().links.keys, generation)
    return url_for("new_game.change_game", token=token)


def page_links(viewer: Viewer, here: str, pulse: str = "") -> dict[str, object]:
    """Return values for the line of links below the title of a game page. `here` is the name of the page.

    A script finds out whether the page is outdated. It polls the address `pulse`, by default
    `viewer.page_link("pulse")`, and compares the response with the values `after`, `said` and `over`.
    """
    case = viewer if isinstance(viewer, TicketContext) else None
    may_resign = case is not None and case.may_resign
    return {
        "board": viewer.page_link(),
        "history": viewer.page_link("history"),
        "log": viewer.page_link("log"),
        "sheet": case.page_link("sheet") if case else "",
        "settings": settings_of(case.turn_ticket) if case else "",
        "resign": viewer.page_link("resign") if may_resign else "",
        "agreements": viewer.page_link("agreements") if may_resign else "",
        "here": here,
        "pulse": pulse or viewer.page_link("pulse"),
        "after": viewer.history.after,
        "said": read(chat.count_visible_to, case.game.id, case.seat) if case else 0,
        "over": viewer.view.table.over,
        "halted": viewer.game.suspended_at,
        "pause_ends": find_pause_end(viewer.game, viewer.history),
        "news": viewer.last_act_text,
        "seen": "",
        "reader": viewer,
    }


def ticket_page_links(case: TicketContext) -> dict[str, object]:
    """Return `page_links` for a page of a ticket.

    If the page shows a preview, polls report when the previewed orders are performed or outdated. If the
    clock of the viewer's turn has not started, a script reports to the address `seen` that the page
    is shown.
    """
    previews = case.is_current and case.lines
    pulse = url_for(
        "live_updates.show_player_pulse", token=token_of(case.ticket if previews else case.turn_ticket)
    )
    found = page_links(case, "board", pulse)
    if previews:  # a preview shows no recap
        found["reader"] = None
    if case.awaits_letter and case.game.seat == case.seat:
        found["seen"] = case.link_to("live_updates.note_page_seen")
    return found


def not_begun_sentence() -> str:
    return gettext("The game has not begun yet. Please come back later.")
