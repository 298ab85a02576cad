"""People say yes in many words, and each door takes the same ones."""

import pytest

from emails.replies import remarks
from emails.replies.grammars import (
    build_agreement_grammar,
    build_confirmation_grammar,
    build_declining_grammar,
    build_invitation_grammar,
    build_proposal_grammar,
)
from emails.replies.remarks import normalise_line
from tests.spoken import LEXICON

ADDRESS, INVITATION, PROPOSAL = (
    build_confirmation_grammar(LEXICON),
    build_invitation_grammar(LEXICON),
    build_proposal_grammar(LEXICON),
)
AGREEMENT, DECLINED_INVITATION = build_agreement_grammar(LEXICON), build_declining_grammar(LEXICON)
YES_PHRASES = LEXICON.answers.yes

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
        assert {*table} == {normalise_line(line) for line in table}
    for own in tables[1:]:
        assert not {*own} & {*YES_PHRASES}
    assert LEXICON.answers.leaning <= {*YES_PHRASES}


def test_a_yes_with_more_behind_it_is_no_yes_but_begins_as_one() -> None:
    for line in ("Yes, that is how we want it", "ja maar met Ben", "OK!"):
        assert remarks.begins_with_yes(line, LEXICON)
    for line in ("I am away", "", "Yesterday", "Goed dat je schrijft, ik ben er niet"):
        assert not remarks.begins_with_yes(line, LEXICON)
    assert not remarks.says_yes("Yes, that is how we want it", LEXICON)


@pytest.mark.parametrize(
    "line",
    [
        "Yes, sure, why not",
        "ja leuk!",
        "Yes! I'd love to. Looking forward to it.",
        "Ja graag, lijkt me gezellig",
        "OK, sounds fun, thanks for inviting me",
    ],
)
def test_an_invitation_is_accepted_by_a_yes_and_harmless_words_behind_it(line) -> None:
    assert INVITATION.says_yes(line)
    assert not AGREEMENT.says_yes(line)


@pytest.mark.parametrize(
    "line",
    [
        "why not",
        "yes, why?",
        "yes, no",
        "yes, if Ben plays",
        "sure, but I am slow",
        "ja leuk, maar niet nu",
        "OK I am away",
    ],
)
def test_with_anything_else_behind_it_a_yes_accepts_nothing(line) -> None:
    assert not INVITATION.says_yes(line)


@pytest.mark.parametrize(
    "line",
    ["no thanks, too busy", "No, sorry, I have no time right now", "nee dank je, te druk", "Nee, helaas"],
)
def test_an_invitation_is_declined_by_a_no_and_why(line) -> None:
    read = DECLINED_INVITATION.read_line(line)
    assert read.yes
    assert read.is_command


@pytest.mark.parametrize(
    "line",
    ["no problem", "no doubt", "No idea who this is", "no, wait, yes", "no?", "too busy", "Nee hoor, leuk"],
)
def test_with_anything_else_behind_it_a_no_declines_nothing(line) -> None:
    assert not DECLINED_INVITATION.read_line(line).yes
