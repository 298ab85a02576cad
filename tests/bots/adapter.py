"""What bots, advice and reviews are called: the one file of this room that knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import NoReturn

import pytest

from emails.wording.advice_text import TurnChoice, list_turn_choices
from engine import bots
from engine.bots import advice, reviews, strengths
from engine.bots.strengths import PROFILES, Profile, Strength
from engine.events import Event
from engine.position import Position, View, view
from tests.next_actions import play_gently

Player = Callable[[View], object]
"""Whoever is asked what they would do: an action, a plan, a list of suggestions."""
STRENGTHS = tuple(one.value for one in Strength)
NAMES: Mapping[str, str] = {name: one.strength.value for name, one in PROFILES.items()}
"""The players of the house, each with their strength."""
ADVISED = 3


def players() -> Mapping[str, Player]:
    """Everybody who is asked, by what they are called."""
    return {
        "house of old": bots.play_to_win,
        "quiet caretaker": bots.stand_in,
        "gentle caretaker": strengths.plan_gently,
        "gentle caretaker, one action": play_gently,
        **{name: one.plan for name, one in PROFILES.items()},
        "advice": partial(advice.suggest_turns, number=ADVISED),
    }


def is_slow(name: str) -> bool:
    """Whether somebody takes a tenth of a second or more for a turn."""
    return name == "advice" or NAMES.get(name) == Strength.STRONG


def asked(player: Player, now: Position) -> object:
    """What a player would do for the seat whose turn it is."""
    return player(view(now, now.table.seat))


Steps = list[tuple[Position, Event]]


def verdicts(steps: Steps, turns: Collection[int] = ()) -> list[reviews.Verdict]:
    """What the review says of turns of a game, counted from 1, or of all."""
    done = [one for one in reviews.played_turns(steps) if not turns or one.known.table.turn in turns]
    return [reviews.review_turn(one) for one in done]


def forbid_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever thinks for the house fail from now on."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise AssertionError("somebody thinks where nobody may")

    monkeypatch.setattr(Profile, "plan", fail)
    monkeypatch.setattr(bots, "play_to_win", fail)
    monkeypatch.setattr(bots, "stand_in", fail)
    monkeypatch.setattr(advice, "suggest_turns", fail)
    monkeypatch.setattr(reviews, "review_turn", fail)


def printed(known: View) -> list[TurnChoice]:
    """Suggestions to a seat as they stand on its page, the best first."""
    return [*list_turn_choices(known, advice.suggest_turns(known, ADVISED))]
