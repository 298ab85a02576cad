"""Of outages that overlap each minute is given back once, and the player to move hears of it once."""

from datetime import datetime, timedelta
from random import Random

import pytest
from sqlmodel import select

from emails.i18n import Locale, use_locale
from emails.wording.deadlines import format_deadline
from server.clock import give_back_downtime, note_mailbox, tick
from server.configuration.network import Endpoint, ImapMailbox
from server.delivery.relay import RelayChange, note_relay_change
from server.delivery.sending import send_due_letters
from server.store.context import Context
from server.store.models import Game, OutgoingLetter
from server.store.schedule import write_moment
from server.store.states import LetterState, MomentName
from server.store.turn_clock import shown_deadline
from server.time_control.availability import Interval, clip_intervals, measure_intervals, merge_intervals
from tests.server.beginnings import begin_once
from tests.server.desk import NOON, Collector, body, changing, game_row, mover, start_game, work_until_idle

MINUTE = timedelta(minutes=1)
NEVER = NOON + timedelta(days=99)
DEADLINE = NOON + timedelta(hours=48)
TOLD = "Your turn has got more time: until"
SERVER, RELAY, MAILBOX = "server", "relay", "mailbox"
Outages = dict[str, list[tuple[int, int]]]
"""From which minute until which each of the three is away."""
CASES: dict[str, Outages] = {
    "relay first": {RELAY: [(10, 181)], SERVER: [(15, 180)]},
    "server first": {SERVER: [(10, 100)], RELAY: [(95, 120)]},
    "mailbox first": {MAILBOX: [(10, 185)], SERVER: [(12, 180)]},
    "all three": {SERVER: [(40, 90)], RELAY: [(10, 70)], MAILBOX: [(20, 120)]},
    "relay in mailbox": {RELAY: [(30, 60)], MAILBOX: [(10, 64)]},
    "one after the other": {RELAY: [(10, 40)], MAILBOX: [(35, 70)], SERVER: [(65, 120)]},
    "one in which all others are": {RELAY: [(10, 200)], MAILBOX: [(20, 50)], SERVER: [(60, 70), (90, 150)]},
    "two apart": {RELAY: [(10, 40)], SERVER: [(60, 120)]},
    "too short to be told": {RELAY: [(10, 16)], MAILBOX: [(14, 19)]},
    "only together long enough to be told": {RELAY: [(10, 18)], MAILBOX: [(15, 24)]},
}


def draw_outages(seed: int) -> Outages:
    rng, found = Random(seed), Outages()
    for name in (SERVER, RELAY, MAILBOX):
        starts = [rng.randrange(2, 200) * 5 for _ in range(rng.randrange(1, 4))]
        spans = merge_intervals((at(start), at(start + 5 * rng.randrange(1, 40))) for start in starts)
        found[name] = [((since - NOON) // MINUTE, (until - NOON) // MINUTE) for since, until in spans]
    return found


def at(minute: int) -> datetime:
    return NOON + minute * MINUTE


class World:
    """A server, whose relay and mailbox are away at times, and a game on it."""

    def __init__(self, context: Context, game: str) -> None:
        self.context, self.game = context, game
        self.mails, self.away = Collector(), set[str]()

    def go_away(self, name: str, now: datetime) -> None:
        self.away.add(name)
        if name == MAILBOX:
            note_mailbox(self.context, MomentName.MAILBOX_AWAY, now)
        elif name == RELAY:
            note_relay_change(self.context, RelayChange(away=True, reason="away"), now)
        else:
            with changing(self.context) as session:
                write_moment(session, MomentName.HEARTBEAT, now)

    def come_back(self, name: str, now: datetime) -> None:
        self.away.discard(name)
        if name == MAILBOX:
            note_mailbox(self.context, MomentName.MAILBOX_READ, now)
        elif name == RELAY:
            note_relay_change(self.context, RelayChange(away=False, reason="away"), now)
        else:
            give_back_downtime(self.context, now)

    def work(self, now: datetime) -> None:
        tick(self.context, now)
        if RELAY not in self.away:
            send_due_letters(self.context, self.mails, now)

    def shown(self, now: datetime) -> datetime | None:
        with self.context.reading() as session:
            return shown_deadline(session, session.get_one(Game, self.game), now)


@pytest.fixture
def game(context):
    """Somebody has 48 hours from noon on.

    One letter waits always: a relay for which none waits does not count as away.
    """
    box = ImapMailbox(Endpoint("127.0.0.1", 1), tls=False, user="play", password="word")
    context.settings = context.settings.model_copy(update={"mail_in": box})

    def with_first_letters() -> str:
        game = start_game(context, "Anna", "Ben", hours=48)
        work_until_idle(context, Collector(), NOON)
        return game

    game = begin_once(context, Collector(), with_first_letters)
    with changing(context) as session:
        letter = session.exec(select(OutgoingLetter)).first()
        letter.state, letter.due_at, letter.tries = LetterState.WAITING, NEVER, 1
    return game


def live_through(world: World, outages: Outages) -> tuple[Interval, ...]:
    """Let all of it happen; give the outages, merged where they overlap."""
    before = game_row(world.context, world.game).deadline
    moments = sorted({minute for spans in outages.values() for span in spans for minute in span})
    merged = merge_intervals((at(since), at(until)) for spans in outages.values() for since, until in spans)
    for minute in moments:
        now = at(minute)
        away = {
            name for name, spans in outages.items() if any(since <= minute < until for since, until in spans)
        }
        if SERVER in world.away & away:
            continue  # it sees at its start what has changed meanwhile
        for name in (SERVER, RELAY, MAILBOX):
            if name in world.away - away:
                world.come_back(name, now)
        for name in (RELAY, MAILBOX, SERVER):
            if name in away - world.away:
                world.go_away(name, now)
        if SERVER not in away:
            world.work(now)
            assert world.shown(now) - before == measure_intervals(clip_intervals(merged, NOON, now))
    return merged


def told_deadlines(world: World) -> list[str]:
    letters = [" ".join(body(mail).split()) for mail in world.mails.to(mover(world.context, world.game))]
    return [letter.partition(TOLD)[2].strip() for letter in letters if TOLD in letter]


@pytest.mark.parametrize("outages", [*CASES.values(), *map(draw_outages, range(8))], ids=[*CASES, *range(8)])
def test_each_minute_counts_once_and_each_outage_is_told_once(context, game, outages):
    world = World(context, game)
    spans = live_through(world, outages)
    assert game_row(context, game).deadline == DEADLINE + measure_intervals(spans)
    expected, given = [], timedelta(0)
    for since, until in spans:
        given += until - since
        if until - since >= 10 * MINUTE:
            expected.append(DEADLINE + given)
    told = told_deadlines(world)
    assert len(told) == len(expected)
    with use_locale(Locale("en", "UTC")):
        for words, deadline in zip(told, expected, strict=True):
            assert words.startswith(format_deadline(deadline))


def test_a_restart_within_an_absence_too_short_to_count_leaves_nothing_behind(context, game):
    world, second = World(context, game), timedelta(seconds=1)
    world.go_away(RELAY, NOON)
    world.go_away(SERVER, NOON + 5 * second)
    world.come_back(SERVER, NOON + 20 * second)
    world.come_back(RELAY, NOON + 40 * second)
    assert game_row(context, game).deadline == DEADLINE + 40 * second
    live_through(world, {RELAY: [(100, 105)]})
    assert game_row(context, game).deadline == DEADLINE + 40 * second + 5 * MINUTE
