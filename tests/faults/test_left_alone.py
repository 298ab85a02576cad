"""Games that are left alone play themselves to their end, over real SMTP, with two servers on one database.

Nobody answers any letter. Each turn has seconds: its time is brought to its end over and over. One of the two
servers is killed half-way, and what was done until then is neither lost nor done again. In the one game a
caretaker plays turn after turn; in the other it keeps the seats, and a stranger who takes one vanishes too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from lxml import html

from server.lobby.games import open_game
from server.store.game_terms import GameTerms
from server.store.seats import SeatRequest
from server.store.states import AbsenceRule
from tests.faults.house import House, house
from tests.faults.judging import different_doubles, wrongly_dropped
from tests.faults.relays import Relay, relay
from tests.faults.visits import PATIENCE, Browser, until

SECONDS = 2.0
"""What a turn has left, once its letter has left."""
LONGEST = 900.0
"""Seconds until the game is over."""
HALF_WAY = 12
"""Turns that are played before one of the servers is killed."""


def hurry(place: House, game: str) -> None:
    """Bring the end of the turn near, where its time has begun and nobody has done so yet."""
    now = datetime.now(UTC).replace(tzinfo=None)
    chosen = "SELECT deadline, turn_began_at FROM game WHERE id = ? AND deadline > ? AND status = 'running'"
    for deadline, began in place.rows(chosen, game, str(now + timedelta(seconds=10))):
        earlier = datetime.fromisoformat(deadline) - now - timedelta(seconds=SECONDS)
        moments = [str(datetime.fromisoformat(one) - earlier) for one in (deadline, began)]
        change = "UPDATE game SET deadline = ?, turn_began_at = ?, due_at = ?, reminded = 0"
        place.write(f"{change} WHERE id = ? AND deadline = ?", *moments, str(now), game, deadline)
    # A server that was just looking at the game has noted when it looks again by the deadline of before.
    late = "UPDATE game SET due_at = ? WHERE id = ? AND deadline < ? AND due_at > ?"
    place.write(late, str(now), game, str(now), str(now))


def let_pass(place: House, game: str, turns: int, patience: float = LONGEST) -> None:
    """Let so many turns pass, or the game end."""

    def passed() -> bool:
        hurry(place, game)
        return is_over(place, game) or turns_by_clock(place, game) >= turns

    until(passed, f"{turns} turns pass ({place.log()[-2000:]})", patience)


def is_over(place: House, game: str) -> bool:
    return bool(place.rows("SELECT 1 FROM game WHERE id = ? AND status <> 'running'", game))


def turns_by_clock(place: House, game: str) -> int:
    return sum(act.door == "clock" for act in place.acts(game))


def kinds_to(post: Relay, reader: str) -> Counter[str]:
    """The kinds of letters that somebody was sent."""
    return Counter(letter.kind for letter in post.to(reader))


@pytest.fixture
def post():
    with relay() as opened:
        yield opened


@pytest.fixture
def houses(tmp_path: Path, post: Relay) -> Iterator[tuple[House, House]]:
    """Two servers at work on one database; the pages of the first are those that letters lead to."""
    quick = {"TICK": "1"}
    with (
        house(tmp_path, post.mail_out, **quick) as one,
        house(tmp_path, post.mail_out, BASE_URL=one.base, start=False, **quick) as other,
    ):
        other.start()
        yield one, other


def check_end(place: House, post: Relay, game: str, *names: str) -> None:
    """The game is over, each of these has heard of it, and nothing was done or sent twice."""
    assert is_over(place, game)
    for name in names:
        reader = f"{name}@example.org"
        until(lambda reader=reader: kinds_to(post, reader)["game_over"], f"{reader} hears of it")
        assert kinds_to(post, reader)["game_over"] == 1
    acts = place.acts(game)
    assert [act.seq for act in acts] == list(range(acts[0].seq, acts[0].seq + len(acts)))
    assert different_doubles(post.letters) == []
    assert wrongly_dropped(place.queued(game), post.letters) == []


@pytest.mark.breadth
def test_the_caretaker_plays_each_turn_to_the_end(
    houses: tuple[House, House], post: Relay, record_property
) -> None:
    one, other = houses
    game = one.open_game("Anna", "Ben", hours=1)
    let_pass(one, game, HALF_WAY)
    other.kill()
    let_pass(one, game, 10_000)
    check_end(one, post, game, "anna", "ben")
    assert {act.door for act in one.acts(game)[2:]} == {"clock"}
    found = kinds_to(post, "anna@example.org")
    assert found["reminder"]
    record_property(
        "figure", f"{turns_by_clock(one, game)} turns by the clock, {sum(found.values())} letters"
    )


@pytest.mark.breadth
def test_a_stranger_takes_the_seat_of_whoever_vanished_and_vanishes_too(
    houses: tuple[House, House], post: Relay, record_property
) -> None:
    one, other = houses
    wishes = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    terms = GameTerms(absence=AbsenceRule.TURN)
    now = datetime.now(UTC)
    game = open_game(one.context, "Friday", wishes, now, hours=1, at_once=True, terms=terms)

    def offered() -> bool:
        hurry(one, game)
        return bool(one.rows("SELECT 1 FROM offered WHERE game = ?", game))

    until(offered, "a seat is offered", LONGEST)
    other.kill()
    link = one.context.links.join_link(game).removeprefix(one.base)
    with closing(Browser(one.port, PATIENCE)) as dirk:
        send_form(dirk, link, name="Dirk", address="dirk@example.org")
        until(lambda: kinds_to(post, "dirk@example.org")["signin"], "the letter with a link comes")
        [letter] = [one.raw.decode() for one in post.to("dirk@example.org") if one.kind == "signin"]
        [code] = set(re.findall(r"/s/(\w+)", letter))
        send_form(dirk, f"/s/{code}")
        send_form(dirk, link)
    assert ("Dirk",) in [tuple(row) for row in one.rows("SELECT name FROM seating WHERE game = ?", game)]
    let_pass(one, game, 10_000)
    check_end(one, post, game, "dirk")
    doors = Counter(act.door for act in one.acts(game))
    assert doors["clock"] >= 2 * 4 - 1
    assert doors["caretaker"]
    record_property("figure", f"acts by {dict(doors)}")


def send_form(browser: Browser, path: str, **more: str) -> None:
    """Open a page and send its first form, some fields changed."""
    status, page = browser.get(path)
    assert status == 200, (status, page)
    form = html.fromstring(page).xpath("//main//form")[0]
    status, answer = browser.post(form.action or path, dict(form.form_values()) | more)
    assert status == 200, (status, answer)
