"""How many taps a turn takes with the dock: two hundred turns of Steady, counted by what is offered.

Each is counted as a person would tap who has made up their mind: the card, the corner, other ways until it is
the wanted one, a button for each action, and the end where it does not come with the last of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import islice, takewhile

from emails.wording.advice_text import MOST_CHOICES
from engine.actions import Action, Choose, Draw, End, Levy, March, Occupy, Play, Take, TakeOver
from engine.bots.advice import suggest_turns
from engine.evolve import start
from engine.march_rules import Path
from engine.notation.orders import write
from engine.position import Phase, Position, View, view
from engine.provinces import find_siege, province_to_conquer
from engine.rules import card_choices, deal, play_out
from server.web.game.dock import list_placements, list_verbs
from server.web.game.turn_state import MarchDecision
from tests.arena.matches import dice
from tests.engine.build import PEOPLE, alexandros
from tests.next_actions import play_steadily

TURNS = 200


def turns() -> Iterator[list[tuple[View, Action]]]:
    """Turns of games of two and three, action by action, each with what its player knows before it."""
    for seed in range(TURNS):
        chance = dice(seed)
        now: Position = start(alexandros(), deal(alexandros(), "rio-grande", PEOPLE[: 2 + seed % 2], chance))
        while not now.table.over:
            played, turn = list[tuple[View, Action]](), now.table.turn
            while not now.table.over and now.table.turn == turn:
                known = view(now, now.table.seat)
                action = play_steadily(known)
                played.append((known, action))
                _, now = play_out(now, now.table.seat, action, chance)
            yield played


def count_taps(played: list[tuple[View, Action]]) -> int:
    """The taps of one turn."""
    taps, drafted, hidden, seen = 0, False, False, None
    for at, (known, action) in enumerate(played):
        if isinstance(action, Choose | Play):
            march = played[at + 1][1]
            assert isinstance(march, March)
            taps += (
                1 + (_offered_card(known) != action) + _other_ways(MarchDecision(known, action), march.path)
            )
            drafted, hidden = True, isinstance(action, Choose)
            seen = known.table.display
        elif isinstance(action, Draw):
            taps, drafted, hidden = taps + 1, False, False
        elif isinstance(action, Take) and hidden and seen is not None and not seen[action.card]:
            taps, hidden, drafted = taps + 2, False, True  # the card that is turned up first
        elif isinstance(action, End):
            return taps + 1
        elif not isinstance(action, March):
            taps, drafted = taps + _taps_of(known, action), True
        if known.table.phase is Phase.ACTIONS and known.table.actions_left == 1:
            drafted = False  # the last action ends the turn
    return taps + drafted


def _offered_card(known: View) -> Action:
    """The card whose corners the page shows before any is chosen."""
    rated = {
        card: MarchDecision(known, card).merit for card in card_choices(known) if isinstance(card, Choose)
    }
    return max(rated, key=lambda card: rated[card], default=next(card_choices(known)))


def _other_ways(decision: MarchDecision, wanted: Path) -> int:
    """The taps from the way that the corner drafts to the one that is wanted."""
    now = next(pick.way.path for pick in decision.corners if pick.corner == wanted[-1])
    taps = 0
    while now != wanted:
        ways = [way.path for way in decision.list_ways(now)]
        now = max(ways, key=lambda path: _common(path, wanted))
        taps += 1
    return taps


def _common(one: Path, other: Path) -> int:
    """For how many points two ways go together."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=True))))


def _taps_of(known: View, action: Action) -> int:
    """The taps of an action that can be undone."""
    words = write(action, known.table.board)
    if isinstance(action, Take | Levy):
        return 1  # the card itself
    verb = next(
        (one for one in list_verbs(known, "Ben") if words in (one.words, *(it.words for it in one.others))),
        None,
    )
    if verb is not None:
        return 1 if verb.words == words else 2  # of the other ways: the list, or the land on the board
    assert isinstance(action, Occupy | TakeOver)
    province = province_to_conquer(known.table, known.my_seat, action.guards)
    siege = find_siege(known.table, known.my_seat, known.hand, province)
    assert siege is not None
    steps = list_placements(known, siege)
    if words in [one.words for step in steps for one in (step, *step.gifts)]:
        return 2  # the land on the board, and the way
    return 4 + len(action.guards)  # the land, the form, the places, its button


def count_with_choices(played: list[tuple[View, Action]]) -> int:
    """The taps of one turn where whole turns are offered: a letter, and what is then left or undone."""
    known, wanted = played[0][0], [action for _, action in played]
    least = count_taps(played)
    for one in suggest_turns(known, MOST_CHOICES):
        drafted = list(takewhile(lambda action: not isinstance(action, Draw | End), one.actions))
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(drafted, wanted, strict=False))))
        if same > 1:
            undone = len(drafted) - same
            rest = count_taps(played[same:])
            ends = int(same == len(wanted) or (rest == 0))
            least = min(least, 1 + undone + rest + ends)
    return least


def test_taps_of_a_turn(figure) -> None:
    found = [(count_taps(played), count_with_choices(played)) for played in islice(turns(), TURNS)]
    for what, taps in zip(
        ("by hand", "with whole turns to choose from"), zip(*found, strict=True), strict=True
    ):
        shown = f"{statistics.median(taps):g}, 90% {statistics.quantiles(taps, n=10)[-1]:g}"
        figure(f"taps of a turn with the dock {what}, the median and 90%", shown, "4")
