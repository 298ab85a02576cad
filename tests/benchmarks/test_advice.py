"""What advice costs: the turns that are suggested, and the sentences that tell them."""

import statistics
import time
from itertools import islice

import pytest

from emails.wording.advice_text import MOST_CHOICES, list_turn_choices
from engine.bots.advice import suggest_turns
from engine.position import Phase, view
from tests.engine.test_bots import played, plays_house

POSITIONS = 200


@pytest.fixture(scope="module")
def turns_begun():
    """What a seat knows at the beginning of turns in games of two, three and four players of the house."""
    acts = (act for seed in range(99) for act in played(seed, *[plays_house] * (2 + seed % 3)).acts)
    begun = (act.before for act in acts if act.before.table.phase is Phase.CARD)
    return [view(now, now.table.seat) for now in islice(begun, 0, 3 * POSITIONS, 3)]


def test_advice(figure, turns_begun):
    suggest_turns(turns_begun[0], MOST_CHOICES)
    thought, told, words, number = [], [], [], 0
    for known in turns_begun:
        begun = time.process_time()
        found = suggest_turns(known, MOST_CHOICES)
        done = time.process_time()
        texts = list_turn_choices(known, found)
        thought.append(1000 * (done - begun))
        told.append(1000 * (time.process_time() - done))
        words.append(sum(len(f"{text.title} {text.gain} {text.why}".split()) for text in texts))
        number += len(texts)
    for what, times, aim in (
        ("five suggestions: processor time", thought, "largest 100 ms"),
        ("  their sentences", told, ""),
    ):
        middle, most = statistics.median(times), sorted(times)[95 * len(times) // 100]
        shown = f"{middle:.1f}, {most:.1f} and {max(times):.1f} ms"
        figure(f"{what}, median, 95% and largest of {len(times)} positions", shown, aim)
    shown = f"{statistics.mean(words):.0f}, {statistics.median(words):.0f} and {max(words)}"
    figure("words of all suggestions at once, mean, median and largest", shown, "largest 100")
    figure("suggestions at once, mean", f"{number / len(words):.1f}", "")
    assert max(words) <= 30 * MOST_CHOICES
