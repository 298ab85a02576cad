"""Time that is nobody's: outages of relay, mailbox and server, a wall clock that is set, mails that wait.

Each minute is given back once and told once; letters, pages, API and `when` tell one deadline meanwhile.
"""

import re
import socket
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from queue import Queue
from random import Random

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from emails.i18n import Locale, use_locale
from emails.tokens import Ticket
from emails.wording.phrases import format_deadline
from server import clock as keeper
from server import readiness
from server.clock import LEAST_STANDSTILL, ClockWatch, give_back_downtime, note_mailbox, tick
from server.delivery.relay import DeliveryFailed, RelayAway, RelayChange, RelayRecord, note_relay_change
from server.delivery.sending import GIVEN_UP_AFTER, send_due_letters
from server.inbox import dispatch
from server.inbox.imap import ImapFetcher
from server.inbox.intake import is_deliverable, store_mail
from server.network import Endpoint, ImapMailbox
from server.outbox.timed_letters import end_absence
from server.store.models import Game, IncomingMail, OutgoingLetter, Seating
from server.store.schedule import games_due, read_moment
from server.store.states import LetterState, MomentName
from server.store.turn_clock import absent_since, find_times
from server.turn_time import CATCH_UP, Interval, clip_intervals, merge_intervals
from tests.ports import free_ports
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, Clock, Collector, Desk, FailingRelay, kinds, words_of
from tests.server.inbox.test_imap import PASSWORD, PATIENCE, Server
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.storage import storage
from tests.server.time_control.seat_clock import measure_intervals
from tests.server.web.bots import bot

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
DEADLINE = NOON + 48 * HOUR
NEVER = NOON + timedelta(days=99)
BUSY = FailingRelay(error=DeliveryFailed("450 later", final=False))
TOLD = "Your turn has got more time: until"
ABSENCES = [MomentName.RELAY_AWAY, MomentName.MAILBOX_AWAY]


@pytest.fixture
def game(context, carrier):
    """A game of which the player to move has 48 hours from noon on; all letters have left."""
    return begin_game(context, carrier, "Anna", "Ben")


def shown(context: Desk, game: str, now: datetime) -> datetime | None:
    with context.reading() as session:
        return find_times(session, session.get_one(Game, game), absent_since(session), now)[0]


def written(moment: datetime) -> str:
    with use_locale(Locale("en", "UTC")):
        return format_deadline(moment)


# --- a server that stood still, a wall clock that is set ------------------------------------------------


class House:
    """A server as its loops have it: it looks at its clocks, of which one can be set, and keeps time."""

    def __init__(self, context: Desk, now: datetime = NOON) -> None:
        self.context, self.now, self.seconds = context, now, 1000.0
        self.watch = ClockWatch(context, lambda: self.seconds)

    def pass_time(self, span: timedelta) -> None:
        self.now += span
        self.seconds += span.total_seconds()

    def round(self, after: timedelta = SECOND) -> int:
        """Look again after a while, for which another server was at work."""
        self.pass_time(after)
        if after >= LEAST_STANDSTILL:
            self.context.note_moment(MomentName.HEARTBEAT, self.now)
        return self.look()

    def look(self) -> int:
        steady = self.watch.look(self.now)
        return keeper.keep_time(self.context, self.now, self.watch.is_settled) if steady else 0


@pytest.fixture
def house(context):
    return House(context)


def stands(context: Desk, game: str) -> tuple[int, datetime | None]:
    row = context.game_row(game)
    return row.turn, row.deadline


def write_order(context: Desk, game: str, now: datetime, head: str = "") -> None:
    context.write_mail(game, context.mover(game), context.turn_words(game)[0], now, head=head)


@pytest.mark.parametrize("down", [4 * SECOND, 10 * MINUTE, 10 * 24 * HOUR])
def test_nobody_loses_the_time_for_which_the_server_was_down(context, game, down):
    last = DEADLINE - 2 * SECOND
    context.note_moment(MomentName.HEARTBEAT, last)
    house = House(context, last + down)
    house.look()
    assert stands(context, game) == (1, last + down + CATCH_UP)
    house.round(CATCH_UP - SECOND)
    assert context.game_row(game).turn == 1
    house.round()
    assert context.game_row(game).turn == 2


def test_of_two_servers_that_start_one_gives_the_time_back(context, game):
    context.note_moment(MomentName.HEARTBEAT, NOON + HOUR)
    for _ in range(2):
        House(context, NOON + 5 * HOUR).look()
    assert stands(context, game) == (1, DEADLINE + 4 * HOUR)


def test_a_first_start_gives_nothing(context, game):
    House(context, DEADLINE).look()
    assert context.game_row(game).turn == 2


NONE = timedelta(0)
STANDSTILLS = {
    "frozen": (60 * HOUR, NONE),
    "frozen, the clock put ahead meanwhile": (60 * HOUR, HOUR),
    **{f"put back by {back}": (NONE, -back) for back in (MINUTE, 10 * MINUTE, HOUR, 240 * HOUR)},
    **{f"put ahead by {ahead}": (NONE, ahead) for ahead in (MINUTE, 11 * MINUTE, 240 * HOUR)},
}
"""For how long a server was frozen, and by how much its wall clock was set."""


@pytest.mark.parametrize(("frozen", "jump"), STANDSTILLS.values(), ids=STANDSTILLS)
def test_a_server_that_was_frozen_or_whose_clock_was_set_takes_and_gives_no_time(
    context, game, house, caplog, frozen, jump
):
    house.round()
    house.pass_time(frozen)
    house.now += jump
    house.look()
    for _ in range(3):
        house.round()
    assert ("clock-jump" if jump else "event=downtime") in caplog.text
    assert stands(context, game) == (1, DEADLINE + frozen + jump)
    house.round(48 * HOUR - MINUTE)
    assert context.game_row(game).turn == 1
    house.round(MINUTE)
    assert context.game_row(game).turn == 2


def test_a_server_whose_database_took_nothing_takes_no_turn(context, game, house):
    house.round()
    with context.changing() as session:
        storage().refuse_rows(session, "moment")
    for _ in range(50):
        house.pass_time(HOUR)
        with pytest.raises(IntegrityError):
            house.look()
    with context.changing() as session:
        storage().take_rows(session, "moment")
    house.look()
    assert stands(context, game) == (1, DEADLINE + 50 * HOUR)


@pytest.mark.parametrize(
    "after", [HOUR, LEAST_STANDSTILL - SECOND], ids=["another server works", "a slow round"]
)
def test_where_a_server_was_at_work_one_that_looks_late_gives_nothing(context, game, house, after):
    house.round()
    house.round(after)
    assert stands(context, game) == (1, DEADLINE)


def test_ten_days_ahead_for_one_tick_and_back_is_as_before(context, game, house):
    context.set_preferences(game, "Ben", pace="daily")
    house.round()
    with context.changing() as session:
        session.execute(update(OutgoingLetter).values(sent_at=NOON + 240 * HOUR))  # as if in that tick
    before = moments(context, game)
    for ahead in (240 * HOUR, -240 * HOUR):
        house.now += ahead
        house.round()
    assert moments(context, game) == before
    assert all((sent or NOON) <= house.now for sent in context.rows_of(OutgoingLetter.sent_at))


def moments(context: Desk, game: str) -> object:
    row = context.game_row(game)
    return row.turn_began_at, row.deadline, row.due_at, context.rows_of(Seating.daily_at)


def test_of_two_servers_that_see_a_jump_one_moves_the_times(context, game):
    first, second = House(context), House(context)
    for one in (first, second):
        one.round()
    for jump, order, deadline in (
        (HOUR, (first, second), DEADLINE + HOUR),
        (-HOUR, (second, first), DEADLINE),
    ):
        for one in order:
            one.now += jump
            one.round()
        assert stands(context, game) == (1, deadline)


def test_the_control_without_a_watch_a_jump_takes_the_turn(context, game):
    keeper.keep_time(context, NOON + 240 * HOUR)
    assert context.game_row(game).turn == 2


# --- letters and mails that wait ------------------------------------------------------------------------


def leave_waiting(context: Desk) -> None:
    with context.changing() as session:
        session.get_one(OutgoingLetter, 1).state = LetterState.WAITING


def end_outage(context: Desk, now: datetime, name: MomentName = MomentName.RELAY_AWAY) -> None:
    with context.changing() as session:
        end_absence(context, session, name, now)


def test_while_the_relay_is_away_what_is_due_is_looked_at_once_a_minute(context, game):
    context.note_moment(MomentName.RELAY_AWAY, DEADLINE - HOUR)
    with_house = context.start_game("house", "Dirk", now=DEADLINE)
    leave_waiting(context)
    later = DEADLINE + 60 * HOUR
    keeper.keep_time(context, later)
    with context.reading() as session:
        assert games_due(session, later) == games_due(session, later, of_house=True) == [with_house]
    keeper.play_bot_turns(context, later)
    assert context.game_row(with_house).turn == 2
    assert context.game_row(game).due_at == later + MINUTE
    end_outage(context, later + SECOND)
    keeper.keep_time(context, later + HOUR)
    assert context.game_row(game).turn == 1
    keeper.keep_time(context, later + HOUR + SECOND)
    assert context.game_row(game).turn == 2, "its time goes on where it stood"


@pytest.mark.parametrize("name", ABSENCES)
def test_a_relay_for_which_nothing_waits_and_a_mailbox_that_is_not_read_any_more_hold_no_clock(
    context, game, name
):
    context.note_moment(name, DEADLINE - HOUR)
    keeper.keep_time(context, DEADLINE)
    assert stands(context, game) == (1, DEADLINE + HOUR)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 2


def put_off_twice(context: Desk) -> None:
    """Let the letters of a new game be put off at noon and an hour later."""
    context.start_game("Anna", "Ben")
    for hours in (0, 1):
        context.work_until_idle(BUSY, NOON + hours * HOUR)


def states_of_letters(context: Desk) -> set[tuple[str, int]]:
    return {(row.state, row.tries) for row in context.rows_of(OutgoingLetter)}


def test_a_letter_that_is_put_off_is_not_given_up_since_the_clock_was_set_ahead(context, house):
    put_off_twice(context)
    house.round(HOUR)
    house.now += 240 * HOUR
    house.round()
    context.work_until_idle(BUSY, house.now + HOUR)
    assert states_of_letters(context) == {(LetterState.WAITING, 3)}


def test_a_letter_that_is_put_off_is_not_given_up_since_the_server_was_down(context, house):
    put_off_twice(context)
    context.note_moment(MomentName.HEARTBEAT, NOON + HOUR)
    house.pass_time(145 * HOUR)
    house.look()
    context.work_until_idle(BUSY, house.now)
    assert states_of_letters(context) == {(LetterState.WAITING, 3)}
    context.work_until_idle(BUSY, house.now + GIVEN_UP_AFTER)
    assert LetterState.FAILED in set(context.rows_of(OutgoingLetter.state))


def take_two_mails(context: Desk, game: str) -> None:
    """The last row of a table stays, so that its number is not given again."""
    for head in ("", "Subject: again\r\n"):
        write_order(context, game, NOON, head)
    context.work_until_idle(Collector(), NOON)


def test_a_clock_that_is_ahead_for_a_while_deletes_nothing(context, game, house):
    take_two_mails(context, game)
    house.round()
    for ahead in (40 * 24 * HOUR, -40 * 24 * HOUR):
        house.now += ahead
        for _ in range(3):
            house.round()
        assert len(context.rows_of(IncomingMail)) == 2


def test_no_turn_ends_while_a_mail_waits_that_came_before_its_deadline(context, game):
    write_order(context, game, DEADLINE - SECOND)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 1
    dispatch.process_waiting_mail(context, DEADLINE + HOUR)
    assert context.game_row(game).seq == 3
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 2, "its time is over all the same"


def test_a_mail_that_lay_at_the_mail_server_has_come_when_it_came_there(context, game):
    line = "from mail.example.com (unknown [203.0.113.5]) by mx.example.org with ESMTP; "
    head = f"Received: {line}Wed, 4 Mar 2026 11:59:00 +0000\r\n"
    write_order(context, game, DEADLINE + HOUR, head)
    keeper.keep_time(context, DEADLINE + HOUR)
    assert context.game_row(game).turn == 1


# --- each minute counts once, and each outage is told once -----------------------------------------------

SERVER, RELAY, MAILBOX = "server", "relay", "mailbox"
AWAY, READ = MomentName.MAILBOX_AWAY, MomentName.MAILBOX_READ
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

    def change(self, name: str, now: datetime, *, away: bool) -> None:
        """Let one of the three go away, or come back."""
        (self.away.add if away else self.away.discard)(name)
        if name == MAILBOX:
            note_mailbox(self.context, AWAY if away else READ, now)
        elif name == RELAY:
            note_relay_change(self.context, RelayChange(away=away, reason="away"), now)
        elif away:
            self.context.note_moment(MomentName.HEARTBEAT, now)
        else:
            give_back_downtime(self.context, now)

    def work(self, now: datetime) -> None:
        tick(self.context, now)
        if RELAY not in self.away:
            send_due_letters(self.context, self.mails, now)


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
                world.change(name, now, away=False)
        for name in (RELAY, MAILBOX, SERVER):
            if name in away - world.away:
                world.change(name, now, away=True)
        if SERVER not in away:
            world.work(now)
            counted = measure_intervals(clip_intervals(merged, NOON, now))
            assert shown(world.context, world.game, now) - before == counted
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
    for words, deadline in zip(told, expected, strict=True):
        assert words.startswith(written(deadline))
    assert sum(TOLD in words_of(mail) for mail in world.mails.mails) == len(told), "nobody else is told"


def test_a_restart_within_an_absence_too_short_to_count_leaves_nothing_behind(context, game, world):
    for second, name, away in ((0, RELAY, True), (5, SERVER, True), (20, SERVER, False), (40, RELAY, False)):
        world.change(name, NOON + second * SECOND, away=away)
    assert context.game_row(game).deadline == DEADLINE + 40 * SECOND
    live_through(world, {RELAY: [(100, 105)]})
    assert context.game_row(game).deadline == DEADLINE + 40 * SECOND + 5 * MINUTE


# --- the mailbox ----------------------------------------------------------------------------------------

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
        keeper.keep_time(context, clock.forward(3))
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
    keeper.keep_time(context, clock())
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
    keeper.keep_time(context, DEADLINE + HOUR)
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
    keeper.keep_time(context, end + 2 * MINUTE)
    assert context.game_row(game).turn == 1, "nobody has looked since its end"
    note_mailbox(context, READ, end + 2 * MINUTE)
    keeper.keep_time(context, end + 2 * MINUTE)
    assert context.game_row(game).turn == 2
    context.work_until_idle(letters, end + 3 * MINUTE)
    assert (states(context), "refused" in kinds(letters.to(name))) == (["refused"], True)


# --- what is told meanwhile -----------------------------------------------------------------------------

TIME = re.compile(r'<time datetime="([^"]+)"')
DOWN = "our mail is down: no time runs"
OF_THE_GAME = ("welcome", "your_turn", "shown", "message")


@pytest.fixture
def whose(context, game):
    return context.mover(game)


def minutes(moment):
    return moment.replace(second=0, microsecond=0)


def named_on_pages(place, game, name):
    """The deadlines that the pages and the API name to the player to move."""
    page = place.visitor().get(place.link(game))
    [at] = TIME.findall(page.answer.text.partition('id="time"')[2].partition("</p>")[0])
    mine = place.as_player(name).get("/me")
    row = mine.answer.text.partition('<li class="turn">')[2].partition("</p>\n")[0]
    listed = TIME.findall(row.partition("whose")[2])[0]
    program = bot(place, game, name)
    said, summary = program.get(f"games/{game}").json, program.get("games").json["games"][0]
    assert said["stands_still"] == summary["stands_still"] == (DOWN in page.text) == (DOWN in mine.text)
    return {
        minutes(datetime.fromisoformat(one)) for one in (at, listed, said["deadline"], summary["deadline"])
    }


def ask_when(place, carrier, name):
    """What a mail that asks when the turn ends is answered."""
    last = next(mail for mail in reversed(carrier.to(name)) if mail["X-Alexandros"] in OF_THE_GAME)
    words = "when" + "\n" * len(carrier.mails)  # else it would be the same mail again
    reply(place.context, last, words, quote=False, now=place.clock())
    send_due_letters(place.context, carrier, place.clock())
    return words_of([mail for mail in carrier.to(name) if mail["X-Alexandros"] == "shown"][-1])


def is_away(place, name):
    with place.context.reading() as session:
        return read_moment(session, name) is not None


def test_a_letter_that_leaves_then_says_so(context, place, game, whose, carrier):
    told = context.game_row(game).deadline
    context.note_moment(MomentName.MAILBOX_AWAY, NOON)
    place.clock.now = NOON + 10 * HOUR
    answer = ask_when(place, carrier, whose)
    assert written(told + 10 * HOUR) in answer
    assert "Our mail is down just now: no time runs until it works again." in answer


def test_the_first_letter_after_the_relay_was_away_names_the_new_deadline(
    context, place, game, whose, carrier
):
    told = context.game_row(game).deadline
    context.note_moment(MomentName.RELAY_AWAY, NOON + 47 * HOUR)
    place.clock.now = NOON + 69 * HOUR
    answer = ask_when(place, carrier, whose)
    assert written(told + 22 * HOUR) in answer
    assert written(told) not in answer


def step(rng, place, carrier):
    """One thing that happens to a server and to the player to move."""
    context, name = place.context, rng.choice(ABSENCES)
    match rng.randrange(5):
        case 0:
            if not is_away(place, name):
                context.note_moment(name, place.clock())
        case 1:
            place.clock.now += rng.uniform(0.1, 30) * HOUR
            give_back_downtime(context, place.clock())
        case 2:
            end_outage(context, place.clock(), name)
        case _:
            place.clock.now += rng.uniform(0.01, 9) * HOUR
            context.note_moment(MomentName.HEARTBEAT, place.clock())
    if not is_away(place, MomentName.RELAY_AWAY):
        send_due_letters(context, carrier, place.clock())


@pytest.mark.parametrize("seed", range(4))
def test_in_every_state_all_name_the_same_deadline(context, place, game, whose, carrier, seed):
    context.note_moment(MomentName.HEARTBEAT, NOON)
    rng = Random(seed)
    for _ in range(8):
        step(rng, place, carrier)
        deadline = minutes(shown(place.context, game, place.clock()))
        if deadline <= place.clock():
            break
        assert named_on_pages(place, game, whose) == {deadline}
        if not is_away(place, MomentName.RELAY_AWAY):
            assert written(deadline) in ask_when(place, carrier, whose)
            assert minutes(shown(place.context, game, place.clock())) == deadline


def test_a_letter_that_waited_for_the_relay_tells_it_and_no_other_comes(context, place, game, whose, carrier):
    context.work_until_idle(FailingRelay(error=RelayAway("nobody answers")), NOON + 25 * HOUR)
    context.work_until_idle(carrier, NOON + 44 * HOUR)
    assert not is_away(place, MomentName.RELAY_AWAY)
    letters = carrier.to(whose)[-2:]
    assert kinds(letters) == ["your_turn", "reminder"]
    assert written(context.game_row(game).deadline) in words_of(letters[-1])


def test_a_letter_that_is_put_off_while_others_are_taken_tells_nothing_of_the_relay():
    record = RelayRecord()
    record.note_refused("anna@example.org", 1, "452 mailbox full", final=False)
    record.note_taken(2)
    assert record.note_refused("anna@example.org", 1, "452 mailbox full", final=False) is None
    assert record.seconds_away == 0
    assert record.note_refused("ben@example.org", 3, "450 later", final=False).away
