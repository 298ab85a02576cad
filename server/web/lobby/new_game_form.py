"""The form with which anybody opens a game.

For whoever is signed in it opens at once. Anybody else gives their own address, and opens it with the letter
that goes there: nobody else hears of it before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from flask import Blueprint, current_app, redirect, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import LANGUAGES, current_locale, gettext
from emails.letters.proposal_letter import LONGEST_ADDRESS, LONGEST_NAME, MOST_HOURS, GameRequest, Guest
from emails.wording import phrases
from engine.editions import DEFAULT_EDITION, EDITIONS
from server.lobby.games import open_game
from server.lobby.proposals import propose_on_page
from server.store.game_terms import GameTerms
from server.store.histories import MOST_SEATS
from server.store.models import Player
from server.store.refusals import Refusal, RefusalCode
from server.store.seats import SeatRequest, check_game_terms
from server.store.states import Channel, JoinedBy
from server.web.game import readers
from server.web.kit import errors, rate_limit, request_context, visitors
from server.web.kit.even_answers import even_answer
from server.web.kit.request_context import current_context, now

DEFAULT_HOURS = 48
GAMES_PER_HOUR = "GAMES_PER_HOUR"
"""The name under which an application keeps how many games one visitor may open within an hour."""
NAMED_ONLY = "nobody"
"""How the form says that only those may play who are named."""
pages = Blueprint("new_game_form", __name__)


class SeatKind(StrEnum):
    """Who may play a seat, as the form says it."""

    ME = "me"
    """The visitor; where they are not signed in it is the first seat."""
    PERSON = "person"
    OPEN = "open"
    """Whoever joins."""
    BOT = "house"
    EMPTY = "nobody"
    """There is no such seat."""


@dataclass(frozen=True, slots=True)
class TypedSeat:
    """A seat as it was typed."""

    number: int
    kind: SeatKind
    name: str = ""
    address: str = ""
    language: str = ""
    """Of the letters; empty for that of the page."""


@dataclass(frozen=True, slots=True)
class NewGameForm:
    """The form as it was typed."""

    name: str = ""
    edition: str = DEFAULT_EDITION.name
    hours: str = str(DEFAULT_HOURS)
    seats: tuple[TypedSeat, ...] = tuple(
        TypedSeat(number, kind)
        for number, kind in enumerate((SeatKind.ME, SeatKind.PERSON, SeatKind.EMPTY, SeatKind.EMPTY), 1)
    )
    joined: str = JoinedBy.LINK
    """Who may take open seats: `link`, `all`, or `NAMED_ONLY`."""
    watched: bool = False

    @property
    def terms(self) -> GameTerms:
        """The terms of the game."""
        found = next((one for one in JoinedBy if one == self.joined), JoinedBy.NOBODY)
        return GameTerms(found, self.watched)


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
    typed, me = NewGameForm(), _signed_in_player()
    if me is not None:
        first = TypedSeat(1, SeatKind.ME, me.name, me.address)
        typed = replace(typed, seats=(first, *typed.seats[1:]))
    return _render_form(typed)


def _render_form(typed: NewGameForm, wrong: Mapping[str, str] | None = None) -> str:
    me = _signed_in_player()
    return render_template(
        "new.html",
        typed=typed,
        me=None if me is None else me.address,
        wrong=wrong or {},
        editions=[(edition, phrases.edition_title(edition)) for edition in EDITIONS.values()],
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        most_hours=MOST_HOURS,
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
        nonce=request_context.csrf_token(request_context.form_subject("new")),
    )


@pages.post("/new")
def submit_new_game() -> ResponseReturnValue:
    """Open the game that was typed, or say what is wrong with it."""
    typed, me = _read_form(request.form), _signed_in_player()
    if not request_context.is_csrf_valid(request_context.form_subject("new")):
        return _render_form(typed, {"": gettext(request_context.FORM_EXPIRED)}), 400
    beside = _form_errors(typed, me)
    if beside:
        return _render_form(typed, beside), 422
    requests = _seat_requests(typed, me)
    try:
        check_game_terms(typed.name, requests, typed.edition, int(typed.hours), typed.terms.joined_by)
        if not rate_limit.allow(rate_limit.Limit.GAMES, current_app.config[GAMES_PER_HOUR]):
            late = gettext("Many games were opened from here within the hour. Please come back later.")
            return _render_form(typed, {"": late}), 429
        if me is None:
            return _propose_game(typed)
        return _open_game(typed, me, requests)
    except Refusal as error:
        wrong = {"": errors.note_refusal(error)}
        return _render_form(typed, wrong), 429 if error.code == RefusalCode.BUDGET else 422


def _open_game(typed: NewGameForm, me: Player, requests: list[SeatRequest]) -> ResponseReturnValue:
    game = open_game(
        current_context(),
        typed.name,
        requests,
        now(),
        edition=typed.edition,
        hours=int(typed.hours),
        channel=Channel.WEB,
        organiser=me.address,
        terms=typed.terms,
        origin=visitors.origin(),
    )
    return redirect(readers.organiser_link(game), 303)


def _propose_game(typed: NewGameForm) -> ResponseReturnValue:
    """Mail the game to its organiser, who opens it; the same is said whether a letter goes there or none."""
    with even_answer():
        propose_on_page(current_context(), _game_request(typed), visitors.origin(), now())
    return render_template("proposed.html", address=typed.seats[0].address)


def _read_form(form: Mapping[str, str]) -> NewGameForm:
    hours = form.get("hours", str(DEFAULT_HOURS)).strip()[:20]
    return NewGameForm(
        form.get("name", "").strip()[:200],
        form.get("edition", DEFAULT_EDITION.name)[:40],
        hours,
        tuple(_read_seat(form, number) for number in range(1, MOST_SEATS + 1)),
        form.get("joined", JoinedBy.LINK)[:10],
        form.get("watched") == "yes",
    )


def _read_seat(form: Mapping[str, str], number: int) -> TypedSeat:
    name, address = (form.get(f"{what}{number}", "").strip()[:200] for what in ("name", "address"))
    usual = SeatKind.PERSON if address else SeatKind.EMPTY
    chosen = form.get(f"kind{number}", usual)
    kind = next((one for one in SeatKind if one == chosen), SeatKind.EMPTY)
    if visitors.signed_in_player() is None:  # perhaps they were when the page was made
        kind = SeatKind.ME if number == 1 else SeatKind.PERSON if kind == SeatKind.ME else kind
    kind = SeatKind.PERSON if kind == SeatKind.EMPTY and (name or address) else kind
    language = form.get(f"language{number}", "")
    return TypedSeat(number, kind, name, address, language if language in LANGUAGES else "")


def _form_errors(typed: NewGameForm, me: Player | None) -> dict[str, str]:
    """What is wrong, by the field beside which it is said."""
    found = {}
    if not (typed.hours.isascii() and typed.hours.isdigit() and 1 <= int(typed.hours) <= MOST_HOURS):
        found["hours"] = gettext(
            "The hours for a turn are a whole number from 1 to %(most)s.", most=MOST_HOURS
        )
    kinds = [row.kind for row in typed.seats]
    for row in typed.seats:
        if row.kind == SeatKind.PERSON and not row.address:
            words = gettext("A person needs a mail address, to which the invitation goes.")
            found[f"address{row.number}"] = words
        if row.kind == SeatKind.ME and me is None and not row.address:
            found[f"address{row.number}"] = gettext("Your own address is needed: a mail goes there first.")
    if not {SeatKind.ME, SeatKind.PERSON, SeatKind.OPEN} & set(kinds):
        found["kind1"] = gettext("At least one seat must be a person's.")
    if kinds.count(SeatKind.ME) > 1:
        found[f"kind{kinds.index(SeatKind.ME) + 1}"] = gettext("You can have one seat.")
    if SeatKind.OPEN in kinds and not typed.terms.joined_by:
        found["joined"] = gettext("There is an open seat: say who may take it.")
    return found


def _game_request(typed: NewGameForm) -> GameRequest:
    """The same game as its organiser confirms it, who is not signed in."""
    first, *others = typed.seats
    usual = first.language or current_locale().language
    guests = tuple(
        Guest(_name_of(row), row.address, row.language or current_locale().language)
        for row in others
        if row.kind == SeatKind.PERSON
    )
    kinds = [row.kind for row in others]
    return GameRequest(
        Guest(_name_of(first), first.address),
        guests,
        houses=kinds.count(SeatKind.BOT),
        open_seats=kinds.count(SeatKind.OPEN),
        joined_by=typed.terms.joined_by,
        watched=typed.watched,
        name=typed.name,
        edition=typed.edition,
        hours=int(typed.hours),
        language=usual,
    )


def _name_of(row: TypedSeat) -> str:
    return row.name or row.address.partition("@")[0]


def _seat_requests(typed: NewGameForm, me: Player | None) -> list[SeatRequest]:
    found = []
    for row in typed.seats:
        if row.kind in (SeatKind.BOT, SeatKind.OPEN):
            found.append(SeatRequest("", None, open=row.kind == SeatKind.OPEN))
        elif row.kind == SeatKind.ME and me is not None:
            found.append(SeatRequest(row.name or me.name, me.address))
        elif row.kind != SeatKind.EMPTY:
            found.append(SeatRequest(_name_of(row), row.address, row.language or current_locale().language))
    return found
