"""The append-only log of acts, from which every position is rebuilt.

An act is one accepted message: one row, written whole or not at all. Its primary key (game, seq) is the lock:
of two acts that were made for the same position one is written and the other is `StalePosition`. Each row's
digest covers the row before, so a changed or missing row is found when a game is read.

Facts of the game itself are spelled by engine/codec.py. The server adds facts of its own (`ServerFact`),
which change no position and are left out of an exported log.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from engine import codec
from engine.board import Board
from engine.events import Event, GameStarted, InvalidEvent
from engine.evolve import evolve, start
from server.store.histories import ClockPause, History, SeatTenure, StartedHistory
from server.store.models import Act, Game
from server.store.refusals import StalePosition
from server.store.states import Channel, ServerFact

SERVER_FACTS = frozenset(ServerFact)
EventJson = Mapping[str, object]
"""A fact as JSON: a fact of the game, or one of the server's own."""
Fact = Event | EventJson


class CorruptLog(Exception):
    """A stored game that cannot be read: a row was changed or is missing."""


@dataclass(frozen=True, slots=True)
class ActRow:
    """What one row says."""

    seq: int
    at: str
    seat: int | None
    door: Channel
    said: str
    events: str


def digest_of(previous: str, game: str, act: ActRow) -> str:
    """The digest of a row: SHA-256 over the one before and all that the row says."""
    parts = [previous, game, str(act.seq), act.at, "" if act.seat is None else str(act.seat)]
    parts += [act.door, act.said, act.events]
    return hashlib.sha256("\x1f".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


ACT_COLUMNS = Act.__table__.c  # type: ignore[attr-defined]
SELECT_ACTS = (
    select(
        ACT_COLUMNS.seq,
        ACT_COLUMNS.at,
        ACT_COLUMNS.seat,
        ACT_COLUMNS.door,
        ACT_COLUMNS.said,
        ACT_COLUMNS.events,
        ACT_COLUMNS.digest,
    )
    .where(ACT_COLUMNS.game == bindparam("game"), ACT_COLUMNS.seq > bindparam("beyond"))
    .order_by(ACT_COLUMNS.seq)
)
INSERT_ACT = insert(Act)


def load_acts(session: Session, game: str, beyond: int = 0) -> list[tuple[ActRow, str]]:
    """The rows of a game after number `beyond`, in order, each with its digest. Raises `CorruptLog`."""
    found = session.connection().execute(SELECT_ACTS, {"game": game, "beyond": beyond})
    try:
        return [(ActRow(*row[:6]), row[6]) for row in found]
    except LookupError as error:
        raise CorruptLog(f"an act of game {game} cannot be read: {error}") from None


def read_history(session: Session, game: str, board: Board, known: History) -> History:
    """A game's history up to its last act, continuing from what is `known` of it.

    Verifies the digests of what it reads. Raises `CorruptLog` when a row was changed or is missing.
    """
    history = known
    for _, further in replay_acts(session, game, board, known):
        history = further
    return history


def replay_acts(
    session: Session, game: str, board: Board, known: History
) -> Iterator[tuple[ActRow, History]]:
    """The acts after what is known, each with the history up to it. Raises `CorruptLog`."""
    history = known
    for row, digest in load_acts(session, game, known.seq):
        if row.seq != history.seq + 1 or digest_of(history.digest, game, row) != digest:
            raise CorruptLog(f"act {row.seq} of game {game} is not what was written")
        history = _fold_act(history, row, digest, json.loads(row.events), board)
        yield row, history


def _fold_act(history: History, row: ActRow, digest: str, facts: Sequence[Fact], board: Board) -> History:
    events, halts, resigned = [], history.clock_pauses, history.resigned
    taken, cancelled = history.seat_tenures, history.cancelled
    begun = (history.deal, history.position) if isinstance(history, StartedHistory) else None
    for fact in facts:
        if isinstance(fact, Mapping) and fact["type"] in SERVER_FACTS:
            halts = _fold_clock_change(halts, fact, datetime.fromisoformat(row.at))
            taken = _fold_seat_change(taken, fact, row)
            cancelled = cancelled or fact["type"] == ServerFact.CALLED_OFF
            seat = fact.get("seat")
            if fact["type"] == ServerFact.RESIGNED and isinstance(seat, int):
                resigned = {seat: datetime.fromisoformat(row.at), **resigned}
            continue
        event = _read_event(fact, row, board) if isinstance(fact, Mapping) else fact
        if isinstance(event, GameStarted):
            begun = event, start(board, event)
        elif begun is None:
            raise CorruptLog(f"act {row.seq} cannot be read: no cards have been dealt before it")
        else:
            begun = begun[0], evolve(begun[1], event)
        events.append((row.seq, event))
    folded: dict[str, Any] = {
        "seq": row.seq,
        "after": row.seq if events or taken is not history.seat_tenures else history.after,
        "digest": digest,
        "events": (*history.events, *events),
        "clock_pauses": halts,
        "resigned": resigned,
        "seat_tenures": taken,
        "cancelled": cancelled,
        "redactions": history.redactions,
    }
    return History(**folded) if begun is None else StartedHistory(deal=begun[0], position=begun[1], **folded)


def _read_event(fact: EventJson, row: ActRow, board: Board) -> Event:
    try:
        return codec.decode(fact, board)
    except InvalidEvent as error:
        raise CorruptLog(f"act {row.seq} cannot be read: {error}") from None


def _fold_seat_change(
    taken: Mapping[int, SeatTenure], fact: EventJson, row: ActRow
) -> Mapping[int, SeatTenure]:
    """Which seats have changed hands after one of the server's own facts."""
    seat = fact.get("seat")
    if fact["type"] not in (ServerFact.JOINED, ServerFact.LEFT) or not isinstance(seat, int):
        return taken
    times = taken[seat].times + 1 if seat in taken else 1
    joined = fact["type"] == ServerFact.JOINED and not fact.get("house")
    return {**taken, seat: SeatTenure(row.seq, datetime.fromisoformat(row.at), times, joined)}


def _fold_clock_change(
    halts: Mapping[int, ClockPause], fact: EventJson, at: datetime
) -> Mapping[int, ClockPause]:
    """The halts of the clocks after one of the server's own facts."""
    seat = fact.get("seat")
    match fact["type"]:
        case ServerFact.CLOCK_STOPPED if isinstance(seat, int):
            return {**halts, seat: ClockPause(at)}
        case ServerFact.CLOCK_RESUMED if isinstance(seat, int) and seat in halts:
            return {**halts, seat: ClockPause(halts[seat].began, at)}
    return halts


def replace_acts(
    session: Session, game: str, redactions: int, change: Callable[[ActRow, list[EventJson]], ActRow]
) -> bool:
    """Change what the acts of a game say and make the chain of digests anew; whether anything changed.

    Only to take out names (server/privacy/redaction.py): no fact of the game may become another. `redactions`
    is how often that was done, this time included. The caller commits, and has verified the chain before.
    """
    changed, previous = False, ""
    own = update(Act).where(ACT_COLUMNS.game == game, ACT_COLUMNS.seq == bindparam("number"))
    for row, digest in load_acts(session, game):
        new = change(row, json.loads(row.events))
        previous, changed = digest_of(previous, game, new), changed or new != row
        if previous != digest:
            values = {"new_said": new.said, "new_events": new.events, "new_digest": previous}
            session.connection().execute(
                own.values({name.removeprefix("new_"): bindparam(name) for name in values}),
                {"number": row.seq, **values},
            )
    if changed:
        counted = update(Game).where(col(Game.id) == game).values(redactions=redactions)
        session.connection().execute(counted)
    return changed


def append(
    session: Session,
    game: str,
    board: Board,
    history: History,
    *,
    at: datetime,
    seat: int | None,
    door: Channel,
    said: str,
    facts: Sequence[Fact],
) -> History:
    """Write one act after `history`; gives the history with it. The caller commits.

    Raises `StalePosition` when another act has been written since.
    """
    row = ActRow(
        seq=history.seq + 1,
        at=at.isoformat(timespec="milliseconds"),
        seat=seat,
        door=door,
        said=said,
        events=json.dumps(
            [fact if isinstance(fact, Mapping) else codec.encode(fact, board) for fact in facts],
            separators=(",", ":"),
        ),
    )
    digest = digest_of(history.digest, game, row)
    values = {"game": game, "digest": digest, **{name: getattr(row, name) for name in row.__slots__}}
    try:
        session.connection().execute(INSERT_ACT, values)
    except IntegrityError:
        session.rollback()
        raise StalePosition from None
    return _fold_act(history, row, digest, facts, board)
