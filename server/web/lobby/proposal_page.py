"""The page that a proposed game leads to: is this what you asked for? Only its button invites anybody."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.keys import Purpose
from emails.letters.proposal_letter import (
    describe_game_request,
    describe_unread,
    game_request_from_json,
    validate_game_request,
)
from emails.tokens import unseal_game
from emails.wording import phrases
from server.lobby import proposals
from server.outbox.preferences import load_preferences
from server.outbox.unit_of_work import open_unit
from server.store.models import Game, Seating
from server.store.refusals import Refusal, StalePosition
from server.store.states import Channel, GameStatus
from server.store.unasked_models import Proposal
from server.web.game import page_readers
from server.web.kit import errors, locale, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("proposal_page", __name__)


@pages.get("/n/<token>")
def show_proposal(token: str) -> ResponseReturnValue:
    """What would be opened; once it is, the game."""
    return _render_page(token)


@pages.post("/n/<token>")
def confirm_proposal(token: str) -> ResponseReturnValue:
    """The button was pressed: open the game, and show its organiser who is in. Pressed twice, it opens once.

    Whoever opens this link later is shown no page of the organiser's: those links come by mail alone.
    """
    if not request_context.is_csrf_valid(f"new {token}"):
        return _render_page(token, wrong=gettext(request_context.FORM_EXPIRED))
    game, _ = unseal_game(Purpose.PROPOSAL, token, current_context().links.keys)
    if _load_proposal(game) is None:
        return _render_proposal_gone()
    try:
        with open_unit(current_context(), now()) as unit:
            opened = proposals.confirm_proposal(unit, game, Channel.LINK)
            unit.commit()
        if opened:
            return redirect(page_readers.organiser_link(game), 303)
    except StalePosition:
        pass  # it is open
    except Refusal as error:
        return _render_page(token, wrong=errors.note_refusal(error))
    return redirect(url_for("proposal_page.show_proposal", token=token), 303)


def _load_proposal(game: str) -> tuple[Game, Proposal] | None:
    """A proposed game, if it is still there; then its organiser's language is spoken from now on."""
    with current_context().reading() as session:
        found, proposal = session.get(Game, game), session.get(Proposal, game)
        if found is None or proposal is None:
            return None
        player = session.get_one(Seating, (game, proposal.seat)).player
        if player is not None:
            locale.use_player_locale(load_preferences(session, player).locale, "")
        return found, proposal


def _render_page(token: str, wrong: str = "") -> ResponseReturnValue:
    keys = current_context().links.keys
    spoken_to = _load_proposal(unseal_game(Purpose.PROPOSAL, token, keys)[0])
    if spoken_to is None:
        return _render_proposal_gone()
    game, proposal = spoken_to
    if game.status != GameStatus.PROPOSED:
        return _render_open_game(game)
    with current_context().reading() as session:
        newest = proposals.latest_proposal(session, game.id)
    if newest is not None and newest.game != game.id:
        words = gettext("You have asked for something else since then: the last mail about it has the link.")
        return errors.render_message(gettext("This is not the last"), words, 409)
    asked = game_request_from_json(proposal.request)
    return render_template(
        "proposal.html",
        name=phrases.safe_name(game.name),
        reader=phrases.safe_name(asked.organiser.name),
        lines=describe_game_request(asked, game.name),
        missed=describe_unread(asked),
        faults=validate_game_request(asked),
        wrong=wrong,
        nonce=request_context.csrf_token(f"new {token}"),
        action=url_for("proposal_page.confirm_proposal", token=token),
    ), (409 if wrong else 200)


def _render_open_game(game: Game) -> ResponseReturnValue:
    """That a game is open: its letters lead to it, for this link may have been handed on."""
    name = phrases.safe_name(game.name)
    words = gettext("“%(game)s” is open. Your mails of it have your links.", game=name)
    sign_in = url_for("sign_in_pages.show_sign_in_form")
    return errors.render_message(gettext("The game is open"), words, 200, sign_in, gettext("Sign in"))


def _render_proposal_gone() -> ResponseReturnValue:
    words = gettext("A game that nobody confirms is kept for a week. You can ask for it again.")
    return errors.render_message(
        gettext("This game is gone"),
        words,
        404,
        url_for("new_game_form.show_new_game_form"),
        gettext("New game"),
    )
