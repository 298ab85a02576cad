"""Monitoring: events and security events as log lines, Prometheus metrics, health checks, failed chores."""

from __future__ import annotations

import logging
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from itertools import product
from math import inf
from threading import Event, Lock, Thread
from time import monotonic

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.process_collector import ProcessCollector

from server.logs import LogValue, log_facts
from server.mail_addresses import mask_address
from server.network import network_of

PREFIX = "alexandros"
WORK_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 20.0, 60.0)
WAIT_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 3600.0, 21600.0, 86400.0)


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        counter = partial(Counter, namespace=PREFIX, registry=self.registry)
        gauge = partial(Gauge, namespace=PREFIX, registry=self.registry)
        histogram = partial(Histogram, namespace=PREFIX, registry=self.registry)
        self.acts = counter("acts", "Acts that were written.", ["by"])
        self.act_seconds = histogram("act_seconds", "Time from an order to its commit.", buckets=WORK_SECONDS)
        self.mails_taken = counter("mails_taken", "Mails that were stored.")
        self.mails = counter("mails", "Mails that were processed.", ["state"])
        self.mail_seconds = histogram("mail_seconds", "Time to process a mail.", buckets=WORK_SECONDS)
        self.mail_wait_seconds = histogram(
            "mail_wait_seconds", "Time from storing a mail to processing it.", buckets=WAIT_SECONDS
        )
        self.letters = counter("letters", "Letters that were processed.", ["kind", "state"])
        self.letter_seconds = histogram(
            "letter_seconds", "Time to render and send a letter.", buckets=WORK_SECONDS
        )
        self.letter_wait_seconds = histogram(
            "letter_wait_seconds", "Time from queueing a letter to sending it.", buckets=WAIT_SECONDS
        )
        self.thought_seconds = histogram(
            "thought_seconds", "Thinking time of a computer player.", ["strength"], buckets=WORK_SECONDS
        )
        self.thinkers_lost = counter("thinkers_lost", "Thinking processes that were lost.", ["why"])
        self.operator_mails = counter("operator_mails", "Mails to the operator.", ["state"])
        self.refusals = counter("refusals", "Refused requests.", ["code", "by"])
        self.understood = counter(
            "understood", "Mails that were not fully understood, by their outcome.", ["kind", "outcome"]
        )
        self.relay_losses = counter("relay_losses", "Relay outages.")
        self.relay_lost_seconds = counter("relay_lost_seconds", "Duration of ended relay outages.")
        self.clock_jumps = counter("clock_jumps", "Jumps of the wall clock.", ["to"])
        self.downtime_seconds = counter("downtime_seconds", "Downtime of the server.")
        self.rows_failed = counter("rows_failed", "Failures of work at rows.", ["table", "fate"])
        self.health_changes = counter("health_changes", "Failures of parts.", ["part"])
        self.parts_failing = gauge("part_failing", "1 while a part fails.", ["part"])
        self.loop_ages = gauge("loop_age_seconds", "Time since a loop finished a round.", ["loop"])
        self.relay_away = gauge("relay_away_seconds", "Duration of the present relay outage, or 0.")
        self.letters_waiting = gauge("letters_waiting", "Letters that wait to be sent, due or not.")
        self.oldest_letter = gauge("letter_oldest_seconds", "Longest wait of a due letter.")
        self.mails_waiting = gauge("mails_waiting", "Mails that wait to be processed.")
        self.oldest_mail = gauge("mail_oldest_seconds", "Longest wait of a mail.")
        self.rows_set_aside = gauge("rows_set_aside", "Rows of the last week that were given up.", ["table"])
        self.role_ages = gauge(
            "role_age_seconds", "Time since a process last worked well at a role.", ["role"]
        )
        self.role_processes = gauge(
            "role_processes", "Processes that worked well at a role within the minute.", ["role"]
        )
        self.games_running = gauge("games_running", "Games that are being played.")
        self.disk_free = gauge("disk_free_bytes", "Free bytes on the disk of the database.")
        self.info = gauge("info", "Versions of program and schema.", ["version", "schema"])


LOG = logging.getLogger("alexandros.events")
CHORE_LOG = logging.getLogger(__name__)
KIND_FORM = re.compile("[a-z_]{1,20}")
GAME_FORM = re.compile(r"[a-z0-9]{8}", re.ASCII)
NO_GAME = ""
NO_ID = "?"
NO_SEAT = -1
REPLY_CODE = re.compile(r": ([245]\d\d)\b(?:[ -]([245]\.\d{1,3}\.\d{1,3})\b)?", re.ASCII)
NO_REPLY = "no reply"


class RelayState(StrEnum):
    AWAY = "away"
    BACK = "back"


class Direction(StrEnum):
    AHEAD = "ahead"
    BACK = "back"


class WorkTable(StrEnum):
    FAILING = "failing"
    GAME = "game"
    INCOMING = "incoming"
    OPERATOR = "operator"
    OUTGOING = "outgoing"
    REVIEW = "review"
    SEATING = "seating"


class RowFate(StrEnum):
    PUT_OFF = "put-off"
    SET_ASIDE = "set-aside"


class PartState(StrEnum):
    FAILING = "failing"
    WELL = "well"


@dataclass(slots=True)
class EventLog:
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        for table, fate in product(WorkTable, RowFate):  # so that each counter starts at 0
            self.metrics.rows_failed.labels(table, fate)

    def note_act(self, game: str, number: int, seat: int | None, by: StrEnum, seconds: float) -> None:
        self.metrics.acts.labels(by).inc()
        self.metrics.act_seconds.observe(seconds)
        whose, took = NO_SEAT if seat is None else seat, round(1000 * seconds)
        _write_line("act", game=game, act=number, seat=whose, by=by, ms=took)

    def note_mail(self, mail: int, state: StrEnum, seconds: float, waited: timedelta) -> None:
        """Record a processed mail; `seconds`: duration of processing; `waited`: time since it was stored."""
        wait = max(0.0, waited.total_seconds())
        self.metrics.mails.labels(state).inc()
        self.metrics.mail_seconds.observe(seconds)
        self.metrics.mail_wait_seconds.observe(wait)
        took, wait_ms = round(1000 * seconds), round(1000 * wait)
        _write_line("mail", mail=mail, state=state, ms=took, waited_ms=wait_ms)

    def note_letter(
        self, letter: int, game: str, kind: str, state: StrEnum, seconds: float, waited: timedelta
    ) -> None:
        wait = max(0.0, waited.total_seconds())
        kind = kind if KIND_FORM.fullmatch(kind) else NO_ID
        self.metrics.letters.labels(kind, state).inc()
        self.metrics.letter_seconds.observe(seconds)
        if state == "sent":
            self.metrics.letter_wait_seconds.observe(wait)
        took, wait_ms = round(1000 * seconds), round(1000 * wait)
        _write_line("letter", game=game, letter=letter, kind=kind, state=state, ms=took, waited_ms=wait_ms)

    def note_operator_mail(self, mail: int, state: StrEnum, seconds: float) -> None:
        self.metrics.operator_mails.labels(state).inc()
        _write_line("operator-mail", mail=mail, state=state, ms=round(1000 * seconds))

    def note_thought(self, strength: StrEnum, seconds: float) -> None:
        self.metrics.thought_seconds.labels(strength).observe(seconds)

    def note_lost_thinker(self, why: StrEnum) -> None:
        self.metrics.thinkers_lost.labels(why).inc()
        _write_line("thinker-lost", logging.WARNING, why=why)

    def note_refusal(self, code: StrEnum, by: StrEnum, game: str = NO_GAME) -> None:
        self.metrics.refusals.labels(code, by).inc()
        _write_line("refusal", game=game, code=code, by=by)

    def count_unclear_mail(self, kind: str, *, asked: bool) -> None:
        """Count a mail that was not fully understood. `kind`: a guess; `asked`: turns were proposed."""
        self.metrics.understood.labels(kind, "asked" if asked else "told").inc()

    def count_choice(self, kind: str) -> None:
        self.metrics.understood.labels(kind, "chosen").inc()

    def note_relay_away(self, reason: str) -> None:
        """Record that the relay is unavailable; of `reason` only the reply codes are logged."""
        self.metrics.relay_losses.inc()
        _write_line("relay", logging.ERROR, reply_code(reason), traced=False, state=RelayState.AWAY)

    def note_relay_back(self, seconds: float) -> None:
        self.metrics.relay_lost_seconds.inc(max(0.0, seconds))
        _write_line("relay", logging.WARNING, state=RelayState.BACK, ms=round(1000 * seconds))

    def note_clock_jump(self, by: timedelta) -> None:
        """Record a jump of the wall clock; `by` is negative if the clock went back."""
        to = Direction.AHEAD if by > timedelta() else Direction.BACK
        self.metrics.clock_jumps.labels(to).inc()
        jumped = round(1000 * abs(by.total_seconds()))
        _write_line("clock-jump", logging.WARNING, to=to, ms=jumped)

    def note_downtime(self, stood: timedelta) -> None:
        seconds = max(0.0, stood.total_seconds())
        self.metrics.downtime_seconds.inc(seconds)
        _write_line("downtime", logging.WARNING, ms=round(1000 * seconds))

    def note_failed_row(self, table: WorkTable, row: int, fate: RowFate, game: str = NO_GAME) -> None:
        self.metrics.rows_failed.labels(table, fate).inc()
        _write_line("row-failed", logging.ERROR, game=game, table=table, row=row, fate=fate)

    def note_failed_game(self, game: str, fate: RowFate, table: WorkTable = WorkTable.GAME) -> None:
        self.metrics.rows_failed.labels(table, fate).inc()
        _write_line("row-failed", logging.ERROR, game=game, table=table, fate=fate)

    def note_health(
        self, part: StrEnum, state: PartState, seconds: float, error: Exception | None = None
    ) -> None:
        """Record that a part fails, with its exception if any, or works after failing for `seconds`."""
        failing = state == PartState.FAILING
        if failing:
            self.metrics.health_changes.labels(part).inc()
        level, took = logging.ERROR if failing else logging.WARNING, round(1000 * seconds)
        _write_line("health", level, part=part, state=state, ms=took, error=error)


def _write_line(
    event: str,
    level: int = logging.INFO,
    reason: str = "",
    game: str = NO_GAME,
    kind: str = "",
    error: BaseException | None = None,
    traced: bool = True,
    **facts: LogValue,
) -> None:
    """Write a log line; if `traced`, error lines have the traceback of `error` or the handled exception."""
    if not LOG.isEnabledFor(level):
        return
    named: dict[str, LogValue | str] = {"event": event}
    if game:
        named["game"] = game if GAME_FORM.fullmatch(game) else NO_ID
    named |= facts
    if kind:
        named["kind"] = kind  # of a letter
    if reason:
        named["reason"] = reason
    failed = (error or sys.exc_info()[1]) if traced and level >= logging.ERROR else None
    log_facts(LOG, level, named, failed)


def reply_code(sentence: str) -> str:
    found = REPLY_CODE.search(sentence)
    return " ".join(code for code in found.groups() if code) if found else NO_REPLY


# --- health -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ChoreFailures:
    """Chores whose last run failed, with the type of each error."""

    _kinds: dict[str, str] = field(default_factory=dict)

    @property
    def chores(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def note_failure(self, chore: str, error: Exception) -> None:
        """Record a failure; log its traceback, unless the last failure of the chore had this type too."""
        kind = type(error).__name__
        if self._kinds.get(chore) != kind:
            self._kinds[chore] = kind
            CHORE_LOG.error("the chore %s failed", chore, exc_info=error)

    def note_done(self, chore: str) -> None:
        self._kinds.pop(chore, None)


CACHED_FOR = 2.0
CHECKED_EVERY = 5.0
WELL_LOGGED_AFTER = 60.0
"""Seconds for which a part must work before its recovery is logged, so that flapping fills no log."""
CHECKS_TAKE = 10.0
LEAST_FREE = 100 * 2**20


class HealthPart(StrEnum):
    """A part of the server that can fail; the value is its public name."""

    DATABASE = "database"
    """Failing if writes fail or are slow."""
    SCHEMA = "schema"
    DISK = "disk"
    """Failing if the disk is nearly full, or a write failed within the last minute."""
    RELAY = "relay"
    MAILBOX = "mailbox"
    """Failing if the mailbox cannot be read, or was not read for minutes."""
    LETTERS = "letters"
    MAILS = "mails"
    CHORES = "chores"
    THINKING = "thinking"
    # role-*: failing if no process has the role
    ROLE_MAIL = "role-mail"
    ROLE_LETTERS = "role-letters"
    ROLE_CLOCK = "role-clock"
    ROLE_HOUSE = "role-house"
    LOOP = "loop"
    LOOP_CLOCK = "loop-clock"
    LOOP_DELIVERY = "loop-delivery"
    LOOP_HOUSE = "loop-house"
    LOOP_MAIL = "loop-mail"
    LOOP_OPERATOR = "loop-operator"
    LOOP_PLANS = "loop-plans"
    LOOP_REVIEWS = "loop-reviews"

    @classmethod
    def of_loop(cls, name: str) -> HealthPart:
        try:
            return cls(f"loop-{name.split(' ')[0]}")
        except ValueError:
            return cls.LOOP


Check = Callable[[], bool]


@dataclass(slots=True)
class Health:
    events: EventLog
    is_watched: bool = False
    _checks: dict[HealthPart, Check] = field(default_factory=dict)
    _failing: set[HealthPart] = field(default_factory=set)
    _logged_at: dict[HealthPart, float] = field(default_factory=dict)
    _well_since: dict[HealthPart, float] = field(default_factory=dict)
    _checked_at: float | None = None
    _lock: Lock = field(default_factory=Lock)

    def add(self, checks: Mapping[HealthPart, Check]) -> None:
        with self._lock:
            self._checks = {**self._checks, **checks}
            self._checked_at = None

    @property
    def parts(self) -> tuple[HealthPart, ...]:
        return tuple(self._checks)

    @property
    def last_failing(self) -> frozenset[HealthPart]:
        """Parts that failed at their last check; used by checks that depend on others."""
        return frozenset(self._failing)

    def find_failing(self) -> tuple[HealthPart, ...]:
        age = inf if self._checked_at is None else monotonic() - self._checked_at
        if not self.is_watched and age > CACHED_FOR:
            self.check_all()
        elif age > CHECKED_EVERY + CHECKS_TAKE:  # the checking thread hangs at the database or the disk
            return tuple(sorted({*self._failing, HealthPart.DATABASE}))
        return tuple(sorted(set(self._failing)))

    def check_all(self) -> None:
        """Run all checks; if another thread runs them already, wait for it first."""
        with self._lock:
            for part, check in self._checks.items():
                try:
                    self._note_part(part, check(), None)
                except Exception as error:
                    self._note_part(part, False, error)
            self._checked_at = monotonic()

    def _note_part(self, part: HealthPart, well: bool, error: Exception | None) -> None:
        now = monotonic()
        if not well:
            self._failing.add(part)
            self._well_since.pop(part, None)
            if part not in self._logged_at:
                self._logged_at[part] = now
                self.events.note_health(part, PartState.FAILING, 0, error)
            return
        self._failing.discard(part)
        if part in self._logged_at and now - self._well_since.setdefault(part, now) >= WELL_LOGGED_AFTER:
            failed = self._well_since.pop(part) - self._logged_at.pop(part)
            self.events.note_health(part, PartState.WELL, failed)


class HealthWatch(Thread):
    """Runs all health checks in a thread at intervals, so that failures are logged without requests."""

    def __init__(self, health: Health, pause: float = CHECKED_EVERY) -> None:
        super().__init__(name="health", daemon=True)
        self._health, self._pause = health, pause
        self._stopping = Event()

    def start(self) -> None:
        """Run all checks once, then start the thread."""
        self._health.check_all()
        self._health.is_watched = True
        super().start()

    def ask_to_stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        while not self._stopping.wait(self._pause):
            self._health.check_all()


# --- security events ------------------------------------------------------------------------------------

# Sign-ins, refused tokens and limits, one log line each: the event, its time and origin, and facts that are
# numbers or enum values, never text from users. Addresses are masked, networks are /24 and /48, and no link,
# code or key is logged. A repeated event of one origin gives one line a minute, which counts the repetitions.

SECURITY_LOG = logging.getLogger("alexandros.security")
SECURITY_LOG.setLevel(logging.INFO)  # also if the root logger logs warnings only
LOGGED_EVERY = timedelta(minutes=1)
MOST_REMEMBERED = 10_000
UNPRINTED = re.compile(r"[^\w.:/@…+-]+")
LONGEST_VALUE = 80


class SecurityEvent(StrEnum):
    SIGNED_IN = "signed-in"
    SIGNED_OUT_ELSEWHERE = "signed-out-elsewhere"
    KEY_MADE = "key-made"
    KEY_FIRST_USED = "key-first-used"
    KEY_ENDED = "key-ended"
    ADDRESS_ASKED = "address-asked"
    """A new address was entered, and is not confirmed yet."""
    ADDRESS_CHANGED = "address-changed"
    LINKS_RENEWED = "links-renewed"
    SEAL_REFUSED = "seal-refused"
    """A link, reply address or key was forged or damaged."""
    LIMIT_REACHED = "limit-reached"
    BAN_MET = "ban-met"
    MAIL_NOT_PROVEN = "mail-not-proven"
    """A mail to a valid reply address did not come from its player's address, or this was not proven."""
    DATA_ASKED = "data-asked"
    PERSON_FORGOTTEN = "person-forgotten"
    DESK_USED = "desk-used"


class AttemptChannel(StrEnum):
    PAGE = "page"
    MAIL = "mail"
    API = "api"


@dataclass(slots=True)
class _Logged:
    """Time of the last log line for an event and origin, and the number of repetitions since."""

    at: datetime
    more: int = 0


@dataclass(slots=True)
class SecurityLog:
    """Logs security events; repetitions are counted in memory only."""

    _logged: OrderedDict[str, _Logged] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def note(
        self, event: SecurityEvent, origin: str, now: datetime, address: str = "", **facts: StrEnum | int
    ) -> None:
        """Log an event, unless it was logged for this origin within the last minute.

        `origin`: an address, a network, the operator, or a player's number in the form of `player_origin`;
        empty if unknown. `address` is masked.
        """
        origin = _printable(network_of(origin).replace(" ", "-")) or "unknown"
        key = f"{event} {origin} {facts}"
        with self._lock:
            last = self._logged.get(key)
            if last is not None and timedelta(0) <= now - last.at < LOGGED_EVERY:
                last.more += 1
                return
            self._logged[key] = _Logged(now)
            self._logged.move_to_end(key)
            while len(self._logged) > MOST_REMEMBERED:
                self._logged.popitem(last=False)
        at = f"{now:%Y-%m-%dT%H:%M:%SZ}"
        values: dict[str, LogValue | str] = {"event": event, "at": at, "origin": origin, **facts}
        if address:
            values["address"] = mask_address(address)
        if last is not None and last.more:
            values["before"] = last.more
        printed = {name: _printable(one) if isinstance(one, str) else one for name, one in values.items()}
        log_facts(SECURITY_LOG, logging.INFO, printed)


def _printable(value: str) -> str:
    return UNPRINTED.sub("_", value)[:LONGEST_VALUE]
