"""Random plans for random games: of turns that somebody could have played, of others, and of nonsense."""

from collections.abc import Iterator
from random import Random

from engine.actions import End, March
from engine.cards import SYMBOLS
from engine.march_rules import new_walls, outcome_of
from engine.notation.orders import Order, Verb, write
from engine.notation.parser import parse
from engine.plans import Alternative, CardOpen, Condition, ProvinceFree, TurnPlan, foresee_turn
from engine.position import Position, Table, view
from engine.provinces import provinces
from engine.rules import legal, play_out
from tests.engine.players import TASTES, draw_from


def random_plan(now: Position, seat: int, dice: Random) -> TurnPlan:
    made = []
    for _ in range(dice.choice((1, 1, 2, 3, 4))):
        orders = _nonsense(now, dice) if dice.random() < 0.15 else _possible_turn(now, seat, dice)
        made.append(Alternative(_random_conditions(now.table, dice), tuple(orders)))
    return TurnPlan(tuple(made))


def _random_conditions(table: Table, dice: Random) -> tuple[Condition, ...]:
    if dice.random() < 0.45 or not table.board.names:
        return ()
    makers = (
        lambda: CardOpen(dice.choice(SYMBOLS)),
        lambda: ProvinceFree(dice.choice(list(table.board.names))),
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
        by_place = Order(Verb.MARCH, (), said.places)
        yield from dice.choice(([said], [said], [by_corner], [by_corner], [by_place], []))
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
                places = tuple(dice.sample(names, min(len(names), 1)))
                yield Order(Verb.MARCH, (), places, (dice.choice(points),))
            case Verb.OCCUPY if names:
                yield Order(Verb.OCCUPY, (), tuple(sorted(dice.sample(names, 1))))
            case Verb.OCCUPY:
                yield Order(Verb.DRAW)
            case verb:
                yield Order(verb, (dice.choice(SYMBOLS),))


# --- the same judged by another hand --------------------------------------------------------------------


def held(condition: Condition, now: Table) -> bool:
    """Whether a condition holds, worked out anew from the listed provinces."""
    match condition:
        case CardOpen(card):
            return now.display[card] > 0
        case ProvinceFree(place):
            (part,) = [part for part in provinces(now) if place in part.spaces]
            return not part.guards


def in_turn(now: Position, said: Order) -> list[March]:
    """Every legal march that an order can mean, in the order in which they are tried."""
    every = (one for one in legal(view(now, now.table.seat)) if isinstance(one, March))
    meant = (
        one
        for one in every
        if one.target in (said.places or (one.target,))
        and one.path[-1:] == (said.points or one.path)[-1:]
        and [point for point in one.path if point in said.points] == [*said.points]
    )
    walls = {one: new_walls(now.table, one.path) for one in meant}
    by_walls = sorted(walls, key=lambda one: (len(walls[one]), one.target, one.path[-1], one.path))
    return sorted(by_walls, key=lambda one: [-each for each in _enclosed(now.table, one)])


def _enclosed(table: Table, march: March) -> tuple[int, int]:
    """What a levy brings after a march, and the open spaces of the free parts that it cuts off, listed."""
    mask = table.board.grid.mask_sides(new_walls(table, march.path))
    behind = provinces(table.but(walled=table.walled | mask))
    gain = sum(one.scores for one in behind if one.holder == table.seat)
    splits = outcome_of(table, march.path).splits
    return gain, sum(part.value for one in splits for part in one.cut_off if part.holder is None)
