"""Invitations: what one is asked to join, the button that accepts, and who is still awaited."""

from __future__ import annotations

from flask import redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import say
from emails.links import OPENED, seal_nobody
from emails.wording import phrases
from engine.editions import EDITIONS
from server.lobby.games import NotOpened, accept
from server.lobby.open_seats import HELD, is_open
from server.outbox.queue import people
from server.store.event_log import Stale
from server.store.game_terms import opening
from server.web.game.ticket_context import Case, link_of, token_of
from server.web.kit import cookies, editions, errors
from server.web.kit.request_context import button, now, office

MOST_TRIES = 5
"""Several players may accept in one moment; each has one try more than there are others."""


def page(case: Case) -> str:
    """The invitation as it stands: to be accepted, accepted, or the game has begun."""
    game = case.game
    started = game.status != "open"
    with office().reading() as session:
        silent = {one.seat for one in people(session, game.id).values() if not one.wants.letters}
        organises = opening(session, game.id).seat == case.ticket.seat
    awaited = [phrases.shown(one.name) for one in case.seats if one.accepted_at is None and one.name]
    taken = case.history.taken.get(case.ticket.seat)
    token = token_of(case.ticket)
    return render_template(
        "invitation.html",
        name=phrases.shown(game.name),
        reader=phrases.shown(case.seating.name),
        seats=[(one, phrases.shown(one.name) if one.name else "") for one in case.seats],
        own=case.ticket.seat,
        silent=silent,
        edition=EDITIONS[game.edition],
        edition_name=editions.called(game.edition),
        time=phrases.span(game.hours) if game.hours else "",
        accepted=case.seating.accepted_at is not None,
        started=started,
        awaited=awaited,
        free=sum(map(is_open, case.seats)),
        held=taken.at + HELD if taken is not None and taken.joined else None,
        organiser_link=organiser_link(game.id) if organises and taken is None else "",
        turn_link=link_of(case.turn_ticket) if started else "",
        nonce=button(f"play {token}"),
        action=url_for("ticket_pages.show", token=token),
        leave_nonce=button(f"leave {token}"),
        leave_action=url_for("open_seat_pages.give_back", token=token),
    )


def organiser_link(game: str) -> str:
    """The page of a game for whoever has opened it."""
    return url_for("organiser_page.show", token=seal_nobody(game, OPENED, office().post.secret))


def accepted(case: Case) -> ResponseReturnValue:
    """The button was pressed. Pressed twice, it accepts once."""
    for _ in range(MOST_TRIES):
        try:
            accept(office(), case.game.id, case.ticket.seat, now(), after=case.ticket.after)
        except Stale:
            continue
        except NotOpened as error:
            return errors.page(say("This cannot be accepted"), phrases.begun(str(error)) + ".", 409)
        break
    else:
        words = say("Others accepted at this moment. Please press once more.")
        return errors.page(say("Too many at once"), words, 409)
    cookies.remember(case.seating.player)
    return redirect(url_for("ticket_pages.show", token=token_of(case.ticket)), 303)
