"""A game that is left alone plays itself to its end, over real SMTP, with two servers on one database.

Nobody answers any letter. Each turn has seconds: its time is brought to its end over and over. One of the two
servers is killed half-way, and what was done until then is neither lost nor done again.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.faults.house import House, house
from tests.faults.judging import different_doubles, wrongly_dropped
from tests.faults.relays import Relay, relay
from tests.faults.visits import until

SECONDS = 2.0
"""What a turn has left, once its letter has left."""
LONGEST = 900.0
"""Seconds until the game is over."""
HALF_WAY = 12
"""Turns that are played before one of the servers is killed."""


def hurry(place: House, game: str) -> None:
    """Bring the end of the turn near, where its time has begun and nobody has done so yet."""
    now = datetime.now(UTC).replace(tzinfo=None)
    chosen = "SELECT deadline FROM game WHERE id = ? AND deadline > ? AND status = 'running'"
    if place.rows(chosen, game, str(now + timedelta(seconds=10))):
        place.bring_deadline(game, SECONDS)
        place.write("UPDATE game SET reminded = 0 WHERE id = ?", game)
    # A server that was just looking at the game has noted when it looks again by the deadline of before.
    place.write(
        "UPDATE game SET due_at = ? WHERE id = ? AND deadline < ? AND due_at > ?",
        *[str(now), game, str(now), str(now)],
    )


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


@pytest.mark.breadth
def test_a_game_plays_itself_to_its_end_with_two_servers_one_of_which_is_killed(
    tmp_path: Path, post: Relay, record_property
) -> None:
    quick = {"TICK": "1"}
    with (
        house(tmp_path, post.mail_out, **quick) as one,
        house(tmp_path, post.mail_out, BASE_URL=one.base, start=False, **quick) as other,
    ):
        other.start()
        game = one.open_game("Anna", "Ben", hours=1)
        let_pass(one, game, HALF_WAY)
        other.kill()
        let_pass(one, game, 10_000)
        assert is_over(one, game)
        for name in ("anna", "ben"):
            until(lambda name=name: kinds_to(post, f"{name}@example.org")["game_over"], f"{name} hears of it")
        acts = one.acts(game)
        assert [act.seq for act in acts] == list(range(acts[0].seq, acts[0].seq + len(acts)))
        assert {act.door for act in acts[2:]} == {"clock"}
        found = kinds_to(post, "anna@example.org")
        assert found["reminder"]
        assert found["game_over"] == 1
        assert different_doubles(post.letters) == []
        assert wrongly_dropped(one.queued(game), post.letters) == []
        record_property(
            "figure", f"{turns_by_clock(one, game)} turns by the clock, {sum(found.values())} letters"
        )
