"""What is counted, for Prometheus: totals and durations of what the server does.

Each `Metrics` has a registry of its own, so that two servers in one process count apart. A label is a kind, a
state or a number of our own; never a game, a player or anything that somebody wrote.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

PREFIX = "alexandros"
"""How the name of each begins."""
WORK_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 20.0, 60.0)
"""Bounds for how long a piece of work takes."""
WAIT_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 3600.0, 21600.0, 86400.0)
"""Bounds for how long somebody waits."""


class Metrics:
    """The totals and durations of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.acts = self._counter("acts", "Acts that were written.", "by")
        self.act_seconds = self._histogram("act_seconds", "From an order to its commit.", WORK_SECONDS)
        self.mails_taken = self._counter("mails_taken", "Mails that were stored.")
        self.mails = self._counter("mails", "Mails that were read.", "state")
        self.mail_seconds = self._histogram("mail_seconds", "Reading a mail.", WORK_SECONDS)
        self.mail_wait_seconds = self._histogram(
            "mail_wait_seconds", "From taking a mail in until it was read.", WAIT_SECONDS
        )
        self.letters = self._counter("letters", "Letters that were worked at.", "kind", "state")
        self.letter_seconds = self._histogram("letter_seconds", "Writing and sending.", WORK_SECONDS)
        self.letter_wait_seconds = self._histogram(
            "letter_wait_seconds", "From when a letter was queued until it had left.", WAIT_SECONDS
        )
        self.thought_seconds = self._histogram(
            "thought_seconds",
            "A player of the house thinking about what to do next.",
            WORK_SECONDS,
            "strength",
        )
        self.thinkers_lost = self._counter("thinkers_lost", "Thinking processes that were lost.", "why")
        self.operator_mails = self._counter("operator_mails", "Mails to the operator.", "state")
        self.refusals = self._counter("refusals", "What was asked for and refused.", "code", "by")
        self.understood = self._counter(
            "understood", "Mails that could not be read whole, and what came of them.", "kind", "outcome"
        )
        self.relay_losses = self._counter("relay_losses", "How often the relay went away.")
        self.relay_lost_seconds = self._counter(
            "relay_lost_seconds", "For how long the relay was away, counted when it was back."
        )
        self.clock_jumps = self._counter("clock_jumps", "How often the wall clock jumped.", "to")
        self.downtime_seconds = self._counter(
            "downtime_seconds", "For how long the server stood still before it started."
        )
        self.rows_failed = self._counter("rows_failed", "Rows at which work failed.", "table", "fate")
        self.health_changes = self._counter("health_changes", "Parts that began to fail.", "part")
        self.parts_failing = self._gauge("part_failing", "1 while a part fails.", "part")
        self.loop_ages = self._gauge("loop_age_seconds", "Since a loop finished a round.", "loop")
        self.relay_away = self._gauge("relay_away_seconds", "Since the relay went away; 0: it answers.")
        self.letters_waiting = self._gauge("letters_waiting", "Letters that have not left, due or not.")
        self.oldest_letter = self._gauge("letter_oldest_seconds", "The longest wait of one that is due.")
        self.mails_waiting = self._gauge("mails_waiting", "Mails that are not read.")
        self.oldest_mail = self._gauge("mail_oldest_seconds", "The longest wait of one.")
        self.rows_set_aside = self._gauge(
            "rows_set_aside", "Rows of the last week at which nobody works any more.", "table"
        )
        self.role_ages = self._gauge(
            "role_age_seconds", "Since a process that has a role was last well at work.", "role"
        )
        self.role_processes = self._gauge(
            "role_processes", "Processes that were well at the work of a role within the minute.", "role"
        )
        self.games_running = self._gauge("games_running", "Games that are being played.")
        self.disk_free = self._gauge("disk_free_bytes", "Free where the database lies.")
        self.info = self._gauge("info", "The versions of program and schema.", "version", "schema")

    def render(self) -> bytes:
        """All of it, in the text format of Prometheus."""
        return generate_latest(self.registry)

    def _counter(self, name: str, words: str, *labels: str) -> Counter:
        return Counter(f"{PREFIX}_{name}_total", words, labels, registry=self.registry)

    def _gauge(self, name: str, words: str, *labels: str) -> Gauge:
        return Gauge(f"{PREFIX}_{name}", words, labels, registry=self.registry)

    def _histogram(self, name: str, words: str, bounds: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"{PREFIX}_{name}", words, labels, buckets=bounds, registry=self.registry)
