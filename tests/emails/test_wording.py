"""Small words: names, lists, moments, spans."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.wording import a, begun, cards, counted, listed, moment, shown, span
from engine.actions import Refusal
from engine.cards import EMPTY, Bag, Symbol
from engine.notation import VERBS, parse
from tests.emails.positions import BOARD, NASTY_NAMES


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Anna", "Anna"),
        ("  Anna \t Maria\n", "Anna Maria"),
        ("Zoë Οδυσσέας", "Zoë Οδυσσέας"),
        ("draw", "“draw”"),
        ("Drawer", "Drawer"),
        ("", "?"),
        ("\u202e\x00", "?"),
    ],
)
def test_a_name_is_shown_as_it_is_unless_it_could_be_an_order(name: str, said: str) -> None:
    assert shown(name) == said


NAMES = st.one_of(
    st.text(max_size=70),
    st.sampled_from(NASTY_NAMES),
    st.lists(
        st.sampled_from([*VERBS, "lyre", "Larissa", "C3", ",", "-", ">", "&", ";", " ", "\n", "over"]),
        max_size=6,
    ).map("".join),
)


@given(NAMES)
def test_no_name_is_an_order(name: str) -> None:
    line = shown(name)
    assert line
    assert line.isprintable()
    assert len(line) <= 62
    assert line == line.strip()
    assert ";" not in line
    with pytest.raises(Refusal):
        parse(line, BOARD)


def test_lists() -> None:
    assert listed([]) == "nothing"
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"], "or") == "a, b or c"


def test_numbers_and_cards() -> None:
    assert counted(1, "wall") == "1 wall"
    assert counted(0, "wall") == "0 walls"
    assert a("amphora") == "an amphora"
    assert a("horse") == "a horse"
    held = Bag.of([Symbol.TEMPLE, Symbol.LYRE, Symbol.TEMPLE, Symbol.AMPHORA])
    assert cards(held) == "2 temples, an amphora and a lyre"
    assert cards(EMPTY) == "nothing"
    assert begun("you won") == "You won"
    assert begun("") == ""


def test_a_moment_is_told_in_utc_with_its_weekday() -> None:
    assert moment(datetime(2027, 1, 14, 18, tzinfo=UTC)) == "Thu 14 January 2027, 18:00 UTC"
    east = timezone(timedelta(hours=14))
    assert moment(datetime(2027, 1, 1, 3, 5, tzinfo=east)) == "Thu 31 December 2026, 13:05 UTC"


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (0, "less than an hour"),
        (1, "1 hour"),
        (24, "24 hours"),
        (36, "36 hours"),
        (48, "2 days"),
        (1440, "60 days"),
    ],
)
def test_a_span(hours: int, said: str) -> None:
    assert span(hours) == said
