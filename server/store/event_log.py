"""The append-only log of acts, from which every position is rebuilt.

An act is one accepted message: one row, written whole or not at all. Its primary key (game, seq) is the lock:
of two acts that were made for the same position one is written and the other is `Stale`. Each row's digest
covers the row before, so a changed or missing row is found when a game is read.

Facts of the game itself are spelled by engine/codec.py. The server adds facts of its own, which change no
position and are left out of an exported log:

    game_opened     name, board, edition, hours, seats (names, empty for whoever joins), and what
                    server/store/game_terms.py says
    seat_joined     seat, name (somebody has taken a seat that nobody had; house: the server plays it)
    seat_left       seat (its player will not play, or has not answered: nobody has it)
    seat_accepted   seat
    game_cancelled  (it will never begin)
    game_imported   (the facts that follow were played elsewhere)
    turn_timed_out  seat (the facts that follow were the caretaker's)
    clock_stopped   seat (mail to its player comes back: no time runs on its turns)
    clock_resumed   seat (time runs again)
    seat_resigned   seat (its player has given the game up: a caretaker plays on for it)
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from sqlalchemy import bindparam, insert, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from engine import codec
from engine.board import Board
from engine.events import Event, GameStarted, WrongEvent
from engine.evolve import evolve, start
from engine.position import Position
from server.store.models import Act

OPENED, ACCEPTED, IMPORTED, TIMED_OUT = "game_opened", "seat_accepted", "game_imported", "turn_timed_out"
CLOCK_STOPPED, CLOCK_RESUMED = "clock_stopped", "clock_resumed"
RESIGNED = "seat_resigned"
JOINED, LEFT, CALLED_OFF = "seat_joined", "seat_left", "game_cancelled"
OWN = frozenset(
    {OPENED, ACCEPTED, IMPORTED, TIMED_OUT, CLOCK_STOPPED, CLOCK_RESUMED, RESIGNED, JOINED, LEFT, CALLED_OFF}
)
"""The server's own facts."""
Fact = Mapping[str, object]
"""A fact as JSON: a fact of the game, or one of the server's own."""


class Stale(Exception):
    """Somebody else acted first: the position this act was made for is no longer the last."""

    def __init__(self) -> None:
        super().__init__("the game has moved on since then")


class Broken(Exception):
    """A stored game that cannot be read: a row was changed or is missing."""


@dataclass(frozen=True, slots=True)
class Halt:
    """When the clock of a seat was stopped last, and when it went on, if it did."""

    began: datetime
    ended: datetime | None = None


SEATS = 4
"""The seats that a game has at most."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Since when a seat that has changed hands before the game began has its player, or nobody."""

    seq: int
    """The act that did it: tickets made before are those of an earlier player."""
    at: datetime
    times: int
    """How often it has changed hands."""
    joined: bool
    """Whether somebody has it who came by himself."""


@dataclass(frozen=True, slots=True)
class History:
    """A game's acts as read so far, folded."""

    seq: int = 0
    after: int = 0
    """The last act that changed the position, or before there is one who has which seat."""
    digest: str = ""
    facts: tuple[tuple[int, Event], ...] = ()
    """Every fact of the game with the number of its act."""
    position: Position | None = None
    halts: Mapping[int, Halt] = field(default_factory=dict)
    """The last halt of the clock of each seat that had one."""
    resigned: Mapping[int, datetime] = field(default_factory=dict)
    """The seats whose players have given the game up, and when."""
    taken: Mapping[int, Taken] = field(default_factory=dict)
    """The seats that have changed hands before the game began."""
    cancelled: bool = False

    def since(self, seat: int) -> int:
        """The act since which a seat has its player: his tickets are of this position or a later one."""
        return self.taken[seat].seq if seat in self.taken else 0

    def holder(self, seat: int) -> int:
        """One byte for a seat and the player who has it now, for tokens that know no position."""
        return seat + SEATS * (self.taken[seat].times if seat in self.taken else 0)

    def seat_of(self, holder: int) -> int | None:
        """The seat of such a byte; None where another has it by now."""
        return holder % SEATS if self.holder(holder % SEATS) == holder else None

    def halted(self, seat: int) -> bool:
        """Whether the clock of a seat stands still."""
        return seat in self.halts and self.halts[seat].ended is None


@dataclass(slots=True)
class Shelf:
    """Recently used histories, so that a game in play is not read from its start each time."""

    most: int = 200
    _kept: OrderedDict[str, History] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def get(self, game: str) -> History:
        """What is kept of a game; an empty history where nothing is."""
        with self._lock:
            if game in self._kept:
                self._kept.move_to_end(game)
            return self._kept.get(game, History())

    def put(self, game: str, history: History) -> None:
        """Keep a history that is committed, and let the least used one go."""
        with self._lock:
            self._kept[game] = history
            self._kept.move_to_end(game)
            if len(self._kept) > self.most:
                self._kept.popitem(last=False)


@dataclass(frozen=True, slots=True)
class ActRow:
    """What one row says."""

    seq: int
    at: str
    seat: int | None
    door: str
    said: str
    events: str


def digest_of(previous: str, game: str, act: ActRow) -> str:
    """The digest of a row: SHA-256 over the one before and all that the row says."""
    parts = [previous, game, str(act.seq), act.at, "" if act.seat is None else str(act.seat)]
    parts += [act.door, act.said, act.events]
    return hashlib.sha256("\x1f".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


ROW = Act.__table__.c  # type: ignore[attr-defined]
CHOSEN = (
    select(ROW.seq, ROW.at, ROW.seat, ROW.door, ROW.said, ROW.events, ROW.digest)
    .where(ROW.game == bindparam("game"), ROW.seq > bindparam("beyond"))
    .order_by(ROW.seq)
)
ADDED = insert(Act)


def acts(session: Session, game: str, beyond: int = 0) -> list[tuple[ActRow, str]]:
    """The rows of a game after number `beyond`, in order, each with its digest."""
    found = session.connection().execute(CHOSEN, {"game": game, "beyond": beyond})
    return [(ActRow(*row[:6]), row[6]) for row in found]


def read(session: Session, game: str, board: Board, known: History) -> History:
    """A game's history up to its last act, continuing from what is `known` of it.

    Verifies the digests of what it reads. Raises `Broken` when a row was changed or is missing.
    """
    history = known
    for _, further in each(session, game, board, known):
        history = further
    return history


def each(session: Session, game: str, board: Board, known: History) -> Iterator[tuple[ActRow, History]]:
    """The acts after what is known, each with the history up to it. Raises `Broken`."""
    history = known
    for row, digest in acts(session, game, known.seq):
        if row.seq != history.seq + 1 or digest_of(history.digest, game, row) != digest:
            raise Broken(f"act {row.seq} of game {game} is not what was written")
        history = _fold(history, row, digest, json.loads(row.events), board)
        yield row, history


def _fold(history: History, row: ActRow, digest: str, facts: Sequence[Fact], board: Board) -> History:
    events, position, halts, resigned = [], history.position, history.halts, history.resigned
    taken, cancelled = history.taken, history.cancelled
    for fact in facts:
        if fact["type"] in OWN:
            halts = _halted(halts, fact, datetime.fromisoformat(row.at))
            taken = _taken(taken, fact, row)
            cancelled = cancelled or fact["type"] == CALLED_OFF
            seat = fact.get("seat")
            if fact["type"] == RESIGNED and isinstance(seat, int):
                resigned = {seat: datetime.fromisoformat(row.at), **resigned}
            continue
        try:
            event = codec.decode(fact, board)
        except WrongEvent as error:
            raise Broken(f"act {row.seq} cannot be read: {error}") from None
        if isinstance(event, GameStarted):
            position = start(board, event)
        else:
            assert position is not None
            position = evolve(position, event)
        events.append((row.seq, event))
    return History(
        seq=row.seq,
        after=row.seq if events or taken is not history.taken else history.after,
        digest=digest,
        facts=(*history.facts, *events),
        position=position,
        halts=halts,
        resigned=resigned,
        taken=taken,
        cancelled=cancelled,
    )


def _taken(taken: Mapping[int, Taken], fact: Fact, row: ActRow) -> Mapping[int, Taken]:
    """Which seats have changed hands after one of the server's own facts."""
    seat = fact.get("seat")
    if fact["type"] not in (JOINED, LEFT) or not isinstance(seat, int):
        return taken
    times = taken[seat].times + 1 if seat in taken else 1
    joined = fact["type"] == JOINED and not fact.get("house")
    return {**taken, seat: Taken(row.seq, datetime.fromisoformat(row.at), times, joined)}


def _halted(halts: Mapping[int, Halt], fact: Fact, at: datetime) -> Mapping[int, Halt]:
    """The halts of the clocks after one of the server's own facts."""
    seat = fact.get("seat")
    match fact["type"]:
        case "clock_stopped" if isinstance(seat, int):
            return {**halts, seat: Halt(at)}
        case "clock_resumed" if isinstance(seat, int) and seat in halts:
            return {**halts, seat: Halt(halts[seat].began, at)}
    return halts


def append(
    session: Session,
    game: str,
    board: Board,
    history: History,
    *,
    at: datetime,
    seat: int | None,
    door: str,
    said: str,
    facts: Sequence[Fact],
) -> History:
    """Write one act after `history`; gives the history with it. The caller commits.

    Raises `Stale` when another act has been written since.
    """
    row = ActRow(
        seq=history.seq + 1,
        at=at.isoformat(timespec="milliseconds"),
        seat=seat,
        door=door,
        said=said,
        events=json.dumps(facts, separators=(",", ":")),
    )
    digest = digest_of(history.digest, game, row)
    values = {"game": game, "digest": digest, **{name: getattr(row, name) for name in row.__slots__}}
    try:
        session.connection().execute(ADDED, values)
    except IntegrityError:
        session.rollback()
        raise Stale from None
    return _fold(history, row, digest, facts, board)
