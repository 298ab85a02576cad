"""What each action does: the one fact that it makes, or the clause that forbids it.

Deciding (rules.py) and checking (log_validation.py) both ask here, so that they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from engine import action_rules, march_rules
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
    CardTaken,
    EndReason,
    Event,
    GameClosed,
    GameEnded,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
    TurnEnded,
    TurnSkipped,
)
from engine.lattice import Space
from engine.position import RED_WALLS, Phase, Position, Table, View
from engine.provinces import levy_gains
from engine.views import view


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
    return GameEnded(reason, _leaders(table))


def close_game(table: Table) -> GameClosed:
    """The game ended as it stands, by agreement: the highest score wins, as in 7.3."""
    return GameClosed(_leaders(table))


def skip_turns(table: Table, seats: Collection[int]) -> tuple[TurnSkipped, ...]:
    """The turns of `seats` that are skipped before the next one that is played.

    None while a turn goes on, which is played to its end; none where every seat is among them.
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


def must_stay(known: View) -> bool:
    """Whether no display card and no card of the mover's hand leaves a legal march (4.9)."""
    table = known.table
    return not march_rules.choosable_cards(table) and not any(
        march_rules.can_play(table, card) for card in known.hand.kinds()
    )


def perform(position: Position, action: Action, chance: Chance) -> Event:
    """The one fact that `action` makes, done by the seat whose turn it is; raises `Illegal`."""
    phase, effect = EFFECTS[type(action)]
    if position.table.phase is not phase:
        raise _refuse_phase(position.table.phase, phase)
    return effect(position, action, chance)


def _refuse_phase(now: Phase, wanted: Phase) -> Illegal:
    """Why what is done in one phase cannot be done in another (3.1)."""
    match wanted:
        case Phase.CARD:
            return Illegal("4.10" if now is Phase.MARCH else "3.1", "a card has been chosen for this turn")
        case Phase.MARCH if now is Phase.CARD:
            return Illegal("3.1", "a card must be chosen first")
        case Phase.MARCH:
            return Illegal("3.1", "he has marched")
    return Illegal("3.1", "Alexander must march first")


def _perform_choice(position: Position, action: Choose, _: Chance) -> CardChosen:
    table, card = position.table, action.card
    if card not in table.display:
        raise Illegal("4.1", "there is no %(card)s in the display", card=card)
    spaces = march_rules.targets(table, card, from_display=True)
    if not spaces:
        raise Illegal("9.3", "there is no empty %(card)s space, and the %(card)s is no joker", card=card)
    _check_can_march(table, card, spaces)
    return CardChosen(table.seat, card, "display")


def _perform_special(position: Position, action: Play, _: Chance) -> CardChosen:
    table, card = position.table, action.card
    if card not in position.hands[table.seat]:
        raise Illegal("4.1", "there is no %(card)s in the hand", card=card)
    spaces = march_rules.targets(table, card, from_display=False)
    if not spaces:
        raise Illegal("4.8", "there is no empty %(card)s space, and a hand card is never a joker", card=card)
    _check_can_march(table, card, spaces)
    return CardChosen(table.seat, card, "hand")


def _check_can_march(table: Table, card: Symbol, spaces: tuple[Space, ...]) -> None:
    if not march_rules.can_march(table, spaces):
        raise Illegal("4.9", "the walls left suffice for no march with the %(card)s", card=card)


def _perform_stay(position: Position, action: Stay, _: Chance) -> AlexanderStayed:
    table, card = position.table, action.card
    if not must_stay(view(position, table.seat)):
        raise Illegal("4.9", "Alexander must march, for a legal march exists")
    if card is None and len(table.display):
        raise Illegal("4.9", "a display card must be taken")
    if card is not None and card not in table.display:
        raise Illegal("4.9", "there is no %(card)s in the display", card=card)
    return AlexanderStayed(table.seat, card)


def _perform_march(position: Position, action: March, _: Chance) -> AlexanderMarched:
    table = position.table
    laid = march_rules.judge_march(table, action)
    red = march_rules.count_red_walls(table, len(laid))
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
    paid = action_rules.judge_occupation(table, seat, position.hands[seat], action)
    return ProvinceOccupied(seat, tuple(sorted(action.guards)), paid)


def _perform_takeover(position: Position, action: TakeOver, _: Chance) -> ProvinceTakenOver:
    table, seat = position.table, position.table.seat
    province, paid = action_rules.judge_takeover(table, seat, position.hands[seat], action)
    assert province.holder is not None
    placed = tuple(sorted(action.guards))
    return ProvinceTakenOver(seat, province.holder, province.guards, placed, paid, action.given)


def _perform_levy(position: Position, action: Levy, _: Chance) -> TaxesLevied:
    _judge_levy(position, action.card)
    return TaxesLevied(position.table.seat, action.card, levy_gains(position.table))


def _perform_recall(position: Position, action: Recall, _: Chance) -> GuardRecalled:
    table, place = position.table, action.place
    if not table.board.grid.space_bits.get(place, 0) & table.standing[table.seat]:
        name = table.board.names.get(place, str(place))
        raise Illegal("5.13", "no guard of yours stands on %(place)s", place=name)
    return GuardRecalled(table.seat, place)


def _perform_end(position: Position, _: End, __: Chance) -> GameEnded | TurnEnded:
    table = position.table
    return end_game(table) if ends_with_turn(table) else TurnEnded(table.seat)


def _judge_levy(position: Position, card: Symbol) -> None:
    table, seat = position.table, position.table.seat
    if table.levied:
        raise Illegal("3.2", "taxes are levied only once a turn")
    if card not in position.hands[seat]:
        raise Illegal("5.11", "there is no %(card)s in the hand", card=card)
    if card not in table.board.symbols_within(table.standing[seat]):
        raise Illegal("5.11", "none of your guards stands on a %(card)s space", card=card)


EFFECTS: Mapping[type[Action], tuple[Phase, Callable[[Position, Any, Chance], Event]]] = {
    Choose: (Phase.CARD, _perform_choice),
    Play: (Phase.CARD, _perform_special),
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
"""For each kind of action the phase it belongs to, and what judges it and makes its fact."""
