"""The page on which a player says which letters they want, and in which language."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from emails.i18n import gettext
from server.accounts.deadline_adjustments import keep_time_left
from server.outbox.preferences import (
    Preferences,
    has_own_preferences,
    load_preferences,
    reset_preferences,
    store_preferences,
)
from server.store.refusals import Refusal
from server.web.account.settings_form import (
    ALL_GAMES_PREFIX,
    THIS_GAME_PREFIX,
    FieldErrors,
    read_preferences,
)
from server.web.account.settings_view import is_form_valid, is_own_browser, render_settings
from server.web.game.ticket_context import load_ticket
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("settings_page", __name__)


@pages.get("/t/<token>/settings")
def show_settings(token: str) -> str:
    """The settings as they are."""
    return render_settings(load_ticket(token), {}, {}, request.args.get("kept", "")[:10])


@pages.post("/t/<token>/settings")
def save_settings(token: str) -> ResponseReturnValue:
    """Keep what was chosen, all of it or nothing; for all games only what their player chose."""
    case = load_ticket(token)
    typed = {name: value.strip()[:200] for name, value in request.form.items()}
    if not is_form_valid(case):
        return render_settings(case, typed, {"": gettext(request_context.FORM_EXPIRED)}), 400
    player, wrong = case.player, FieldErrors()
    with current_context().writing() as session:
        everywhere = load_preferences(session, player)
        if is_own_browser(case):
            everywhere = replace(
                read_preferences(typed, ALL_GAMES_PREFIX, everywhere, wrong),
                language=typed.get("language", everywhere.language),
                zone=typed.get("zone", everywhere.zone),
            )
        here = (
            read_preferences(typed, THIS_GAME_PREFIX, everywhere, wrong)
            if typed.get("scope") == "own"
            else None
        )
        try:
            if not wrong:
                with keep_time_left(session, player, now()):  # by another zone they sleep at another time
                    _save_preferences(session, player, case.game.id, everywhere, here, now())
        except Refusal as error:
            wrong[""] = errors.note_refusal(error)
        if wrong:
            session.rollback()
            return render_settings(case, typed, wrong), 422
        current_context().commit_work(session)
    return redirect(url_for("settings_page.show_settings", token=token, kept="1"), 303)


def _save_preferences(
    session: Session,
    player: int,
    game: str,
    everywhere: Preferences,
    here: Preferences | None,
    moment: datetime,
) -> None:
    """Keep what differs from what was said before. Raises `InvalidPreferences`."""
    if everywhere.check() != load_preferences(session, player):
        store_preferences(session, player, None, everywhere, moment)
    if here is None:
        if has_own_preferences(session, player, game):
            reset_preferences(session, player, game, moment)
    elif here != load_preferences(session, player, game) or not has_own_preferences(session, player, game):
        store_preferences(session, player, game, here, moment)
