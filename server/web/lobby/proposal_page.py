"""The page that a proposed game leads to: is this what you asked for? Only its button invites anybody."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import say
from emails.letters.proposal_letter import decoded, faults, missed, understood
from emails.links import Ticket, unseal_proposal
from emails.wording import phrases
from server.lobby import proposals
from server.lobby.games import NotOpened
from server.outbox.preferences import wants
from server.store.event_log import Stale
from server.store.models import PROPOSED, Game, Proposal, Seating
from server.web.game.ticket_context import ACCEPT, AFTER_A_LINK, link_of
from server.web.kit import cookies, errors, locale, request_context
from server.web.kit.request_context import now, office

pages = Blueprint("proposal_page", __name__)


@pages.get("/n/<token>")
def show(token: str) -> ResponseReturnValue:
    """What would be opened; once it is, the game."""
    return _page(token.rstrip(AFTER_A_LINK))


@pages.post("/n/<token>")
def confirm(token: str) -> ResponseReturnValue:
    """The button was pressed: open the game. Pressed twice, it opens once."""
    token = token.rstrip(AFTER_A_LINK)
    if not request_context.is_pressed(f"new {token}"):
        return _page(token, wrong=say(request_context.TOO_OLD))
    game = unseal_proposal(token, office().post.secret)
    if _speak_to(game) is None:
        return _gone()
    try:
        proposals.confirm(office(), game, now(), "link")
    except Stale:
        pass  # it is open
    except NotOpened as error:
        return _page(token, wrong=str(error))
    with office().reading() as session:
        proposal = session.get_one(Proposal, game)
        cookies.remember(session.get_one(Seating, (game, proposal.seat)).player)
    return redirect(url_for("proposal_page.show", token=token), 303)


def _speak_to(game: str) -> tuple[Game, Proposal] | None:
    """A proposed game, if it is still there; then its organiser's language is spoken from now on."""
    with office().reading() as session:
        found, proposal = session.get(Game, game), session.get(Proposal, game)
        if found is None or proposal is None:
            return None
        player = session.get_one(Seating, (game, proposal.seat)).player
        if player is not None:
            locale.turn_to(wants(session, player).tongue, "")
        return found, proposal


def _page(token: str, wrong: str = "") -> ResponseReturnValue:
    post = office().post
    spoken_to = _speak_to(unseal_proposal(token, post.secret))
    if spoken_to is None:
        return _gone()
    game, proposal = spoken_to
    if game.status != PROPOSED:
        # As his letter: no ticket to that seat if somebody else, or the house, has it by now.
        return redirect(link_of(Ticket(game.id, proposal.seat, 0, ACCEPT)), 303)
    with office().reading() as session:
        newest = proposals.newest(session, game.id)
    if newest is not None and newest.game != game.id:
        link = post.proposal_links(newest.game)[0].removeprefix(post.base_url)
        words = say("You have asked for something else since then.")
        return errors.page(say("This is not the last"), words, 409, link, say("To the last"))
    asked = decoded(proposal.wishes)
    return render_template(
        "proposal.html",
        name=phrases.shown(game.name),
        reader=phrases.shown(asked.organiser.name),
        lines=understood(asked, game.name),
        missed=missed(asked),
        faults=faults(asked),
        wrong=wrong,
        nonce=request_context.button(f"new {token}"),
        action=url_for("proposal_page.confirm", token=token),
    ), (409 if wrong else 200)


def _gone() -> ResponseReturnValue:
    words = say("A game that nobody confirms is kept for a week. You can ask for it again.")
    return errors.page(say("This game is gone"), words, 404, url_for("new_game_form.new"), say("New game"))
