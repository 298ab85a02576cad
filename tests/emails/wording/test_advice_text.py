"""Suggestions and whole turns to choose from, in words: true, short, and no other order."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, replace
from itertools import pairwise
from random import Random
from textwrap import wrap

import pytest

from emails.i18n import Locale, use_locale
from emails.wording import advice_text
from emails.wording.phrases import safe_name
from engine import march_rules
from engine.actions import Action, March
from engine.board import Space
from engine.bots import advice
from engine.bots.strengths import PROFILES, Strength
from engine.notation.grammar import read_canonical
from engine.position import Phase, View, view
from engine.provinces import levy_gains
from engine.rules import play_out
from tests.engine.build import alexandros, places, position
from tests.engine.players import draw_from, game
from tests.spoken import looks_like_order, read


def suggestion(*actions: Action, gain: float = 3.2) -> advice.Suggestion:
    return advice.Suggestion(actions, gain, (advice.HandSizeChange(1, 3),))


def openings() -> Iterator[View]:
    """What the seat to move knows at the beginning of some turns."""
    for seed in (1, 2):
        begun = [act.before for act in game("alexandros", seed).acts if act.before.table.phase is Phase.CARD]
        yield from (view(now, now.table.seat) for now in begun[seed::29])


@pytest.fixture(scope="module")
def advised() -> list[tuple[View, tuple[advice.Suggestion, ...]]]:
    return [(known, advice.suggest_turns(known, 3)) for known in list(openings())[:4]]


def test_a_turn_that_wins_gains_the_game() -> None:
    winning = replace(suggestion(gain=5.6), kind=advice.TurnKind.WINS)
    assert advice_text.format_gain(winning) == "wins the game"


def test_corner_and_way_are_told_where_turns_would_read_the_same() -> None:
    known = view(position(alexandros(), phase="card", hands=("lyre", "")), 0)
    (larissa,) = places(alexandros(), "Larissa")
    marches = marches_to(known, larissa)
    told = advice_text.title_turns(known, [[march] for march in marches])
    assert len(set(told)) == len(told)
    corners = Counter(march.path[-1] for march in marches)
    assert {corners[march.path[-1]] > 1 for march in marches} == {False, True}
    for march, turn in zip(marches, told, strict=True):
        assert (" via " in turn) == (corners[march.path[-1]] > 1)


def marches_to(known: View, target: Space) -> list[March]:
    """All marches to a place, those to a corner with several ways first."""
    corners = march_rules.reachable_corners(known.table, target)
    ways = ([*march_rules.ShortestPaths(known.table, one)] for one in corners)
    ways = sorted(ways, key=len, reverse=True)
    return [March(target, path) for paths in ways for path in paths]


def test_advice_can_be_done_as_its_words_say_and_its_reasons_are_no_orders(language, advised) -> None:
    for known, found in advised:
        texts = advice_text.list_turn_choices(known, found)
        assert len({text.title for text in texts}) == len(texts)
        for one, text in zip(found, texts, strict=True):
            words, board = text.words.split("; ")[:2], known.table.board
            assert [read_canonical(line, board) for line in words] == [*one.actions[:2]]
            assert not any(looks_like_order(line) for line in (text.gain, text.why))
            assert len(text.why.split()) <= 14
            numbers = {int(number) for number in re.findall(r"\d+", text.why)}
            assert numbers <= numbers_of(one.reasons)


def numbers_of(reasons: tuple[advice.Reason, ...]) -> set[int]:
    """All numbers that the reasons give, with chances as they may be rounded."""
    found = {abs(value) for one in reasons for value in astuple(one) if isinstance(value, int)}
    changes = [one.rivals for one in reasons if isinstance(one, advice.LevyChange)]
    found |= {abs(change) for rivals in changes for _, change in rivals} | {advice.PRICE}
    chances = [round(100 * one.chance) for one in reasons if isinstance(one, advice.TakeoverCost)]
    chances += [round(100 * (1 - one.chance)) for one in reasons if isinstance(one, advice.LossRisk)]
    return found | {near for chance in chances for near in range(chance - 5, chance + 6)}


LABELS = {"wins the game", "strongest", "scores most now", "safest", "saves cards", "", "hurts the leader"}
LABELS |= {f"hurts {name}" for name in ("Anna", "Ben", "Cleo", "Dirk")}


def decisions() -> list[View]:
    """What the seat to move knows at some decisions: at the beginning of a turn, in it, and after a march."""
    acts = [act.before for act in game("alexandros", 1).acts if act.before.table.phase is not Phase.OVER]
    return [view(now, now.table.seat) for now in acts[5::41]]


@pytest.fixture(scope="module")
def offered() -> list[tuple[View, tuple[advice.Suggestion, ...], tuple[advice_text.TurnChoice, ...]]]:
    found = [(known, advice.suggest_turns(known, advice_text.MOST_CHOICES)) for known in decisions()]
    return [(known, suggested, advice_text.list_turn_choices(known, suggested)) for known, suggested in found]


def actions_of(known: View, one: advice_text.TurnChoice) -> list[Action]:
    return [read_canonical(words, known.table.board) for words in one.words.split("; ")]


def test_each_choice_is_a_whole_turn_with_its_letter(offered) -> None:
    for known, suggested, choices in offered:
        assert [one.letter for one in choices] == [*"abcde"[: len(choices)]]
        assert 1 <= len(choices) <= advice_text.MOST_CHOICES
        for one, meant in zip(choices, suggested, strict=True):
            done = actions_of(known, one)
            assert done == [*meant.actions]
            assert one.label in LABELS
            assert len(one.why.split()) <= 14
            corner = next((action.path[-1] for action in done if isinstance(action, March)), None)
            assert one.corner == corner


def test_each_choice_plays_to_the_end_of_the_turn(offered) -> None:
    for number, (known, _, choices) in enumerate(offered):
        positions = (act.before for act in game("alexandros", 1).acts)
        now = next(one for one in positions if view(one, one.table.seat) == known)
        for one in choices:
            then = now
            for action in actions_of(known, one):
                assert not then.table.over
                assert then.table.turn == now.table.turn
                _, then = play_out(then, now.table.seat, action, draw_from(Random(number)))
            assert then.table.turn > now.table.turn or then.table.over


def test_a_label_has_its_reason_first(offered) -> None:
    fitting = {
        advice.TurnKind.SAFEST: (advice.LossRisk,),
        advice.TurnKind.HURTS_RIVAL: (advice.LevyChange,),
        advice.TurnKind.SAVES_CARDS: (advice.HandSizeChange,),
    }
    for known, suggested, _ in offered:
        table, me = known.table, known.my_seat
        assert suggested[0].kind in (advice.TurnKind.STRONGEST, advice.TurnKind.WINS)
        assert all(one.gain >= other.gain for one, other in pairwise(suggested))
        for one in suggested:
            assert isinstance(one.reasons[0], fitting.get(one.kind, object))
            if one.kind is advice.TurnKind.HURTS_RIVAL:
                assert isinstance(one.reasons[0], advice.LevyChange)
                rival = advice.leading_rival(table.scores, levy_gains(table), me)
                assert one.reasons[0].most_hurt == rival


def test_no_line_that_a_letter_breaks_can_be_read_as_an_order(language: str, offered) -> None:
    for known, suggested, _ in offered:
        lines = [one.line for one in advice_text.list_turn_choices(known, suggested)]
        told = [one.why for one in advice_text.list_turn_choices(known, suggested)]
        for line in lines:
            for width in range(30, 78, 6):
                assert not any(looks_like_order(part) for part in wrap(line, width, break_long_words=False))
        assert not any(looks_like_order(one) for one in told)


def test_without_suggestions_the_choices_are_single_steps(offered) -> None:
    for known, _, _ in offered:
        steps = advice_text.list_turn_choices(known, ())
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
        assert advice.suggest_turns(view(now, other), advice_text.MOST_CHOICES) == ()
        assert advice_text.list_turn_choices(view(now, other), ()) == ()


LONGEST_FACE = 90
"""Characters of a sentence that somebody reads on a telephone."""


def test_everybody_has_a_name_that_can_be_said_and_a_short_sentence() -> None:
    for words in (advice_text.STRENGTHS, advice_text.STRENGTHS_EXPLAINED, advice_text.FACES):
        assert set(words) == set(Strength)
    for name in PROFILES:
        assert safe_name(name) == name
    for language in ("en", "nl"):
        with use_locale(Locale(language)):
            told = advice_text.describe_bots(PROFILES)
        assert len({*told}) == len(PROFILES)
        assert all(one.startswith(name) for name, one in zip(PROFILES, told, strict=True))
        assert max(map(len, told)) <= LONGEST_FACE


def test_a_seat_of_the_house_that_has_another_name_has_no_face() -> None:
    assert advice_text.describe_bots(["House", "Porus"]) == ("Porus thinks ahead.",)
    assert advice_text.strength_word("House 2") == ""


@pytest.mark.parametrize(("language", "word"), [("en", "strong"), ("nl", "sterk")])
def test_how_well_they_play_is_one_word(language: str, word: str) -> None:
    with use_locale(Locale(language)):
        assert advice_text.strength_word("Porus") == word
