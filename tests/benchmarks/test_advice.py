"""What the turns cost that are suggested, and the sentences that tell them."""

import statistics
from itertools import islice

from emails.wording.advice_text import MOST_CHOICES, list_turn_choices
from engine.bots.advice import suggest_turns
from engine.position import Phase, view
from tests.benchmarks.measure import spent
from tests.engine.test_bots import played, plays_house

POSITIONS = 200


def test_advice(figure):
    acts = (act for seed in range(99) for act in played(seed, *[plays_house] * (2 + seed % 3)).acts)
    begun = (act.before for act in acts if act.before.table.phase is Phase.CARD)
    known = [view(now, now.table.seat) for now in islice(begun, 0, 3 * POSITIONS, 3)]
    times = sorted(spent(lambda one=one: suggest_turns(one, MOST_CHOICES)) for one in known)
    shown = f"{statistics.median(times):.1f}, {times[95 * len(times) // 100]:.1f} and {times[-1]:.1f} ms"
    figure("five suggestions: median, 95% and largest", shown, "largest 100 ms")
    texts = [list_turn_choices(one, suggest_turns(one, MOST_CHOICES)) for one in known]
    words = [sum(len(choice.line.split()) for choice in one) for one in texts]
    figure(
        "words of all suggestions at once, median and largest",
        f"{statistics.median(words):.0f} and {max(words)}",
    )
