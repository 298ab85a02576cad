"""Suggestions in words: true, short, and only the turn itself could be read as an order."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.advice_text import WORDS_EACH, describe_suggestions, explain, format_gain, title_turns
from engine import march_rules
from engine.actions import Choose, Draw, End, Levy, March, Occupy, Play, Recall, Stay, Take
from engine.board import Space
from engine.bots.advice import (
    GameWin,
    HandSizeChange,
    IncomeChange,
    LevyGain,
    LossRisk,
    OccupationGain,
    Reason,
    RivalIncomeCut,
    Suggestion,
    TakeoverCost,
    TakeoverGain,
    TurnKind,
    suggest_turns,
)
from engine.cards import Symbol
from engine.position import Phase, View, view
from tests.engine.build import alexandros, places, position
from tests.engine.players import game
from tests.spoken import looks_like_order, read

AT, BESIDE = Space(1, 2), Space(1, 4)
TABLE = position(alexandros(), hands=("lyre", "lyre")).table


def sentence(*reasons: Reason) -> str:
    return explain(TABLE, reasons)


def suggestion(
    *actions, gain: float = 3.2, reasons: tuple[Reason, ...] = (HandSizeChange(1, 3),)
) -> Suggestion:
    return Suggestion(actions, gain, reasons)


def openings() -> Iterator[View]:
    """What the seat to move knows at the beginning of some turns."""
    for seed in (1, 2):
        begun = [act.before for act in game("alexandros", seed).acts if act.before.table.phase is Phase.CARD]
        yield from (view(now, now.table.seat) for now in begun[seed::29])


@pytest.fixture(scope="module")
def advised() -> list[tuple[View, tuple[Suggestion, ...]]]:
    return [(known, suggest_turns(known, 3)) for known in list(openings())[:4]]


# --- why ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        ([GameWin(103), LevyGain(12, 5)], "The game ends, and nobody has more than your 103 points."),
        ([LevyGain(1, 0), HandSizeChange(3, 2)], "You score 1 now, others at most 0."),
        ([OccupationGain(AT, 7), TakeoverCost(AT, Symbol.LYRE, 2, 0.0),
          IncomeChange(5, 12), HandSizeChange(3, 3)],
         "+7 each levy; nobody can take it before your next turn."),
        ([OccupationGain(AT, 7), TakeoverCost(AT, Symbol.LYRE, 2, 0.17),
          IncomeChange(5, 10), HandSizeChange(3, 3)],
         "+7 each levy; 15% chance a rival takes it with 2 lyres."),
        ([OccupationGain(AT, 7), HandSizeChange(3, 2)], "+7 each levy."),
        ([TakeoverGain(1, AT, 6, 4), TakeoverCost(AT, Symbol.LYRE, 2, 0.5)],
         "+6 each levy; 50% chance a rival takes it with 2 lyres."),
        ([TakeoverGain(1, AT, 6, 4)], "+6 for you each levy, -4 for Ben."),
        ([TakeoverGain(1, AT, 0, 4)], "Ben scores 4 less each levy."),
        ([TakeoverGain(1, AT, 6, 0)], "+6 each levy."),
        ([RivalIncomeCut(1, 9, 4), HandSizeChange(2, 1)], "Ben then scores at most 4 each levy, now 9."),
        ([IncomeChange(5, 10), HandSizeChange(2, 1)], "Each levy then gives you 10, now 5."),
        ([LossRisk(0.0)], "Nobody can take a province of yours before your next turn."),
        ([LossRisk(0.17)], "Each province of yours stays yours with at least 80% chance."),
        ([HandSizeChange(2, 4)], "You then hold 4 cards, now 2."),
        ([HandSizeChange(2, 2)], "You keep 2 cards."),
    ],
)  # fmt: skip
def test_the_weightiest_reason_is_told_in_twelve_words(reasons: list[Reason], told: str) -> None:
    assert sentence(*reasons) == told
    assert len(told.split()) <= 12


@pytest.mark.parametrize(
    ("chance", "told"),
    [(0.001, "<5%"), (0.03, "5%"), (0.5, "50%"), (0.97, "95%"), (0.999, ">95%")],
)
def test_a_chance_is_said_as_one(chance: float, told: str) -> None:
    said = sentence(OccupationGain(AT, 7), TakeoverCost(AT, Symbol.LYRE, 2, chance))
    assert f"; {told} chance a rival" in said


def test_of_several_conquests_the_first_is_told_with_its_own_chance() -> None:
    reasons = OccupationGain(AT, 7), OccupationGain(BESIDE, 2), TakeoverCost(BESIDE, Symbol.LYRE, 2, 0.0)
    assert sentence(*reasons) == "+7 each levy."


@pytest.mark.parametrize(
    ("gain", "told"),
    [
        (0.4, "+0 points expected"),
        (5.6, "+6 points expected"),
        (-1.2, "-1 point expected"),
        (25.4, "+25 points expected"),
        (70.0, "over +25 points expected"),
        (-70.0, "under -25 points expected"),
    ],
)
def test_what_a_turn_gains_is_an_estimate(gain: float, told: str) -> None:
    assert format_gain(suggestion(Draw(), gain=gain)) == told
    assert format_gain(replace(suggestion(Draw(), gain=gain), kind=TurnKind.WINS)) == "wins the game"


# --- the turn -------------------------------------------------------------------------------------------


def test_a_turn_is_told_as_its_bare_verbs() -> None:
    known = view(position(alexandros(), phase="card", hands=("lyre", "")), 0)
    larissa, athens = places(alexandros(), "Larissa Athens")
    march = marches_to(known, larissa)[0]

    def told(*actions) -> str:
        (text,) = describe_suggestions(known, [suggestion(*actions)])
        return text.turn

    assert told(Choose(Symbol.HORSE), march, Draw(), Draw()) == "Horse to Larissa; draw 2."
    taken = told(Play(Symbol.LYRE), march, Take(Symbol.HORSE), Take(Symbol.HORSE))
    assert taken == "Lyre from hand to Larissa; take 2 horses."
    assert told(march, Draw()) == "To Larissa; draw."
    assert told(Occupy((larissa,)), Levy(Symbol.HORSE), End()) == (
        "Occupy Larissa; levy with horse; end the turn."
    )
    assert told(Occupy((larissa, athens)), Take(Symbol.HORSE), Take(Symbol.LYRE)) == (
        "Occupy Larissa and Athens; take horse and lyre."
    )
    assert told(Recall(larissa), Draw()) == "Take back Larissa; draw."
    assert told(Stay(Symbol.HORSE)) == "Take horse and stay."
    assert told(Stay(None), Draw(), Draw()) == "Stay; draw 2."


def test_corner_and_way_are_told_where_turns_would_read_the_same() -> None:
    known = view(position(alexandros(), phase="card", hands=("lyre", "")), 0)
    (larissa,) = places(alexandros(), "Larissa")
    marches = marches_to(known, larissa)
    told = title_turns(known, [[march] for march in marches])
    assert len(set(told)) == len(told)
    corners = Counter(march.path[-1] for march in marches)
    assert {corners[march.path[-1]] > 1 for march in marches} == {False, True}
    for march, turn in zip(marches, told, strict=True):
        assert (" via " in turn) == (corners[march.path[-1]] > 1)


def marches_to(known: View, target: Space) -> list[March]:
    """All marches to a place, those to a corner with several ways first."""
    corners = march_rules.reachable_corners(known.table, target)
    ways = sorted(
        ([*march_rules.ShortestPaths(known.table, one)] for one in corners), key=lambda one: -len(one)
    )
    return [March(target, path) for paths in ways for path in paths]


def test_what_would_be_too_much_to_read_is_left_out() -> None:
    known = view(position(alexandros(), phase="card", hands=("lyre", "")), 0)
    one = suggestion(*[Draw(), Take(Symbol.HORSE)] * 12)
    told = describe_suggestions(known, [one] * 3)
    assert sum(text.count_words() for text in told) <= 3 * WORDS_EACH
    assert len(told) == 1
    assert len(describe_suggestions(known, [suggestion(*[Draw(), Take(Symbol.HORSE)] * 50)])) == 1


@pytest.mark.parametrize("language", ["en", "nl"])
def test_advice_can_be_done_as_its_words_say_and_its_reasons_are_no_orders(language, advised) -> None:
    for known, found in advised:
        with use_locale(Locale(language)):
            texts = describe_suggestions(known, found)
        assert len({text.turn for text in texts}) == len(texts)
        for one, text in zip(found, texts, strict=True):
            assert [read(line, known) for line in text.words.split("; ")[:2]] == [*one.actions[:2]]
            assert not any(looks_like_order(line) for line in (text.gain, text.why))
            assert len(text.why.split()) <= 12 + (language == "nl") * 2
            numbers = {int(number) for number in re.findall(r"\d+", text.why)}
            assert numbers <= numbers_of(one.reasons)


def numbers_of(reasons: tuple[Reason, ...]) -> set[int]:
    """All numbers that the reasons give, with chances as they may be rounded."""
    found = {abs(value) for one in reasons for value in vars_of(one) if isinstance(value, int)}
    chances = [round(100 * one.chance) for one in reasons if isinstance(one, TakeoverCost)]
    chances += [round(100 * (1 - one.chance)) for one in reasons if isinstance(one, LossRisk)]
    return found | {near for chance in chances for near in range(chance - 5, chance + 6)}


def vars_of(reason: Reason) -> list[object]:
    return [getattr(reason, name) for name in reason.__slots__]
