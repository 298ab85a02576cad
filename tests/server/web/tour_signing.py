"""A walk through the pages of whoever signs in."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from lxml.html import HtmlElement
from sqlmodel import select

from server.store.models import Game, Player, SignInLink
from server.store.states import GameStatus
from tests.server.web.site import Site, Visitor

CODE = "a" * 32
FORM = "//main//form"


def pages(place: Site, visitor: Visitor, ticket: str, playing: str) -> Iterator[tuple[str, HtmlElement]]:
    """Every page from the wish to sign in to signing out; Anna waits in one game and plays the other."""
    visitor.get("/signin")
    yield "sign in", visitor.page
    visitor.send(FORM, address="nobody")
    yield "sign in without an address", visitor.page
    visitor.send(FORM, address="anna@example.org", nonce="x")
    yield "sign in from another page", visitor.page
    visitor.send(FORM, address="stranger@example.org")
    yield "sign in asked", visitor.page
    yield from _asking_for_desk(visitor)
    visitor.get(f"{ticket}/resign")
    yield "resign without a sign-in", visitor.page
    visitor.press()
    yield "resign, and a link is mailed", visitor.page
    yield from _agreeing(visitor, playing)
    visitor.get(f"{playing}/away")
    yield "away without a sign-in", visitor.page
    visitor.get(f"{ticket}/signin")
    yield "sign in from a game", visitor.page
    for _ in range(5):
        visitor.get(f"{ticket}/signin").press()
    yield "sign in asked too often", visitor.page
    with place.context.writing() as session:
        player = session.exec(select(Player.id).where(Player.name == "Anna")).one()
        session.add(SignInLink(digest=sha256(CODE.encode()).hexdigest(), player=player, at=place.clock()))
        session.commit()
    link = f"/s/{CODE}"
    visitor.get(link)
    yield "link", visitor.page
    nonce = visitor.nonce()
    visitor.press()
    yield "my games", visitor.page
    visitor.post(link, nonce=nonce)
    yield "link used", visitor.page
    visitor.get("/me/finished")
    yield "my finished games", visitor.page
    visitor.get("/me/browsers")
    yield "browsers", visitor.page
    visitor.send("//form[@id='new-key']", name=" ", wish="new")
    yield "key without a name", visitor.page
    visitor.send("//form[@id='new-key']", name="Anna", wish="new")
    yield "key", visitor.page
    visitor.send(FORM, wish="x")
    yield "no wish", visitor.page
    yield from _desk(place, visitor)
    visitor.get("/me/data")
    yield "my data", visitor.page
    visitor.get("/me/forget")
    yield "forget me", visitor.page
    visitor.send(FORM, nonce="x")
    yield "forget me from another page", visitor.page
    yield from _away(visitor, playing)
    yield from _resigning(visitor, ticket)
    visitor.get("/me/browsers").send(FORM, wish="others")
    yield "other browsers ended", visitor.page
    visitor.send(FORM, wish="out")
    yield "signed out", visitor.page
    yield from _new_links(visitor, ticket)


def _asking_for_desk(visitor: Visitor) -> Iterator[tuple[str, HtmlElement]]:
    """What the desk shows to anybody."""
    visitor.get("/desk")
    yield "desk, and an address is asked for", visitor.page
    visitor.send(FORM, address="stranger@example.org")
    yield "desk, and a link is asked for", visitor.page


def _desk(place: Site, visitor: Visitor) -> Iterator[tuple[str, HtmlElement]]:
    """The operator's pages, while Anna is the operator."""
    settings = place.context.settings
    place.context.settings = settings.model_copy(update={"operator": "anna@example.org"})
    visitor.get("/desk?word=nothing-like-it")
    yield "desk, and nothing found", _without_lines(visitor.page)
    visitor.get("/desk?word=Anna")
    yield "desk", _without_lines(visitor.page)
    visitor.get("/desk/mail?address=anna@example.org")
    yield "desk, the mail of somebody", _without_lines(visitor.page)
    with place.context.reading() as session:
        game = session.exec(select(Game.id).where(Game.status == GameStatus.RUNNING)).first()
    visitor.get(f"/desk/game/{game}")
    yield "desk, a game", _without_lines(visitor.page)
    visitor.post("/desk/repair", wish="resend", number="0", nonce="x")
    yield "desk, from another page", _without_lines(visitor.page)
    place.context.settings = settings


def _without_lines(page: HtmlElement) -> HtmlElement:
    """A page without what it shows in the words of the commands, which speak English alone."""
    for one in page.xpath("//main//*[@lang='en']"):
        one.drop_tree()
    return page


def _agreeing(visitor: Visitor, ticket: str) -> Iterator[tuple[str, HtmlElement]]:
    """What players ask of each other."""
    visitor.get(f"{ticket}/agreements")
    yield "agreements", visitor.page
    pause = "//form[.//button[@value='pause']]"
    visitor.send(pause, wish="x")
    yield "agreements, and nothing chosen", visitor.page
    visitor.send(pause, wish="pause")
    yield "a pause is asked for", visitor.page


def _away(visitor: Visitor, ticket: str) -> Iterator[tuple[str, HtmlElement]]:
    """Days away told and taken back by somebody who is signed in."""
    visitor.get(f"{ticket}/away")
    yield "away", visitor.page
    visitor.send("//form[@id='days']", last="x", wish="away")
    yield "away until no day", visitor.page
    visitor.send("//form[@id='days']", first="", last="2099-01-01", wish="away")
    yield "away for too long", visitor.page
    visitor.send("//form[@id='days']", nonce="x", wish="away")
    yield "away from another page", visitor.page


def _resigning(visitor: Visitor, ticket: str) -> Iterator[tuple[str, HtmlElement]]:
    """A game given up by somebody who is signed in, and what its page shows then."""
    visitor.get(f"{ticket}/resign")
    yield "resign", visitor.page
    visitor.send(FORM, nonce="x")
    yield "resign from another page", visitor.page


def _new_links(visitor: Visitor, ticket: str) -> Iterator[tuple[str, HtmlElement]]:
    """The links of a seat made new, and what its link of before shows then."""
    visitor.get(f"{ticket}/links")
    yield "new links", visitor.page
    visitor.send(FORM, nonce="x")
    yield "new links from another page", visitor.page
    visitor.get(f"{ticket}/links").send(FORM)
    yield "links are new", visitor.page
    visitor.get(ticket)
    yield "a link of before", visitor.page
    visitor.send(FORM)
    yield "links mailed again", visitor.page
