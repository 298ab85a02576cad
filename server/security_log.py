"""What matters for security, one line each: who signed in, what was refused, which limit was reached.

A line holds what happened, when, who caused it, and facts with their names: numbers and kinds, never words
that somebody wrote. Addresses are shortened, networks are /24 and /48, and there is no place for a link, a
code or a key. What one origin does over and over is one line a minute, with how often it happened before.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Lock

from server.configuration.network import network_of
from server.logs import LogValue, log_facts
from server.mail_addresses import mask_address

LOG = logging.getLogger("alexandros.security")
LOG.setLevel(logging.INFO)  # whatever else is too small to be told
TOLD_EVERY = timedelta(minutes=1)
MOST_REMEMBERED = 10_000
"""Events and origins that are remembered at one time; of more, those that were silent for longest are not."""
UNPRINTED = re.compile(r"[^\w.:/@…+-]+")
LONGEST_VALUE = 80


class SecurityEvent(StrEnum):
    """What has happened."""

    SIGNED_IN = "signed-in"
    SIGNED_OUT_ELSEWHERE = "signed-out-elsewhere"
    KEY_MADE = "key-made"
    KEY_FIRST_USED = "key-first-used"
    KEY_ENDED = "key-ended"
    ADDRESS_ASKED = "address-asked"
    """Another address was named; nothing has changed."""
    ADDRESS_CHANGED = "address-changed"
    LINKS_RENEWED = "links-renewed"
    SEAL_REFUSED = "seal-refused"
    """A link, an address of ours or a key that we have not made, or that was damaged."""
    LIMIT_REACHED = "limit-reached"
    BAN_MET = "ban-met"
    MAIL_NOT_PROVEN = "mail-not-proven"
    """A mail with a good address of ours, from another address than its player's or from none, or of which it
    is not shown that it is from theirs."""
    DATA_ASKED = "data-asked"
    PERSON_FORGOTTEN = "person-forgotten"
    DESK_USED = "desk-used"
    """The operator's pages were opened, or something was done there."""


class AttemptChannel(StrEnum):
    """By which way it was tried."""

    PAGE = "page"
    MAIL = "mail"
    API = "api"


@dataclass(slots=True)
class _Told:
    """When an event of an origin was told last, and how often it has happened since."""

    at: datetime
    more: int = 0


@dataclass(slots=True)
class SecurityLog:
    """Writes what matters for security; it forgets what it has told when the server starts anew."""

    _told: OrderedDict[str, _Told] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def note(
        self, event: SecurityEvent, origin: str, now: datetime, address: str = "", **facts: StrEnum | int
    ) -> None:
        """Write a line, unless the same was told of this origin within the minute.

        `origin`: an address or a network, a player as budgets.py names them, or the operator; empty where
        nobody knows. `address` is shortened.
        """
        origin = _printable(network_of(origin).replace(" ", "-")) or "unknown"
        key = f"{event} {origin} {facts}"
        with self._lock:
            told = self._told.get(key)
            if told is not None and timedelta(0) <= now - told.at < TOLD_EVERY:
                told.more += 1
                return
            self._told[key] = _Told(now)
            self._told.move_to_end(key)
            while len(self._told) > MOST_REMEMBERED:
                self._told.popitem(last=False)
        at = f"{now:%Y-%m-%dT%H:%M:%SZ}"
        values: dict[str, LogValue | str] = {"event": event, "at": at, "origin": origin, **facts}
        if address:
            values["address"] = mask_address(address)
        if told is not None and told.more:
            values["before"] = told.more
        printed = {name: _printable(one) if isinstance(one, str) else one for name, one in values.items()}
        log_facts(LOG, logging.INFO, printed)


def _printable(value: str) -> str:
    """A value that ends no line and begins no other fact."""
    return UNPRINTED.sub("_", value)[:LONGEST_VALUE]
