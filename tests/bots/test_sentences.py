"""Suggestions as they are printed: how likely, how different and how good they are."""

from __future__ import annotations

import re
from random import Random
from statistics import mean

import pytest

from emails.wording.advice_text import TurnChoice
from engine.bots.advice import suggest_turns
from engine.cards import Symbol
from engine.position import view
from tests.bots import adapter
from tests.bots.alike import beginnings_of_turns, few_positions
from tests.bots.claims import claims_in, frequency, play_words

BEHIND = 20.0
"""Points from which on a turn is no good one beside another."""


def test_chances_are_as_often_true_as_they_say() -> None:
    """Within five points: a rival who does all they can comes to hold the cards."""
    said, came = list[float](), list[float]()
    for now in beginnings_of_turns(80, seed=70):
        me = now.table.seat
        for one in adapter.printed(view(now, me)):
            for claim in claims_in(one.why):
                if claim.kind != "chance" or claim.found["how"]:
                    continue
                card = next(one for one in Symbol if claim["card"].startswith(one.value[:-1]))
                ends = [play_words(now, one.words, Random(seed)).after for seed in range(6)]
                often = mean(frequency(end, me, card, 2, worlds=15, seed=k) for k, end in enumerate(ends))
                said.append(int(claim["percent"]) / 100)
                came.append(often)
    assert len(said) > 20
    assert mean(said) == pytest.approx(mean(came), abs=0.05)


def test_suggestions_differ_to_who_reads_them() -> None:
    """No two read the same."""
    for now in beginnings_of_turns(30, seed=120):
        found = adapter.printed(view(now, now.table.seat))
        assert len({one.title for one in found}) == len(found), [one.title for one in found]


def test_the_words_of_the_turn_are_what_its_orders_do() -> None:
    """Places, cards and what is done with them stand in both."""
    verbs = {"choose": "", "play": "from hand", "march": "to", "takeover": "take over", "recall": "take back"}
    for now in beginnings_of_turns(30, seed=150):
        for one in adapter.printed(view(now, now.table.seat)):
            said = one.title.lower()
            for line in one.words.split("; "):
                verb, *rest = line.split()
                assert verb == "end" or verbs.get(verb, verb) in said, (one.words, one.title)
                told = verb != "march" and (verb != "takeover" or "guard" in said)
                named = re.split(r"\W+", rest[0]) if rest and told else []
                assert all(name.lower().rstrip("s") in said for name in named), (one.words, one.title)


def test_suggestions_are_good_turns_that_differ_in_kind() -> None:
    """None is far behind the first, and no two do the same for the same reason in one place."""
    for now in beginnings_of_turns(50, seed=210):
        known = view(now, now.table.seat)
        found, said = suggest_turns(known, adapter.ADVISED), adapter.printed(known)
        assert found[0].gain - min(one.gain for one in found) < BEHIND, [one.gain for one in found]
        looks = [(frozenset(one.title.split("; ")), goal_of(one), one.why) for one in said]
        assert len({*looks}) == len(looks), [one.title for one in said]


def goal_of(one: TurnChoice) -> str:
    return next((line.split()[1] for line in one.words.split("; ") if line.startswith("march")), "")


# --- controls -------------------------------------------------------------------------------------------


def test_control_numbers_that_are_one_off_are_noticed() -> None:
    """Each kind of claim that comes up is noticed with another number in it."""
    noticed = set[str]()
    for now in [now for now in few_positions(200, seed=3) if now.table.phase == "card"][:6]:
        for one in adapter.printed(view(now, now.table.seat)):
            for claim in claims_in(one.why):
                played = play_words(now, one.words, Random(1))
                changed = _other_number(claim.found[0])
                if changed is None or not claim.holds(played):
                    continue
                [wrong] = claims_in(changed)
                if not wrong.holds(played):
                    noticed.add(wrong.kind)
    assert noticed & {"levy", "changes", "cards"}


def test_control_conquests_that_may_be_lost_are_not_safe() -> None:
    claims = [
        (claim, play_words(now, one.words, Random(1)))
        for now in beginnings_of_turns(12, seed=900)
        for one in adapter.printed(view(now, now.table.seat))
        for claim in claims_in(one.why)
        if claim.kind == "chance"
    ]
    assert claims
    for claim, played in claims:
        [safe] = claims_in(f"nobody can take {claim['place']} before your next turn")
        assert not safe.holds(played)


def _other_number(clause: str) -> str | None:
    found = re.search(r"\d+", clause)
    if found is None:
        return None
    return f"{clause[: found.start()]}{int(found[0]) + 1}{clause[found.end() :]}"


def test_control_a_sentence_that_nobody_understands_is_noticed() -> None:
    with pytest.raises(AssertionError, match="nobody can tell"):
        claims_in("+7 a levy; this is a good turn.")
