"""What letters, lists and the history tell of a seat that is offered and passed on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from email.message import EmailMessage

import pytest

from emails.terms import AbsenceRule, JoinedBy
from emails.wording.requests import Request, RequestKind
from server.admin.backups import examine_stored_acts
from server.lobby.leaving import resign, take_offered_seat
from server.outbox.chat import count_visible_to
from server.outbox.letter_kinds import ShownDetail
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.store.context import Context
from server.store.models import Game, StoredTerms
from server.store.states import Channel
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import (
    Clock,
    Collector,
    body,
    committed,
    confirm,
    game_row,
    kinds,
    names_of,
    set_preferences,
    work_until_idle,
)
from tests.server.lobby.test_seat_returns import opened, plays
from tests.server.lobby.test_substitutes import known, let_first_vanish, offered, path_of, says
from tests.server.turns.test_play import position_of
from tests.server.web.site import Site


def plays_on(context, game, mails, clock) -> None:
    plays(context, game)
    work_until_idle(context, mails, clock.forward(1))


@pytest.fixture
def passed_on(context, mails, clock) -> str:
    """A game in whose second round the seat of the first to move was passed on to Dirk, who has played."""

    def with_substitute() -> str:
        game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
        work_until_idle(context, mails, clock())
        for _ in range(4):
            plays_on(context, game, mails, clock)
        committed(context, clock(), resign, game, 0, Channel.WEB)
        work_until_idle(context, mails, clock.forward(1))
        take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock())
        while game_row(context, game).turn < 8:
            plays_on(context, game, mails, clock)
        return game

    return begin_once(context, mails, with_substitute, clock=clock)


def history_for(context, game, seat: int, mails, clock) -> str:
    """The course of the game, as a mail of the player on a seat gets it."""
    asked = Notification(seat, ShownDetail((Request(RequestKind.HISTORY),)))
    with context.writing() as session:
        queue_letters(context, session, session.get_one(Game, game), [asked], clock())
        session.commit()
    work_until_idle(context, mails, clock.forward(1))
    return " ".join(body(mails.mails[-1]).partition("== The game so far ==")[2].split())


def first_of(context, game) -> str:
    """Who was dealt the seat that Dirk has now."""
    [first] = {"Anna", "Ben", "Cleo"} - {*names_of(context, game)}
    return first


def movers(history: str) -> list[str]:
    """Whose each turn is said to be."""
    return re.findall(r"Turn \d+, ([^:]+):", history)


@pytest.mark.breadth
def test_the_history_by_mail_names_who_played_each_turn(context, passed_on, mails, clock):
    first, (_, second, third) = first_of(context, passed_on), names_of(context, passed_on)
    told = history_for(context, passed_on, 1, mails, clock)
    assert movers(told) == [first, "you", third, first, "you", third, "Dirk"]
    assert f"turns go {first}, you and {third}" in told
    assert movers(history_for(context, passed_on, 2, mails, clock))[:2] == [first, second]


def test_a_substitute_is_not_told_that_they_did_what_was_done_before(context, passed_on, mails, clock):
    first, (_, second, third) = first_of(context, passed_on), names_of(context, passed_on)
    told = history_for(context, passed_on, 0, mails, clock)
    assert movers(told) == [first, second, third, first, second, third, "you"]
    assert "you were dealt" not in told
    assert "you " not in told[told.index("Turn 1,") : told.index("Turn 5,")].lower()


@pytest.mark.breadth
@pytest.mark.parametrize("everything", [False, True])
def test_whose_player_has_gone_is_named_in_the_next_letter(context, mails, clock, everything):
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    first, second, _ = names_of(context, game)
    set_preferences(context, game, second, everything=everything)
    plays(context, game)
    committed(context, clock(), resign, game, 0, Channel.WEB)
    take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock())
    work_until_idle(context, mails, clock.forward(1))
    [turn] = [one for one in mails.to(second) if kinds([one]) == ["your_turn"]]
    told = " ".join(body(turn).split())
    assert f"{first} marched " in told
    assert "Dirk marched " not in told


@pytest.fixture
def begun(context, mails, clock) -> str:
    """A game of three of which the first letters have left."""
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    return game


def pass_on(context, game, seat: int, mails, clock) -> EmailMessage:
    """Its player resigns, and Dirk takes the seat: the one letter that he gets."""
    committed(context, clock(), resign, game, seat, Channel.WEB)
    dirk = known(context, "Dirk", clock)
    confirm(context, "Dirk")
    take_offered_seat(context, game, dirk, "Dirk", clock())
    work_until_idle(context, mails, clock.forward(1))
    [letter] = mails.to("Dirk")
    assert kinds([letter]) == ["substitute"]
    return letter


def words(letter: EmailMessage) -> str:
    return " ".join(body(letter).split())


def test_who_waits_is_told_whose_seat_it_was_and_that_there_is_nothing_to_do(context, begun, mails, clock):
    _, second, third = names_of(context, begun)
    plays(context, begun)
    letter = pass_on(context, begun, 2, mails, clock)
    told = words(letter)
    assert letter["Subject"] == "Friday: the seat is yours"
    assert told.startswith("--- Write above this line --- The seat is yours, Dirk From now on you play in")
    assert f"in “Friday” in place of {third}, with" in told
    assert "Your turn comes with a mail; until then there is nothing to do." in told
    assert f"{second} has until " in told
    assert "== Your cards and what they can do ==" in told
    assert context.links.rules_link() in told
    html = letter.get_body(("html",))
    assert html is not None
    assert "The seat is yours, Dirk" in html.get_content()
    assert context.links.rules_link() in html.get_content()


def test_who_is_to_move_gets_their_turn_and_until_when_in_the_same_letter(context, begun, mails, clock):
    first, _, _ = names_of(context, begun)
    seat = game_row(context, begun).seat
    assert seat == 0
    told = words(pass_on(context, begun, 0, mails, clock))
    assert f"in place of {first}, with" in told
    assert "It is your turn. Choose " in told
    assert "please play before " in told
    assert "Open your turn: " in told
    assert game_row(context, begun).deadline is not None


def test_it_names_whoever_had_the_seat_last(context, begun, mails, clock):
    pass_on(context, begun, 2, mails, clock)
    committed(context, clock(), resign, begun, 2, Channel.WEB)
    take_offered_seat(context, begun, known(context, "Anna", clock), "Anna B", clock())
    work_until_idle(context, mails, clock.forward(1))
    assert "in place of Dirk, with" in words(mails.mails[-1])


PLAYERS = ("Anna", "Ben", "Cleo")
OFFERED = "//section[@id='to-take-over']//a"


def twice_late(context, mails, clock) -> str:
    """By the rule of the game, after two turns in a row that were missed."""
    game = opened(context, AbsenceRule.TURN, *PLAYERS)
    work_until_idle(context, mails, clock())
    let_first_vanish(context, game, mails, clock)
    return game


def resigned(context, mails, clock) -> str:
    """By the same rule, once somebody gives the game up."""
    game = opened(context, AbsenceRule.TURN, *PLAYERS)
    work_until_idle(context, mails, clock())
    committed(context, clock(), resign, game, 0, Channel.WEB)
    return game


def resigned_by_another_rule(context, mails, clock) -> str:
    game = opened(context, AbsenceRule.ALWAYS, *PLAYERS)
    work_until_idle(context, mails, clock())
    committed(context, clock(), resign, game, 0, Channel.WEB)
    return game


WAYS: Mapping[str, Callable[[Context, Collector, Clock], str]] = {
    one.__name__: one for one in (twice_late, resigned, resigned_by_another_rule)
}


@pytest.mark.parametrize("way", first(2, list(WAYS)))
def test_by_whatever_way_it_is_offered_in_the_letters_and_in_the_list(context, mails, clock, way):
    game, place = WAYS[way](context, mails, clock), Site(context)
    place.clock.now = clock()
    assert offered(context) == [0]
    says(context, game, 1, None, "to all before", clock)
    work_until_idle(context, mails, clock())
    gone, *others = names_of(context, game)
    for name in others:
        [letter] = [one for one in mails.to(name) if kinds([one]) == ["seat_offered"]]
        assert context.links.join_link(game) in body(letter)
    visitor = place.visitor().get("/games")
    assert "Games with a seat to take over" not in visitor.text
    with context.writing() as session:
        session.get_one(StoredTerms, game).joined_by = JoinedBy.ALL
        session.commit()
    [(name, link)] = visitor.get("/games").links(OFFERED)
    assert (name, link.partition("?")[0]) == ("Friday", path_of(context, game))
    assert f"Will you play on for {gone}?" in visitor.get(link).text
    hand = position_of(context, game).hands[0]
    assert take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock()) == 0
    assert position_of(context, game).hands[0] == hand
    with context.reading() as session:
        assert count_visible_to(session, game, 0) == 0
    assert visitor.get("/games").links(OFFERED) == []
    assert list(examine_stored_acts(context)) == []
