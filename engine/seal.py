"""The hash chain of a log, and "heads": short codes in letters to players, which verify a log after its game.

A digest does not cover names and texts, so that these personal data can be erased from the log. A head needs
a secret key, which the server adds to the log when the game is over. Without the key, a guess of hidden cards
cannot be tested against a head.

    digest of line 0  SHA-256 over "alexandros log 1", a line feed and the id of the game
    digest of line n  SHA-256 over the digest of line n-1 and the canonical text of line n
    head after n      n, a hyphen and the first 20 characters of HMAC-SHA256(key, digest of line n) in base32
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b32encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.event_log import parse
from engine.events import InvalidEvent

HEAD = re.compile(r"([1-9][0-9]{0,8})-([a-z2-7]{20})", re.ASCII)
HEAD_LETTERS = 20
"""Number of base32 characters in a head: 100 bits, enough to exclude collisions."""
KEY_BYTES = 16
COVERED_META = ("at", "door", "seat")
END_TYPES = ("game_ended", "game_closed")
PROOF = "proof"
"""Field of `meta` in the first line of a finished log; contains the game's id and its secret key."""


class NoProof(ValueError):
    """An unusable log, for which no head can be computed; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class ChainLink:
    lines: int
    digest: bytes

    def append(self, fact: Mapping[str, object]) -> ChainLink:
        return ChainLink(self.lines + 1, sha256(self.digest + canonical_text(fact)).digest())

    def extend(self, facts: Iterable[Mapping[str, object]]) -> ChainLink:
        link = self
        for fact in facts:
            link = link.append(fact)
        return link

    def head(self, key: str) -> str:
        """Return the head after this line: its number and a keyed code of its digest; `key` is hex."""
        code = hmac.digest(bytes.fromhex(key), self.digest, "sha256")
        return f"{self.lines}-{b32encode(code).decode().lower()[:HEAD_LETTERS]}"


def begin_chain(game: str) -> ChainLink:
    return ChainLink(0, sha256(f"alexandros log 1\n{game}".encode()).digest())


def canonical_text(fact: Mapping[str, object]) -> bytes:
    """Return the bytes of a line that its digest covers: time, channel, seat, and the event without names."""
    meta, seats = fact.get("meta"), fact.get("seats")
    covered = {name: meta[name] for name in COVERED_META if name in meta} if isinstance(meta, dict) else {}
    told = {name: value for name, value in fact.items() if name != "meta"}
    if isinstance(seats, list):
        told["seats"] = len(seats)
    return json.dumps([told, covered], sort_keys=True, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class ProvenLog:
    """The log of a finished game, its key, and the chain link of each line."""

    key: str
    links: tuple[ChainLink, ...]
    is_ended: bool
    """False if the log is cut off before the end of its game."""

    def find_fault(self, head: str) -> str | None:
        """Return the reason why a head does not match this log; None if it matches."""
        told = HEAD.fullmatch(head.strip().lower())
        if told is None:
            return "that is not a head: a number, a hyphen and 20 letters, copied from a letter of the game"
        number = int(told[1])
        if number > len(self.links):
            return f"the log has {len(self.links)} lines, but the head is of line {number}"
        if self.links[number - 1].head(self.key) != told[0]:
            return f"the first {number} lines differ from the log of which this is the head"
        return None


def read_proven_log(lines: Iterable[bytes]) -> ProvenLog:
    """Read a finished log and compute its chain; raises `NoProof`."""
    facts = [_read_line(number, line) for number, line in enumerate(lines, 1)]
    game, key = _find_proof(facts)
    links = [begin_chain(game)]
    for fact in facts:
        links.append(links[-1].append(fact))
    return ProvenLog(key, tuple(links[1:]), facts[-1].get("type") in END_TYPES)


def _read_line(number: int, line: bytes) -> Mapping[str, object]:
    try:
        fact = parse(line)
    except InvalidEvent as error:
        raise NoProof(f"event {number}: {error}") from None
    if not isinstance(fact, dict):
        raise NoProof(f"event {number}: each line must be one JSON object")
    return fact


def _find_proof(facts: Sequence[Mapping[str, object]]) -> tuple[str, str]:
    meta = facts[0].get("meta") if facts else None
    proof = meta.get(PROOF) if isinstance(meta, dict) else None
    if not isinstance(proof, dict):
        raise NoProof("the log has no key: the server adds it to the log of a finished game")
    game, key = proof.get("game"), proof.get("key")
    if not isinstance(game, str) or not isinstance(key, str) or not re.fullmatch(r"[0-9a-f]{32}", key):
        raise NoProof("the key of the log is damaged")
    return game, key
