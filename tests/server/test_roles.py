"""Roles: who does what where a process does not do everything, and what is known of the others."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from server import readiness
from server.admin.reports import describe_backlog
from server.clock import HEARTBEAT_EVERY, LEAST_STANDSTILL, ClockWatch
from server.loops import Loops
from server.store.models import OutgoingLetter, RoleProcess
from server.store.schedule import GONE_AFTER, UNREADABLE, note_at_work, read_moment, set_aside, when_at_work
from server.store.states import EVERY_ROLE, MomentName, Role, read_roles
from tests.server.desk import NOON, Collector
from tests.server.storage import storage

BEAT = timedelta(seconds=HEARTBEAT_EVERY)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("pages", {Role.PAGES}),
        ("mail, letters", {Role.MAIL, Role.LETTERS}),
        ("pages,mail,letters,clock,house", EVERY_ROLE),
    ],
)
def test_roles_are_named_with_commas_between(said, meant):
    assert read_roles(said) == meant


@pytest.mark.parametrize("said", ["", "letter", "pages,", "pages mail"])
def test_what_is_no_role_is_refused_in_one_sentence(context, said):
    refused = context.type_in("serve", "--only", said)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "is not a role; the roles are pages, mail, letters, clock, house" in refused.stderr


def at_work(context, *roles: Role, now=NOON, process="another") -> None:
    with context.changing() as session:
        note_at_work(session, process, roles, now)


def test_a_process_is_ready_once_somebody_does_each_kind_of_work(context, clock):
    loops = Loops.of(context, [Collector()], clock, roles=frozenset({Role.PAGES, Role.MAIL}))
    readiness.add_role_checks(context, frozenset({Role.PAGES, Role.MAIL}), loops, clock)
    assert context.health.find_failing() == ("role-clock", "role-house", "role-letters")
    at_work(context, Role.CLOCK, Role.HOUSE, Role.LETTERS)
    context.health.check_all()
    assert context.health.find_failing() == ()
    clock.now += GONE_AFTER
    at_work(context, Role.CLOCK, Role.HOUSE, now=clock.now)
    clock.now += timedelta(seconds=1)
    context.health.check_all()
    assert context.health.find_failing() == ("role-letters",)


def test_who_does_everything_asks_nobody_and_tells_all_the_others(context, clock):
    loops = Loops.of(context, [Collector()], clock)
    readiness.add_role_checks(context, EVERY_ROLE, loops, clock)
    assert context.health.find_failing() == ()
    with context.reading() as session:
        told = {role: read_moment(session, MomentName(f"at-{role}")) for role in Role}
    assert told == dict.fromkeys(Role, NOON)


ONLY_PAGES = frozenset({Role.PAGES})
EVERYBODY_ELSE = EVERY_ROLE - ONLY_PAGES


@pytest.fixture
def pages(context, place, clock) -> FlaskClient:
    """What a process answers that has pages and nothing else."""
    readiness.add_loop_checks(context, Loops.of(context, [], clock, roles=ONLY_PAGES))
    readiness.add_role_checks(context, ONLY_PAGES, Loops.of(context, [], clock, roles=ONLY_PAGES), clock)
    return place.app.test_client()


def ask(pages: FlaskClient, context) -> tuple[str, dict[str, float]]:
    """The words of `/readyz`, and the figures of `/metrics`."""
    context.health.check_all()
    told = pages.get("/metrics", base_url="http://127.0.0.1:8000").text
    figures = (line.rpartition(" ") for line in told.splitlines() if not line.startswith("#"))
    return pages.get("/readyz").text, {name: float(value) for name, _, value in figures}


def test_what_a_person_is_called_for_is_seen_where_only_pages_are_asked(context, pages, clock, game):
    at_work(context, *EVERYBODY_ELSE)
    words, figures = ask(pages, context)
    assert words == "ok\n"
    assert figures['alexandros_role_age_seconds{role="clock"}'] == 0
    assert figures['alexandros_rows_set_aside{table="outgoing"}'] == 0
    context.write_mail(game, "Anna", "draw")
    other = context.start_timed_game("Cleo", "Dirk", hours=48)
    context.note_moment(MomentName.RELAY_AWAY)
    number = context.rows_of(OutgoingLetter.id, OutgoingLetter.game == other)[-1]
    set_aside(context, OutgoingLetter, number, UNREADABLE)
    clock.forward(2)
    at_work(context, Role.MAIL, Role.HOUSE, now=clock.now)
    words, figures = ask(pages, context)
    assert words.split() == ["letters", "mails", "relay", "role-clock", "role-letters"]
    assert figures["alexandros_letter_oldest_seconds"] == figures["alexandros_mail_oldest_seconds"] == 7200
    assert figures["alexandros_relay_away_seconds"] == 7200
    assert figures['alexandros_role_age_seconds{role="clock"}'] == 7200
    assert figures['alexandros_role_age_seconds{role="mail"}'] == 0
    assert figures['alexandros_part_failing{part="role-clock"}'] == 1
    assert figures['alexandros_part_failing{part="role-mail"}'] == 0
    assert figures['alexandros_rows_set_aside{table="outgoing"}'] == 1
    assert figures['alexandros_rows_set_aside{table="incoming"}'] == 0


BESIDE = "another", "a third"


def test_of_several_processes_with_a_role_one_that_is_gone_is_missed(context, pages, clock, game):
    figure = 'alexandros_role_processes{role="%s"}'
    for process in BESIDE:
        at_work(context, *EVERYBODY_ELSE, process=process)
    words, figures = ask(pages, context)
    assert words == "ok\n"
    for role in Role:
        assert figures[figure % role] == 1 + (role not in ONLY_PAGES), role
    clock.now += GONE_AFTER + timedelta(seconds=1)
    at_work(context, *EVERYBODY_ELSE - {Role.CLOCK}, process=BESIDE[0], now=clock.now)
    at_work(context, Role.CLOCK, process=BESIDE[1], now=clock.now)
    words, figures = ask(pages, context)
    assert words == "ok\n", "of two processes with a role one is enough"
    assert {role: figures[figure % role] for role in Role} == dict.fromkeys(Role, 1)
    at_work(context, process=BESIDE[1], now=clock.now)
    _, figures = ask(pages, context)
    assert figures[figure % Role.CLOCK] == 0, "it is not well at it any more, and says so"
    kept = set(context.rows_of(RoleProcess.process))
    assert len(kept) == 2, "nothing is kept of those that are gone"


def test_a_role_that_cannot_be_read_hides_no_other(context, pages, clock):
    at_work(context, Role.MAIL, process=BESIDE[0])
    with context.changing() as session:
        session.execute(text("UPDATE role_process SET role = 'no such role' WHERE role = 'pages'"))
    told = pages.get("/metrics", base_url="http://127.0.0.1:8000").text
    assert 'alexandros_role_processes{role="mail"} 1.0' in told
    assert "no such role" not in told
    storage().spoil(context.database, "UPDATE role_process SET role = 'no such role' WHERE role = 'mail'")
    clock.now += GONE_AFTER * 2
    assert "database" not in ask(pages, context)[0], "nor does the database fail where its process is gone"


def test_the_operator_is_told_whose_work_nobody_does_while_others_are_at_theirs(context, clock, game):
    assert list(describe_backlog(context, NOON)) == [], "no server runs, which is no fault of a role"
    at_work(context, *EVERY_ROLE - {Role.HOUSE})
    assert list(describe_backlog(context, NOON)) == ["no process does the work of the role house"]
    at_work(context, Role.HOUSE)
    assert list(describe_backlog(context, NOON)) == []
    later = NOON + GONE_AFTER + timedelta(seconds=1)
    at_work(context, *EVERY_ROLE - {Role.CLOCK}, now=later)
    said = "no process does the work of the role clock since 2026-03-02 12:00 UTC"
    assert list(describe_backlog(context, later)) == [said]
    assert list(describe_backlog(context, later + GONE_AFTER + timedelta(seconds=1))) == []


@dataclass
class Thinking:
    """A process in which is thought, well or not."""

    is_well: bool = True


@pytest.mark.parametrize("failing", ["nothing", "chores", "thinking"])
def test_who_fails_at_the_work_of_a_role_does_not_say_that_it_is_done(context, clock, failing):
    roles = frozenset({Role.CLOCK, Role.HOUSE})
    loops = Loops.of(context, [], clock, roles=roles)
    readiness.add_store_checks(context, clock)
    readiness.add_thinking_check(context, [Thinking(is_well=failing != "thinking")])
    readiness.add_loop_checks(context, loops)
    readiness.add_role_checks(context, roles, loops, clock)
    if failing == "chores":
        loops.failures.note_failure("delete_expired", KeyError("no such row"))
    context.health.check_all()
    clock.now += BEAT
    context.health.check_all()
    with context.reading() as session:
        told = {role: when_at_work(session, role) for role in roles}
    late = {"chores": Role.CLOCK, "thinking": Role.HOUSE}.get(failing)
    assert told == {role: NOON if role is late else clock.now for role in roles}


def test_no_turn_ends_while_nobody_reads_mails_and_that_time_is_given_back(context, clock):
    game = context.start_timed_game("Anna", "Ben", hours=48)
    before = context.game_row(game).deadline
    watch = ClockWatch(context, lambda: clock.now.timestamp(), awaits_mail=True)
    at_work(context, Role.MAIL)
    assert watch.look(clock.now)
    lost = 3 * LEAST_STANDSTILL + BEAT
    looked = []
    for _ in range(round(lost / BEAT)):
        clock.now += BEAT
        looked.append(watch.look(clock.now))
    assert looked == [True] * round(GONE_AFTER / BEAT) + [False] * round((lost - GONE_AFTER) / BEAT)
    assert context.game_row(game).deadline == before
    at_work(context, Role.MAIL, now=clock.now)
    assert watch.look(clock.now)
    assert context.game_row(game).deadline == before + lost - GONE_AFTER
