"""The activity of a ticket's bearer: what is noted of whoever presses a button, once they are answered."""

from __future__ import annotations

import logging
from contextlib import suppress

from flask import Flask, Response, g, request
from sqlalchemy.exc import OperationalError

from server.lobby.leaving import come_back
from server.outbox.unit_of_work import open_unit
from server.store.refusals import Refusal
from server.store.states import Channel
from server.store.turn_clock import begin_turn_clock, is_awaiting_letter
from server.web.game.ticket_context import TicketContext
from server.web.kit import cookies, visitors
from server.web.kit.request_context import current_context, now

LOG = logging.getLogger(__name__)


def register(app: Flask) -> None:
    """Note what its player sends from a page: the time of a turn begins, and this browser knows the game."""
    app.after_request(_note_press)


def _note_press(response: Response) -> Response:
    case: TicketContext | None = g.get("bearer")
    if case is None or request.method != "POST":
        return response
    try:
        _note_bearer(case, response.status_code)
    except OperationalError as error:  # what was pressed is done, and is answered so
        LOG.error("a press could not be noted: %s", error.orig)
    return response


def _note_bearer(case: TicketContext, status: int) -> None:
    pressed = status < 400
    if pressed and visitors.signed_in_player() != case.seating.player:
        cookies.note_played_seat(case.ticket.game, case.ticket.seat, case.ticket.epoch)
    if case.is_kept and (pressed or status == 409):
        _give_seat_back(case)
    if not pressed or case.game.seat != case.ticket.seat or not is_awaiting_letter(case.game):
        return
    with current_context().writing(case.game.id) as session:
        if begin_turn_clock(session, case.game.id, case.ticket.seat, case.game.turn, now()):
            session.commit()


def _give_seat_back(case: TicketContext) -> None:
    """Whoever presses anything is back, and no caretaker keeps their seat any more."""
    with suppress(Refusal), open_unit(current_context(), now()) as unit:
        come_back(unit, case.game.id, case.ticket.seat, Channel.WEB)
        unit.commit()
