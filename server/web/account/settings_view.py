"""The settings page as it is shown, and what of it a ticket alone can reach.

Every ticket of a seat leads there, and a ticket may come with a letter that was passed on. So it changes what
holds for its game alone; what belongs to the player takes a browser in which they are signed in. The page
that stops letters it leads to while the game is not over: after that a ticket only reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from flask import render_template, url_for

from emails.i18n import UTC_ZONE, zone_names
from emails.languages.supported_languages import LANGUAGES
from emails.letters.proposal_letter import LONGEST_ADDRESS
from emails.picture.palette import clean_name
from emails.tokens import seal_unsubscribe
from emails.wording import phrases
from server.accounts.paused_clocks import find_bounce_mark
from server.mail_addresses import mask_address
from server.outbox.preferences import LONGEST_PAUSE, SHORTEST_PAUSE, load_preferences
from server.store.models import Player
from server.store.states import GameStatus
from server.web.account.settings_form import FieldErrors, form_values, zones_by_region
from server.web.account.unwanted_page import unwanted_page_link
from server.web.game.one_click_play import build_one_click_form
from server.web.game.ticket_context import TicketContext, link_of, token_of
from server.web.kit import request_context, visitors
from server.web.kit.request_context import current_context, now


def is_own_browser(case: TicketContext) -> bool:
    """Whether the player of the seat is signed in here: what is theirs in all games can be changed."""
    return visitors.signed_in_player() == case.player


def is_form_valid(case: TicketContext) -> bool:
    """Whether a form of this page was sent from it."""
    return request_context.is_csrf_valid(_csrf_subject(case))


def _csrf_subject(case: TicketContext) -> str:
    return f"settings {case.game.id} {case.ticket.seat}"


def render_settings(case: TicketContext, typed: Mapping[str, str], wrong: FieldErrors, kept: str = "") -> str:
    """The page; `typed` is what the fields hold that is not kept, and `kept` says what was just done."""
    token = token_of(case.turn_ticket)
    player, own = case.player, is_own_browser(case)
    with current_context().reading() as session:
        address = session.get_one(Player, player).address
        typed = form_values(session, player, case.game.id) | dict(typed)
        stopped = not load_preferences(session, player, case.game.id).letters
        mark = find_bounce_mark(session, player)
    zone = typed["zone"] if typed["zone"] in zone_names() else UTC_ZONE
    return render_template(
        "settings.html",
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        typed=typed,
        wrong=wrong,
        kept=kept,
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        regions=zones_by_region(zone),
        tick=build_one_click_form(case),
        clock=now().astimezone(ZoneInfo(zone)).strftime("%H:%M"),
        least=SHORTEST_PAUSE,
        most=LONGEST_PAUSE,
        stopped=stopped,
        address=clean_name(address, LONGEST_ADDRESS) if own else mask_address(address),
        own=own,
        mark=mark,
        timed=case.game.status == GameStatus.RUNNING and case.game.turn_minutes > 0,
        clock_paused=case.history.is_clock_paused(case.ticket.seat),
        longest_address=LONGEST_ADDRESS,
        nonce=request_context.csrf_token(_csrf_subject(case)),
        action=url_for("settings_page.save_settings", token=token),
        move_action=url_for("address_pages.change_address", token=token),
        again_action=url_for("address_pages.resume_delivery", token=token),
        links_link=url_for("links_page.show_links_page", token=token),
        away_link=url_for("away_page.show_away_page", token=token) if case.may_resign else "",
        resign_link=url_for("resign_page.show_resign_page", token=token) if case.may_resign else "",
        sign_in_action=url_for("address_pages.mail_sign_in_link", token=token),
        unwanted_link=unwanted_page_link(address) if own else "",
        stop_link=_unsubscribe_link(case) if own or case.game.status != GameStatus.OVER else "",
        game_link=link_of(case.turn_ticket),
    )


def _unsubscribe_link(case: TicketContext) -> str:
    holder = case.history.holder_code(case.ticket.seat)
    token = seal_unsubscribe(case.game.id, holder, current_context().links.keys)
    return url_for("unsubscribe_page.show_unsubscribe_page", token=token)
