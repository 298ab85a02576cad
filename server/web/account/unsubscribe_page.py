"""The page that stops letters, and brings them again: where the links in the headers of a letter lead.

Its token is good for nothing else. To look at it changes nothing; a button does, and so does what a mail
program sends when its user presses "unsubscribe" there (RFC 8058), which stops the letters of that one game.
"""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import LANGUAGES, say
from emails.links import unseal_stop
from emails.wording import phrases
from server.accounts import unsubscribe
from server.accounts.unsubscribe import NotStopped
from server.outbox.preferences import wants
from server.store.models import PROPOSED, Game, Seating
from server.web.game.ticket_context import AFTER_A_LINK
from server.web.kit import errors, locale, request_context
from server.web.kit.request_context import now, office

ONE_CLICK = "List-Unsubscribe", "One-Click"
"""RFC 8058, section 3.1: the one field that a mail program sends, and what it says."""
pages = Blueprint("unsubscribe_page", __name__)


@pages.get("/u/<token>")
def show(token: str) -> ResponseReturnValue:
    """What it would mean, and the buttons."""
    game, seating = _found(token)
    return _page(token, game, seating)


@pages.post("/u/<token>")
def change(token: str) -> ResponseReturnValue:
    """Stop the letters or bring them again. Done twice it is done once."""
    game, seating = _found(token)
    wish = request.form.get("wish", "")
    if request.form.get(ONE_CLICK[0], "").strip() == ONE_CLICK[1]:
        wish = "stop"
    elif not request_context.is_pressed(_subject(game, seating)):
        return _page(token, game, seating, wrong=say(request_context.TOO_OLD)), 400
    everywhere = wish.endswith("-all")
    try:
        if wish in ("stop", "stop-all"):
            unsubscribe.stop(office(), game.id, seating.seat, everywhere, now())
        elif wish in ("again", "again-all"):
            unsubscribe.start_again(office(), game.id, seating.seat, everywhere, now())
        else:
            return _page(token, game, seating, wrong=say("Please choose one of these.")), 422
    except NotStopped as error:
        return errors.page(say("Nothing was done"), str(error), 409)
    return _page(token, game, seating, done=wish)


def _found(token: str) -> tuple[Game, Seating]:
    """Whose letters it is about. Raises `emails.links.Forged`, or `Gone`; the page speaks his language."""
    game_id, holder = unseal_stop(token.rstrip(AFTER_A_LINK), office().post.secret)
    try:
        seat = unsubscribe.seat_of(office(), game_id, holder)
    except NotStopped:
        with office().reading() as session:
            raise (errors.Left(game_id) if session.get(Game, game_id) else errors.Gone()) from None
    with office().reading() as session:
        game, seating = session.get(Game, game_id), session.get(Seating, (game_id, seat))
        if game is None or seating is None or seating.player is None:
            raise errors.Gone
        if request.args.get(locale.CHOSEN) not in LANGUAGES:
            locale.turn_to(wants(session, seating.player, game_id).tongue, "")
    return game, seating


def _subject(game: Game, seating: Seating) -> str:
    return f"letters {game.id} {seating.seat}"


def _page(token: str, game: Game, seating: Seating, done: str = "", wrong: str = "") -> str:
    assert seating.player is not None
    with office().reading() as session:
        here, everywhere = wants(session, seating.player, game.id), wants(session, seating.player)
    return render_template(
        "stop.html",
        name=phrases.shown(game.name),
        reader=phrases.shown(seating.name),
        time=phrases.span(game.hours) if game.hours else "",
        over=game.status == "over",
        proposed=game.status == PROPOSED,
        stopped=not here.letters,
        stopped_everywhere=not everywhere.letters,
        done=done,
        wrong=wrong,
        nonce=request_context.button(_subject(game, seating)),
        action=url_for("unsubscribe_page.change", token=token, lang=request.args.get(locale.CHOSEN)),
    )
