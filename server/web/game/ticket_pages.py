"""The pages behind the links of letters: orders, invitations, and links that play at one click.

GET changes nothing, since mail scanners open every link. A button sends a CSRF token, and its orders go
through server/turns/play.py. The choice that links play at one click needs a CSRF token bound to the browser:
forms that other sites send come without its cookie.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.letters.game_letters import turn_limit_text
from emails.letters.lobby_letters import draw_start, estimate_length, format_span
from emails.tokens import ACCEPT_WORDS, DECLINE_WORDS, Ticket
from emails.wording import phrases
from emails.wording.deadlines import describe_turn_time, name_reserve
from engine.editions import EDITIONS
from engine.notation.parser import parse_lines
from server.lobby.games import accept_seat
from server.lobby.open_seats import SEAT_HELD_FOR, is_open
from server.outbox.letter_kinds import load_note
from server.outbox.queue import UnitOfWork, do_with_retries, load_people, open_unit
from server.store.game_terms import organiser_seat, terms_of
from server.store.refusals import GameNotRunning, Refusal, StalePosition
from server.store.states import Channel, GameStatus
from server.store.turn_clock import turn_time_of
from server.turns.dry_run import SEPARATOR, LinesRefused
from server.turns.play import play_ticket
from server.web.game import turn_pages
from server.web.game.preview import lines_of
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, settings_of, token_of
from server.web.game.turn_state import load_state, read_look
from server.web.game.viewers import organiser_link
from server.web.kit import cookies, errors, request_context
from server.web.kit.locale import localize_orders, page_vocabulary
from server.web.kit.request_context import csrf_token, current_context, is_csrf_valid, now, redirect_to

TICK = "at-once"
"""Name of the checkbox; beside the play button its value is the CSRF token, since the button has its own."""
PAGE, SETTINGS_PAGE = "page", "settings"
pages = Blueprint("ticket_pages", __name__)


@dataclass(frozen=True, slots=True)
class OneClickForm:
    """The checkbox with which links play at one click in this browser."""

    chosen: bool
    nonce: str
    action: str


def build_one_click_form(case: TicketContext) -> OneClickForm | None:
    player = case.seating.player
    if player is None:
        return None
    return OneClickForm(
        cookies.plays_at_once(player),
        request_context.csrf_token(_csrf_subject(player)),
        url_for("ticket_pages.keep_choice", token=token_of(case.ticket)),
    )


def note_tick(case: TicketContext) -> None:
    player = case.seating.player
    if player is not None and request_context.is_csrf_valid(_csrf_subject(player), TICK):
        cookies.set_plays_at_once(player, True)


@pages.post("/t/<token>/at-once")
def keep_choice(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    player = case.seating.player
    in_settings = request.form.get(PAGE) == SETTINGS_PAGE
    back = settings_of(case.ticket) if in_settings else link_of(case.ticket)
    if player is None or not request_context.is_csrf_valid(_csrf_subject(player)):
        return errors.render_expired_form(back)
    cookies.set_plays_at_once(player, TICK in request.form)
    return redirect(f"{back}?kept=1" if in_settings else f"{back}?look=1&offer=kept", 303)


def _csrf_subject(player: int) -> str:
    return request_context.form_subject(f"at once {player}")


def render_invitation(case: TicketContext) -> str:
    game = case.game
    started = game.status != GameStatus.OPEN
    with current_context().reading() as session:
        silent = {one.seat for one in load_people(session, game.id).values() if not one.preferences.letters}
        organises = terms_of(session, game.id).seat == case.ticket.seat
        organiser = organiser_seat(session, game.id, case.history)
        note = load_note(session, game.id, case.ticket.seat)
    awaited = [phrases.safe_name(one.name) for one in case.seats if one.accepted_at is None and one.name]
    taken = case.history.seat_tenures.get(case.ticket.seat)
    token = token_of(case.ticket)
    asked_by_seat = None if organises or (taken is not None and taken.joined) else organiser
    people = sum(not one.house for one in case.seats)
    length = estimate_length(len(case.seats), people, game.turn_minutes)
    names = [phrases.safe_name(one.name) if one.name else "" for one in case.seats]
    return render_template(
        "invitation.html",
        name=phrases.safe_name(game.name),
        reader=phrases.safe_name(case.seating.name),
        seats=[(one, phrases.safe_name(one.name) if one.name else "") for one in case.seats],
        asker="" if asked_by_seat is None else names[asked_by_seat],
        note=note,
        chart="" if started else draw_start(current_context().board_of(game), EDITIONS[game.edition], names),
        length=length,
        span=format_span(length, game.turn_minutes),
        own=case.ticket.seat,
        silent=silent,
        edition=EDITIONS[game.edition],
        edition_name=phrases.edition_title(EDITIONS[game.edition]),
        time=turn_limit_text(game.turn_minutes),
        reserve=name_reserve(turn_time_of(game)),
        whole_time=describe_turn_time(turn_time_of(game)),
        declining=case.ticket.words == DECLINE_WORDS,
        accepted=case.seating.accepted_at is not None,
        started=started,
        halted=game.suspended_at,
        awaited=awaited,
        free=sum(map(is_open, case.seats)),
        held=taken.at + SEAT_HELD_FOR if taken is not None and taken.joined else None,
        organiser_link=organiser_link(game.id) if organises and taken is None else "",
        turn_link=link_of(case.turn_ticket) if started else "",
        nonce=csrf_token(f"play {token}"),
        action=url_for("ticket_pages.show_ticket", token=token),
        leave_nonce=csrf_token(f"leave {token}"),
        leave_action=url_for("open_seat_pages.give_seat_back", token=token),
    )


def submit_acceptance(case: TicketContext) -> ResponseReturnValue:
    """Accept the invitation. A second press changes nothing."""

    def accept(unit: UnitOfWork) -> None:
        accept_seat(unit, case.game.id, case.ticket.seat, Channel.LINK, case.ticket.after)

    try:
        do_with_retries(current_context(), now(), accept)
    except Refusal as error:
        return errors.render_message(gettext("This cannot be accepted"), errors.note_refusal(error), 409)
    return redirect_to("ticket_pages.show_ticket", token=token_of(case.ticket))


LONGEST_TYPED = 1000
"""Characters of typed orders; a link carries little more."""


@pages.get("/t/<token>")
def show_ticket(token: str) -> ResponseReturnValue:
    """Show the page of a ticket without performing its orders."""
    case = load_ticket(token)
    if _is_invitation(case):
        return render_invitation(case)
    placing = turn_pages.read_placement_form()
    typed = _typed_text()
    if placing is None and typed is None:
        return turn_pages.render_game_page(case, read_look())
    state = load_state(case) if case.history.after and turn_pages.is_at_turn(case) else None
    if placing is not None and state is not None:
        found = placing.cost_for(state.known)
        if not found.fits:
            notice = turn_pages.nothing_done_notice(*found.sentences)
            look = replace(read_look(), province=placing.province_in(state.known))
            return turn_pages.render_game_page(case, look, localize_orders(placing.words), notice)
    typed = placing.words if placing else typed
    if typed:
        drafted = state.drafted if state is not None and not case.lines else ()
        return _redirect_to_preview(case, SEPARATOR.join((*drafted, typed)))
    empty = gettext("Say what to do, or tick where a guard is to stand.")
    return turn_pages.render_game_page(case, notice=turn_pages.nothing_done_notice(empty))


def _is_invitation(case: TicketContext) -> bool:
    return case.game.status == GameStatus.OPEN or case.ticket.words in (ACCEPT_WORDS, DECLINE_WORDS)


def _typed_text() -> str | None:
    """Return the typed orders; None if nothing was sent."""
    if "say" not in request.args:
        return None
    return "; ".join(lines_of(request.args["say"][: LONGEST_TYPED + 1]))


def _redirect_to_preview(case: TicketContext, words: str) -> ResponseReturnValue:
    try:
        if len(words) > LONGEST_TYPED:
            raise ValueError
        return redirect(link_of(replace(case.ticket, words=words)), 303)
    except ValueError:
        long = gettext("That is too long: a whole turn has four actions.")
        return turn_pages.render_game_page(
            case, words=words[:LONGEST_TYPED], notice=turn_pages.nothing_done_notice(long)
        )


@pages.post("/t/<token>")
def perform_ticket(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    token = token_of(case.ticket)
    if not is_csrf_valid(f"play {token}"):
        link = url_for("ticket_pages.show_ticket", token=token, look="1")
        words = gettext("This button is too old, or it does not belong to this page. Nothing was done.")
        return errors.render_message(
            gettext("Please look once more"), words, 400, link, gettext("Look again")
        )
    if _is_invitation(case):
        return submit_acceptance(case)
    if not case.lines:
        link = link_of(case.turn_ticket)
        words = gettext("This link says no action.")
        return errors.render_message(
            gettext("There is nothing to do"), words, 400, link, gettext("To the game")
        )
    return _play_ticket(case, token, Channel.WEB if "look" in request.args else Channel.LINK)


def perform_words(case: TicketContext, words: str) -> ResponseReturnValue:
    ticket = replace(case.turn_ticket, words=words)
    return _play_ticket(replace(case, ticket=ticket), token_of(ticket), Channel.WEB, said="1")


def _play_ticket(
    case: TicketContext, token: str, channel: Channel, said: str | None = None
) -> ResponseReturnValue:
    """Play the orders of a ticket. `said`: set if the dock shows the result."""
    ticket: Ticket = case.ticket
    board = current_context().board_of(case.game)
    orders = parse_lines(case.lines, board, page_vocabulary())
    try:
        with open_unit(current_context(), now(), game=ticket.game) as unit:
            play_ticket(unit, ticket, orders, channel)
            unit.commit()
    except StalePosition as stale:
        errors.note_refusal(stale)
        if load_ticket(token).act is None:
            return turn_pages.render_game_page(load_ticket(token)), 409
    except LinesRefused:
        return turn_pages.render_game_page(load_ticket(token)), 409
    except GameNotRunning as refused:
        errors.note_refusal(refused)
        raise errors.GameGone from None
    note_tick(case)
    offer = "1" if channel is Channel.LINK and _is_first_from_letter(case) else None
    return redirect_to("ticket_pages.show_ticket", token=token, look="1", offer=offer, said=said)


def _is_first_from_letter(case: TicketContext) -> bool:
    player = case.seating.player
    return player is not None and cookies.note_offer(player)
