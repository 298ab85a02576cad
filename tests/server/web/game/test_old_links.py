"""The links in letters of a game that ended: they show it for thirty days, and nothing after that."""

from datetime import timedelta

import pytest

from emails.i18n import Locale, gettext, use_locale
from server.store.personal import Kept
from tests.server.web.played import played
from tests.server.web.site import Site, site


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return site(tmp_path_factory.mktemp("old"))


@pytest.fixture(scope="module")
def game(place) -> str:
    """A game that is over, and watched by nobody."""
    return played(place, "Anna", "Ben")


def test_a_link_shows_the_end_for_thirty_days_and_then_says_who_can_see_it(place, game):
    ended = place.row(game).ended_at
    assert ended is not None
    link = place.link(game, seat=0)
    place.clock.now = ended + timedelta(days=30, seconds=-1)
    assert place.visitor().get(link).status == 200
    assert place.visitor().get(f"{link}/pulse").status == 200
    place.clock.now = ended + timedelta(days=30)
    for page in ("", "/history", "/sheet", "/settings", "/pulse", "/links", "/log"):
        visitor = place.visitor().get(link + page)
        assert visitor.status == 403, page
        assert "Anna" not in visitor.text
    assert visitor.title == "This game ended long ago"


def test_whoever_signs_in_sees_it_as_before_and_the_old_link_says_how(place, game):
    place.clock.forward(24 * 40)
    link = place.link(game, seat=0)
    offer = place.visitor().get(link).click("Sign in")
    assert offer.status == 200
    assert offer.press().status == 200
    own = place.signed_in(game, 0)
    assert own.get(link).status == 200
    assert own.get(f"{link}/history").status == 200
    assert place.signed_in(game, 1).get(link).status == 403


def test_a_game_that_goes_on_is_shown_however_old_its_link_is(place):
    link = place.link(played(place, "Anna", "Ben", turns=1), seat=0)
    place.clock.forward(24 * 100)
    assert place.visitor().get(link).status == 200


@pytest.mark.parametrize("language", ["en", "nl"])
def test_the_page_of_what_is_kept_says_every_rule_of_the_table(place, language):
    visitor = place.visitor().get(f"/privacy?lang={language}")
    assert visitor.page.get("lang") == language
    with use_locale(Locale(language)):
        for rule in Kept:
            told = " ".join((gettext(rule.what), gettext(rule.until, days=rule.days), gettext(rule.why)))
            assert told in visitor.text
    assert visitor.page.xpath(f"//footer//a[@href='/privacy?lang={language}']")
