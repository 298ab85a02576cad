"""People say yes in many words, and each door takes the same ones."""

from dataclasses import replace

import pytest

from emails.replies import remarks
from emails.replies.grammars import LineKind, YesGrammar, build_proposal_grammar
from emails.replies.remarks import normalise_line
from tests.spoken import LEXICON

ANSWERS = LEXICON.answers
ADDRESS, PROPOSAL = YesGrammar(ANSWERS["address"], LEXICON), build_proposal_grammar()
INVITATION = YesGrammar(ANSWERS["invitation"], LEXICON, invited=True)
DECLINED = replace(INVITATION, declining=True)
AGREEMENT = YesGrammar(("1", *ANSWERS["doing"]), LEXICON, of_orders=True)
YES = "yes, Yes please!, OK, okay., Ja graag, graag, Prima, goed, Akkoord!, accept, Oké".split(", ")
NO_YES = ["", "no", "nee", "not ok", "yes but not now", "OK I am away", "ja maar nu niet", "!?"]
FRIENDLY = ["Yes, sure, why not", "ja leuk!", "Yes! I'd love to. Looking forward to it.", "OK, sounds fun"]
DOUBTFUL = [
    "why not",
    "yes, why?",
    "yes, no",
    "yes, if Ben plays",
    "sure, but I am slow",
    "ja leuk, maar niet nu",
]
NO = ["no thanks, too busy", "No, sorry, I have no time right now", "nee dank je, te druk", "Nee, helaas"]
NO_NO = [
    "no problem",
    "no doubt",
    "No idea who this is",
    "no, wait, yes",
    "no?",
    "too busy",
    "Nee hoor, leuk",
]


@pytest.mark.parametrize(
    ("lines", "is_yes", "accepts", "declines"),
    [
        (YES, True, True, False),
        (NO_YES, False, False, None),
        (FRIENDLY, None, True, False),
        (DOUBTFUL, False, False, False),
        (NO, False, False, True),
        (NO_NO, False, False, False),
    ],
)
def test_each_door_takes_the_same_words(lines, is_yes, accepts, declines):
    """None: it does not matter. Harmless words behind a yes count for an invitation alone."""
    for line in lines:
        for door in (ADDRESS.says_yes, PROPOSAL.says_yes):
            assert is_yes is None or door(line) == is_yes, line
        assert INVITATION.says_yes(line) == accepts, line
        assert declines is None or (DECLINED.read_line(line).kind is LineKind.NO) == declines, line
    assert is_yes is not None or not any(map(AGREEMENT.says_yes, lines))


def test_each_door_has_words_of_its_own():
    doors = {"I'll play": INVITATION, "Yes, it is mine": ADDRESS, "Invite them!": PROPOSAL}
    for line, own in doors.items():
        assert [door for door in doors.values() if door.says_yes(line)] == [own]


def test_the_words_are_written_as_lines_are_read_and_none_stands_twice():
    common, *own = LEXICON.answers["yes"], PROPOSAL.phrases, ADDRESS.phrases, INVITATION.phrases
    for table in (common, *own):
        assert {*table} == {normalise_line(line) for line in table}
    assert not any({*table} & {*common} for table in own)
    assert {*LEXICON.answers["leaning"]} <= {*common}


def test_a_yes_with_more_behind_it_is_no_yes_but_begins_as_one():
    for line in ("Yes, that is how we want it", "ja maar met Ben", "OK!"):
        assert remarks.begins_with_yes(line, LEXICON)
    for line in ("I am away", "", "Yesterday", "Goed dat je schrijft, ik ben er niet"):
        assert not remarks.begins_with_yes(line, LEXICON)
    assert not remarks.says_yes("Yes, that is how we want it", LEXICON)
