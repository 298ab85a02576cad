"""Mails that were damaged on their way: none stops the server, and none plays what its writer did not order.

The claims are as strict as they can be. Where a mail is damaged around its words, all of them are done, or
nothing is. Where its words are damaged too, what is done stands in what is left of them, so that of the
orders quoted under them not one is done; for that the writers here say other things than they quote.
"""

import random
import re
import subprocess
import sys
import textwrap
from functools import cache

import pytest

from tests.bounded import quickest
from tests.emails.consequences import OLD_ORDERS, Case, files, game_letter, outcome, shaped
from tests.emails.damage import anywhere, around, blown_up
from tests.emails.shapes import rendered, tongues

SLOWEST = 0.3
"""Seconds of processor time for one mail."""
MOST_MEMORY = 30_000
"""Kilobytes that the memory of a process grows by while it reads mails of a megabyte."""


@cache
def cases() -> tuple[Case, ...]:
    return (*files(), *shaped())


@cache
def strangers() -> tuple[bytes, ...]:
    """Mails without an order, of which pieces get into others."""
    shapes = ("gmail-web", "mutt", "outlook-phone", "gmx", "samsung", "thunderbird", "tuta")
    letter = game_letter("card")
    return tuple(rendered(shape, tongues(shape)[0], "", letter) for shape in shapes)


@cache
def ordered(case: Case) -> set[tuple[str, ...]]:
    """What may come of the words of a mail: nothing, or what they do where nothing makes them doubtful."""
    texts = (case.words, "\n".join(case.lines))
    return {(), case.plays} | {outcome(f"From: Anna\n\n{text}\n".encode(), case.at).done for text in texts}


UNFIT = ("picture-between-two-texts",)
"""Half of its words can be lost without touching them."""


def bare(line: str) -> str:
    """A line without the signs that stay where its encoding is called by another name."""
    return re.sub(r"=[0-9A-F]{2}|[^A-Za-z0-9]", "", line)


def check_around(count: int, seed: int) -> None:
    dice = random.Random(seed)
    kept = [case for case in cases() if case.lines and case.name not in UNFIT]
    played = 0
    for _ in range(count):
        case = dice.choice(kept)
        raw = around(case, dice, dice.choice(strangers()))
        found = outcome(raw, case.at, dice.choice((case.answers, None)))
        assert found.done in ordered(case), (case.name, raw)
        assert set(found.asked) <= set(case.asks), (case.name, raw)
        assert set(map(bare, found.said)) <= set(map(bare, case.lines)), (case.name, raw)
        played += bool(found.done)
    assert played > count // 5


def check_anywhere(count: int, seed: int) -> None:
    dice = random.Random(seed)
    quoting = [case for case in cases() if case.name.endswith(" own")]
    for number in range(count):
        case = dice.choice(quoting if number % 2 else cases())
        raw = anywhere(case, dice, dice.choice(strangers()))
        found = outcome(raw, case.at, dice.choice((case.answers, None)))
        assert all(line.strip() == line != "" for line in found.reply.lines), raw
        assert not any(set("\u200b\u202e\n\0") & set(line) for line in found.reply.lines), raw
        quoted = set(OLD_ORDERS[case.at]) - set(case.plays) if case.name.endswith(" own") else set()
        assert not quoted & set(found.done), (case.name, raw)
        assert "resign" not in found.asked, (case.name, raw)


def check_time(count: int, seed: int) -> None:
    """Only what seems slow is measured again."""
    dice = random.Random(seed)
    for _ in range(count):
        case = dice.choice(cases())
        raw = dice.choice((around, anywhere))(case, dice, dice.choice(strangers()))
        assert quickest(lambda raw=raw, case=case: outcome(raw, case.at, case.answers), SLOWEST) < SLOWEST, (
            raw[:900]
        )


def test_a_thousand_mails_damaged_around_their_words_do_what_they_say_or_nothing() -> None:
    check_around(1000, 1)


def test_five_hundred_mails_damaged_anywhere_do_nothing_that_they_quote() -> None:
    check_anywhere(500, 2)


def test_two_hundred_damaged_mails_are_read_in_time() -> None:
    check_time(200, 3)


@pytest.mark.long
def test_twelve_thousand_mails_damaged_around_their_words_do_what_they_say_or_nothing() -> None:
    check_around(12_000, 4)


@pytest.mark.long
def test_eight_thousand_mails_damaged_anywhere_do_nothing_that_they_quote() -> None:
    check_anywhere(8_000, 5)


@pytest.mark.long
def test_four_thousand_damaged_mails_are_read_in_time() -> None:
    check_time(4_000, 6)


READER = """
    import random, resource, sys
    from tests.emails.consequences import outcome
    from tests.emails.test_damaged_mails import cases, large
    outcome(cases()[-1].raw, "card", cases()[-1].answers)
    mails = list(large(int(sys.argv[1])))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for raw in mails:
        outcome(raw, "card", cases()[-1].answers)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def large(count: int) -> list[bytes]:
    """Mails of a megabyte."""
    dice = random.Random(7)
    return [blown_up(dice.choice(cases()).raw, dice, dice.choice(strangers())) for _ in range(count)]


def test_mails_of_a_megabyte_take_a_bounded_memory() -> None:
    """In a process of its own, which has nothing else to keep."""
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(READER), "40"], capture_output=True, text=True, check=True
    )
    assert int(told.stdout) < MOST_MEMORY
