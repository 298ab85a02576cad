"""No letter tells its reader what he may not know: with other hidden cards he is sent the same bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import pytest

from emails import letters
from emails.gallery import DEADLINE, GAME, HOURS, NAME, NOW, POST, SAID
from emails.letters import Letter, Sheet, Undone
from emails.record import record
from emails.tongue import LANGUAGES, Tongue, speaking
from engine.cards import SYMBOLS, Bag
from engine.events import CardDrawn, Event, GameStarted, TurnEnded
from engine.position import Position
from engine.views import Told, told, view
from tests.engine.players import Game, game, shuffled

PAIRS, SAMPLE, GAMES = 1000, 100, 20


@dataclass(frozen=True)
class World:
    """One of two games that a seat cannot tell apart."""

    log: tuple[Event, ...]
    now: Position


def worlds(found: Game, at: int, seat: int, dice: Random) -> tuple[World, World]:
    """A game before one of its acts or at its end, and the same with other cards where `seat` sees none."""
    log = (found.first, *(event for act in found.acts[:at] for event in act.events))
    now = found.acts[at].before if at < len(found.acts) else found.last
    other = tuple(changed(event, seat, dice) for event in log)
    return World(log, now), World(other, shuffled(now, seat, dice))


def changed(event: Event, seat: int, dice: Random) -> Event:
    """A fact with other cards in the hands of others."""
    match event:
        case CardDrawn() if event.seat != seat:
            return replace(event, card=dice.choice(SYMBOLS))
        case GameStarted():
            hands = tuple(
                hand if one == seat else Bag.of([dice.choice(SYMBOLS)])
                for one, hand in enumerate(event.hands)
            )
            return replace(event, hands=hands)
        case _:
            return event


def sheet(found: Game, world: World, seat: int) -> Sheet:
    """What a seat is told of a world."""
    own = [number for number, event in enumerate(world.log) if event == TurnEnded(seat)]
    begun = own[-1] + 1 if own else 1
    acts = [act for act in found.acts if TurnEnded(seat) in act.events]
    before = next((act.before for act in acts[len(own) - 1 :]), found.opening) if own else found.opening
    return Sheet(
        game=GAME,
        name=NAME,
        view=view(world.now, seat),
        since=tuple(told(event, seat) for event in world.log[begun:]),
        before=before.table,
        after=len(world.log),
        deadline=None if world.now.table.over else DEADLINE,
        hours=HOURS,
        post=POST,
        messages=SAID,
    )


def sent(made: Sheet, heard: tuple[Told, ...]) -> Iterator[Letter]:
    """Every letter that a seat may be sent in this position."""
    table, me = made.view.table, made.view.me
    if table.over:
        yield letters.game_over(made, record(heard))
    elif not made.view.my_turn:
        yield letters.news(made)
        yield letters.time_passed(made, table.seat, made.since[-2:])
    elif table.phase == "card":
        yield letters.your_turn(made)
    else:
        yield letters.step(made)
        yield letters.answer(made, made.since[-2:], (Undone("draw", "there is no card"),))
    yield letters.digest(replace(made, messages=()))
    yield [letters.message, letters.welcome, lambda one: letters.reminder(one, NOW)][(me or 0) % 3](made)


def pair(number: int) -> None:
    """Compare all that a seat is sent in two worlds; the number says which."""
    dice = Random(number)
    found = game("alexandros", number % GAMES)
    at = len(found.acts) if number % 25 == 0 else dice.randrange(len(found.acts))
    seat = dice.randrange(len(found.first.seats))
    one, other = worlds(found, at, seat, dice)
    language = dice.choice(list(LANGUAGES))
    with speaking(Tongue(language)):
        first, second = (
            list(sent(sheet(found, world, seat), tuple(told(event, seat) for event in world.log)))
            for world in (one, other)
        )
    assert first == second, (
        number,
        [mine.kind for mine, its in zip(first, second, strict=True) if mine != its],
    )


def test_what_is_hidden_makes_no_difference_to_any_letter() -> None:
    for number in range(SAMPLE):
        pair(number)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_what_is_hidden_makes_no_difference_in_a_thousand_pairs(part: int) -> None:
    for number in range(part, PAIRS, 4):
        pair(number)


def test_the_pairs_differ_in_what_is_hidden() -> None:
    apart = 0
    for number in range(100):
        dice = Random(number)
        found = game("alexandros", number % GAMES)
        one, other = worlds(found, dice.randrange(len(found.acts)), 0, dice)
        apart += one.now != other.now
        assert view(one.now, 0) == view(other.now, 0)
    assert apart > 60
