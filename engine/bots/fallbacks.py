"""Bots that judge one action at a time: greedy, and quiet, which keeps a seat unharmed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Side, Space
from engine.bots.turns import best, some_marches
from engine.cards import ONE, SYMBOLS, Bag, Symbol
from engine.march_rules import MarchOutcome
from engine.position import Phase, Table, View
from engine.provinces import (
    Province,
    Siege,
    find_siege,
    find_sieges,
    levy_cards,
    levy_gains,
    loser_share,
    province_at,
    symbols_on,
)

# What things are worth to the house, in points; found by letting it play some thousands of games.
LEVIES_EXPECTED = 1.5
"""Levies that a province lives to see before it is split or taken: an open space is worth this much."""
RIVAL_POINT_WORTH = 0.3
"""A point that a rival loses, against an own one: the other rivals profit as well."""
LEAD, LEAD_BEHIND = 0.8, 1.0
"""A point that rivals gain in a levy, against an own one: below 1 so that games end, but not to lose."""
WALL_WORTH = 0.5
"""A wall: without a price the walls run out before the points are made."""
CARD_WORTH = 1.0
"""A card: about half an action."""
CARD_DISCOUNT = 0.3
"""How fast further cards of one symbol lose their worth."""
READY_WORTH = 1.0
"""Having a card to levy with, against having none."""
GIVEN_CARD_WORTH = 0.5
"""A card that the loser of a province receives."""
GUARD_WORTH = 3.0
"""The last guard in supply, without which no province can be won; also a guard that must be taken back."""
GAME_WORTH = 1000.0
"""The game, won or lost."""

MOST_MARCHES = 140
"""Marches the house looks at in one decision, so that none takes long; most positions have fewer."""


def play_to_win(known: View) -> Action:
    """The action of a player who plays to win; `known` is what the seat to move knows."""
    table = known.table
    match table.phase:
        case Phase.CARD:
            return best(table.board, _judged_cards(known))[1]
        case Phase.MARCH:
            some = some_marches(table, march_rules.targets_of_chosen(table), MOST_MARCHES)
            judged = (
                (_march_worth(table, known.hand, march_rules.outcome_of(table, one.path)), one)
                for one in some
            )
            return best(table.board, judged)[1]
        case Phase.ACTIONS:
            useful = [(worth, action) for worth, action in _judged_actions(known) if worth > 0]
            return best(table.board, useful)[1] if useful else End()
        case Phase.OVER:
            return End()


# --- the house: card and march --------------------------------------------------------------------------


def _judged_cards(known: View) -> Iterator[tuple[float, Choose | Play | Stay]]:
    """Each card that can be chosen, with what its best march and having the card are worth."""
    table, choices = known.table, list(rules.card_choices(known))
    outcome = cache(lambda path: march_rules.outcome_of(table, path))
    for choice in choices:
        if isinstance(choice, Stay):
            yield (0.0 if choice.card is None else _card_worth(known, choice.card)), choice
            continue
        shown = isinstance(choice, Choose)
        spaces = march_rules.targets(table, choice.card, from_display=shown)
        hand = known.hand + ONE[choice.card] if shown else known.hand - ONE[choice.card]
        some = some_marches(table, spaces, MOST_MARCHES // len(choices))
        march = max(_march_worth(table, hand, outcome(one.path)) for one in some)
        yield march + (_card_worth(known, choice.card) if shown else -CARD_WORTH), choice


def _march_worth(table: Table, hand: Bag, done: MarchOutcome) -> float:
    """What a march is worth: points kept, taken from rivals, or within reach of `hand`; less its walls."""
    me, change = table.seat, [0] * len(table.names)
    before, after = 0.0, 0.0
    for split in done.splits:
        if split.before.holder is not None:
            change[split.before.holder] -= split.before.scores
        before = max(before, _value_province(table, hand, split.before))
        for part in split.parts:
            if part.holder is not None:
                change[part.holder] += part.scores
            after = max(after, _value_province(table, hand, part))
    rivals = sum(change) - change[me]
    worth = (
        LEVIES_EXPECTED * (change[me] - RIVAL_POINT_WORTH * rivals)
        + max(0.0, after - before)
        - WALL_WORTH * len(done.laid)
    )
    if done.red:  # the game ends with this turn (7.1), be it with a levy or without
        ends = [[0] * len(change)]
        if levy_cards(table, me, hand):
            ends.append([now + more for now, more in zip(levy_gains(table), change, strict=True)])
        worth += GAME_WORTH * max(_compare_totals(table, end) for end in ends)
    return worth


def _compare_totals(table: Table, gained: Sequence[int]) -> int:
    """Whether the mover is ahead after these gains: 1 alone, 0 with others, -1 behind."""
    totals = [score + gain for score, gain in zip(table.scores, gained, strict=True)]
    mine = totals.pop(table.seat)
    return (mine > max(totals)) - (mine < max(totals))


# --- the house: actions ---------------------------------------------------------------------------------


def _judged_actions(known: View) -> Iterator[tuple[float, Action]]:
    """What each action after the march is worth; of the conquests of a province only a few."""
    table = known.table
    for action in rules.simple_actions(known):
        match action:
            case Draw():
                worth = sum(_card_worth(known, card) for card in SYMBOLS) / len(SYMBOLS)
            case Take(card):
                worth = _card_worth(known, card)
            case Levy():
                worth = _levy_worth(table)
            case Recall(place):
                worth = _recall_worth(table, place)
            case End():
                worth = 0.0
        yield worth, action
    for siege in find_sieges(table, table.seat, known.hand):
        for guards in _guard_choices(table, siege):
            worth = _conquest_worth(table, known.hand, siege, guards)
            loser = siege.province.holder
            if loser is None:
                yield worth, Occupy(guards)
            else:
                yield worth, TakeOver(guards, _choose_gift(table, loser, siege.price(table, guards)))


def _card_worth(known: View, card: Symbol) -> float:
    """What one more such card is worth: less, the more the hand holds; more, to be ready for a levy."""
    table = known.table
    if table.last_turn and (table.levied or table.actions_left == 1):
        return 0.0
    standing = symbols_on(table, table.guards[table.seat])
    ready = any(other in standing for other in known.hand.kinds())
    return CARD_WORTH / (1 + CARD_DISCOUNT * known.hand[card]) + (
        READY_WORTH if card in standing and not ready else 0.0
    )


def _levy_worth(table: Table) -> float:
    """The own points less those of the rivals, and the game where it ends (7.1, 7.2)."""
    gained = levy_gains(table)
    mine, rivals = gained[table.seat], gained[: table.seat] + gained[table.seat + 1 :]
    theirs = (max(rivals) + sum(rivals) / len(rivals)) / 2  # the best matters most, but not alone
    worth = mine - (LEAD_BEHIND if _compare_totals(table, gained) < 0 else LEAD) * theirs
    totals = (score + gain for score, gain in zip(table.scores, gained, strict=True))
    if table.last_turn or max(totals) >= table.edition.winning_score:
        worth += GAME_WORTH * _compare_totals(table, gained)
    return worth


def _recall_worth(table: Table, place: Space) -> float:
    """A guard too many costs its province all its points (5.12); one in supply can win another."""
    province = province_at(table, place)
    change = province.value if len(province.guards) == 2 else -province.scores
    return LEVIES_EXPECTED * change + (0.0 if table.guards_in_supply(table.seat) else GUARD_WORTH)


def _guard_choices(table: Table, siege: Siege) -> Iterator[tuple[Space, ...]]:
    """A few ways to place the fewest guards: never all, for there can be thousands."""
    places = siege.province.places
    alike = [[one for one in places if table.board.symbols[one] is symbol] for symbol in SYMBOLS]
    if siege.needed:
        chosen = chain(*(some[:many] for some, many in zip(alike, siege.needed.counts, strict=True)))
        yield tuple(sorted(chosen))
    else:
        yield from ((some[0],) for some in alike if some)


def _conquest_worth(table: Table, hand: Bag, siege: Siege, guards: tuple[Space, ...]) -> float:
    """Its points, now or once the guards too many are taken back; less cards and guards."""
    province, me = siege.province, table.seat
    paid = siege.price(table, guards)
    standing = symbols_on(table, table.guards[me] + guards)
    worth = LEVIES_EXPECTED * province.value - CARD_WORTH * len(paid) - GUARD_WORTH * (len(guards) - 1)
    if any(card in standing for card in (hand - paid).kinds()):
        worth += READY_WORTH
    if len(guards) == table.guards_in_supply(me):
        worth -= GUARD_WORTH
    if province.holder is not None:
        worth += LEVIES_EXPECTED * RIVAL_POINT_WORTH * province.scores - GIVEN_CARD_WORTH * loser_share(
            table, paid
        )
    return worth


def _value_province(table: Table, hand: Bag, province: Province) -> float:
    """What a province within reach is worth; 0 for one that is not, or not worth it."""
    siege = find_siege(table, table.seat, hand, province)
    if siege is None:
        return 0.0
    worths = (_conquest_worth(table, hand, siege, guards) for guards in _guard_choices(table, siege))
    return max(0.0, *worths)


def _choose_gift(table: Table, loser: int, paid: Bag) -> Bag:
    """The cards to hand over (5.10): first those with which the loser cannot levy."""
    standing = symbols_on(table, table.guards[loser])
    cards = sorted(paid, key=lambda card: card in standing)
    return Bag.of(cards[: loser_share(table, paid)])


MOST_QUIET_MARCHES = 300
"""Marches the caretaker looks at in one decision."""
LOST_POINT_WORTH = 100
"""What a lost point is to the caretaker in walls: more than there are."""


def stand_in(known: View) -> Action:
    """The action of one who keeps an absent player's seat unharmed: quiet marches, then cards for them."""
    table = known.table
    match table.phase:
        case Phase.CARD:
            return _quiet_card(known)
        case Phase.MARCH:
            return _quiet_march(table, march_rules.targets_of_chosen(table), MOST_QUIET_MARCHES)[1]
        case Phase.ACTIONS if known.supply_size:
            return Draw()
        case Phase.ACTIONS:
            return next((Take(card) for card in table.display.kinds()), End())
        case Phase.OVER:
            return End()


def _quiet_card(known: View) -> Choose | Play | Stay:
    """A display card with the quietest march; a hand card only where no display card can march."""
    table, choices = known.table, list(rules.card_choices(known))
    kept = [one for one in choices if not isinstance(one, Play)] or choices
    judged: list[tuple[float, Choose | Play | Stay]] = []
    for choice in kept:
        if isinstance(choice, Stay):
            judged.append((0.0, choice))
        else:
            spaces = march_rules.targets(table, choice.card, from_display=isinstance(choice, Choose))
            judged.append((_quiet_march(table, spaces, MOST_QUIET_MARCHES // len(kept))[0], choice))
    return best(table.board, judged)[1]


def _quiet_march(table: Table, spaces: tuple[Space, ...], most: int) -> tuple[float, March]:
    """The march with the fewest walls that leaves the mover what they score, else the least harmful one."""
    now = levy_gains(table)[table.seat]
    own = {space for place in table.guards[table.seat] for space in province_at(table, place).spaces}

    @cache
    def lost(inside: frozenset[Side]) -> int:
        walled = table.walled | table.board.grid.mask_sides(inside)
        return max(0, now - levy_gains(table.but(walled=walled))[table.seat]) if inside else 0

    judged: list[tuple[float, March]] = []
    for march in some_marches(table, spaces, most):
        laid = march_rules.new_walls(table, march.path)
        inside = frozenset(edge for edge in laid if own.issuperset(table.board.spaces_on[edge]))
        judged.append((-LOST_POINT_WORTH * lost(inside) - len(laid), march))
    return best(table.board, judged)
