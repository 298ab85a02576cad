"""Mails of every program and language: each is read right, and nothing is played that was not ordered."""

import re

import pytest

from emails.replies import parsed_mail
from emails.tokens import mask_tokens
from tests.breadth import first
from tests.emails.replies import consequences, matrix
from tests.emails.replies.shapes import PROGRAMS

STORED = consequences.files()
CASES = {case.name: case for case in (*STORED, *consequences.shaped())}
UNKNOWN = sorted(CASES, key=lambda name: not CASES[name].doubtful_alone and CASES[name] not in STORED)
"""Those first in which it matters most that the letter is not known, and the mails of real programs."""
READ = [*((name, True) for name in CASES), *((name, False) for name in UNKNOWN)]
PARTS = 4


@pytest.mark.parametrize(("name", "known"), first(len(CASES) + 150, READ))
def test_each_mail_is_read_right_and_does_what_it_says_and_nothing_else(name: str, known: bool) -> None:
    check_read(CASES[name], known)


@pytest.mark.parametrize("program", first(12, PROGRAMS))
def test_each_way_to_ask_is_read_in_the_shape_of_every_program(program: str) -> None:
    """A vacation, more time, a plan, being back, a pause: in English and in Dutch."""
    assert len(consequences.asked_by(program)) == 10
    for case in consequences.asked_by(program):
        assert case.asks or case.plans
        for known in (True, False):
            check_read(case, known)


def check_read(case: consequences.Case, known: bool) -> None:
    """A mail is read right and does what it says; `known`: so is the letter that it answers."""
    found = consequences.outcome(case.raw, case.at, case.answers if known else None)
    assert found.reply.lines == case.lines, found.reply
    doubtful = case.doubtful or (case.doubtful_alone and not known)
    assert found.reply.doubtful == doubtful, found.reply
    assert case.rest in (None, found.reply.rest)
    assert bool(found.reply.reason) == doubtful
    assert (found.done, found.asked) == (((), ()) if doubtful else (case.plays, case.asks))
    assert len(found.reply.plans) == case.plans
    assert all(one.refusal is None for one in found.reply.plans)


@pytest.mark.parametrize("program", first(3, PROGRAMS))
def test_no_program_language_place_or_encoding_changes_what_is_played(program: str) -> None:
    """Orders above a quotation are played, those beside a doubt never; below one they may be asked about."""
    fates = {cell: cell.fate for cell in matrix.cells(program)}
    wrong = [cell for cell, fate in fates.items() if fate is matrix.Fate.WRONG]
    assert not wrong
    certain = [cell for cell in fates if cell.place != "below" and "doubt" not in cell.words]
    assert [cell for cell in certain if fates[cell] is not matrix.Fate.PLAYED] == []


@pytest.mark.parametrize("part", first(1, range(PARTS)))
def test_no_mail_is_read_otherwise_because_tokens_are_masked(
    monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    """Letters are kept without theirs, so those of the mails are masked too before they are compared."""
    cases = [*CASES.values()][part::PARTS]
    quoting = [case for case in cases if mask_tokens(case.answers) != case.answers]
    assert len(quoting) > 75
    masked = [_result(case) for case in quoting]
    for module in (parsed_mail, consequences):
        monkeypatch.setattr(module, "mask_tokens", str)
    assert [_result(case) for case in quoting] == masked


def _result(case: consequences.Case) -> tuple[object, ...]:
    found = consequences.outcome(case.raw, case.at, case.answers)
    reply = found.reply
    read = reply.lines, reply.doubtful, reply.reason, reply.rest
    return *read, found.done, found.asked, found.said, found.why


MEANT = {name: case for name, case in CASES.items() if case.meant}
"""Mails in which a person would read orders, and which are refused on purpose."""


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_and_not_read_is_refused_in_a_sentence(name: str) -> None:
    """And what was meant would be played if it were written plainly, so that the refusal says something."""
    case = MEANT[name]
    found = consequences.outcome(case.raw, case.at, case.answers)
    assert not case.plays
    assert (found.done, found.asked, found.said) == ((), (), ())
    assert re.search(r"\w+ \w+", found.why)
    plainly = "\r\n".join(case.meant)
    assert consequences.outcome(f"From: Anna\r\n\r\n{plainly}\r\n".encode(), case.at).done == case.meant


@pytest.mark.parametrize("at", consequences.OLD_ORDERS)
def test_no_line_of_our_letters_is_an_order(at: str) -> None:
    grammar = consequences.grammar(at)
    lines = [line.strip() for line in consequences.game_letter(at).text.splitlines()]
    assert not [line for line in lines if line and grammar.read_line(line).is_command]


def test_nothing_is_done_out_of_turn() -> None:
    """The same mails from another seat."""
    for case in CASES.values():
        assert not consequences.outcome(case.raw, case.at, case.answers, seat=1).done
