"""Nothing hidden leaves by a side door: two worlds that differ in it alone give a reader the same answers.

Compared are status, headers, body and length of each answer, how many statements the database did for it, and
whole letters, for 2 to 4 seats, both editions, players and spectators. What others tell each other alone is
different too, and how often.
"""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import ColumnElement, func, or_, select
from sqlmodel import Session, SQLModel, col

from emails.i18n import current_locale
from engine.cards import SYMBOLS
from engine.editions import EDITIONS
from engine.event_log import check
from engine.position import Position, View, view
from server.delivery import composition
from server.outbox import chat
from server.outbox.notifications import KINDS_SHOWING_GAME
from server.store.models import ChatMessage, OutgoingLetter, count_rows
from server.web.api import api_routes
from server.web.api.game_view import FoundGame
from server.web.game import readonly_pages
from tests.attacks.comparing import Answer, Tally, compare_pair
from tests.attacks.reachable import GAME_ROUTES, OPEN_WHEN_OVER, ROUTES, TICKET_ROUTES, Reach, reachable
from tests.attacks.twin_games import events_of, hidden_part, position_of, positions_of
from tests.attacks.worlds import BOARD, World, load_pair, random_courses, random_pair, table_of
from tests.breadth import first, spread
from tests.server.desk import PEOPLE

FEW = [5], [0, 1, 2, 3, 6, 7]
"""The gate looks at the first: all numbers of seats, both editions, a game that is over, a spectator."""
PAIRS, AT_ONCE = 200, 10
LETTERS, EVERY_LETTER = 3, 15
"""Letters of a pair, in each pair others: their number and that of all kinds have no divisor in common."""
SHOWN = {
    route
    for route in {**TICKET_ROUTES, **GAME_ROUTES}
    if not route.endswith(" POST") and route not in OPEN_WHEN_OVER
}
"""What a player of a game is answered with what they asked for."""
IN_TURN = {"draft_pages.show_advice", "api_routes.getAdvice"}
"""Of that, what only whoever is to move is: the reader of pair 0."""


def new_worlds(folder: Path) -> list[World]:
    found = []
    for name in ("one", "other"):
        (folder / name).mkdir()
        found.append(World(folder / name))
    return found


@pytest.fixture(scope="module")
def worlds(tmp_path_factory) -> list[World]:
    return new_worlds(tmp_path_factory.mktemp("worlds"))


@pytest.mark.parametrize("numbers", spread(1, FEW))
def test_a_reader_cannot_tell_two_worlds_apart_that_differ_in_what_is_hidden(worlds, numbers):
    found = Tally()
    for number in numbers:
        found.add(compare_pair(worlds, number, LETTERS))
    assert [one.what for one in found.differences] == []
    assert found.routes == ROUTES
    shown = SHOWN if 0 in numbers else SHOWN - IN_TURN
    assert found.shown >= shown  # two refusals are the same, whatever is behind them


@pytest.mark.long
def test_no_hidden_bit_shows_in_two_hundred_pairs(figure):
    found = Tally()
    parts = [range(begin, begin + AT_ONCE) for begin in range(0, PAIRS, AT_ONCE)]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(compare_pairs, parts):
            found.add(part)
    figure(
        f"{len(found.differences)} hidden bits from {PAIRS} pairs "
        f"over {found.addresses} addresses and {found.letters} letters"
    )
    assert [one.what for one in found.differences] == []
    assert found.routes == ROUTES
    # of a plan that is played test_plans_unseen.py compares what everybody gets
    assert found.kinds >= set(KINDS_SHOWING_GAME) - {"plan_played"}


def compare_pairs(numbers: Sequence[int]) -> Tally:
    found = Tally()
    with TemporaryDirectory() as folder:
        two = new_worlds(Path(folder))
        for number in numbers:
            found.add(compare_pair(two, number, LETTERS))
        for world in two:
            world.context.database.dispose()
    return found


# --- that it looks at everything ------------------------------------------------------------------------


def test_every_address_of_the_application_is_asked(worlds):
    """A new page must be added to tests/attacks/reachable.py."""
    routed = set()
    for rule in worlds[0].site.app.url_map.iter_rules():
        methods = (rule.methods or set()) - {"OPTIONS", "HEAD"}
        routed |= {rule.endpoint + ("" if method == "GET" else f" {method}") for method in methods}
    assert routed == ROUTES
    load_pair(worlds, random_pair(0))
    asked = {call.route for call in reachable(Reach(random_pair(0), worlds[0].site, Random(0)))}
    assert asked == ROUTES


@pytest.mark.parametrize("part", first(1, range(4)))
def test_the_two_worlds_are_games_by_the_rules(part):
    for number in range(part * 12, part * 12 + 12):
        me, courses = random_courses(number, PEOPLE[: table_of(number)[0]])
        one, other = (positions_of(BOARD, events_of(course)) for course in courses)
        for before, event in zip(other, events_of(courses[1])[1:], strict=False):
            check(before, event)
        for mine, its in zip(one, other, strict=True):
            assert view(mine, me) == view(its, me)
            assert view(mine, None) == view(its, None)


@pytest.mark.breadth
def test_the_pairs_differ_in_what_is_hidden_for_all_readers_and_editions():
    pairs = [random_courses(number, PEOPLE[: table_of(number)[0]]) for number in range(PAIRS // 4)]
    ends = [(me, *(position_of(BOARD, course) for course in courses)) for me, courses in pairs]
    apart = [hidden_part(one, me) != hidden_part(other, me) for me, one, other in ends]
    assert sum(apart) > len(pairs) * 0.8
    kinds = {(len(one.table.names), one.table.edition.name) for _, one, _ in ends}
    assert kinds == {(seats, name) for seats in (2, 3, 4) for name in EDITIONS}
    assert {me for me, _ in pairs} == {None, 0, 1, 2, 3}
    assert sum(one.table.over for _, one, _ in ends) > len(pairs) / 20
    assert any(one.table.seat == me for me, one, _ in ends)


# --- that it would see a side door ----------------------------------------------------------------------


def differences(worlds: Sequence[World], number: int, letters: int, *routes: str) -> set[str]:
    return {one.route for one in compare_pair(worlds, number, letters, *routes).differences}


def test_it_sees_a_tag_over_the_whole_log(worlds, monkeypatch):
    def tag_of_the_log(found: FoundGame) -> str:
        seen = (found.game.id, found.history.digest, found.me, current_locale().language)
        return sha256(repr(seen).encode()).hexdigest()[:32]

    monkeypatch.setattr(api_routes, "version_tag", tag_of_the_log)
    found = compare_pair(worlds, 0, 0, "api_routes.getGame").differences
    assert found
    for one in found:
        first, second = one.answers
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        heads = zip(first.headers, second.headers, strict=True)
        apart = {name for (name, told), other in heads if (name, told) != other}
        assert (apart, first.body) == ({"ETag"}, second.body)


def test_it_sees_the_number_of_the_last_message(worlds, monkeypatch):
    asked = readonly_pages.SELECT_PULSE
    heard = or_(col(ChatMessage.addressee).is_(None), col(ChatMessage.addressee) == readonly_pages.READER)
    last = func.coalesce(select(func.max(ChatMessage.id)).where(heard).scalar_subquery(), 0)
    assert not differences(worlds, 1, 0, "live_updates.show_player_pulse")
    *others, _, begun = asked.selected_columns
    telling = asked.with_only_columns(*others, last, begun)
    monkeypatch.setattr(readonly_pages, "SELECT_PULSE", telling)
    assert differences(worlds, 1, 0, "live_updates.show_player_pulse")


def test_it_sees_the_number_of_a_message_in_the_id_of_its_letter(worlds, monkeypatch):
    def telling_count(session: Session, table: type[SQLModel], *which: ColumnElement[bool]) -> int:
        if table is OutgoingLetter:
            return session.execute(select(func.max(ChatMessage.id))).scalar_one() or 0
        return count_rows(session, table, *which)

    monkeypatch.setattr(chat, "count_rows", telling_count)
    assert differences(worlds, 1, EVERY_LETTER, "health_pages.show_life") == {"message"}


def test_it_sees_a_card_in_a_letter(worlds, monkeypatch):
    def telling_view(position: Position, me: int | None) -> View:
        return replace(view(position, me), supply_size=1 + sum(map(SYMBOLS.index, position.supply)))

    assert not differences(worlds, 0, LETTERS, "health_pages.show_life")
    monkeypatch.setattr(composition, "view", telling_view)
    assert differences(worlds, 0, LETTERS, "health_pages.show_life")


def test_a_tag_can_be_made_by_nobody_who_has_not_the_secret(worlds, tmp_path):
    """Else guesses of what it stands for could be tested elsewhere."""
    pair = random_pair(1)
    load_pair(worlds, pair)
    stranger = World(tmp_path, ALEXANDROS_SECRET="a secret that is another than theirs")
    stranger.load(pair.office, pair.me, pair.courses[0], "x")
    path = f"/api/games/{pair.office.game}"
    mine, its = (one.site.app.test_client().get(path) for one in (worlds[0], stranger))
    assert mine.data == its.data
    assert mine.headers["ETag"] != its.headers["ETag"]
