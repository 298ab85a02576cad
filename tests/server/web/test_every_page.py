"""Every page of the tour: to look changes nothing, a forged form does nothing, and names are isolated."""

import re
from collections.abc import Iterator

import pytest
from lxml.html import HtmlElement
from sqlalchemy import event

from emails.letters import parts
from emails.names import END_OF_ISOLATE, ISOLATE
from emails.picture import board_picture
from emails.wording import board_text, phrases
from server.web.account import sign_in_pages
from server.web.lobby import public_pages
from tests.server.web.site import Visitor
from tests.server.web.tour import Tour

pytestmark = pytest.mark.breadth

COUNTED = "signedin", "visit"
"""Tables that note when and how often a visitor comes, also one who only looks."""
WRITES = re.compile(r"\s*(?:INSERT INTO|UPDATE|DELETE FROM) \"?(\w+)")


def watch_writes(context) -> list[str]:
    """The tables that are written from now on, as they are written."""
    written: list[str] = []

    def note(_connection, _cursor, statement: str, *_) -> None:
        found = WRITES.match(statement)
        if found and found[1] not in COUNTED:
            written.append(found[1])

    event.listen(context._for_writing, "before_cursor_execute", note)
    return written


def test_to_look_changes_nothing_and_a_forged_form_does_nothing(place, monkeypatch):
    look, written, changed, tried = Visitor.get, watch_writes(place.context), [], 0

    def look_twice(visitor, link: str) -> Visitor:
        before = len(written)
        look(visitor, link)
        visitor.client.head(link.partition("#")[0])
        changed.extend((link, table) for table in written[before:])
        return visitor

    monkeypatch.setattr(Visitor, "get", look_twice)
    tour = Tour(place, "en")
    for name, page in tour.pages():
        for form in page.xpath("//form[@method='post'][.//input[@name='nonce']]"):
            fields, before = dict(form.form_values()) | {"nonce": "x"}, len(written)
            for button in form.xpath(".//button[@name]") or [{}]:
                pressed = {button.get("name") or "wish": button.get("value") or ""}
                answer = tour.visitor.client.post(form.action, data=fields | pressed)
                assert answer.status_code >= 400, (name, form.action, pressed)
                tried += 1
            changed.extend((form.action, table) for table in written[before:])
    assert changed == []
    assert tried > 50
    assert {"act", "outgoing"} <= set(written), "what good forms write is seen"


def faults_of(page: HtmlElement) -> Iterator[str]:
    """What is wrong with the elements of a page."""
    if page.xpath("//*[@style] | //style | //script[not(@src)]"):
        yield "has a script or style of its own"
    yield from (f"has {name}" for one in page.iter() for name in one.attrib if name.startswith("on"))
    sources = map(str, page.xpath("//@src | //link/@href | //form/@action"))
    yield from (f"asks {one}" for one in sources if not one.startswith("/"))
    if len(page.xpath("//h1")) != 1:
        yield "has not one heading"
    if page.xpath("//img[not(@alt)]"):
        yield "has a picture without words"
    ids = list(map(str, page.xpath("//@id")))
    yield from (f"has the id {one} twice" for one in set(ids) if ids.count(one) > 1)
    links = map(str, page.xpath("//@href"))
    within = {one[1:] for one in links if one.startswith("#")}
    yield from (f"leads nowhere by #{one}" for one in within - {"", *ids})
    for entry in page.xpath("//input[not(@type='hidden')] | //select | //textarea"):
        named = page.xpath("//label[@for=$id]", id=entry.get("id") or "?")
        if not (named or entry.xpath("ancestor::label") or entry.get("aria-label")):
            yield f"has no label for {entry.get('name')}"


def test_every_page_has_its_elements_in_order_and_no_script_of_its_own(place):
    pages = {name: list(faults_of(page)) for name, page in Tour(place, "en").pages()}
    assert not {name: faults for name, faults in pages.items() if faults}


READ_OUT = "alt", "aria-label", "title", "placeholder", "content"
NAMES = re.compile(r"\b(?:Anna|Ben|Cleo|Dirk)\b")


@pytest.fixture
def every_name_isolated(monkeypatch) -> Iterator[None]:
    """All names are treated as names of right-to-left scripts are."""
    for module in (board_picture, board_text, parts, phrases, sign_in_pages):
        monkeypatch.setattr(module, "isolate", lambda name: f"{ISOLATE}{name}{END_OF_ISOLATE}")
    phrases.safe_name.cache_clear()
    public_pages._example_board.cache_clear()
    yield
    phrases.safe_name.cache_clear()
    public_pages._example_board.cache_clear()


def bare_names(page: HtmlElement) -> list[str]:
    """What stands around each name that is not isolated, in texts and in attributes that are read out."""
    for apart in page.xpath("//*[@dir='auto']"):
        apart.clear()
    texts = [page.text_content(), *(str(one) for name in READ_OUT for one in page.xpath(f"//@{name}"))]
    return [words for text in texts for words in bare_names_of(text)]


def bare_names_of(text: str) -> Iterator[str]:
    for found in NAMES.finditer(text):
        before = text[: found.start()]
        if before.count(ISOLATE) == before.count(END_OF_ISOLATE):
            yield text[max(0, found.start() - 30) : found.end() + 20]


@pytest.mark.usefixtures("every_name_isolated")
def test_every_page_isolates_names(place):
    """Rules and help are left out: their examples have names of their own."""
    bare = {}
    for name, page in Tour(place, "en").pages():
        if not name.startswith(("/rules", "/help")) and (found := bare_names(page)):
            bare[name] = found
    assert not bare, "\n".join(map(str, bare.items()))


def test_control_names_of_left_to_right_scripts_are_written_as_they_are(place):
    assert any(bare_names(page) for _, page in Tour(place, "en").pages())
