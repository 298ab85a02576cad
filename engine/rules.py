"""The rules: legal actions, the events they cause, and the events that follow automatically."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, assert_never

from engine import march_rules
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
from engine.board import Board
from engine.cards import DECK, ONE, Bag, Chance
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    EndReason,
    Event,
    GameClosed,
    GameEnded,
    GameStarted,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.evolve import evolve
from engine.position import DISPLAY_SIZE, RED_WALLS, Phase, Position, Table, View, view
from engine.provinces import conquests, find_sieges, judge_occupation, judge_takeover, levy_cards, levy_gains


def ends_with_turn(table: Table) -> bool:
    """True if the game ends with the present turn (7.1, 4.9, 7.4)."""
    is_stalemate = not table.stirred and table.idle + 1 >= 10 * len(table.names)
    return table.last_turn or is_stalemate


def end_game(table: Table) -> GameEnded:
    """Return the event that ends the game now (section 7); equal best scores share the win (7.3)."""
    reason: EndReason = "stalemate"
    if table.has_winning_score:
        reason = "points"
    elif table.last_turn:
        reason = "walls" if table.red < RED_WALLS else "no march"
    return GameEnded(reason, _leaders(table))


def close_game(table: Table) -> GameClosed:
    """Return the event that ends the game early by agreement; the highest score wins as in 7.3."""
    return GameClosed(_leaders(table))


def skip_turns(table: Table, seats: Collection[int]) -> tuple[TurnSkipped, ...]:
    """Return a skipped turn for each seat from the seat to move on, until the first seat outside `seats`.

    Empty if the current turn has begun, because it must be finished. Empty if `seats` contains all seats.
    """
    if table.phase is not Phase.CARD:
        return ()
    number = len(table.names)
    ahead = [(table.seat + later) % number for later in range(number)]
    plays = next((at for at, seat in enumerate(ahead) if seat not in seats), 0)
    return tuple(TurnSkipped(seat) for seat in ahead[:plays])


def _leaders(table: Table) -> tuple[int, ...]:
    best = max(table.scores)
    return tuple(seat for seat, score in enumerate(table.scores) if score == best)


def has_next_turn(table: Table, seat: int) -> bool:
    """True if a seat still has a turn to begin, as far as the present position tells."""
    is_begun = table.seat == seat and table.phase is Phase.CARD
    return not table.over and (is_begun or not table.last_turn)


def perform(position: Position, action: Action, chance: Chance) -> Event:
    """Check an action of the seat to move and return its event; raises `Illegal`."""
    phase, effect = EFFECTS[type(action)]
    if position.table.phase is not phase:
        raise _refuse_phase(position.table.phase, phase)
    return effect(position, action, chance)


def _refuse_phase(now: Phase, wanted: Phase) -> Illegal:
    match wanted:
        case Phase.CARD:
            return Illegal("4.10" if now is Phase.MARCH else "3.1", "a card has been chosen for this turn")
        case Phase.MARCH if now is Phase.CARD:
            return Illegal("3.1", "a card must be chosen first")
        case Phase.MARCH:
            return Illegal("3.1", "he has marched")
    return Illegal("3.1", "Alexander must march first")


def _perform_choice(position: Position, action: Choose | Play, _: Chance) -> CardChosen:
    table, card, is_shown = position.table, action.card, isinstance(action, Choose)
    if is_shown and card not in table.display:
        raise Illegal("4.1", "there is no %(card)s in the display", card=card)
    if not is_shown and card not in position.hands[table.seat]:
        raise Illegal("4.1", "there is no %(card)s in the hand", card=card)
    spaces = march_rules.targets(table, card, from_display=is_shown)
    if not spaces and is_shown:
        raise Illegal("9.3", "there is no empty %(card)s space, and the %(card)s is no joker", card=card)
    if not spaces:
        raise Illegal("4.8", "there is no empty %(card)s space, and a hand card is never a joker", card=card)
    if not march_rules.can_march(table, spaces):
        raise Illegal("4.9", "the walls left suffice for no march with the %(card)s", card=card)
    return CardChosen(table.seat, card, "display" if is_shown else "hand")


def _perform_stay(position: Position, action: Stay, _: Chance) -> AlexanderStayed:
    table, card = position.table, action.card
    if not all(isinstance(choice, Stay) for choice in card_choices(view(position, table.seat))):
        raise Illegal("4.9", "Alexander must march, for a legal march exists")
    if card is None and len(table.display):
        raise Illegal("4.9", "a display card must be taken")
    if card is not None and card not in table.display:
        raise Illegal("4.9", "there is no %(card)s in the display", card=card)
    return AlexanderStayed(table.seat, card)


def _perform_march(position: Position, action: March, _: Chance) -> AlexanderMarched:
    table = position.table
    laid = march_rules.judge_march(table, action)
    red = max(0, len(laid) - table.black)
    return AlexanderMarched(table.seat, action.target, action.path, laid, red)


def _perform_draw(position: Position, _: Draw, chance: Chance) -> CardDrawn:
    if not position.supply:
        raise Illegal("5.3", "the supply is empty")
    return CardDrawn(position.table.seat, chance(position.supply))


def _perform_take(position: Position, action: Take, _: Chance) -> CardTaken:
    table, card = position.table, action.card
    if card not in table.display:
        raise Illegal("5.1", "there is no %(card)s in the display", card=card)
    return CardTaken(table.seat, card)


def _perform_occupation(position: Position, action: Occupy, _: Chance) -> ProvinceOccupied:
    table, seat = position.table, position.table.seat
    paid = judge_occupation(table, seat, position.hands[seat], action)
    return ProvinceOccupied(seat, tuple(sorted(action.guards)), paid)


def _perform_takeover(position: Position, action: TakeOver, _: Chance) -> ProvinceTakenOver:
    table, seat = position.table, position.table.seat
    province, paid = judge_takeover(table, seat, position.hands[seat], action)
    assert province.holder is not None
    placed = tuple(sorted(action.guards))
    return ProvinceTakenOver(seat, province.holder, province.guards, placed, paid, action.given)


def _perform_levy(position: Position, action: Levy, _: Chance) -> TaxesLevied:
    table, seat, card = position.table, position.table.seat, action.card
    if table.levied:
        raise Illegal("3.2", "taxes are levied only once a turn")
    if card not in position.hands[seat]:
        raise Illegal("5.11", "there is no %(card)s in the hand", card=card)
    if card not in table.board.symbols_within(table.standing[seat]):
        raise Illegal("5.11", "none of your guards stands on a %(card)s space", card=card)
    return TaxesLevied(seat, card, levy_gains(table))


def _perform_recall(position: Position, action: Recall, _: Chance) -> GuardRecalled:
    table, place = position.table, action.place
    if not table.board.grid.space_bits.get(place, 0) & table.standing[table.seat]:
        name = table.board.names.get(place, str(place))
        raise Illegal("5.13", "no guard of yours stands on %(place)s", place=name)
    return GuardRecalled(table.seat, place)


def _perform_end(position: Position, _: End, __: Chance) -> GameEnded | TurnEnded:
    table = position.table
    return end_game(table) if ends_with_turn(table) else TurnEnded(table.seat)


EFFECTS: Mapping[type[Action], tuple[Phase, Callable[[Position, Any, Chance], Event]]] = {
    Choose: (Phase.CARD, _perform_choice),
    Play: (Phase.CARD, _perform_choice),
    Stay: (Phase.CARD, _perform_stay),
    March: (Phase.MARCH, _perform_march),
    Draw: (Phase.ACTIONS, _perform_draw),
    Take: (Phase.ACTIONS, _perform_take),
    Occupy: (Phase.ACTIONS, _perform_occupation),
    TakeOver: (Phase.ACTIONS, _perform_takeover),
    Levy: (Phase.ACTIONS, _perform_levy),
    Recall: (Phase.ACTIONS, _perform_recall),
    End: (Phase.ACTIONS, _perform_end),
}
"""For each action its phase and the function that checks it and returns its event."""


DueEvent = type[GameEnded] | type[SupplyRenewed] | type[CardOpened] | type[TurnEnded]


def due(position: Position) -> DueEvent | None:
    """Return the type of the automatic event that must come next; None: a player must act."""
    table = position.table
    if table.phase is Phase.ACTIONS:
        spent = table.actions_left == 0
        if table.has_winning_score or (spent and ends_with_turn(table)):
            return GameEnded
        if not position.supply and table.discard:
            return SupplyRenewed
        return TurnEnded if spent else None
    if table.phase is Phase.OVER:
        return None
    if not position.supply:
        return SupplyRenewed if table.discard else None
    return CardOpened if len(table.display) < DISPLAY_SIZE else None


def perform_due(position: Position, kind: DueEvent, chance: Chance) -> Event:
    """Return the automatic event of the type that `due` found."""
    if kind is TurnEnded:
        return TurnEnded(position.table.seat)
    if kind is CardOpened:
        return CardOpened(chance(position.supply))
    if kind is SupplyRenewed:
        return SupplyRenewed()
    return end_game(position.table)


def decide(position: Position, seat: int, action: Action, chance: Chance) -> tuple[Event, ...]:
    """Return the event of an action and all automatic events after it.

    Raises `Illegal`, before any card is drawn, if the action breaks a rule. Call it only if `due` finds no
    automatic event.
    """
    return play_out(position, seat, action, chance)[0]


def play_out(
    position: Position, seat: int, action: Action, chance: Chance
) -> tuple[tuple[Event, ...], Position]:
    """Return the events of `decide`, and the position after them."""
    table = position.table
    if table.over:
        raise Illegal("7", "the game is over")
    if seat != table.seat:
        raise Illegal("3.1", "it is the turn of %(name)s", name=table.display_name(table.seat))
    happened = [perform(position, action, chance)]
    position = evolve(position, happened[0])
    while (kind := due(position)) is not None:
        happened.append(perform_due(position, kind, chance))
        position = evolve(position, happened[-1])
    return tuple(happened), position


def card_choices(known: View) -> Iterator[Choose | Play | Stay]:
    table = known.table
    choices = [Choose(card) for card in march_rules.choosable_cards(table)]
    plays = [
        Play(card)
        for card in known.hand.kinds()
        if march_rules.can_march(table, march_rules.targets(table, card, from_display=False))
    ]
    yield from choices
    yield from plays
    if not choices and not plays:
        if len(table.display):
            yield from (Stay(card) for card in table.display.kinds())
        else:
            yield Stay(None)


def simple_actions(known: View) -> Iterator[Draw | Take | Levy | Recall | End]:
    """Yield the legal draws, takes, levies and recalls of the seat to move, and the end of the turn."""
    table = known.table
    if known.supply_size:
        yield Draw()
    yield from (Take(card) for card in table.display.kinds())
    yield from (Levy(card) for card in levy_cards(table, table.seat, known.hand))
    yield from (Recall(place) for place in table.guards[table.seat])
    yield End()


def legal(known: View) -> Iterator[Action]:
    """Yield every legal action of the seat with this view; none if another seat is to move.

    There can be 250,000 actions. User interfaces call `card_choices`, `march_rules.targets` or
    `provinces.find_sieges` instead.
    """
    table = known.table
    if not known.my_turn:
        return
    match table.phase:
        case Phase.CARD:
            yield from card_choices(known)
        case Phase.MARCH:
            yield from march_rules.marches(table, march_rules.targets_of_chosen(table))
        case Phase.ACTIONS:
            yield from simple_actions(known)
            for siege in find_sieges(table, table.seat, known.hand):
                yield from conquests(table, siege)
        case Phase.OVER:
            return
        case _:
            assert_never(table.phase)


def deal(board: Board, edition: str, names: Sequence[str], chance: Chance) -> GameStarted:
    """Deal one card to each seat in order, then the display."""
    supply, drawn = DECK, list[Bag]()
    for _ in range(len(names) + DISPLAY_SIZE):
        card = chance(supply)
        supply -= ONE[card]
        drawn.append(ONE[card])
    hands, display = drawn[: len(names)], drawn[len(names) :]
    return GameStarted(board.name, edition, tuple(names), tuple(hands), display[0] + display[1])
