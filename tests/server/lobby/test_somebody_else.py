"""Those who still play look for somebody else for a seat whose player has vanished: by a link to pass on."""

from __future__ import annotations

import pytest

from emails.terms import AbsenceRule
from emails.wording.requests import MotionKind, MotionTerms
from server.lobby.games import find_or_create_player
from server.lobby.motions import MotionOutcome, support_motion
from server.lobby.open_motions import MotionRefused
from server.lobby.resignations import resign
from server.lobby.substitutes import take_offered_seat
from server.store.context import Context
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import (
    Clock,
    Collector,
    body,
    committed,
    kinds,
    names_of,
    set_preferences,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.lobby.test_going_on_without import history_of, is_sound, plays_on
from tests.server.lobby.test_seat_returns import back, left_alone, lets_pass, opened
from tests.server.web.bots import bot
from tests.server.web.site import Site

DONE, ASKED = MotionOutcome.DONE, MotionOutcome.ASKED
FORM = "//form[.//input[@value='replace']]"


@pytest.fixture
def place(context: Context) -> Site:
    return Site(context)


@pytest.fixture
def gone(context: Context, mails: Collector, clock: Clock) -> str:
    """A game of three in which the first has vanished; by its rule a caretaker keeps the seat."""
    return left_alone(context, mails, clock, "Anna", "Ben", "Cleo")


def says(context: Context, clock: Clock, game: str, seat: int, about: int | None = None) -> MotionOutcome:
    with_terms = lambda *given: support_motion(*given, terms=MotionTerms(about))  # noqa: E731
    kind = MotionKind.REPLACE
    found: MotionOutcome = committed(context, clock(), with_terms, game, seat, kind, Channel.WEB)
    return found


def takes(context: Context, clock: Clock, game: str) -> int:
    with context.writing() as session:
        player = find_or_create_player(session, "Dirk", "dirk@example.org", None, clock()).id
        session.commit()
    return take_offered_seat(context, game, player, "Dirk", clock())


def test_once_all_agree_each_of_them_gets_the_link_and_who_takes_the_seat_plays_on(
    context: Context, mails: Collector, clock: Clock, gone: str
) -> None:
    _, second, third = names_of(context, gone)
    assert says(context, clock, gone, 1) is ASKED
    assert not history_of(context, gone).offers
    assert says(context, clock, gone, 2) is DONE
    assert set(history_of(context, gone).offers) == {0}
    work_until_idle(context, mails, clock())
    for name in (second, third):
        assert kinds(mails.to(name)).count("seat_offered") == 1
        assert "/j/" in body(mails.to(name)[-1])
    assert takes(context, clock, gone) == 0
    assert not history_of(context, gone).is_vacant(0)
    is_sound(context, gone)
    plays_on(context, mails, clock, gone)
    plays_on(context, mails, clock, gone)
    is_sound(context, gone)


def test_who_is_back_first_keeps_the_seat(
    context: Context, mails: Collector, clock: Clock, gone: str
) -> None:
    assert [says(context, clock, gone, seat) for seat in (1, 2)] == [ASKED, DONE]
    assert back(context, gone, 0, clock())
    assert not history_of(context, gone).offers
    is_sound(context, gone)


def test_it_is_refused_where_everybody_plays_and_where_the_seat_is_offered_already(
    context: Context, mails: Collector, clock: Clock, gone: str
) -> None:
    with pytest.raises(MotionRefused, match="have vanished or resigned"):
        says(context, clock, gone, 1, about=2)
    assert [says(context, clock, gone, seat) for seat in (1, 2)] == [ASKED, DONE]
    with pytest.raises(MotionRefused, match="is offered already"):
        says(context, clock, gone, 1, about=0)


def test_what_is_asked_for_one_seat_is_not_asked_for_another(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.SEAT, "Anna", "Ben", "Cleo", "Dirk")
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    lets_pass(context, mails, clock)
    with pytest.raises(MotionRefused, match="who is meant"):
        says(context, clock, game, 2)
    assert [says(context, clock, game, 2, about=0), says(context, clock, game, 3, about=1)] == [ASKED, ASKED]
    assert not history_of(context, game).offers
    assert says(context, clock, game, 3, about=0) is DONE
    assert set(history_of(context, game).offers) == {0}
    is_sound(context, game)


def test_of_two_the_one_who_is_left_decides_alone(context: Context, mails: Collector, clock: Clock) -> None:
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben")
    committed(context, clock(), resign, game, 0, Channel.WEB)
    if not history_of(context, game).offers:
        assert says(context, clock, game, 1) is DONE
    assert set(history_of(context, game).offers) == {0}


@pytest.mark.parametrize(
    ("language", "words", "yes"),
    first(
        1,
        [
            ("en", "find a substitute for", "yes"),
            ("en", "replace", "yes"),
            ("nl", "zoek een vervanger voor", "ja"),
        ],
    ),
)
def test_by_mail_in_both_languages(
    context: Context, mails: Collector, clock: Clock, gone: str, language: str, words: str, yes: str
) -> None:
    first, second, third = names_of(context, gone)
    for name in (second, third):
        set_preferences(context, gone, name, language=language)
    plays_on(context, mails, clock, gone)
    reply(context, mails.to(second)[-1], f"{words} {first}")
    work_until_idle(context, mails, clock())
    letter = mails.to(third)[-1]
    assert kinds([letter]) == ["motion"]
    assert first in body(letter)
    reply(context, letter, yes)
    assert set(history_of(context, gone).offers) == {0}
    work_until_idle(context, mails, clock())
    assert kinds(mails.to(second))[-1] == "seat_offered"


@pytest.mark.parametrize(
    ("language", "words"),
    first(
        1,
        [
            ("en", "Can we find a substitute for {}? It has been three weeks."),
            ("nl", "Kunnen we een vervanger zoeken voor {}?"),
        ],
    ),
)
def test_where_it_stands_in_prose_it_is_asked_back_and_nothing_happens_before_the_yes(
    context: Context, mails: Collector, clock: Clock, gone: str, language: str, words: str
) -> None:
    first, second, third = names_of(context, gone)
    for name in (second, third):
        set_preferences(context, gone, name, language=language)
    work_until_idle(context, mails, clock())
    reply(context, mails.to(second)[-1], words.format(first))
    work_until_idle(context, mails, clock())
    assert "motion" not in kinds(mails.to(third))
    reply(context, mails.to(second)[-1], {"en": "yes", "nl": "ja"}[language])
    work_until_idle(context, mails, clock())
    assert kinds(mails.to(third))[-1] == "motion"


def test_on_the_page(context: Context, place: Site, clock: Clock, gone: str) -> None:
    place.clock.now = clock()
    first = names_of(context, gone)[0]
    asker = place.visitor().get(f"{place.link(gone, seat=1)}/agreements")
    assert f"Somebody else for {first}" in asker.text
    asker.send(FORM, say="ask")
    other = place.visitor().get(f"{place.link(gone, seat=2)}/agreements")
    other.send(FORM, say="agree")
    assert "a link to pass on" in other.text
    assert set(history_of(context, gone).offers) == {0}
    assert not other.page.xpath(FORM)


def test_by_a_program(context: Context, place: Site, clock: Clock, gone: str) -> None:
    place.clock.now = clock()
    client = place.app.test_client()
    said = []
    for number, about in ((1, {"without": 0}), (2, {})):
        one = bot(place, gone, names_of(context, gone)[number])
        answer = client.post(
            f"/api/games/{gone}/motions", json={"motion": "replace", **about}, headers=one.headers()
        )
        said.append(answer.json["outcome"])
    assert said == ["asked", "done"]
    assert set(history_of(context, gone).offers) == {0}
