"""Random plans in random games: each is read as it is written, and none does what is not allowed."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from random import Random

import pytest

from emails.languages.lexicon import words_of
from engine.actions import March, Stay
from engine.board import corners
from engine.events import CardOpened, Event
from engine.evolve import evolve
from engine.march_rules import ShortestPaths, targets_of_chosen
from engine.notation.grammar import read_canonical
from engine.notation.orders import Order, Verb
from engine.notation.orders import write as write_action
from engine.plans import (
    Alternative,
    OrderRefused,
    PlannedTurn,
    TurnPlan,
    choose_alternative,
    rank_marches,
    write_plan,
)
from engine.position import Phase, Position, view
from engine.rules import decide
from server.turns.dry_run import simulate_orders
from server.turns.play import write_lines
from tests.breadth import first
from tests.engine.planners import held, in_turn, random_plan
from tests.engine.players import BOARDS, draw_from, game, shuffled
from tests.spoken import read_plan


class Fate(StrEnum):
    """What becomes of a plan when its turn comes."""

    OPEN = "played with a march that it left open"
    REVEAL = "played up to the first card drawn, or without one"
    BEYOND = "played beyond it"
    UNMET = "refused by conditions alone"
    NONE_FITTED = "none fitted: what conditions let through cannot be done"


def judge(plan: TurnPlan, now: Position, seat: int, dice: Random) -> Fate:
    """The laws of one plan in one position, and what becomes of it."""
    found = choose_alternative(plan, view(now, seat))
    otherwise = choose_alternative(plan, view(shuffled(now, seat, dice), seat))
    assert repr(found) == repr(otherwise)
    broken = [any(not held(each, now.table) for each in one.conditions) for one in plan.alternatives]
    if isinstance(found, tuple):
        assert [not isinstance(one.reason, OrderRefused) for one in found] == broken
        return Fate.UNMET if all(broken) else Fate.NONE_FITTED
    assert not any(broken[found.number - 1 : found.number])
    one = plan.alternatives[found.number - 1]
    said = [order.points for order in one.until_reveal if order.verb == Verb.MARCH]
    is_open = any(isinstance(action, March) and action.path not in said for action in found.actions)
    if is_open:
        check_open_march(found, one, now, dice)
    if play_beyond(found, now, seat, dice):
        return Fate.BEYOND
    return Fate.OPEN if is_open else Fate.REVEAL


def check_open_march(turn: PlannedTurn, one: Alternative, now: Position, dice: Random) -> None:
    """After none of the marches that come before the one that is played could the rest be done."""
    card, *others = turn.actions
    if one.orders[0].verb == Verb.MARCH or isinstance(card, Stay) or not others:
        return
    assert isinstance(others[0], March)
    seat, marching = now.table.seat, now
    for event in decide(now, seat, card, draw_from(dice)):
        marching = evolve(marching, event)
    said = next((order for order in one.until_reveal if order.verb == Verb.MARCH), Order(Verb.MARCH))
    goals = (one for space in said.places or targets_of_chosen(marching.table) for one in corners(space))
    if sum(ShortestPaths(marching.table, one).count() for one in goals) > 60:
        return
    meant = in_turn(marching, said)
    first, *rest = (order for order in one.until_reveal if order.verb != Verb.MARCH)
    for march in meant[: meant.index(others[0])]:
        whole = Order(Verb.MARCH, (), (march.target,), march.path)
        found = choose_alternative(TurnPlan((Alternative((), (first, whole, *rest)),)), view(now, seat))
        assert isinstance(found, tuple), march


def play_beyond(turn: PlannedTurn, now: Position, seat: int, dice: Random) -> int:
    """Play what is chosen as the server does, judge each act anew; how many follow the first card drawn."""
    board, chance = now.table.board, dice.random()
    run = simulate_orders(now, seat, write_lines(turn, board), draw_from(Random(chance)))
    again, happened = draw_from(Random(chance)), list[Event]()
    for words in run.done:
        assert not now.table.over
        assert now.table.seat == seat
        events = decide(now, seat, read_canonical(words, board), again)
        for event in events:
            now = evolve(now, event)
        happened += events
    assert tuple(happened) == run.events
    planned = [write_action(action, board) for action in turn.actions]
    assert list(run.done[: len(planned)]) == planned[: len(run.done)]
    if len(run.done) < len(planned):  # the last card of the supply came into the display on the way
        assert any(isinstance(event, CardOpened) for event in happened)
        return 0
    assert len(run.done) <= len(planned) + len(turn.beyond)
    assert len(run.undone) <= len(turn.beyond)
    return len(run.done) - len(planned)


def try_plans(name: str, seed: int, most: int = 20) -> Iterator[Fate]:
    """Plans of a game, each made some acts before the turn for which it is."""
    dice, one = Random(f"plans {name} {seed}"), game(name, seed)
    told = [act.before for act in one.acts]
    begun = [at for at, now in enumerate(told) if now.table.phase is Phase.CARD]
    for at in dice.choices(begun, k=most) if begun else ():
        now = told[at]
        seat = now.table.seat
        then = told[dice.randint(max(0, at - 12), at)]
        plan = random_plan(then, seat, dice)
        for language in ("en", "nl"):
            text = write_plan(plan, now.table.board, words_of(language).plan_words)
            if len(text) <= 1000 and all(map(is_in_order, plan.alternatives)):
                again = read_plan(text, language, now.table.board)
                assert again == plan, text
        yield judge(plan, now, seat, dice)


def is_in_order(one: Alternative) -> bool:
    """Whether a turn is one card, one march and then actions."""
    card, march = (None, Verb.CHOOSE, Verb.PLAY), (Verb.MARCH, Verb.STAY)
    steps = "".join("c" if each.verb in card else "m" if each.verb in march else "a" for each in one.orders)
    return re.fullmatch("(c|m|cm)a*", steps) is not None and one.orders[0].verb != Verb.TAKE


@pytest.mark.parametrize("name", first(3, BOARDS))
def test_no_plan_does_what_is_not_allowed(name: str) -> None:
    fates = {one for seed in range(2) for one in try_plans(name, seed)}
    assert name == "bare" or fates & {Fate.OPEN, Fate.REVEAL, Fate.BEYOND}


@pytest.mark.parametrize(
    ("seeds", "plans"),
    [
        pytest.param(12, 2_000, marks=pytest.mark.breadth, id="2000"),
        pytest.param(112, 20_000, marks=pytest.mark.long, id="20000"),
    ],
)
def test_none_of_so_many(seeds: int, plans: int, record_property: Callable[[str, object], None]) -> None:
    fates = Counter(
        one for name in BOARDS for seed in range(100, 100 + seeds) for one in try_plans(name, seed)
    )
    record_property("figure", ", ".join(f"{fate}: {fates[fate]}" for fate in Fate))
    assert fates.total() >= plans
    assert all(fates[fate] >= plans / 20 for fate in Fate), fates


def test_each_fate_comes_to_many_plans_and_some_are_played_beyond_the_first_card() -> None:
    fates = Counter(one for name in BOARDS for seed in range(4) for one in try_plans(name, seed, 5))
    assert all(fates[fate] >= 5 for fate in Fate), fates


def test_a_player_who_ignores_conditions_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a plan that is played whatever its conditions say breaks the law above."""
    monkeypatch.setattr("engine.plans.holds", lambda condition, table: True)
    with pytest.raises(AssertionError):
        [one for name in BOARDS for seed in range(2) for one in try_plans(name, seed)]


def test_an_open_march_that_is_taken_out_of_turn_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: the marches tried from the last to the first break the law of the first."""
    ranked = rank_marches
    monkeypatch.setattr("engine.plans.rank_marches", lambda table, said: ranked(table, said)[::-1])
    with pytest.raises(AssertionError):
        [one for name in BOARDS for seed in range(2) for one in try_plans(name, seed)]
