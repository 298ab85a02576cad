"""Resolve parsed orders to actions in a position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from operator import itemgetter

from engine import march_rules
from engine.actions import Action, Ambiguous, Choose, Illegal, Levy, March, Play, Take, TakeOver, Unreadable
from engine.board import Board, Point, Space, corners
from engine.cards import Bag, Symbol
from engine.march_rules import ShortestPaths
from engine.notation.orders import USAGES, Order, Verb, write
from engine.notation.parser import parse
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


def read_canonical(words: str, board: Board) -> Action:
    """Return the action of a canonical text, legal or not; raises `ValueError`."""
    verb, *arguments = words.split(" ")
    try:
        usage = USAGES[Verb(verb)]
        places = arguments.pop(0).split("+") if max(usage.places) else []
        path = arguments.pop(0).split("-") if verb == Verb.MARCH else []
        cards = arguments[-1].split("+") if arguments else []
        action = usage.build(
            tuple(map(Symbol, cards)),
            tuple(board.places[name] for name in places),
            tuple(board.point_names[name] for name in path),
        )
    except (LookupError, ValueError):
        action = None
    if action is None or write(action, board) != words:
        raise ValueError(f"{words!a} is not the canonical text of an action")
    return action


def read(line: str, known: View, vocabulary: Vocabulary = CANONICAL_VOCABULARY) -> Action:
    """Return the action of the first order of a line; raises as `parse` and `resolve` do."""
    said, *_ = parse(line, known.table.board, vocabulary=vocabulary)
    return resolve(said, known)[0]


def resolve(said: Order, known: View) -> tuple[Action, tuple[Order, ...]]:
    """Return the action that an order means for the reader of a view, and the orders that remain.

    Adds what an order omits, if only one addition fits: the verb of a card, or the card of a march, which
    then remains. Raises `Unreadable`, `Ambiguous` with some possible actions, or `Illegal` if no action fits
    an incomplete order. Does not check whether a complete order is legal; `rules.decide` does.
    """
    table = known.table
    match said.verb:
        case None:
            return _resolve_card(said.symbols[0], known), ()
        case Verb.MARCH if table.phase is Phase.CARD and known.my_turn:
            none = Illegal("4.3", "with no card of the display or the hand can Alexander march there")
            return _require_one(_cards_for_march(known, _name_corner(said, table)), known, none), (said,)
        case Verb.MARCH:
            return _resolve_march(_name_corner(said, table), table, known), ()
        case Verb.TAKEOVER:
            return _resolve_takeover(said, known), ()
        case Verb.TAKE if table.phase is Phase.CARD:
            return Choose(said.symbols[0]), ()
        case Verb.LEVY if not said.symbols:
            none = Illegal("5.11", "no card of yours can levy taxes")
            return _require_one(map(Levy, levy_cards(table, table.seat, known.hand)), known, none), ()
        case verb:
            return USAGES[verb].build(said.symbols, said.places, said.points), ()


def _resolve_card(card: Symbol, known: View) -> Action:
    table, found = known.table, list[Action]()
    if known.my_turn and table.phase is Phase.CARD:
        found += [action for action in card_choices(known) if action.card is card]
    elif known.my_turn and table.phase is Phase.ACTIONS:
        found += [Take(card)] * (card in table.display)
        found += [Levy(card)] * (card in levy_cards(table, table.seat, known.hand))
    if len(found) > 1 or any(isinstance(one, Levy) for one in found):  # a levy needs its verb
        raise _ambiguity(found, known)
    if found:
        return found[0]
    if table.phase is Phase.ACTIONS:  # `perform` reports why this is impossible
        return Take(card)
    return Play(card) if card in known.hand and card not in table.display else Choose(card)


def _name_corner(said: Order, table: Table) -> Order:
    """Replace the number of a corner by its point; raises `Unreadable` if the number has no meaning."""
    if said.corner is None:
        return said
    if table.phase is Phase.CARD:
        card = next(iter(march_rules.choosable_cards(table)), None)
        raise Unreadable(
            "say the card with the number of its corner, such as “%(card)s %(number)s”",
            card=card or "horse",
            number=said.corner,
        )
    if table.phase is not Phase.MARCH:
        raise Unreadable(
            "“%(number)s” stands for nothing here: answer with the letter of a choice, or in words",
            number=said.corner,
        )
    points = list(number_corners(table, march_rules.targets_of_chosen(table)))
    if said.corner > len(points):
        raise Unreadable(
            "there is no corner %(number)s: the %(card)s leads to corners 1 to %(most)s",
            number=said.corner,
            card=table.chosen or "",
            most=len(points),
        )
    return replace(said, points=(points[said.corner - 1],), corner=None)


def _resolve_march(said: Order, table: Table, known: View) -> Action:
    path = said.points
    is_whole = len(path) > 1 and all(other in table.board.steps[one] for one, other in pairwise(path))
    if said.places and is_whole and path[0] == table.alexander:
        return March(said.places[0], path)
    if table.phase is Phase.CARD:
        raise Illegal("3.1", "a card must be chosen first")
    if table.phase is not Phase.MARCH:
        raise Illegal("3.1", "Alexander has marched")
    spaces = march_rules.targets_of_chosen(table)
    if said.places and said.places[0] not in spaces:
        return March(said.places[0], (table.alexander,))
    none = Illegal("4.5", "no shortest path goes that way")
    return _require_one(find_marches(table, spaces, said), known, none)


def _resolve_takeover(said: Order, known: View) -> Action:
    table, takeover = known.table, TakeOver(tuple(sorted(said.places)), Bag.of(said.symbols))
    if said.symbols or len(table.names) == 2:
        return takeover
    if province_to_conquer(table, table.seat, takeover.guards).holder is None:
        return takeover
    none = Illegal("5.10", "no cards can be given")
    return _require_one(_possible_takeovers(known, takeover.guards), known, none)


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
    ways: dict[Point, list[tuple[int, March]]] = {}
    for space, paths in paths_to(table, spaces, said):
        few = islice(paths.cheapest(said.points), MOST_CANDIDATES + 1)
        ways.setdefault(paths.corner, []).extend((walls, March(space, path)) for walls, path in few)
    ranked = [
        (rank, walls, march)
        for found in ways.values()
        for rank, (walls, march) in enumerate(sorted(found, key=itemgetter(0)))
    ]
    return [march for _, _, march in sorted(ranked, key=itemgetter(0, 1))]


def paths_to(table: Table, spaces: Iterable[Space], said: Order) -> Iterator[tuple[Space, ShortestPaths]]:
    """Yield the paths to each corner of these spaces on which an ordered march can end."""
    for space in spaces:
        if not said.places or space in said.places:
            yield from (
                (space, ShortestPaths(table, corner)) for corner in corners(space) if said.can_end_on(corner)
            )


def _cards_for_march(known: View, said: Order) -> list[Action]:
    table = known.table
    found: list[Action] = []
    for action in card_choices(known):
        if isinstance(action, Choose | Play):
            spaces = march_rules.targets(table, action.card, from_display=isinstance(action, Choose))
            if any(paths.count_by_walls(said.points) for _, paths in paths_to(table, spaces, said)):
                found.append(action)
    return found


def _possible_takeovers(known: View, guards: tuple[Space, ...]) -> Iterator[Action]:
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
