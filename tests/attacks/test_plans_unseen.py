"""A plan shows nothing to others: not that there is one, in no byte and at no time, until it is played.

Two servers live the same life on copies of one database; on one of them somebody has a plan. Compared is all
that the others get: their letters byte by byte with the moment of each, and what their pages and programs are
answered.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from email import message_from_bytes, policy
from itertools import cycle
from shutil import copytree

import pytest
from sqlmodel import select

from engine.bots import stand_in
from engine.editions import EDITIONS
from server.commands import Actor, StorePlan
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game
from server.store.states import Channel
from server.turns import play
from server.turns.play import play_turn
from server.web.game import viewers
from tests.breadth import spread
from tests.server.desk import NOON, PEOPLE, Collector
from tests.server.planning import NEVER, acts, march_after, plan
from tests.server.web.bots import Bot, bots
from tests.server.web.site import site

STEPS = (0, 4, 5, 8, 61)
"""Seconds after the turn has come at which everybody looks."""
NONCE = re.compile(rb'(?<=nonce" value=")[^"]+|(?<=nonce=")[^"]+')
"""What a page gives its own browser alone, drawn at random."""
OUTLOOK = re.compile(rb"Your turn: [^<.]+")
TOKEN = re.compile(rb"(?<=/t/)\w+|(?<=\?page=)\w+|[a-z2-7]{20,}")


class Watch(Collector):
    def __init__(self, clock):
        super().__init__()
        self.clock, self.seen = clock, []

    def send(self, sender, recipient, raw):
        super().send(sender, recipient, raw)
        self.seen.append((self.clock.now, sender, recipient, raw))


class World:
    def __init__(self, folder):
        self.place = site(folder)
        self.context, self.post = self.place.context, Watch(self.place.clock)
        self.game, self.programs = "", []

    def move(self, game, *lines):
        """A turn of whoever is to move, by a button, now."""
        row = self.context.game_row(game)
        self.context.play(game, row.seat, row.after, lines, "link", self.place.clock.now)

    def live(self, seconds):
        self.place.clock.now = NOON + timedelta(seconds=seconds)
        self.context.work_until_idle(self.post, self.place.clock.now)

    def answers_to_programs(self, *planners):
        """What the programs of the others, and one without a key, are answered, with its tag and length."""
        found = []
        for seat, program in enumerate([*self.programs, Bot(self.place)]):
            if seat not in planners:
                for path in ("", "/log", "/log?after=1"):
                    answer = program.get(f"games/{self.game}{path}")
                    found.append((answer.status_code, answer.headers.get("ETag"), answer.data))
        return found

    def seen_by_others(self, game, *planners):
        found = []
        for seat, name in enumerate(self.context.names_of(game)):
            if name not in planners:
                for page in ("", "/pulse", "/log", "/history"):
                    link = f"{self.place.link(game, seat=seat)}{page}"
                    answer = self.place.app.test_client().get(link)
                    found.append((answer.status_code, NONCE.sub(b"", answer.data)))
        own = [name.lower() for name in planners]
        return found, [one for one in self.post.seen if not any(name in one[2].lower() for name in own)]


def differences(one, other):
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
    (tmp_path / "one").mkdir()
    one = World(tmp_path / "one")
    game = one.context.start_game("Anna", "Ben", "Cleo")
    one.context.confirm("Anna", "Ben", "Cleo")
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
    mail = message_from_bytes(raw, policy=policy.default)
    texts = [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
    return "\n".join([str(mail["Subject"]), *texts]).encode()


def test_a_plan_that_does_not_fit_and_none_are_the_same_to_the_others(worlds):
    one, other, game = worlds
    planner = one.context.names_of(game)[1]
    plan(one.context, game, 1, NEVER)
    turn, _ = march_after(one.context, game)
    for world in (one, other):
        world.move(game, *turn)
    for seconds in STEPS:
        for world in (one, other):
            world.live(seconds)
        assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner)) == []
    assert one.context.game_row(game).deadline == other.context.game_row(game).deadline
    mine, its = ([one[0] for one in world.post.seen] for world in (one, other))
    assert mine == its
    for world in (one, other):
        assert acts(world.context, game)[-1][0] == 0


def test_before_it_is_played_one_that_fits_shows_nothing_and_then_it_looks_like_a_quick_turn(worlds):
    one, other, game = worlds
    planner = one.context.names_of(game)[1]
    turn, march = march_after(one.context, game)
    plan(one.context, game, 1, f"{march}; draw; draw")
    for world in (one, other):
        world.move(game, *turn)
    for seconds in (0, 4):
        for world in (one, other):
            world.live(seconds)
        assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner)) == []
        assert one.context.game_row(game).deadline == other.context.game_row(game).deadline
    other.place.clock.now = NOON + timedelta(seconds=5)
    other.move(game, *march.split("; "), "draw", "draw")
    for seconds in (5, 61):
        for world in (one, other):
            world.live(seconds)
        seen = [masked(world.seen_by_others(game, planner)) for world in (one, other)]
        assert differences(*seen) == []
    assert [door for _, door, _ in acts(one.context, game)][-1] == "plan"
    assert [door for _, door, _ in acts(other.context, game)][-1] == "link"


def test_the_control_finds_a_plan_that_shows(worlds):
    """Where somebody hears of it in a letter the two differ."""
    one, other, game = worlds
    planner = one.context.names_of(game)[1]
    turn = [*one.context.turn_words(game), "draw", "draw"]
    for world in (one, other):
        world.move(game, *turn)
        world.live(4)
    other.live(5)
    assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner)) == []
    other.move(game, *other.context.turn_words(game), "draw", "draw")
    other.live(5)
    assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner))


def test_the_control_finds_a_plan_that_is_played_before_its_time(worlds, monkeypatch):
    """Where nobody waits for the pause the others see at once that there was a plan."""
    one, other, game = worlds
    planner = one.context.names_of(game)[1]
    turn, march = march_after(one.context, game)
    plan(one.context, game, 1, f"{march}; draw; draw")
    monkeypatch.setattr(play, "PLAN_PAUSE", timedelta())
    for world in (one, other):
        world.move(game, *turn)
        world.live(0)
    assert differences(one.seen_by_others(game, planner), other.seen_by_others(game, planner))


# --- many pairs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Two servers in the same state, what one of them has a plan for, and the moves before it."""

    one: World
    other: World
    game: str
    planner: int
    turn: list[str]
    march: str

    def live(self, seconds):
        for world in (self.one, self.other):
            world.live(seconds)

    def found(self, mask=lambda seen: seen, planners=()):
        """What others than the planners get otherwise on the one server than on the other."""
        planners = planners or (self.planner,)
        names = [self.one.context.names_of(self.game)[seat] for seat in planners]
        seen = [mask(world.seen_by_others(self.game, *names)) for world in (self.one, self.other)]
        asked = [world.answers_to_programs(*planners) for world in (self.one, self.other)]
        assert all(status == 200 for status, _, _ in asked[0])
        ids = [message_from_bytes(one[3])["Message-ID"] for one in self.one.post.seen]
        assert len({*ids}) == len(ids), "no letter goes twice"
        times = [world.context.game_row(self.game).deadline for world in (self.one, self.other)]
        return [
            *differences(*seen),
            *([] if asked[0] == asked[1] else [("programs", *asked)]),
            *([] if times[0] == times[1] else [("deadlines", *times)]),
        ]


def make_pair(folder, number):
    """A pair by its number: of two, three or four, of either edition, so many turns on."""
    people = PEOPLE[: 2 + number % 3]
    (folder / "one").mkdir()
    one = World(folder / "one")
    one.place.dice.seed(number)
    one.context.rng.seed(number)
    seats = [SeatRequest(name, f"{name.lower()}@example.org") for name in people]
    edition = list(EDITIONS)[number // 3 % len(EDITIONS)]
    game = one.context.open_game("Friday", seats, NOON, hours=48, at_once=True, edition=edition)
    one.context.confirm(*people)
    one.context.let_watch(game)
    keys = [program.key for program in bots(one.place, game)]
    for _ in range(number % 7):
        play_turn(one.context, game, one.context.game_row(game).after, stand_in, Channel.HOUSE, NOON)
    one.live(0)
    turn, march = march_after(one.context, game)
    planner = (one.context.game_row(game).seat + 1) % len(people)
    one.context.database.dispose()
    one.post.seen.clear()
    copytree(folder / "one", folder / "other")
    other = World(folder / "other")
    for world in (one, other):
        world.place.dice.seed(7)
        world.context.rng.seed(7)
        world.programs = [Bot(world.place, key) for key in keys]
        world.game = game
    return Pair(one, other, game, planner, turn, march)


LATER = timedelta(hours=2)
"""After all of it."""


def play_by_hand(pair):
    """What the plan plays on the one server its player plays on the other, as quickly."""
    pair.other.place.clock.now = NOON + play.PLAN_PAUSE
    pair.other.move(pair.game, *pair.march.split("; "), "draw", "draw")
    pair.live(play.PLAN_PAUSE.total_seconds())


def go_on_later(pair):
    """The next turn, hours later, after which the others wait for the planner again."""
    turn = [*pair.one.context.turn_words(pair.game), "draw", "draw"]
    for world in (pair.one, pair.other):
        world.place.clock.now = NOON + LATER
        world.move(pair.game, *turn)
    pair.live(LATER.total_seconds())


def outlooks(pair):
    pages, _ = pair.one.seen_by_others(pair.game)
    return [found for _, data in pages for found in OUTLOOK.findall(data)]


NOT_PLAYED = ["never", "withdrawn before", "withdrawn in the pause", "changed"]
"""What becomes of a plan that nobody ever hears of."""


def live_through(pair, fate):
    """All that the others get otherwise on the server on which there is a plan, until it is played."""
    context, fits = pair.one.context, f"{pair.march}; draw; draw"
    player = context.player_of(pair.game, pair.planner)
    planner = Actor(player, Channel.WEB, pair.game, pair.planner)
    plan(context, pair.game, pair.planner, NEVER if fate == "never" else fits)
    if fate == "changed":
        plan(context, pair.game, pair.planner, f"{NEVER}. otherwise: stay")
    if fate == "withdrawn before":
        context.committed(NOON, StorePlan(None).perform, planner)
    for world in (pair.one, pair.other):
        world.move(pair.game, *pair.turn)
    found = []
    for seconds in (0, 4) if fate == "fits" else STEPS:
        if fate == "withdrawn in the pause" and seconds == 4:
            context.committed(NOON + timedelta(seconds=3), StorePlan(None).perform, planner)
        pair.live(seconds)
        found += pair.found()
    return found


@pytest.mark.parametrize(("number", "fate"), spread(3, zip(range(24), cycle(["fits", *NOT_PLAYED]))))
def test_in_no_pair_of_games_a_plan_shows(tmp_path, number, fate):
    pair = make_pair(tmp_path, number)
    assert live_through(pair, fate) == []
    small_world = [door for _, door, _ in acts(pair.one.context, pair.game)]
    assert "plan" not in small_world
    if fate != "fits":
        assert len(small_world) == len(acts(pair.other.context, pair.game))
        return
    play_by_hand(pair)
    assert pair.found(masked) == []
    pair.live(61)
    assert pair.found(masked) == []
    assert outlooks(pair)
    assert [door for _, door, _ in acts(pair.one.context, pair.game)][-1] == "plan"
    go_on_later(pair)
    assert pair.found(masked) == []


def test_the_control_finds_a_history_that_tells_the_others_of_a_plan(tmp_path, monkeypatch):
    """Where the history page tells everybody at once what was played by a plan."""
    pair = make_pair(tmp_path, 1)
    assert live_through(pair, "fits") == []
    play_by_hand(pair)
    assert pair.found(masked) == []
    monkeypatch.setattr(viewers, "list_planned_acts", told_to_all)
    assert pair.found(masked)


def told_to_all(session, game, history, seat):
    planned = select(Act.seq).where(Act.game == game, Act.door == Channel.PLAN)
    return frozenset(session.exec(planned))


# --- plans that follow each other -----------------------------------------------------------------------

ALONE = ["neither", "the first", "the second"]
"""Who of two planners in a row has a plan on the other server; on the one both have."""
DUE = (5, 10)
"""Seconds after the turn has come at which the plans of the two are due."""
IN_A_ROW = (0, 4, 5, 6, 9, 10, 11, 14, 15, 71)


def words_in_a_row(folder, pair):
    """Whole turns for the two who follow, each of which fits after the one before it."""
    for world in (pair.one, pair.other):
        world.context.database.dispose()
    copytree(folder / "other", folder / "trial")
    trial = World(folder / "trial")
    trial.place.dice.seed(7)
    trial.context.rng.seed(7)
    first_turn = [*pair.march.split("; "), "draw", "draw"]
    trial.move(pair.game, *pair.turn)
    trial.move(pair.game, *first_turn)
    return [first_turn, [*trial.context.turn_words(pair.game), "draw", "draw"]]


def live_in_a_row(pair, turns, alone, late=0):
    """All that others get otherwise where two in a row have a plan; `late`: seconds of the second by hand."""
    seats = len(pair.one.context.names_of(pair.game))
    planners = [pair.planner, (pair.planner + 1) % seats]
    planned = {"neither": (), "the first": (0,), "the second": (1,)}[alone]
    for which, (seat, turn) in enumerate(zip(planners, turns, strict=True)):
        for world in [pair.one, pair.other] if which in planned else [pair.one]:
            plan(world.context, pair.game, seat, f"{'; '.join(turn[:-1])}; draw")
    differ = [seat for which, seat in enumerate(planners) if which not in planned]
    for world in (pair.one, pair.other):
        world.move(pair.game, *pair.turn)
    found, is_played = [], False
    for seconds in IN_A_ROW:
        for which, turn in enumerate(turns):
            if seconds == DUE[which] + late * which and which not in planned:
                pair.other.place.clock.now = NOON + timedelta(seconds=seconds)
                pair.other.move(pair.game, *turn)
                is_played = True
        pair.live(seconds)
        found += pair.found(masked if is_played else lambda seen: seen, differ)
    return found


@pytest.mark.parametrize(("number", "alone"), spread(1, zip([1, 2, 4, 5, 7, 8, 10, 11, 13], cycle(ALONE))))
def test_of_two_plans_in_a_row_the_others_see_two_quick_turns(tmp_path, number, alone):
    pair = make_pair(tmp_path, number)
    assert live_in_a_row(pair, words_in_a_row(tmp_path, pair), alone) == []
    assert [door for _, door, _ in acts(pair.one.context, pair.game)][-2:] == ["plan", "plan"]
    by_hand = {"neither": ["link", "link"], "the first": ["plan", "link"], "the second": ["link", "plan"]}
    assert [door for _, door, _ in acts(pair.other.context, pair.game)][-2:] == by_hand[alone]


@pytest.mark.parametrize("seconds", spread(1, [-1, 1]))
def test_the_control_finds_a_second_plan_that_is_played_at_another_time(tmp_path, seconds):
    """Where the plan behind a plan is tried sooner or later than five seconds after it."""
    pair = make_pair(tmp_path, 1)
    turns = words_in_a_row(tmp_path, pair)
    assert live_in_a_row(pair, turns, "the first", late=seconds)


def at_once(pair, monkeypatch):
    monkeypatch.setattr(play, "PLAN_PAUSE", timedelta())


def a_second_early(pair, monkeypatch):
    monkeypatch.setattr(play, "PLAN_PAUSE", timedelta(seconds=4))


def a_byte_more(pair, monkeypatch):
    with pair.one.context.changing() as session:
        session.get_one(Game, pair.game).name += "."


def a_later_deadline(pair, monkeypatch):
    with pair.one.context.changing() as session:
        session.get_one(Game, pair.game).turn_minutes += 60


@pytest.mark.parametrize("leak", spread(2, [at_once, a_second_early, a_byte_more, a_later_deadline]))
def test_the_control_finds_a_leak_that_is_built_in(tmp_path, monkeypatch, leak):
    pair = make_pair(tmp_path, 1)
    leak(pair, monkeypatch)
    assert live_through(pair, "fits")
