"""Bots that rate single actions: the greedy bot, and the quiet caretaker of an absent player's seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import Side, Space
from engine.bots.turns import best_candidate, choose_gift, some_marches
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

# Worth to the greedy bot, in points; tuned in some thousands of games against itself.
LEVIES_EXPECTED = 1.5  # in which a province scores before it is split or lost
RIVAL_POINT_WORTH = 0.3
"""Worth of a point that a rival loses; less than 1, because other rivals profit too."""
LEAD, LEAD_BEHIND = 0.8, 1.0  # factors on rivals' points in a levy; if LEAD were 1, games would not end
WALL_WORTH = 0.5  # price of building a wall; at 0, the bots would use up all walls too early
CARD_WORTH = 1.0
"""Worth of a card: about half the worth of an action."""
CARD_DISCOUNT = 0.3
"""Discount on a card for each card of its symbol already in the hand."""
READY_WORTH = 1.0
GIVEN_CARD_WORTH = 0.5
GUARD_WORTH = 3.0
"""Price of a second guard in a province, and of the last guard in supply."""
GAME_WORTH = 1000.0

MOST_MARCHES = 140


def play_to_win(known: View) -> Action:
    """Return the greedy bot's next action."""
    table = known.table
    match table.phase:
        case Phase.CARD:
            return best_candidate(table.board, _judged_cards(known))[1]
        case Phase.MARCH:
            some = some_marches(table, march_rules.targets_of_chosen(table), MOST_MARCHES)
            judged = (
                (_march_worth(table, known.hand, march_rules.outcome_of(table, one.path)), one)
                for one in some
            )
            return best_candidate(table.board, judged)[1]
        case Phase.ACTIONS:
            useful = [(worth, action) for worth, action in _judged_actions(known) if worth > 0]
            return best_candidate(table.board, useful)[1] if useful else End()
        case Phase.OVER:
            return End()


# --- greedy: card and march -------------------------------------------------------------------------------


def _judged_cards(known: View) -> Iterator[tuple[float, Choose | Play | Stay]]:
    """Yield each choice of a card and its worth: the best march plus a card gained or minus a card lost."""
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
    if done.red:  # the game ends with this turn (7.1), with or without a levy
        ends = [[0] * len(change)]
        if levy_cards(table, me, hand):
            ends.append([now + more for now, more in zip(levy_gains(table), change, strict=True)])
        worth += GAME_WORTH * max(_compare_totals(table, end) for end in ends)
    return worth


def _compare_totals(table: Table, gained: Sequence[int]) -> int:
    totals = [score + gain for score, gain in zip(table.scores, gained, strict=True)]
    mine = totals.pop(table.seat)
    return (mine > max(totals)) - (mine < max(totals))


# --- greedy: actions --------------------------------------------------------------------------------------


def _judged_actions(known: View) -> Iterator[tuple[float, Action]]:
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
                province = province_at(table, place)
                change = province.value if len(province.guards) == 2 else -province.scores
                worth = LEVIES_EXPECTED * change
                worth += 0.0 if table.guards_in_supply(table.seat) else GUARD_WORTH
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
                yield (
                    worth,
                    TakeOver(guards, choose_gift(table, siege.price(table, guards), table.standing[loser])),
                )


def _card_worth(known: View, card: Symbol) -> float:
    """Return the worth of one more card: less in a large hand, more if it makes a levy possible."""
    table = known.table
    if table.last_turn and (table.levied or table.actions_left == 1):
        return 0.0
    standing = symbols_on(table, table.guards[table.seat])
    ready = any(other in standing for other in known.hand.kinds())
    return CARD_WORTH / (1 + CARD_DISCOUNT * known.hand[card]) + (
        READY_WORTH if card in standing and not ready else 0.0
    )


def _levy_worth(table: Table) -> float:
    """Return the worth of a levy: points minus weighted points of rivals, plus the worth of a game's end."""
    gained = levy_gains(table)
    mine, rivals = gained[table.seat], gained[: table.seat] + gained[table.seat + 1 :]
    theirs = (max(rivals) + sum(rivals) / len(rivals)) / 2  # the best rival counts most
    worth = mine - (LEAD_BEHIND if _compare_totals(table, gained) < 0 else LEAD) * theirs
    totals = (score + gain for score, gain in zip(table.scores, gained, strict=True))
    if table.last_turn or max(totals) >= table.edition.winning_score:
        worth += GAME_WORTH * _compare_totals(table, gained)
    return worth


def _guard_choices(table: Table, siege: Siege) -> Iterator[tuple[Space, ...]]:
    # only a few of the placements, because there can be thousands
    places = siege.province.places
    alike = [[one for one in places if table.board.symbols[one] is symbol] for symbol in SYMBOLS]
    if siege.needed:
        chosen = chain(*(some[:many] for some, many in zip(alike, siege.needed.counts, strict=True)))
        yield tuple(sorted(chosen))
    else:
        yield from ((some[0],) for some in alike if some)


def _conquest_worth(table: Table, hand: Bag, siege: Siege, guards: tuple[Space, ...]) -> float:
    """Return the worth of a conquest: the points of the province, less cards and guards."""
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
    siege = find_siege(table, table.seat, hand, province)
    if siege is None:
        return 0.0
    worths = (_conquest_worth(table, hand, siege, guards) for guards in _guard_choices(table, siege))
    return max(0.0, *worths)


MOST_QUIET_MARCHES = 300
LOST_POINT_WORTH = 100  # in walls; more than a march can build


def stand_in(known: View) -> Action:
    """Return the next action for an absent player: a march that costs few points, then taking cards."""
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
    table, choices = known.table, list(rules.card_choices(known))
    kept = [one for one in choices if not isinstance(one, Play)] or choices
    judged: list[tuple[float, Choose | Play | Stay]] = []
    for choice in kept:
        if isinstance(choice, Stay):
            judged.append((0.0, choice))
        else:
            spaces = march_rules.targets(table, choice.card, from_display=isinstance(choice, Choose))
            judged.append((_quiet_march(table, spaces, MOST_QUIET_MARCHES // len(kept))[0], choice))
    return best_candidate(table.board, judged)[1]


def _quiet_march(table: Table, spaces: tuple[Space, ...], most: int) -> tuple[float, March]:
    """Return the best rating and its march, of at most `most` marches; a lost point counts as 100 walls."""
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
    return best_candidate(table.board, judged)
