"""The peers of a listener: how many sessions each may have, and which one has to go when all are taken."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address
from typing import Protocol, TypeVar

from server.networks import network_of, parse_address

MOST_SESSIONS = 200
"""At one time."""
MOST_SESSIONS_OF_A_PEER = 5
"""At one time, of a peer that is not known to hand on the mail of others."""
MOST_BYTES_HELD = 256 * 1024 * 1024
"""Of mails that are on their way in, all sessions together: they are in memory."""


class PeerSession(Protocol):
    """What is asked of a session."""

    peer: str
    heard: float
    """When something was last heard of the peer, by a clock that only goes on."""
    held: int
    """Bytes that have come since our last answer."""
    is_storing: bool
    """Whether its peer waits for us."""


AnySession = TypeVar("AnySession", bound=PeerSession)


def name_peer(address: str) -> str:
    """Who counts as one peer: an IPv4 address, for a mail server seldom has more, or a network of IPv6."""
    found = parse_address(address)
    return str(found) if isinstance(found, IPv4Address) else network_of(address)


def count_sessions(sessions: Sequence[PeerSession], peer: str) -> int:
    """How many sessions a peer has."""
    return sum(one.peer == peer for one in sessions)


def find_longest_idle(sessions: Sequence[AnySession]) -> AnySession | None:
    """The session of which nothing was heard for longest, of those whose peer does not wait for us."""
    return min((one for one in sessions if not one.is_storing), key=lambda one: one.heard, default=None)


def find_greatest(sessions: Sequence[AnySession]) -> AnySession | None:
    """The session that holds most bytes, of those whose peer does not wait for us."""
    return max((one for one in sessions if not one.is_storing), key=lambda one: one.held, default=None)
