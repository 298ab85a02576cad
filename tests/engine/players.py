"""Players who choose at random, each with a taste, and the games they play.

They ask by steps, as a page does, so that a hoarded hand costs no time. Their tastes lead where plain chance
seldom comes: a hoarder empties the supply, an idler marches over old walls, a mason lays red ones.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from random import Random

from engine import march_rules
from engine.actions import Action, Choose, Draw, End, Levy, March, Play, Recall, Stay, Take
from engine.board import Board
from engine.cards import EMPTY, Bag, Symbol
from engine.editions import EDITIONS
from engine.events import Event, GameStarted
from engine.evolve import evolve, start
from engine.position import Phase, Position, View, view
from engine.provinces import conquests, find_sieges, provinces
from engine.rules import card_choices, deal, decide, due, perform_due, simple_actions
from tests.engine.build import PEOPLE, alexandros, board
from tests.paths import GAMES

BOARDS: Mapping[str, Board] = {
    "alexandros": alexandros(),
    "hexagon": board("t.h", "l.s", start="A3"),
    "strip": board("h..l...s...a..t..h", start="A7"),
    "lake": Board.read((GAMES / "lake.toml").read_text("utf-8")),
    "towers": board("h..   ..t", " ..l.s.. ", start="A3"),
    "crowd": board("hlsat", " tash", start="B4"),
    "two": board("..h.......", " .......l..", start="A1"),
    "bare": board("......", start="A1"),
    "plain": board("...........", " ....h......", "..........l", " .s.........", start="C7"),
}


@dataclass(frozen=True)
class Act:
    """One action of a game: the position it was done in, and what it brought about."""

    before: Position
    action: Action
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Game:
    """A whole game."""

    first: GameStarted
    opening: Position
    acts: tuple[Act, ...]
    last: Position

    def steps(self) -> Iterator[tuple[Position, Event]]:
        """Each event after the first, with the position before it."""
        for act in self.acts:
            now = act.before
            for event in act.events:
                yield now, event
                now = evolve(now, event)


def draw_from(dice: Random) -> Callable[[Bag], Symbol]:
    return lambda cards: dice.choice(list(cards))


Taste = Callable[[View, Random], Action]


def play(opening: Position, first: GameStarted, tastes: tuple[Taste, ...], dice: Random) -> Game:
    chance, acts, now = draw_from(dice), [], opening
    while (kind := due(now)) is not None:
        now = evolve(now, perform_due(now, kind, chance))
    while not now.table.over:
        seat = now.table.seat
        action = tastes[seat % len(tastes)](view(now, seat), dice)
        act = Act(now, action, decide(now, seat, action, chance))
        acts.append(act)
        for event in act.events:
            now = evolve(now, event)
        assert len(acts) < 20_000, "every game ends"
    return Game(first, opening, tuple(acts), now)


@cache
def game(name: str, seed: int) -> Game:
    """One of the random games on a board; the seed says who plays, by which edition, with which tastes.

    Every third game has few walls from the start, so that marches that cannot be afforded come up, and every
    fourth many points, so that somebody wins by them.
    """
    dice = Random(f"{name} {seed}")
    edition = dice.choice(list(EDITIONS))
    first = deal(BOARDS[name], edition, PEOPLE[: dice.randint(2, 4)], draw_from(dice))
    opening = start(BOARDS[name], first)
    if seed % 3 == 2:
        table = replace(opening.table, black=dice.randrange(6), red=dice.randrange(4))
        opening = replace(opening, table=table)
    if seed % 4 == 3:
        scores = tuple(dice.randint(80, 99) for _ in first.seats)
        opening = replace(opening, table=replace(opening.table, scores=scores))
    everybody = dice.choice(list(TASTES.values()))
    tastes = everybody if seed % 2 else tuple(dice.choice(list(TASTES.values()))[0] for _ in range(4))
    return play(opening, first, tastes, dice)


# --- tastes ---------------------------------------------------------------------------------------------


def some_march(known: View, dice: Random, most: int = 40) -> list[March]:
    """Marches to one random corner of one random target."""
    table = known.table
    spaces = [
        space for space in march_rules.targets_of_chosen(table) if march_rules.reachable_corners(table, space)
    ]
    space = dice.choice(spaces)
    ways = march_rules.ShortestPaths(table, dice.choice(march_rules.reachable_corners(table, space)))
    return [March(space, path) for path in islice(ways, most)]


def chosen_conquests(known: View, dice: Random, most: int = 20) -> list[Action]:
    """For each province that can be had, one way to get it."""
    table, found = known.table, []
    for siege in find_sieges(table, table.seat, known.hand):
        ways = list(islice(conquests(table, siege), most))
        found.append(dice.choice(ways))
    return found


def anybody(known: View, dice: Random) -> Action:
    match known.table.phase:
        case Phase.CARD:
            return dice.choice(list(card_choices(known)))
        case Phase.MARCH:
            return dice.choice(some_march(known, dice))
        case _:
            return dice.choice([*simple_actions(known), *chosen_conquests(known, dice)])


def governor(known: View, dice: Random) -> Action:
    """Occupies what it can and levies when that pays."""
    table = known.table
    if table.phase is not Phase.ACTIONS:
        return anybody(known, dice)
    worth = sum(part.scores for part in provinces(table) if part.holder == table.seat)
    levies = [action for action in simple_actions(known) if isinstance(action, Levy)]
    if worth >= 3 and levies:
        return dice.choice(levies)
    if table.guards_in_supply(table.seat) and (found := chosen_conquests(known, dice)):
        return dice.choice(found)
    if not table.guards_in_supply(table.seat) and dice.random() < 0.2:
        return Recall(dice.choice(table.guards[table.seat]))
    return Draw() if known.supply_size else End()


def hoarder(known: View, dice: Random) -> Action:
    """Takes cards and spends none, until nothing is left to be drawn; then does whatever comes."""
    table = known.table
    if table.phase is not Phase.ACTIONS or dice.random() < 0.03:
        return anybody(known, dice)
    if known.supply_size:
        return Draw()
    taken = [Take(card) for card in table.display.kinds()]
    return dice.choice(taken) if taken and dice.random() < 0.9 else anybody(known, dice)


def idler(known: View, dice: Random) -> Action:
    """Marches over old walls where it can, and ends its turn."""
    table = known.table
    match table.phase:
        case Phase.CARD:
            return min(card_choices(known), key=lambda said: _dearness(known, said))
        case Phase.MARCH:
            spaces = march_rules.targets_of_chosen(table)
            ways = [
                (march_rules.ShortestPaths(table, c), space)
                for space in spaces
                for c in march_rules.corners(space)
            ]
            cheapest, space = min(ways, key=lambda way: way[0].fewest_walls())
            return March(
                space, next(path for path in cheapest if _laid(known, path) == cheapest.fewest_walls())
            )
        case _:
            return End()


def _laid(known: View, path: march_rules.Path) -> int:
    return len(march_rules.new_walls(known.table, path))


def _dearness(known: View, said: Choose | Play | Stay) -> int:
    """How many walls the cheapest march with a card lays."""
    if isinstance(said, Stay):
        return 0
    spaces = march_rules.targets(known.table, said.card, from_display=isinstance(said, Choose))
    return min(
        march_rules.ShortestPaths(known.table, c).fewest_walls()
        for space in spaces
        for c in march_rules.corners(space)
    )


def mason(known: View, dice: Random) -> Action:
    table = known.table
    if table.phase is Phase.MARCH:
        return max(some_march(known, dice), key=lambda march: _laid(known, march.path))
    return anybody(known, dice)


TASTES: Mapping[str, tuple[Taste, ...]] = {
    "anybody": (anybody,),
    "governors": (governor,),
    "hoarders": (hoarder,),
    "idlers": (idler,),
    "masons": (mason,),
}


def shuffled(now: Position, me: int | None, dice: Random) -> Position:
    """A position that differs only in what `me` may not know: the others' hands and the supply."""
    known = EMPTY if me is None else now.hands[me]
    hidden = [card for hand in (*now.hands, now.supply) for card in hand]
    for card in known:
        hidden.remove(card)
    dice.shuffle(hidden)
    hands = []
    for seat, hand in enumerate(now.hands):
        hands.append(hand if seat == me else Bag.of(hidden.pop() for _ in range(len(hand))))
    return Position(now.table, tuple(hands), Bag.of(hidden))
