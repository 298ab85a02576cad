"""Whatever a choice promises is what playing it brings: each sentence of each single step is played."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from engine.actions import ActionRefused
from engine.position import Position, view
from tests.bots.alike import asked_positions
from tests.newcomers import adapter
from tests.newcomers.adapter import Step
from tests.newcomers.promises import broken, play_choice

FEW, MANY, ALL = 6, 400, 10_000
USUAL = {"walls", "closes off", "at once", "costs", "scores", "levies", "hold", "unknown", "left unused"}
"""Kinds of claims that every few hundred positions hold."""


def lies(asked: Iterable[Position]) -> tuple[list[str], Counter[str]]:
    """What sentences promise in these positions and do not bring, and how often each kind was told."""
    found, kinds = list[str](), Counter[str]()
    for number, now in enumerate(asked):
        for step in adapter.steps_to_choose(view(now, now.table.seat)):
            if step.further or not step.words:
                continue
            where = f"position {number}, {step.heading}: {step.title}: {step.detail}"
            try:
                one = play_choice(now, step.words, Random(number))
            except ActionRefused as refusal:
                found.append(f"{where}: {step.words}: {refusal}")
                continue
            for kind, true in broken(step.detail, one):
                kinds[kind] += 1
                if not true:
                    found.append(f"{where} [{kind}]")
    return found, kinds


def test_what_a_few_choices_promise_comes_true():
    found, _ = lies(asked_positions(FEW, each=2))
    assert not found, (len(found), found[:8])


@pytest.mark.long
def test_what_many_choices_promise_comes_true(record_property):
    found, kinds = lies(asked_positions(MANY))
    record_property("figure", f"claims of {MANY} positions: {sum(kinds.values())}, not true {len(found)}")
    assert not found, (len(found), found[:8])
    assert kinds.keys() >= USUAL


@pytest.mark.long
def test_what_all_choices_promise_comes_true(record_property):
    found, kinds = lies(asked_positions(ALL, seed=1000))
    record_property("figure", f"claims of {ALL} positions: {dict(kinds)}, not true {len(found)}")
    assert not found, (len(found), found[:8])


@pytest.mark.breadth
def test_the_dutch_sentences_promise_the_same_numbers():
    apart = []
    for now in asked_positions(MANY // 2, seed=40):
        known = view(now, now.table.seat)
        both = zip(adapter.steps_to_choose(known), adapter.steps_to_choose(known, "nl"), strict=True)
        for one, other in both:
            assert one.words == other.words
            if numbers(one) != numbers(other):
                apart.append((one, other))
    assert not apart, (len(apart), apart[:5])


def numbers(one: Step) -> list[str]:
    """The figures of a choice, in whatever order a language puts them."""
    return sorted(re.findall(r"\d+", f"{one.title} {one.detail}"))


# --- controls -------------------------------------------------------------------------------------------


def test_control_a_step_that_promises_too_much_is_noticed():
    now = next(one for one in asked_positions(40, each=6) if one.table.phase == "actions")
    step = next(one for one in adapter.steps_to_choose(view(now, now.table.seat)) if one.words == "draw")
    one = play_choice(now, step.words, Random(1))
    assert all(true for _, true in broken(step.detail, one))
    wrong = (
        "an unknown card, one of 999",
        "you would hold 9 lyres",
        "5 actions are left unused",
        "wins the game",
    )
    for said in wrong:
        assert [true for _, true in broken(said, one)] == [False], said
