"""Where seats that are given up are not offered at once: its player comes back when the others offer it."""

from __future__ import annotations

import pytest

from emails.terms import AbsenceRule
from emails.wording.requests import MotionKind, MotionTerms
from server.admin.doctor import examine_stored_acts
from server.lobby.motions import MotionOutcome, support_motion
from server.lobby.open_seats import SeatRefused
from server.lobby.resignations import ResignationRefused, take_back_resignation
from server.lobby.substitutes import take_offered_seat
from server.outbox.unit_of_work import UnitOfWork
from server.store.context import Context
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import Clock, Collector, committed, names_of, set_preferences, work_until_idle
from tests.server.inbox.test_mail_dispatch import last_letter, reply
from tests.server.lobby.test_seat_returns import kept, lets_pass, opened
from tests.server.lobby.test_substitutes import known, offered, seating
from tests.server.lobby.test_taken_back import (
    left_by,
    letter_of,
    player,
    presses_return,
    resigned,
    returns,
    takes_back,
    told,
)
from tests.server.web.bots import bot, problem
from tests.server.web.site import Site


@pytest.fixture
def place(context: Context, clock: Clock) -> Site:
    found = Site(context)
    found.clock.now = clock()
    return found


OTHER_RULES = pytest.mark.parametrize("rule", [AbsenceRule.SEAT, AbsenceRule.ALWAYS])


@OTHER_RULES
def test_nobody_comes_back_to_a_seat_that_is_not_offered(
    context: Context, place: Site, mails: Collector, clock: Clock, rule: AbsenceRule
) -> None:
    game = left_by(context, mails, clock, rule)
    second = names_of(context, game)[1]
    with pytest.raises(ResignationRefused, match="not looking for anybody"):
        takes_back(context, game, clock)
    reply(context, letter_of(mails, second), "back")
    answer = told(last_letter(context, mails, second))
    assert "You have resigned from this game, and that stays so, unless the others offer your seat." in answer
    visitor = place.visitor().get(place.link(game, seat=1))
    assert "You have resigned" in visitor.text
    assert "come back" not in visitor.text
    presses_return(place, visitor, game)
    assert (visitor.status, "not looking for anybody" in visitor.text) == (409, True)
    answered = place.app.test_client().post(
        f"/api/games/{game}/back", headers=bot(place, game, second).headers()
    )
    assert "not looking for anybody" in problem(answered, 422)["detail"]
    assert (resigned(context), returns(context)) == ([1], 0)


def for_somebody_else(unit: UnitOfWork, game: str, seat: int, gone: int = 1) -> MotionOutcome:
    terms = MotionTerms(without=gone)
    return support_motion(unit, game, seat, MotionKind.REPLACE, Channel.WEB, terms=terms)


def offered_by_others(context: Context, mails: Collector, clock: Clock, rule: AbsenceRule) -> str:
    """A game of another rule: all who still play agree that somebody else may have the seat given up."""
    game = left_by(context, mails, clock, rule)
    asked = [committed(context, clock(), for_somebody_else, game, seat) for seat in (0, 2)]
    assert asked == [MotionOutcome.ASKED, MotionOutcome.DONE]
    assert offered(context) == [1]
    return game


@pytest.mark.parametrize("rule", first(1, [AbsenceRule.SEAT, AbsenceRule.ALWAYS]))
@pytest.mark.parametrize("way", ["mail", "page", "program"])
def test_they_come_back_once_the_others_offer_the_seat(
    context: Context, place: Site, mails: Collector, clock: Clock, rule: AbsenceRule, way: str
) -> None:
    game = offered_by_others(context, mails, clock, rule)
    second = names_of(context, game)[1]
    match way:
        case "mail":
            reply(context, letter_of(mails, second), "back")
            assert "You are back" in told(last_letter(context, mails, second))
        case "page":
            visitor = place.visitor().get(place.link(game, seat=1))
            assert "Until somebody else has the seat you can come back." in visitor.text
            visitor.send("//form[contains(@action, '/return')]")
            assert visitor.title == "You are back"
        case _:
            headers = bot(place, game, second).headers()
            answer = place.app.test_client().post(f"/api/games/{game}/back", headers=headers)
            assert answer.json == {"back": True}
    assert (resigned(context), offered(context), returns(context)) == ([], [], 1)
    work_until_idle(context, mails, clock.forward(1))
    assert f"{second} is back and plays again" in told(mails.to(names_of(context, game)[0])[-1])
    with pytest.raises(SeatRefused, match="its player is back"):
        take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock())
    assert list(examine_stored_acts(context)) == []


@OTHER_RULES
def test_they_do_not_once_somebody_has_the_seat(
    context: Context, place: Site, mails: Collector, clock: Clock, rule: AbsenceRule
) -> None:
    game = offered_by_others(context, mails, clock, rule)
    link, before = place.link(game, seat=1), player(context, game)
    take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock())
    with pytest.raises(ResignationRefused, match="Somebody else"):
        committed(context, clock(), take_back_resignation, game, 1, before, Channel.WEB)
    assert presses_return(place, place.visitor(), game, link=link).status == 410
    assert (seating(context, game, 1).name, returns(context)) == ("Dirk", 0)


@pytest.mark.parametrize(
    ("language", "resigning", "yes", "depends"),
    first(
        1,
        [
            ("en", "resign", "yes", "You can come back only if the others offer your seat"),
            ("nl", "opgeven", "ja", "Je kunt alleen terugkomen als de anderen je plaats aanbieden"),
        ],
    ),
)
def test_letters_say_before_and_after_on_what_coming_back_depends(
    context: Context, mails: Collector, clock: Clock, language: str, resigning: str, yes: str, depends: str
) -> None:
    game = opened(context, AbsenceRule.SEAT)
    second = names_of(context, game)[1]
    set_preferences(context, game, second, language=language)
    work_until_idle(context, mails, clock())
    reply(context, letter_of(mails, second), resigning)
    asked = last_letter(context, mails, second)
    assert depends in told(asked)
    reply(context, asked, yes)
    assert resigned(context) == [1]
    assert depends in told(last_letter(context, mails, second))


def test_the_page_says_before_on_what_coming_back_depends(
    context: Context, place: Site, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.ALWAYS)
    work_until_idle(context, mails, clock())
    visitor = place.signed_in(game, 1).get(place.link(game, seat=1) + "/resign")
    assert "You can come back only if the others offer your seat, until somebody has it." in visitor.text
    visitor.send("//main//form")
    assert "come back" not in visitor.text
    assert resigned(context) == [1]


def test_who_gives_up_a_seat_that_is_offered_already_is_told_that_they_can_come_back(
    context: Context, place: Site, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.SEAT, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)
    assert kept(context) == [0]
    for seat in (1, 2):
        committed(context, clock(), for_somebody_else, game, seat, 0)
    assert offered(context) == [0]
    place.clock.now = clock()
    visitor = place.signed_in(game, 0).get(place.link(game, seat=0) + "/resign")
    assert "Others can take the seat. Until somebody has it you can come back." in visitor.text
    visitor.send("//main//form")
    assert "Until somebody else has the seat you can come back." in visitor.text
    assert (resigned(context), offered(context)) == ([0], [0])
    assert takes_back(context, game, clock, 0)
    assert list(examine_stored_acts(context)) == []
