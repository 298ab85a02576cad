"""What the players of these tests want to do: everything once, and then the end, by many walls."""

from collections.abc import Iterator
from itertools import islice

from engine import march_rules, rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Play, Recall, Stay, Take, TakeOver
from engine.board import corners
from engine.notation.orders import write
from engine.position import Phase, View
from tests.browser.hands import Hands
from tests.browser.served import Served

Done = set[type[Action]]
KINDS = (TakeOver, Occupy, Recall, Levy, Take, Draw)
"""The actions after a march, the rarest first."""
MOST_WAYS = 12


def take_step(place: Served, game: str, player: Hands, done: Done) -> None:
    """Let whoever is to move do the next thing, which must change something, and note its kinds as done."""
    before, known = (place.position(game), place.drafted(game)), place.known(game)
    wanted = (End(),) if place.is_complete(game) else plan(known, done)
    player.do(known, wanted)
    done |= set(map(type, wanted))
    assert (place.position(game), place.drafted(game)) != before, "nothing was done"


def plan(known: View, done: Done) -> tuple[Action, ...]:
    """What to do next: a card with its march, or one action. `done`: the kinds of what was done before."""
    if known.table.phase is Phase.ACTIONS:
        return (_action(known, done),)
    return max(_marches(known), key=lambda way: (_merit(known, way), _words(known, way)))


def _marches(known: View) -> Iterator[tuple[Action, ...]]:
    """Every card with some of its marches, or to stay where none is possible."""
    table = known.table
    for card in rules.card_choices(known):
        if isinstance(card, Stay):
            yield (card,)
            continue
        spaces = march_rules.targets(table, card.card, from_display=isinstance(card, Choose))
        for space in spaces:
            for corner in corners(space):
                for path in islice(march_rules.ShortestPaths(table, corner), MOST_WAYS):
                    yield card, March(space, path)


def _merit(known: View, way: tuple[Action, ...]) -> int:
    """Many walls, land to be had, a card more."""
    *_, last = way
    if not isinstance(last, March):
        return 0
    done = march_rules.outcome_of(known.table, last.path)
    return len(done.laid) + 3 * len(done.splits) + isinstance(way[0], Choose) - isinstance(way[0], Play)


def _action(known: View, done: Done) -> Action:
    """What nobody has done yet, else what helps most."""
    legal = sorted(rules.legal(known), key=lambda one: write(one, known.table.board))

    def rank(one: Action) -> tuple[bool, int, int]:
        guards = len(one.guards) if isinstance(one, Occupy | TakeOver) else 0
        late = (Levy, TakeOver, Occupy, Take, Draw, Recall, End)
        return type(one) in done, (KINDS if type(one) not in done else late).index(type(one)), -guards

    wanted = [one for one in legal if not isinstance(one, End)] or [End()]
    return min(wanted, key=rank)


def _words(known: View, way: tuple[Action, ...]) -> str:
    return "; ".join(write(one, known.table.board) for one in way)
