"""Pages for taking an open seat, giving a seat back before the game begins, and the rematch."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_locale, gettext
from emails.letters.lobby_letters import LONGEST_ADDRESS, LONGEST_NAME, tidy_address
from emails.letters.parts import mailto_link
from emails.tokens import ForgedToken, Purpose, seal_game, unseal_game
from emails.wording import phrases
from emails.wording.texts import say
from engine.editions import EDITIONS
from server.accounts.sign_in import request_link_for_seat
from server.lobby.leaving import offered_seats, take_offered_seat
from server.lobby.open_seats import (
    SEAT_HELD_FOR,
    hold_seat,
    is_joinable,
    join_game,
    leave_seat,
    seats_of,
    shown_seats,
)
from server.lobby.proposals import find_rematch, open_rematch
from server.store.game_terms import SeatRequest, is_name_taken, terms_of, ticket_to
from server.store.models import Game, Player, Seating
from server.store.states import BEGUN, GameStatus
from server.store.turn_clock import turn_time_of
from server.web.game import viewers
from server.web.game.viewers import TicketContext, link_of, load_ticket, path_of
from server.web.kit import errors, visitors
from server.web.kit.forms import FormPages, look_again
from server.web.kit.request_context import current_context, now, redirect_to
from server.web.kit.visitors import LANGUAGE_PARAMETER, constant_time

pages = FormPages("open_seat_pages", __name__)


# --- an open seat ---------------------------------------------------------------------------------------


def _seat_link(game: str, seat: int) -> str:
    with current_context().reading() as session:
        return link_of(ticket_to(session.get_one(Seating, (game, seat)), session.get_one(Game, game).after))


def _load_game(token: str) -> Game:
    number, _ = unseal_game(Purpose.JOIN, token, current_context().links.keys)
    with current_context().reading() as session:
        game = session.get(Game, number)
    if game is None:
        raise ForgedToken
    return game


def _typed(field: str) -> str:
    return request.form.get(field, "").strip()[:200]


def _render_page(game: Game, wrong: str = "") -> str:
    """Show the game and a form to join; redirect signed-in players of the game to their seats."""
    if request.method == "GET" and (own := viewers.own_seat_link(game.id)):
        abort(redirect(own, 303))
    player = visitors.signed_in_player()
    with current_context().reading() as session:
        me = None if player is None else session.get_one(Player, player)
        (taken, free), made = shown_seats(current_context(), session, game), terms_of(session, game.id)
        joinable = is_joinable(current_context(), session, game)
        offered = offered_seats(session, game.id) if game.suspended_at is None else []
    return render_template(
        "join.html",
        name=phrases.safe_name(game.name),
        status=game.status,
        halted=game.suspended_at,
        players=[(one, phrases.safe_name(one.name)) for one in taken],
        free=free,
        joinable=joinable,
        offered=phrases.safe_name(offered[0].name) if offered else "",
        watched=made.watched and game.status in BEGUN,
        game=game.id,
        me=me,
        clash=me is not None and is_name_taken(me.name, (one.name for one in taken)),
        asked=bool(request.args.get("asked")),
        held=phrases.format_hours(int(SEAT_HELD_FOR.total_seconds()) // 3600),
        edition=EDITIONS[game.edition],
        edition_name=phrases.edition_title(EDITIONS[game.edition]),
        time=say("time.for_turn", time=turn_time_of(game)),
        mail=mailto_link(
            current_context().links.join_address(game.id), gettext("A seat"), gettext("I would like to play.")
        ),
        typed={"name": _typed("name"), "address": _typed("address")},
        wrong=wrong,
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
    )


@pages.form("/j/<token>", _load_game, _render_page)
def take_open_seat(game: Game) -> ResponseReturnValue:
    """Seat a signed-in player; mail a confirmation link to other visitors."""
    me, running = visitors.signed_in_player(), game.status == GameStatus.RUNNING
    often = gettext("You have asked for many seats within the hour. Please come back later.")
    visitors.check_limit(visitors.LimitedAction.JOINS, often)
    if me is None:
        wanted = SeatRequest(_typed("name"), tidy_address(_typed("address")), current_locale().language)
        ask = request_link_for_seat if running else hold_seat
        with constant_time():
            ask(current_context(), game.id, wanted, now(), visitors.origin())
        return redirect_to("open_seat_pages.take_open_seat", token=join_token(game.id), asked="1")
    with current_context().reading() as session:
        name = _typed("name") or session.get_one(Player, me).name
    take = take_offered_seat if running else join_game
    return redirect(_seat_link(game.id, take(current_context(), game.id, me, name, now())), 303)


def join_token(game: str) -> str:
    return seal_game(Purpose.JOIN, game, current_context().links.keys)


# --- giving a seat back ---------------------------------------------------------------------------------


@pages.button("/t/<token>/leave", load_ticket, look_again(TicketContext.page_link))
def give_seat_back(case: TicketContext) -> ResponseReturnValue:
    """Give the seat back before the game begins. A second press changes nothing."""
    leave_seat(current_context(), case.game.id, case.ticket.seat, case.ticket.after, now())
    # A seat given back has no player, so the address carries the language.
    asked = {"left": "1", LANGUAGE_PARAMETER: current_locale().language}
    return redirect(f"{path_of(case.ticket)}?{urlencode(asked)}", 303)


@pages.app_errorhandler(errors.SeatLeft)
def show_seat_left(error: errors.SeatLeft) -> ResponseReturnValue:
    """Answer a ticket whose player left the seat or did not answer in time."""
    title = gettext("You are not in this game")
    words = gettext(
        "This seat is not yours any more: you gave it back, did not answer in time, or were gone and "
        "somebody else plays on there. You get no more mails of this game."
    )
    if "left" in request.args:
        title = gettext("You will not play")
        words = gettext("The organiser is told. You get no more mails of this game.")
    with current_context().reading() as session:
        game = session.get_one(Game, error.game)
        joinable = is_joinable(current_context(), session, game)
    link = url_for("open_seat_pages.take_open_seat", token=join_token(game.id)) if joinable else ""
    return errors.render_message(title, words, 410, link, gettext("Join it after all"))


# --- the rematch ------------------------------------------------------------------------------------------


def rematch_button(case: TicketContext) -> dict[str, object]:
    """Return the values for rematch.html. `inside` is the link to the reader's seat in the rematch."""
    with current_context().reading() as session:
        made = find_rematch(session, case.game.id)
        seats = [] if made is None else seats_of(session, made.id)
    own = [one for one in seats if one.player == case.seating.player and one.accepted_at is not None]
    inside = "" if made is None or not own or case.sign_in_link else link_of(ticket_to(own[0], made.after))
    return {
        "action": case.link_to("open_seat_pages.submit_rematch"),
        "asked": made is not None,
        "inside": inside,
        "sign_in": case.sign_in_link,
    }


@pages.button("/t/<token>/rematch", load_ticket, look_again(TicketContext.page_link))
def submit_rematch(case: TicketContext) -> ResponseReturnValue:
    """Open the rematch, or accept the seat in an open rematch."""
    made = open_rematch(current_context(), case.game.id, case.ticket.seat, now())
    return redirect(_seat_link(made.game, made.seat), 303)
