"""One word says that somebody is back: their vacation ends, and a seat that was kept is theirs again."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.terms import AbsenceRule
from server.accounts.vacations import PlayerReturn, away_until, return_player, take_vacation
from server.inbox import dispatch, intake
from server.outbox.queue import UnitOfWork
from server.store.context import Context
from server.store.models import AbsentSeat, Seating
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import Clock, Collector, body, committed, names_of, set_preferences, work_until_idle
from tests.server.inbox.test_presence_mail import mail_to
from tests.server.lobby.test_seat_returns import kept, lets_pass, opened
from tests.server.web.site import Site

BUTTONS = {"agreements": "say", "away": "wish"}
"""What the button of each page is called."""


@pytest.fixture
def two_games(context: Context, mails: Collector, clock: Clock) -> tuple[str, str]:
    """Two games of the same two players; in both the first to move has vanished, and is kept."""
    games = opened(context, AbsenceRule.SEAT), opened(context, AbsenceRule.SEAT)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    return games


def player_of(context: Context, game: str, seat: int = 0) -> int:
    with context.reading() as session:
        found = session.get_one(Seating, (game, seat)).player
    assert found is not None
    return found


def answers(context: Context, letter: EmailMessage, words: str, now: datetime) -> None:
    mail = mail_to(letter, words)
    intake.store_mail(context, str(mail["From"]), str(mail["To"]), bytes(mail), now)
    dispatch.process_waiting_mail(context, now)


def goes_away(context: Context, player: int, now: datetime) -> None:
    with context.writing() as session:
        today = now.date()
        take_vacation(session, player, today, today + timedelta(days=20), now)
        session.commit()


def is_away(context: Context, player: int, game: str, now: datetime) -> bool:
    with context.reading() as session:
        return away_until(session, player, game, now) is not None


def kept_games(context: Context, player: int) -> set[str]:
    with context.reading() as session:
        return {
            one.game
            for one in session.exec(select(AbsentSeat))
            if session.get_one(Seating, (one.game, one.seat)).player == player
        }


def comes_back(context: Context, player: int, game: str, now: datetime, *, everywhere: bool) -> PlayerReturn:
    def deed(unit: UnitOfWork) -> PlayerReturn:
        return return_player(unit, player, game, Channel.WEB, everywhere=everywhere)

    found = committed(context, now, deed)
    assert isinstance(found, PlayerReturn)
    return found


@pytest.mark.parametrize(
    ("language", "words", "seat_told", "time_told"),
    first(
        1,
        [
            ("en", "I am back", "You are back: your turns are yours again", "Time runs on your turns again"),
            ("nl", "ik ben terug", "Je bent terug: je beurten zijn weer van jou", "voor je beurten"),
        ],
    ),
)
def test_one_mail_does_both_and_one_answer_says_so(
    context: Context,
    mails: Collector,
    clock: Clock,
    language: str,
    words: str,
    seat_told: str,
    time_told: str,
) -> None:
    game = opened(context, AbsenceRule.SEAT)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    first, player = names_of(context, game)[0], player_of(context, game)
    goes_away(context, player, clock())
    set_preferences(context, game, first, language=language)
    before = len(mails.to(first))
    answers(context, mails.to(first)[-1], words, clock())
    work_until_idle(context, mails, clock())
    assert (kept(context), is_away(context, player, game, clock())) == ([], False)
    [answer] = mails.to(first)[before:]
    text = " ".join(body(answer).split())
    assert seat_told in text
    assert time_told in text


def test_whoever_was_neither_hears_that_nothing_has_changed(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.SEAT)
    work_until_idle(context, mails, clock())
    second = names_of(context, game)[1]
    answers(context, mails.to(second)[-1], "back", clock())
    work_until_idle(context, mails, clock())
    assert "You were not away, so nothing has changed." in " ".join(body(mails.to(second)[-1]).split())


def test_days_away_end_in_all_games_and_a_seat_in_one(
    context: Context, two_games: tuple[str, str], clock: Clock
) -> None:
    one, other = two_games
    player = player_of(context, one)
    goes_away(context, player, clock())
    before = kept_games(context, player)
    assert one in before
    assert comes_back(context, player, one, clock(), everywhere=False) == PlayerReturn(False, True)
    assert kept_games(context, player) == before - {one}
    assert is_away(context, player, one, clock())
    assert is_away(context, player, other, clock())
    assert comes_back(context, player, one, clock(), everywhere=True).was_away
    assert kept_games(context, player) == set()
    assert comes_back(context, player, one, clock(), everywhere=True) == PlayerReturn(False, False)


@pytest.mark.parametrize("page", ["agreements", "away"])
def test_a_link_gives_the_seat_back_and_signed_in_the_days_away_end_too(
    context: Context, mails: Collector, clock: Clock, page: str
) -> None:
    game = opened(context, AbsenceRule.SEAT)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    player = player_of(context, game)
    goes_away(context, player, clock())
    place = Site(context)
    place.clock.now = clock()
    page_link = f"{place.link(game, seat=0)}/{page}"
    place.visitor().get(page_link).send("//form[.//button[@value='back']]", **{BUTTONS[page]: "back"})
    assert (kept(context), is_away(context, player, game, clock())) == ([], True)
    away_link = f"{place.link(game, seat=0)}/away"
    place.signed_in(game, 0).get(away_link).send("//form[.//button[@value='back']]", wish="back")
    assert not is_away(context, player, game, clock())
