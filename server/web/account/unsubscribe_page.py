"""Unsubscribing: pages that stop and resume letters, and that block unsolicited letters to an address.

Anyone who has a link may stop the letters of the linked game or of all games, and resume the letters of that
game. To resume the letters of all games, the player must sign in. GET changes nothing; POST does, from a
button or a mail program (RFC 8058). A mail program's POST declines an invitation or stops a game's letters.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from flask import abort, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.languages.supported_languages import LANGUAGES
from emails.letters.parts import turn_limit_text
from emails.tokens import Purpose, unseal_unsubscribe
from emails.wording import phrases
from server.accounts import unsubscribe
from server.accounts.unsubscribe import UnsubscribeRefused
from server.lobby.open_seats import is_undecided
from server.mail_addresses import digest_address
from server.outbox.notifications import load_preferences
from server.outbox.queue import UnitOfWork, do_with_retries
from server.store.models import Game, Seating
from server.store.states import GameStatus
from server.web.kit import errors, visitors
from server.web.kit.forms import FormPages
from server.web.kit.request_context import bind_forms, current_context, in_transaction, now, read

ONE_CLICK_FIELD = "List-Unsubscribe", "One-Click"
"""Form field and value that a mail program sends (RFC 8058, section 3.1)."""
pages = FormPages("unsubscribe_page", __name__)


STOP, RESUME_ALL = "stop", "again-all"
CHANGES = {
    STOP: (unsubscribe.stop_letters, False),
    "stop-all": (unsubscribe.stop_letters, True),
    "again": (unsubscribe.resume_letters, False),
    RESUME_ALL: (unsubscribe.resume_letters, True),
}
"""For each button of the page its function, and whether it concerns all games."""


@dataclass(frozen=True, slots=True)
class Subscription:
    token: str
    game: Game
    seating: Seating
    player: int


def _load_subscription(token: str) -> Subscription:
    # A mail program's form has no CSRF token: its POST changes the subscription here.
    one_click = request.form.get(ONE_CLICK_FIELD[0], "").strip() == ONE_CLICK_FIELD[1]
    if request.method == "POST" and (one_click or not request.form):  # some mail programs send no field
        abort(make_response(_unsubscribe_at_once(token)))
    return _load_seating(token)


def _load_seating(token: str) -> Subscription:
    game_id, holder = unseal_unsubscribe(token, current_context().links.keys)
    try:
        seat = unsubscribe.seat_of_token(current_context(), game_id, holder)
    except UnsubscribeRefused:
        with current_context().reading() as session:
            raise (errors.SeatLeft(game_id) if session.get(Game, game_id) else errors.GameGone()) from None
    with current_context().reading() as session:
        game, seating = session.get(Game, game_id), session.get(Seating, (game_id, seat))
        if game is None or seating is None or seating.player is None:
            raise errors.GameGone
        if request.args.get(visitors.LANGUAGE_PARAMETER) not in LANGUAGES:
            visitors.use_player_locale(load_preferences(session, seating.player, game_id).locale, "")
    bind_forms(f"letters {game.id} {seating.seat}")
    return Subscription(token, game, seating, seating.player)


def _unsubscribe_at_once(token: str) -> ResponseReturnValue:
    def is_seat_left(unit: UnitOfWork) -> bool:
        asked = _load_seating(token)  # anew at each attempt: an invitation may have been accepted
        was_invited = is_undecided(asked.game, asked.seating)
        unsubscribe.unsubscribe_by_header(unit, asked.game.id, asked.seating.seat)
        return was_invited

    with suppress(errors.SeatLeft):  # already declined
        if not do_with_retries(current_context(), now(), is_seat_left):
            return _render_page(_load_seating(token), done=STOP)
    words = gettext("You have declined the invitation, and get no more mails of that game.")
    return errors.render_message(gettext("You are not in this game"), words)


def _render_page(asked: Subscription, wrong: str = "", done: str = "") -> str:
    game = asked.game
    return render_template(
        "unsubscribe.html",
        name=phrases.safe_name(game.name),
        reader=phrases.safe_name(asked.seating.name),
        time=turn_limit_text(game.turn_minutes),
        over=game.status == GameStatus.OVER,
        proposed=game.status == GameStatus.PROPOSED,
        stopped=not read(load_preferences, asked.player, game.id).letters,
        stopped_everywhere=not read(load_preferences, asked.player).letters,
        own=visitors.signed_in_player() == asked.player,
        done=done,
        wrong=wrong,
        action=url_for(
            "unsubscribe_page.change_subscription",
            token=asked.token,
            lang=request.args.get(visitors.LANGUAGE_PARAMETER),
        ),
    )


@pages.form("/u/<token>", _load_subscription, _render_page)
def change_subscription(asked: Subscription) -> ResponseReturnValue:
    """Stop or resume letters. A second press changes nothing."""
    choice = request.form.get("wish", "")
    if choice not in CHANGES:
        return _render_page(asked, gettext("Please choose one of these.")), 422
    if choice == RESUME_ALL and visitors.signed_in_player() != asked.player:
        return _render_page(asked, gettext("To get the mails of all your games again, sign in first.")), 403
    change, everywhere = CHANGES[choice]
    in_transaction(lambda unit: change(unit, asked.game.id, asked.seating.seat, everywhere))
    return _render_page(asked, done=choice)


def unwanted_page_link(address: str) -> str:
    token = current_context().links.keys.seal(Purpose.UNWANTED, bytes.fromhex(digest_address(address)))
    return url_for("unsubscribe_page.change_unwanted_letters", token=token)


def _load_digest(token: str) -> str:
    digest = current_context().links.keys.unseal(Purpose.UNWANTED, token).hex()
    bind_forms(f"unwanted {digest}")
    return digest


def _render_unwanted_page(digest: str, wrong: str = "", done: str = "") -> str:
    ended = read(unsubscribe.is_ended, digest)
    return render_template("unwanted.html", ended=ended, done=done, wrong=wrong)


@pages.form("/x/<token>", _load_digest, _render_unwanted_page)
def change_unwanted_letters(digest: str) -> ResponseReturnValue:
    """Block unsolicited letters to an address, or allow them again. A second press changes nothing."""
    choice = request.form.get("wish", "")
    changes = {"never": unsubscribe.end_unwanted_letters, "again": unsubscribe.allow_letters}
    if choice not in changes:
        return _render_unwanted_page(digest, gettext("Please choose one of these.")), 422
    do_with_retries(current_context(), now(), lambda unit: changes[choice](unit, digest))
    return _render_unwanted_page(digest, done=choice)
