"""The append-only log of acts, the history rebuilt from the log, and refusals of requests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, TypeVar

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from emails.i18n import gettext
from emails.names import SeatNames
from emails.tokens import Ticket
from emails.wording import phrases
from engine import event_log
from engine.board import Board
from engine.events import Event, GameStarted, InvalidEvent
from engine.evolve import evolve, start
from engine.position import Position
from server.store.models import Act, Game, table_of
from server.store.server_facts import (
    NO_AGREEMENTS,
    SERVER_FACT_TYPES,
    ActFact,
    BankLeft,
    ClockPause,
    ClockResumed,
    ClockStopped,
    EventJson,
    GameAgreements,
    GameCancelled,
    InvalidServerFact,
    SeatCaretaken,
    SeatJoined,
    SeatOffered,
    SeatPassedOver,
    SeatResigned,
    SeatReturned,
    SeatVacated,
    ServerFact,
    TurnTimedOut,
    decode_server_fact,
    encode_fact,
)
from server.store.states import PERSONAL_CHANNELS, Channel
from server.turn_time import merge_intervals

# --- refusals ------------------------------------------------------------------------------------------


class RefusalCode(StrEnum):
    ADDRESS = "address"
    ADVICE = "advice"
    BUDGET = "budget"
    CHAT = "chat"
    GAME_TERMS = "game_terms"
    NOT_BEGUN = "not_begun"
    NOT_RUNNING = "not_running"
    NUDGE = "nudge"
    ORDERS = "orders"
    PLAN = "plan"
    PREFERENCES = "preferences"
    REQUEST = "request"
    RESIGNATION = "resignation"
    SEAT = "seat"
    SIGN_IN = "sign_in"
    STALE = "stale"
    SUSPENDED = "suspended"
    UNSUBSCRIBE = "unsubscribe"
    VOTE = "vote"


class Refusal(Exception):
    """A request was not performed; nothing has changed. The exception's text is in the user's language."""

    code: ClassVar[RefusalCode]

    @property
    def sentence(self) -> str:
        why = phrases.capitalize_first(str(self))
        return why if why.endswith((".", "?", "!")) else f"{why}."


class StalePosition(Refusal):
    code = RefusalCode.STALE

    def __init__(self) -> None:
        super().__init__(gettext("The game has moved on since you saw it. Nothing was done."))


class GameNotBegun(Refusal):
    code = RefusalCode.NOT_BEGUN

    def __init__(self) -> None:
        super().__init__(gettext("The game has not begun yet."))


class GameNotRunning(Refusal):
    code = RefusalCode.NOT_RUNNING

    def __init__(self) -> None:
        super().__init__(gettext("There is no such game, or it is not shown to you."))


class GameSuspended(Refusal):
    code = RefusalCode.SUSPENDED

    def __init__(self) -> None:
        super().__init__(gettext("The operator of this server has halted this game. Nothing was done."))


def check_not_suspended(game: Game) -> None:
    if game.suspended_at is not None:
        raise GameSuspended


MOST_SEATS = 4


# --- history -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeatTenure:
    """The current player's tenure of a seat that changed hands."""

    seq: int
    """Act of the last change of player before the start (0: none); links to earlier acts are invalid."""
    at: datetime
    times: int
    joined: bool
    generation: int = 0
    """Link generation since the last change of player after the start; links with a lower one are invalid."""


@dataclass(frozen=True, slots=True)
class NewName:
    since: int
    seat: int
    name: str


MOST_MISSED = 2


@dataclass(frozen=True, slots=True)
class Absence:
    """A seat whose last turns were played by the caretaker, the bot that replaces absent players."""

    missed: int = 0
    kept_at: datetime | None = None
    """Time at which the caretaker took the seat; None: the caretaker plays only missed turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The state of a game, computed from its acts; `StartedHistory` after the game has begun."""

    seq: int = 0
    after: int = 0
    """Number of the last act that changed the position or, before the game begins, the seats."""
    after_at: str = ""
    digest: str = ""
    events: tuple[tuple[int, Event], ...] = ()
    """Events of the game, each with the number of its act."""
    clock_pauses: Mapping[int, ClockPause] = field(default_factory=dict)
    resigned: Mapping[int, datetime] = field(default_factory=dict)
    seat_tenures: Mapping[int, SeatTenure] = field(default_factory=dict)
    new_names: tuple[NewName, ...] = ()
    absences: Mapping[int, Absence] = field(default_factory=dict)
    banks: Mapping[int, int] = field(default_factory=dict)
    """Remaining seconds of each seat's time reserve; seats that used none are missing."""
    offers: Mapping[int, datetime] = field(default_factory=dict)
    """Times of offers to substitutes, by seat."""
    skipped: frozenset[int] = frozenset()
    agreements: GameAgreements = NO_AGREEMENTS
    cancelled: bool = False
    redactions: int = 0

    def player_since(self, seat: int) -> int:
        return self.seat_tenures[seat].seq if seat in self.seat_tenures else 0

    def is_of_earlier_player(self, ticket: Ticket) -> bool:
        tenure = self.seat_tenures.get(ticket.seat)
        return tenure is not None and (ticket.after < tenure.seq or ticket.generation < tenure.generation)

    def holder_code(self, seat: int) -> int:
        return seat + MOST_SEATS * (self.seat_tenures[seat].times if seat in self.seat_tenures else 0)

    def seat_of_holder(self, holder: int) -> int | None:
        """Return the seat of the player with this `holder_code`; None if another player has the seat now."""
        return holder % MOST_SEATS if self.holder_code(holder % MOST_SEATS) == holder else None

    def is_clock_paused(self, seat: int) -> bool:
        return seat in self.clock_pauses and self.clock_pauses[seat].ended is None

    def is_caretaken(self, seat: int) -> bool:
        return seat in self.absences and self.absences[seat].kept_at is not None

    def is_vacant(self, seat: int) -> bool:
        return seat in self.resigned or self.is_caretaken(seat)

    def is_time_halted(self, seat: int) -> bool:
        """Return whether no time counts for the seat, because its clock or the game is paused."""
        return self.agreements.is_paused or self.is_clock_paused(seat)

    def last_halt(self, seat: int) -> ClockPause | None:
        """Return the last interval in which no time counted for the seat; None if there was none.

        Two adjoining pauses form one interval.
        """
        halts = (self.clock_pauses.get(seat), self.agreements.pause)
        over = merge_intervals((one.uncounted_from, one.ended) for one in halts if one and one.ended)
        return ClockPause(*over[-1]) if over else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedHistory(History):
    deal: GameStarted
    position: Position

    def names_at(self, fact: int) -> tuple[str, ...]:
        names = list(self.deal.seats)
        for one in self.new_names:
            if one.since <= fact:
                names[one.seat] = one.name
        return tuple(names)

    def list_seat_names(self, seat: int | None) -> tuple[SeatNames, ...]:
        """Return the players' names at each event for a reader on `seat`; empty if no name ever changed."""
        facts = range(len(self.events)) if self.new_names else ()
        return tuple(self.seat_names_at(fact, seat) for fact in facts)

    def seat_names_at(self, fact: int, seat: int | None) -> SeatNames:
        since = max((one.since for one in self.new_names if one.seat == seat), default=0)
        return SeatNames(self.names_at(fact), fact >= since)

    def earlier_name(self, seat: int) -> str:
        names = [self.deal.seats[seat], *(one.name for one in self.new_names if one.seat == seat)]
        return names[-2] if len(names) > 1 else names[0]

    @property
    def following_name(self) -> str:
        table, seats = self.position.table, len(self.position.table.names)
        ahead = [(table.seat + later) % seats for later in range(1, seats + 1)]
        return table.names[next((seat for seat in ahead if seat not in self.skipped), ahead[0])]


def require_started(history: History) -> StartedHistory:
    if not isinstance(history, StartedHistory):
        raise GameNotBegun
    return history


def name_seats(position: Position, names: tuple[str, ...]) -> Position:
    return replace(position, table=replace(position.table, names=names))


def list_steps(history: StartedHistory) -> list[tuple[Position, Event]]:
    now, found = start(history.position.table.board, history.deal), []
    for _, event in history.events[1:]:
        found.append((now, event))
        now = evolve(now, event)
    return found


# --- log -----------------------------------------------------------------------------------------------


class CorruptLog(Exception):
    """A stored game that cannot be read, because a row was changed or is missing."""


class ActRow(NamedTuple):
    """An act as stored; the digest covers the other columns."""

    seq: int
    at: str
    seat: int | None
    door: Channel
    said: str
    events: str
    """The facts as JSON, in the exact text that the digest covers."""
    digest: str = ""

    @property
    def facts(self) -> list[EventJson]:
        facts: list[EventJson] = READ_JSON(self.events)[0]
        return facts


def digest_of(previous: str, game: str, act: ActRow) -> str:
    seq, at, seat, door, said, events, _ = act
    number, who = str(seq), "" if seat is None else str(seat)
    parts = (
        f"{len(previous)}:{previous}\x1f{len(game)}:{game}\x1f{len(number)}:{number}\x1f{len(at)}:{at}\x1f"
        f"{len(who)}:{who}\x1f{len(door)}:{door}\x1f{len(said)}:{said}\x1f{len(events)}:{events}"
    )
    return hashlib.sha256(parts.encode()).hexdigest()


ACT_COLUMNS = table_of(Act).c
SELECT_ACTS = (
    select(*(ACT_COLUMNS[name] for name in ActRow._fields))
    .where(ACT_COLUMNS.game == bindparam("game"), ACT_COLUMNS.seq > bindparam("beyond"))
    .order_by(ACT_COLUMNS.seq)
)
SELECT_ACT_TIME = select(ACT_COLUMNS.at).where(
    ACT_COLUMNS.game == bindparam("game"), ACT_COLUMNS.seq == bindparam("number")
)
INSERT_ACT = insert(Act)
Value = TypeVar("Value")
READ_JSON = json.JSONDecoder().raw_decode  # keeps blanks, unlike json.loads: a digest covers the exact text


def load_acts(session: Session, game: str, beyond: int = 0) -> list[ActRow]:
    """Return the acts of a game after act `beyond`, in order. Raises `CorruptLog`."""
    found = session.connection().execute(SELECT_ACTS, {"game": game, "beyond": beyond})
    try:
        return list(map(ActRow._make, found.all()))
    except LookupError as error:
        raise CorruptLog(f"an act of game {game} cannot be read: {error}") from None


def load_act_time(session: Session, game: str, number: int) -> str:
    """Return an act's timestamp as stored; empty if no act has this number."""
    return session.connection().execute(SELECT_ACT_TIME, {"game": game, "number": number}).scalar() or ""


def logged_facts(row: ActRow) -> list[EventJson]:
    """Return an act's game facts for export; the first fact has `meta` (time, seat, channel, text)."""
    facts = [fact for fact in row.facts if fact["type"] not in SERVER_FACT_TYPES]
    if facts and not any("meta" in fact for fact in facts):  # facts of an imported log have their own
        facts[0]["meta"] = {"at": row.at, "seat": row.seat, "door": row.door, "said": row.said}
    return facts


def list_server_facts(row: ActRow) -> list[ServerFact]:
    try:
        return [decode_server_fact(fact) for fact in row.facts if fact["type"] in SERVER_FACT_TYPES]
    except InvalidServerFact as error:
        raise CorruptLog(f"act {row.seq} cannot be read: {error}") from None


def read_history(session: Session, game: str, board: Board, known: History) -> History:
    """Read a game's history up to its last act, continuing from `known`.

    Verifies the digests of the acts read. Raises `CorruptLog` if a row was changed or is missing.
    """
    fold = HistoryFold(known, board)
    for _ in fold_acts(session, game, fold):
        pass
    return fold.history()


def fold_acts(session: Session, game: str, fold: HistoryFold) -> Iterator[ActRow]:
    """Fold the further acts of a game, and yield each. Raises `CorruptLog`."""
    for row in load_acts(session, game, fold.seq):
        if row.seq != fold.seq + 1 or digest_of(fold.digest, game, row) != row.digest:
            raise CorruptLog(f"act {row.seq} of game {game} was changed after it was written")
        fold.add(row, row.facts)
        yield row


class HistoryFold:
    """A history that grows act by act.

    Events are copied only when a history is requested: copying them at each act would take quadratic time.
    """

    def __init__(self, known: History, board: Board) -> None:
        self.seq, self.digest = known.seq, known.digest
        self._known, self._board = known, board
        self._after, self._after_at = known.after, known.after_at
        self._begun = (known.deal, known.position) if isinstance(known, StartedHistory) else None
        self._events: list[tuple[int, Event]] = []

    def add(self, row: ActRow, facts: Sequence[ActFact]) -> None:
        """Fold another act, either read or about to be written. Raises `CorruptLog`."""
        self.seq, self.digest, seat = row.seq, row.digest, row.seat
        if seat is not None and (seat in self._known.absences or seat in self._known.offers):
            self._known = _without_missed(self._known, seat, row.door)
        decoded: list[Event | ServerFact] = []
        try:
            for fact in facts:
                if not isinstance(fact, dict):
                    decoded.append(fact)
                elif fact["type"] in SERVER_FACT_TYPES:
                    decoded.append(decode_server_fact(fact))
                else:
                    decoded.append(event_log.decode(fact, self._board))
        except (InvalidEvent, InvalidServerFact) as error:
            raise CorruptLog(f"act {row.seq} cannot be read: {error}") from None
        for one in decoded:
            if isinstance(one, GameStarted):
                self._begun = one, start(self._board, one)
            elif not isinstance(one, Event):
                self._add_server_fact(row, one)
                continue
            elif self._begun is None:
                raise CorruptLog(f"act {row.seq} cannot be read: it precedes the deal")
            else:
                self._begun = self._begun[0], evolve(self._begun[1], one)
            self._events.append((row.seq, one))
            self._after, self._after_at = row.seq, row.at
        if skipped := self._known.skipped:
            self._known = replace(self._known, skipped=frozenset(filter(self._known.is_vacant, skipped)))

    def _add_server_fact(self, row: ActRow, fact: ServerFact) -> None:
        at = datetime.fromisoformat(row.at)
        turn = 0 if self._begun is None else self._begun[1].table.turn
        known = replace(self._known, agreements=self._known.agreements.after_fact(fact, row.seq, turn, at))
        match fact:
            case SeatJoined() | SeatVacated():
                known = self._change_player(known, row, fact, at)
            case TurnTimedOut(seat):
                absence = known.absences.get(seat, Absence())
                absence = replace(absence, missed=absence.missed + 1)
                known = replace(known, absences={**known.absences, seat: absence})
            case SeatCaretaken(seat):
                absence = replace(known.absences.get(seat, Absence()), kept_at=at)
                known = replace(known, absences={**known.absences, seat: absence})
            case SeatResigned(seat):
                known = replace(known, resigned={seat: at, **known.resigned})
            case SeatReturned(seat):
                known = _without_vacancy(known, seat)
            case SeatOffered(seat):
                known = replace(known, offers={**known.offers, seat: at})
            case SeatPassedOver(seat):
                known = replace(known, skipped=known.skipped | {seat})
            case ClockStopped(seat, since):
                pause = ClockPause(at, undelivered_since=since)
                known = replace(known, clock_pauses={**known.clock_pauses, seat: pause})
            case ClockResumed(seat) if seat in known.clock_pauses:
                pause = replace(known.clock_pauses[seat], ended=at)
                known = replace(known, clock_pauses={**known.clock_pauses, seat: pause})
            case BankLeft(seat, seconds):
                known = replace(known, banks={**known.banks, seat: seconds})
            case GameCancelled():
                known = replace(known, cancelled=True)
        self._known = known

    def _change_player(
        self, known: History, row: ActRow, fact: SeatJoined | SeatVacated, at: datetime
    ) -> History:
        seat, joined = fact.seat, fact if isinstance(fact, SeatJoined) else None
        tenure = known.seat_tenures.get(seat, SeatTenure(0, at, 0, False))
        by_person = joined is not None and not joined.is_bot
        tenure = replace(tenure, times=tenure.times + 1, joined=by_person)
        if self._begun is None:
            tenure = replace(tenure, seq=row.seq, at=at)
            self._after, self._after_at = row.seq, row.at
        elif joined is not None:  # the position is unchanged, so the tickets of other players remain valid
            (deal, position), generation = self._begun, joined.epoch
            names = position.table.names
            self._begun = deal, name_seats(position, (*names[:seat], joined.name, *names[seat + 1 :]))
            new_name = NewName(len(known.events) + len(self._events), seat, joined.name)
            known = replace(_without_vacancy(known, seat), new_names=(*known.new_names, new_name))
            tenure = tenure if generation is None else replace(tenure, generation=generation)
        return replace(known, seat_tenures={**known.seat_tenures, seat: tenure})

    def history(self) -> History:
        folded: dict[str, Any] = {one.name: getattr(self._known, one.name) for one in fields(History)}
        folded |= {"seq": self.seq, "digest": self.digest, "after": self._after, "after_at": self._after_at}
        folded["events"] = (*self._known.events, *self._events)
        if self._begun is None:
            return History(**folded)
        return StartedHistory(deal=self._begun[0], position=self._begun[1], **folded)


def _without_missed(history: History, seat: int, door: Channel) -> History:
    """Return the history without missed turns of `seat` and, if its player is back, without its offer."""
    is_back = door in PERSONAL_CHANNELS
    if is_back and seat not in history.resigned:
        history = replace(history, offers=_without(history.offers, seat))
    if is_back or (door == Channel.PLAN and not history.is_caretaken(seat)):
        history = replace(history, absences=_without(history.absences, seat))
    return history


def _without(seats: Mapping[int, Value], seat: int) -> Mapping[int, Value]:
    return {one: value for one, value in seats.items() if one != seat} if seat in seats else seats


def _without_vacancy(history: History, seat: int) -> History:
    return replace(
        history,
        absences=_without(history.absences, seat),
        resigned=_without(history.resigned, seat),
        offers=_without(history.offers, seat),
    )


def replace_acts(
    session: Session, game: str, redactions: int, change: Callable[[ActRow, list[EventJson]], ActRow]
) -> bool:
    """Rewrite a game's acts and recompute the hash chain; return whether anything changed.

    Only for removing names (server/personal_data.py): no fact of the game may change. `redactions`:
    number of such rewrites, including this one. The caller verifies the hash chain before and commits after.
    """
    changed, previous = False, ""
    own = update(Act).where(ACT_COLUMNS.game == game, ACT_COLUMNS.seq == bindparam("number"))
    for row in load_acts(session, game):
        new = change(row, row.facts)
        previous, changed = digest_of(previous, game, new), changed or new != row
        if previous != row.digest:
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
    """Append an act to `history` and return the new history. The caller commits.

    `door`: channel by which the act came. `said`: text of the act, stored in the log. Raises `StalePosition`
    if another act was written meanwhile.
    """
    row = ActRow(
        seq=history.seq + 1,
        at=at.isoformat(timespec="milliseconds"),
        seat=seat,
        door=door,
        said=said,
        events=json.dumps([encode_fact(fact, board) for fact in facts], separators=(",", ":")),
    )
    row = row._replace(digest=digest_of(history.digest, game, row))
    try:
        session.connection().execute(INSERT_ACT, {"game": game, **row._asdict()})
    except IntegrityError:
        session.rollback()
        raise StalePosition from None
    fold = HistoryFold(history, board)
    fold.add(row, facts)
    return fold.history()
