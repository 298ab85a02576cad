"""A plan shows nothing to others: not that there is one, in no byte and at no time, until it is played.

Two servers live the same life on copies of one database; on one of them somebody has a plan. Compared is all
that the others get: their letters byte by byte with the moment of each, and what their pages and programs are
answered.
"""

import re
from datetime import timedelta
from email import message_from_bytes, policy
from shutil import copytree

import pytest

from server.turns import plans
from tests.server.desk import NOON, Collector, confirm, game_row, names_of, play, start_game, work_until_idle
from tests.server.planning import NEVER, acts, march_after, plan
from tests.server.turns.test_play import whole_turn
from tests.server.web.site import site

STEPS = (0, 4, 5, 8, 61)
"""Seconds after the turn has come at which everybody looks."""
NONCE = re.compile(rb'(?<=nonce" value=")[^"]+|(?<=nonce=")[^"]+')
"""What a page gives its own browser alone, drawn at random."""
TOKEN = re.compile(rb"(?<=/t/)\w+|(?<=\?page=)\w+|[a-z2-7]{20,}")


class Watch(Collector):
    """Notes when each mail left."""

    def __init__(self, clock):
        super().__init__()
        self.clock, self.seen = clock, []

    def send(self, sender, recipient, raw):
        super().send(sender, recipient, raw)
        self.seen.append((self.clock.now, sender, recipient, raw))


class World:
    """A server, and what others than the planner see of it."""

    def __init__(self, folder):
        self.place = site(folder)
        self.context, self.post = self.place.context, Watch(self.place.clock)

    def move(self, game, *lines):
        """A turn of whoever is to move, by a button, now."""
        row = game_row(self.context, game)
        play(self.context, game, row.seat, row.after, lines, "link", self.place.clock.now)

    def live(self, seconds):
        self.place.clock.now = NOON + timedelta(seconds=seconds)
        work_until_idle(self.context, self.post, self.place.clock.now)

    def seen_by_others(self, game, planner):
        """What the pages of the others say, and all letters to them so far."""
        found = []
        for seat, name in enumerate(names_of(self.context, game)):
            if name != planner:
                for page in ("", "/pulse", "/log"):
                    link = f"{self.place.link(game, seat=seat)}{page}"
                    answer = self.place.app.test_client().get(link)
                    found.append((answer.status_code, NONCE.sub(b"", answer.data)))
        letters = [one for one in self.post.seen if planner.lower() not in one[2].lower()]
        return found, letters


def differences(one, other):
    """Where two such things differ, a few bytes of each."""
    found = []
    for mine, its in zip([*one[0], *one[1]], [*other[0], *other[1]], strict=False):
        for a, b in zip(mine, its, strict=True):
            if isinstance(a, bytes) and a != b:
                at = next((n for n, pair in enumerate(zip(a, b, strict=False)) if len({*pair}) > 1), 0)
                found.append((a[max(0, at - 60) : at + 60], b[max(0, at - 60) : at + 60]))
            elif a != b:
                found.append((a, b))
    return found + ([] if len(one[1]) == len(other[1]) else ["another number of letters"])


@pytest.fixture
def worlds(tmp_path):
    """Two servers in the same state, and their game."""
    (tmp_path / "one").mkdir()
    one = World(tmp_path / "one")
    game = start_game(one.context, "Anna", "Ben", "Cleo")
    confirm(one.context, "Anna", "Ben", "Cleo")
    one.live(0)
    one.context.database.dispose()
    one.post.seen.clear()
    copytree(tmp_path / "one", tmp_path / "other")
    other = World(tmp_path / "other")
    for world in (one, other):
        world.place.dice.seed(7)
    return one, other, game


def masked(seen):
    """Without what is sealed: a letter more changes the numbers in it, which nobody else can read."""
    pages, letters = seen
    return (
        [(status, len(data), TOKEN.sub(b"-", data)) for status, data in pages],
        [(at, len(raw), TOKEN.sub(b"-", words_of(raw))) for at, _, _, raw in letters],
    )


def words_of(raw):
    """The subject and the texts of a mail, unfolded."""
    mail = message_from_bytes(raw, policy=policy.default)
    texts = [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
    return "\n".join([str(mail["Subject"]), *texts]).encode()


def test_a_plan_that_does_not_fit_and_none_are_the_same_to_the_others(worlds):
    one, other, game = worlds
    planner = names_of(one.context, game)[1]
    plan(one.context, game, 1, NEVER)
    turn, _ = march_after(one.context, game)
    for world in (one, other):
        world.move(game, *turn)
    for seconds in STEPS:
        for world in (one, other):
            world.live(seconds)
        assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner)) == []
    assert game_row(one.context, game).deadline == game_row(other.context, game).deadline
    mine, its = ([one[0] for one in world.post.seen] for world in (one, other))
    assert mine == its
    for world in (one, other):
        assert acts(world.context, game)[-1][0] == 0


def test_before_it_is_played_one_that_fits_shows_nothing_and_then_it_looks_like_a_quick_turn(worlds):
    one, other, game = worlds
    planner = names_of(one.context, game)[1]
    turn, march = march_after(one.context, game)
    plan(one.context, game, 1, f"in any case: {march}; draw; then draw")
    for world in (one, other):
        world.move(game, *turn)
    for seconds in (0, 4):
        for world in (one, other):
            world.live(seconds)
        assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner)) == []
        assert game_row(one.context, game).deadline == game_row(other.context, game).deadline
    other.place.clock.now = NOON + timedelta(seconds=5)
    other.move(game, *march.split("; "), "draw", "draw")
    for seconds in (5, 61):
        for world in (one, other):
            world.live(seconds)
        assert (
            differences(
                masked(one.seen_by_others(game, planner)), masked(other.seen_by_others(game, planner))
            )
            == []
        )
    assert [door for _, door, _ in acts(one.context, game)][-1] == "plan"
    assert [door for _, door, _ in acts(other.context, game)][-1] == "link"


def test_the_control_finds_a_plan_that_shows(worlds):
    """Where somebody hears of it in a letter the two differ."""
    one, other, game = worlds
    planner = names_of(one.context, game)[1]
    turn = [*whole_turn(one.context, game), "draw", "draw"]
    for world in (one, other):
        world.move(game, *turn)
        world.live(4)
    other.live(5)
    assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner)) == []
    other.move(game, *whole_turn(other.context, game), "draw", "draw")
    other.live(5)
    assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner))


def test_the_control_finds_a_plan_that_is_played_before_its_time(worlds, monkeypatch):
    """Where nobody waits for the pause the others see at once that there was a plan."""
    one, other, game = worlds
    planner = names_of(one.context, game)[1]
    turn, march = march_after(one.context, game)
    plan(one.context, game, 1, f"in any case: {march}; draw; then draw")
    monkeypatch.setattr(plans, "PLAN_PAUSE", timedelta())
    for world in (one, other):
        world.move(game, *turn)
        world.live(0)
    assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner))
