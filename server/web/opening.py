"""The front page, and the form with which anybody opens a game."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from ipaddress import IPv6Address, ip_address
from threading import Lock

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from emails import wording
from emails.links import Forged, Ticket, seal, unseal
from emails.marks import NOTHING
from emails.tongue import LANGUAGES, say, spoken
from engine.cards import ONE, Symbol
from engine.editions import EDITIONS, RIO_GRANDE
from engine.events import GameStarted
from engine.evolve import evolve, start
from engine.views import view
from server.boards import boards
from server.games import HOUSE, LONGEST_ADDRESS, LONGEST_NAME, MOST_HOURS, NotOpened, Wish, checked, open_game
from server.house import house
from server.tables import Game, Seating
from server.trying import run_turn
from server.web import counter, editions
from server.web.chart import chart
from server.web.counter import now, office

SEATS = 4
HOURS = 48
PER_HOUR = "GAMES_PER_HOUR"
"""The name under which an application keeps how many games one visitor may open within an hour."""
OPENED, NOBODY = "opened", 255
"""The words and the seat of the ticket to the page that says who was invited: no player's."""
MOST_VISITORS = 10_000
PEOPLE = ("Anna", "Ben", "Cleo", "Dirk")
EXAMPLE = 24
"""Turns that the game on the front page has gone."""
pages = Blueprint("opening", __name__)


@pages.get("/")
def front() -> str:
    """What this is."""
    return render_template("front.html", chart=_example(spoken().language))


@cache
def _example(_: str) -> str:
    """A board some way into a game of the house with itself, with dice that always fall alike.

    The argument is the language spoken: what the board shows is told in it.
    """
    board = next(iter(boards().values()))
    lyre, horse, temple = ONE[Symbol.LYRE], ONE[Symbol.HORSE], ONE[Symbol.TEMPLE]
    dealt = GameStarted(board.name, RIO_GRANDE.name, PEOPLE, (lyre, horse, temple, lyre), horse + temple)
    position, dice = start(board, dealt), random.Random(EXAMPLE)
    while position.table.turn <= EXAMPLE and not position.table.over:
        for event in run_turn(position, house, lambda bag: dice.choice(list(bag))).events:
            position = evolve(position, event)
    return chart(view(position, None), NOTHING)


@pages.get("/healthz")
def health() -> ResponseReturnValue:
    """Whether the server can do its work: `ok`, once the database has answered."""
    try:
        with office().reading() as session:
            session.execute(text("SELECT 1"))
    except SQLAlchemyError:
        return Response("the database does not answer\n", 503, mimetype="text/plain")
    return Response("ok\n", mimetype="text/plain")


# --- the form -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """A seat as it was typed."""

    number: int
    kind: str
    """person, house or nobody."""
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
        Row(number, "person" if number <= 2 else "nobody") for number in (1, 2, 3, 4)
    )


@pages.get("/new")
def new() -> str:
    """The form."""
    return _form(Typed())


def _form(typed: Typed, wrong: Mapping[str, str] | None = None) -> str:
    return render_template(
        "new.html",
        typed=typed,
        wrong=wrong or {},
        editions=[(edition, editions.called(edition.name)) for edition in EDITIONS.values()],
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        most_hours=MOST_HOURS,
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
        nonce=counter.button(counter.form("new")),
    )


@pages.post("/new")
def open_() -> ResponseReturnValue:
    """Open the game that was typed, or say what is wrong with it."""
    typed = _typed(request.form)
    if not counter.is_pressed(counter.form("new")):
        return _form(typed, {"": say(counter.TOO_OLD)}), 400
    beside = _wrong(typed)
    if beside:
        return _form(typed, beside), 422
    hours = int(typed.hours)
    try:
        name, _ = checked(typed.name, _wishes(typed), typed.edition, hours)
        if not _turnstile().let(_visitor(), now()):
            late = say("Many games were opened from here within the hour. Please come back later.")
            return _form(typed, {"": late}), 429
        game = open_game(
            office(), name, _wishes(typed), now(), edition=typed.edition, hours=hours, door="web"
        )
    except NotOpened as error:
        return _form(typed, {"": wording.begun(str(error)) + "."}), 422
    token = seal(Ticket(game, NOBODY, 0, OPENED), office().post.secret)
    return redirect(url_for("opening.opened", token=token), 303)


def _typed(form: Mapping[str, str]) -> Typed:
    seats = []
    for number in range(1, SEATS + 1):
        name, address = (form.get(f"{what}{number}", "").strip()[:200] for what in ("name", "address"))
        kind = form.get(f"kind{number}", "person" if address else "nobody")
        kind = "person" if kind == "nobody" and (name or address) else kind
        kind = kind if kind in ("person", HOUSE) else "nobody"
        language = form.get(f"language{number}", "")
        seats.append(Row(number, kind, name, address, language if language in LANGUAGES else ""))
    hours = form.get("hours", str(HOURS)).strip()[:20]
    return Typed(
        form.get("name", "").strip()[:200], form.get("edition", RIO_GRANDE.name)[:40], hours, tuple(seats)
    )


def _wrong(typed: Typed) -> dict[str, str]:
    """What is wrong, by the field beside which it is said."""
    found = {}
    if not (typed.hours.isascii() and typed.hours.isdigit() and 1 <= int(typed.hours) <= MOST_HOURS):
        found["hours"] = say("The hours for a turn are a whole number from 1 to %(most)s.", most=MOST_HOURS)
    for row in typed.seats:
        if row.kind == "person" and not row.address:
            words = say("A person needs a mail address, to which the invitation goes.")
            found[f"address{row.number}"] = words
    if not any(row.kind == "person" for row in typed.seats):
        found["kind1"] = say("At least one seat must be a person's.")
    return found


def _wishes(typed: Typed) -> list[Wish]:
    found = []
    for row in typed.seats:
        if row.kind == HOUSE:
            found.append(Wish("", None))
        elif row.kind == "person":
            name = row.name or row.address.partition("@")[0]
            found.append(Wish(name, row.address, row.language or spoken().language))
    return found


@pages.get("/new/<token>")
def opened(token: str) -> ResponseReturnValue:
    """Who was invited to the game that was just opened."""
    ticket = unseal(token, office().post.secret)
    if ticket.words != OPENED:
        raise Forged
    with office().reading() as session:
        game = session.get(Game, ticket.game)
        seats: Sequence[Seating] = session.exec(
            select(Seating).where(Seating.game == ticket.game).order_by(col(Seating.seat))
        ).all()
    if game is None:
        raise Forged
    names = [wording.shown(one.name) for one in seats if not one.house]
    houses = sum(one.house for one in seats)
    return render_template("opened.html", name=wording.shown(game.name), invited=names, houses=houses)


# --- not too many ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Turnstile:
    """Lets each visitor through so many times within an hour; it forgets when the server starts anew."""

    most: int
    _passed: dict[str, deque[datetime]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def let(self, visitor: str, moment: datetime) -> bool:
        """Let a visitor through, unless he came too often."""
        with self._lock:
            for known in list(self._passed) if len(self._passed) > MOST_VISITORS else [visitor]:
                self._forget(known, moment)
            times = self._passed.setdefault(visitor, deque())
            if len(times) >= self.most or len(self._passed) > 2 * MOST_VISITORS:
                return False
            times.append(moment)
            return True

    def _forget(self, visitor: str, moment: datetime) -> None:
        times = self._passed.get(visitor, deque())
        while times and times[0] <= moment - timedelta(hours=1):
            times.popleft()
        if not times:
            self._passed.pop(visitor, None)


def _turnstile() -> Turnstile:
    extensions = current_app.extensions
    found = extensions.setdefault("turnstile", Turnstile(current_app.config[PER_HOUR]))
    assert isinstance(found, Turnstile)
    return found


def _visitor() -> str:
    """The address of the browser; of IPv6 the half that one household has."""
    address = request.remote_addr or ""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(IPv6Address(int(found) >> 64 << 64)) if isinstance(found, IPv6Address) else address
