"""Random plans in random games: each is read as it is written, and none does what is not allowed."""

from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice
from random import Random

import pytest

from emails.languages.lexicon import plan_words
from engine.actions import March, Stay
from engine.events import CardOpened, Event
from engine.evolve import evolve
from engine.lattice import corners
from engine.march_rules import ShortestPaths, targets_of_chosen
from engine.notation.canonical_text import Verb
from engine.notation.grammar import read_canonical
from engine.notation.grammar import write as write_action
from engine.notation.orders import Order
from engine.plans import plan_choice, rehearsal
from engine.plans.open_marches import leaves_march_open
from engine.plans.plan_choice import PlannedTurn, choose_alternative
from engine.plans.plan_writer import write_plan
from engine.plans.turn_plans import Alternative, TurnPlan
from engine.position import Position, Table
from engine.rules import decide
from engine.views import view
from server.turns.dry_run import simulate_orders
from server.turns.planned_turns import write_lines
from tests.breadth import first
from tests.engine.planners import held, in_turn, random_plan, turns_begun
from tests.engine.players import BOARDS, draw_from, game, shuffled
from tests.spoken import read_plan


class Fate(StrEnum):
    """What becomes of a plan when its turn comes."""

    OPEN = "played with a march that it left open"
    REVEAL = "played up to the first card drawn, or without one"
    BEYOND = "played beyond it"
    GUARDED = "refused by guards alone"
    NONE_FITTED = "none fitted: what guards let through cannot be done"


def judge(plan: TurnPlan, now: Position, before: Table, seat: int, dice: Random) -> Fate:
    """The laws of one plan in one position, and what becomes of it."""
    known = view(now, seat)
    found = choose_alternative(plan, known, before)
    otherwise = choose_alternative(plan, view(shuffled(now, seat, dice), seat), before)
    assert repr(found) == repr(otherwise)
    broken = [
        any(not held(guard, one.orders, now.table, before) for guard in one.guards)
        for one in plan.alternatives
    ]
    if isinstance(found, tuple):
        assert [bool(one.failures) for one in found] == broken
        return Fate.GUARDED if all(broken) else Fate.NONE_FITTED
    assert not broken[found.number - 1]
    one = plan.alternatives[found.number - 1]
    if leaves_march_open(one, now.table.board):
        check_open_march(found, one, now, dice)
    if play_beyond(found, now, seat, dice):
        return Fate.BEYOND
    return Fate.OPEN if leaves_march_open(one, now.table.board) else Fate.REVEAL


def check_open_march(turn: PlannedTurn, one: Alternative, now: Position, dice: Random) -> None:
    """After none of the marches that come before the one that is played could the rest be done."""
    card, *others = turn.actions
    if one.orders[0].verb == Verb.MARCH or isinstance(card, Stay) or not others:
        return
    assert isinstance(others[0], March)
    seat, marching = now.table.seat, now
    for event in decide(now, seat, card, draw_from(dice)):
        marching = evolve(marching, event)
    said = next((order for order in one.orders if order.verb == Verb.MARCH), Order(Verb.MARCH))
    if count_marches(marching, said) > 60:
        return
    meant = in_turn(marching, said)
    first, *rest = (order for order in one.until_reveal if order.verb != Verb.MARCH)
    for march in meant[: meant.index(others[0])]:
        whole = Order(Verb.MARCH, (), (march.target,), march.path)
        found = choose_alternative(
            TurnPlan((Alternative((), (first, whole, *rest)),)), view(now, seat), now.table
        )
        assert isinstance(found, tuple), march


def count_marches(now: Position, said: Order) -> int:
    """How many marches there are to the places that an order can mean."""
    spaces = said.places or targets_of_chosen(now.table)
    return sum(ShortestPaths(now.table, corner).count() for space in spaces for corner in corners(space))


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
    begun = list(turns_begun(told))
    for at in dice.choices(begun, k=most) if begun else ():
        now = told[at]
        seat = now.table.seat
        then = told[dice.randint(max(0, at - 12), at)]
        plan = random_plan(then, seat, dice)
        for language in ("en", "nl"):
            text = write_plan(plan, now.table.board, plan_words(language))
            if len(text) <= 1000 and all(len(each.orders) <= 10 for each in plan.alternatives):
                again = read_plan(text, language, now.table.board)
                assert again == plan, text
        yield judge(plan, now, then.table, seat, dice)


def is_played(fate: Fate) -> bool:
    return fate in (Fate.OPEN, Fate.REVEAL, Fate.BEYOND)


@pytest.mark.parametrize("name", first(3, BOARDS))
def test_no_plan_does_what_is_not_allowed(name: str) -> None:
    fates = [one for seed in range(2) for one in try_plans(name, seed)]
    assert name == "bare" or any(map(is_played, fates))


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


def test_a_player_who_ignores_guards_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a plan that is played whatever has changed breaks the law above."""
    monkeypatch.setattr(plan_choice, "find_failures", lambda one, now, before: ())
    with pytest.raises(AssertionError):
        [one for name in BOARDS for seed in range(2) for one in try_plans(name, seed)]


def test_an_open_march_that_is_taken_out_of_turn_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: the last of a few marches breaks the law of the first."""
    few = rehearsal.rank_marches
    monkeypatch.setattr(
        rehearsal, "rank_marches", lambda table, said: reversed([*islice(few(table, said), 5)])
    )
    with pytest.raises(AssertionError):
        [one for name in BOARDS for seed in range(2) for one in try_plans(name, seed)]
