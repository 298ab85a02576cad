"""How many letters strangers can make the server send: to one stranger, to very many, and beside a flood.

Each figure has a control beside it: the same attack on a server whose bound is taken out sends more.
Where ten thousand forms would take too long, most are filled in as the function behind the page does it
(`propose_on_page`), each for a network of its own.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from emails.letters.lobby_letters import GameRequest, Guest
from server.lobby.proposals import propose_on_page
from server.network import network_of
from server.outbox import budgets, queue
from server.outbox.budgets import BudgetSpent, Origin, OriginKind
from tests.attacks.small_world import World
from tests.attacks.strangers import PER_DAY, PER_MONTH, PER_ORIGIN, bare_world, count, open_by_form, visit

pytestmark = pytest.mark.breadth

CLEO = "cleo@example.net"
NETWORKS = 1_000
STRANGERS = 10_000
THROUGH_FORMS = 100
"""Of these so many are filled in on the page."""
NO_BOUND = 10**9


def addresses() -> Iterator[str]:
    while True:
        yield from (f"10.{number // 250}.{number % 250}.1" for number in range(NETWORKS))


def origin_of(address: str) -> Origin:
    return Origin(OriginKind.NETWORK, network_of(address))


def ask(world: World, address: str, victim: str) -> None:
    """Ask for a game in the name of somebody, as the form does; whoever is refused goes away."""
    request = GameRequest(Guest("Dirk", victim), houses=("easy",), name="Friday")
    with suppress(BudgetSpent):
        propose_on_page(world.place.context, request, origin_of(address), world.place.clock())


def name(world: World, address: str, victim: str, number: int) -> None:
    if number < THROUGH_FORMS:
        open_by_form(visit(world, address), victim)
    else:
        ask(world, address, victim)


def unbounded_recipients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the budget of the recipient out, where letters are queued and where they leave."""
    monkeypatch.setattr(budgets, "MOST_TO_ONE", ())
    monkeypatch.setattr("server.lobby.proposals.MOST_REPLIES", NO_BOUND)
    assert queue.is_recipient_full is budgets.is_recipient_full


def in_an_hour(world: World, networks: Iterator[str], number: int) -> int:
    for one in range(number):
        name(world, next(networks), CLEO, one)
        world.place.clock.forward(1 / number)
    world.deliver()
    return count(world, CLEO)


def in_a_month(world: World, networks: Iterator[str], each_day: int) -> int:
    for _ in range(30):
        for _ in range(each_day):
            ask(world, next(networks), CLEO)
        world.deliver()
        world.place.clock.forward(23.9)
    return count(world, CLEO)


def same(address: str = "192.0.2.7") -> Iterator[str]:
    while True:
        yield address


def test_one_visitor_writes_to_one_stranger_three_times_in_an_hour(tmp_path, figure):
    found = in_an_hour(bare_world(tmp_path), same(), 25)
    figure(f"one visitor, 25 letters asked for in an hour: {found} mails to one stranger")
    assert 1 <= found <= PER_DAY


def test_control_one_visitor_writes_as_often_as_they_like(tmp_path, monkeypatch):
    unbounded_recipients(monkeypatch)
    assert in_an_hour(bare_world(tmp_path), same(), 25) > PER_DAY


@pytest.mark.long
def test_a_thousand_networks_write_to_one_stranger_three_times_in_an_hour(tmp_path, figure):
    found = in_an_hour(bare_world(tmp_path), addresses(), NETWORKS)
    figure(f"{NETWORKS} networks, one letter asked for by each in an hour: {found} mails to one stranger")
    assert 1 <= found <= PER_DAY


@pytest.mark.long
def test_control_networks_write_to_one_stranger_as_often_as_they_like(tmp_path, monkeypatch):
    unbounded_recipients(monkeypatch)
    assert in_an_hour(bare_world(tmp_path), addresses(), 40) == 40


def test_one_visitor_writes_to_one_stranger_ten_times_in_a_month(tmp_path, figure):
    found = in_a_month(bare_world(tmp_path), same(), 20)
    figure(f"one visitor, 600 letters asked for in a month: {found} mails to one stranger")
    assert PER_DAY < found <= PER_MONTH


@pytest.mark.long
def test_a_thousand_networks_write_to_one_stranger_ten_times_in_a_month(tmp_path, figure):
    found = in_a_month(bare_world(tmp_path), addresses(), NETWORKS // 30 + 1)
    figure(f"{NETWORKS} networks, one letter asked for by each in a month: {found} mails to one stranger")
    assert PER_DAY < found <= PER_MONTH


@pytest.mark.long
@pytest.mark.parametrize("bound", [budgets.MOST_TO_ONE[:1], ()], ids=["without the month", "without both"])
def test_control_without_a_bound_of_the_month_they_get_more(tmp_path, monkeypatch, bound):
    unbounded_recipients(monkeypatch)
    monkeypatch.setattr(budgets, "MOST_TO_ONE", bound)
    assert in_a_month(bare_world(tmp_path), addresses(), 4) > PER_MONTH


def in_a_day(world: World, victims: list[str]) -> int:
    """How many mails leave within a day after a thousand networks have named so many strangers."""
    networks = addresses()
    for number, victim in enumerate(victims):
        name(world, next(networks), victim, number)
    for _ in range(4):
        world.deliver()
        world.place.clock.forward(5.9)
    return len({to for _, to in world.mails.envelopes} & set(victims))


def names(number: int) -> list[str]:
    return [f"plain{one}@example.net" for one in range(number)]


@pytest.mark.long
def test_ten_thousand_strangers_get_as_many_mails_as_the_server_sends_in_a_day(bare, figure):
    most = bare.place.context.settings.unasked_per_day
    found = in_a_day(bare, names(STRANGERS))
    figure(f"{NETWORKS} networks name {STRANGERS} strangers in a day: {found} mails, at most {most}")
    assert found == most


@pytest.mark.long
def test_control_a_server_that_sends_more_in_a_day_sends_them_all(tmp_path):
    world = bare_world(tmp_path, ALEXANDROS_UNASKED_PER_DAY="1000000")
    assert in_a_day(world, names(700)) == 700


# --- honest strangers beside a flood --------------------------------------------------------------------


def days_of_the_honest(world: World) -> list[int]:
    """On which day honest strangers get their mail, while a flood comes that the server cannot send in weeks.

    Ten networks ask for thirty letters on the first day, and for ten on each one after; one honest stranger
    asks each day.
    """
    asked, got = dict[str, int](), dict[str, int]()
    for day in range(8):
        for number in range(10):
            for one in range(PER_ORIGIN if not day else 10):
                ask(world, f"10.0.{number}.1", f"plain{day}-{number}-{one}@example.net")
        honest = f"honest{day}@example.org"
        open_by_form(visit(world, f"203.0.{day}.9"), honest)
        asked[honest] = day
        world.deliver()
        got |= {one: day for one in asked if one not in got and count(world, one)}
        world.place.clock.forward(24)
    return [got.get(one, 99) - day for one, day in asked.items() if day < 7]


@pytest.mark.long
def test_honest_strangers_beside_a_flood_get_their_mail_by_the_next_day(tmp_path, figure):
    waited = days_of_the_honest(bare_world(tmp_path, ALEXANDROS_UNASKED_PER_DAY="5"))
    figure(f"7 honest strangers beside a flood of 60 days' letters: the last waited {max(waited)} days")
    assert max(waited) <= 1


@pytest.mark.long
def test_control_where_all_wait_in_one_row_honest_strangers_get_nothing(tmp_path, monkeypatch):
    of_all = Origin(OriginKind.NETWORK, "one origin of all")
    monkeypatch.setattr("server.web.kit.visitors.origin", lambda: of_all)
    monkeypatch.setattr("tests.attacks.test_budgets_of_letters.origin_of", lambda address: of_all)
    monkeypatch.setattr(budgets, "MOST_FROM_ONE", NO_BOUND)
    waited = days_of_the_honest(bare_world(tmp_path, ALEXANDROS_UNASKED_PER_DAY="5"))
    assert min(waited) == 99 - 6
