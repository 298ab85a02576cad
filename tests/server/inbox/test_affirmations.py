"""People say yes in many words, and each door takes the same ones."""

import pytest

from emails.replies.affirmations import YES_PHRASES, YES_WORDS, begins_with_yes, normalise_line, says_yes
from emails.replies.grammars import ADDRESS, INVITATION, PROPOSAL

SAID = (
    "yes",
    "Yes please!",
    "OK",
    "okay.",
    "Ja, graag",
    "graag",
    "Prima",
    "goed",
    "Akkoord!",
    "accept",
    "Oké",
)
DOORS = {
    "an invitation": INVITATION.says_yes,
    "an address": ADDRESS.says_yes,
    "a new game": PROPOSAL.says_yes,
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("line", SAID)
def test_every_door_takes_the_same_yes(door, line) -> None:
    assert door(line)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(
    "line", ["", "no", "nee", "not ok", "yes but not now", "OK I am away", "ja maar nu niet", "!?"]
)
def test_no_door_takes_what_may_mean_something_else(door, line) -> None:
    assert not door(line)


def test_each_door_has_words_of_its_own() -> None:
    own = {"an invitation": "I'll play", "an address": "Yes, it is mine", "a new game": "Invite them!"}
    for name, line in own.items():
        assert [other for other, door in DOORS.items() if door(line)] == [name]


def test_the_words_are_written_as_lines_are_read_and_none_stands_twice() -> None:
    tables = (
        YES_PHRASES,
        PROPOSAL.phrases,
        ADDRESS.phrases,
        INVITATION.phrases,
    )
    for table in tables:
        assert table == {normalise_line(line) for line in table}
    for own in tables[1:]:
        assert not own & YES_PHRASES
    assert YES_WORDS <= YES_PHRASES


def test_a_yes_with_more_behind_it_is_no_yes_but_begins_as_one() -> None:
    for line in ("Yes, that is how we want it", "ja maar met Ben", "OK!"):
        assert begins_with_yes(line)
    for line in ("I am away", "", "Yesterday", "Goed dat je schrijft, ik ben er niet"):
        assert not begins_with_yes(line)
    assert not says_yes("Yes, that is how we want it")
