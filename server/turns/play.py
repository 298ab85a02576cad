"""The one way to move: button, link, reply, bots and clock all come through here.

`play` has orders run on a scratch position (dry_run.py), and writes the act, the game's row and the letters
it causes into a unit of work, which its caller commits. It knows no Flask, no mail and no chat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, inspect, select, update
from sqlmodel import Session

from emails.i18n import gettext_noop
from emails.letters.kinds import LetterKind
from engine.actions import Action, ActionRefused, Illegal
from engine.notation.orders import OrderLine
from engine.position import Table, View
from server.outbox.letter_details import TimePassedDetail
from server.outbox.letter_traits import HALF_PLAYED_DELAY
from server.outbox.notifications import Notification
from server.outbox.players import confirm_seated
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.reviews.final_letters import ask_for_review
from server.store.context import Context
from server.store.event_log import EventJson, append
from server.store.histories import History, StartedHistory, require_started
from server.store.models import Game
from server.store.projection import project_history
from server.store.refusals import GameNotRunning, StalePosition, check_not_suspended
from server.store.states import Channel, ServerFact
from server.turns.drafts import delete_drafts
from server.turns.dry_run import DryRun, LinesRefused, simulate_orders, simulate_turn

ALREADY_RESIGNED = gettext_noop("you have resigned from this game, and a caretaker plays for you")
"""Said of each order of such a player."""


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that has begun, as it stands."""

    row: Game
    history: StartedHistory


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What was accepted: what was done and where the game is now."""

    run: DryRun
    history: StartedHistory


def play(
    unit: UnitOfWork, game: RunningGame, seat: int, lines: Sequence[OrderLine], channel: Channel
) -> PlayResult:
    """Do what a player orders. Raises `LinesRefused` with the line and the reason; then nothing was done."""
    check_not_resigned(game.history, seat, lines)
    run = simulate_orders(game.history.position, seat, lines, unit.context.pick_card)
    said = join_words(lines)
    if not run.done:
        raise LinesRefused(said, Illegal("3.1", "there is no action in it"))
    confirm_seated(unit.session, game.row.id, seat, unit.now)
    return _write_act(unit, game, _PendingAct(seat, channel, said, run))


def check_not_resigned(history: History, seat: int, lines: Sequence[OrderLine]) -> None:
    """Refuse the orders of a player who has given the game up; raises `LinesRefused`."""
    if seat in history.resigned:
        raise LinesRefused(join_words(lines), ActionRefused(ALREADY_RESIGNED))


def join_words(lines: Sequence[OrderLine]) -> str:
    """The words of lines, in one."""
    return "; ".join(line.words for line in lines)


def play_turn(
    context: Context,
    game_id: str,
    after: int,
    choose: Callable[[View], Action],
    channel: Channel,
    now: datetime,
) -> PlayResult:
    """Play the rest of the turn for its seat: a bot's, or one whose time has passed (channel `clock`).

    Raises `GameNotRunning`, `GameSuspended` or `StalePosition`.
    """
    with context.reading() as session:
        position = load_running_game(context, session, game_id, after).history.position
    seat = position.table.seat
    run = simulate_turn(
        position, choose, context.pick_card
    )  # takes its time, so nobody else is kept waiting meanwhile
    own: tuple[EventJson, ...] = (
        ({"type": ServerFact.TIMED_OUT, "seat": seat},) if channel == Channel.CLOCK else ()
    )
    with open_unit(context, now) as unit:
        game = load_running_game(context, unit.session, game_id, after)
        played = _write_act(unit, game, _PendingAct(seat, channel, "; ".join(run.done), run, own))
        unit.commit()
    return played


# Plain statements, and a row made as the ORM makes those that it reads: else that of the game alone would
# take half of the time of an act.
GAMES = inspect(Game).class_manager
GAME_TABLE = Game.__table__  # type: ignore[attr-defined]
SELECT_GAME = select(GAME_TABLE).where(GAME_TABLE.c.id == bindparam("game"))
PROJECTED_COLUMNS = (
    "seq",
    "after",
    "status",
    "turn",
    "seat",
    "turn_began_at",
    "deadline",
    "reminded",
    "due_at",
    "ended_at",
    "watched_at",
)
UPDATE_GAME = (
    update(GAME_TABLE)
    .where(GAME_TABLE.c.id == bindparam("game"))
    .values({name: bindparam(f"new_{name}") for name in PROJECTED_COLUMNS})
)


def load_running_game(context: Context, session: Session, game_id: str, after: int) -> RunningGame:
    """A game in the position after act `after`.

    Raises `GameNotRunning`, `GameSuspended`, or `StalePosition` when the game has moved on since then.
    """
    row = session.connection().execute(SELECT_GAME, {"game": game_id}).mappings().first()
    if row is None or not row["status"].has_begun:
        raise GameNotRunning
    game = GAMES.new_instance()
    game.__dict__.update(row)
    check_not_suspended(game)
    history = context.history_of(session, game)
    if history.after != after:
        raise StalePosition
    return RunningGame(game, require_started(history))


@dataclass(frozen=True, slots=True)
class _PendingAct:
    """An act before it is written."""

    seat: int
    channel: Channel
    text: str
    run: DryRun
    server_events: tuple[EventJson, ...] = ()
    """The server's own facts, which come first."""


def _write_act(unit: UnitOfWork, game: RunningGame, act: _PendingAct) -> PlayResult:
    """Write an act with the letters that it causes."""
    board, row = game.history.position.table.board, game.row
    written = append(
        unit.session,
        row.id,
        board,
        game.history,
        at=unit.now,
        seat=act.seat,
        door=act.channel,
        said=act.text,
        facts=[*act.server_events, *act.run.events],
    )
    history = require_started(written)
    project_history(row, history, unit.now)
    moved = {f"new_{name}": getattr(row, name) for name in PROJECTED_COLUMNS}
    unit.session.connection().execute(UPDATE_GAME, {"game": row.id, **moved})
    delete_drafts(unit.session, row.id)
    unit.keep_history(row.id, history)
    unit.note_act(row.id, history.seq, act.seat, act.channel)
    before, after = game.history.position.table, history.position.table
    later = ask_for_review(unit, row.id) if after.over else timedelta(0)
    unit.tell(row, _letters_of_act(before, after, act, later))
    return PlayResult(act.run, history)


# --- letters --------------------------------------------------------------------------------------------

ANSWERED_CHANNELS = frozenset({Channel.REPLY})
"""Those by which a player gets an answer that shows how the game stands."""


def letters_of_start(table: Table) -> Iterator[Notification]:
    """The letters that tell that a game has begun."""
    yield from (
        Notification(seat, LetterKind.WELCOME) for seat in range(len(table.names)) if seat != table.seat
    )
    yield Notification(table.seat, LetterKind.YOUR_TURN)


def _letters_of_act(
    before: Table, table: Table, act: _PendingAct, later: timedelta
) -> Iterator[Notification]:
    """The letters that an act causes: to whom, and about what; that of the end comes so much `later`."""
    everybody = range(len(table.names))
    if act.channel == Channel.CLOCK:
        yield from (Notification(seat, TimePassedDetail(act.seat)) for seat in everybody)
    if table.over:
        yield from (Notification(seat, LetterKind.GAME_OVER, later=later) for seat in everybody)
        return
    yield from _letter_of_turn(table, act)
    if table.turn != before.turn and act.channel != Channel.CLOCK:
        yield from (
            Notification(seat, LetterKind.NEWS) for seat in everybody if seat not in (act.seat, table.seat)
        )


def _letter_of_turn(table: Table, act: _PendingAct) -> Iterator[Notification]:
    """The letter to whoever is to move; they see what they do themselves, on the page or in the answer."""
    if act.seat != table.seat:
        yield Notification(table.seat, LetterKind.YOUR_TURN)
    elif act.channel not in ANSWERED_CHANNELS:  # in the middle of their turn
        yield Notification(table.seat, LetterKind.STEP, later=HALF_PLAYED_DELAY)
