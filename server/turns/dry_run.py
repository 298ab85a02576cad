"""What words would bring about: read against what the player sees, and run in order on a scratch position.

Nothing is stored here; play.py does that with what comes out.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.actions import Action, Illegal, Refusal
from engine.board import Board
from engine.cards import Bag, Chance, Symbol
from engine.events import CardDrawn, CardOpened, Event, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.notation import grammar, parser
from engine.notation.parser import BARE, NO_NUMBERS, Numbers, Said
from engine.position import Phase, Position, View
from engine.rules import decide, due, perform
from engine.views import view

MOST_STEPS = 20
"""Actions that a message may hold; a whole turn has four."""
NUMBER = re.compile(r"(?<![A-Za-z\d])\d+")
"""One that is no part of a point's name."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Where a message came to a halt: what is needed to ask its writer and to go on with his answer."""

    known: View
    """What he would know there."""
    before: tuple[str, ...]
    """The actions before it that are not done either, in canonical text."""
    rest: tuple[str, ...]
    """The orders that follow it, in plain English words."""


class Refused(Exception):
    """Nothing of a message was done: these words of it could not be."""

    def __init__(self, line: str, refusal: Refusal, halt: Halt | None = None) -> None:
        super().__init__(str(refusal))
        self.line = line
        self.refusal = refusal
        self.halt = halt
        """None where the words cannot be read at all."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a message brings about on a scratch position."""

    events: tuple[Event, ...]
    done: tuple[str, ...]
    """The actions done, in canonical text."""
    undone: tuple[str, ...] = ()
    """The words not done because of `refusal`, which followed a reveal (8.3)."""
    refusal: Refusal | None = None
    halt: Halt | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """One action as it was said."""

    words: str
    said: Said


def run_lines(
    position: Position, seat: int, lines: Sequence[str], chance: Chance, numbers: Numbers = NO_NUMBERS
) -> Run:
    """Read and do the lines in order, as far as they can be done.

    `numbers`: what each number stands for in the letter that is answered. Raises `Refused` when a line cannot
    be read, or cannot be done before anything was revealed.
    """
    board = position.table.board
    waiting = _steps(lines, board, numbers)
    if len(waiting) > 1 or any(step.said.verb == "march" for step in waiting):
        _preview(position, seat, waiting)  # what is known to be impossible is refused before a card is turned
    events: list[Event] = []
    done: list[str] = []
    revealed = False
    turn = position.table.turn
    while waiting:
        step = waiting.popleft()
        known = view(position, seat)
        try:
            if position.table.over or position.table.turn != turn:
                if step.said.verb == "end":
                    break
                raise Illegal("3.1", "your turn is over")
            first, *more = grammar.steps(step.said, known)
            action = grammar.resolve(first, known)
            happened = decide(position, seat, action, chance)
        except Refusal as refusal:
            if not revealed:
                raise Refused(step.words, refusal, _halt(known, done, step, waiting)) from None
            undone = (step.words, *(later.words for later in waiting))
            return Run(tuple(events), tuple(done), undone, refusal, _halt(known, (), step, waiting))
        waiting.extendleft(_Step(step.words, said) for said in reversed(more))
        for event in happened:
            position = evolve(position, event)
            revealed = revealed or isinstance(event, CardDrawn | CardOpened)
        events += happened
        done.append(grammar.write(action, board))
    return Run(tuple(events), tuple(done))


def _halt(known: View, before: Iterable[str], step: _Step, waiting: Iterable[_Step]) -> Halt:
    asked = known.table.phase is Phase.CARD and step.said.verb == "march"  # for its card: it is still to come
    rest = (parser.spelled(one.said, known.table.board) for one in ([step] if asked else []) + [*waiting])
    return Halt(known, tuple(before), tuple(rest))


def _steps(lines: Sequence[str], board: Board, numbers: Numbers) -> deque[_Step]:
    """The actions that lines say. Numbers stand in full words, for they mean nothing in another letter."""
    steps: deque[_Step] = deque()
    for line in lines:
        try:
            found = parser.parse(line, board, numbers)
        except Refusal as refusal:
            raise Refused(line, refusal) from None
        whole = len(found) == 1 and not (numbers and NUMBER.search(line))
        steps.extend(_Step(line if whole else parser.spelled(said, board), said) for said in found)
    if len(steps) > MOST_STEPS:
        raise Refused(steps[MOST_STEPS].words, Illegal("3.1", "a turn has not so many actions"))
    return steps


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
        done.append(grammar.write(action, table.board))
    return Run(tuple(events), tuple(done))


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


def preview(position: Position, seat: int, lines: Sequence[str]) -> Preview:
    """What lines would bring about; changes nothing, throws no dice. Raises `Refused`."""
    if position.table.seat != seat or position.table.over:
        raise Refused(lines[0] if lines else "", Illegal("3.1", "it is not your turn"))
    return _preview(position, seat, _steps(lines, position.table.board, NO_NUMBERS))


def _preview(position: Position, seat: int, steps: Iterable[_Step]) -> Preview:
    waiting = deque(steps)
    events: list[Event] = []
    done: list[str] = []
    hidden = ended = False
    while waiting:
        step = waiting.popleft()
        known = view(position, seat)
        try:
            if ended or due(position) is TurnEnded:
                if step.said.verb == "end":
                    break
                raise Illegal("3.1", "your turn is over")
            first, *more = grammar.steps(step.said, known)
            action = grammar.resolve(first, known)
            event = perform(position, action, _any_card)
        except Refusal as refusal:
            if hidden and step.said.verb in ("take", BARE):  # it may be the card that nobody has seen yet
                waiting.appendleft(step)
                break
            raise Refused(step.words, refusal, _halt(known, done, step, waiting)) from None
        waiting.extendleft(_Step(step.words, said) for said in reversed(more))
        done.append(grammar.write(action, position.table.board))
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
    return Preview(position, tuple(events), tuple(done), hidden, tuple(step.words for step in waiting))


def _any_card(bag: Bag) -> Symbol:
    """Stands for the card that would be drawn, so that drawing can be judged; nobody keeps it."""
    return bag.kinds()[0]
