"""A walk through the pages on which games are joined, left and looked after by their organisers."""

from collections.abc import Iterator

from lxml.html import HtmlElement

from emails.tokens import Purpose, Ticket, seal_game, seal_ticket
from server.lobby.open_seats import hold_seat
from server.outbox.budgets import read_block, store_block
from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from server.store.states import BlockOrigin
from tests.server.desk import ANNA, BEN, CLEO, NOON, OPEN_SEAT
from tests.server.web.site import Site, Visitor

Page = tuple[str, HtmlElement]
FORM = "//main//form"


def named(name: str, visitor: Visitor) -> Page:
    """The page that a visitor sees, with a name that says what it shows."""
    return f"{name}: {visitor.title}", visitor.page


def pages(place: Site, visitor: Visitor) -> Iterator[Page]:
    """Every page of joining with a name that says what it shows."""
    yield named("no games", visitor.get("/games"))
    game = _opened(place, BEN, OPEN_SEAT, OPEN_SEAT)
    _opened(place, SeatRequest("", None), SeatRequest("", None), OPEN_SEAT)
    running = _opened(place, SeatRequest("", None))
    for link in ("/games", "/"):
        yield named(f"games at {link}", visitor.get(link))
    seat, organiser = _link(place, game, "j", Purpose.JOIN), _link(place, game, "new", Purpose.ORGANISER)
    for fields in (
        None,
        {"name": "Anna", "address": "x@example.org"},
        {"name": "Dirk", "address": "dirk@example.org"},
    ):
        visitor.get(seat)
        if fields:
            visitor.send(FORM, **fields)
        yield named(f"join with {fields}", visitor)
    yield _shown(place, visitor, game, "Dirk", 2)
    yield _shown(place, visitor, game, "Anna", 0)
    _, action, sent = visitor.form("//form[contains(@action, '/leave')]")
    hold_seat(place.context, game, CLEO, NOON)
    yield named("full", visitor.get(seat))
    ticket = Ticket(game, place.seat(game, "Ben"), 0, "accept")
    ben = f"/t/{seal_ticket(ticket, place.context.links.keys)}"
    yield named("declined", visitor.get(ben).send("//form[contains(@action, '/leave')]"))
    yield named("leave from another page", visitor.post(action, nonce="x"))
    for choice in ("x", "house-awaited", "house-open"):
        yield named(f"organiser before {choice}", visitor.get(organiser))
        _, action, sent = visitor.form(FORM)
        yield named(f"organiser after {choice}", visitor.post(action, **(sent | {"wish": choice})))
    yield named("organiser from another page", visitor.post(action, nonce="x"))
    yield named("too late to join, but to watch", visitor.get(seat))
    yield named(
        "organiser of a game that goes on", visitor.get(_link(place, running, "new", Purpose.ORGANISER))
    )
    with place.changing() as session:
        store_block(session, read_block("ben@example.org", BlockOrigin.OPERATOR, NOON))
    yield named(
        "organiser to whose guest no mail goes",
        visitor.get(_link(place, _opened(place, BEN), "new", Purpose.ORGANISER)),
    )
    yield from _called_off(place, visitor)


def _called_off(place: Site, visitor: Visitor) -> Iterator[Page]:
    game = _opened(place, BEN)
    visitor.get(_link(place, game, "new", Purpose.ORGANISER))
    _, action, sent = visitor.form(FORM)
    yield named("called off", visitor.post(action, **(sent | {"wish": "cancel"})))
    yield named("called off, to join", visitor.get(_link(place, game, "j", Purpose.JOIN)))
    yield _shown(place, visitor, game, "Ben", 0)


def _opened(place: Site, *requests: SeatRequest) -> str:
    terms = GameTerms("all", watched=True)
    game = place.open_game("Friday", [ANNA, *requests], organiser=ANNA.address, terms=terms)
    place.context.accept_invitation(game, place.seat(game, "Anna"), NOON)
    return game


def _link(place: Site, game: str, page: str, purpose: Purpose) -> str:
    return f"/{page}/{seal_game(purpose, game, place.context.links.keys)}"


def _shown(place: Site, visitor: Visitor, game: str, name: str, after: int) -> Page:
    """The page of a seat."""
    ticket = Ticket(game, place.seat(game, name), after, "accept")
    return named(f"seat of {name}", visitor.get(f"/t/{seal_ticket(ticket, place.context.links.keys)}"))
