"""The form with which anybody opens a game.

For whoever is signed in it opens at once. Anybody else gives their own address, and opens it with the letter
that goes there: nobody else hears of it before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import Blueprint, current_app, redirect, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import gettext, gettext_noop
from emails.languages.supported_languages import LANGUAGES
from emails.letters.game_prospects import describe_edition, estimate_length, format_span
from emails.letters.guest_notes import LONGEST_NOTE
from emails.letters.proposal_letter import LONGEST_ADDRESS, LONGEST_NAME
from emails.terms import TURN_TIMES, Tempo, TurnTime
from emails.wording import phrases
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
PACES: Mapping[Tempo, str] = {
    Tempo.RELAXED: gettext_noop("A relaxed game"),
    Tempo.LIVELY: gettext_noop("A lively one"),
    Tempo.LIVE: gettext_noop("Live, all at the page"),
    Tempo.FAST: gettext_noop("Live and fast"),
}
"""What the form calls each pace."""
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
        absences=[(rule, *map(gettext, told)) for rule, (_, *told) in ABSENCES.items()],
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
        house=house_choice(),
        nonce=request_context.csrf_token(request_context.form_subject("new")),
    )


def _paces() -> list[tuple[Tempo, str, str]]:
    """The paces that the form offers: each with what it is called, and what it means."""
    return [(tempo, gettext(title), _describe_pace(TURN_TIMES[tempo])) for tempo, title in PACES.items()]


def _describe_pace(time: TurnTime) -> str:
    """The time for turns, what a turn in time puts back, and how long a game takes."""
    return gettext(
        "%(turn)s a turn, and %(reserve)s in reserve; each turn played in time puts up to %(refill)s back; "
        "a game of three takes %(span)s",
        turn=phrases.format_minutes(time.minutes),
        reserve=phrases.format_minutes(time.bank),
        refill=phrases.format_minutes(time.refill),
        span=format_span(estimate_length(PLAYERS_TOLD, PLAYERS_TOLD, time.minutes), time.minutes),
    )


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
