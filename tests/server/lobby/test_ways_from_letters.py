"""Days away, more time, a pause, a plan, a return and a substitute: by the link of a letter that was sent."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage

import pytest
from lxml import html

from emails.i18n import Locale, gettext, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.terms import AbsenceRule
from server.store.stored_availability import StoredVacation
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import (
    Collector,
    body,
    kinds,
    names_of,
    rows_of,
    set_preferences,
    start_timed_game,
    work_until_idle,
)
from tests.server.lobby.test_seat_returns import kept, lets_pass, opened, plays
from tests.server.planning import NEVER, plans
from tests.server.web.site import Site, Visitor

IN_EACH = pytest.mark.parametrize("language", first(1, LANGUAGES))
DAYS = "//form[@id='days']"
Follow = Callable[[Site, EmailMessage, str], Visitor]
RETURN = "//form[.//button[@value='back']]"


@dataclass(frozen=True)
class Table:
    """A game of three, in which the first has played: whoever is to move, and whoever waits."""

    game: str
    mover: str
    waiting: str
    mails: Collector

    @property
    def asking(self) -> EmailMessage:
        """The letter of the turn."""
        return newest(self.mails, self.mover, "your_turn")

    @property
    def news(self) -> EmailMessage:
        """The letter of whoever waits."""
        return newest(self.mails, self.waiting, "news")


def read_in(context, game, language: str) -> str:
    for name in names_of(context, game):
        set_preferences(context, game, name, language=language, moves=True)
    return game


@pytest.fixture
def table(context, mails, clock, language: str) -> Table:

    def after_one_turn() -> str:
        game = read_in(context, start_timed_game(context, "Anna", "Ben", "Cleo"), language)
        work_until_idle(context, mails, clock())
        plays(context, game)
        work_until_idle(context, mails, clock())
        return game

    game = begin_once(context, mails, after_one_turn, language, clock=clock)
    _, moves, waits = names_of(context, game)
    return Table(game, moves, waits, mails)


def follow(place, letter: EmailMessage, page: str) -> Visitor:
    """The page of a link of a letter."""
    part = letter.get_body(("html",))
    assert part is not None
    found = html.fromstring(part.get_content()).xpath("//a/@href")
    [link] = {str(one) for one in found if str(one).endswith(page)}
    return place.visitor().get(link.removeprefix(place.context.settings.base_url))


def follow_text(place, letter: EmailMessage, page: str) -> Visitor:
    """The same by the text of the letter."""
    [link] = {line for line in body(letter).splitlines() if line.startswith("http") and line.endswith(page)}
    return place.visitor().get(link.removeprefix(place.context.settings.base_url))


def said(language: str, words: str) -> str:
    with use_locale(Locale(language)):
        return gettext(words)


def wish(kind: str) -> str:
    return f"//form[.//button[@value='{kind}']]"


def vote(kind: str) -> str:
    return f"//form[.//input[@value='{kind}']]"


def newest(mails, name: str, kind: str) -> EmailMessage:
    letter = mails.to(name)[-1]
    assert kinds([letter]) == [kind]
    return letter


def days_away(context) -> list[bool]:
    """Of each vacation, whether it has been ended."""
    return [one.back_at is not None for one in rows_of(context, StoredVacation)]


@IN_EACH
def test_whoever_is_to_move_goes_away_and_comes_back(place, table, language):
    before = place.row(table.game).deadline
    assert before is not None
    page = follow(place, table.asking, "/away").send(DAYS, last="2026-03-06", wish="away")
    assert said(language, "No time runs on your turns on these days.") in page.text
    assert days_away(place.context) == [False]
    assert (place.row(table.game).deadline or before) > before + timedelta(days=3)
    page = signed_in_away_page(place, table, table.mover).send(RETURN, wish="back")
    assert said(language, "You are there again, and play your turns yourself.") in page.text
    assert days_away(place.context) == [True]


def signed_in_away_page(place, table: Table, name: str) -> Visitor:
    seat = place.seat(table.game, name)
    return place.signed_in(table.game, seat).get(place.link(table.game, seat=seat) + "/away")


@IN_EACH
def test_whoever_waits_goes_away_and_comes_back(place, table, language):
    page = follow_text(place, table.news, "/agreements").click(said(language, "When you are away"))
    page.send(DAYS, last="2026-03-06", wish="away")
    assert days_away(place.context) == [False]
    signed_in_away_page(place, table, table.waiting).send(RETURN, wish="back")
    assert days_away(place.context) == [True]


@IN_EACH
@pytest.mark.parametrize("find", [follow, follow_text])
def test_more_time_is_taken_and_taken_back(place, table, language, find):
    before = place.row(table.game).deadline
    assert before is not None
    find(place, table.asking, "/agreements").send(wish("more time"), wish="more time")
    assert place.row(table.game).deadline == before + timedelta(hours=24)
    work_until_idle(place.context, table.mails, place.clock())
    asked = newest(table.mails, table.waiting, "motion")
    find(place, asked, "/agreements").send(vote("more time"), answer="no")
    assert place.row(table.game).deadline == before


@IN_EACH
@pytest.mark.parametrize("find", [follow, follow_text])
def test_a_pause_is_asked_for_by_whoever_waits_and_agreed_on(place, table, language, find):
    find(place, table.news, "/agreements").send(wish("pause"), wish="pause")
    work_until_idle(place.context, table.mails, place.clock())
    for name in set(place.names(table.game)) - {table.waiting}:
        assert place.row(table.game).paused_at is None
        asked = newest(table.mails, name, "motion")
        find(place, asked, "/agreements").send(vote("pause"), answer="yes")
    assert place.row(table.game).paused_at == place.clock()


@IN_EACH
@pytest.mark.parametrize("hub", [False, True], ids=["at once", "by the page of agreements"])
def test_a_turn_is_planned_by_whoever_waits(place, table, language, hub):
    if hub:
        page = follow_text(place, table.news, "/agreements").click(said(language, "Plan your next turn"))
    else:
        page = follow_text(place, table.news, "/plan")
    page.send("//form[.//textarea]", words=f"plan: {NEVER}", keep="1")
    [kept_plan] = plans(place.context)
    assert kept_plan.seat == 2
    page = follow(place, table.news, "/agreements").click(said(language, "Your plan for your next turn"))
    assert page.page.xpath("string(//textarea)").strip()


@IN_EACH
def test_a_seat_that_is_kept_is_taken_back(context, place, mails, clock, language):
    game = read_in(context, opened(context, AbsenceRule.SEAT), language)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    assert kept(context) == [0]
    gone = next(one for one in mails.to(names_of(context, game)[0])[::-1] if kinds([one]) == ["absence"])
    assert follow_text(place, gone, "/agreements").send(RETURN, say="back").status == 200
    assert kept(context) == []
