"""The players of the house: each has a name, a strength and a temper."""

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
from engine.bots.judge import STEADY, Judge, PositionFeatures, Temper, Weights, tempered
from engine.bots.turns import Turn, best_turns, some_marches, until_reveal
from engine.cards import DECK, SYMBOLS, Bag, Chance, Symbol
from engine.position import Phase, Position, View, view
from engine.provinces import find_sieges, levy_cards, levy_gains
from engine.rules import play_out


def plan_steadily(known: View, weights: Weights = STEADY) -> Turn:
    """The best turn from here."""
    return best_turns(known, weights)[0]


@dataclass
class Dice:
    """Dice that fall by a seed, the same on every machine (splitmix64)."""

    state: int

    def throw(self, sides: int) -> int:
        """A number below `sides`."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return (mixed ^ mixed >> 31) % sides

    def shuffle(self, cards: Sequence[Symbol]) -> list[Symbol]:
        """The cards in some order."""
        shuffled = list(cards)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.throw(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled


def seed_dice(known: View, purpose: str = "") -> Dice:
    """Dice by what a reader knows and what they are for: the same view always gives the same."""
    table = known.table
    facts = (
        table.edition.name, table.turn, table.seat, str(table.phase), table.actions_left, table.levied,
        table.chosen, str(table.alexander), table.black, table.red, table.walled, table.standing,
        table.scores, table.display.counts, table.discard.counts, known.me, known.hand.counts,
        known.hand_sizes,
    )  # fmt: skip
    return Dice(int.from_bytes(sha256((repr(facts) + purpose).encode()).digest()[:8], "big"))


def sample_position(known: View, dice: Dice) -> tuple[Position, list[Symbol]]:
    """A position that the reader cannot tell from the true one, and the order in which cards will come."""
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
    """Chance that deals cards in an order, and by dice once none of those is left (5.3)."""
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


BREADTHS: Mapping[int, Sequence[int]] = {2: (20, 8, 4, 4), 3: (16, 6, 3, 3), 4: (12, 5, 3, 3)}
"""How many turns are tried in each world: at first many, then those that did best so far.

The more players there are, the longer it takes to play a turn on, and the fewer are tried.
"""
WITHIN = 25.0
"""Points that a turn may be behind the best by the judge, to be tried."""
PLANNED_IN_PLAYOUTS = 4
"""Marches of which the actions are worked out in the turns that are played on."""
VARIANTS = 2
"""Turns with the same march that are tried."""


def rank_turns(
    known: View, breadths: Sequence[int], weights: Weights = STEADY, extra: Sequence[Turn] = ()
) -> list[Turn]:
    """The best of all turns from here by trial, and `extra` ones: see `try_turns`."""
    chosen = choose_candidates(best_turns(known, weights), breadths[0])
    return try_turns(known, chosen, breadths, weights, extra)


def try_turns(
    known: View,
    chosen: Sequence[Turn],
    breadths: Sequence[int],
    weights: Weights = STEADY,
    extra: Sequence[Turn] = (),
    planned: int = PLANNED_IN_PLAYOUTS,
) -> list[Turn]:
    """The turns that were tried in every world, with what they are worth once played on, the best first.

    `extra` ones are tried in every world whatever they do. `planned`: see `PLANNED_IN_PLAYOUTS`.
    """
    turns = [*chosen, *extra]
    if len(turns) == 1:
        return turns
    dice, own, totals = seed_dice(known), len(turns) - len(extra), [0.0] * len(turns)
    going = list(range(len(turns)))
    for breadth in breadths:
        ahead = sorted(going[: len(going) - len(extra)], key=lambda number: -totals[number])
        going = [*ahead[:breadth], *range(own, len(turns))]
        position, order = sample_position(known, dice)
        seed = dice.throw(1 << 60)
        for number in going:
            chance = draw_in_order(order, Dice(seed))
            totals[number] += _play_on(position, turns[number], chance, weights, planned)
    ranked = [replace(turns[number], worth=totals[number] / len(breadths)) for number in going]
    return sorted(ranked, key=lambda turn: -turn.worth)


def compare_turns(
    known: View, one: Turn, other: Turn, worlds: int, weights: Weights = STEADY
) -> tuple[float, ...]:
    """By how much one turn did better than another, in each of so many worlds in which neither was chosen."""
    dice, found = seed_dice(known, "compared"), list[float]()
    for _ in range(worlds):
        position, order = sample_position(known, dice)
        seed = dice.throw(1 << 60)
        mine, others = (
            _play_on(position, turn, draw_in_order(order, Dice(seed)), weights) for turn in (one, other)
        )
        found.append(mine - others)
    return tuple(found)


def plan_strongly(known: View, breadths: Sequence[int] = (), weights: Weights = STEADY) -> Turn:
    """The best turn from here; it holds until a card is revealed."""
    return rank_turns(known, breadths or BREADTHS[len(known.hand_sizes)], weights)[0]


def choose_candidates(turns: list[Turn], most: int) -> list[Turn]:
    """The best turns, of those with one march only a few."""
    found: list[Turn] = []
    marches: dict[March | None, int] = {}
    for turn in turns:
        march = next((action for action in turn.actions if isinstance(action, March)), None)
        marches[march] = marches.get(march, 0) + 1
        if turn.worth < turns[0].worth - WITHIN or len(found) == most:
            break
        if march is None or marches[march] <= VARIANTS:
            found.append(turn)
    return found


def _play_on(
    now: Position, turn: Turn, chance: Chance, weights: Weights, planned: int = PLANNED_IN_PLAYOUTS
) -> float:
    """What a turn is worth in one world once everybody has had a turn after it."""
    me = now.table.seat
    now = _play_turn(now, turn, chance)
    for _ in now.hands:
        if now.table.over:
            break
        known = view(now, now.table.seat)
        now = _play_turn(now, best_turns(known, weights, planned)[0], chance)
    known = view(now, me)
    judge = Judge(known, weights)
    return judge.worth(judge.features_now(known))


def _play_turn(now: Position, turn: Turn, chance: Chance) -> Position:
    seat, number = now.table.seat, now.table.turn
    for action in turn.actions:
        if now.table.over or now.table.turn != number:
            break
        with suppress(Illegal):  # a turn that was played may have rested on a card that another world lacks
            _, now = play_out(now, seat, action, chance)
    while not now.table.over and now.table.turn == number and now.table.phase is Phase.ACTIONS:
        _, now = play_out(now, seat, End(), chance)
    return now


THOUGHTLESS = 95
"""Of a hundred decisions, those made without much thought."""
FORGETFUL = {Temper.BUILDER: 46, Temper.RAIDER: 50, Temper.HOARDER: 56}
"""Of a hundred times, those it takes a card without a look at what else could be done."""
MOST_MARCHES = 60
"""Marches of which it picks one at random."""
MOST_PLACEMENTS = 12
"""Ways to occupy a province of which it picks one at random."""


def play_easily(known: View, temper: Temper = Temper.RAIDER) -> Action:
    """The next action of a friendly beginner: a builder, a hoarder, or a raider who only dreams of it."""
    dice = seed_dice(known)
    if known.table.over:
        return End()
    if dice.throw(100) >= THOUGHTLESS:
        action = play_to_win(known)
        if not isinstance(action, TakeOver):
            return action
    return _play_thoughtlessly(known, dice, temper)


def _play_thoughtlessly(known: View, dice: Dice, temper: Temper) -> Action:
    table = known.table
    match table.phase:
        case Phase.CARD:
            choices = list(rules.card_choices(known))
            return choices[dice.throw(len(choices))]
        case Phase.MARCH:
            some = list(some_marches(table, march_rules.targets_of_chosen(table), MOST_MARCHES))
            picked = [some[dice.throw(len(some))] for _ in range(2 if temper is Temper.RAIDER else 1)]
            return min(picked, key=lambda march: _steps_to_rival(known, march))
        case _:
            return _act_thoughtlessly(known, dice, temper)


def _steps_to_rival(known: View, march: Action) -> int:
    """How far from the nearest guard of somebody else a march ends; 0 where nobody has one."""
    table = known.table
    if not isinstance(march, March):
        return 0
    far = table.board.distances_from(march.path[-1])
    guarded = [space for seat, own in enumerate(table.guards) if seat != table.seat for space in own]
    return min((far[corner] for space in guarded for corner in corners(space)), default=0)


def _act_thoughtlessly(known: View, dice: Dice, temper: Temper) -> Action:
    """Occupies what it can, levies when that is no worse for it than for others, else takes a card."""
    table = known.table
    if known.supply_size and dice.throw(100) < FORGETFUL[temper]:
        return Draw()
    ways: list[tuple[int, Occupy]] = []
    for siege in find_sieges(table, table.seat, known.hand):
        if siege.province.holder is None and siege.province.value:
            placements = islice(siege.guard_places(table), MOST_PLACEMENTS)
            ways += [(siege.province.value, Occupy(guards)) for guards in placements]
    if ways:
        picked = [ways[dice.throw(len(ways))] for _ in range(2 if temper is Temper.BUILDER else 1)]
        return max(picked, key=lambda way: way[0])[1]
    gains = levy_gains(table)
    cards = levy_cards(table, table.seat, known.hand)
    if cards and gains[table.seat] and gains[table.seat] == max(gains):
        return Levy(cards[0])
    return Draw() if known.supply_size else End()


PLANNED_BY_CARETAKER = 36
"""Marches of which the actions are worked out: more than others do, as many harm somebody."""


def plan_gently(known: View) -> tuple[Action, ...]:
    """What the caretaker does next, up to the first card that is revealed."""
    if known.table.over:
        return (End(),)
    before = Judge(known, STEADY).features_now(known)
    for turn in best_turns(known, STEADY, PLANNED_BY_CARETAKER):
        if is_harmless(known, before, turn):
            return until_reveal(known, turn)
    return (stand_in(known),)


def is_harmless(known: View, before: PositionFeatures, turn: Turn) -> bool:
    """Whether a turn takes nothing from anybody, ends no game, and levies only for who gains most by it."""
    after: PositionFeatures = turn.after
    if after.over or after.last_turn > before.last_turn:
        return False
    if any(isinstance(action, TakeOver) for action in turn.actions):
        return False
    if after.levied and not before.levied and before.incomes[known.my_seat] < max(before.incomes):
        return False
    return all(now >= was for now, was in zip(after.incomes, before.incomes, strict=True))


class Strength(StrEnum):
    """How well somebody of the house plays."""

    EASY = "easy"
    STEADY = "steady"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Profile:
    """One player of the house."""

    name: str
    strength: Strength
    temper: Temper

    @property
    def weights(self) -> Weights:
        """By what they judge."""
        return tempered(STEADY, self.temper)

    def plan(self, known: View) -> tuple[Action, ...]:
        """What they do next, up to the first card that is revealed."""
        match self.strength:
            case Strength.EASY:
                return (play_easily(known, self.temper),)
            case Strength.STEADY:
                return until_reveal(known, plan_steadily(known, self.weights))
            case Strength.STRONG:
                return until_reveal(known, plan_strongly(known, weights=self.weights))

    def play(self, known: View) -> Action:
        """What they do next."""
        return self.plan(known)[0]


PROFILES = {
    one.name: one
    for one in (
        Profile("Philip", Strength.EASY, Temper.BUILDER),
        Profile("Barsine", Strength.EASY, Temper.HOARDER),
        Profile("Perdiccas", Strength.EASY, Temper.RAIDER),
        Profile("Roxana", Strength.STEADY, Temper.BUILDER),
        Profile("Seleucus", Strength.STEADY, Temper.RAIDER),
        Profile("Ptolemy", Strength.STEADY, Temper.HOARDER),
        Profile("Darius", Strength.STRONG, Temper.BUILDER),
        Profile("Olympias", Strength.STRONG, Temper.RAIDER),
        Profile("Porus", Strength.STRONG, Temper.HOARDER),
    )
}
"""All of them by their names; those of one strength in the order in which they sit down."""


BotChoice = Strength | Profile
"""Who is to play a seat: anybody of a strength, or one by name."""


def find_bot_choice(word: str) -> BotChoice | None:
    """Whom a word means, such as `strong` or `Roxana`; capitals do not matter."""
    word = word.strip().casefold()
    named = next((one for one in PROFILES.values() if one.name.casefold() == word), None)
    return named or next((one for one in Strength if one.value == word), None)


def cast(choices: Iterable[BotChoice], taken: Iterable[str] = ()) -> tuple[Profile, ...]:
    """Who plays each seat, no name twice; `taken` are names of others in the game.

    Where a name is taken, or nobody of a strength is left, it is somebody as like in strength as can be.
    """
    asked = tuple(choices)
    gone = {name.casefold() for name in taken}
    found: list[Profile | None] = []
    for choice in asked:
        named = choice if isinstance(choice, Profile) and choice.name.casefold() not in gone else None
        gone |= {named.name.casefold()} if named else set()
        found.append(named)
    for number, choice in enumerate(asked):
        found[number] = one = found[number] or _somebody_like(choice, gone)
        gone.add(one.name.casefold())
    return tuple(one for one in found if one is not None)


def _somebody_like(choice: BotChoice, gone: Container[str]) -> Profile:
    strength = choice.strength if isinstance(choice, Profile) else choice
    order = list(Strength)
    free = [one for one in PROFILES.values() if one.name.casefold() not in gone]
    if not free:
        raise ValueError("nobody is left")
    return min(free, key=lambda one: abs(order.index(one.strength) - order.index(strength)))
