"""A walk through the pages on which games are joined, left and looked after by their organisers."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.html import HtmlElement

from emails.tokens import Purpose, Ticket, seal_game, seal_ticket
from server.lobby.open_seats import hold_seat
from server.outbox.budgets import read_block, store_block
from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from server.store.states import BlockOrigin
from tests.server.desk import (
    NOON,
    OPEN_SEAT,
    accept_invitation,
    open_game,
    seat_of,
)
from tests.server.web.site import Site, Visitor

Page = tuple[str, HtmlElement]
FORM = "//main//form"


def pages(place: Site, visitor: Visitor) -> Iterator[Page]:
    """Every page of joining with a name that says what it shows."""

    def page(name: str) -> Page:
        return f"{name}: {visitor.title}", visitor.page

    visitor.get("/games")
    yield page("no games")
    game = _opened(place, SeatRequest("Ben", "ben@example.org"), OPEN_SEAT, OPEN_SEAT)
    _opened(place, SeatRequest("", None), SeatRequest("", None), OPEN_SEAT)
    running = _opened(place, SeatRequest("", None))
    for link in ("/games", "/"):
        visitor.get(link)
        yield page(f"games at {link}")
    seat, organiser = _link(place, game, "j", Purpose.JOIN), _link(place, game, "new", Purpose.ORGANISER)
    for fields in (
        None,
        {"name": "Anna", "address": "x@example.org"},
        {"name": "Dirk", "address": "dirk@example.org"},
    ):
        visitor.get(seat)
        if fields:
            visitor.send(FORM, **fields)
        yield page(f"join with {fields}")
    yield _shown(place, visitor, game, "Dirk", 2)
    yield _shown(place, visitor, game, "Anna", 0)
    _, action, sent = visitor.form("//form[contains(@action, '/leave')]")
    hold_seat(place.context, game, SeatRequest("Cleo", "cleo@example.org"), NOON)
    visitor.get(seat)
    yield page("full")
    ticket = Ticket(game, seat_of(place.context, game, "Ben"), 0, "accept")
    ben = f"/t/{seal_ticket(ticket, place.context.links.keys)}"
    visitor.get(ben).send("//form[contains(@action, '/leave')]")
    yield page("declined")
    visitor.post(action, nonce="x")
    yield page("leave from another page")
    for choice in ("x", "house-awaited", "house-open"):
        visitor.get(organiser)
        yield page(f"organiser before {choice}")
        _, action, sent = visitor.form(FORM)
        visitor.post(action, **(sent | {"wish": choice}))
        yield page(f"organiser after {choice}")
    visitor.post(action, nonce="x")
    yield page("organiser from another page")
    visitor.get(seat)
    yield page("too late to join, but to watch")
    visitor.get(_link(place, running, "new", Purpose.ORGANISER))
    yield page("organiser of a game that goes on")
    unmailed = SeatRequest("Ben", "ben@example.org")
    with place.context.writing() as session:
        store_block(session, read_block("ben@example.org", BlockOrigin.OPERATOR, NOON))
        session.commit()
    visitor.get(_link(place, _opened(place, unmailed), "new", Purpose.ORGANISER))
    yield page("organiser to whose guest no mail goes")
    yield from _called_off(place, visitor)


def _called_off(place: Site, visitor: Visitor) -> Iterator[Page]:
    game = _opened(place, SeatRequest("Ben", "ben@example.org"))
    visitor.get(_link(place, game, "new", Purpose.ORGANISER))
    _, action, sent = visitor.form(FORM)
    visitor.post(action, **(sent | {"wish": "cancel"}))
    yield f"called off: {visitor.title}", visitor.page
    visitor.get(_link(place, game, "j", Purpose.JOIN))
    yield f"called off, to join: {visitor.title}", visitor.page
    yield _shown(place, visitor, game, "Ben", 0)


def _opened(place: Site, *requests: SeatRequest) -> str:
    anna = SeatRequest("Anna", "anna@example.org")
    terms = GameTerms("all", watched=True)
    game = open_game(place.context, "Friday", [anna, *requests], NOON, organiser=anna.address, terms=terms)
    accept_invitation(place.context, game, seat_of(place.context, game, "Anna"), NOON)
    return game


def _link(place: Site, game: str, page: str, purpose: Purpose) -> str:
    return f"/{page}/{seal_game(purpose, game, place.context.links.keys)}"


def _shown(place: Site, visitor: Visitor, game: str, name: str, after: int) -> Page:
    """The page of a seat."""
    ticket = Ticket(game, seat_of(place.context, game, name), after, "accept")
    visitor.get(f"/t/{seal_ticket(ticket, place.context.links.keys)}")
    return f"seat of {name}: {visitor.title}", visitor.page
