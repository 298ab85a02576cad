"""Four processes on one database, told to do the same at one moment: whatever they do is done once."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from emails.tokens import Ticket
from engine.bots import stand_in
from engine.notation.orders import write
from engine.position import view
from server.inbox import intake
from server.inbox.screening import MOST_ANSWERS_AN_HOUR
from server.outbox.letter_kinds import ANSWER_KINDS
from server.store.models import (
    Act,
    ChatMessage,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Seating,
    SignedInBrowser,
)
from server.store.states import Channel, LetterState, MailState
from tests.breadth import BREADTH
from tests.paths import TOP
from tests.server.accounts.test_sign_in import new_code
from tests.server.desk import NOON, desk, game_row, rows_of, start_game

pytestmark = BREADTH
SERVERS, GAMES, MAILS, LETTERS = 4, 12, 40, 120
PEOPLE = ("Anna", "Ben", "Cleo", "Dirk", "Eva", "Finn")


@pytest.fixture
def context(tmp_path: Path):
    return desk(tmp_path)


@pytest.fixture
def servers(context, system) -> Iterator[list[subprocess.Popen[str]]]:
    """As many processes as servers, ready to be told what to do."""
    url = context.settings.database.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.server.racer", system, url]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        started = [
            stack.enter_context(subprocess.Popen(command, cwd=TOP, stdin=pipe, stdout=pipe, text=True))
            for _ in range(SERVERS)
        ]
        assert answers(started) == ["ready"] * SERVERS
        yield started


def answers(servers):
    return [json.loads(one.stdout.readline()) for one in servers]


def at_once(servers, *task):
    for one in servers:
        one.stdin.write(json.dumps(task) + "\n")
    for one in servers:
        one.stdin.flush()
    return answers(servers)


def rows(context, model):
    return rows_of(context, model)


def write_mails(context, games):
    """Let whoever is to move in each game say something, again and again."""
    for number in range(MAILS):
        write_mail(context, games[number % len(games)], number, f"say: word {number}")


def write_mail(context, game, number, words):
    row = game_row(context, game)
    to = context.links.reply_address(Ticket(game, row.seat, row.after))
    with context.reading() as session:
        sender = session.get_one(Player, session.get_one(Seating, (game, row.seat)).player).address
    raw = f"From: {sender}\r\nMessage-ID: <{number}@x>\r\n\r\n{words}\r\n"
    intake.store_mail(context, sender, to, raw.encode(), NOON)


def card_on_display(context, game):
    with context.reading() as session:
        position = context.history_of(session, session.get_one(Game, game)).position
    return write(stand_in(view(position, position.table.seat)), position.table.board)


def test_what_four_processes_do_at_one_moment_is_done_once(context, servers):
    games = [start_game(context, "Anna", "Ben", "Cleo") for _ in range(GAMES)]
    write_mails(context, games)
    at_once(servers, "read mails")
    assert {one.state for one in rows(context, IncomingMail)} == {MailState.PLAYED}
    said = sorted(one.words for one in rows(context, ChatMessage) if one.seat is not None)
    assert said == sorted(f"word {number}" for number in range(MAILS))

    for number in range(len(PEOPLE)):
        start_game(context, PEOPLE[number], PEOPLE[number - 1])
    codes = [new_code(context, f"{name.lower()}@example.org") for name in PEOPLE]
    assert sum(at_once(servers, "follow", *codes)) == len(codes)
    assert len(rows(context, SignedInBrowser)) == len(codes)

    written = ["gus@example.org", "GUS@example.org", "Gus@Example.org", "gus@EXAMPLE.org"]
    before = len(rows(context, Game))
    assert at_once(servers, "invite", *written) == [len(written)] * SERVERS
    assert len(rows(context, Game)) == before + SERVERS * len(written)
    assert [one.address.lower() for one in rows(context, Player)].count("gus@example.org") == 1

    games = [start_game(context, "Anna", "Ben", "Cleo") for _ in range(LETTERS // 3)]
    sent = [letter for one in at_once(servers, "send") for letter in one]
    assert len(sent) == len(set(sent))
    letters = [one for one in rows(context, OutgoingLetter) if one.game in games]
    assert {one.state for one in letters} == {LetterState.SENT}
    assert len({one.message_id for one in letters} & set(sent)) == len(letters) == LETTERS


def test_four_processes_let_one_visitor_through_as_often_as_one_process_would(context, servers):
    passed = at_once(servers, "call", 120, 120)
    assert sum(passed) == 120, passed


def test_orders_that_four_processes_read_are_played_once_and_answered_within_the_limit(context, servers):
    """Each order comes twice, and a player of many games gets no more answers an hour than one of one."""
    games = [start_game(context, "Anna", "Ben") for _ in range(MOST_ANSWERS_AN_HOUR + GAMES)]
    for number, game in enumerate(games * 2):
        write_mail(context, game, number, card_on_display(context, game))
    at_once(servers, "read mails")
    mails = rows(context, IncomingMail)
    assert {one.state for one in mails} <= {MailState.PLAYED, MailState.REFUSED, MailState.IGNORED}
    assert sum(one.state == MailState.PLAYED for one in mails) == len(games)
    assert sorted(one.game for one in rows(context, Act) if one.door == Channel.REPLY) == sorted(games)
    answers_now = Counter(
        one.recipient
        for one in rows(context, OutgoingLetter)
        if one.kind in ANSWER_KINDS and one.due_at is not None and one.due_at <= NOON
    )
    assert set(answers_now.values()) == {MOST_ANSWERS_AN_HOUR}
