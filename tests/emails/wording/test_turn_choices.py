"""Whole turns to choose from: letters, labels that are true, and words that play them."""

import re
from itertools import pairwise
from random import Random
from textwrap import wrap

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.advice_text import MOST_CHOICES, TurnChoice, list_turn_choices
from engine.actions import Action, March
from engine.bots.advice import (
    HandSizeChange,
    LossRisk,
    RivalIncomeCut,
    Suggestion,
    TakeoverGain,
    TurnKind,
    suggest_turns,
)
from engine.notation.grammar import read_canonical
from engine.position import Phase, View, view
from engine.rules import play_out
from tests.engine.players import draw_from, game
from tests.spoken import looks_like_order, read

LABELS = {"wins the game", "strongest", "scores most now", "safest", "saves cards", "", "hurts the leader"}
LABELS |= {f"hurts {name}" for name in ("Anna", "Ben", "Cleo", "Dirk")}


def decisions() -> list[View]:
    """What the seat to move knows at some decisions: at the beginning of a turn, in it, and after a march."""
    acts = [act.before for act in game("alexandros", 1).acts if act.before.table.phase is not Phase.OVER]
    return [view(now, now.table.seat) for now in acts[5::41]]


@pytest.fixture(scope="module")
def offered() -> list[tuple[View, tuple[Suggestion, ...], tuple[TurnChoice, ...]]]:
    found = [(known, suggest_turns(known, MOST_CHOICES)) for known in decisions()]
    return [(known, suggested, list_turn_choices(known, suggested)) for known, suggested in found]


def actions_of(known: View, one: TurnChoice) -> list[Action]:
    return [read_canonical(words, known.table.board) for words in one.words.split("; ")]


def test_each_choice_is_a_whole_turn_with_its_letter(offered) -> None:
    for known, suggested, choices in offered:
        assert [one.letter for one in choices] == [*"abcde"[: len(choices)]]
        assert 1 <= len(choices) <= MOST_CHOICES
        for one, meant in zip(choices, suggested, strict=True):
            done = actions_of(known, one)
            assert done == [*meant.actions]
            assert one.label in LABELS
            assert len(one.why.split()) <= 14
            corner = next((action.path[-1] for action in done if isinstance(action, March)), None)
            assert one.corner == corner


def test_each_choice_plays_to_the_end_of_the_turn(offered) -> None:
    for number, (known, _, choices) in enumerate(offered):
        now = next(
            act.before
            for act in game("alexandros", 1).acts
            if view(act.before, act.before.table.seat) == known
        )
        for one in choices:
            then = now
            for action in actions_of(known, one):
                assert not then.table.over
                assert then.table.turn == now.table.turn
                _, then = play_out(then, now.table.seat, action, draw_from(Random(number)))
            assert then.table.turn > now.table.turn or then.table.over


def test_choices_differ_in_their_march_and_in_words(offered) -> None:
    for known, suggested, choices in offered:
        marches = [one.march for one in suggested]
        if known.table.phase is not Phase.ACTIONS:
            assert len({*marches}) == len(marches)
        assert len({one.title for one in choices}) == len(choices)
        assert len({one.words for one in choices}) == len(choices)


def test_a_label_has_its_reason_first(offered) -> None:
    fitting = {
        TurnKind.SAFEST: (LossRisk,),
        TurnKind.HURTS_RIVAL: (RivalIncomeCut, TakeoverGain),
        TurnKind.SAVES_CARDS: (HandSizeChange,),
    }
    for _, suggested, _ in offered:
        assert suggested[0].kind in (TurnKind.STRONGEST, TurnKind.WINS)
        assert all(one.gain >= other.gain for one, other in pairwise(suggested))
        for one in suggested:
            assert isinstance(one.reasons[0], fitting.get(one.kind, object))


@pytest.mark.parametrize("language", ["en", "nl"])
def test_no_line_that_a_letter_breaks_can_be_read_as_an_order(language: str, offered) -> None:
    for known, suggested, _ in offered:
        with use_locale(Locale(language)):
            lines = [one.line for one in list_turn_choices(known, suggested)]
            told = [one.why for one in list_turn_choices(known, suggested)]
        for line in lines:
            for width in range(30, 78, 6):
                assert not any(looks_like_order(part) for part in wrap(line, width, break_long_words=False))
        assert not any(looks_like_order(one) for one in told)


def test_without_suggestions_the_choices_are_single_steps(offered) -> None:
    for known, _, _ in offered:
        steps = list_turn_choices(known, ())
        assert [one.letter for one in steps] == [*"abcde"[: len(steps)]]
        for one in steps:
            assert not one.label
            assert re.fullmatch(r"[A-Z][^;]*\.?", one.title)
            if "; " not in one.words:
                read(one.words, known)


def test_only_who_is_to_move_has_choices(offered) -> None:
    for known, _, _ in offered:
        other = (known.my_seat + 1) % len(known.hand_sizes)
        now = next(act.before for act in game("alexandros", 1).acts if act.before.table == known.table)
        assert suggest_turns(view(now, other), MOST_CHOICES) == ()
        assert list_turn_choices(view(now, other), ()) == ()
