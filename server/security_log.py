"""Security events, one log line each: sign-ins, refused tokens, limits.

A line holds the event, its time and origin, and named facts that are numbers or enum values, never text from
users. Addresses are masked, networks are /24 and /48, and no link, code or key is logged. A repeated event of
one origin gives at most one line a minute, which counts the repetitions.
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
LOG.setLevel(logging.INFO)  # also if the root logger logs warnings only
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
        log_facts(LOG, logging.INFO, printed)


def _printable(value: str) -> str:
    return UNPRINTED.sub("_", value)[:LONGEST_VALUE]
