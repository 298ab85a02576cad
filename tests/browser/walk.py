"""Every page, shown in a real browser at the moment when a walk through all of them comes by."""

from collections.abc import Iterator
from dataclasses import dataclass

from playwright.sync_api import Page
from werkzeug import Response

from tests.browser.served import Served
from tests.server.web.tour import Tour

AT_ONCE = "/at-once.js"
"""It presses the button of the page by itself, and then there would be another page."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One page on the walk."""

    place: Served
    name: str
    path: str
    html: bytes
    status: int
    headers: list[tuple[str, str]]

    def show(self, window: Page) -> None:
        """Show this page, also where it answers a form; what it loads besides comes as it always does."""
        self.place.instead = Response(self.html, self.status, self.headers)
        window.goto(self.path)
        assert self.place.instead is None


def walk(place: Served, language: str) -> Iterator[Stop]:
    """Every page in a language, in the order in which somebody might see them."""
    place.files[AT_ONCE] = Response("", mimetype="text/javascript")
    tour = Tour(place, language)
    for name, _ in tour.pages():
        found = tour.visitor.answer
        assert found is not None
        path = found.request.full_path.rstrip("?")
        yield Stop(place, name, path, found.get_data(), found.status_code, found.headers.to_wsgi_list())
