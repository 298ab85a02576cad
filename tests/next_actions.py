"""The next action of players of the house, who think in whole turns."""

from collections.abc import Sequence

from engine.actions import Action, End
from engine.bots.strengths import plan_gently, plan_steadily, plan_strongly
from engine.position import View


def play_steadily(known: View) -> Action:
    return End() if known.table.over else plan_steadily(known).actions[0]


def play_strongly(known: View, breadths: Sequence[int] = ()) -> Action:
    return End() if known.table.over else plan_strongly(known, breadths).actions[0]


def play_gently(known: View) -> Action:
    return plan_gently(known)[0]
