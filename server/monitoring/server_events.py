"""What happens, one line each: acts, mails, letters, refusals, and what the server notices about itself.

A line holds kinds, states, numbers of rows, ids of games and durations in milliseconds. Facts are members of
enums, numbers and checked ids, so there is no place for a ticket, an address, a name or a word; of what the
relay says there are the codes. `alexandros serve` writes a line as a JSON object;
elsewhere only what is wrong is told. The same is counted (metrics.py).
"""

from __future__ import annotations

import logging
import re
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from itertools import product

from server.logs import LogValue, log_facts
from server.monitoring.metrics import Metrics

LOG = logging.getLogger("alexandros.events")
GAME_FORM = re.compile(r"[a-z0-9]{8}", re.ASCII)
"""The id of a game."""
NO_GAME = ""
NO_ID = "?"
"""What is written for what is no id."""
NO_SEAT = -1
REPLY_CODE = re.compile(r": ([245]\d\d)\b(?:[ -]([245]\.\d{1,3}\.\d{1,3})\b)?", re.ASCII)
"""Of a reply as transports.py words it: its code, and the enhanced one (RFC 3463)."""
NO_REPLY = "no reply"


class EventKind(StrEnum):
    """What has happened."""

    ACT = "act"
    MAIL = "mail"
    LETTER = "letter"
    OPERATOR_MAIL = "operator-mail"
    REFUSAL = "refusal"
    RELAY = "relay"
    CLOCK_JUMP = "clock-jump"
    DOWNTIME = "downtime"
    ROW_FAILED = "row-failed"
    THINKER_LOST = "thinker-lost"
    HEALTH = "health"


class RelayState(StrEnum):
    """Whether the relay can be spoken with."""

    AWAY = "away"
    BACK = "back"


class Direction(StrEnum):
    """Where a clock has jumped to."""

    AHEAD = "ahead"
    BACK = "back"


class WorkTable(StrEnum):
    """A table whose rows are worked through."""

    FAILING = "failing"
    """By the number of the player."""
    GAME = "game"
    INCOMING = "incoming"
    OPERATOR = "operator"
    OUTGOING = "outgoing"
    REVIEW = "review"
    """By the game."""
    SEATING = "seating"


class RowFate(StrEnum):
    """What becomes of a row at which work has failed."""

    PUT_OFF = "put-off"
    SET_ASIDE = "set-aside"
    """Nobody works at it any more."""


class PartState(StrEnum):
    """How a part of the server is."""

    FAILING = "failing"
    WELL = "well"


@dataclass(slots=True)
class EventLog:
    """Writes and counts what happens in one server."""

    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        for table, fate in product(WorkTable, RowFate):  # from 0 on, or the first would not be one more
            self.metrics.rows_failed.labels(table, fate)

    def note_act(self, game: str, number: int, seat: int | None, by: StrEnum, seconds: float) -> None:
        """An act was committed; `seat`: whose, None: the server's; `by`: its channel."""
        self.metrics.acts.labels(by).inc()
        self.metrics.act_seconds.observe(seconds)
        whose, took = NO_SEAT if seat is None else seat, _milliseconds(seconds)
        _write_line(EventKind.ACT, game=game, act=number, seat=whose, by=by, ms=took)

    def note_mail_taken(self) -> None:
        """A mail was stored; its line is written once it is read."""
        self.metrics.mails_taken.inc()

    def note_mail(self, mail: int, state: StrEnum, seconds: float, waited: timedelta) -> None:
        """A mail was read, which took so long, after it had waited so long."""
        wait = max(0.0, waited.total_seconds())
        self.metrics.mails.labels(state).inc()
        self.metrics.mail_seconds.observe(seconds)
        self.metrics.mail_wait_seconds.observe(wait)
        took, wait_ms = _milliseconds(seconds), _milliseconds(wait)
        _write_line(EventKind.MAIL, mail=mail, state=state, ms=took, waited_ms=wait_ms)

    def note_letter(
        self, letter: int, game: str, kind: StrEnum, state: StrEnum, seconds: float, waited: timedelta
    ) -> None:
        """A letter has left, failed, was dropped, or has to wait; `waited` since it was queued."""
        wait = max(0.0, waited.total_seconds())
        self.metrics.letters.labels(kind, state).inc()
        self.metrics.letter_seconds.observe(seconds)
        if state == "sent":
            self.metrics.letter_wait_seconds.observe(wait)
        took, wait_ms = _milliseconds(seconds), _milliseconds(wait)
        _write_line(
            EventKind.LETTER, game=game, letter=letter, kind=kind, state=state, ms=took, waited_ms=wait_ms
        )

    def note_operator_mail(self, mail: int, state: StrEnum, seconds: float) -> None:
        """A mail to the operator has left, failed or has to wait."""
        self.metrics.operator_mails.labels(state).inc()
        _write_line(EventKind.OPERATOR_MAIL, mail=mail, state=state, ms=_milliseconds(seconds))

    def note_thought(self, strength: StrEnum, seconds: float) -> None:
        """Somebody of the house has thought about what to do next; only counted."""
        self.metrics.thought_seconds.labels(strength).observe(seconds)

    def note_lost_thinker(self, why: StrEnum) -> None:
        """A thinking process has died, or was ended since it took too long."""
        self.metrics.thinkers_lost.labels(why).inc()
        _write_line(EventKind.THINKER_LOST, logging.WARNING, why=why)

    def note_refusal(self, code: StrEnum, by: StrEnum, game: str = NO_GAME) -> None:
        """Something was refused; `by`: the way it was asked for."""
        self.metrics.refusals.labels(code, by).inc()
        _write_line(EventKind.REFUSAL, game=game, code=code, by=by)

    def count_understood(self, kind: str, *, asked: bool) -> None:
        """A mail could not be read whole; `asked`: whether turns were proposed then. Only counted."""
        self.metrics.understood.labels(kind, "asked" if asked else "told").inc()

    def count_choice(self, kind: str) -> None:
        """The writer of such a mail has chosen one of the turns that it may mean; only counted."""
        self.metrics.understood.labels(kind, "chosen").inc()

    def note_relay_away(self, reason: str) -> None:
        """The relay cannot be spoken with. `reason`: a sentence, of which the codes are written."""
        self.metrics.relay_losses.inc()
        _write_line(EventKind.RELAY, logging.ERROR, reply_code(reason), traced=False, state=RelayState.AWAY)

    def note_relay_back(self, seconds: float) -> None:
        """The relay answers again, after so long."""
        self.metrics.relay_lost_seconds.inc(max(0.0, seconds))
        _write_line(EventKind.RELAY, logging.WARNING, state=RelayState.BACK, ms=_milliseconds(seconds))

    def note_clock_jump(self, by: timedelta) -> None:
        """The wall clock has jumped: ahead, or (negative) back."""
        to = Direction.AHEAD if by > timedelta() else Direction.BACK
        self.metrics.clock_jumps.labels(to).inc()
        jumped = _milliseconds(abs(by.total_seconds()))
        _write_line(EventKind.CLOCK_JUMP, logging.WARNING, to=to, ms=jumped)

    def note_downtime(self, stood: timedelta) -> None:
        """The server has stood still for so long before it started."""
        seconds = max(0.0, stood.total_seconds())
        self.metrics.downtime_seconds.inc(seconds)
        _write_line(EventKind.DOWNTIME, logging.WARNING, ms=_milliseconds(seconds))

    def note_failed_row(self, table: WorkTable, row: int, fate: RowFate, game: str = NO_GAME) -> None:
        """Work at a row has failed; within an `except` the line holds the trace. `row`: its number."""
        self.metrics.rows_failed.labels(table, fate).inc()
        _write_line(EventKind.ROW_FAILED, logging.ERROR, game=game, table=table, row=row, fate=fate)

    def note_failed_game(self, game: str, fate: RowFate, table: WorkTable = WorkTable.GAME) -> None:
        """A game cannot go on by itself, or be reviewed; within an `except` the line holds the trace."""
        self.metrics.rows_failed.labels(table, fate).inc()
        _write_line(EventKind.ROW_FAILED, logging.ERROR, game=game, table=table, fate=fate)

    def note_health(
        self, part: StrEnum, state: PartState, seconds: float, error: Exception | None = None
    ) -> None:
        """A part of the server begins to fail, by an `error` or not, or is well again after so long."""
        failing = state == PartState.FAILING
        if failing:
            self.metrics.health_changes.labels(part).inc()
        level, took = logging.ERROR if failing else logging.WARNING, _milliseconds(seconds)
        _write_line(EventKind.HEALTH, level, part=part, state=state, ms=took, error=error)


def _write_line(
    event: EventKind,
    level: int = logging.INFO,
    reason: str = "",
    game: str = NO_GAME,
    error: BaseException | None = None,
    traced: bool = True,
    **facts: LogValue,
) -> None:
    """Write a line; bad news with its `error`, or the one that is being handled, if `traced`."""
    if not LOG.isEnabledFor(level):
        return
    named: dict[str, LogValue | str] = {"event": event}
    if game:
        named["game"] = game if GAME_FORM.fullmatch(game) else NO_ID
    named |= facts
    if reason:
        named["reason"] = reason
    failed = (error or sys.exc_info()[1]) if traced and level >= logging.ERROR else None
    log_facts(LOG, level, named, failed)


def reply_code(sentence: str) -> str:
    """The codes of the reply that a sentence about the relay names, and none of its words."""
    found = REPLY_CODE.search(sentence)
    return " ".join(code for code in found.groups() if code) if found else NO_REPLY


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
