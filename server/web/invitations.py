"""Invitations: what one is asked to join, the button that accepts, and who is still awaited."""

from __future__ import annotations

from flask import redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from emails import wording
from emails.tongue import say
from engine.editions import EDITIONS
from server.games import NotOpened, accept
from server.log import Stale
from server.outbox import people
from server.web import browser, editions, errors
from server.web.cases import Case, link_of, token_of
from server.web.counter import button, now, office

MOST_TRIES = 5
"""Several players may accept in one moment; each has one try more than there are others."""


def page(case: Case) -> str:
    """The invitation as it stands: to be accepted, accepted, or the game has begun."""
    game = case.game
    started = game.status != "open"
    with office().reading() as session:
        silent = {one.seat for one in people(session, game.id).values() if not one.wants.letters}
    awaited = [wording.shown(one.name) for one in case.seats if one.accepted_at is None]
    return render_template(
        "invitation.html",
        name=wording.shown(game.name),
        reader=wording.shown(case.seating.name),
        seats=[(one, wording.shown(one.name)) for one in case.seats],
        own=case.ticket.seat,
        silent=silent,
        edition=EDITIONS[game.edition],
        edition_name=editions.called(game.edition),
        time=wording.span(game.hours) if game.hours else "",
        accepted=case.seating.accepted_at is not None,
        started=started,
        awaited=awaited,
        turn_link=link_of(case.turn_ticket) if started else "",
        nonce=button(f"play {token_of(case.ticket)}"),
        action=url_for("tickets.show", token=token_of(case.ticket)),
    )


def accepted(case: Case) -> ResponseReturnValue:
    """The button was pressed. Pressed twice, it accepts once."""
    for _ in range(MOST_TRIES):
        try:
            accept(office(), case.game.id, case.ticket.seat, now())
        except Stale:
            continue
        except NotOpened as error:
            return errors.page(say("This cannot be accepted"), wording.begun(str(error)) + ".", 409)
        break
    else:
        words = say("Others accepted at this moment. Please press once more.")
        return errors.page(say("Too many at once"), words, 409)
    browser.remember(case.seating.player)
    return redirect(url_for("tickets.show", token=token_of(case.ticket)), 303)
