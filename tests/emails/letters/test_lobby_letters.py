"""Invitations: how long a game takes, and what a line of the organiser to the guests may hold."""

import pytest

from emails.i18n import Locale, use_locale
from emails.letters.lobby_letters import (
    LONGEST_NOTE,
    TURNS,
    estimate_length,
    find_note_fault,
    format_span,
    tidy_note,
)


@pytest.mark.parametrize(
    ("seats", "people", "hours", "told"),
    [
        (2, 2, 48, "about 4 weeks"),
        (3, 3, 48, "about 5 weeks"),
        (3, 1, 48, "about 2 weeks"),
        (3, 3, 12, "about 9 days"),
        (2, 1, 2, "about 1 day"),
        (4, 4, 1, "an evening"),
        (4, 4, 0, ""),
    ],
)
def test_the_span_follows_from_the_turns_of_people_and_half_their_time(seats, people, hours, told):
    assert format_span(estimate_length(seats, people, 60 * hours), 60 * hours) == told


def test_it_is_told_in_dutch():
    with use_locale(Locale("nl")):
        assert format_span(estimate_length(2, 2, 48 * 60), 48 * 60) == "ongeveer 4 weken"


@pytest.mark.parametrize("seats", TURNS)
def test_everybody_has_their_share_of_the_turns(seats):
    length = estimate_length(seats, seats, 48 * 60)
    assert abs(length.own * seats - length.turns) <= seats


@pytest.mark.parametrize(
    "note",
    [
        "",
        "Shall we? It is easier than it looks :-)",
        "Remember Friday 9.30, e.g. at ours; o.a. Cleo plays too.",
        "Zullen we? 't Is winter… Tot 1.12.2026!",
        "Ἀλέξανδρος! 🎲 50% of it is luck & the rest isn't <joke>",
        "x" * LONGEST_NOTE,
    ],
)
def test_a_line_of_words_goes(note):
    assert find_note_fault(tidy_note(note)) is None


@pytest.mark.parametrize("note", ["see https://example.com/x", "write to anna\uff20example.org"])
def test_what_looks_like_a_link_or_an_address_is_refused_with_a_sentence(note):
    assert find_note_fault(tidy_note(note)).startswith("The line to your guests holds no link")


def test_a_line_is_one_line_and_holds_nothing_that_cannot_be_seen():
    assert tidy_note("  Shall\r\n\twe\u202e now\x00?\u200b \n") == "Shall we now?"
    assert tidy_note("Bcc: all\r\nSubject: x").count("\n") == 0
    assert "www.example" in tidy_note("ww\u200bw.example")  # and so it is found out
    assert find_note_fault(tidy_note("ww\u200bw.example"))


def test_one_that_is_too_long_is_refused_with_how_long_it_is():
    with use_locale(Locale("nl")):
        assert find_note_fault("x" * 201).startswith("Het bericht aan je gasten heeft 201 tekens")
    assert find_note_fault(tidy_note("y" * 5000))
