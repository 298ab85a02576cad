"""Resolve parsed orders to actions in a position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
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
from engine.notation import parser
from engine.notation.lexer import CANONICAL_VOCABULARY, ChoiceMeanings, Vocabulary
from engine.notation.orders import Order, Verb, write
from engine.notation.parser import NO_CHOICES, parse
from engine.position import Phase, Table, View
from engine.provinces import province_to_conquer


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
    return tuple(board.places[name] for name in said.split("+"))


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
    leading = parser.cards_for_march(known, said)
    none = Illegal("4.3", "with no card of the display or the hand can Alexander march there")
    card = _require_one(leading, known, none)
    assert isinstance(card, Choose | Play)
    return Order(Verb.CHOOSE if isinstance(card, Choose) else Verb.PLAY, (card.card,)), said


def _with_verb(said: Order, known: View) -> Order:
    table, card = known.table, said.symbols[0]
    if said.short and table.phase is Phase.ACTIONS:  # the abbreviation may mean another word
        raise Unreadable("write the whole word for the card")
    found = parser.actions_with_symbol(known, card) if known.my_turn else []
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
    card = said.symbols[0] if said.symbols else None
    match said.verb:
        case Verb.CHOOSE if card:
            return Choose(card)
        case Verb.TAKE if card:
            return Choose(card) if table.phase is Phase.CARD else Take(card)
        case Verb.PLAY if card:
            return Play(card)
        case Verb.MARCH:
            return _resolve_march(said, known)
        case Verb.STAY:
            return Stay(card)
        case Verb.DRAW:
            return Draw()
        case Verb.OCCUPY:
            return Occupy(tuple(sorted(said.places)))
        case Verb.TAKEOVER:
            return _resolve_takeover(said, known)
        case Verb.LEVY if card:
            return Levy(card)
        case Verb.LEVY:
            return _require_one(
                parser.possible_levies(known), known, Illegal("5.11", "no card of yours can levy taxes")
            )
        case Verb.RECALL if said.places:
            return Recall(said.places[0])
        case Verb.RECALL:
            recalls = map(Recall, table.guards[table.seat])
            return _require_one(recalls, known, Illegal("5.13", "no guard of yours is on the board"))
        case Verb.END:
            return End()
        case None:
            return resolve(_with_verb(said, known), known)
    raise Unreadable("that is no action")


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
    found = parser.find_marches(table, wanted, said)
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
    return _require_one(parser.possible_takeovers(known, guards), known, none)


def _require_one(found: Iterable[Action], known: View, none: Illegal) -> Action:
    few = list(islice(found, parser.MOST_CANDIDATES + 1))
    if not few:
        raise none
    if len(few) > 1:
        raise _ambiguity(few, known)
    return few[0]


def _ambiguity(found: Sequence[Action], known: View) -> Ambiguous:
    shown = tuple(found[: parser.MOST_CANDIDATES])
    named = " or ".join(write(action, known.table.board) for action in shown)
    more = len(found) > len(shown)
    return Ambiguous("it could mean %(actions)s", shown, more, actions=named)
