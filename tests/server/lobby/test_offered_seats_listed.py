"""However a substitute is looked for, its link stands in letters and in the list of games."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from emails.terms import AbsenceRule, JoinedBy
from server.admin.backups import examine_stored_acts
from server.lobby.leaving import resign, take_offered_seat
from server.outbox.chat import count_visible_to
from server.store.context import Context
from server.store.models import StoredTerms
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import Clock, Collector, body, committed, kinds, names_of, work_until_idle
from tests.server.lobby.test_seat_returns import opened
from tests.server.lobby.test_substitutes import known, let_first_vanish, offered, path_of, says
from tests.server.turns.test_play import position_of
from tests.server.web.site import Site

PLAYERS = ("Anna", "Ben", "Cleo")
OFFERED = "//section[@id='to-take-over']//a"


def twice_late(context: Context, mails: Collector, clock: Clock) -> str:
    """By the rule of the game, after two turns in a row that were missed."""
    game = opened(context, AbsenceRule.TURN, *PLAYERS)
    work_until_idle(context, mails, clock())
    let_first_vanish(context, game, mails, clock)
    return game


def resigned(context: Context, mails: Collector, clock: Clock) -> str:
    """By the same rule, once somebody gives the game up."""
    game = opened(context, AbsenceRule.TURN, *PLAYERS)
    work_until_idle(context, mails, clock())
    committed(context, clock(), resign, game, 0, Channel.WEB)
    return game


def resigned_by_another_rule(context: Context, mails: Collector, clock: Clock) -> str:
    game = opened(context, AbsenceRule.ALWAYS, *PLAYERS)
    work_until_idle(context, mails, clock())
    committed(context, clock(), resign, game, 0, Channel.WEB)
    return game


WAYS: Mapping[str, Callable[[Context, Collector, Clock], str]] = {
    one.__name__: one for one in (twice_late, resigned, resigned_by_another_rule)
}


@pytest.mark.parametrize("way", first(2, list(WAYS)))
def test_by_whatever_way_it_is_offered_in_the_letters_and_in_the_list(
    context: Context, mails: Collector, clock: Clock, way: str
) -> None:
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
