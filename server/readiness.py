"""Health checks of a server, and the gauges of its metrics.

Each check is quick and reports a problem that needs the operator: failing database or disk, hanging or
failing loops, repeated loss of bots' child processes, relay outages, mails or letters that wait too long.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from math import nan
from secrets import token_hex
from time import monotonic

from prometheus_client import generate_latest
from sqlalchemy.exc import SQLAlchemyError

from server.accounts.bounces import has_own_fault
from server.admin.reports import LONGEST_WAIT, measure_backlog, measure_oldest_letter, measure_oldest_mail
from server.clock import is_mailbox_read
from server.loops import Loop, Loops
from server.monitoring import LEAST_FREE, Check, HealthPart, WorkTable
from server.store.context import Context
from server.store.database import is_usable
from server.store.schedule import (
    GONE_AFTER,
    count_at_work,
    note_at_work,
    read_moment,
    when_at_work,
    write_moment,
)
from server.store.states import EVERY_ROLE, MomentName, Role, Roles
from server.thinker import ThinkingProcess

LOG = logging.getLogger(__name__)
DISK_FAILS_FOR = 60.0
LEAST_FREE_PART = 0.05
"""Fraction of a small disk that must be free; of a large disk, `LEAST_FREE` bytes suffice."""
LONGEST_UNREAD = timedelta(minutes=5)
ROLES_OF_PARTS: Mapping[HealthPart, Role] = {
    HealthPart.CHORES: Role.CLOCK,
    HealthPart.THINKING: Role.HOUSE,
}


def add_store_checks(context: Context, now: Callable[[], datetime]) -> None:
    started = now()
    context.health.add(
        {
            HealthPart.DATABASE: lambda: _write_moment(context, now()),
            HealthPart.SCHEMA: lambda: _is_schema_known(context),
            HealthPart.DISK: lambda: _has_room(context),
            HealthPart.MAILBOX: lambda: _is_mail_fetched(context, started, now()),
            HealthPart.LETTERS: lambda: _do_letters_arrive(context, now()),
            HealthPart.MAILS: lambda: _measure_mail(context, now()) <= LONGEST_WAIT,
        }
    )


def add_role_checks(context: Context, roles: Roles, loops: Loops, now: Callable[[], datetime]) -> None:
    """Publish the roles of this process, and check that some process performs each of the remaining roles.

    Pages are not checked, since monitors check them from outside. A role is published only while its loops
    run and its health checks pass; no role is published while the disk fails.
    """
    process = token_hex(8)

    def write() -> bool:
        stuck = {role for role in roles if any(one.is_stuck for one in loops.of_role(role))}
        failing = {ROLES_OF_PARTS[part] for part in context.health.last_failing if part in ROLES_OF_PARTS}
        moment = now()
        with context.writing() as session:
            write_moment(session, MomentName.PROBED, moment)
            well = set() if _does_disk_fail(context) else roles - stuck - failing
            note_at_work(session, process, well, moment)
            session.commit()
        return True

    def is_done(role: Role) -> bool:
        with context.reading() as session:
            last = when_at_work(session, role)
        return last is not None and now() - last <= GONE_AFTER

    def is_relay_there() -> bool:
        with context.reading() as session:
            return read_moment(session, MomentName.RELAY_AWAY) is None

    others = sorted(EVERY_ROLE - roles - {Role.PAGES})
    elsewhere: dict[HealthPart, Check] = {
        HealthPart(f"role-{role}"): partial(is_done, role) for role in others
    }
    if Role.LETTERS in others:
        elsewhere[HealthPart.RELAY] = is_relay_there
    context.health.add({**elsewhere, HealthPart.DATABASE: write})


def add_loop_checks(context: Context, loops: Loops) -> None:
    grouped: dict[HealthPart, list[Loop]] = {}
    for one in loops.each:
        grouped.setdefault(HealthPart.of_loop(one.name), []).append(one)
        if one.on_commit:  # the others run rarely
            label = one.name.replace(" ", "-")
            context.events.metrics.loop_ages.labels(label).set_function(partial(_age, one))
    checks: dict[HealthPart, Check] = {part: partial(_are_well, group) for part, group in grouped.items()}
    others: dict[HealthPart, Check] = {}
    if HealthPart.LOOP_DELIVERY in checks:
        others[HealthPart.RELAY] = lambda: loops.recipient_locks.relay.seconds_away == 0
        context.events.metrics.relay_away.set_function(lambda: loops.recipient_locks.relay.seconds_away)
    if HealthPart.LOOP_CLOCK in checks:
        others[HealthPart.CHORES] = lambda: not loops.failures.chores
    context.health.add({**others, **checks})


def add_thinking_check(context: Context, processes: Sequence[ThinkingProcess]) -> None:
    context.health.add({HealthPart.THINKING: lambda: all(one.is_well for one in processes)})


def render_metrics(context: Context, now: datetime) -> bytes:
    metrics = context.events.metrics
    failing = context.health.find_failing()
    for part in context.health.parts:
        metrics.parts_failing.labels(part).set(part in failing)
    try:
        disk = _disk_of(context)
        metrics.disk_free.set(nan if disk is None else disk.free)
        with context.reading() as session:
            found = measure_backlog(session, now)
            away = read_moment(session, MomentName.RELAY_AWAY)
            at_work = {role: when_at_work(session, role) for role in Role}
            processes = count_at_work(session, now)
    except (SQLAlchemyError, OSError, ValueError):
        LOG.exception("the backlog cannot be measured")
    else:
        if HealthPart.LOOP_DELIVERY not in context.health.parts:  # another process sends letters
            metrics.relay_away.set(0 if away is None else max(0, (now - away).total_seconds()))
        metrics.letters_waiting.set(found.letters)
        metrics.oldest_letter.set(found.oldest_letter.total_seconds())
        metrics.mails_waiting.set(found.mails)
        metrics.oldest_mail.set(found.oldest_mail.total_seconds())
        metrics.rows_set_aside.labels(WorkTable.OUTGOING).set(found.letters_set_aside)
        metrics.rows_set_aside.labels(WorkTable.INCOMING).set(found.mails_set_aside)
        metrics.games_running.set(found.running_games)
        for role, last in at_work.items():
            metrics.role_processes.labels(role).set(processes[role])
            if last is not None:
                metrics.role_ages.labels(role).set(max(0, (now - last).total_seconds()))
    return generate_latest(metrics.registry)


def _write_moment(context: Context, now: datetime) -> bool:
    with context.writing() as session:
        write_moment(session, MomentName.PROBED, now)
        session.commit()
    return True


def _is_schema_known(context: Context) -> bool:
    with context.database.connect() as connection:
        return is_usable(connection)


def _is_mail_fetched(context: Context, started: datetime, now: datetime) -> bool:
    with context.reading() as session:
        away = read_moment(session, MomentName.MAILBOX_AWAY)
        if away is not None and not is_mailbox_read(context, session, away):
            return False
        recently = now - LONGEST_UNREAD
        return started >= recently or is_mailbox_read(context, session, recently)


def _does_disk_fail(context: Context) -> bool:
    # no trial write: a small one may succeed on a full disk
    return monotonic() - context.disk_failed_at < DISK_FAILS_FOR


def _has_room(context: Context) -> bool:
    disk = _disk_of(context)
    if _does_disk_fail(context):
        return False
    return disk is None or disk.free >= min(LEAST_FREE, disk.total * LEAST_FREE_PART)


def _disk_of(context: Context) -> shutil._ntuple_diskusage | None:
    folder = context.system.folder_of(context.settings.database)
    return None if folder is None else shutil.disk_usage(folder)


def _do_letters_arrive(context: Context, now: datetime) -> bool:
    with context.reading() as session:
        return measure_oldest_letter(session, now) <= LONGEST_WAIT and not has_own_fault(session, now)


def _measure_mail(context: Context, now: datetime) -> timedelta:
    with context.reading() as session:
        return measure_oldest_mail(session, now)


def _are_well(loops: list[Loop]) -> bool:
    return not any(one.is_stuck for one in loops)


def _age(loop: Loop) -> float:
    return loop.seconds_since_round
