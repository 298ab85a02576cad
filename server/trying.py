"""What words would bring about: read against what the player sees, and run in order on a scratch position.

Nothing is stored here; play.py does that with what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine import notation
from engine.actions import Action, Illegal, Refusal
from engine.cards import Bag, Chance, Symbol
from engine.events import CardDrawn, CardOpened, Event, GameEnded, SupplyRenewed, TurnEnded
from engine.evolve import evolve
from engine.position import Position, View
from engine.rules import decide, due, perform
from engine.views import view

MOST_LINES = 20
"""Lines a message may hold; a whole turn has four."""


class Refused(Exception):
    """Nothing of a message was done: this line of it could not be."""

    def __init__(self, line: str, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.line = line
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Run:
    """What a message brings about on a scratch position."""

    events: tuple[Event, ...]
    done: tuple[str, ...]
    """The actions done, in canonical text."""
    undone: tuple[str, ...] = ()
    """The lines not done because of `refusal`, which followed a reveal (8.3)."""
    refusal: Refusal | None = None


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
