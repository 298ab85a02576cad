"""Why the guards of a plan do not hold, as values and in words: seat 0 had planned, others moved since."""

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.lexicon import lexicon_of
from emails.plans.failure_text import MOST_FAILURES, tell_failures
from engine.cards import Symbol
from engine.notation.canonical_text import write
from engine.plans.guard_failures import (
    AlexanderElsewhere,
    CardIsOpen,
    CardNotOpen,
    GuardsMoved,
    LevyChanged,
    PlayerAbove,
    PlayerUnknown,
    ProvinceHeld,
    ProvinceLeft,
    ProvinceResized,
    find_failures,
)
from engine.plans.plan_reader import PlanReader
from engine.position import Position
from engine.rules import legal
from engine.views import view
from tests.engine.build import after, alexandros, fence, position

LAND = alexandros()
TROY = LAND.places["Troy"]
AT = LAND.point_names
LEXICON = lexicon_of("en")


def begun(**other: object) -> Position:
    """A turn of Anna that begins, with Troy walled in."""
    facts = {"hands": ("lyre", "soldier"), "display": "horse temple", "walls": fence(LAND, [TROY])} | other
    return position(LAND, phase="card", **facts)  # type: ignore[arg-type]


def failures(text: str, now: Position, before: Position):
    (one,) = PlanReader(LAND, LEXICON.orders, LEXICON.plans).read(text).alternatives
    return find_failures(one, now.table, before.table)


def told(text: str, now: Position, before: Position, language: str = "en", me: int = 0) -> str:
    with use_locale(Locale(language)):
        return tell_failures(failures(text, now, before), now.table, me)


BEFORE = begun()
NAMES = BEFORE.table.names
MARCH = write(next(legal(view(after(BEFORE, "play lyre"), 0))), LAND)
TURN = f"play lyre; {MARCH}; occupy Troy"
CASES = [
    (
        "if there's a lyre: lyre; draw",
        begun(),
        CardNotOpen(Symbol.LYRE, False),
        "the lyre is not in the display",
    ),
    (
        "if there's a horse: horse; draw",
        begun(display="lyre temple"),
        CardNotOpen(Symbol.HORSE, True),
        "the horse is no longer in the display",
    ),
    (
        "if there's no horse: lyre; draw",
        begun(),
        CardIsOpen(Symbol.HORSE, True),
        "the horse is still in the display",
    ),
    (
        "if there's no lyre: horse; draw",
        begun(display="lyre temple"),
        CardIsOpen(Symbol.LYRE, False),
        "the lyre is in the display now",
    ),
    (
        "if Troy is free: lyre; draw",
        begun(guards=("", "Troy")),
        ProvinceHeld(TROY, 1, True),
        f"since you planned it, {NAMES[1]} has taken the province of Troy",
    ),
    (
        TURN,
        begun(guards=("Troy", "")),
        ProvinceHeld(TROY, 0, True),
        "since you planned it, you have taken the province of Troy",
    ),
    (
        TURN,
        begun(alexander="C5"),
        AlexanderElsewhere(AT["C5"], BEFORE.table.alexander),
        "Alexander is at C5 instead of",
    ),
    (
        "if Alexander is at C5: lyre; draw",
        begun(),
        AlexanderElsewhere(BEFORE.table.alexander, AT["C5"]),
        "instead of C5",
    ),
    (
        "if nobody is above 9: lyre; draw",
        begun(scores=(3, 40)),
        PlayerAbove(1, 40, 9),
        f"{NAMES[1]} has 40 points, which is more than 9",
    ),
    (
        f"if {NAMES[0]} is not above 9: lyre; draw",
        begun(scores=(10, 1)),
        PlayerAbove(0, 10, 9),
        "you have 10 points, which is more than 9",
    ),
    (
        "if zeno is not above 9: lyre; draw",
        begun(),
        PlayerUnknown("zeno"),
        "nobody in this game is called Zeno",
    ),
    (
        "lyre; occupy Troy",
        begun(walls=""),
        ProvinceResized(TROY, 112, 0),
        "the province of Troy is now worth 112 points instead of 0",
    ),
    (
        "lyre; levy taxes with soldier",
        begun(guards=("", "Troy"), walls=""),
        LevyChanged(1, 112, 0),
        f"a levy now brings {NAMES[1]} 112 points instead of 0",
    ),
]


@pytest.mark.parametrize(("text", "now", "why", "words"), CASES, ids=[case[3] for case in CASES])
def test_each_failure_is_a_value_and_a_sentence(text, now, why, words):
    (found,) = failures(text, now, BEFORE)
    assert found == why
    assert words in told(text, now, BEFORE)
    assert told(text, now, BEFORE, "nl") not in ("", told(text, now, BEFORE))


def test_a_province_that_was_left_or_is_guarded_otherwise_is_told_as_such():
    held = begun(guards=("", "Troy"))
    assert failures(TURN, BEFORE, held) == (ProvinceLeft(TROY, 1),)
    assert told(TURN, BEFORE, held) == f"{NAMES[1]} no longer holds the province of Troy"
    assert told(TURN, BEFORE, held, me=1) == "you no longer hold the province of Troy"
    moved = (begun(walls="", guards=("", "Troy")), begun(walls="", guards=("", "Larissa")))
    assert failures("lyre; occupy Troy", *moved) == (GuardsMoved(TROY, 1),)
    assert told("lyre; occupy Troy", *moved) == f"{NAMES[1]} has other guards in the province of Troy"


def test_what_was_so_before_is_not_told_as_a_change():
    held = begun(guards=("", "Troy"))
    assert told("if Troy is free: lyre; draw", held, held) == f"{NAMES[1]} holds the province of Troy"
    assert failures(TURN, held, held) == ()


def test_at_most_two_are_told_and_how_many_more_there_are():
    text = "if there's a lyre and Alexander is at C5 and nobody is above 9 and Troy is free: lyre; draw"
    now = begun(scores=(3, 40), guards=("", "Troy"))
    assert len(failures(text, now, BEFORE)) == MOST_FAILURES + 2
    assert told(text, now, BEFORE).endswith("instead of C5, and 2 more reasons")
    assert told(text, now, BEFORE, "nl").endswith("in plaats van C5, en nog 2 redenen")
    alone = "if there's a lyre and Alexander is at C5 and nobody is above 9: lyre; draw"
    assert told(alone, now, BEFORE).endswith("instead of C5, and 1 more reason")
