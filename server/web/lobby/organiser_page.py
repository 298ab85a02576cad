"""The page of a game for whoever has opened it: who is in, who is awaited, and what they can do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.keys import ForgedToken, Purpose
from emails.tokens import unseal_game
from emails.wording import phrases
from emails.wording.advice_text import describe_house_players
from emails.wording.presence.terms_text import describe_terms
from server.lobby.open_seats import (
    SeatGroup,
    cancel_game,
    fill_with_bots,
    is_open,
    names_of_leavers,
    seats_of,
    unreachable_seats,
)
from server.lobby.votes import ask_pause, end_pause
from server.outbox.queue import UnitOfWork, load_people, open_unit
from server.store.game_terms import find_pause_end, organiser_epoch, organiser_of, terms_of
from server.store.models import Game, Seating, StoredTerms
from server.store.refusals import Refusal
from server.store.states import Channel, GameStatus
from server.web.game import page_readers
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now
from server.web.kit.visitors import check_player_heard
from server.web.lobby.new_game import house_choice, read_house_choice

pages = Blueprint("organiser_page", __name__)


class OrganiserChoice(StrEnum):
    """What the buttons of the page send."""

    FILL_OPEN = "house-open"
    """The server plays the seats that nobody has."""
    FILL_AWAITED = "house-awaited"
    """The server plays the seats of those who have not accepted."""
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class ShareLink:
    """A link that the organiser passes on, by whatever way."""

    link: str
    title: str
    words: str
    mailto: str
    """The same as a mail that is not addressed yet."""


@pages.get("/new/<token>")
def show_organiser_page(token: str) -> ResponseReturnValue:
    """The page as it stands."""
    game, made, seats = _load_game(token)
    with current_context().reading() as session:
        epoch = organiser_epoch(session, game.id)
        history = current_context().history_of(session, game)
        present = load_people(session, game.id).values()
        refused = names_of_leavers(session, game.id) if game.status == GameStatus.OPEN else []
        unreachable = unreachable_seats(session, game.id)
    free = [one for one in seats if is_open(one)]
    awaited = [one for one in seats if one.player is not None and one.accepted_at is None]
    return render_template(
        "organiser.html",
        name=phrases.safe_name(game.name),
        status=game.status,
        halted=game.suspended_at,
        pausing=made.seat is None and game.status == GameStatus.RUNNING and game.turn_minutes > 0,
        paused=game.paused_at is not None,
        pause_ends=find_pause_end(game, history),
        seats=[(one, phrases.safe_name(one.name) if one.name else "") for one in seats],
        silent={one.seat for one in present if not one.preferences.letters},
        awaited=len(awaited),
        mailed=[phrases.safe_name(one.name) for one in awaited if one.seat not in unreachable],
        unmailed=[phrases.safe_name(one.name) for one in awaited if one.seat in unreachable],
        free=len(free),
        refused=[phrases.safe_name(one) for one in refused],
        joined_by=made.joined_by,
        share=share_link(game) if made.joined_by and free and game.status == GameStatus.OPEN else None,
        here=current_context().links.organiser_link(game.id, epoch),
        own=page_readers.own_seat_link(game.id),
        watched=made.watched and game.status.has_begun,
        watch_link=url_for("spectator_page.show_spectator_page", game=game.id),
        absolute=request_context.absolute_url,
        nonce=request_context.csrf_token(_csrf_subject(game)),
        house=house_choice(),
        faces=describe_house_players([one.name for one in seats if one.house]),
        terms=describe_terms(made.advice, made.caretaker, made.absence, timed=game.turn_minutes > 0),
        action=url_for("organiser_page.change_game", token=token),
    )


@pages.post("/new/<token>")
def change_game(token: str) -> ResponseReturnValue:
    """Let the server play seats, call the game off, pause or resume it. Pressed twice, it is done once."""
    game, _, _ = _load_game(token)
    back = url_for("organiser_page.show_organiser_page", token=token)
    if not request_context.is_csrf_valid(_csrf_subject(game)):
        return errors.render_expired_form(back)
    try:
        match request.form.get("wish", ""):
            case OrganiserChoice.FILL_OPEN:
                _fill(game, SeatGroup.OPEN)
            case OrganiserChoice.FILL_AWAITED:
                _fill(game, SeatGroup.AWAITED)
            case OrganiserChoice.CANCEL:
                cancel_game(current_context(), game.id, now())
            case OrganiserChoice.PAUSE:
                _change_pause(game, ask_pause)
            case OrganiserChoice.RESUME:
                _change_pause(game, end_pause)
            case _:
                words = gettext("Please choose one of these.")
                return errors.render_message(
                    gettext("Nothing was done"), words, 422, back, gettext("Look again")
                )
    except Refusal as error:
        return errors.render_refusal(error, back, gettext("Look again"))
    return redirect(back, 303)


def _change_pause(game: Game, change: Callable[[UnitOfWork, str, int | None, Channel], object]) -> None:
    """Pause the game or let it go on, for an organiser who does not play."""
    with open_unit(current_context(), now()) as unit:
        change(unit, game.id, None, Channel.WEB)
        unit.commit()
    current_context().wake()


def _fill(game: Game, which: SeatGroup) -> None:
    fill_with_bots(current_context(), game.id, which, now(), read_house_choice(request.form, "house"))


def _load_game(token: str) -> tuple[Game, StoredTerms, list[Seating]]:
    """The game of an organiser's page. Raises `ForgedToken`, `LinkWithdrawn` and `VisitorBanned`."""
    keys = current_context().links.keys
    number, epoch = unseal_game(Purpose.ORGANISER, token, keys)
    with current_context().reading() as session:
        game = session.get(Game, number)
        if game is None:
            raise ForgedToken
        if epoch != organiser_epoch(session, number):
            raise errors.LinkWithdrawn
        check_player_heard(session, organiser_of(session, number))
        return game, terms_of(session, number), seats_of(session, number)


def _csrf_subject(game: Game) -> str:
    return f"organise {game.id}"


def share_link(game: Game) -> ShareLink:
    """The link to the page on which an open seat of a game is taken."""
    link = current_context().links.join_link(game.id)
    title = gettext("Will you play Alexandros with us?")
    words = gettext("There is a seat for you in “%(game)s”, a game of Alexandros by mail:", game=game.name)
    body = f"{words}\r\n\r\n{link}"
    mailto = f"mailto:?subject={quote(title)}&body={quote(body)}"
    return ShareLink(link, title, words, mailto)
