"""Days away, more time, a pause, a plan, a return and a substitute: by the link of a letter that was sent."""

from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage

import pytest
from lxml import html

from emails.i18n import Locale, gettext, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.terms import AbsenceRule
from server.store.models import StoredVacation
from tests.breadth import first
from tests.server.desk import body, kinds
from tests.server.lobby.table import Table
from tests.server.planning import NEVER, plans
from tests.server.web.site import Site, Visitor

IN_EACH = pytest.mark.parametrize("language", first(1, LANGUAGES))
DAYS = "//form[@id='days']"
RETURN = "//form[.//button[@value='back']]"
MOVER, WAITING = 1, 2
"""The seats of the player to move, once the first has played, and of the one after."""


def read_in(game: Table, language: str) -> None:
    for name in game.names:
        game.prefer(name, language=language, moves=True)


@pytest.fixture
def game(table, context, language: str) -> Table:
    """A game of three in which the first has played."""

    def after_one_turn() -> Table:
        game = replace(table, game=context.start_timed_game("Anna", "Ben", "Cleo"))
        read_in(game, language)
        game.deliver()
        game.play()
        game.deliver()
        return game

    return table.once(after_one_turn, language)


def newest(game: Table, seat: int, kind: str) -> EmailMessage:
    """The last letter to a seat, of which the kind is known."""
    letter = game.mails.to(game.names[seat])[-1]
    assert kinds([letter]) == [kind]
    return letter


def follow(place: Site, letter: EmailMessage, page: str) -> Visitor:
    part = letter.get_body(("html",))
    assert part is not None
    found = html.fromstring(part.get_content()).xpath("//a/@href")
    [link] = {str(one) for one in found if str(one).endswith(page)}
    return place.visitor().get(link.removeprefix(place.context.settings.base_url))


def follow_text(place: Site, letter: EmailMessage, page: str) -> Visitor:
    [link] = {line for line in body(letter).splitlines() if line.startswith("http") and line.endswith(page)}
    return place.visitor().get(link.removeprefix(place.context.settings.base_url))


def said(language: str, words: str) -> str:
    with use_locale(Locale(language)):
        return gettext(words)


def wish(kind: str) -> str:
    return f"//form[.//button[@value='{kind}']]"


def vote(kind: str) -> str:
    return f"//form[.//input[@value='{kind}']]"


def days_away(context) -> list[bool]:
    return [one.back_at is not None for one in context.rows_of(StoredVacation)]


@IN_EACH
def test_whoever_is_to_move_goes_away_and_comes_back(place, game, language):
    before = game.row.deadline
    assert before is not None
    page = follow(place, newest(game, MOVER, "your_turn"), "/away").send(DAYS, last="2026-03-06", wish="away")
    assert said(language, "No time runs on your turns on these days.") in page.text
    assert days_away(place.context) == [False]
    assert (game.row.deadline or before) > before + timedelta(days=3)
    page = signed_in_away_page(place, game, MOVER).send(RETURN, wish="back")
    assert said(language, "You are there again, and play your turns yourself.") in page.text
    assert days_away(place.context) == [True]


def signed_in_away_page(place: Site, game: Table, seat: int) -> Visitor:
    return place.signed_in(game.game, seat).get(place.link(game.game, seat=seat) + "/away")


@IN_EACH
def test_whoever_waits_goes_away_and_comes_back(place, game, language):
    page = follow_text(place, newest(game, WAITING, "news"), "/agreements").click(
        said(language, "When you are away")
    )
    page.send(DAYS, last="2026-03-06", wish="away")
    assert days_away(place.context) == [False]
    signed_in_away_page(place, game, WAITING).send(RETURN, wish="back")
    assert days_away(place.context) == [True]


@IN_EACH
@pytest.mark.parametrize("find", [follow, follow_text])
def test_more_time_is_taken_and_taken_back(place, game, language, find):
    before = game.row.deadline
    assert before is not None
    find(place, newest(game, MOVER, "your_turn"), "/agreements").send(wish("more time"), wish="more time")
    assert game.row.deadline == before + timedelta(hours=24)
    game.deliver()
    asked = newest(game, WAITING, "motion")
    find(place, asked, "/agreements").send(vote("more time"), answer="no")
    assert game.row.deadline == before


@IN_EACH
@pytest.mark.parametrize("find", [follow, follow_text])
def test_a_pause_is_asked_for_by_whoever_waits_and_agreed_on(place, game, language, find):
    find(place, newest(game, WAITING, "news"), "/agreements").send(wish("pause"), wish="pause")
    game.deliver()
    for seat in (0, MOVER):
        assert game.row.paused_at is None
        asked = newest(game, seat, "motion")
        find(place, asked, "/agreements").send(vote("pause"), answer="yes")
    assert game.row.paused_at == place.clock()


@IN_EACH
@pytest.mark.parametrize("hub", [False, True], ids=["at once", "by the page of agreements"])
def test_a_turn_is_planned_by_whoever_waits(place, game, language, hub):
    if hub:
        page = follow_text(place, newest(game, WAITING, "news"), "/agreements").click(
            said(language, "Plan your next turn")
        )
    else:
        page = follow_text(place, newest(game, WAITING, "news"), "/plan")
    page.send("//form[.//textarea]", words=f"plan: {NEVER}", keep="1")
    [kept_plan] = plans(place.context)
    assert kept_plan.seat == 2
    page = follow(place, newest(game, WAITING, "news"), "/agreements").click(
        said(language, "Your plan for your next turn")
    )
    assert page.page.xpath("string(//textarea)").strip()


@IN_EACH
def test_a_seat_that_is_kept_is_taken_back(table, place, language):
    game = table.open(AbsenceRule.SEAT)
    read_in(game, language)
    game.deliver()
    game.time_out()
    assert game.kept == [0]
    gone = game.letters(game.names[0], "absence")[-1]
    assert follow_text(place, gone, "/agreements").send(RETURN, say="back").status == 200
    assert game.kept == []
