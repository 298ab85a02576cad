"""The one way to move: button, link, reply, house and clock all come through here.

`play` reads lines against what the player sees, runs them in order on a scratch position, and writes the act,
the game's row and every letter it causes in one transaction. It knows no Flask and no mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select, update
from sqlmodel import Session

from engine import codec, notation
from engine.actions import Action, Illegal, Refusal
from engine.cards import Bag, Chance, Symbol
from engine.events import CardDrawn, CardOpened, Event, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.position import Position, View
from engine.rules import decide, due, perform
from engine.views import view
from server import postman
from server.log import TIMED_OUT, Fact, History, Stale, append
from server.office import Office
from server.projection import follow
from server.tables import Game, Incoming

MOST_LINES = 20
"""Lines a message may hold; a whole turn has four."""


class Refused(Exception):
    """Nothing of a message was done: this line of it could not be."""

    def __init__(self, line: str, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.line = line
        self.refusal = refusal


class NoGame(Exception):
    """There is no such game, or it is not running."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a message brings about on a scratch position."""

    events: tuple[Event, ...]
    done: tuple[str, ...]
    """The actions done, in canonical text."""
    undone: tuple[str, ...] = ()
    """The lines not done because of `refusal`, which followed a reveal (8.3)."""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """An accepted message: what was done and where the game is now."""

    run: Run
    history: History


def run_lines(position: Position, seat: int, lines: Sequence[str], chance: Chance) -> Run:
    """Read and do the lines in order, as far as they can be done.

    Raises `Refused` when one cannot be read, or cannot be done before anything was revealed.
    """
    board = position.table.board
    if len(lines) > MOST_LINES:
        raise Refused(lines[MOST_LINES], Illegal("3.1", "a turn has not so many actions"))
    said = [(line, _parsed(line, position)) for line in lines]
    if len(lines) > 1:
        preview(position, seat, lines)  # what is known to be impossible is refused before a card is turned
    events: list[Event] = []
    done: list[str] = []
    revealed = False
    turn = position.table.turn
    for index, (line, words) in enumerate(said):
        try:
            if position.table.over or position.table.turn != turn:
                if words.verb == "end":
                    break
                raise Illegal("3.1", "your turn is over")
            action = notation.resolve(words, view(position, seat))
            happened = decide(position, seat, action, chance)
        except Refusal as refusal:
            if not revealed:
                raise Refused(line, refusal) from None
            return Run(tuple(events), tuple(done), tuple(lines[index:]), refusal)
        for event in happened:
            position = evolve(position, event)
            revealed = revealed or isinstance(event, CardDrawn | CardOpened)
        events += happened
        done.append(notation.write(action, board))
    return Run(tuple(events), tuple(done))


def _parsed(line: str, position: Position) -> notation.Said:
    try:
        return notation.parse(line, position.table.board)
    except Refusal as refusal:
        raise Refused(line, refusal) from None


def run_turn(position: Position, choose: Callable[[View], Action], chance: Chance) -> Run:
    """Play what is left of the turn as `choose` says; its actions must be legal."""
    table = position.table
    seat, turn = table.seat, table.turn
    events: list[Event] = []
    done: list[str] = []
    while not position.table.over and position.table.turn == turn:
        action = choose(view(position, seat))
        happened = decide(position, seat, action, chance)
        for event in happened:
            position = evolve(position, event)
        events += happened
        done.append(notation.write(action, table.board))
    return Run(tuple(events), tuple(done))


@dataclass(frozen=True, slots=True)
class Preview:
    """The game as it would be after some lines, as far as nothing hidden is needed for it."""

    position: Position
    events: tuple[Event, ...]
    done: tuple[str, ...]
    hidden: bool
    """Whether it stops at a card that nobody has seen yet (8.3)."""


def preview(position: Position, seat: int, lines: Sequence[str]) -> Preview:
    """What lines would bring about; changes nothing, throws no dice. Raises `Refused`."""
    if position.table.seat != seat or position.table.over:
        raise Refused(lines[0] if lines else "", Illegal("3.1", "it is not your turn"))
    events: list[Event] = []
    done: list[str] = []
    hidden = ended = False
    for line in lines:
        words = _parsed(line, position)
        try:
            if ended or due(position) is TurnEnded:
                if words.verb == "end":
                    break
                raise Illegal("3.1", "your turn is over")
            action = notation.resolve(words, view(position, seat))
            event = perform(position, action, _any_card)
        except Refusal as refusal:
            if hidden and words.verb == "take":  # it may be the card that nobody has seen yet
                break
            raise Refused(line, refusal) from None
        done.append(notation.write(action, position.table.board))
        if isinstance(event, CardDrawn):
            hidden = True
            break
        events.append(event)
        ended = isinstance(event, TurnEnded | GameEnded)
        if not ended:
            position = evolve(position, event)
        if due(position) is SupplyRenewed:
            events.append(SupplyRenewed())
            position = evolve(position, events[-1])
        hidden = hidden or due(position) is CardOpened
    return Preview(position, tuple(events), tuple(done), hidden)


def _any_card(bag: Bag) -> Symbol:
    """Stands for the card that would be drawn, so that drawing can be judged; nobody keeps it."""
    return bag.kinds()[0]


def play(
    office: Office,
    game_id: str,
    seat: int,
    after: int,
    lines: Sequence[str],
    door: str,
    now: datetime,
    mail: int | None = None,
) -> Played:
    """Do what a player says, in the position after act `after`.

    `mail` is the incoming mail that says it. Raises `NoGame`, `log.Stale` when the game has moved on since
    the player saw it, or `Refused` with the line and the reason; then nothing was done.
    """
    said = "; ".join(lines)
    with office.writing() as session:
        game, history, position = _running(office, session, game_id, after)
        run = run_lines(position, seat, lines, office.dice)
        if not run.done:
            raise Refused(said, Illegal("3.1", "there is no action in it"))
        incoming = None if mail is None else session.get_one(Incoming, mail)
        return Played(
            run, _write(office, session, game, history, Deed(seat, door, said, run, mail=incoming), now)
        )


def play_turn(
    office: Office, game_id: str, after: int, choose: Callable[[View], Action], door: str, now: datetime
) -> Played:
    """Play the rest of the turn for its seat: a house seat's, or one whose time has passed (door `clock`).

    Raises `NoGame` or `log.Stale`.
    """
    with office.reading() as session:
        _, _, position = _running(office, session, game_id, after)
    seat = position.table.seat
    run = run_turn(position, choose, office.dice)  # takes its time, so nobody else is kept waiting meanwhile
    own: tuple[Fact, ...] = ({"type": TIMED_OUT, "seat": seat},) if door == "clock" else ()
    with office.writing() as session:
        game, history, _ = _running(office, session, game_id, after)
        deed = Deed(seat, door, "; ".join(run.done), run, own)
        return Played(run, _write(office, session, game, history, deed, now))


# Plain statements: through the ORM the row of the game alone would take half of the time of an act.
GAME = Game.__table__  # type: ignore[attr-defined]
FOUND = select(GAME).where(GAME.c.id == bindparam("game"))
PROJECTED = ("seq", "after", "status", "turn", "seat", "turn_began_at", "deadline", "reminded")
MOVED = (
    update(GAME)
    .where(GAME.c.id == bindparam("game"))
    .values({name: bindparam(f"new_{name}") for name in PROJECTED})
)


def _running(office: Office, session: Session, game_id: str, after: int) -> tuple[Game, History, Position]:
    row = session.connection().execute(FOUND, {"game": game_id}).mappings().first()
    if row is None or row["status"] == "open":
        raise NoGame(game_id)
    game = Game(**row)
    history = office.history(session, game)
    if history.after != after:
        raise Stale
    assert history.position is not None
    return game, history, history.position


@dataclass(frozen=True, slots=True)
class Deed:
    """An act before it is written."""

    seat: int
    door: str
    said: str
    run: Run
    own: tuple[Fact, ...] = ()
    """The server's own facts, which come first."""
    mail: Incoming | None = None


def _write(
    office: Office, session: Session, game: Game, history: History, deed: Deed, now: datetime
) -> History:
    """Write an act with its letters, commit, and wake whoever has to go on."""
    board, before = office.board_of(game), history.position
    history = append(
        session,
        game.id,
        board,
        history,
        at=now,
        seat=deed.seat,
        door=deed.door,
        said=deed.said,
        facts=[*deed.own, *(codec.encode(event, board) for event in deed.run.events)],
    )
    follow(game, history, now)
    moved = {f"new_{name}": getattr(game, name) for name in PROJECTED}
    session.connection().execute(MOVED, {"game": game.id, **moved})
    if deed.mail is not None:
        deed.mail.state = "played"
    letters = letters_of(history, before, deed.door, deed.seat, deed.run, deed.mail)
    postman.queue(office, session, game, letters, now)
    session.commit()
    office.shelf.put(game.id, history)
    office.wake()
    return history


def letters_of(
    history: History, before: Position | None, door: str, actor: int | None, run: Run, mail: Incoming | None
) -> Iterator[postman.Occasion]:
    """The letters that an act causes: to whom, and about what."""
    assert history.position is not None
    table = history.position.table
    everybody = range(len(table.names))
    if mail is not None and actor is not None:
        why = "" if run.refusal is None else str(run.refusal)
        report = {"done": run.done, "undone": run.undone, "why": why}
        yield postman.Occasion(actor, "answer", report, mail)
    if door == "clock":
        detail = {"seat": actor, "done": run.done}
        yield from (postman.Occasion(seat, "time_passed", detail) for seat in everybody)
    if table.over:
        yield from (postman.Occasion(seat, "over") for seat in everybody)
        return
    if before is None:
        yield from (postman.Occasion(seat, "welcome") for seat in everybody if seat != table.seat)
    if mail is None or actor != table.seat:
        yield postman.Occasion(table.seat, "turn")
