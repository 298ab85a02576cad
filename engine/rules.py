"""The judge: what may be done, what it brings about, and what comes due by itself.

`legal` offers, `decide` judges an action; checking.py judges a fact somebody else wrote down. Deciding and
checking rest on `perform`, so that they cannot disagree: it alone says what an action does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from engine import acting, marching
from engine.actions import (
    Action,
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
)
from engine.cards import Chance, Symbol
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    EndReason,
    Event,
    GameEnded,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
)
from engine.evolve import evolve
from engine.position import DISPLAY_SIZE, RED_WALLS, Phase, Position, Table, View
from engine.provinces import levy_gains
from engine.views import view

DueEvent = type[GameEnded] | type[SupplyRenewed] | type[CardOpened] | type[TurnEnded]


def due(position: Position) -> DueEvent | None:
    """The kind of event that must come next by itself, by its precedence; None: a player acts."""
    table = position.table
    if table.phase is Phase.OVER:
        return None
    spent = table.phase is Phase.ACTIONS and table.actions_left == 0
    if table.has_winning_score or (spent and ends_with_turn(table)):
        return GameEnded
    if not position.supply and table.discard:
        return SupplyRenewed
    if table.phase is Phase.ACTIONS:
        return TurnEnded if spent else None
    if position.supply and len(table.display) < DISPLAY_SIZE:
        return CardOpened
    return None


def ends_with_turn(table: Table) -> bool:
    """Whether the game is over when this turn is (7.1, 4.9, 7.4)."""
    return table.last_turn or table.completes_stalemate


def end_game(table: Table) -> GameEnded:
    """How the game ends if it ends now (section 7): equal best scores share the win (7.3)."""
    reason: EndReason = "stalemate"
    if table.has_winning_score:
        reason = "points"
    elif table.last_turn:
        reason = "walls" if table.red < RED_WALLS else "no march"
    best = max(table.scores)
    return GameEnded(reason, tuple(seat for seat, score in enumerate(table.scores) if score == best))


def perform_due(position: Position, chance: Chance) -> Event | None:
    """The event that comes by itself now, if any."""
    kind = due(position)
    if kind is None:
        return None
    if kind is GameEnded:
        return end_game(position.table)
    if kind is SupplyRenewed:
        return SupplyRenewed()
    if kind is CardOpened:
        return CardOpened(chance(position.supply))
    return TurnEnded(position.table.seat)


def decide(position: Position, seat: int, action: Action, chance: Chance) -> tuple[Event, ...]:
    """What happens when `seat` does `action`: the facts, and all that follows by itself.

    Raises `Illegal` with the rule's number; then nothing has been drawn. The position must be at rest:
    nothing is due in it.
    """
    return play_out(position, seat, action, chance)[0]


def play_out(
    position: Position, seat: int, action: Action, chance: Chance
) -> tuple[tuple[Event, ...], Position]:
    """What happens as for `decide`, and the position that it leads to."""
    table = position.table
    if table.over:
        raise Illegal("7", "the game is over")
    if seat != table.seat:
        raise Illegal("3.1", "it is the turn of %(name)s", name=table.display_name(table.seat))
    happened: list[Event] = []
    event: Event | None = perform(position, action, chance)
    while event is not None:
        happened.append(event)
        position = evolve(position, event)
        event = perform_due(position, chance)
    return tuple(happened), position


def perform(position: Position, action: Action, chance: Chance) -> Event:
    """The one fact that `action` makes, done by the seat whose turn it is; raises `Illegal`."""
    table = position.table
    if isinstance(action, Choose | Play | Stay):
        return _perform_card(position, action)
    if isinstance(action, March):
        if table.phase is Phase.CARD:
            raise Illegal("3.1", "a card must be chosen first")
        if table.phase is not Phase.MARCH:
            raise Illegal("3.1", "he has marched")
        laid = marching.judge_march(table, action)
        red = marching.count_red_walls(table, len(laid))
        return AlexanderMarched(table.seat, action.target, action.path, laid, red)
    if table.phase is not Phase.ACTIONS:
        raise Illegal("3.1", "Alexander must march first")
    return _perform_action(position, action, chance)


def _perform_card(position: Position, action: Choose | Play | Stay) -> Event:
    table, seat = position.table, position.table.seat
    if table.phase is not Phase.CARD:
        raise Illegal("4.10" if table.phase is Phase.MARCH else "3.1", "a card has been chosen for this turn")
    match action:
        case Choose(card):
            if card not in table.display:
                raise Illegal("4.1", "there is no %(card)s in the display", card=card)
            spaces = marching.targets(table, card, from_display=True)
            if not spaces:
                raise Illegal(
                    "9.3", "there is no empty %(card)s space, and the %(card)s is no joker", card=card
                )
            if not marching.can_march(table, spaces):
                raise Illegal("4.9", "the walls left suffice for no march with the %(card)s", card=card)
            return CardChosen(seat, card, "display")
        case Play(card):
            if card not in position.hands[seat]:
                raise Illegal("4.1", "there is no %(card)s in the hand", card=card)
            spaces = marching.targets(table, card, from_display=False)
            if not spaces:
                raise Illegal(
                    "4.8", "there is no empty %(card)s space, and a hand card is never a joker", card=card
                )
            if not marching.can_march(table, spaces):
                raise Illegal("4.9", "the walls left suffice for no march with the %(card)s", card=card)
            return CardChosen(seat, card, "hand")
        case Stay(card):
            known = view(position, seat)
            if not must_stay(known):
                raise Illegal("4.9", "Alexander must march, for a legal march exists")
            if card is None and len(table.display):
                raise Illegal("4.9", "a display card must be taken")
            if card is not None and card not in table.display:
                raise Illegal("4.9", "there is no %(card)s in the display", card=card)
            return AlexanderStayed(seat, card)
        case _:
            assert_never(action)


def _perform_action(
    position: Position, action: Draw | Take | Occupy | TakeOver | Levy | Recall | End, chance: Chance
) -> Event:
    table, seat = position.table, position.table.seat
    hand = position.hands[seat]
    match action:
        case Draw():
            if not len(position.supply):
                raise Illegal("5.3", "the supply is empty")
            return CardDrawn(seat, chance(position.supply))
        case Take(card):
            if card not in table.display:
                raise Illegal("5.1", "there is no %(card)s in the display", card=card)
            return CardTaken(seat, card)
        case Occupy(guards):
            paid = acting.judge_occupation(table, seat, hand, action)
            return ProvinceOccupied(seat, tuple(sorted(guards)), paid)
        case TakeOver(guards, given):
            province, paid = acting.judge_takeover(table, seat, hand, action)
            assert province.holder is not None
            placed = tuple(sorted(guards))
            return ProvinceTakenOver(seat, province.holder, province.guards, placed, paid, given)
        case Levy(card):
            _judge_levy(position, card)
            return TaxesLevied(seat, card, levy_gains(table))
        case Recall(place):
            if place not in table.guards[seat]:
                name = table.board.names.get(place, str(place))
                raise Illegal("5.13", "no guard of yours stands on %(place)s", place=name)
            return GuardRecalled(seat, place)
        case End():
            return end_game(table) if ends_with_turn(table) else TurnEnded(seat)
        case _:
            assert_never(action)


def _judge_levy(position: Position, card: Symbol) -> None:
    table, seat = position.table, position.table.seat
    if table.levied:
        raise Illegal("3.2", "taxes are levied only once a turn")
    if card not in position.hands[seat]:
        raise Illegal("5.11", "there is no %(card)s in the hand", card=card)
    if card not in acting.symbols_on(table, table.guards[seat]):
        raise Illegal("5.11", "none of your guards stands on a %(card)s space", card=card)


def must_stay(known: View) -> bool:
    """Whether no display card and no card of the mover's hand leaves a legal march (4.9)."""
    table = known.table
    return not marching.choosable_cards(table) and not any(
        marching.can_play(table, card) for card in known.hand.kinds()
    )


def card_choices(known: View) -> Iterator[Choose | Play | Stay]:
    """The first step of a turn: every legal choice of a card (4.1, 4.9)."""
    table = known.table
    choices = [Choose(card) for card in marching.choosable_cards(table)]
    plays = [Play(card) for card in known.hand.kinds() if marching.can_play(table, card)]
    yield from choices
    yield from plays
    if not choices and not plays:
        if len(table.display):
            yield from (Stay(card) for card in table.display.kinds())
        else:
            yield Stay(None)


def simple_actions(known: View) -> Iterator[Draw | Take | Levy | Recall | End]:
    """The actions of section 5 that need no place chosen in a province, and the end of the turn."""
    table = known.table
    if known.supply_size:
        yield Draw()
    yield from (Take(card) for card in table.display.kinds())
    yield from (Levy(card) for card in acting.levy_cards(table, table.seat, known.hand))
    yield from (Recall(place) for place in table.guards[table.seat])
    yield End()


def legal(known: View) -> Iterator[Action]:
    """Every legal action of the mover, lazily; none for a reader whose turn it is not.

    There can be a quarter of a million: choose by steps (`cards`, `marching`, `acting.find_sieges`) to show
    them.
    """
    table = known.table
    if not known.my_turn:
        return
    match table.phase:
        case Phase.CARD:
            yield from card_choices(known)
        case Phase.MARCH:
            yield from marching.marches(table, marching.targets_of_chosen(table))
        case Phase.ACTIONS:
            yield from simple_actions(known)
            for siege in acting.find_sieges(table, table.seat, known.hand):
                yield from acting.conquests(table, siege)
        case Phase.OVER:
            return
        case _:
            assert_never(table.phase)
