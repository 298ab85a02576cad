"""More time of a stated amount, and a pause that ends by itself: by mail, on the page, and by a program."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from emails.replies.dates.time_amounts import read_amount_line
from emails.wording.requests import MotionKind, MotionTerms, Request, RequestKind
from server.admin.doctor import examine_stored_acts
from server.clock import tick
from server.lobby.motions import MotionOutcome, decline_motion, support_motion
from server.lobby.open_motions import MotionRefused
from server.outbox.chat import unread_chat
from server.outbox.unit_of_work import open_unit
from server.store import projection
from server.store.context import Context
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import (
    NOON,
    Collector,
    body,
    game_row,
    kinds,
    names_of,
    projected,
    set_preferences,
    start_timed_game,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import last_letter, reply
from tests.server.web.bots import bot
from tests.server.web.site import Site
from tests.spoken import LEXICON

MORE_TIME, PAUSE = MotionKind.MORE_TIME, MotionKind.PAUSE
ASKED, DONE = MotionOutcome.ASKED, MotionOutcome.DONE
DAY = timedelta(days=1)


@pytest.fixture
def place(context: Context) -> Site:
    return Site(context)


def says(
    context: Context, game: str, seat: int, kind: MotionKind, now: datetime = NOON, **terms: object
) -> MotionOutcome:
    with open_unit(context, now) as unit:
        said = MotionTerms(**terms)  # type: ignore[arg-type]
        outcome = support_motion(unit, game, seat, kind, Channel.WEB, terms=said)
        unit.commit()
    return outcome


def is_sound(context: Context, game: str) -> None:
    assert list(examine_stored_acts(context)) == []
    before = projected(context, game)
    projection.rebuild(context)
    assert projected(context, game) == before


@pytest.mark.parametrize(
    ("line", "kind", "about"),
    [
        ("more time: 2 days", "more time", "48"),
        ("more time 12 hours, please", "more time", "12"),
        ("More time: 1 week.", "more time", "168"),
        ("more time two days", "more time", "48"),
        ("meer tijd: 2 dagen", "more time", "48"),
        ("meer tijd: 6 uur", "more time", "6"),
        ("pause until 14 January", "pause", "until 14 january"),
        ("pauze tot 14 januari", "pause", "tot 14 januari"),
        ("pause for 3 days", "pause", "for 3 days"),
    ],
)
def test_a_line_with_an_amount(line: str, kind: str, about: str) -> None:
    assert read_amount_line(line, LEXICON) == Request(RequestKind(kind), about)


@pytest.mark.parametrize(
    "line",
    [
        "more time: 2 days?",
        "more time 0 days",
        "more time for us all",
        "pause now and then",
        "pause until Ben",
        "2 days",
    ],
)
def test_a_line_that_is_none(line: str) -> None:
    assert read_amount_line(line, LEXICON) is None


def test_as_much_as_is_asked_is_given_and_no_more_than_the_turn_has(context: Context) -> None:
    game = start_timed_game(context, "Anna", "Ben", hours=48)
    before = game_row(context, game).deadline
    assert before is not None
    with pytest.raises(MotionRefused, match="2 days more at most"):
        says(context, game, 0, MORE_TIME, hours=49)
    assert says(context, game, 0, MORE_TIME, hours=30) == ASKED
    assert says(context, game, 1, MORE_TIME) == DONE
    assert game_row(context, game).deadline == before + timedelta(hours=30)
    with pytest.raises(MotionRefused, match="18 hours more at most"):
        says(context, game, 1, MORE_TIME, hours=19)
    assert says(context, game, 0, MORE_TIME, NOON + 2 * timedelta(hours=1)) == ASKED
    is_sound(context, game)


def test_who_names_another_amount_asks_anew_and_what_was_asked_before_is_agreed_to_no_more(
    context: Context,
) -> None:
    game = start_timed_game(context, "Anna", "Ben", "Cleo")
    until = NOON + 5 * DAY
    assert says(context, game, 0, PAUSE, until=until) == ASKED
    assert says(context, game, 1, PAUSE, until=until + DAY) == ASKED
    assert says(context, game, 2, PAUSE) == MotionOutcome.WAITS
    with open_unit(context, NOON) as unit:
        old = decline_motion(unit, game, 2, PAUSE, Channel.WEB, terms=MotionTerms(until=until))
        unit.commit()
    assert old == MotionOutcome.DECLINED
    assert says(context, game, 0, PAUSE) == DONE
    assert game_row(context, game).paused_at == NOON


def test_who_agrees_agrees_to_what_they_were_shown(place: Site) -> None:
    context, game = place.context, start_timed_game(place.context, "Anna", "Ben", "Cleo")
    now = place.clock()
    assert says(context, game, 0, PAUSE, now) == ASKED
    shown = place.visitor().get(f"{place.link(game, seat=2)}/agreements")
    assert says(context, game, 1, PAUSE, now, until=now + 3 * DAY) == ASKED
    shown.send("//form[.//input[@value='pause']]", say="agree")
    assert (shown.status, game_row(context, game).paused_at) == (409, None)
    assert "Nobody asks for that any more." in shown.text
    assert "It would end by itself" in shown.text
    with open_unit(context, now) as unit, pytest.raises(MotionRefused, match="any more"):
        support_motion(unit, game, 2, PAUSE, Channel.REPLY, asked=True)
    shown.send("//form[.//input[@value='pause']]", say="agree")
    assert shown.status == 200
    assert says(context, game, 0, PAUSE, now) == DONE
    assert game_row(context, game).paused_at == now
    is_sound(context, game)


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "Friday"])
def test_a_last_day_that_no_calendar_reaches_is_none(place: Site, day: str) -> None:
    game = start_timed_game(place.context, "Anna", "Ben")
    page = place.visitor().get(f"{place.link(game, seat=0)}/agreements")
    page.send("//form[.//input[@value='pause']]", say="ask", last=day)
    assert page.status in (200, 409)
    assert game_row(place.context, game).paused_at is None


def test_a_pause_ends_by_itself_when_it_was_said_and_no_later_than_one_may(context: Context) -> None:
    game = start_timed_game(context, "Anna", "Ben")
    left = game_row(context, game).deadline - NOON  # type: ignore[operator]
    until = NOON + 5 * DAY
    for wrong in (NOON, NOON + 32 * DAY):
        with pytest.raises(MotionRefused, match="within thirty days"):
            says(context, game, 0, PAUSE, until=wrong)
    assert [says(context, game, seat, PAUSE, until=until) for seat in (0, 1)] == [ASKED, DONE]
    with context.reading() as session:
        [told] = [one.words for one in unread_chat(session, game, 0)[0]]
    assert "Saturday afternoon, 7 March, 12:00" in told
    tick(context, NOON + DAY)
    tick(context, until - timedelta(minutes=1))
    assert game_row(context, game).paused_at == NOON
    is_sound(context, game)
    tick(context, until)
    row = game_row(context, game)
    assert (row.paused_at, row.deadline) == (None, until + left)
    with context.reading() as session:
        words = [one.words for one in unread_chat(session, game, 1)[0]]
    assert "The pause is over, and time runs again." in words
    is_sound(context, game)


@pytest.mark.parametrize(
    ("language", "time", "pause", "yes"),
    first(
        1,
        [
            ("en", "more time: 12 hours", "pause until 7 March", "yes"),
            ("nl", "meer tijd: 12 uur", "pauze tot en met 7 maart", "ja"),
        ],
    ),
)
def test_by_mail_in_both_languages(
    context: Context, carrier: Collector, language: str, time: str, pause: str, yes: str
) -> None:
    game = start_timed_game(context, "Anna", "Ben")
    first, second = names_of(context, game)
    for name in (first, second):
        set_preferences(context, game, name, language=language)
    work_until_idle(context, carrier, NOON)
    before = game_row(context, game).deadline
    assert before is not None
    reply(context, last_letter(context, carrier, first), time)
    letter = last_letter(context, carrier, second)
    assert kinds([letter]) == ["motion"]
    assert "12 " in " ".join(body(letter).split())
    reply(context, letter, yes)
    assert game_row(context, game).deadline == before + timedelta(hours=12)
    reply(context, last_letter(context, carrier, first), pause)
    letter = last_letter(context, carrier, second)
    assert kinds([letter]) == ["motion"]
    assert {"en": "8 March", "nl": "8 maart"}[language] in " ".join(body(letter).split())
    reply(context, letter, yes)
    assert game_row(context, game).paused_at is not None
    tick(context, datetime(2026, 3, 7, 22, tzinfo=UTC))
    assert game_row(context, game).paused_at is not None
    tick(context, datetime(2026, 3, 8, 1, tzinfo=UTC))
    assert game_row(context, game).paused_at is None


@pytest.mark.parametrize(
    ("language", "words", "limit", "question", "yes"),
    first(
        1,
        [
            ("en", "Give {} 2 more days please", "12 hours more at most", "get 12 more hours?", "yes"),
            ("nl", "Geef {} 2 dagen extra, alsjeblieft", "hooguit nog 12 uur", "er 12 uur bij", "ja"),
        ],
    ),
)
def test_a_question_about_less_than_was_asked_for_names_the_limit(
    context: Context, carrier: Collector, language: str, words: str, limit: str, question: str, yes: str
) -> None:
    game = start_timed_game(context, "Anna", "Ben", hours=12)
    first, second = names_of(context, game)
    set_preferences(context, game, second, language=language)
    work_until_idle(context, carrier, NOON)
    before = game_row(context, game).deadline
    assert before is not None
    letter = carrier.to(second)[-1]
    reply(context, letter, words.format(first))
    letter = last_letter(context, carrier, second)
    text = " ".join(body(letter).split())
    assert limit in text
    assert question in text
    reply(context, letter, yes)
    assert game_row(context, game).deadline == before + timedelta(hours=12)


def test_on_the_page(place: Site) -> None:
    context, game = place.context, start_timed_game(place.context, "Anna", "Ben")
    before = game_row(context, game).deadline
    assert before is not None
    first = place.visitor().get(f"{place.link(game, seat=0)}/agreements")
    first.send("//form[.//input[@value='more time']]", say="ask", hours="10")
    second = place.visitor().get(f"{place.link(game, seat=1)}/agreements")
    assert "10 hours more" in second.text
    second.send("//form[.//input[@value='more time']]", say="agree")
    assert game_row(context, game).deadline == before + timedelta(hours=10)
    day = (place.clock() + 3 * DAY).date().isoformat()
    first.get(f"{place.link(game, seat=0)}/agreements")
    first.send("//form[.//input[@value='pause']]", say="ask", last=day)
    second.get(f"{place.link(game, seat=1)}/agreements")
    assert "It would end by itself" in second.text
    second.send("//form[.//input[@value='pause']]", say="agree")
    assert game_row(context, game).paused_at is not None


def test_pages_and_letters_say_until_when(place: Site, carrier: Collector) -> None:
    context, game = place.context, start_timed_game(place.context, "Anna", "Ben")
    work_until_idle(context, carrier, NOON)
    page = place.visitor().get(place.link(game, seat=0))
    assert "paused" not in page.text
    until = datetime(2026, 3, 6, 8, 30, tzinfo=UTC)
    assert [says(context, game, seat, PAUSE, until=until) for seat in (0, 1)] == [ASKED, DONE]
    told = "The game is paused until Friday morning, 6 March, 08:30 UTC"
    for seat, path in ((0, ""), (1, ""), (1, "/agreements")):
        assert f"{told}: no time runs" in page.get(place.link(game, seat=seat) + path).text
    for name in names_of(context, game):  # whoever is to move, and whoever waits
        reply(context, last_letter(context, carrier, name), "board")
        work_until_idle(context, carrier, NOON)
        shown = " ".join(body(carrier.to(name)[-1]).split())
        assert f"{told}." in shown
        assert "Please play before" not in shown


def test_by_a_program(place: Site) -> None:
    context, game = place.context, start_timed_game(place.context, "Anna", "Ben")
    before = game_row(context, game).deadline
    assert before is not None
    said = []
    until = (place.clock() + 4 * DAY).isoformat()
    for asked in ({"motion": "more time", "hours": 5}, {"motion": "pause", "until": until}):
        for name in names_of(context, game):
            headers = bot(place, game, name).headers()
            answer = place.app.test_client().post(f"/api/games/{game}/motions", json=asked, headers=headers)
            said.append(answer.json.get("outcome"))
    assert said == ["asked", "done"] * 2
    tick(context, place.clock() + 3 * DAY)
    assert game_row(context, game).paused_at is not None
    tick(context, place.clock() + 4 * DAY)
    assert game_row(context, game).paused_at is None
