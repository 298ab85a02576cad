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
from engine.notation import grammar, parser
from engine.notation.lexer import CANONICAL_VOCABULARY, Vocabulary
from engine.notation.orders import Order, OrderLine, Verb, write
from engine.position import Phase, Position, View, view
from engine.rules import due, perform, play_out
from server.store.models import Draft, Game, table_of
from server.store.refusals import Refusal, RefusalCode

MOST_ACTIONS = 20
"""Actions that a message may hold; a whole turn has four."""
ALREADY_RESIGNED = gettext_noop("you have resigned from this game, and a caretaker plays for you")
"""Said of each order of such a player."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """Where a message came to a halt: what is needed to ask its writer and to go on with their answer."""

    known: View
    """What they would know there."""
    before: tuple[str, ...]
    """The actions before it that are not done either, in canonical text."""
    rest: tuple[str, ...]
    """The orders that follow it, in plain English words."""


class LinesRefused(Refusal):
    """Nothing of a message was done: these words of it could not be."""

    code = RefusalCode.ORDERS

    def __init__(self, line: str, refusal: ActionRefused, halt: ResumePoint | None = None) -> None:
        super().__init__(str(refusal))
        self.line = line
        self.refusal = refusal
        self.resume_point = halt
        """None where the words cannot be read at all."""

    @property
    def sentence(self) -> str:
        """Why, in the language spoken."""
        return refusal_sentence(self.refusal)


class PlayerResigned(LinesRefused):
    """The orders are those of a player who has given the game up."""

    def __init__(self, lines: Sequence[OrderLine]) -> None:
        super().__init__(join_words(lines), ActionRefused(ALREADY_RESIGNED))


def join_words(lines: Sequence[OrderLine]) -> str:
    """The words of lines, in one."""
    return "; ".join(line.words for line in lines)


def refusal_sentence(refusal: ActionRefused) -> str:
    """Why an action is refused, as a whole sentence in the language spoken."""
    why = phrases.capitalize_first(phrases.explain_refusal(refusal))
    return why if why.endswith("?") else f"{why}."


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a message brings about on a scratch position."""

    events: tuple[Event, ...]
    done: tuple[str, ...]
    """The actions done, in canonical text."""
    undone: tuple[str, ...] = ()
    """The words not done because of `refusal`, which followed a reveal (8.3)."""
    refusal: ActionRefused | None = None
    resume_point: ResumePoint | None = None


@dataclass(frozen=True, slots=True)
class _WaitingAction:
    """One action as it was said."""

    words: str
    said: Order
    action: Action | None = None
    """What it means, once that is known."""


def simulate_orders(position: Position, seat: int, lines: Sequence[OrderLine], chance: Chance) -> DryRun:
    """Do the orders of these lines, as far as they can be done.

    Raises `LinesRefused` when a line cannot be read, or cannot be done before anything was revealed.
    """
    board = position.table.board
    waiting = _queue_actions(lines, board)
    if len(waiting) > 1 or any(step.said.verb == Verb.MARCH for step in waiting):
        # what is known to be impossible is refused before a card is turned
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
    """What a step means where it is its turn, and the steps that are left of it; raises `ActionRefused`."""
    if step.action is not None:
        return step.action, []
    known = view(position, seat)
    first, *more = grammar.expand_order(step.said, known)
    rest = [_WaitingAction(step.words, said) for said in reversed(more)]
    return grammar.resolve(first, known), rest


def _resume_point(
    known: View, before: Iterable[str], step: _WaitingAction, waiting: Iterable[_WaitingAction]
) -> ResumePoint:
    asked = (
        known.table.phase is Phase.CARD and step.said.verb == Verb.MARCH
    )  # for its card: it is still to come
    rest = (parser.spell_out(one.said, known.table.board) for one in ([step] if asked else []) + [*waiting])
    return ResumePoint(known, tuple(before), tuple(rest))


def _queue_actions(lines: Sequence[OrderLine], board: Board) -> deque[_WaitingAction]:
    """The actions that lines say. Letters stand in full words, for they mean nothing elsewhere."""
    steps: deque[_WaitingAction] = deque()
    for line in lines:
        if line.refusal is not None:
            raise LinesRefused(line.words, line.refusal)
        whole = len(line.orders) == 1 and not line.marks
        for said in line.orders:
            steps.append(_WaitingAction(line.words if whole else parser.spell_out(said, board), said))
    if len(steps) > MOST_ACTIONS:
        raise LinesRefused(steps[MOST_ACTIONS].words, Illegal("3.1", "a turn has not so many actions"))
    return steps


def simulate_turn(position: Position, choose: Callable[[View], Action], chance: Chance) -> DryRun:
    """Play what is left of the turn as `choose` says; its actions must be legal."""
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
    """The game as it would be after some lines, as far as nothing hidden is needed for it."""

    position: Position
    events: tuple[Event, ...]
    done: tuple[str, ...]
    hidden: bool
    """Whether it stops at a card that nobody has seen yet (8.3)."""
    left: tuple[str, ...] = ()
    """The words that come after such a card."""


def preview(
    position: Position, seat: int, lines: Sequence[str], vocabulary: Vocabulary = CANONICAL_VOCABULARY
) -> Preview:
    """What lines would bring about; changes nothing, throws no dice. Raises `LinesRefused`."""
    if position.table.seat != seat or position.table.over:
        raise LinesRefused(lines[0] if lines else "", Illegal("3.1", "it is not your turn"))
    board = position.table.board
    orders = parser.parse_lines(lines, board, vocabulary)
    return _preview_actions(position, seat, _queue_actions(orders, board))[0]


def _preview_actions(
    position: Position, seat: int, steps: Iterable[_WaitingAction]
) -> tuple[Preview, deque[_WaitingAction]]:
    """What steps would bring about, and the same steps, with their meaning as far as it is known."""
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
            if hidden and step.said.verb in (
                Verb.TAKE,
                None,
            ):  # it may be the card that nobody has seen yet
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
"""A plain statement, for every act has it done."""
SELECT_DRAFT = select(DRAFT_TABLE.c.words).where(
    DRAFT_TABLE.c.game == bindparam("of"),
    DRAFT_TABLE.c.seat == bindparam("by"),
    DRAFT_TABLE.c.after == bindparam("at"),
)
"""The same for every page of a turn."""
SEPARATOR = "; "
"""Between the actions of a draft."""


@dataclass(frozen=True, slots=True)
class DraftedTurn:
    """Actions as far as they can be undone, the position they lead to, and what is left of them."""

    kept: tuple[str, ...]
    """In canonical text."""
    later: tuple[str, ...]
    """From the first action on that draws a card or ends the turn."""
    seen: Preview

    @property
    def words(self) -> str:
        """What is kept, in one line."""
        return SEPARATOR.join(self.kept)


def compile_draft(position: Position, seat: int, lines: Sequence[str]) -> DraftedTurn:
    """What can be kept of lines that say the turn from its position on. Raises `LinesRefused`."""
    if len(lines) > MOST_ACTIONS:
        raise LinesRefused(lines[MOST_ACTIONS], Illegal("3.1", "a turn has not so many actions"))
    seen = preview(position, seat, lines)
    board = position.table.board
    final = (write(Draw(), board), write(End(), board))
    at = next((number for number, words in enumerate(seen.done) if words in final), len(seen.done))
    return DraftedTurn(seen.done[:at], (*seen.done[at:], *seen.left), seen)


def load_draft(session: Session, game: Game, seat: int) -> tuple[str, ...]:
    """The actions that a player has drafted in the position of now; none where they have not begun."""
    if game.seat != seat:
        return ()
    words = session.connection().execute(SELECT_DRAFT, {"of": game.id, "by": seat, "at": game.after}).scalar()
    return tuple(words.split(SEPARATOR)) if words else ()


def mark_draft(words: str) -> str:
    """By what the pages of its player tell this draft from another; empty for none."""
    return f"{crc32(words.encode()):x}" if words else ""


def keep_draft(session: Session, game: Game, seat: int, kept: Sequence[str], now: datetime) -> None:
    """Keep a draft instead of the one that was there; none where it is empty. The caller commits."""
    if not kept:
        delete_drafts(session, game.id)
        return
    row = Draft(game=game.id, seat=seat, after=game.after, words=SEPARATOR.join(kept), changed_at=now)
    session.merge(row)


def delete_drafts(session: Session, game: str) -> None:
    """Delete the drafts of a game: an act has made them void."""
    session.connection().execute(DELETE_DRAFTS, {"of": game})
