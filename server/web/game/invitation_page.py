"""Invitations: what one is asked to join, the button that accepts, and who is still awaited."""

from __future__ import annotations

from flask import redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.letters.game_letter_layout import turn_limit_text
from emails.letters.game_prospects import estimate_length, format_span
from emails.letters.lobby_letters import draw_start
from emails.tokens import DECLINE_WORDS
from emails.wording import phrases
from emails.wording.times.turn_times import describe_turn_time, name_reserve
from engine.editions import EDITIONS
from server.lobby.games import accept_seat
from server.lobby.open_seats import SEAT_HELD_FOR, is_open
from server.outbox.invitations import load_note
from server.outbox.queue import load_people
from server.outbox.unit_of_work import UnitOfWork, do_with_retries
from server.store.game_terms import organiser_seat, terms_of
from server.store.refusals import Refusal
from server.store.states import Channel, GameStatus
from server.store.turn_clock import turn_time_of
from server.web.game.page_readers import organiser_link
from server.web.game.ticket_context import TicketContext, link_of, token_of
from server.web.kit import errors
from server.web.kit.locale import settle_zone
from server.web.kit.request_context import csrf_token, current_context, now


def render_invitation(case: TicketContext) -> str:
    """The invitation as it stands: to be accepted, accepted, or the game has begun."""
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
    """The button was pressed. Pressed twice, it accepts once."""

    def accept(unit: UnitOfWork) -> None:
        accept_seat(unit, case.game.id, case.ticket.seat, Channel.LINK, case.ticket.after)
        settle_zone(unit.session, case.player, unit.now)

    try:
        do_with_retries(current_context(), now(), accept)
    except Refusal as error:
        return errors.render_message(gettext("This cannot be accepted"), errors.note_refusal(error), 409)
    return redirect(url_for("ticket_pages.show_ticket", token=token_of(case.ticket)), 303)
