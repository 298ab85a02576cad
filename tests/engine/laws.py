"""What holds in every game: each law takes a whole game, looks at some of its positions, and asserts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from engine import march_rules
from engine.actions import Action, End, Illegal, March, Occupy, Recall, TakeOver
from engine.cards import DECK, ONE, SYMBOLS, Bag
from engine.event_log import describe
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardDrawn,
    CardOpened,
    CardTaken,
    GameEnded,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    TaxesLevied,
    TurnEnded,
)
from engine.evolve import evolve, replay, start
from engine.notation.orders import write
from engine.position import GUARDS_PER_SEAT, Phase, Position, veil_event, view
from engine.provinces import conquests, find_sieges
from engine.rules import card_choices, decide, due, legal
from tests.engine.build import no_dice
from tests.engine.players import Act, Game, shuffled

Law = Callable[[Game], None]
MOST = 2000
"""Positions with more actions than this are left to the other laws."""


def some(game: Game, most: int) -> list[Act]:
    """Some acts of a game, always the same ones."""
    return Random(len(game.acts)).sample(game.acts, min(most, len(game.acts)))


def offered(now: Position) -> list[Action] | None:
    """Everything offered to the seat whose turn it is; None where there is too much of it."""
    found = list(islice(legal(view(now, now.table.seat)), MOST))
    return found if len(found) < MOST else None


def positions(game: Game) -> Iterator[Position]:
    yield from (now for now, _ in game.steps())
    yield game.last


# --- a game is its facts --------------------------------------------------------------------------------


def replay_equals_play(game: Game) -> None:
    events = [event for act in game.acts for event in act.events]
    now = game.acts[0].before
    for event in events:
        now = evolve(now, event)
    assert now == game.last
    assert now.table.over
    if game.opening == start(game.opening.table.board, game.first):
        ahead = [event for _, event in game.steps()]
        assert replay(game.opening.table.board, [game.first, *ahead]) == game.last


def nothing_is_lost(game: Game) -> None:
    """55 cards, every wall and four guards a seat, whatever happens; and nothing is less than none."""
    walls = game.opening.table.walls_left
    for now in positions(game):
        table = now.table
        assert sum(now.hands, now.supply + table.display + table.discard) == DECK
        assert all(min(pile.counts) >= 0 for pile in (*now.hands, now.supply, table.display, table.discard))
        assert len(table.walls) + table.walls_left == walls
        assert min(table.black, table.red) >= 0
        standing = [place for placed in table.guards for place in placed]
        assert len(standing) == len(set(standing)), "two guards on a space"
        assert all(len(placed) <= GUARDS_PER_SEAT for placed in table.guards)
        assert len(table.display) <= 2
        assert table.idle <= 10 * len(table.names)


def chance_draws_from_the_supply(game: Game) -> None:
    for now, event in game.steps():
        if isinstance(event, CardDrawn | CardOpened):
            assert event.card in now.supply


def a_turn_has_the_actions_of_its_edition(game: Game) -> None:
    """No more of them than the edition grants, as they are counted in the log, and what is left is known."""
    deeds = CardDrawn | CardTaken | ProvinceOccupied | ProvinceTakenOver | TaxesLevied | GuardRecalled
    granted = {"rio-grande": 2, "identity-games": 2, "three-actions": 3}[game.first.edition]
    done = granted
    for now, event in game.steps():
        assert now.table.actions_left == (granted - done if now.table.phase is Phase.ACTIONS else 0)
        if isinstance(event, AlexanderMarched | AlexanderStayed):
            done = 0
        elif isinstance(event, deeds):
            done += 1
            assert done <= granted
        elif isinstance(event, TurnEnded) and done < granted:
            assert any(act.action == End() and act.events[0] == event for act in game.acts)


def every_game_ends(game: Game) -> None:
    *_, last = game.acts
    assert isinstance(last.events[-1], GameEnded)
    assert game.last.table.phase is Phase.OVER
    assert not offered(game.last)
    best = max(game.last.table.scores)
    assert game.last.table.winners == tuple(
        seat for seat, score in enumerate(game.last.table.scores) if score == best
    )


def no_dead_end(game: Game) -> None:
    """Where a player is to act there is something to do, and where he is not there is nothing."""
    for now in positions(game):
        if due(now) is not None or now.table.over:
            continue
        known = view(now, now.table.seat)
        assert next(legal(known), None) is not None
        if now.table.phase is Phase.CARD:
            assert next(card_choices(known), None) is not None
        for other in (None, *range(len(now.hands))):
            if other != now.table.seat:
                assert next(legal(view(now, other)), None) is None


def a_province_has_one_holder(game: Game) -> None:
    for now in positions(game):
        described = describe(now)
        provinces = described["provinces"]
        assert isinstance(provinces, list)
        assert sum(part["spaces"] for part in provinces) == len(now.table.board.symbols)
        for part in provinces:
            inside = {now.table.board.places[name] for name in part["places"]}
            holders = {seat for seat, placed in enumerate(now.table.guards) if inside & set(placed)}
            assert holders == ({part["holder"]} - {None})


# --- offers ---------------------------------------------------------------------------------------------


def what_is_offered_is_accepted(game: Game) -> None:
    for act in some(game, 6):
        now = act.before
        for action in islice(legal(view(now, now.table.seat)), 150):
            decide(now, now.table.seat, action, lambda cards: next(iter(cards)))


def altered(action: Action, now: Position, dice: Random) -> Action:
    """An action a little different from one that is legal."""
    table = now.table
    places = [*table.board.names]
    match action:
        case March(target, path):
            points = [*table.board.steps]
            at = dice.randrange(len(path))
            changed = (*path[:at], dice.choice(points), *path[at + 1 :])
            return dice.choice(
                [March(dice.choice(places), path), March(target, changed), March(target, path[:-1])]
            )
        case Occupy(guards):
            more = tuple(sorted({*guards, dice.choice(places)}))
            return dice.choice([Occupy(more), Occupy(guards[1:]), TakeOver(guards, Bag())])
        case TakeOver(guards, given):
            more = tuple(sorted({*guards, dice.choice(places)}))
            other = given + ONE[dice.choice(SYMBOLS)]
            return dice.choice([TakeOver(more, given), TakeOver(guards, other), TakeOver(guards, Bag())])
        case Recall():
            return Recall(dice.choice(places))
        case End():
            return End()
        case _ if hasattr(action, "card"):
            return replace(action, card=dice.choice(SYMBOLS))
        case _:
            return action


def what_is_accepted_is_offered(game: Game) -> None:
    """Actions a little beside what is legal are done if and only if offered; refusals draw nothing."""
    dice = Random(len(game.acts))
    for act in some(game, 6):
        found = offered(act.before)
        if found is None or not act.before.table.board.names:
            continue
        for action in dice.sample(found, min(8, len(found))):
            other = altered(action, act.before, dice)
            if other in found:
                decide(act.before, act.before.table.seat, other, lambda cards: next(iter(cards)))
            else:
                with pytest.raises(Illegal) as caught:
                    decide(act.before, act.before.table.seat, other, no_dice)
                assert "\n" not in str(caught.value)


def an_offer_is_made_once(game: Game) -> None:
    for act in some(game, 6):
        found = offered(act.before)
        if found is not None:
            texts = [write(action, act.before.table.board) for action in found]
            assert len(set(texts)) == len(texts)


def _passes(path: march_rules.Path, points: march_rules.Path) -> bool:
    walk = iter(path)
    return all(point in walk for point in points)


def ways_are_counted_as_they_are_listed(game: Game) -> None:
    marched = [act for act in game.acts if isinstance(act.action, March)]
    for act in marched[::5]:
        table = act.before.table
        for space in march_rules.targets_of_chosen(table):
            for corner in march_rules.corners(space):
                ways = march_rules.ShortestPaths(table, corner)
                if ways.count() < MOST:
                    paths = list(ways)
                    assert len(set(paths)) == len(paths) == ways.count()
                    assert paths == sorted(paths)
                    assert ways.is_affordable() == bool(paths)
                    assert {len(path) - 1 for path in paths} <= {ways.length}
                    for path in paths[:: len(paths) // 4 + 1]:
                        passed = path[1::2]
                        assert list(ways.paths_through(passed)) == [
                            one for one in paths if _passes(one, passed)
                        ]
                    costs = [len(march_rules.new_walls(table, path)) for path in paths]
                    assert not costs or min(costs) == ways.fewest_walls()


def sieges_tell_what_conquests_cost(game: Game) -> None:
    for act in some(game, 6):
        now, table = act.before, act.before.table
        hand = now.hands[table.seat]
        for siege in find_sieges(table, table.seat, hand):
            for guards in islice(siege.guard_places(table), 20):
                price = siege.price(table, guards)
                assert hand.covers(price)
                conquest = next(c for c in conquests(table, siege) if c.guards == guards)
                if table.phase is Phase.ACTIONS:
                    (event, *_) = decide(now, table.seat, conquest, lambda cards: next(iter(cards)))
                    assert isinstance(event, ProvinceOccupied | ProvinceTakenOver)
                    assert event.paid == price


# --- secrets --------------------------------------------------------------------------------------------


def what_is_hidden_makes_no_difference(game: Game) -> None:
    dice = Random(len(game.acts))
    for act in some(game, 10):
        now = act.before
        for me in (None, *range(len(now.hands))):
            other = shuffled(now, me, dice)
            assert view(other, me) == view(now, me)
            for event in act.events:
                if isinstance(event, CardDrawn) and event.seat != me:
                    assert veil_event(event, me) == veil_event(replace(event, card=dice.choice(SYMBOLS)), me)
        mine = shuffled(now, now.table.seat, dice)
        first = list(islice(legal(view(now, now.table.seat)), 300))
        assert list(islice(legal(view(mine, mine.table.seat)), 300)) == first


LAWS: tuple[Law, ...] = (
    replay_equals_play,
    nothing_is_lost,
    chance_draws_from_the_supply,
    a_turn_has_the_actions_of_its_edition,
    every_game_ends,
    no_dead_end,
    a_province_has_one_holder,
    what_is_offered_is_accepted,
    what_is_accepted_is_offered,
    an_offer_is_made_once,
    ways_are_counted_as_they_are_listed,
    sieges_tell_what_conquests_cost,
    what_is_hidden_makes_no_difference,
)
