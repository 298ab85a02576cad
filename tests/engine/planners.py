"""Random plans for random games: of turns that somebody could have played, of others, and of nonsense."""

from collections.abc import Iterator, Sequence
from random import Random

from engine.actions import End, March
from engine.cards import SYMBOLS
from engine.march_rules import new_walls
from engine.notation.canonical_text import Verb, write
from engine.notation.orders import Order
from engine.notation.parser import parse
from engine.plans.rehearsal import foresee_turn
from engine.plans.turn_plans import (
    UNCHANGED,
    AlexanderAt,
    Alternative,
    CardMissing,
    CardOpen,
    Guard,
    NobodyAbove,
    PlayerNotAbove,
    ProvinceFree,
    TurnPlan,
)
from engine.position import Phase, Position, Table
from engine.provinces import levy_gains, provinces
from engine.rules import legal, play_out
from engine.views import view
from tests.engine.players import TASTES, draw_from


def random_plan(now: Position, seat: int, dice: Random) -> TurnPlan:
    """A plan of a seat in a position."""
    many = dice.choice((1, 1, 2, 3, 4))
    return TurnPlan(tuple(_random_alternative(now, seat, dice) for _ in range(many)))


def _random_alternative(now: Position, seat: int, dice: Random) -> Alternative:
    orders = _nonsense(now, dice) if dice.random() < 0.15 else _possible_turn(now, seat, dice)
    return Alternative(_random_guards(now.table, dice), tuple(orders))


def _random_guards(table: Table, dice: Random) -> tuple[Guard, ...]:
    kind = dice.random()
    if kind < 0.35:
        return (UNCHANGED,)
    if kind < 0.45:
        return ()
    makers = (
        lambda: UNCHANGED,
        lambda: CardOpen(dice.choice(SYMBOLS)),
        lambda: ProvinceFree(dice.choice(list(table.board.names))) if table.board.names else UNCHANGED,
        lambda: AlexanderAt(dice.choice([table.alexander, *table.board.point_names.values()])),
        lambda: CardMissing(dice.choice(SYMBOLS)),
        lambda: PlayerNotAbove(dice.choice((*table.names, "Zorro")).casefold(), dice.choice((0, 5, 30, 99))),
        lambda: NobodyAbove(dice.choice((0, 5, 30, 99, max(table.scores)))),
    )
    return tuple(dict.fromkeys(dice.choice(makers)() for _ in range(dice.randint(1, 3))))


def _possible_turn(now: Position, seat: int, dice: Random) -> Iterator[Order]:
    """The orders of a turn as the seat could play it if it were now its own, some said in part."""
    taste = dice.choice(list(TASTES.values()))[0]
    table, board = foresee_turn(view(now, seat)).table, now.table.board
    position = Position(table, now.hands, now.supply)
    while not position.table.over and position.table.turn == table.turn:
        action = taste(view(position, seat), dice)
        (said,) = parse(write(action, board), board)
        yield from _said_in_part(said, dice)
        if isinstance(action, End):
            return
        _, position = play_out(position, seat, action, draw_from(dice))


def _said_in_part(said: Order, dice: Random) -> Iterator[Order]:
    """An order with all it says, or with less of it; a march may be left out altogether."""
    if said.verb == Verb.MARCH:
        by_corner = Order(Verb.MARCH, (), said.places, said.points[-1:])
        yield from dice.choice(
            ([said], [said], [by_corner], [by_corner], [Order(Verb.MARCH, (), said.places)], [])
        )
    elif said.verb == Verb.CHOOSE and dice.random() < 0.4:
        yield Order(None, said.symbols)
    else:
        yield said


NONSENSE = [*map(Verb, "choose play take levy draw end stay march occupy".split())]


def _nonsense(now: Position, dice: Random) -> Iterator[Order]:
    board = now.table.board
    names, points = list(board.names), dice.sample(list(board.point_names.values()), 1)
    for _ in range(dice.randint(1, 5)):
        match dice.choice(NONSENSE):
            case Verb.DRAW | Verb.END as verb:
                yield Order(verb)
            case Verb.MARCH:
                yield Order(
                    Verb.MARCH, (), tuple(dice.sample(names, min(len(names), 1))), (dice.choice(points),)
                )
            case Verb.OCCUPY if names:
                yield Order(Verb.OCCUPY, (), tuple(sorted(dice.sample(names, 1))))
            case Verb.OCCUPY:
                yield Order(Verb.DRAW)
            case verb:
                yield Order(verb, (dice.choice(SYMBOLS),))


# --- the same judged by another hand --------------------------------------------------------------------


def held(guard: Guard, orders: Sequence[Order], now: Table, before: Table) -> bool:
    """Whether a guard holds, worked out anew from the listed provinces."""
    match guard:
        case CardOpen(card):
            return now.display[card] > 0
        case CardMissing(card):
            return now.display[card] == 0
        case PlayerNotAbove(name, points):
            return any(
                one.casefold() == name and score <= points
                for one, score in zip(now.names, now.scores, strict=True)
            )
        case ProvinceFree(place):
            (part,) = [part for part in provinces(now) if place in part.spaces]
            return not part.guards
        case AlexanderAt(point):
            return now.alexander == point
        case NobodyAbove(points):
            return all(score <= points for score in now.scores)
        case _:
            return _rests(now, orders) == _rests(before, orders)


def _rests(table: Table, orders: Sequence[Order]) -> list[object]:
    found: list[object] = []
    for order in orders:
        if order.verb == Verb.MARCH:
            found.append(table.alexander)
        if order.verb in (Verb.CHOOSE, Verb.TAKE, Verb.STAY, None):
            found += [table.display[card] > 0 for card in order.symbols]
        if order.verb == Verb.LEVY:
            found.append(levy_gains(table))
        for place in order.places:
            (part,) = [part for part in provinces(table) if place in part.spaces]
            found += [part.spaces, part.holder, part.guards]
    return found


def in_turn(now: Position, said: Order) -> list[March]:
    """Every legal march that an order can mean, in the order in which they are tried."""
    every = (one for one in legal(view(now, now.table.seat)) if isinstance(one, March))
    meant = (
        one
        for one in every
        if one.target in (said.places or (one.target,)) and one.path[-1:] == (said.points or one.path)[-1:]
    )
    return sorted(
        meant, key=lambda one: (len(new_walls(now.table, one.path)), one.target, one.path[-1], one.path)
    )


def turns_begun(game: Sequence[Position]) -> Iterator[int]:
    """Where in these positions a turn begins."""
    return (at for at, now in enumerate(game) if now.table.phase is Phase.CARD)
