"""How often a rival comes to hold some cards before a player's next turn, who does all they can for it."""

from __future__ import annotations

from itertools import islice
from random import Random

from engine import march_rules
from engine.actions import Choose, Draw, Play, Take
from engine.cards import Symbol
from engine.evolve import evolve
from engine.position import Phase, Position, view
from engine.rules import card_choices, decide
from tests.bots.alike import mixed
from tests.bots.besieging import after_quiet_turn
from tests.engine.players import draw_from


def done(now: Position, action: object, dice: Random) -> Position:
    for event in decide(now, now.table.seat, action, draw_from(dice)):  # type: ignore[arg-type]
        now = evolve(now, event)
    return now


def gathers(now: Position, card: Symbol, many: int, dice: Random) -> bool:
    """Whether a rival who is to move holds so many of a card while one action is left."""
    seat = now.table.seat
    choices = list(card_choices(view(now, seat)))
    wanted = [one for one in choices if isinstance(one, Choose) and one.card is card]
    harmless = [one for one in choices if isinstance(one, Choose)]
    played = [one for one in choices if isinstance(one, Play) and one.card is not card]
    chosen = [*wanted, *harmless, *played][:1]
    if not chosen:
        return False
    now = done(now, chosen[0], dice)
    if now.table.phase is Phase.MARCH:
        [march] = islice(march_rules.marches(now.table, march_rules.targets_of_chosen(now.table)), 1)
        now = done(now, march, dice)
    if now.table.phase is not Phase.ACTIONS or now.table.seat != seat:
        return False
    if now.hands[seat][card] < many:
        if card in now.table.display:
            now = done(now, Take(card), dice)
        elif len(now.supply):
            now = done(now, Draw(), dice)
    return now.hands[seat][card] >= many


def frequency(after: Position, me: int, card: Symbol, many: int, *, worlds: int, seed: int) -> float:
    """In how many of so many worlds that a player cannot tell apart some rival comes to hold the cards."""
    dice, found = Random(seed), 0
    for _ in range(worlds):
        now = mixed(after, me, dice)
        while not now.table.over and now.table.seat != me:
            if gathers(now, card, many, dice):
                found += 1
                break
            now = after_quiet_turn(now)
    return found / worlds
