"""The three strengths of bots: how each chooses a turn from a view, and its named profiles."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from itertools import islice

from engine import march_rules, rules
from engine.actions import Action, Draw, End, Illegal, Levy, March, Occupy, TakeOver
from engine.board import corners
from engine.bots.fallbacks import play_to_win, stand_in
from engine.bots.judge import Judge, PositionFeatures
from engine.bots.turns import Turn, best_turns, some_marches, until_reveal
from engine.cards import DECK, SYMBOLS, Bag, Chance, Symbol
from engine.position import Phase, Position, View, view
from engine.provinces import find_sieges, levy_cards, levy_gains
from engine.rules import play_out

# --- hidden cards: samples and dice -----------------------------------------------------------------------


@dataclass
class Dice:
    """A seeded random generator with equal results on every machine (splitmix64)."""

    state: int

    def throw(self, sides: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return (mixed ^ mixed >> 31) % sides

    def shuffle(self, cards: Sequence[Symbol]) -> list[Symbol]:
        shuffled = list(cards)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.throw(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled


def seed_dice(known: View, purpose: str = "") -> Dice:
    """Return dice seeded by a view and a purpose, so that equal views give equal decisions."""
    table = known.table
    facts = (
        table.edition.name, table.turn, table.seat, str(table.phase), table.actions_left, table.levied,
        table.chosen, str(table.alexander), table.black, table.red, table.walled, table.standing,
        table.scores, table.display.counts, table.discard.counts, known.me, known.hand.counts,
        known.hand_sizes,
    )  # fmt: skip
    return Dice(int.from_bytes(sha256((repr(facts) + purpose).encode()).digest()[:8], "big"))


def sample_position(known: View, dice: Dice) -> tuple[Position, list[Symbol]]:
    """Return a random position that agrees with a view, and the order in which its supply is drawn."""
    table = known.table
    hidden = dice.shuffle(list(DECK - known.hand - table.display - table.discard))
    hands = []
    for seat, size in enumerate(known.hand_sizes):
        if seat == known.me:
            hands.append(known.hand)
        else:
            hands.append(Bag.of(hidden[:size]))
            del hidden[:size]
    return Position(table, tuple(hands), Bag.of(hidden)), hidden


def draw_in_order(order: Sequence[Symbol], dice: Dice) -> Chance:
    """Return a `Chance` that draws cards in this order, and at random when the list is used up (5.3)."""
    ahead = list(order)

    def chance(supply: Bag) -> Symbol:
        while ahead:
            card = ahead.pop(0)
            if card in supply:
                return card
        number = dice.throw(len(supply))
        for symbol in SYMBOLS:
            number -= supply[symbol]
            if number < 0:
                return symbol
        raise AssertionError("an empty supply deals nothing")

    return chance


def plan_steadily(known: View) -> Turn:
    """Return the turn that the judge rates best."""
    return best_turns(known)[0]


# --- Strong: tries the best turns in samples --------------------------------------------------------------

# by seats: how many of the turns that are best so far are tried in each sample of the hidden cards
BREADTHS: Mapping[int, Sequence[int]] = {2: (20, 8, 4, 4), 3: (16, 6, 3, 3), 4: (12, 5, 3, 3)}
WITHIN = 25.0
PLANNED_IN_PLAYOUTS = 4  # marches considered in each turn of a simulated round
VARIANTS = 2
"""Maximum number of tried turns that share a march."""


def plan_strongly(known: View, breadths: Sequence[int] = ()) -> Turn:
    """Return the best turn found in samples of the hidden cards; valid until a card is revealed."""
    return rank_turns(known, breadths or BREADTHS[len(known.hand_sizes)])[0]


def rank_turns(known: View, breadths: Sequence[int], extra: Sequence[Turn] = ()) -> list[Turn]:
    """Return the judge's best turns and the `extra` turns, rated by `try_turns`, the best first."""
    return try_turns(known, choose_candidates(best_turns(known), breadths[0]), breadths, extra)


def try_turns(
    known: View,
    chosen: Sequence[Turn],
    breadths: Sequence[int],
    extra: Sequence[Turn] = (),
    planned: int = PLANNED_IN_PLAYOUTS,
) -> list[Turn]:
    """Return the turns that were tried in every sample, rated by their mean worth, the best first.

    For each sample, `breadths` contains how many of the best `chosen` turns are tried. Every sample tries all
    `extra` turns. In the simulated round that follows, each seat considers only the `planned` best marches.
    """
    turns = [*chosen, *extra]
    if len(turns) == 1:
        return turns
    dice, own, totals = seed_dice(known), len(chosen), [0.0] * len(turns)
    going = list(range(len(turns)))
    for breadth in breadths:
        ahead = sorted(going[: len(going) - len(extra)], key=lambda number: -totals[number])
        going = [*ahead[:breadth], *range(own, len(turns))]
        position, order = sample_position(known, dice)
        seed = dice.throw(1 << 60)
        for number in going:
            totals[number] += _play_out_round(
                position, turns[number], draw_in_order(order, Dice(seed)), planned
            )
    ranked = [replace(turns[number], worth=totals[number] / len(breadths)) for number in going]
    return sorted(ranked, key=lambda turn: -turn.worth)


def compare_turns(known: View, one: Turn, other: Turn, samples: int) -> tuple[float, ...]:
    """Return, for each of `samples` fresh samples, the judge's worth of `one` minus the worth of `other`."""
    dice, found = seed_dice(known, "compared"), list[float]()
    for _ in range(samples):
        position, order = sample_position(known, dice)
        seed = dice.throw(1 << 60)
        mine, others = (
            _play_out_round(position, turn, draw_in_order(order, Dice(seed))) for turn in (one, other)
        )
        found.append(mine - others)
    return tuple(found)


def choose_candidates(turns: list[Turn], most: int) -> list[Turn]:
    """Return the first `most` of the sorted turns, with at most `VARIANTS` turns per march."""
    found: list[Turn] = []
    marches: dict[March | None, int] = {}
    for turn in turns:
        march = turn.march
        marches[march] = marches.get(march, 0) + 1
        if turn.worth < turns[0].worth - WITHIN or len(found) == most:
            break
        if march is None or marches[march] <= VARIANTS:
            found.append(turn)
    return found


def _play_out_round(now: Position, turn: Turn, chance: Chance, planned: int = PLANNED_IN_PLAYOUTS) -> float:
    """Play a turn and one more round of all seats; return the final worth to the seat that began."""
    me = now.table.seat
    now = _play_turn(now, turn, chance)
    for _ in now.hands:
        if now.table.over:
            break
        known = view(now, now.table.seat)
        now = _play_turn(now, best_turns(known, planned)[0], chance)
    known = view(now, me)
    judge = Judge(known)
    return judge.worth(judge.features_now(known))


def _play_turn(now: Position, turn: Turn, chance: Chance) -> Position:
    seat, number = now.table.seat, now.table.turn
    for action in turn.actions:
        if now.table.over or now.table.turn != number:
            break
        with suppress(Illegal):  # a turn played in a game may need a card that this sample lacks
            _, now = play_out(now, seat, action, chance)
    while not now.table.over and now.table.turn == number and now.table.phase is Phase.ACTIONS:
        _, now = play_out(now, seat, End(), chance)
    return now


# --- Easy: plays mostly at random -------------------------------------------------------------------------

RANDOM_PERCENT = 95
"""Percentage of Easy's decisions that are random."""
DRAW_PERCENT = 50
MOST_MARCHES = 60
"""Maximum number of marches among which Easy chooses at random."""
MOST_PLACEMENTS = 12
"""Maximum number of guard placements per province among which Easy chooses at random."""


def play_easily(known: View) -> Action:
    """Return the next action of Easy, a mostly random bot that never takes over a province."""
    dice = seed_dice(known)
    if known.table.over:
        return End()
    if dice.throw(100) >= RANDOM_PERCENT:
        action = play_to_win(known)
        if not isinstance(action, TakeOver):
            return action
    table = known.table
    match table.phase:
        case Phase.CARD:
            choices = list(rules.card_choices(known))
            return choices[dice.throw(len(choices))]
        case Phase.MARCH:
            some = list(some_marches(table, march_rules.targets_of_chosen(table), MOST_MARCHES))
            picked = [some[dice.throw(len(some))] for _ in range(2)]
            return min(picked, key=lambda march: _steps_to_rival(known, march))
        case _:
            return _act_at_random(known, dice)


def _steps_to_rival(known: View, march: March) -> int:
    """Return the number of sides between a march's end and the nearest rival guard; 0 if there is none."""
    table = known.table
    far = table.board.distances_from(march.path[-1])
    guarded = [space for seat, own in enumerate(table.guards) if seat != table.seat for space in own]
    return min((far[corner] for space in guarded for corner in corners(space)), default=0)


def _act_at_random(known: View, dice: Dice) -> Action:
    table = known.table
    if known.supply_size and dice.throw(100) < DRAW_PERCENT:
        return Draw()
    ways: list[Occupy] = []
    for siege in find_sieges(table, table.seat, known.hand):
        if siege.province.holder is None and siege.province.value:
            ways += map(Occupy, islice(siege.guard_places(table), MOST_PLACEMENTS))
    if ways:
        return ways[dice.throw(len(ways))]
    gains = levy_gains(table)
    cards = levy_cards(table, table.seat, known.hand)
    if cards and gains[table.seat] and gains[table.seat] == max(gains):
        return Levy(cards[0])
    return Draw() if known.supply_size else End()


# --- the gentle caretaker ---------------------------------------------------------------------------------

PLANNED_BY_CARETAKER = 36  # many marches, because many turns harm a rival and are rejected


def plan_gently(known: View) -> tuple[Action, ...]:
    """Return the best turn that harms no rival, without the actions after the first revealed card."""
    if known.table.over:
        return (End(),)
    before = Judge(known).features_now(known)
    for turn in best_turns(known, PLANNED_BY_CARETAKER):
        if _is_harmless(known, before, turn):
            return until_reveal(known, turn)
    return (stand_in(known),)


def _is_harmless(known: View, before: PositionFeatures, turn: Turn) -> bool:
    after: PositionFeatures = turn.after
    if after.over or after.last_turn > before.last_turn:
        return False
    if any(isinstance(action, TakeOver) for action in turn.actions):
        return False
    if after.levied and not before.levied and before.incomes[known.my_seat] < max(before.incomes):
        return False
    return all(now >= was for now, was in zip(after.incomes, before.incomes, strict=True))


# --- profiles ---------------------------------------------------------------------------------------------


class Strength(StrEnum):
    EASY = "easy"
    STEADY = "steady"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    strength: Strength

    def plan(self, known: View) -> tuple[Action, ...]:
        match self.strength:
            case Strength.EASY:
                return (play_easily(known),)
            case Strength.STEADY:
                return until_reveal(known, plan_steadily(known))
            case Strength.STRONG:
                return until_reveal(known, plan_strongly(known))


PROFILE_NAMES: Mapping[Strength, tuple[str, ...]] = {
    Strength.EASY: ("Philip", "Barsine", "Perdiccas"),
    Strength.STEADY: ("Roxana", "Seleucus", "Ptolemy"),
    Strength.STRONG: ("Darius", "Olympias", "Porus"),
}
"""The names for each strength, in the order in which they are assigned to seats."""
PROFILES: Mapping[str, Profile] = {
    name: Profile(name, strength) for strength, names in PROFILE_NAMES.items() for name in names
}


BotChoice = Strength | Profile


def find_bot_choice(word: str) -> BotChoice | None:
    """Return the strength or profile named by a word in upper or lower case, such as `strong` or `Roxana`."""
    word = word.strip().casefold()
    named = next((one for one in PROFILES.values() if one.name.casefold() == word), None)
    return named or next((one for one in Strength if one.value == word), None)


def assign_profiles(choices: Iterable[BotChoice], taken: Iterable[str] = ()) -> tuple[Profile, ...]:
    """Return a profile for each requested seat; all names are different, and none is in `taken`.

    If a name is taken or a strength has no name left, a profile of the nearest strength is used instead.
    Raises `ValueError` when no name is left.
    """
    requested = tuple(choices)
    gone = {name.casefold() for name in taken}
    found: list[Profile | None] = []
    for choice in requested:
        named = choice if isinstance(choice, Profile) and choice.name.casefold() not in gone else None
        gone |= {named.name.casefold()} if named else set()
        found.append(named)
    for number, choice in enumerate(requested):
        found[number] = one = found[number] or _nearest_free_profile(choice, gone)
        gone.add(one.name.casefold())
    return tuple(one for one in found if one is not None)


def _nearest_free_profile(choice: BotChoice, gone: Container[str]) -> Profile:
    strength = choice.strength if isinstance(choice, Profile) else choice
    order = list(Strength)
    free = [one for one in PROFILES.values() if one.name.casefold() not in gone]
    if not free:
        raise ValueError("no name is left")
    return min(free, key=lambda one: abs(order.index(one.strength) - order.index(strength)))
