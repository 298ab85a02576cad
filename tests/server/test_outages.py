"""Outages of the relay, the mailbox and the server: each minute is given back once, and told once."""

import socket
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from queue import Queue
from random import Random

import pytest

from emails.i18n import Locale, use_locale
from emails.tokens import Ticket
from emails.wording.deadlines import format_deadline
from server import readiness
from server.clock import give_back_downtime, keep_time, note_mailbox, tick
from server.configuration.network import Endpoint, ImapMailbox
from server.delivery.relay import RelayChange, note_relay_change
from server.delivery.sending import send_due_letters
from server.inbox.imap import ImapFetcher
from server.inbox.intake import is_deliverable, store_mail
from server.store.models import Game, IncomingMail, OutgoingLetter
from server.store.states import LetterState, MomentName
from server.store.turn_clock import shown_deadline
from server.time_control.availability import Interval, clip_intervals, measure_intervals, merge_intervals
from tests.ports import free_ports
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Clock, Collector, Desk, kinds, words_of
from tests.server.inbox.test_imap import PASSWORD, PATIENCE, Server

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
NEVER = NOON + timedelta(days=99)
DEADLINE = NOON + 48 * HOUR
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
    "hours, relay first": {MAILBOX: [(120, 480)], RELAY: [(60, 300)]},
    "hours, relay in mailbox": {MAILBOX: [(120, 480)], RELAY: [(180, 300)]},
    "hours, relay last": {MAILBOX: [(120, 480)], RELAY: [(180, 540)]},
    "hours, server in mailbox": {MAILBOX: [(120, 480)], SERVER: [(240, 360)]},
    "hours, all three": {MAILBOX: [(120, 480)], RELAY: [(60, 420)], SERVER: [(240, 360)]},
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


def read_mailbox(context: Desk, port: int = 1) -> None:
    """Let a server fetch its mail from a mailbox."""
    box = ImapMailbox(Endpoint("127.0.0.1", port), tls=False, user="play", password=PASSWORD)
    context.settings = context.settings.model_copy(update={"mail_in": box})


class World:
    """A server, whose relay and mailbox are away at times, and a game on it."""

    def __init__(self, context: Desk, game: str) -> None:
        self.context, self.game = context, game
        self.mails, self.away = Collector(), set[str]()

    def go_away(self, name: str, now: datetime) -> None:
        self.away.add(name)
        if name == MAILBOX:
            note_mailbox(self.context, MomentName.MAILBOX_AWAY, now)
        elif name == RELAY:
            note_relay_change(self.context, RelayChange(away=True, reason="away"), now)
        else:
            self.context.note_moment(MomentName.HEARTBEAT, now)

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
    """A game of which the player to move has 48 hours from noon on; all letters have left."""
    return begin_game(context, Collector(), "Anna", "Ben")


@pytest.fixture
def world(context, game):
    """One letter waits always: a relay for which none waits does not count as away."""
    read_mailbox(context)
    with context.changing() as session:
        letter = session.get_one(OutgoingLetter, 1)
        letter.state, letter.due_at, letter.tries = LetterState.WAITING, NEVER, 1
    return World(context, game)


def live_through(world: World, outages: Outages) -> tuple[Interval, ...]:
    """Let all of it happen; give the outages, merged where they overlap."""
    before = world.context.game_row(world.game).deadline
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


@pytest.mark.parametrize("outages", [*CASES.values(), *map(draw_outages, range(8))], ids=[*CASES, *range(8)])
def test_each_minute_counts_once_and_each_outage_is_told_once(context, game, world, outages):
    spans = live_through(world, outages)
    assert context.game_row(game).deadline == DEADLINE + measure_intervals(spans)
    expected, given = [], timedelta(0)
    for since, until in spans:
        given += until - since
        if until - since >= 10 * MINUTE:
            expected.append(DEADLINE + given)
    letters = [words_of(mail) for mail in world.mails.to(context.mover(game))]
    told = [letter.partition(TOLD)[2].strip() for letter in letters if TOLD in letter]
    assert len(told) == len(expected)
    with use_locale(Locale("en", "UTC")):
        for words, deadline in zip(told, expected, strict=True):
            assert words.startswith(format_deadline(deadline))


def test_a_restart_within_an_absence_too_short_to_count_leaves_nothing_behind(context, game, world):
    world.go_away(RELAY, NOON)
    world.go_away(SERVER, NOON + 5 * SECOND)
    world.come_back(SERVER, NOON + 20 * SECOND)
    world.come_back(RELAY, NOON + 40 * SECOND)
    assert context.game_row(game).deadline == DEADLINE + 40 * SECOND
    live_through(world, {RELAY: [(100, 105)]})
    assert context.game_row(game).deadline == DEADLINE + 40 * SECOND + 5 * MINUTE


# --- the mailbox ----------------------------------------------------------------------------------------

AWAY, READ = MomentName.MAILBOX_AWAY, MomentName.MAILBOX_READ
WRONG = {
    "nobody listens": lambda at: {"at": replace(at, port=free_ports(1)[0])},
    "wrong password": lambda _: {"password": "another"},
    "missing folder": lambda _: {"folder": "Games"},
    "unknown name": lambda at: {"at": replace(at, host="imap.invalid")},
    "no TLS": lambda _: {"tls": True},
}


@pytest.fixture
def server(context):
    """The mailbox from which the server fetches its mail."""
    server = Server()
    read_mailbox(context, server.port)
    yield server
    server.leave()


@contextmanager
def fetching(context, clock, **wrong):
    """Fetch from the mailbox, of which something may be wrong; gives what is noted of it."""
    noted = Queue()

    def note(name, at):
        note_mailbox(context, name, at)
        noted.put(name)

    def take_in(sender, recipient, raw):
        store_mail(context, sender, recipient, raw, clock())

    box, known = replace(context.settings.mail_in, **wrong), partial(is_deliverable, context)
    fetcher = ImapFetcher(box, context.settings.mail_domain, take_in, known, 0.05, 0.01, note, clock)
    fetcher.start()
    try:
        yield noted
    finally:
        fetcher.stop()


def order(context, game, arrived):
    """A mail of whoever is to move, which their mail server took then, and the address it is to."""
    row, name = context.game_row(game), context.mover(game).lower()
    address = context.links.reply_address(Ticket(game, row.seat, row.after))
    hop = f"from mx.example.net ([192.0.2.7]) by mx.example.org with ESMTP; {format_datetime(arrived)}"
    head = f"Delivered-To: {address}\r\nReceived: {hop}\r\nFrom: {name}@example.org\r\n"
    words = context.turn_words(game)[0]
    return address, f"{head}Message-ID: <1@example.org>\r\n\r\n{words}\r\n".encode()


def states(context):
    return context.rows_of(IncomingMail.state)


def look_up(host, *args, real=socket.getaddrinfo, **kwargs):
    if host == "imap.invalid":  # nothing is asked of the DNS
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return real(host, *args, **kwargs)


@pytest.mark.parametrize("fault", WRONG)
def test_no_turn_ends_while_it_cannot_be_read_and_a_mail_that_came_in_time_is_played(
    context, game, server, fault, caplog, monkeypatch
):
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    clock, letters = Clock(DEADLINE - HOUR), Collector()
    readiness.add_store_checks(context, clock)
    with fetching(context, clock, **WRONG[fault](context.settings.mail_in.at)) as noted:
        assert noted.get(timeout=PATIENCE) is AWAY
        server.arrive(order(context, game, DEADLINE - MINUTE)[1])
        keep_time(context, clock.forward(3))
        assert context.game_row(game).turn == 1
        assert "mailbox" in context.health.find_failing()
    assert "Mail cannot be fetched since 2026-03-04 11:00 UTC, and no turn ends: " in caplog.text
    assert PASSWORD not in caplog.text
    what = "the mailbox for incoming mail cannot be read since 2026-03-04 11:00 UTC"
    assert what in context.type_in("doctor").stdout
    with fetching(context, clock) as noted:
        while noted.get(timeout=PATIENCE) is not READ:
            pass
    context.health.check_all()
    assert "mailbox" not in context.health.find_failing()
    keep_time(context, clock())
    assert context.game_row(game).deadline == DEADLINE, "what was found is read first"
    context.work_until_idle(letters, clock())
    assert (states(context), context.game_row(game).turn) == (["played"], 1)
    assert "time_passed" not in kinds(letters.mails)


def test_that_time_is_given_back_and_told_once_and_then_the_turn_ends(context, game):
    """Control: whoever has not written in time is played for, and a mail that comes later is refused."""
    read_mailbox(context)
    name, letters = context.mover(game), Collector()
    note_mailbox(context, READ, DEADLINE - HOUR)
    note_mailbox(context, AWAY, DEADLINE - 2 * HOUR)  # not before it was read last
    keep_time(context, DEADLINE + HOUR)
    for late in range(3):
        back = DEADLINE + 2 * HOUR + late * MINUTE
        note_mailbox(context, READ, back)
        context.work_until_idle(letters, back)
    (told,) = letters.mails
    assert told in letters.to(name)
    assert "more time: until Wednesday afternoon, 4 March, 15:00 UTC" in words_of(told)
    end = DEADLINE + 3 * HOUR
    assert context.game_row(game).deadline == end
    recipient, raw = order(context, game, end + MINUTE)
    store_mail(context, f"{name.lower()}@example.org", recipient, raw, end + 2 * MINUTE)
    keep_time(context, end + 2 * MINUTE)
    assert context.game_row(game).turn == 1, "nobody has looked since its end"
    note_mailbox(context, READ, end + 2 * MINUTE)
    keep_time(context, end + 2 * MINUTE)
    assert context.game_row(game).turn == 2
    context.work_until_idle(letters, end + 3 * MINUTE)
    assert (states(context), "refused" in kinds(letters.to(name))) == (["refused"], True)


def test_a_server_that_fetches_no_mail_any_more_waits_for_no_mailbox(context, game):
    context.note_moment(AWAY, DEADLINE - HOUR)
    keep_time(context, DEADLINE)
    assert context.game_row(game).deadline == DEADLINE + HOUR
    keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 2
