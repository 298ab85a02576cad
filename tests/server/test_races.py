"""Several servers on one database, in threads or processes: what they do at one moment is done once."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.bots import stand_in
from server.accounts import sign_in
from server.inbox.received_mail import MOST_ANSWERS_AN_HOUR
from server.outbox.notifications import ANSWER_KINDS
from server.store.game_terms import SeatRequest
from server.store.models import Act, ChatMessage, Game, IncomingMail, OutgoingLetter, Player, SignedInBrowser
from server.store.states import Channel, LetterState, MailState
from server.turns.play import play_turn
from tests.breadth import BREADTH
from tests.paths import TOP
from tests.server.accounts.test_sign_in import new_code
from tests.server.desk import BEN, NOON, Desk, at_once, desk

pytestmark = pytest.mark.systems
SERVERS = 4


@pytest.fixture
def servers(tmp_path: Path) -> list[Desk]:
    return [desk(tmp_path, seed) for seed in range(SERVERS)]


def test_a_link_signs_one_browser_in(servers):
    servers[0].start_game("Anna", "Ben")
    code, signed_in = new_code(servers[0]), []

    def follow(server: Desk) -> Callable[[], object]:
        return lambda: signed_in.append(sign_in.sign_in(server, code, "Firefox; Linux", NOON))

    assert (at_once(*map(follow, servers)), len(signed_in)) == ([], 1)


def test_a_person_is_one_player_however_their_address_is_written(servers):
    written = ["anna@example.org", "ANNA@example.org", "Anna@Example.org", "anna@EXAMPLE.org"]

    def invite(server: Desk, address: str) -> Callable[[], object]:
        return lambda: server.open_game("Friday", [SeatRequest("Anna", address), BEN], NOON)

    assert at_once(*map(invite, servers, written)) == []
    assert sorted(one.name for one in servers[0].rows_of(Player)) == ["Anna", "Ben"]
    assert len(servers[0].rows_of(Game)) == 4


def test_of_orders_for_one_position_one_is_played(servers):
    games = [servers[0].start_game("Anna", "Ben") for _ in range(3)]
    before = {game: servers[0].game_row(game) for game in games}

    def play(server: Desk, game: str) -> Callable[[], object]:
        return lambda: play_turn(server, game, before[game].after, stand_in, Channel.WEB, NOON)

    assert at_once(*(play(server, game) for game in games for server in servers)) == []
    for game in games:
        acts = sorted(servers[0].rows_of(Act.seq, Act.game == game))
        assert acts == list(range(1, len(acts) + 1))
        assert servers[0].game_row(game).seq == before[game].seq + 1


# --- processes ------------------------------------------------------------------------------------------

GAMES, MAILS, LETTERS = 12, 40, 120
PEOPLE = ("Anna", "Ben", "Cleo", "Dirk", "Eva", "Finn")


@pytest.fixture
def processes(context, system) -> Iterator[list[subprocess.Popen[str]]]:
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


def answers(processes):
    return [json.loads(one.stdout.readline()) for one in processes]


def do_at_once(processes, *task):
    for one in processes:
        one.stdin.write(json.dumps(task) + "\n")
    for one in processes:
        one.stdin.flush()
    return answers(processes)


@BREADTH
def test_what_four_processes_do_at_one_moment_is_done_once(context, processes):
    games = [context.start_game("Anna", "Ben", "Cleo") for _ in range(GAMES)]
    for number in range(MAILS):
        game = games[number % len(games)]
        context.write_mail(game, context.mover(game), f"say: word {number}", number=number)
    do_at_once(processes, "read mails")
    assert {one.state for one in context.rows_of(IncomingMail)} == {MailState.PLAYED}
    said = sorted(one.words for one in context.rows_of(ChatMessage) if one.seat is not None)
    assert said == sorted(f"word {number}" for number in range(MAILS))

    for number in range(len(PEOPLE)):
        context.start_game(PEOPLE[number], PEOPLE[number - 1])
    codes = [new_code(context, f"{name.lower()}@example.org") for name in PEOPLE]
    assert sum(do_at_once(processes, "follow", *codes)) == len(codes)
    assert len(context.rows_of(SignedInBrowser)) == len(codes)

    written = ["gus@example.org", "GUS@example.org", "Gus@Example.org", "gus@EXAMPLE.org"]
    before = len(context.rows_of(Game))
    assert do_at_once(processes, "invite", *written) == [len(written)] * SERVERS
    assert len(context.rows_of(Game)) == before + SERVERS * len(written)
    assert [one.address.lower() for one in context.rows_of(Player)].count("gus@example.org") == 1

    games = [context.start_game("Anna", "Ben", "Cleo") for _ in range(LETTERS // 3)]
    sent = [letter for one in do_at_once(processes, "send") for letter in one]
    assert len(sent) == len(set(sent))
    letters = [one for one in context.rows_of(OutgoingLetter) if one.game in games]
    assert {one.state for one in letters} == {LetterState.SENT}
    assert len({one.message_id for one in letters} & set(sent)) == len(letters) == LETTERS


@BREADTH
def test_four_processes_let_one_visitor_through_as_often_as_one_process_would(processes):
    passed = do_at_once(processes, "call", 120, 120)
    assert sum(passed) == 120, passed


@BREADTH
def test_orders_that_four_processes_read_are_played_once_and_answered_within_the_limit(context, processes):
    """Each order comes twice, and a player of many games gets no more answers an hour than one of one."""
    games = [context.start_game("Anna", "Ben") for _ in range(MOST_ANSWERS_AN_HOUR + GAMES)]
    for number, game in enumerate(games * 2):
        card, _ = context.turn_words(game)
        context.write_mail(game, context.mover(game), card, number=number)
    do_at_once(processes, "read mails")
    mails = context.rows_of(IncomingMail)
    assert {one.state for one in mails} <= {MailState.PLAYED, MailState.REFUSED, MailState.IGNORED}
    assert sum(one.state == MailState.PLAYED for one in mails) == len(games)
    assert sorted(context.rows_of(Act.game, Act.door == Channel.REPLY)) == sorted(games)
    answers_now = Counter(
        one.recipient
        for one in context.rows_of(OutgoingLetter)
        if one.kind in ANSWER_KINDS and one.due_at is not None and one.due_at <= NOON
    )
    assert set(answers_now.values()) == {MOST_ANSWERS_AN_HOUR}
