"""The append-only log of acts, from which every position is rebuilt.

An act is one accepted message: one row, written whole or not at all. Its primary key (game, seq) is the lock:
of two acts that were made for the same position one is written and the other is `StalePosition`. Each row's
digest covers the row before, so a changed or missing row is found when a game is read.

Facts of the game itself are spelled by engine/codec.py. The server adds facts of its own
(server/store/facts), which change no position and are left out of an exported log.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from engine.board import Board
from engine.events import Event, GameStarted, InvalidEvent
from engine.evolve import evolve, start
from engine.position import Position
from server.store.columns import table_of
from server.store.facts.fact_codec import (
    SERVER_FACT_TYPES,
    ActFact,
    EventJson,
    InvalidServerFact,
    decode_fact,
    decode_server_fact,
    encode_fact,
)
from server.store.facts.game_agreements import fold_clock_change
from server.store.facts.server_facts import (
    BankLeft,
    GameCancelled,
    SeatJoined,
    SeatPassedOver,
    SeatResigned,
    SeatReturned,
    ServerFact,
)
from server.store.histories import (
    History,
    NewName,
    StartedHistory,
    fold_absence,
    fold_offers,
    fold_tenures,
    keep_vacant,
    name_seats,
    without_absence,
    without_missed,
    without_offer,
)
from server.store.models import Act, Game
from server.store.refusals import StalePosition
from server.store.states import PERSONAL_CHANNELS, Channel


class CorruptLog(Exception):
    """A stored game that cannot be read: a row was changed or is missing."""


class ActRow(NamedTuple):
    """What one row says."""

    seq: int
    at: str
    seat: int | None
    door: Channel
    said: str
    events: str


def digest_of(previous: str, game: str, act: ActRow) -> str:
    """The digest of a row: SHA-256 over the one before and all that the row says, each with its length."""
    seq, at, seat, door, said, events = act
    number, who = str(seq), "" if seat is None else str(seat)
    parts = (
        f"{len(previous)}:{previous}\x1f{len(game)}:{game}\x1f{len(number)}:{number}\x1f{len(at)}:{at}\x1f"
        f"{len(who)}:{who}\x1f{len(door)}:{door}\x1f{len(said)}:{said}\x1f{len(events)}:{events}"
    )
    return hashlib.sha256(parts.encode()).hexdigest()


ACT_COLUMNS = table_of(Act).c
READ_COLUMNS = "seq", "at", "seat", "door", "said", "events", "digest"
SELECT_ACTS = (
    select(*(ACT_COLUMNS[name] for name in READ_COLUMNS))
    .where(ACT_COLUMNS.game == bindparam("game"), ACT_COLUMNS.seq > bindparam("beyond"))
    .order_by(ACT_COLUMNS.seq)
)
INSERT_ACT = insert(Act)
READ_JSON = json.JSONDecoder().raw_decode
"""Half of what `json.loads` takes, which looks for blanks too: a digest covers what stands here."""


def load_acts(session: Session, game: str, beyond: int = 0) -> list[tuple[ActRow, str]]:
    """The rows of a game after number `beyond`, in order, each with its digest. Raises `CorruptLog`."""
    found = session.connection().execute(SELECT_ACTS, {"game": game, "beyond": beyond})
    try:
        return [(ActRow._make(row[:6]), row[6]) for row in found.all()]
    except LookupError as error:
        raise CorruptLog(f"an act of game {game} cannot be read: {error}") from None


def logged_facts(row: ActRow) -> list[EventJson]:
    """The facts of an act as in a file: the game's own, the first with `meta` (who, when, how)."""
    facts = [fact for fact in READ_JSON(row.events)[0] if fact["type"] not in SERVER_FACT_TYPES]
    if facts and not any("meta" in fact for fact in facts):  # what was taken in has its own
        facts[0]["meta"] = {"at": row.at, "seat": row.seat, "door": row.door, "said": row.said}
    return facts


def list_server_facts(row: ActRow) -> list[ServerFact]:
    """The server's own facts of an act. Raises `CorruptLog`."""
    facts = READ_JSON(row.events)[0]
    try:
        return [decode_server_fact(fact) for fact in facts if fact["type"] in SERVER_FACT_TYPES]
    except InvalidServerFact as error:
        raise CorruptLog(f"act {row.seq} cannot be read: {error}") from None


def read_history(session: Session, game: str, board: Board, known: History) -> History:
    """A game's history up to its last act, continuing from what is `known` of it.

    Verifies the digests of what it reads. Raises `CorruptLog` when a row was changed or is missing.
    """
    fold = HistoryFold(known, board)
    for _ in _fold_acts(session, game, fold):
        pass
    return fold.history()


def replay_acts(
    session: Session, game: str, board: Board, known: History
) -> Iterator[tuple[ActRow, History]]:
    """The acts after what is known, each with the history up to it. Raises `CorruptLog`."""
    fold = HistoryFold(known, board)
    for row in _fold_acts(session, game, fold):
        yield row, fold.history()


def _fold_acts(session: Session, game: str, fold: HistoryFold) -> Iterator[ActRow]:
    """The acts of a game after those in `fold`, each once it is folded too."""
    for row, digest in load_acts(session, game, fold.seq):
        if row.seq != fold.seq + 1 or digest_of(fold.digest, game, row) != digest:
            raise CorruptLog(f"act {row.seq} of game {game} is not what was written")
        fold.add(row, digest, READ_JSON(row.events)[0])
        yield row


class HistoryFold:
    """A history that grows act by act.

    The facts are copied only when a history is asked for: for each act anew they would cost the square of
    a game's length.
    """

    def __init__(self, known: History, board: Board) -> None:
        self.seq, self.digest = known.seq, known.digest
        self._known, self._board = known, board
        self._after, self._after_at, self._resigned = known.after, known.after_at, known.resigned
        self._pauses, self._tenures, self._banks = known.clock_pauses, known.seat_tenures, known.banks
        self._agreements, self._absences, self._offers = known.agreements, known.absences, known.offers
        self._cancelled, self._skipped = known.cancelled, known.skipped
        self._new_names = known.new_names
        self._begun = (known.deal, known.position) if isinstance(known, StartedHistory) else None
        self._events: list[tuple[int, Event]] = []

    def add(self, row: ActRow, digest: str, facts: Sequence[ActFact]) -> None:
        """Fold one more act, as read or as it is being written. Raises `CorruptLog`."""
        self.seq, self.digest = row.seq, digest
        if row.door in PERSONAL_CHANNELS:
            self._absences = without_absence(self._absences, row.seat)
            if row.seat not in self._resigned:
                self._offers = without_offer(self._offers, row.seat)
        elif row.door == Channel.PLAN:
            self._absences = without_missed(self._absences, row.seat)
        for fact in facts:
            known = _read_fact(fact, row, self._board) if isinstance(fact, dict) else fact
            if isinstance(known, Event):
                self._add_event(row, known)
            else:
                self._add_server_fact(row, known)
        if self._skipped:
            self._skipped = keep_vacant(self._skipped, self._resigned, self._absences)

    def _add_event(self, row: ActRow, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._begun = event, start(self._board, event)
        elif self._begun is None:
            raise CorruptLog(f"act {row.seq} cannot be read: no cards have been dealt before it")
        else:
            self._begun = self._begun[0], evolve(self._begun[1], event)
        self._events.append((row.seq, event))
        self._after, self._after_at = row.seq, row.at

    def _add_server_fact(self, row: ActRow, fact: ServerFact) -> None:
        at, tenures = datetime.fromisoformat(row.at), self._tenures
        self._pauses = fold_clock_change(self._pauses, fact, at)
        self._tenures = fold_tenures(tenures, fact, row.seq, at, has_begun=self._begun is not None)
        if self._begun is None and self._tenures is not tenures:
            self._after, self._after_at = row.seq, row.at
        turn = 0 if self._begun is None else self._begun[1].table.turn
        self._agreements = self._agreements.after_fact(fact, row.seq, turn, at)
        self._absences = fold_absence(self._absences, fact, at)
        self._offers = fold_offers(self._offers, fact, at)
        match fact:
            case SeatJoined(seat, name) if self._begun is not None:
                self._seat_substitute(*self._begun, seat, name)
            case SeatResigned(seat):
                self._resigned = {seat: at, **self._resigned}
            case SeatReturned(seat):
                self._resigned = {one: at for one, at in self._resigned.items() if one != seat}
            case SeatPassedOver(seat):
                self._skipped |= {seat}
            case BankLeft(seat, seconds):
                self._banks = {**self._banks, seat: seconds}
            case GameCancelled():
                self._cancelled = True

    def _seat_substitute(self, deal: GameStarted, position: Position, seat: int, name: str) -> None:
        """Somebody plays on for a seat under their own name: what was told of it before stays as it was."""
        names = position.table.names
        self._begun = deal, name_seats(position, (*names[:seat], name, *names[seat + 1 :]))
        self._new_names += (NewName(len(self._known.events) + len(self._events), seat, name),)
        self._absences = without_absence(self._absences, seat)
        self._resigned = {one: at for one, at in self._resigned.items() if one != seat}

    def history(self) -> History:
        """What the acts so far amount to."""
        folded: dict[str, Any] = {
            "seq": self.seq,
            "after": self._after,
            "after_at": self._after_at,
            "digest": self.digest,
            "events": (*self._known.events, *self._events),
            "clock_pauses": self._pauses,
            "resigned": self._resigned,
            "seat_tenures": self._tenures,
            "banks": self._banks,
            "agreements": self._agreements,
            "new_names": self._new_names,
            "absences": self._absences,
            "offers": self._offers,
            "skipped": self._skipped,
            "cancelled": self._cancelled,
            "redactions": self._known.redactions,
        }
        if self._begun is None:
            return History(**folded)
        return StartedHistory(deal=self._begun[0], position=self._begun[1], **folded)


def _read_fact(fact: EventJson, row: ActRow, board: Board) -> Event | ServerFact:
    try:
        return decode_fact(fact, board)
    except (InvalidEvent, InvalidServerFact) as error:
        raise CorruptLog(f"act {row.seq} cannot be read: {error}") from None


def replace_acts(
    session: Session, game: str, redactions: int, change: Callable[[ActRow, list[EventJson]], ActRow]
) -> bool:
    """Change what the acts of a game say and make the chain of digests anew; whether anything changed.

    Only to take out names (server/privacy/erasure.py): no fact of the game may become another. `redactions`
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
        session.execute(update(Game).where(col(Game.id) == game).values(redactions=redactions))
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
    facts: Sequence[ActFact],
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
        events=json.dumps([encode_fact(fact, board) for fact in facts], separators=(",", ":")),
    )
    digest = digest_of(history.digest, game, row)
    values = {"game": game, "digest": digest, **row._asdict()}
    try:
        session.connection().execute(INSERT_ACT, values)
    except IntegrityError:
        session.rollback()
        raise StalePosition from None
    fold = HistoryFold(history, board)
    fold.add(row, digest, facts)
    return fold.history()
