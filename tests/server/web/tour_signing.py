"""A walk through the pages of whoever signs in."""

from collections.abc import Iterator
from hashlib import sha256

from lxml.html import HtmlElement
from sqlmodel import select

from server.store.models import Game, Player, SignInLink
from server.store.states import GameStatus
from tests.server.web.site import Site, Visitor
from tests.server.web.tour_joining import Page

CODE = "a" * 32
FORM = "//main//form"


def pages(place: Site, visitor: Visitor, ticket: str, playing: str) -> Iterator[Page]:
    """Every page from the wish to sign in to signing out; Anna waits in one game and plays the other."""
    yield "sign in", visitor.get("/signin").page
    yield "sign in without an address", visitor.send(FORM, address="nobody").page
    yield "sign in from another page", visitor.send(FORM, address="anna@example.org", nonce="x").page
    yield "sign in asked", visitor.send(FORM, address="stranger@example.org").page
    yield "desk, and an address is asked for", visitor.get("/desk").page
    yield "desk, and a link is asked for", visitor.send(FORM, address="stranger@example.org").page
    yield "resign without a sign-in", visitor.get(f"{ticket}/resign").page
    yield "resign, and a link is mailed", visitor.press().page
    pause = "//form[.//button[@value='pause']]"
    yield "agreements", visitor.get(f"{playing}/agreements").page
    yield "agreements, and nothing chosen", visitor.send(pause, wish="x").page
    yield "a pause is asked for", visitor.send(pause, wish="pause").page
    yield "away without a sign-in", visitor.get(f"{playing}/away").page
    yield "sign in from a game", visitor.get(f"{ticket}/signin").page
    for _ in range(5):
        visitor.get(f"{ticket}/signin").press()
    yield "sign in asked too often", visitor.page
    [player] = place.rows(Player.id, Player.name == "Anna")
    with place.changing() as session:
        session.add(SignInLink(digest=sha256(CODE.encode()).hexdigest(), player=player, at=place.clock()))
    link = f"/s/{CODE}"
    yield "link", visitor.get(link).page
    nonce = visitor.nonce()
    yield "my games", visitor.press().page
    yield "link used", visitor.post(link, nonce=nonce).page
    yield "my finished games", visitor.get("/me/finished").page
    yield "browsers", visitor.get("/me/browsers").page
    yield "key without a name", visitor.send("//form[@id='new-key']", name=" ", wish="new").page
    yield "key", visitor.send("//form[@id='new-key']", name="Anna", wish="new").page
    yield "no wish", visitor.send(FORM, wish="x").page
    yield from _desk(place, visitor)
    yield "my data", visitor.get("/me/data").page
    yield "forget me", visitor.get("/me/forget").page
    yield "forget me from another page", visitor.send(FORM, nonce="x").page
    yield from _away(visitor, playing)
    yield "resign", visitor.get(f"{ticket}/resign").page
    yield "resign from another page", visitor.send(FORM, nonce="x").page
    yield "other browsers ended", visitor.get("/me/browsers").send(FORM, wish="others").page
    yield "signed out", visitor.send(FORM, wish="out").page
    yield from _new_links(visitor, ticket)


def _desk(place: Site, visitor: Visitor) -> Iterator[Page]:
    """The operator's pages, while Anna is the operator."""
    settings = place.context.settings
    place.context.settings = settings.model_copy(update={"operator": "anna@example.org"})
    yield "desk, and nothing found", _without_lines(visitor.get("/desk?word=nothing-like-it").page)
    yield "desk", _without_lines(visitor.get("/desk?word=Anna").page)
    yield (
        "desk, the mail of somebody",
        _without_lines(visitor.get("/desk/mail?address=anna@example.org").page),
    )
    with place.context.reading() as session:
        game = session.exec(select(Game.id).where(Game.status == GameStatus.RUNNING)).first()
    yield "desk, a game", _without_lines(visitor.get(f"/desk/game/{game}").page)
    yield (
        "desk, from another page",
        _without_lines(visitor.post("/desk/repair", wish="resend", number="0", nonce="x").page),
    )
    place.context.settings = settings


def _without_lines(page: HtmlElement) -> HtmlElement:
    """A page without what it shows in the words of the commands, which speak English alone."""
    for one in page.xpath("//main//*[@lang='en']"):
        one.drop_tree()
    return page


def _away(visitor: Visitor, ticket: str) -> Iterator[Page]:
    """Days away told and taken back by somebody who is signed in."""
    yield "away", visitor.get(f"{ticket}/away").page
    yield "away until no day", visitor.send("//form[@id='days']", last="x", wish="away").page
    yield (
        "away for too long",
        visitor.send("//form[@id='days']", first="", last="2099-01-01", wish="away").page,
    )
    yield "away from another page", visitor.send("//form[@id='days']", nonce="x", wish="away").page


def _new_links(visitor: Visitor, ticket: str) -> Iterator[Page]:
    """The links of a seat made new, and what its link of before shows then."""
    yield "new links", visitor.get(f"{ticket}/links").page
    yield "new links from another page", visitor.send(FORM, nonce="x").page
    yield "links are new", visitor.get(f"{ticket}/links").send(FORM).page
    yield "a link of before", visitor.get(ticket).page
    yield "links mailed again", visitor.send(FORM).page
