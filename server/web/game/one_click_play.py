"""Links in letters that play at once: what a player chooses for one browser, with a tick, and not before.

A CSRF token of the browser goes with the choice. So nobody makes it for somebody else, not even with a letter
of theirs: a form that another site sends comes without the cookie of the browser.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from server.web.game.ticket_context import TicketContext, link_of, load_ticket, settings_of, token_of
from server.web.kit import cookies, errors, request_context

TICK = "at-once"
"""The field of the tick. Beside the button that plays its value is the token, for the button has its own."""
PAGE, SETTINGS_PAGE = "page", "settings"
"""The field that says from which page the choice is sent, and what it is on that of the settings."""
pages = Blueprint("one_click_play", __name__)


@dataclass(frozen=True, slots=True)
class OneClickForm:
    """What a page needs to let its reader choose."""

    chosen: bool
    nonce: str
    action: str


def build_one_click_form(case: TicketContext) -> OneClickForm | None:
    """The choice of the bearer of a ticket in this browser; None where nobody gets letters."""
    player = case.seating.player
    if player is None:
        return None
    return OneClickForm(
        cookies.plays_at_once(player),
        request_context.csrf_token(_csrf_subject(player)),
        url_for("one_click_play.keep_choice", token=token_of(case.ticket)),
    )


def note_tick(case: TicketContext) -> None:
    """Keep the choice of somebody who has ticked it beside the button that plays."""
    player = case.seating.player
    if player is not None and request_context.is_csrf_valid(_csrf_subject(player), TICK):
        cookies.set_plays_at_once(player, True)


@pages.post("/t/<token>/at-once")
def keep_choice(token: str) -> ResponseReturnValue:
    """Keep the choice as it was sent, and lead back to the page it was sent from."""
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
