"""The one way to move: button, link, reply, house and clock all come through here.

`play` has lines run on a scratch position (dry_run.py), and writes the act, the game's row and every letter
it causes in one transaction. It knows no Flask and no mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select, update
from sqlmodel import Session

from emails.i18n import gettext, gettext_noop
from emails.letters.kinds import LetterKind
from emails.letters.renderer import translate_order
from emails.wording import phrases, questions
from emails.wording.requests import Request
from engine import codec
from engine.actions import Action, ActionRefused, Ambiguous, Illegal
from engine.notation.parser import NO_NUMBERS
from engine.notation.tokens import NumberMeanings
from engine.position import Position, View
from server.outbox.letter_details import AnswerDetail, TimePassedDetail
from server.outbox.letter_traits import HALF_PLAYED_DELAY
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.store.context import Context
from server.store.event_log import EventJson, append
from server.store.histories import StartedHistory, require_started
from server.store.models import Game, IncomingMail
from server.store.projection import project_history
from server.store.refusals import GameNotRunning, StalePosition
from server.store.states import Channel, MailState, ServerFact
from server.turns.dry_run import DryRun, LinesRefused, simulate_lines, simulate_turn

ALREADY_RESIGNED = gettext_noop("you have resigned from this game, and a caretaker plays for you")
"""Said of each order of such a player."""


@dataclass(frozen=True, slots=True)
class PlayResult:
    """An accepted message: what was done and where the game is now."""

    run: DryRun
    history: StartedHistory


def play(
    context: Context,
    game_id: str,
    seat: int,
    after: int,
    lines: Sequence[str],
    door: Channel,
    now: datetime,
    mail: int | None = None,
    also: SideEffect | None = None,
    numbers: NumberMeanings = NO_NUMBERS,
) -> PlayResult:
    """Do what a player says, in the position after act `after`.

    `mail` is the incoming mail that says it, `also` what else it does in the same transaction; what that
    raises undoes all. `numbers`: what each stands for in the letter that is answered. Raises
    `GameNotRunning`, `StalePosition` when the game has moved on since the player saw it, or `LinesRefused`
    with the line and the reason; then nothing was done.
    """
    said = "; ".join(lines)
    with context.writing() as session:
        game, history = _load_running_game(context, session, game_id, after)
        if seat in history.resigned:
            raise LinesRefused(said, ActionRefused(ALREADY_RESIGNED))
        run = simulate_lines(history.position, seat, lines, context.pick_card, numbers)
        if not run.done:
            raise LinesRefused(said, Illegal("3.1", "there is no action in it"))
        incoming = None if mail is None else session.get_one(IncomingMail, mail)
        return PlayResult(
            run,
            _write_act(
                context,
                session,
                game,
                history,
                PendingAct(seat, door, said, run, mail=incoming, also=also),
                now,
            ),
        )


def play_turn(
    context: Context, game_id: str, after: int, choose: Callable[[View], Action], door: Channel, now: datetime
) -> PlayResult:
    """Play the rest of the turn for its seat: a house seat's, or one whose time has passed (door `clock`).

    Raises `GameNotRunning` or `StalePosition`.
    """
    with context.reading() as session:
        _, history = _load_running_game(context, session, game_id, after)
    seat = history.position.table.seat
    run = simulate_turn(
        history.position, choose, context.pick_card
    )  # takes its time, so nobody else is kept waiting meanwhile
    own: tuple[EventJson, ...] = (
        ({"type": ServerFact.TIMED_OUT, "seat": seat},) if door == Channel.CLOCK else ()
    )
    with context.writing() as session:
        game, history = _load_running_game(context, session, game_id, after)
        deed = PendingAct(seat, door, "; ".join(run.done), run, own)
        return PlayResult(run, _write_act(context, session, game, history, deed, now))


# Plain statements: through the ORM the row of the game alone would take half of the time of an act.
GAME_TABLE = Game.__table__  # type: ignore[attr-defined]
SELECT_GAME = select(GAME_TABLE).where(GAME_TABLE.c.id == bindparam("game"))
PROJECTED_COLUMNS = ("seq", "after", "status", "turn", "seat", "turn_began_at", "deadline", "reminded")
UPDATE_GAME = (
    update(GAME_TABLE)
    .where(GAME_TABLE.c.id == bindparam("game"))
    .values({name: bindparam(f"new_{name}") for name in PROJECTED_COLUMNS})
)


def _load_running_game(
    context: Context, session: Session, game_id: str, after: int
) -> tuple[Game, StartedHistory]:
    row = session.connection().execute(SELECT_GAME, {"game": game_id}).mappings().first()
    if row is None or not row["status"].has_begun:
        raise GameNotRunning
    game = Game(**row)
    history = context.history_of(session, game)
    if history.after != after:
        raise StalePosition
    return game, require_started(history)


@dataclass(frozen=True, slots=True)
class MailReport:
    """What the answer to a mail says beside what was played."""

    posted: tuple[str, ...] = ()
    """A sentence about each message to other players."""
    asked: tuple[Request, ...] = ()
    """What is to be shown."""


NOTHING_MORE = MailReport()
SideEffect = Callable[[Session, Game], MailReport]
"""Something that is done with an act; gives what the answer says of it, in the language of its reader."""


@dataclass(frozen=True, slots=True)
class PendingAct:
    """An act before it is written."""

    seat: int
    channel: Channel
    text: str
    run: DryRun
    server_events: tuple[EventJson, ...] = ()
    """The server's own facts, which come first."""
    mail: IncomingMail | None = None
    also: SideEffect | None = None


def _write_act(
    context: Context, session: Session, game: Game, history: StartedHistory, deed: PendingAct, now: datetime
) -> StartedHistory:
    """Write an act with its letters, commit, and wake whoever has to go on."""
    board, before = context.board_of(game), history.position
    written = append(
        session,
        game.id,
        board,
        history,
        at=now,
        seat=deed.seat,
        door=deed.channel,
        said=deed.text,
        facts=[*deed.server_events, *(codec.encode(event, board) for event in deed.run.events)],
    )
    history = require_started(written)
    project_history(game, history, now)
    moved = {f"new_{name}": getattr(game, name) for name in PROJECTED_COLUMNS}
    session.connection().execute(UPDATE_GAME, {"game": game.id, **moved})
    if deed.mail is not None:
        deed.mail.state = MailState.PLAYED
    more = deed.also(session, game) if deed.also is not None else NOTHING_MORE
    letters = notifications_of(history, before, deed.channel, deed.seat, deed.run, deed.mail, more)
    queue_letters(context, session, game, letters, now)
    session.commit()
    context.history_cache.put(game.id, history)
    context.wake()
    return history


def _report(run: DryRun, after: int, more: MailReport) -> AnswerDetail:
    """What became of a mail, in the language of its writer."""
    undone = tuple(translate_order(words) for words in run.undone)
    why, question = "" if run.refusal is None else phrases.explain_refusal(run.refusal), None
    if isinstance(run.refusal, Ambiguous) and run.resume_point is not None:
        why = gettext("it could mean several things")
        halt = run.resume_point
        question = questions.ask_which(run.refusal, halt.known, halt.before, halt.rest)
    return AnswerDetail(tuple(run.done), undone, why, after, question, more.posted, more.asked)


def notifications_of(
    history: StartedHistory,
    before: Position | None,
    door: Channel,
    actor: int | None,
    run: DryRun,
    mail: IncomingMail | None,
    more: MailReport = NOTHING_MORE,
) -> Iterator[Notification]:
    """The letters that an act causes: to whom, and about what; `more`: what the answer says beside."""
    table = history.position.table
    everybody = range(len(table.names))
    if mail is not None and actor is not None:
        yield Notification(actor, _report(run, history.after, more), mail)
    if door == Channel.CLOCK:
        assert actor is not None
        yield from (Notification(seat, TimePassedDetail(actor)) for seat in everybody)
    if table.over:
        yield from (Notification(seat, LetterKind.GAME_OVER) for seat in everybody)
        return
    if before is None:
        yield from (Notification(seat, LetterKind.WELCOME) for seat in everybody if seat != table.seat)
    if actor != table.seat:  # they see what they do themselves, on the page or in the answer
        yield Notification(table.seat, LetterKind.YOUR_TURN)
    elif mail is None:  # in the middle of their turn
        yield Notification(table.seat, LetterKind.STEP, later=HALF_PLAYED_DELAY)
    if before is not None and table.turn != before.table.turn and door != Channel.CLOCK:
        yield from (
            Notification(seat, LetterKind.NEWS) for seat in everybody if seat not in (actor, table.seat)
        )
