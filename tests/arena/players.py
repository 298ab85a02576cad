"""Who may play in the arena, by name."""

import random
from collections.abc import Callable, Mapping
from itertools import islice

from emails.wording.advice_text import MOST_CHOICES
from emails.wording.options import list_options
from engine import bots
from engine.actions import Action, Ambiguous, Draw, End, Levy, Occupy
from engine.bots.advice import suggest_turns
from engine.bots.strengths import PROFILES, plan_gently, plan_steadily, plan_strongly, play_easily
from engine.bots.turns import until_reveal
from engine.notation.grammar import read
from engine.position import Phase, View
from engine.provinces import find_sieges, levy_gains
from engine.rules import card_choices, simple_actions
from tests.arena.matches import Player
from tests.engine.players import some_march


def novice(known: View) -> Action:
    """A beginner: any card, any march, occupies what is free when they can, levies when level or ahead."""
    table = known.table
    dice = random.Random(f"{table.turn} {table.phase} {table.alexander} {table.actions_left} {known.hand}")
    match table.phase:
        case Phase.CARD:
            return dice.choice(list(card_choices(known)))
        case Phase.MARCH:
            return dice.choice(some_march(known, dice))
    ways: list[Action] = []
    for siege in find_sieges(table, table.seat, known.hand):
        if siege.province.holder is None and siege.province.value:
            ways += [Occupy(guards) for guards in islice(siege.guard_places(table), 12)]
    if ways:
        return dice.choice(ways)
    gains = levy_gains(table)
    mine, best = gains[table.seat], max(gain for seat, gain in enumerate(gains) if seat != table.seat)
    levies = [action for action in simple_actions(known) if isinstance(action, Levy)]
    if levies and mine and mine >= best:
        return levies[0]
    return Draw() if known.supply_size else End()


def keeping(plan: Callable[[View], tuple[Action, ...]]) -> Callable[[], Player]:
    """Makes players who do what they have planned, and think anew when a card is revealed."""

    def make() -> Player:
        ahead: list[Action] = []

        def play(known: View) -> Action:
            if not ahead:
                ahead.extend(plan(known))
            return ahead.pop(0)

        return play

    return make


def strong(*breadths: int) -> Callable[[View], tuple[Action, ...]]:
    """Strong that tries so many turns in each world, or as many as it does by itself."""
    return lambda known: until_reveal(known, plan_strongly(known, breadths))


def take_choice_a(known: View) -> tuple[Action, ...]:
    """Whoever does the first of the whole turns that a letter offers, and never thinks."""
    return suggest_turns(known, MOST_CHOICES)[0].actions


def first_listed() -> Player:
    """Whoever does the first of the single steps that a letter lists; of many ways to a corner the first."""
    waiting: list[str] = []

    def play(known: View) -> Action:
        if not waiting:
            listed = (one.words for group in list_options(known) for one in group.choices)
            waiting.extend(next(filter(None, listed)).split("; "))
        try:
            return read(waiting.pop(0), known)
        except Ambiguous as refusal:
            return refusal.candidates[0]

    return play


PLAYERS: Mapping[str, Callable[[], Player]] = {
    "strong": keeping(strong()),
    "strong-narrow": keeping(strong(6, 6, 6, 6)),
    "strong-slow": keeping(strong(20, 20, 8, 8, 4, 4, 4, 4)),
    "steady": keeping(lambda known: until_reveal(known, plan_steadily(known))),
    "easy": lambda: play_easily,
    "gentle": keeping(plan_gently),
    "greedy": lambda: bots.play_to_win,
    "caretaker": lambda: bots.stand_in,
    "novice": lambda: novice,
    "choice-a": keeping(take_choice_a),
    "first-listed": first_listed,
    **{name.casefold(): keeping(one.plan) for name, one in PROFILES.items()},
}


def named(name: str) -> Player:
    return PLAYERS[name]()
