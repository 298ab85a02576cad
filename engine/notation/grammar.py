"""Resolve parsed orders to actions in a position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import islice, pairwise

from engine import march_rules
from engine.actions import (
    Action,
    Ambiguous,
    Choose,
    Draw,
    End,
    Illegal,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
    Unreadable,
)
from engine.board import Board, Point, Space, corners
from engine.cards import EMPTY, Bag, Symbol
from engine.march_rules import Path
from engine.notation.orders import Order, Verb, spell_out, write
from engine.notation.parser import NO_CHOICES, ChoiceMeanings, parse
from engine.notation.vocabulary import CANONICAL_VOCABULARY, Vocabulary
from engine.position import Phase, Table, View
from engine.provinces import (
    check_payment,
    levy_cards,
    loser_share,
    province_to_conquer,
    removal_cost,
    symbols_on,
)
from engine.rules import card_choices


def number_corners(table: Table, spaces: Iterable[Space]) -> dict[Point, int]:
    """Number the reachable corners of these targets from 1, in reading order."""
    found = {corner for space in spaces for corner in march_rules.reachable_corners(table, space)}
    return {corner: number for number, corner in enumerate(sorted(found), 1)}


def name_corner(said: Order, table: Table, spaces: Sequence[Space]) -> Order:
    """Replace the number of a corner by its point; raises `Unreadable` if no corner has this number."""
    if said.corner is None:
        return said
    found = list(number_corners(table, spaces))
    if not 0 < said.corner <= len(found):
        raise Unreadable(
            "there is no corner %(number)s: the %(card)s leads to corners 1 to %(most)s",
            number=said.corner,
            card=table.chosen or "",
            most=len(found),
        )
    point = found[said.corner - 1]
    for place in said.places:
        if point not in corners(place):
            name = table.board.names[place]
            raise Unreadable("corner %(number)s is not one of %(place)s", number=said.corner, place=name)
    return replace(said, points=(point,), corner=None)


def _judge_march(said: Order, known: View) -> None:
    """Refuse a wrong start of a march, and the number of a corner before a card is chosen."""
    table = known.table
    if said.origin not in (None, table.alexander):
        raise Illegal(
            "4.5", "the path must start where Alexander stands, on %(point)s", point=table.alexander
        )
    if said.corner is None:
        return
    if table.phase is Phase.CARD:
        card = next(iter(march_rules.choosable_cards(table)), None)
        raise Unreadable(
            "say the card with the number of its corner, such as “%(card)s %(number)s”",
            card=card or "horse",
            number=said.corner,
        )
    if table.phase is not Phase.MARCH and not said.places:
        raise Unreadable(
            "“%(number)s” stands for nothing here: answer with the letter of a choice, or in words",
            number=said.corner,
        )


def read_canonical(words: str, board: Board) -> Action:
    """Return the action of a canonical text, legal or not; raises `ValueError`."""
    try:
        action = _build_action(words.split(" "), board)
    except (LookupError, ValueError):
        action = None
    if action is None or write(action, board) != words:
        raise ValueError(f"{words!a} is not the canonical text of an action")
    return action


def _build_action(words: Sequence[str], board: Board) -> Action:
    match [Verb(words[0]), *words[1:]]:
        case [Verb.CHOOSE, card]:
            return Choose(Symbol(card))
        case [Verb.PLAY, card]:
            return Play(Symbol(card))
        case [Verb.TAKE, card]:
            return Take(Symbol(card))
        case [Verb.LEVY, card]:
            return Levy(Symbol(card))
        case [Verb.MARCH, target, path]:
            return March(board.places[target], tuple(board.point_names[one] for one in path.split("-")))
        case [Verb.STAY, *cards]:
            return Stay(Symbol(cards[0]) if cards else None)
        case [Verb.OCCUPY, guards]:
            return Occupy(_split_places(guards, board))
        case [Verb.TAKEOVER, guards, *given]:
            bag = Bag.of(map(Symbol, given[1].split("+"))) if given else EMPTY
            return TakeOver(_split_places(guards, board), bag)
        case [Verb.RECALL, place]:
            return Recall(board.places[place])
        case [Verb.DRAW]:
            return Draw()
        case [Verb.END]:
            return End()
    raise ValueError(words)


def _split_places(said: str, board: Board) -> tuple[Space, ...]:
    return tuple(sorted(board.places[name] for name in said.split("+")))


def read(
    line: str,
    known: View,
    choices: ChoiceMeanings = NO_CHOICES,
    vocabulary: Vocabulary = CANONICAL_VOCABULARY,
) -> Action:
    """Return the one action that a line means for the reader of a view.

    Raises `Unreadable`, `Ambiguous` with some possible actions, or `Illegal` if no action fits an incomplete
    order. Does not check whether a complete order is legal; `rules.decide` does.
    """
    said = parse(line, known.table.board, choices, vocabulary)
    if len(said) > 1:
        raise Unreadable("say one action only")
    return resolve(said[0], known)


def expand_order(said: Order, known: View) -> tuple[Order, ...]:
    """Add what an order omits, if only one addition fits: the card of a march, or the verb of a card.

    Returns the orders to be resolved one after the other. Raises `Ambiguous` if several additions fit, and
    `Illegal` if none fits.
    """
    if said.verb is None:
        return (_with_verb(said, known),)
    if said.verb != Verb.MARCH or known.table.phase is not Phase.CARD or not known.my_turn:
        return (said,)
    _judge_march(said, known)
    leading = cards_for_march(known, said)
    none = Illegal("4.3", "with no card of the display or the hand can Alexander march there")
    card = _require_one(leading, known, none)
    assert isinstance(card, Choose | Play)
    return Order(Verb.CHOOSE if isinstance(card, Choose) else Verb.PLAY, (card.card,)), said


def _with_verb(said: Order, known: View) -> Order:
    table, card = known.table, said.symbols[0]
    found = actions_with_symbol(known, card) if known.my_turn else []
    if len(found) > 1 or any(isinstance(one, Levy) for one in found):  # a levy needs its verb
        raise _ambiguity(found, known)
    if found:
        verb = Verb(write(found[0], table.board).split()[0])
    elif table.phase is Phase.ACTIONS:
        verb = Verb.TAKE
    else:  # `perform` reports why this is impossible
        verb = Verb.PLAY if card in known.hand and card not in table.display else Verb.CHOOSE
    return Order(verb, said.symbols)


def resolve(said: Order, known: View) -> Action:
    """Return the action that an order means; raises `Unreadable`, `Ambiguous` or `Illegal` like `read`."""
    table = known.table
    match said.verb:
        case None:
            return resolve(_with_verb(said, known), known)
        case Verb.MARCH:
            return _resolve_march(said, known)
        case Verb.TAKEOVER:
            return _resolve_takeover(said, known)
        case Verb.TAKE if table.phase is Phase.CARD:
            return Choose(said.symbols[0])
        case Verb.LEVY if not said.symbols:
            none = Illegal("5.11", "no card of yours can levy taxes")
            return _require_one(possible_levies(known), known, none)
        case Verb.RECALL if not said.places:
            none = Illegal("5.13", "no guard of yours is on the board")
            return _require_one(map(Recall, table.guards[table.seat]), known, none)
    return _build_action(spell_out(said, table.board).split(" "), table.board)


def _resolve_march(said: Order, known: View) -> Action:
    table = known.table
    _judge_march(said, known)
    whole = all(other in table.board.steps[one] for one, other in pairwise(said.points)) and not said.passed
    if said.places and len(said.points) > 1 and said.points[0] == table.alexander and whole:
        return March(said.places[0], said.points)
    if table.phase is Phase.CARD:
        raise Illegal("3.1", "a card must be chosen first")
    if table.phase is not Phase.MARCH:
        raise Illegal("3.1", "Alexander has marched")
    spaces = march_rules.targets_of_chosen(table)
    said = name_corner(said, table, spaces)
    if said.places and said.places[0] not in spaces:
        return March(said.places[0], (table.alexander,))
    wanted = tuple(space for space in spaces if not said.places or space in said.places)
    none = Illegal("4.5", "no shortest path goes that way")
    found = find_marches(table, wanted, said)
    if found and said.passed and not said.points:  # the corner is missing
        raise _ambiguity(found, known)
    return _require_one(found, known, none)


def _resolve_takeover(said: Order, known: View) -> Action:
    table = known.table
    guards = tuple(sorted(said.places))
    if said.symbols or len(table.names) == 2:
        return TakeOver(guards, Bag.of(said.symbols))
    if province_to_conquer(table, table.seat, guards).holder is None:
        return TakeOver(guards, EMPTY)
    none = Illegal("5.10", "no cards can be given")
    return _require_one(possible_takeovers(known, guards), known, none)


def _require_one(found: Iterable[Action], known: View, none: Illegal) -> Action:
    few = list(islice(found, MOST_CANDIDATES + 1))
    if not few:
        raise none
    if len(few) > 1:
        raise _ambiguity(few, known)
    return few[0]


def _ambiguity(found: Sequence[Action], known: View) -> Ambiguous:
    shown = tuple(found[:MOST_CANDIDATES])
    named = " or ".join(write(action, known.table.board) for action in shown)
    more = len(found) > len(shown)
    return Ambiguous("it could mean %(actions)s", shown, more, actions=named)


MOST_CANDIDATES = 6


def find_marches(table: Table, spaces: Iterable[Space], said: Order) -> list[March]:
    """Return marches to these spaces that fit an order: at most seven to each corner of each space.

    The marches to a corner are ranked by new walls, fewest first. The result contains all marches of rank 1,
    then all marches of rank 2, and so on. Within a rank, marches with fewer new walls come first.
    """
    ways: dict[Point, list[tuple[int, Space, Path]]] = {}
    for space in spaces:
        for corner in corners(space):
            if said.can_end_on(corner):
                few = islice(cheapest_paths(table, corner, said.points_towards(corner)), MOST_CANDIDATES + 1)
                ways.setdefault(corner, []).extend((walls, space, path) for walls, path in few)
    ranked = [
        (rank, *way)
        for found in ways.values()
        for rank, way in enumerate(sorted(found, key=lambda one: one[0]))
    ]
    ranked.sort(key=lambda one: one[:2])
    return [March(space, path) for _, _, space, path in ranked]


def cheapest_paths(table: Table, corner: Point, points: Path) -> Iterator[tuple[int, Path]]:
    """Yield the shortest paths to a corner through these points, those with the fewest new walls first.

    Ties are in reading order of the points. Paths that need more walls than are left (4.9) are excluded.
    """
    far, descents = table.board.distances_from(corner), table.board.descents(corner)
    here, free = table.alexander, march_rules.free_sides(table)
    wanted = {far[point]: point for point in points}
    passed = [far[point] for point in points]
    if any(one <= other for one, other in pairwise(passed)):
        return
    if wanted.get(far[here], here) != here or max(passed, default=0) > far[here]:
        return
    steps: dict[Point, list[tuple[Point, int]]] = {}  # with the price of each
    ahead = [here]
    while ahead:
        point = ahead.pop()
        if point not in steps and point != corner:
            going = [(step, bit) for step, bit in descents[point] if wanted.get(far[step], step) == step]
            steps[point] = [(step, 0 if bit & free else 1) for step, bit in going]
            ahead += [step for step, _ in going]
    left = {corner: 0}
    """For each point that is no dead end, the lowest number of new walls on the way to `corner`."""
    for point in sorted(steps, key=lambda one: far[one]):
        costs = [price + left[step] for step, price in steps[point] if step in left]
        if costs:
            left[point] = min(costs)
    if here not in left:
        return
    begun: list[tuple[int, Path, int]] = [(left[here], (here,), 0)]
    while begun and begun[0][0] <= table.walls_left:
        total, path, laid = heappop(begun)
        if path[-1] == corner:
            yield total, path
            continue
        for step, price in steps[path[-1]]:
            if step in left:
                heappush(begun, (laid + price + left[step], (*path, step), laid + price))


def cards_for_march(known: View, said: Order) -> list[Action]:
    """Return the choices of a card that allow the ordered march (4.1)."""
    table = known.table
    found: list[Action] = []
    for action in card_choices(known):
        if isinstance(action, Choose | Play):
            spaces = march_rules.targets(table, action.card, from_display=isinstance(action, Choose))
            if any(
                _leads_somewhere(table, space, said)
                for space in spaces
                if not said.places or space in said.places
            ):
                found.append(action)
    return found


def _leads_somewhere(table: Table, space: Space, said: Order) -> bool:
    ends = filter(said.can_end_on, corners(space))
    return any(next(cheapest_paths(table, corner, said.points_towards(corner)), None) for corner in ends)


def actions_with_symbol(known: View, card: Symbol) -> list[Action]:
    """Return the actions that an order of only a card can mean in the present phase."""
    table = known.table
    if table.phase is Phase.CARD:
        return [action for action in card_choices(known) if action.card is card]
    if table.phase is not Phase.ACTIONS:
        return []
    taken: list[Action] = [Take(card)] if card in table.display else []
    return [*taken, *(levy for levy in possible_levies(known) if levy == Levy(card))]


def possible_levies(known: View) -> list[Action]:
    return [Levy(card) for card in levy_cards(known.table, known.table.seat, known.hand)]


def possible_takeovers(known: View, guards: tuple[Space, ...]) -> Iterator[Action]:
    """Yield the takeovers with these guards, one for each choice of cards for the loser (5.10).

    Raises `Illegal` if the hand cannot pay.
    """
    table = known.table
    province = province_to_conquer(table, table.seat, guards)
    paid = removal_cost(table, province) + symbols_on(table, province.places)
    paid -= symbols_on(table, guards)
    check_payment(known.hand, paid, "5.9")
    choices = paid.handfuls(loser_share(table, paid))
    return (TakeOver(guards, given) for given in choices)
