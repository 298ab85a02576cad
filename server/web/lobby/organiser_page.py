"""The page of a game for whoever has opened it: who is in, who is awaited, and what he can do about it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import say
from emails.links import OPENED, Forged, unseal_nobody
from emails.wording import phrases
from server.lobby.open_seats import NotJoined, is_open, seats_of, who_left
from server.lobby.organiser import cancel, fill
from server.outbox.queue import people
from server.store.game_terms import opening
from server.store.models import Game, Opening, Seating
from server.web.game import readers
from server.web.game.ticket_context import AFTER_A_LINK
from server.web.kit import errors, request_context
from server.web.kit.request_context import now, office

pages = Blueprint("organiser_page", __name__)


@dataclass(frozen=True, slots=True)
class Share:
    """A link that the organiser passes on, by whatever way."""

    link: str
    title: str
    words: str
    mailto: str
    """The same as a mail that is not addressed yet."""


@pages.get("/new/<token>")
def show(token: str) -> ResponseReturnValue:
    """The page as it stands."""
    game, made, seats = _found(token)
    with office().reading() as session:
        present = people(session, game.id).values()
        refused = who_left(session, game.id) if game.status == "open" else []
    free = [one for one in seats if is_open(one)]
    awaited = [phrases.shown(one.name) for one in seats if one.player is not None and one.accepted_at is None]
    return render_template(
        "opened.html",
        name=phrases.shown(game.name),
        status=game.status,
        seats=[(one, phrases.shown(one.name) if one.name else "") for one in seats],
        silent={one.seat for one in present if not one.wants.letters},
        awaited=awaited,
        free=len(free),
        refused=[phrases.shown(one) for one in refused],
        joined_by=made.joined_by,
        share=share(game) if made.joined_by and free and game.status == "open" else None,
        here=office().post.organiser_link(game.id),
        own=readers.own_link(game.id),
        watched=made.watched and game.status in ("running", "over"),
        game=game.id,
        nonce=request_context.button(_subject(game)),
        action=url_for("organiser_page.change", token=token.rstrip(AFTER_A_LINK)),
    )


@pages.post("/new/<token>")
def change(token: str) -> ResponseReturnValue:
    """Let the server play seats, or call the game off. Pressed twice, it is done once."""
    game, _, _ = _found(token)
    back = url_for("organiser_page.show", token=token)
    if not request_context.is_pressed(_subject(game)):
        return errors.page(
            say("Please look once more"), say(request_context.TOO_OLD), 400, back, say("Look again")
        )
    try:
        match request.form.get("wish", ""):
            case "house-open":
                fill(office(), game.id, "open", now())
            case "house-awaited":
                fill(office(), game.id, "awaited", now())
            case "cancel":
                cancel(office(), game.id, now())
            case _:
                words = say("Please choose one of these.")
                return errors.page(say("Nothing was done"), words, 422, back, say("Look again"))
    except NotJoined as error:
        return errors.page(say("Nothing was done"), str(error), 409, back, say("Look again"))
    return redirect(back, 303)


def _found(token: str) -> tuple[Game, Opening, list[Seating]]:
    """The game of an organiser's page. Raises `emails.links.Forged`."""
    number = unseal_nobody(token.rstrip(AFTER_A_LINK), OPENED, office().post.secret)
    with office().reading() as session:
        game = session.get(Game, number)
        if game is None:
            raise Forged
        return game, opening(session, number), seats_of(session, number)


def _subject(game: Game) -> str:
    return f"organise {game.id}"


def share(game: Game) -> Share:
    """The link to the page on which an open seat of a game is taken."""
    link = office().post.join_link(game.id)
    title = say("Will you play Alexandros with us?")
    words = say("There is a seat for you in “%(game)s”, a game of Alexandros by mail:", game=game.name)
    body = f"{words}\r\n\r\n{link}"
    mailto = f"mailto:?subject={quote(title)}&body={quote(body)}"
    return Share(link, title, words, mailto)
