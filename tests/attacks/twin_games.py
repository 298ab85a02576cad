"""Games in two versions that differ only in what one reader may not know: every public fact is the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from engine.board import Board
from engine.cards import ONE, SYMBOLS, Bag, Symbol
from engine.events import CardDrawn, Event, GameStarted, SupplyRenewed
from engine.evolve import evolve, start
from engine.notation.orders import write
from engine.position import Position
from engine.rules import deal, due
from tests.engine.players import TASTES, draw_from, play

TRIES = 60
"""Exchanges of cards that are tried for a twin."""
MOST_ACTS = 90
"""Acts of a game that goes on."""


@dataclass(frozen=True)
class PlayedAct:
    seat: int | None
    words: str
    events: tuple[Event, ...]


Course = tuple[PlayedAct, ...]
"""A game from the deal on."""


@cache
def random_course(board: Board, edition: str, names: tuple[str, ...], taste: str, seed: int) -> Course:
    dice = Random(f"{edition} {len(names)} {taste} {seed}")
    first = deal(board, edition, names, draw_from(dice))
    opening = start(board, first)
    assert due(opening) is None
    found = play(opening, first, TASTES[taste], dice)
    acts = (PlayedAct(act.before.table.seat, write(act.action, board), act.events) for act in found.acts)
    return (PlayedAct(None, "", (first,)), *acts)


def cut(course: Course, dice: Random) -> Course:
    """The game up to some act: of eight one to its end, one at its beginning."""
    die = dice.random()
    if die < 1 / 8:
        return course
    most = 12 if die < 1 / 4 else MOST_ACTS
    return course[: dice.randint(2, min(most, len(course) - 1))]


def events_of(course: Course) -> list[Event]:
    return [event for act in course for event in act.events]


def position_of(board: Board, course: Course) -> Position:
    return positions_of(board, events_of(course))[-1]


def positions_of(board: Board, events: Sequence[Event]) -> list[Position]:
    assert isinstance(events[0], GameStarted)
    found = [start(board, events[0])]
    for event in events[1:]:
        found.append(evolve(found[-1], event))
    return found


@dataclass(frozen=True)
class Slot:
    """A card that went unseen by the reader into somebody's hand, dealt or drawn."""

    event: int
    seat: int
    card: Symbol


def twin(board: Board, course: Course, me: int | None, dice: Random) -> Course:
    """The same game with other cards where `me` (None: a spectator) saw none; each fact is still possible."""
    events = events_of(course)
    positions = positions_of(board, events)
    begins = [0, *(number for number, event in enumerate(events) if isinstance(event, SupplyRenewed))]
    for _ in range(TRIES):
        slots = _hidden_slots(events, me)
        one = dice.choice(slots)
        since = max(begun for begun in begins if begun <= one.event)
        until = min((begun for begun in begins if begun > one.event), default=len(events))
        card = dice.choice(SYMBOLS)
        changes = [(one, card)]
        others = [slot for slot in slots if since <= slot.event < until and slot.card == card]
        if others and (until < len(events) or dice.random() < 0.5):
            changes.append((dice.choice(others), one.card))
        elif until < len(events):  # the supply ran out: each of its cards is in some hand
            continue
        _try_exchange(events, positions, changes, until)
    return _same_acts(course, events)


def _hidden_slots(events: Sequence[Event], me: int | None) -> list[Slot]:
    first = events[0]
    assert isinstance(first, GameStarted)
    dealt = [Slot(0, seat, hand.kinds()[0]) for seat, hand in enumerate(first.hands) if seat != me]
    drawn = [
        Slot(number, event.seat, event.card)
        for number, event in enumerate(events)
        if isinstance(event, CardDrawn) and event.seat != me
    ]
    return dealt + drawn


def _try_exchange(
    events: list[Event], positions: list[Position], changes: Sequence[tuple[Slot, Symbol]], until: int
) -> None:
    """Let slots hold other cards, where every hand and the supply still cover what leaves them."""
    found = {
        number: _exchanged(positions[number], changes, number, until)
        for number in range(min(slot.event for slot, _ in changes), len(positions))
    }
    if any(min(bag.counts) < 0 for now in found.values() for bag in (*now.hands, now.supply)):
        return
    for number, now in found.items():
        positions[number] = now
    for slot, card in changes:
        event = events[slot.event]
        if isinstance(event, GameStarted):
            hands = (*event.hands[: slot.seat], ONE[card], *event.hands[slot.seat + 1 :])
            events[slot.event] = replace(event, hands=hands)
        else:
            events[slot.event] = CardDrawn(slot.seat, card)


def _exchanged(now: Position, changes: Sequence[tuple[Slot, Symbol]], number: int, until: int) -> Position:
    hands, supply = list(now.hands), now.supply
    for slot, card in changes:
        if slot.event <= number:
            hands[slot.seat] = hands[slot.seat] - ONE[slot.card] + ONE[card]
            if number < until:
                supply = supply + ONE[slot.card] - ONE[card]
    return Position(now.table, tuple(hands), supply)


def _same_acts(course: Course, events: Sequence[Event]) -> Course:
    found, at = list[PlayedAct](), 0
    for act in course:
        found.append(replace(act, events=tuple(events[at : at + len(act.events)])))
        at += len(act.events)
    return tuple(found)


def hidden_part(now: Position, me: int | None) -> tuple[Bag | None, ...]:
    return (*(None if seat == me else hand for seat, hand in enumerate(now.hands)), now.supply)
