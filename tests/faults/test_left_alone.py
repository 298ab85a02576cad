"""Games that are left alone play themselves to their end, over real SMTP, with two servers on one database.

Nobody answers any letter. No setting opens a game with less than an hour for a turn, so that each turn gets
its seconds in the database: its beginning and its end are moved alike, and what follows, reminders too,
is done by the servers. One of the two is killed half-way, and what was done until then is neither lost nor
done again; started again it takes part, and goes on alone when the other is killed. In the one game a
caretaker plays turn after turn; in the other all comes to pass: reminders, the caretaker, seats that are kept
and offered, and a stranger who takes one by the link of a letter and vanishes.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest
from lxml import html

from emails.terms import AbsenceRule
from server.store.game_terms import SeatRequest
from server.store.server_facts import GameTerms
from server.turn_time import SHARES_LEFT
from tests.faults.house import House, house
from tests.faults.judging import different_doubles, wrongly_dropped
from tests.faults.relays import Relay, relay
from tests.faults.visits import PATIENCE, Browser, until
from tests.server.lobby.test_vanishing import acts_of, check_log

SECONDS = 2.0
"""What a turn has left, once its letter has left."""
LONGEST = 900.0
"""Seconds until the game is over."""
HALF_WAY = 12
"""Turns that are played before one of the servers is killed."""
FEW = 4
"""Turns that are played before the next is killed or started."""
FACTS = "SELECT events FROM act WHERE game = ? AND seq > ? ORDER BY seq"


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
    def passed() -> bool:
        hurry(place, game)
        return is_over(place, game) or turns_by_clock(place, game) >= turns

    until(passed, f"{turns} turns pass ({place.log()[-2000:]})", patience)


def is_over(place: House, game: str) -> bool:
    return bool(place.rows("SELECT 1 FROM game WHERE id = ? AND status <> 'running'", game))


def turns_by_clock(place: House, game: str) -> int:
    return sum(act.door == "clock" for act in place.acts(game))


def kinds_to(post: Relay, reader: str) -> Counter[str]:
    return Counter(letter.kind for letter in post.to(reader))


@pytest.fixture
def post():
    with relay() as opened:
        yield opened


@pytest.fixture
def houses(tmp_path, post) -> Iterator[tuple[House, House]]:
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
    [[seats]] = place.rows("SELECT count(*) FROM seating WHERE game = ?", game)
    check_log(acts_of(place.context, game), seats)
    assert told_too_often(place.queued(game), ends_of_turns(place, game)) == []
    assert different_doubles(post.letters) == []
    assert wrongly_dropped(place.queued(game), post.letters) == []


def ends_of_turns(place: House, game: str) -> list[int]:
    """The numbers of the acts with which a turn ended or was skipped, one for each."""
    acts = place.rows("SELECT seq, events FROM act WHERE game = ? ORDER BY seq", game)
    ends = ("turn_ended", "turn_skipped")
    return [seq for seq, events in acts for fact in json.loads(events) if fact["type"] in ends]


def told_too_often(letters: Iterable[Mapping[str, Any]], ends: Sequence[int]) -> list[tuple[object, ...]]:
    """The kinds, turns and seats of letters that came oftener in one turn than they should.

    Nobody wants other reminders than those that are usual; that time has passed is told by the act that ends
    the turn. A turn is hurried before anybody is reminded of it, so that nobody is reminded anew by that.
    """
    told: Counter[tuple[str, int, int]] = Counter()
    for one in letters:
        if one["kind"] == "reminder":
            told[one["kind"], bisect_right(ends, one["seq"]), one["seat"]] += 1
        elif one["kind"] == "time_passed":
            told[one["kind"], bisect_left(ends, one["seq"]), one["seat"]] += 1
    most = {"reminder": len(SHARES_LEFT), "time_passed": 1}
    return [key for key, number in told.items() if number > most[key[0]]]


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ([("reminder", 3), ("reminder", 4), ("time_passed", 5), ("reminder", 5), ("time_passed", 7)], []),
        ([("reminder", 3), ("reminder", 4), ("reminder", 4)], [("reminder", 0, 1)]),
        ([("time_passed", 5), ("time_passed", 6), ("time_passed", 7)], [("time_passed", 1, 1)]),
    ],
)
def test_what_is_told_once_more_in_a_turn_is_found(told, found):
    letters = [{"kind": kind, "seq": seq, "seat": 1} for kind, seq in told]
    assert told_too_often(letters, [5, 7]) == found


@pytest.mark.breadth
def test_the_caretaker_plays_each_turn_to_the_end(houses, post, figure):
    one, other = houses
    game = one.open_game("Anna", "Ben", hours=1)
    let_pass(one, game, HALF_WAY)
    other.kill()
    let_pass(one, game, HALF_WAY + FEW)
    other.start()
    let_pass(one, game, HALF_WAY + 2 * FEW)
    one.kill()
    alone = turns_by_clock(other, game)
    let_pass(other, game, alone + FEW)
    assert is_over(other, game) or turns_by_clock(other, game) >= alone + FEW, (
        "who was killed takes part again"
    )
    one.start()
    let_pass(one, game, 10_000)
    check_end(one, post, game, "anna", "ben")
    assert {act.door for act in one.acts(game)[2:]} == {"clock"}
    found = kinds_to(post, "anna@example.org")
    assert found["reminder"]
    figure(f"{turns_by_clock(one, game)} turns by the clock, {sum(found.values())} letters")


@pytest.mark.breadth
def test_a_game_is_reminded_of_cared_for_and_handed_to_a_stranger_who_vanishes_too(houses, post, figure):
    one, other = houses
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    terms = GameTerms(absence=AbsenceRule.TURN)
    now = datetime.now(UTC)
    game = one.context.open_game("Friday", requests, now, hours=1, at_once=True, terms=terms)
    assert one.rows("SELECT turn_minutes FROM game WHERE id = ?", game)[0][0] == 60

    until(lambda: hurry(one, game) or offers_to(post, "anna@example.org"), "a seat is offered", LONGEST)
    played = turns_by_clock(one, game)
    assert played >= 2, "the caretaker played for whoever was silent"
    other.kill()
    link = offers_to(post, "anna@example.org")[0].removeprefix(one.base)
    take_seat_by_link(one, post, link)
    seats = one.rows("SELECT name, seat FROM seating WHERE game = ?", game)
    [seat] = [seat for name, seat in seats if name == "Dirk"]
    taken_at = one.seq(game)
    let_pass(one, game, 10_000)
    check_end(one, post, game, "dirk")
    acts = one.acts(game)
    doors = Counter(act.door for act in acts)
    assert doors["caretaker"], "seats are kept, and played for at once"
    reminded = {name: kinds_to(post, f"{name}@example.org")["reminder"] for name in ("anna", "ben", "dirk")}
    assert all(reminded.values()), reminded
    vanished = [json.loads(row[0]) for row in one.rows(FACTS, game, taken_at)]
    kept = [fact["seat"] for act in vanished for fact in act if fact["type"] == "seat_kept"]
    assert seat in kept, "whoever took the seat vanishes too"
    figure(f"acts by {dict(doors)}, {played} turns before, reminders {reminded}")


def offers_to(post: Relay, reader: str) -> list[str]:
    """The links of the letters to somebody by which a seat that is offered can be taken."""
    found = []
    for letter in post.to(reader):
        if letter.kind == "seat_offered":
            mail = message_from_bytes(letter.raw, policy=policy.default)
            text = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
            found += re.findall(r"http://\S+/j/[\w-]+", text)
    return found


def take_seat_by_link(place: House, post: Relay, link: str) -> None:
    """A stranger opens the link of the letter, signs in by another letter, and takes the seat."""
    with closing(Browser(place.port, PATIENCE)) as dirk:
        send_form(dirk, link, name="Dirk", address="dirk@example.org")
        until(lambda: kinds_to(post, "dirk@example.org")["seat_claim"], "the letter with a link comes")
        [letter] = [one.raw.decode() for one in post.to("dirk@example.org") if one.kind == "seat_claim"]
        [code] = set(re.findall(r"/s/(\w+)", letter))
        send_form(dirk, f"/s/{code}")
        send_form(dirk, link)


def send_form(browser: Browser, path: str, **more: str) -> None:
    status, page = browser.get(path)
    assert status == 200, (status, page)
    form = html.fromstring(page).xpath("//main//form")[0]
    status, answer = browser.post(form.action or path, dict(form.form_values()) | more)
    assert status == 200, (status, answer)
