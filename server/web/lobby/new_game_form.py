"""The form with which anybody opens a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import LANGUAGES, say, spoken
from emails.links import OPENED, seal_nobody
from emails.wording import phrases
from engine.editions import EDITIONS, RIO_GRANDE
from server.lobby.games import (
    LONGEST_ADDRESS,
    LONGEST_NAME,
    MOST_HOURS,
    NotOpened,
    Wish,
    checked,
    open_game,
)
from server.store.event_log import SEATS
from server.store.game_terms import JOINED_BY, JoinedBy, Terms
from server.store.models import Player
from server.store.seats import HOUSE, OPEN
from server.web.kit import editions, rate_limit, request_context, visitors
from server.web.kit.request_context import now, office

HOURS = 48
PER_HOUR = "GAMES_PER_HOUR"
"""The name under which an application keeps how many games one visitor may open within an hour."""
ME, PERSON, EMPTY = "me", "person", "nobody"
KINDS = (ME, PERSON, OPEN, HOUSE, EMPTY)
"""Who may play a seat, as the form says it; `ME` where its visitor is signed in."""
NAMED = "nobody"
"""How the form says that only those may play who are named."""
pages = Blueprint("new_game_form", __name__)


@dataclass(frozen=True, slots=True)
class Row:
    """A seat as it was typed."""

    number: int
    kind: str
    """One of `KINDS`."""
    name: str = ""
    address: str = ""
    language: str = ""
    """Of the letters; empty for that of the page."""


@dataclass(frozen=True, slots=True)
class Typed:
    """The form as it was typed."""

    name: str = ""
    edition: str = RIO_GRANDE.name
    hours: str = str(HOURS)
    seats: tuple[Row, ...] = tuple(
        Row(number, PERSON if number <= 2 else EMPTY) for number in range(1, SEATS + 1)
    )
    joined: str = "link"
    """Who may take open seats: `link`, `all`, or `NAMED`."""
    watched: bool = False

    @property
    def terms(self) -> Terms:
        """The terms of the game."""
        found: JoinedBy = next((one for one in JOINED_BY if one == self.joined), "")
        return Terms(found, self.watched)


def _me() -> Player | None:
    """Who fills in the form, where he is signed in."""
    player = visitors.signed_in()
    if player is None:
        return None
    with office().reading() as session:
        return session.get(Player, player)


@pages.get("/new")
def new() -> str:
    """The form."""
    typed, me = Typed(), _me()
    if me is not None:
        first = Row(1, ME, me.name, me.address)
        typed = replace(typed, seats=(first, *typed.seats[1:]))
    return _form(typed)


def _form(typed: Typed, wrong: Mapping[str, str] | None = None) -> str:
    me = _me()
    return render_template(
        "new.html",
        typed=typed,
        me=None if me is None else me.address,
        wrong=wrong or {},
        editions=[(edition, editions.called(edition.name)) for edition in EDITIONS.values()],
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        most_hours=MOST_HOURS,
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
        nonce=request_context.button(request_context.form("new")),
    )


@pages.post("/new")
def open_() -> ResponseReturnValue:
    """Open the game that was typed, or say what is wrong with it."""
    typed, me = _typed(request.form), _me()
    if not request_context.is_pressed(request_context.form("new")):
        return _form(typed, {"": say(request_context.TOO_OLD)}), 400
    beside = _wrong(typed)
    if beside:
        return _form(typed, beside), 422
    hours, terms, wishes = int(typed.hours), typed.terms, _wishes(typed, me)
    try:
        name, _ = checked(typed.name, wishes, typed.edition, hours, terms.joined_by)
        if not rate_limit.let("games", current_app.config[PER_HOUR]):
            late = say("Many games were opened from here within the hour. Please come back later.")
            return _form(typed, {"": late}), 429
        game = open_game(
            office(),
            name,
            wishes,
            now(),
            edition=typed.edition,
            hours=hours,
            door="web",
            organiser="" if me is None else me.address,
            terms=terms,
        )
    except NotOpened as error:
        return _form(typed, {"": phrases.begun(str(error)) + "."}), 422
    token = seal_nobody(game, OPENED, office().post.secret)
    return redirect(url_for("organiser_page.show", token=token), 303)


def _typed(form: Mapping[str, str]) -> Typed:
    hours = form.get("hours", str(HOURS)).strip()[:20]
    return Typed(
        form.get("name", "").strip()[:200],
        form.get("edition", RIO_GRANDE.name)[:40],
        hours,
        tuple(_row(form, number) for number in range(1, SEATS + 1)),
        form.get("joined", "link")[:10],
        form.get("watched") == "yes",
    )


def _row(form: Mapping[str, str], number: int) -> Row:
    name, address = (form.get(f"{what}{number}", "").strip()[:200] for what in ("name", "address"))
    kind = form.get(f"kind{number}", PERSON if address else EMPTY)
    kind = kind if kind in KINDS else EMPTY
    if kind == ME and visitors.signed_in() is None:  # he was when the page was made
        kind = PERSON
    kind = PERSON if kind == EMPTY and (name or address) else kind
    language = form.get(f"language{number}", "")
    return Row(number, kind, name, address, language if language in LANGUAGES else "")


def _wrong(typed: Typed) -> dict[str, str]:
    """What is wrong, by the field beside which it is said."""
    found = {}
    if not (typed.hours.isascii() and typed.hours.isdigit() and 1 <= int(typed.hours) <= MOST_HOURS):
        found["hours"] = say("The hours for a turn are a whole number from 1 to %(most)s.", most=MOST_HOURS)
    kinds = [row.kind for row in typed.seats]
    for row in typed.seats:
        if row.kind == PERSON and not row.address:
            words = say("A person needs a mail address, to which the invitation goes.")
            found[f"address{row.number}"] = words
    if not {ME, PERSON, OPEN} & set(kinds):
        found["kind1"] = say("At least one seat must be a person's.")
    if kinds.count(ME) > 1:
        found[f"kind{kinds.index(ME) + 1}"] = say("You can have one seat.")
    if OPEN in kinds and not typed.terms.joined_by:
        found["joined"] = say("There is an open seat: say who may take it.")
    return found


def _wishes(typed: Typed, me: Player | None) -> list[Wish]:
    found = []
    for row in typed.seats:
        if row.kind in (HOUSE, OPEN):
            found.append(Wish("", None, open=row.kind == OPEN))
        elif row.kind == ME and me is not None:
            found.append(Wish(row.name or me.name, me.address))
        elif row.kind == PERSON:
            name = row.name or row.address.partition("@")[0]
            found.append(Wish(name, row.address, row.language or spoken().language))
    return found
