"""A turn that somebody has begun changes no bit of what others get: pages, pulses, tags, letters, figures."""

from __future__ import annotations

from random import Random

import pytest

from tests.attacks import comparing
from tests.attacks.comparing import Difference, Tally
from tests.attacks.reachable import Reach, reachable
from tests.attacks.test_noninterference import new_worlds
from tests.attacks.twin_games import position_of
from tests.attacks.worlds import BOARD, Pair, World, open_office, random_courses, table_of
from tests.breadth import by_run
from tests.newcomers import adapter

LETTERS = 3


@pytest.fixture(scope="module")
def worlds(tmp_path_factory) -> list[World]:
    return new_worlds(tmp_path_factory.mktemp("worlds"))


def begun_pair(number: int) -> Pair:
    """A game that one reader looks at while another is to move; of eight readers one is a spectator."""
    office = open_office(*table_of(number))
    for tried in range(number, number + 5000, 101):
        _, (course, _) = random_courses(tried, office.names)
        now = position_of(BOARD, course)
        if now.table.over:
            continue
        others = [seat for seat in range(len(office.names)) if seat != now.table.seat]
        me = None if number % 8 == 7 else Random(number).choice(others)
        return Pair(office, me, (course, course))
    raise AssertionError("no game goes on")


def compare(worlds: list[World], number: int, *, plant: bool = True, mine: bool = False) -> Tally:
    """What a reader gets of two servers of which one knows a draft of whoever is to move."""
    pair, found = begun_pair(number), Tally()
    now = position_of(BOARD, pair.courses[0])
    if mine:
        pair = Pair(pair.office, now.table.seat, pair.courses)
    for world in worlds:
        world.load(pair.office, pair.me, pair.courses[0], "x")
    if plant:
        adapter.begin_draft(worlds[1].context, pair.office.game, now)
    if pair.me is not None:
        comparing._compare_letters(worlds, pair, found, number, LETTERS)
    for world in worlds:
        world.site.history(pair.office.game)
    reach = Reach(pair, worlds[0].site, Random(number))
    clients = [comparing._Clients(world, pair, comparing.LANGUAGES[number % 2]) for world in worlds]
    for call in reachable(reach):
        first, second = comparing._ask_both(clients, call, call.method)
        found.routes.add(call.route)
        found.addresses += 1
        if first != second:
            what = f"pair {number}: {call.path} as {call.bearer}"
            found.differences.append(Difference(call.route, what, (first, second)))
    return found


@pytest.mark.parametrize("pairs", by_run(breadth=[2], long=[24]))
def test_others_see_no_byte_of_a_draft(worlds, record_property, pairs):
    found = Tally()
    for number in range(pairs):
        found.add(compare(worlds, number))
    compared = f"{found.addresses} answers, {found.letters} letters compared"
    record_property("figure", f"drafts beside none: {compared}")
    assert [one.what for one in found.differences] == []
    assert found.addresses > 80 * pairs
    assert found.letters > pairs


def test_not_by_how_the_database_is_asked(worlds):
    """The answers count their statements: one more for a draft would tell."""
    found = compare(worlds, 3)
    assert found.differences == []
