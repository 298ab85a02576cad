"""What holds of every game when it is written down: in the notation, in the log, and before the checker."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from engine.actions import Illegal
from engine.cards import ONE, SYMBOLS
from engine.event_log import check, check_log, decode, encode
from engine.events import (
    AlexanderMarched,
    CardChosen,
    CardDrawn,
    CardOpened,
    Event,
    GameEnded,
    GameStarted,
    InvalidEvent,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
)
from engine.evolve import start
from engine.notation.orders import write
from engine.position import Position, view
from engine.rules import due, legal
from tests.engine.laws import Law, some
from tests.engine.players import Game
from tests.spoken import VOCABULARIES, read, translate_orders

# --- words ----------------------------------------------------------------------------------------------


def read_after_write(game: Game) -> None:
    for act in some(game, 8):
        known = view(act.before, act.before.table.seat)
        for action in islice(legal(known), 300):
            text = write(action, known.table.board)
            for language in VOCABULARIES:
                assert read(translate_orders(text, language), known) == action, text


def events_survive_the_log(game: Game) -> None:
    board = game.opening.table.board
    for event in (game.first, *(event for _, event in game.steps())):
        line = json.dumps(encode(event, board))
        assert decode(json.loads(line), board) == event
        assert decode(json.loads(line) | {"meta": {"who": ["Anna", 1.5]}}, board) == event


def a_log_of_it_is_accepted(game: Game) -> None:
    board = game.opening.table.board
    if game.opening == start(board, game.first):
        events = [game.first, *(event for _, event in game.steps())]
        lines = [json.dumps(encode(event, board)).encode() for event in events]
        read_back = list(check_log(lines, {board.name: board}))
        assert [event for event, _ in read_back] == events
        assert read_back[-1][1] == game.last


# --- checking -------------------------------------------------------------------------------------------


def wrong(event: Event, now: Position) -> Iterator[Event]:
    """Facts a little different from the one that happened, each certainly wrong."""
    if not isinstance(event, GameStarted | CardOpened | GameEnded) and hasattr(event, "seat"):
        yield replace(event, seat=event.seat + 1)
        yield replace(event, seat=-1)
    match event:
        case AlexanderMarched(_, _, path, walls, red):
            yield replace(event, red=red + 1)
            yield replace(event, path=path[::-1])
            yield replace(event, walls=(*walls, *walls, next(iter(now.table.board.spaces_on))))
            if walls:
                yield replace(event, walls=walls[1:])
        case CardDrawn() | CardOpened():
            yield from (replace(event, card=card) for card in SYMBOLS if card not in now.supply)
        case ProvinceOccupied(_, _, paid) | ProvinceTakenOver(_, _, _, _, paid):
            yield replace(event, paid=paid + ONE[SYMBOLS[0]])
            yield replace(event, guards=())
        case TaxesLevied(_, _, gains):
            yield replace(event, gains=(gains[0] + 1, *gains[1:]))
            yield replace(event, gains=gains[1:])
        case GameEnded(reason, winners):
            yield replace(event, reason="walls" if reason != "walls" else "points")
            yield replace(event, winners=winners[1:])
        case CardChosen(_, _, source):
            if source == "hand" and event.card not in now.table.display:
                yield replace(event, source="display")
    if isinstance(event, ProvinceTakenOver):
        yield replace(event, loser=event.seat)
        yield replace(event, removed=())
        yield replace(event, given=event.given + ONE[SYMBOLS[0]])
    yield GameStarted(
        "Test", "rio-grande", ("a", "b"), (ONE[SYMBOLS[0]],) * 2, ONE[SYMBOLS[0]] + ONE[SYMBOLS[1]]
    )


def what_happened_is_checked_and_nothing_else(game: Game) -> None:
    earlier: list[Event] = []
    for now, event in game.steps():
        check(now, event)
        others = list(wrong(event, now))
        kind = due(now)
        if kind is not None:
            others += [one for one in earlier[-6:] if type(one) is not kind]
        for other in others:
            with pytest.raises((InvalidEvent, Illegal)) as caught:
                check(now, other)
            assert "\n" not in str(caught.value)
        earlier.append(event)
    for other in earlier[-6:]:
        with pytest.raises(InvalidEvent):
            check(game.last, other)


LAWS_OF_LOGS: tuple[Law, ...] = (
    read_after_write,
    events_survive_the_log,
    a_log_of_it_is_accepted,
    what_happened_is_checked_and_nothing_else,
)
