"""Taking an open seat, giving one back before the game begins, and playing again with the same people."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import say, spoken
from emails.links import JOIN, Forged, Ticket, seal_nobody, unseal_nobody
from emails.wording import phrases
from engine.editions import EDITIONS
from server.lobby.games import LONGEST_ADDRESS, LONGEST_NAME, Wish
from server.lobby.open_seats import (
    HELD,
    NotJoined,
    ask,
    is_joinable,
    is_open,
    join,
    leave,
    seats_of,
)
from server.lobby.rematches import play_again, rematch_of
from server.store.game_terms import opening
from server.store.models import Game, Player
from server.web.game import readers
from server.web.game.ticket_context import AFTER_A_LINK, Case, find, link_of, token_of
from server.web.kit import cookies, editions, errors, rate_limit, request_context, visitors
from server.web.kit.request_context import now, office

PER_HOUR = "JOINS_PER_HOUR"
"""The name under which an application keeps how often one visitor may ask for a seat within an hour."""
pages = Blueprint("open_seat_pages", __name__)


@dataclass(frozen=True, slots=True)
class Typed:
    """The form as it was typed."""

    name: str = ""
    address: str = ""


# --- an open seat ---------------------------------------------------------------------------------------


@pages.get("/j/<token>")
def show(token: str) -> ResponseReturnValue:
    """The game, and how to join it; whoever is signed in and plays in it already goes on to his seat."""
    game = _found(token)
    own = readers.own_link(game.id)
    if own:
        return redirect(own, 303)
    return _page(game, Typed())


@pages.post("/j/<token>")
def take(token: str) -> ResponseReturnValue:
    """Join: whoever is signed in at once, anybody else by the letter that is sent to him now."""
    game, me = _found(token), visitors.signed_in()
    typed = Typed(*(request.form.get(what, "").strip()[:200] for what in ("name", "address")))
    if not request_context.is_pressed(request_context.form(f"join {game.id}")):
        return _page(game, typed, say(request_context.TOO_OLD)), 400
    if not rate_limit.let("joins", current_app.config[PER_HOUR]):
        often = say("You have asked for many seats within the hour. Please come back later.")
        return _page(game, typed, often), 429
    try:
        if me is None:
            ask(office(), game.id, Wish(typed.name, typed.address, spoken().language), now())
            return redirect(url_for("open_seat_pages.show", token=token, asked="1"), 303)
        with office().reading() as session:
            name = typed.name or session.get_one(Player, me).name
        seat = join(office(), game.id, me, name, now())
    except NotJoined as error:
        return _page(game, typed, str(error)), 409
    cookies.remember(me)
    return redirect(_seat_link(game.id, seat), 303)


def _seat_link(game: str, seat: int) -> str:
    """The page of a seat as its game is now."""
    with office().reading() as session:
        return link_of(Ticket(game, seat, session.get_one(Game, game).after))


def _found(token: str) -> Game:
    """The game of a token. Raises `emails.links.Forged`."""
    number = unseal_nobody(token.rstrip(AFTER_A_LINK), JOIN, office().post.secret)
    with office().reading() as session:
        game = session.get(Game, number)
    if game is None:
        raise Forged
    return game


def _page(game: Game, typed: Typed, wrong: str = "") -> str:
    player = visitors.signed_in()
    with office().reading() as session:
        me = None if player is None else session.get_one(Player, player)
        seats, made = seats_of(session, game.id), opening(session, game.id)
        joinable = is_joinable(session, game)
    return render_template(
        "join.html",
        name=phrases.shown(game.name),
        status=game.status,
        players=[(one, phrases.shown(one.name)) for one in seats if not is_open(one)],
        free=sum(map(is_open, seats)),
        joinable=joinable,
        watched=made.watched and game.status in ("running", "over"),
        game=game.id,
        me=me,
        clash=me is not None and any(one.name.casefold() == me.name.casefold() for one in seats),
        asked=bool(request.args.get("asked")),
        held=phrases.span(int(HELD.total_seconds()) // 3600),
        edition=EDITIONS[game.edition],
        edition_name=editions.called(game.edition),
        time=phrases.span(game.hours) if game.hours else "",
        typed=typed,
        wrong=wrong,
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
        nonce=request_context.button(request_context.form(f"join {game.id}")),
        action=url_for("open_seat_pages.take", token=join_token(game.id)),
    )


def join_token(game: str) -> str:
    """The token of the page on which an open seat of a game is taken."""
    return seal_nobody(game, JOIN, office().post.secret)


# --- giving a seat back ---------------------------------------------------------------------------------


@pages.post("/t/<token>/leave")
def give_back(token: str) -> ResponseReturnValue:
    """The player of a seat will not play, or no more. Pressed twice, it is done once."""
    case = find(token)
    token = token_of(case.ticket)
    back = link_of(case.turn_ticket)
    if not request_context.is_pressed(f"leave {token}"):
        return errors.page(
            say("Please look once more"), say(request_context.TOO_OLD), 400, back, say("Look again")
        )
    try:
        leave(office(), case.game.id, case.ticket.seat, case.ticket.after, now())
    except NotJoined as error:
        return errors.page(say("Nothing was done"), str(error), 409, back, say("To the game"))
    return redirect(url_for("ticket_pages.show", token=token), 303)


@pages.app_errorhandler(errors.Left)
def left(error: errors.Left) -> ResponseReturnValue:
    """To whoever has given his seat up, or has not answered in time."""
    words = say(
        "This seat is not yours any more: you gave it back, or did not answer in time. "
        "You get no more letters of this game."
    )
    with office().reading() as session:
        game = session.get_one(Game, error.game)
        joinable = is_joinable(session, game)
    link = url_for("open_seat_pages.show", token=join_token(game.id)) if joinable else ""
    return errors.page(say("You are not in this game"), words, 410, link, say("Join it after all"))


# --- once more ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Again:
    """The button with which a player of a finished game plays again."""

    action: str
    nonce: str
    asked: bool
    """Whether somebody has pressed it already."""
    inside: str
    """The address of the reader's seat in the new game, where he has accepted it; else empty."""


def again(case: Case) -> Again:
    """Whether and how the reader of a finished game can play it again."""
    token = token_of(case.turn_ticket)
    with office().reading() as session:
        made = rematch_of(session, case.game.id)
        seats = [] if made is None else seats_of(session, made.id)
    own = [one.seat for one in seats if one.player == case.seating.player and one.accepted_at is not None]
    inside = link_of(Ticket(made.id, own[0], made.after)) if made is not None and own else ""
    action = url_for("open_seat_pages.rematch", token=token)
    return Again(action, request_context.button(f"rematch {token}"), made is not None, inside)


@pages.post("/t/<token>/rematch")
def rematch(token: str) -> ResponseReturnValue:
    """The button was pressed: open the game that follows this one, or take one's seat in it."""
    case = find(token)
    back = link_of(case.turn_ticket)
    if not request_context.is_pressed(f"rematch {token}"):
        return errors.page(
            say("Please look once more"), say(request_context.TOO_OLD), 400, back, say("Look again")
        )
    try:
        made = play_again(office(), case.game.id, case.ticket.seat, now())
    except NotJoined as error:
        return errors.page(say("Nothing was done"), str(error), 409, back, say("To the game"))
    cookies.remember(case.seating.player)
    return redirect(_seat_link(made.game, made.seat), 303)
