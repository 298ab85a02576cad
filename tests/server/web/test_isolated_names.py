"""Names on pages: each is isolated, so that one written from right to left turns nothing round beside it."""

import re
from collections.abc import Iterator

import pytest
from lxml.html import HtmlElement

from emails.letters import parts
from emails.names import END_OF_ISOLATE, ISOLATE
from emails.picture import board_picture
from emails.wording import board_text, phrases
from server.web.account import sign_in_pages
from server.web.lobby import public_pages
from tests.server.web.site import site
from tests.server.web.tour import Tour

pytestmark = pytest.mark.breadth

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
def test_every_page_isolates_names(tmp_path) -> None:
    """But the rules and the help, whose examples have names of their own."""
    bare = {}
    for name, page in Tour(site(tmp_path), "en").pages():
        if not name.startswith(("/rules", "/help")) and (found := bare_names(page)):
            bare[name] = found
    assert not bare, "\n".join(map(str, bare.items()))


def test_control_names_of_left_to_right_scripts_are_written_as_they_are(tmp_path) -> None:
    assert any(bare_names(page) for _, page in Tour(site(tmp_path), "en").pages())
