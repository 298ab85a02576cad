"""The form with which anybody opens a game.

For whoever is signed in it opens at once. Anybody else gives their own address, and opens it with the letter
that goes there: nobody else hears of it before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import Blueprint, current_app, redirect, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.languages.supported_languages import LANGUAGES
from emails.letters.game_prospects import describe_edition, estimate_length, format_span
from emails.letters.guest_notes import LONGEST_NOTE
from emails.letters.proposal_letter import LONGEST_ADDRESS, LONGEST_NAME, MOST_HOURS
from emails.wording import phrases
from emails.wording.presence.terms_text import describe_bound
from emails.wording.times.turn_times import TURN_TIMES, Tempo
from engine.editions import EDITIONS
from server.lobby.games import open_game
from server.lobby.new_games import NewGame, check_new_game
from server.lobby.proposals import propose_on_page
from server.store.boards import load_boards
from server.store.models import Player
from server.store.refusals import Refusal, RefusalCode
from server.store.states import Channel
from server.web.game import page_readers
from server.web.kit import errors, rate_limit, request_context, visitors
from server.web.kit.answer_timing import constant_time
from server.web.kit.request_context import current_context, now
from server.web.lobby.game_form import (
    ABSENCES,
    NewGameForm,
    SeatKind,
    TypedSeat,
    find_faults,
    game_request_from,
    read_form,
    wanted_game_from,
)
from server.web.lobby.house_choice import house_choice
from server.web.lobby.rules_pages import GAME_BOARD

GAMES_PER_HOUR = "GAMES_PER_HOUR"
"""The name under which an application keeps how many games one visitor may open within an hour."""
PLAYERS_TOLD = 3
"""Of a game whose length the form tells."""
pages = Blueprint("new_game_form", __name__)


def _signed_in_player() -> Player | None:
    """Who fills in the form, where they are signed in."""
    player = visitors.signed_in_player()
    if player is None:
        return None
    with current_context().reading() as session:
        return session.get(Player, player)


@pages.get("/new")
def show_new_game_form() -> str:
    """The form."""
    typed, me = NewGameForm(_propose_name()), _signed_in_player()
    if me is not None:
        first = TypedSeat(1, SeatKind.ME, me.name, me.address)
        typed = replace(typed, seats=(first, *typed.seats[1:]))
    return _render_form(typed)


def _propose_name() -> str:
    """A name for a game that nobody has to think of: after a place of the board, another each minute."""
    places = sorted(load_boards()[GAME_BOARD].places)
    return gettext("The road to %(place)s", place=places[int(now().timestamp()) // 60 % len(places)])


def _render_form(typed: NewGameForm, wrong: Mapping[str, str] | None = None) -> str:
    me = _signed_in_player()
    return render_template(
        "new_game.html",
        typed=typed,
        me=None if me is None else me.address,
        wrong=wrong or {},
        editions=[
            (edition, phrases.edition_title(edition), describe_edition(edition))
            for edition in EDITIONS.values()
        ],
        paces=_paces(),
        longest_note=LONGEST_NOTE,
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        most_hours=MOST_HOURS,
        bound=describe_bound(),
        absences=[(rule, *map(gettext, told)) for rule, (_, *told) in ABSENCES.items()],
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
        house=house_choice(),
        nonce=request_context.csrf_token(request_context.form_subject("new")),
    )


def _paces() -> list[tuple[Tempo, str, str]]:
    """The paces that the form offers: each with what it is called, and what it means."""
    spans = {
        tempo: format_span(estimate_length(PLAYERS_TOLD, PLAYERS_TOLD, time.hours), time.hours)
        for tempo, time in TURN_TIMES.items()
    }
    relaxed, lively = (
        gettext(
            "%(hours)s a turn, and %(reserve)s in reserve for the whole game; a game of three takes %(span)s",
            hours=phrases.format_hours(TURN_TIMES[tempo].hours),
            reserve=phrases.format_hours(TURN_TIMES[tempo].bank),
            span=spans[tempo],
        )
        for tempo in (Tempo.RELAXED, Tempo.LIVELY)
    )
    live = gettext(
        "all at the page at once, minutes a turn; who is away for an hour, and once for two, is played for"
    )
    return [
        (Tempo.RELAXED, gettext("A relaxed game"), relaxed),
        (Tempo.LIVELY, gettext("A lively one"), lively),
        (Tempo.LIVE, gettext("Live"), live),
        (Tempo.OWN, gettext("My own pace"), ""),
    ]


@pages.post("/new")
def submit_new_game() -> ResponseReturnValue:
    """Open the game that was typed, or say what is wrong with it."""
    typed, me = read_form(request.form), _signed_in_player()
    if not request_context.is_csrf_valid(request_context.form_subject("new")):
        return _render_form(typed, {"": gettext(request_context.FORM_EXPIRED)}), 400
    beside = find_faults(typed, me)
    if beside:
        return _render_form(typed, beside), 422
    try:
        wanted = check_new_game(wanted_game_from(typed, me))
        if not rate_limit.allow(rate_limit.LimitedAction.GAMES, current_app.config[GAMES_PER_HOUR]):
            late = gettext("Many games were opened from here within the hour. Please come back later.")
            return _render_form(typed, {"": late}), 429
        if me is None:
            return _propose_game(typed)
        return _open_game(wanted, me)
    except Refusal as error:
        wrong = {"": errors.note_refusal(error)}
        return _render_form(typed, wrong), 429 if error.code == RefusalCode.BUDGET else 422


def _open_game(wanted: NewGame, me: Player) -> ResponseReturnValue:
    game = open_game(
        current_context(),
        wanted,
        now(),
        channel=Channel.WEB,
        organiser=me.address,
        origin=visitors.origin(),
    )
    return redirect(page_readers.organiser_link(game), 303)


def _propose_game(typed: NewGameForm) -> ResponseReturnValue:
    """Mail the game to its organiser, who opens it; the same is said whether a letter goes there or none."""
    with constant_time():
        propose_on_page(current_context(), game_request_from(typed), visitors.origin(), now())
    return render_template("proposed.html", address=typed.seats[0].address)
