"""How long a game takes, as somebody is told who is asked to play."""

import pytest

from emails.i18n import Locale, use_locale
from emails.letters.lobby_letters import TURNS, estimate_length, format_span


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
