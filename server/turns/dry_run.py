"""Dry run of orders on a scratch position, and drafts of a turn that can still be undone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zlib import crc32

from sqlalchemy import bindparam, delete, select
from sqlmodel import Session

from emails.i18n import gettext_noop
from emails.wording import phrases
from engine.actions import Action, ActionRefused, Draw, End, Illegal
from engine.board import Board
from engine.cards import Chance, any_card
from engine.events import CardDrawn, CardOpened, Event, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.notation import grammar
from engine.notation.orders import Order, OrderLine, Verb, spell_out, write
from engine.notation.parser import parse_lines
from engine.notation.vocabulary import CANONICAL_VOCABULARY, Vocabulary
from engine.position import Phase, Position, View, view
from engine.rules import due, perform, play_out
from server.store.event_log import Refusal, RefusalCode
from server.store.models import Draft, Game, table_of

MOST_ACTIONS = 20
ALREADY_RESIGNED = gettext_noop("you have resigned from this game, and a caretaker plays for you")


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The action at which orders stopped to ask their sender, and the data to go on with the answer."""

    known: View
    before: tuple[str, ...]
    """Actions of the message before the stop, in canonical text; none of them was performed."""
    rest: tuple[str, ...]


class LinesRefused(Refusal):
    """A message had no effect, because the words in `line` cannot be performed."""

    code = RefusalCode.ORDERS

    def __init__(self, line: str, refusal: ActionRefused, halt: ResumePoint | None = None) -> None:
        super().__init__(str(refusal))
        self.line = line
        self.refusal = refusal
        self.resume_point = halt

    @property
    def sentence(self) -> str:
        return refusal_sentence(self.refusal)


class PlayerResigned(LinesRefused):
    def __init__(self, lines: Sequence[OrderLine]) -> None:
        super().__init__("; ".join(line.words for line in lines), ActionRefused(ALREADY_RESIGNED))


def refusal_sentence(refusal: ActionRefused) -> str:
    why = phrases.capitalize_first(phrases.explain_refusal(refusal))
    return why if why.endswith("?") else f"{why}."


@dataclass(frozen=True, slots=True)
class DryRun:
    events: tuple[Event, ...]
    done: tuple[str, ...]
    """Performed actions, in canonical text."""
    undone: tuple[str, ...] = ()
    """The rest of the words, not performed: `refusal` stopped them after a card was revealed (rule 8.3)."""
    refusal: ActionRefused | None = None
    resume_point: ResumePoint | None = None


@dataclass(frozen=True, slots=True)
class _WaitingAction:
    """One action as written by the player."""

    words: str
    said: Order
    action: Action | None = None


def simulate_orders(position: Position, seat: int, lines: Sequence[OrderLine], chance: Chance) -> DryRun:
    """Perform orders on a scratch position, as far as possible.

    Raises `LinesRefused` if a line cannot be read. Also raises it if an action is impossible, unless a card
    was revealed before: then the result has the `refusal`.
    """
    board = position.table.board
    waiting = _queue_actions(lines, board)
    if len(waiting) > 1 or any(step.said.verb == Verb.MARCH for step in waiting):
        # Refuse impossible orders before a card is revealed.
        _, waiting = _preview_actions(position, seat, waiting)
    events: list[Event] = []
    done: list[str] = []
    revealed = False
    turn = position.table.turn
    while waiting:
        step = waiting.popleft()
        try:
            if position.table.over or position.table.turn != turn:
                if step.said.verb == Verb.END:
                    break
                raise Illegal("3.1", "your turn is over")
            action, more = _resolve(step, position, seat)
            happened, after = play_out(position, seat, action, chance)
        except ActionRefused as refusal:
            known = view(position, seat)
            if not revealed:
                raise LinesRefused(step.words, refusal, _resume_point(known, done, step, waiting)) from None
            undone = (step.words, *(later.words for later in waiting))
            return DryRun(
                tuple(events), tuple(done), undone, refusal, _resume_point(known, (), step, waiting)
            )
        waiting.extendleft(more)
        position = after
        revealed = revealed or any(isinstance(event, CardDrawn | CardOpened) for event in happened)
        events += happened
        done.append(write(action, board))
    return DryRun(tuple(events), tuple(done))


def _resolve(step: _WaitingAction, position: Position, seat: int) -> tuple[Action, list[_WaitingAction]]:
    if step.action is not None:
        return step.action, []
    action, more = grammar.resolve(step.said, view(position, seat))
    return action, [_WaitingAction(step.words, said) for said in more]


def _resume_point(
    known: View, before: Iterable[str], step: _WaitingAction, waiting: Iterable[_WaitingAction]
) -> ResumePoint:
    # The question is about the card that must come first, so the march remains to be performed.
    asked = known.table.phase is Phase.CARD and step.said.verb == Verb.MARCH
    rest = (spell_out(one.said, known.table.board) for one in ([step] if asked else []) + [*waiting])
    return ResumePoint(known, tuple(before), tuple(rest))


def _queue_actions(lines: Sequence[OrderLine], board: Board) -> deque[_WaitingAction]:
    steps: deque[_WaitingAction] = deque()
    for line in lines:
        if line.refusal is not None:
            raise LinesRefused(line.words, line.refusal)
        whole = len(line.orders) == 1 and not line.marks
        for said in line.orders:
            steps.append(_WaitingAction(line.words if whole else spell_out(said, board), said))
    if len(steps) > MOST_ACTIONS:
        raise LinesRefused(steps[MOST_ACTIONS].words, Illegal("3.1", "a turn has not so many actions"))
    return steps


def simulate_turn(position: Position, choose: Callable[[View], Action], chance: Chance) -> DryRun:
    """Play the rest of a turn with actions from `choose`, which must be legal."""
    table = position.table
    seat, turn = table.seat, table.turn
    events: list[Event] = []
    done: list[str] = []
    while not position.table.over and position.table.turn == turn:
        action = choose(view(position, seat))
        happened, position = play_out(position, seat, action, chance)
        events += happened
        done.append(write(action, table.board))
    return DryRun(tuple(events), tuple(done))


@dataclass(frozen=True, slots=True)
class Preview:
    """Position after some orders, as far as it does not depend on an unrevealed card."""

    position: Position
    events: tuple[Event, ...]
    done: tuple[str, ...]
    hidden: bool
    """True if the preview stops at an unrevealed card (rule 8.3)."""
    left: tuple[str, ...] = ()
    """Words that are not evaluated, since they follow the unrevealed card."""


def preview(
    position: Position, seat: int, lines: Sequence[str], vocabulary: Vocabulary = CANONICAL_VOCABULARY
) -> Preview:
    """Return the effect of lines without changing anything or drawing a card. Raises `LinesRefused`."""
    return preview_orders(position, seat, parse_lines(lines, position.table.board, vocabulary))


def preview_orders(position: Position, seat: int, lines: Sequence[OrderLine]) -> Preview:
    """Return the effect of order lines, as `preview`."""
    if position.table.seat != seat or position.table.over:
        raise LinesRefused(lines[0].words if lines else "", Illegal("3.1", "it is not your turn"))
    return _preview_actions(position, seat, _queue_actions(lines, position.table.board))[0]


def _preview_actions(
    position: Position, seat: int, steps: Iterable[_WaitingAction]
) -> tuple[Preview, deque[_WaitingAction]]:
    waiting = deque(steps)
    resolved: deque[_WaitingAction] = deque()
    events: list[Event] = []
    done: list[str] = []
    hidden = ended = False
    coming = due(position)
    while waiting:
        step = waiting.popleft()
        try:
            if ended or coming is TurnEnded:
                if step.said.verb == Verb.END:
                    resolved.append(step)
                    break
                raise Illegal("3.1", "your turn is over")
            action, more = _resolve(step, position, seat)
            event = perform(position, action, any_card)
        except ActionRefused as refusal:
            if hidden and step.said.verb in (Verb.TAKE, None):  # may be valid with the unrevealed card
                waiting.appendleft(step)
                break
            known = view(position, seat)
            raise LinesRefused(step.words, refusal, _resume_point(known, done, step, waiting)) from None
        waiting.extendleft(more)
        resolved.append(replace(step, action=action))
        done.append(write(action, position.table.board))
        if isinstance(event, CardDrawn):
            hidden = True
            break
        events.append(event)
        ended = isinstance(event, TurnEnded | GameEnded)
        if ended:
            continue
        position = evolve(position, event)
        coming = due(position)
        if coming is SupplyRenewed:
            events.append(SupplyRenewed())
            position = evolve(position, events[-1])
            coming = due(position)
        hidden = hidden or coming is CardOpened
    left = tuple(step.words for step in waiting)
    return Preview(position, tuple(events), tuple(done), hidden, left), resolved + waiting


DRAFT_TABLE = table_of(Draft)
DELETE_DRAFTS = delete(DRAFT_TABLE).where(DRAFT_TABLE.c.game == bindparam("of"))
SELECT_DRAFT = select(DRAFT_TABLE.c.words).where(
    DRAFT_TABLE.c.game == bindparam("of"),
    DRAFT_TABLE.c.seat == bindparam("by"),
    DRAFT_TABLE.c.after == bindparam("at"),
)
SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class DraftedTurn:
    """A drafted turn, split at the first action that cannot be undone."""

    kept: tuple[str, ...]
    """Actions that can be undone, in canonical text."""
    later: tuple[str, ...]
    """Actions from the first that draws a card or ends the turn."""
    seen: Preview

    @property
    def words(self) -> str:
        return SEPARATOR.join(self.kept)


def compile_draft(position: Position, seat: int, lines: Sequence[str]) -> DraftedTurn:
    """Split a turn's lines at the first action that draws a card or ends the turn. Raises `LinesRefused`."""
    if len(lines) > MOST_ACTIONS:
        raise LinesRefused(lines[MOST_ACTIONS], Illegal("3.1", "a turn has not so many actions"))
    seen = preview(position, seat, lines)
    board = position.table.board
    final = (write(Draw(), board), write(End(), board))
    at = next((number for number, words in enumerate(seen.done) if words in final), len(seen.done))
    return DraftedTurn(seen.done[:at], (*seen.done[at:], *seen.left), seen)


def load_draft(session: Session, game: Game, seat: int) -> tuple[str, ...]:
    if game.seat != seat:
        return ()
    words = session.connection().execute(SELECT_DRAFT, {"of": game.id, "by": seat, "at": game.after}).scalar()
    return tuple(words.split(SEPARATOR)) if words else ()


def mark_draft(words: str) -> str:
    """Return a checksum by which a page detects that the draft has changed; empty for an empty draft."""
    return f"{crc32(words.encode()):x}" if words else ""


def keep_draft(session: Session, game: Game, seat: int, kept: Sequence[str], now: datetime) -> None:
    """Store a draft in place of an earlier one; an empty draft deletes it. Does not commit."""
    if not kept:
        delete_drafts(session, game.id)
        return
    row = Draft(game=game.id, seat=seat, after=game.after, words=SEPARATOR.join(kept), changed_at=now)
    session.merge(row)


def delete_drafts(session: Session, game: str) -> None:
    session.connection().execute(DELETE_DRAFTS, {"of": game})
