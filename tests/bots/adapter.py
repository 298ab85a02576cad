"""What bots, advice and reviews are called: the one file of this room that knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import partial
from typing import NoReturn

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.advice_text import AdviceText, describe_suggestions
from engine import bots
from engine.bots import advice, reviews, strengths
from engine.bots.strengths import PROFILES, Profile, Strength
from engine.cards import Symbol
from engine.events import Event
from engine.position import Position, View, view
from server import reviews as game_reviews
from server.store.context import Context
from server.store.event_log import require_started
from server.store.game_terms import SeatRequest
from server.store.models import Act, GameReview
from server.store.server_facts import GameTerms
from tests.bots.ledger import Score
from tests.next_actions import play_gently
from tests.server.desk import NOON, changing, history_of, open_game, rows_of

Player = Callable[[View], object]
"""Whoever is asked what they would do: an action, a plan, a list of suggestions."""
STRENGTHS = tuple(one.value for one in Strength)
NAMES: Mapping[str, str] = {name: one.strength.value for name, one in PROFILES.items()}
"""The players of the house, each with their strength."""
ADVISED = 3
"""Suggestions that are given at once."""


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


# --- after the end --------------------------------------------------------------------------------------

Steps = list[tuple[Position, Event]]


def harvests(steps: Steps) -> list[Score]:
    """Whence points came, as the review tells it."""
    return [(one.turn, one.seat, one.place, one.value) for one in reviews.harvests(steps)]


def verdicts(steps: Steps, turns: Collection[int] = ()) -> list[reviews.Verdict]:
    """What the review says of turns of a game, counted from 1, or of all."""
    done = [one for one in reviews.played_turns(steps) if not turns or one.known.table.turn in turns]
    return [reviews.review_turn(one) for one in done]


# --- on a server ----------------------------------------------------------------------------------------


def acts(context: Context, game: str) -> list[Act]:
    """The acts of a game, the oldest first."""
    return rows_of(context, Act, Act.game == game)


def forbid_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever thinks for the house fail from now on."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise AssertionError("somebody thinks where nobody may")

    monkeypatch.setattr(Profile, "plan", fail)
    monkeypatch.setattr(bots, "play_to_win", fail)
    monkeypatch.setattr(bots, "stand_in", fail)
    monkeypatch.setattr(advice, "suggest_turns", fail)
    monkeypatch.setattr(reviews, "review_turn", fail)


# --- games and their reviews on a server ----------------------------------------------------------------


def plant_review(context: Context, game: str, said: str, now: datetime) -> None:
    """Let a review lie beside a game, as if it were made."""
    with changing(context) as session:
        session.merge(GameReview(game=game, said=said, made_at=now))


def judged_turns(context: Context, game: str) -> list[int]:
    """The turns of a game of which its review would tell something."""
    history = require_started(history_of(context, game))
    return [turn.known.table.turn for turn, _ in game_reviews.list_turns(history)]


def printed(known: View, language: str = "en") -> list[AdviceText]:
    """Suggestions to a seat as they stand in letters and on pages, the best first."""
    found = advice.suggest_turns(known, ADVISED)
    with use_locale(Locale(language)):
        return describe_suggestions(known, found)


def symbol_called(word: str) -> Symbol:
    """The symbol that stands in a sentence, one or several."""
    return next(one for one in Symbol if word.lower().startswith(one.value[:-1]))


# --- who may ask ----------------------------------------------------------------------------------------


def game_with_advice(context: Context, *people: str) -> str:
    """A game that has started and that anybody may watch, in which players may ask for advice."""
    words = ["house" if name == "house" else f"{name} <{name.lower()}@example.org>" for name in people]
    requests = [SeatRequest.read(one) for one in words]
    terms = GameTerms(watched=True, advice=True)
    return open_game(context, "Friday", requests, NOON, at_once=True, terms=terms)
