"""The ticket of a request with its game, and the forms on the pages of a ticket.

When a player sends a form, the clock of their turn starts, they take their seat back from a caretaker, and
the browser remembers the game.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property, partial

from flask import Flask, Response, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.languages.lexicon import whole_lexicon
from emails.tokens import Ticket, seal_ticket, unseal_ticket
from emails.wording import phrases
from emails.wording.deadlines import describe_outlook
from engine.board import Board
from engine.event_log import action_of
from engine.events import CardChosen, Event, InvalidEvent, TurnEnded
from engine.notation.orders import Verb
from engine.notation.parser import NO_CHOICES, parse, spell_out
from engine.position import Position, Table, View, VisibleEvent, veil_event, view
from server.accounts.bounces import find_bounce_mark
from server.delivery.letter_contexts import events_since_last_turn, tell_mover_away, tell_player_away
from server.lobby.leaving import come_back
from server.outbox.preferences import load_preferences
from server.privacy.retention import FINISHED_SHOWN_FOR
from server.store.context import is_set_back
from server.store.event_log import History, StartedHistory, load_acts, require_started
from server.store.models import BouncingAddress, Game, Seating
from server.store.refusals import Refusal
from server.store.states import Channel, GameStatus
from server.store.turn_clock import begin_turn_clock, find_turn_start, is_awaiting_letter, shown_deadline
from server.turns.dry_run import LinesRefused, preview
from server.turns.next_turns import AskingSeat, foresee_turn
from server.web.game.preview import lines_of
from server.web.kit import cookies, errors, locale, visitors
from server.web.kit.request_context import (
    csrf_token,
    current_context,
    find_act_tag,
    in_transaction,
    is_csrf_valid,
    now,
)
from server.web.kit.visitors import check_player_heard

FOR_ANY_BEARER = ("sign_in_pages.mail_link", "address_pages.renew")
"""Endpoints that any ticket of a finished game may use: they only mail to the stored address."""
FOR_OLD_TICKETS = ("sign_in_pages.show_link_offer", "sign_in_pages.mail_link")


@dataclass(frozen=True)
class TicketContext:
    """A ticket with its game as it is now."""

    ticket: Ticket
    game: Game
    history: History
    seating: Seating
    seats: tuple[Seating, ...]
    act: TicketAct | None
    """The act that performed this ticket's orders, if they were played."""
    late: tuple[str, ...]
    """Names of players who ran out of time since the ticket was made."""
    failing: BouncingAddress | None = None
    deadline: datetime | None = None
    """Deadline of the turn; None if no clock runs."""
    absence: str = ""
    waited_since: datetime | None = None
    page: str = ""
    """Address that shows the turn, with a query; empty: the page of the ticket."""

    @property
    def other_mover(self) -> str:
        """Name of the player to move, if a clock runs and it is not the bearer's turn; else ""."""
        if self.deadline is None or self.view.my_turn:
            return ""
        table = self.position.table
        return phrases.safe_name(table.names[table.seat])

    @property
    def player(self) -> int:
        """The player of the seat. Raises `GameGone` if it has none."""
        if self.seating.player is None:
            raise errors.GameGone
        return self.seating.player

    @property
    def is_own_browser(self) -> bool:
        """True if the player of the seat is signed in here: then settings for all their games may change."""
        return visitors.signed_in_player() == self.player

    @cached_property
    def lines(self) -> list[str]:
        return lines_of(self.ticket.words)

    @property
    def position(self) -> Position:
        """The current position. Raises `GameNotBegun`."""
        return require_started(self.history).position

    @cached_property
    def view(self) -> View:
        return view(self.position, self.ticket.seat)

    @property
    def sign_in_link(self) -> str:
        """Where to sign in for what a ticket of a finished game does not permit; empty if not needed."""
        if self.game.status != GameStatus.OVER or visitors.signed_in_player() == self.seating.player:
            return ""
        return self.link_to("sign_in_pages.show_link_offer")

    @property
    def awaits_letter(self) -> bool:
        """True if the clock of the turn waits for its letter."""
        return is_awaiting_letter(self.game)

    @cached_property
    def outlook(self) -> str:
        asking = AskingSeat(self.game, self.history, self.ticket.seat)
        with current_context().reading() as session:
            return describe_outlook(foresee_turn(session, asking, now()), now())

    @property
    def is_current(self) -> bool:
        """True if nothing happened since the ticket was made."""
        return self.ticket.after == self.history.after

    @property
    def has_resigned(self) -> bool:
        return self.ticket.seat in self.history.resigned

    @property
    def is_skipped(self) -> bool:
        return self.ticket.seat in self.history.skipped

    @property
    def is_caretaken(self) -> bool:
        return self.game.status == GameStatus.RUNNING and self.history.is_caretaken(self.ticket.seat)

    @property
    def may_resign(self) -> bool:
        """True if the game is running and the bearer has not resigned."""
        running = isinstance(self.history, StartedHistory) and not self.history.position.table.over
        return running and not self.has_resigned

    @cached_property
    def turn_ticket(self) -> Ticket:
        """The ticket to the page of this seat as the game is now."""
        return replace(self.ticket, after=self.history.after, words="", act_tag=b"")

    def link_to(self, endpoint: str, **query: str | int | None) -> str:
        """Return the address of a page of this seat as the game is now."""
        return url_for(endpoint, token=token_of(self.turn_ticket), **query)  # type: ignore[arg-type]

    def events_after(self, seq: int) -> tuple[VisibleEvent, ...]:
        return tuple(
            veil_event(event, self.ticket.seat) for number, event in self.history.events if number > seq
        )

    @cached_property
    def events_since(self) -> tuple[tuple[VisibleEvent, ...], Table | None]:
        """The events since the bearer's last turn, and the table at that time."""
        return events_since_last_turn(current_context(), self.game, self.history, self.ticket.seat)


@dataclass(frozen=True, slots=True)
class TicketAct:
    """The act that a ticket's orders led to."""

    seq: int
    told: tuple[VisibleEvent, ...]
    undone: tuple[str, ...]
    reason: str


def load_ticket(token: str) -> TicketContext:
    """Return the context of a token, and use its player's language for the rest of the request.

    Raises `ForgedToken`, `GameGone` if game or seat no longer exist, `GameCalledOff`, or `SeatLeft` if the
    seat belongs to another player by now.
    """
    ticket = unseal_ticket(token, current_context().links.keys)
    with current_context().reading() as session:
        game = session.get(Game, ticket.game)
        chosen = select(Seating).where(Seating.game == ticket.game).order_by(col(Seating.seat))
        seats = tuple(session.exec(chosen))
        if game is None or ticket.seat >= len(seats):
            raise errors.GameGone
        history = current_context().history_of(session, game)
        _check_still_good(session, ticket, game, history, seats[ticket.seat])
        if (player := seats[ticket.seat].player) is not None:
            locale.use_player_locale(load_preferences(session, player, game.id).locale, settings_of(ticket))
            check_player_heard(session, player)
        mark = None if player is None else find_bounce_mark(session, player)
        deadline = shown_deadline(session, game, now())
        own_absence = tell_player_away(session, player, game.id, now())
        absence = " ".join(filter(None, (own_absence, tell_mover_away(session, game, ticket.seat, now()))))
        since = find_turn_start(session, game, history)
        rows = (
            [row for row, _ in load_acts(session, game.id, ticket.after)]
            if history.after > ticket.after
            else []
        )
    changing = {seq for seq, _ in history.events}  # acts without events are the server's own
    rows = [row for row in rows if row.seq in changing]
    late = dict.fromkeys(
        seats[row.seat].name for row in rows if row.door == Channel.CLOCK and row.seat is not None
    )
    act = None
    text = "; ".join(lines_of(ticket.words))
    if rows and text and rows[0].seat == ticket.seat and rows[0].said == text:
        act = _act_of_ticket(require_started(history), ticket, rows[0].seq)
    case = TicketContext(
        ticket, game, history, seats[ticket.seat], seats, act, tuple(late), mark, deadline, absence, since
    )
    g.bearer = case
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
    if ticket.epoch != seating.epoch:
        raise errors.LinkWithdrawn
    check_still_shown(game, seating)
    if game.status == GameStatus.OVER and request.method == "POST":
        _check_may_write(seating)


def check_still_shown(game: Game, seating: Seating) -> None:
    """Refuse a ticket of a game that ended long ago. Raises `SignInNeeded`."""
    if game.ended_at is None or now() < game.ended_at + FINISHED_SHOWN_FOR:
        return
    if request.endpoint not in FOR_OLD_TICKETS and visitors.signed_in_player() != seating.player:
        raise errors.SignInNeeded(shown=False)


def _check_may_write(seating: Seating) -> None:
    if request.endpoint not in FOR_ANY_BEARER and visitors.signed_in_player() != seating.player:
        raise errors.SignInNeeded


def _act_of_ticket(history: StartedHistory, ticket: Ticket, seq: int) -> TicketAct:
    events = [event for number, event in history.events if number == seq]
    undone = _undone_orders(lines_of(ticket.words), events, history.position.table.board)
    why = _refusal_now(history.position, ticket.seat, undone) if undone and history.seq == seq else ""
    return TicketAct(seq, tuple(veil_event(event, ticket.seat) for event in events), undone, why)


def _undone_orders(lines: Sequence[str], events: Sequence[Event], board: Board) -> tuple[str, ...]:
    """Return the orders that were not performed, without an `end`: a turn may end by itself."""
    done = deque(filter(_is_player_action, events))
    orders = deque(one for line in lines for one in parse(line, board, NO_CHOICES, whole_lexicon().orders))
    while orders and done:
        if orders.popleft().verb == Verb.MARCH and isinstance(
            done[0], CardChosen
        ):  # the order named its card too
            done.popleft()
        if done:
            done.popleft()
    if orders and orders[0].verb == Verb.END:
        return ()
    return tuple(spell_out(one, board) for one in orders)


def _is_player_action(event: Event) -> bool:
    """True if a player did this; the end of a turn does not count, since it may come by itself."""
    if isinstance(event, TurnEnded):
        return False
    try:
        action_of(event)
    except InvalidEvent:
        return False
    return True


def _refusal_now(position: Position, seat: int, lines: tuple[str, ...]) -> str:
    if position.table.over or position.table.seat != seat:
        return ""
    try:
        preview(position, seat, lines[:1])
    except LinesRefused as refused:
        return refused.sentence
    return ""


def token_of(ticket: Ticket) -> str:
    """Seal a ticket with the tag of its act. Raises `ValueError` if its words are too long."""
    if "tokens" not in g:  # a page needs equal tokens many times
        g.tokens = {}
    if ticket not in g.tokens:
        tagged = (
            ticket if ticket.act_tag else replace(ticket, act_tag=find_act_tag(ticket.game, ticket.after))
        )
        g.tokens[ticket] = seal_ticket(tagged, current_context().links.keys)
    token: str = g.tokens[ticket]
    return token


def path_of(ticket: Ticket) -> str:
    """Return the address of a ticket as in letters."""
    return url_for("ticket_pages.show_ticket", token=token_of(ticket))


def settings_of(ticket: Ticket) -> str:
    return f"{path_of(replace(ticket, words=''))}/settings"


def link_of(ticket: Ticket) -> str:
    """Return the address of a ticket for our own pages, where nothing is done before a button is pressed."""
    if "looking" not in g:  # a page has many links
        g.looking = url_for("ticket_pages.show_ticket", token="-", look="1").rpartition("-")
    return token_of(ticket).join(g.looking[::2])


def redirect_to_game(case: TicketContext) -> ResponseReturnValue:
    return redirect(link_of(case.turn_ticket), 303)


LOG = logging.getLogger(__name__)


def register(app: Flask) -> None:
    """After each form that a player sends: start their clock, remember the game and learn the time zone."""
    app.after_request(_note_press)
    app.after_request(_learn_zone)


def _note_press(response: Response) -> Response:
    case: TicketContext | None = g.get("bearer")
    if case is None or request.method != "POST":
        return response
    try:
        _note_bearer(case, response.status_code)
    except OperationalError as error:  # the form's action is done already
        LOG.error("a press could not be noted: %s", error.orig)
    return response


def _note_bearer(case: TicketContext, status: int) -> None:
    pressed = status < 400
    if pressed and visitors.signed_in_player() != case.seating.player:
        cookies.note_played_seat(case.ticket.game, case.ticket.seat, case.ticket.epoch)
    if case.is_caretaken and (pressed or status == 409):
        with suppress(Refusal):  # the player is back, so no caretaker plays the seat
            in_transaction(lambda unit: come_back(unit, case.game.id, case.ticket.seat, Channel.WEB))
    if not pressed or case.game.seat != case.ticket.seat or not is_awaiting_letter(case.game):
        return
    with current_context().writing(case.game.id) as session:
        if begin_turn_clock(session, case.game.id, case.ticket.seat, case.game.turn, now()):
            session.commit()


def _learn_zone(response: Response) -> Response:
    if request.method != "POST" or response.status_code >= 400 or "zone" in request.form:
        return response
    case: TicketContext | None = g.get("bearer")
    player = visitors.signed_in_player() if case is None else case.seating.player
    try:
        if player is not None:
            locale.learn_zone(player)
    except OperationalError as error:  # the request is answered, and the next one tries again
        LOG.error("a time zone could not be stored: %s", error.orig)
    return response


FormView = Callable[[TicketContext], ResponseReturnValue]


class SeatForm(StrEnum):
    """Names of the forms about a seat in CSRF tokens, which stay valid when the game moves on."""

    AWAY = "away"
    CHAT = "say"
    DRAFT = "draft"
    LINKS = "links"
    NUDGE = "nudge"
    PLAN = "plan"
    RESIGN = "resign"
    RETURN = "return"
    SEEN = "seen"
    """Sent by a script: the page with the turn is shown."""
    SETTINGS = "settings"
    SIGN_IN = "signin"
    VOTES = "agree"


def form_token(form: SeatForm, case: TicketContext) -> str:
    return csrf_token(_subject(form, case))


def is_form_valid(form: SeatForm, case: TicketContext) -> bool:
    return is_csrf_valid(_subject(form, case))


def _subject(form: SeatForm, case: TicketContext) -> str:
    return f"{form} {case.game.id} {case.ticket.seat}"


def answers_seat_form(
    form: SeatForm, show: Callable[[TicketContext, str], str], refused: int = 409
) -> Callable[[FormView], Callable[..., ResponseReturnValue]]:
    """Let a view answer a form of a seat; see `errors.answers_form`."""
    return errors.answers_form(load_ticket, partial(_subject, form), show, refused)


def render_note(case: TicketContext, title: str, words: str) -> str:
    link, label = link_of(case.turn_ticket), gettext("To the game")
    return render_template("message.html", title=title, sentence=words, link=link, label=label)


def render_form(
    template: str, form: SeatForm, case: TicketContext, wrong: str = "", /, **values: object
) -> str:
    own = {
        "name": phrases.safe_name(case.game.name),
        "reader": phrases.safe_name(case.seating.name),
        "wrong": wrong,
        "nonce": form_token(form, case),
        "back": link_of(case.turn_ticket),
    }
    return render_template(template, **values | own)
