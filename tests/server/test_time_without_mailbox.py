"""While the mailbox cannot be read no turn ends, and what came in time is played."""

import socket
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime
from functools import partial
from queue import Queue

import pytest

from emails.tokens import Ticket
from server import clock as keeper
from server import readiness
from server.clock import give_back_downtime, note_mailbox
from server.configuration.network import Endpoint, ImapMailbox
from server.inbox.imap import ImapFetcher
from server.inbox.intake import is_deliverable, store_mail
from server.outbox.outages import end_absence
from server.store.event_log import require_started
from server.store.models import IncomingMail
from server.store.schedule import write_moment
from server.store.states import MomentName
from tests.ports import free_ports
from tests.server.desk import (
    NOON,
    Clock,
    Collector,
    body,
    changing,
    desk,
    game_row,
    kinds,
    mover,
    rows_of,
    start_game,
    type_in,
    work_until_idle,
)
from tests.server.inbox.test_imap import PASSWORD, PATIENCE, Server

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
DEADLINE = NOON + 48 * HOUR
AWAY, READ = MomentName.MAILBOX_AWAY, MomentName.MAILBOX_READ
WRONG = {
    "nobody listens": lambda at: {"at": replace(at, port=free_ports(1)[0])},
    "wrong password": lambda _: {"password": "another"},
    "missing folder": lambda _: {"folder": "Games"},
    "unknown name": lambda at: {"at": replace(at, host="imap.invalid")},
    "no TLS": lambda _: {"tls": True},
}


@pytest.fixture
def server():
    server = Server()
    yield server
    server.leave()


@pytest.fixture
def context(tmp_path, server):
    context = desk(tmp_path)
    box = ImapMailbox(Endpoint("127.0.0.1", server.port), tls=False, user="play", password=PASSWORD)
    context.settings = context.settings.model_copy(update={"mail_in": box})
    return context


@pytest.fixture
def game(context):
    """A game in which somebody has 48 hours from noon on; all letters have left."""
    game = start_game(context, "Anna", "Ben", hours=48)
    work_until_idle(context, Collector(), NOON)
    return game


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
    row, name = game_row(context, game), mover(context, game).lower()
    with context.reading() as session:
        card = require_started(context.history_of(session, row)).position.table.display.kinds()[0]
    address = context.links.reply_address(Ticket(game, row.seat, row.after))
    hop = f"from mx.example.net ([192.0.2.7]) by mx.example.org with ESMTP; {format_datetime(arrived)}"
    head = f"Delivered-To: {address}\r\nReceived: {hop}\r\nFrom: {name}@example.org\r\n"
    return address, f"{head}Message-ID: <1@example.org>\r\n\r\nchoose {card}\r\n".encode()


def states(context):
    return rows_of(context, IncomingMail.state)


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
        assert game_row(context, game).turn == 1
        assert "mailbox" in context.health.find_failing()
    assert "Mail cannot be fetched since 2026-03-04 11:00 UTC, and no turn ends: " in caplog.text
    assert PASSWORD not in caplog.text
    what = "the mailbox in which mail comes in cannot be read since 2026-03-04 11:00 UTC"
    assert what in type_in(context, "doctor").stdout
    with fetching(context, clock) as noted:
        while noted.get(timeout=PATIENCE) is not READ:
            pass
    context.health.check_all()
    assert "mailbox" not in context.health.find_failing()
    keeper.keep_time(context, clock())
    assert game_row(context, game).deadline == DEADLINE, "what was found is read first"
    work_until_idle(context, letters, clock())
    assert (states(context), game_row(context, game).turn) == (["played"], 1)
    assert "time_passed" not in kinds(letters.mails)


def test_that_time_is_given_back_and_told_once_and_then_the_turn_ends(context, game):
    """Control: whoever has not written in time is played for, and a mail that comes later is refused."""
    name, letters = mover(context, game), Collector()
    note_mailbox(context, READ, DEADLINE - HOUR)
    note_mailbox(context, AWAY, DEADLINE - 2 * HOUR)  # not before it was read last
    keeper.keep_time(context, DEADLINE + HOUR)
    for late in range(3):
        back = DEADLINE + 2 * HOUR + late * MINUTE
        note_mailbox(context, READ, back)
        work_until_idle(context, letters, back)
    (told,) = letters.mails
    assert told in letters.to(name)
    assert "more time: until Wednesday afternoon, 4 March, 15:00 UTC" in " ".join(body(told).split())
    end = DEADLINE + 3 * HOUR
    assert game_row(context, game).deadline == end
    sender = f"{name.lower()}@example.org"
    recipient, raw = order(context, game, end + MINUTE)
    store_mail(context, sender, recipient, raw, end + 2 * MINUTE)
    keeper.keep_time(context, end + 2 * MINUTE)
    assert game_row(context, game).turn == 1, "nobody has looked since its end"
    note_mailbox(context, READ, end + 2 * MINUTE)
    keeper.keep_time(context, end + 2 * MINUTE)
    assert game_row(context, game).turn == 2
    work_until_idle(context, letters, end + 3 * MINUTE)
    assert (states(context), "refused" in kinds(letters.to(name))) == (["refused"], True)


def test_a_server_that_fetches_no_mail_any_more_waits_for_no_mailbox(context, game):
    note_mailbox(context, AWAY, DEADLINE - HOUR)
    context.settings = context.settings.model_copy(update={"mail_in": None})
    keeper.keep_time(context, DEADLINE)
    assert game_row(context, game).deadline == DEADLINE + HOUR
    keeper.keep_time(context, DEADLINE + HOUR)
    assert game_row(context, game).turn == 2


@pytest.mark.parametrize(
    ("relay", "down", "whole"),
    [((1, 5), (), 7), ((3, 5), (), 6), ((3, 9), (), 7), ((), (4, 6), 6), ((1, 7), (4, 6), 7)],
)
def test_time_that_several_things_take_is_given_back_once(context, game, relay, down, whole):
    """The mailbox is away from the second to the eighth hour; the relay, or the server, at other hours."""
    begun = {AWAY: 2, **dict(zip([MomentName.RELAY_AWAY], relay, strict=False))}
    ended = {8: AWAY, **dict.fromkeys(relay[1:], MomentName.RELAY_AWAY)}
    for hour in range(10):
        with changing(context) as session:
            for name in [one for one, at in begun.items() if at == hour]:
                write_moment(session, name, NOON + hour * HOUR)
            if hour in ended:
                end_absence(context, session, ended[hour], NOON + hour * HOUR)
            if hour in down[:1]:
                write_moment(session, MomentName.HEARTBEAT, NOON + hour * HOUR)
        if hour in down[1:]:
            give_back_downtime(context, NOON + hour * HOUR)
    assert game_row(context, game).deadline == DEADLINE + whole * HOUR
