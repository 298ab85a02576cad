"""Mails that were damaged on their way: what they bring about, and how long and how much room they take.

Damaged around its words a mail does what those words do, all of it, or nothing. Damaged anywhere, its words
too, less can be claimed, for one word may have become another: no line holds what is not shown, nobody
resigns, and of the orders that its writer sent in the mail before and quotes in this one none is done, except
those that he orders again. Nothing is checked of what is done else. The time of each of these mails is
measured, and the room that large ones take.
"""

import random
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from functools import cache

import pytest

from tests.bounded import quickest
from tests.emails.replies.consequences import (
    OLD_ORDERS,
    Case,
    Outcome,
    files,
    game_letter,
    outcome,
    shaped,
)
from tests.emails.replies.damage import LARGE, anywhere, around, blown_up
from tests.emails.replies.shapes import rendered, tongues

SLOWEST = 2.0
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
        found = read(raw, case, dice.choice((case.answers, None)))
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
        found = read(raw, case, dice.choice((case.answers, None)))
        assert all(line.strip() == line != "" for line in found.reply.lines), raw
        assert not any(set("\u200b\u202e\n\0") & set(line) for line in found.reply.lines), raw
        own = {*case.plays, *case.lines}
        quoted = set(OLD_ORDERS[case.at]) - own if case.name.endswith(" own") else set()
        assert not quoted & set(found.done), (case.name, raw)
        assert "resign" not in found.asked, (case.name, raw)


def read(raw: bytes, case: Case, answers: str | None) -> Outcome:
    """What comes of a mail. It takes no longer than it may; what seems slow is measured again, thrice."""
    start = time.process_time()
    found = outcome(raw, case.at, answers)
    if time.process_time() - start >= SLOWEST:
        assert quickest(lambda: outcome(raw, case.at, answers), SLOWEST) < SLOWEST, raw[:900]
    return found


@pytest.mark.breadth
def test_two_hundred_mails_damaged_around_their_words_do_what_they_say_or_nothing() -> None:
    check_around(200, 1)


@pytest.mark.breadth
def test_a_thousand_mails_damaged_around_their_words_do_what_they_say_or_nothing() -> None:
    check_around(1000, 1)


def test_five_hundred_mails_damaged_anywhere_do_nothing_that_they_quote() -> None:
    check_anywhere(500, 2)


@pytest.mark.long
def test_twelve_thousand_mails_damaged_around_their_words_do_what_they_say_or_nothing() -> None:
    check_around(12_000, 4)


@pytest.mark.long
def test_eight_thousand_mails_damaged_anywhere_do_nothing_that_they_quote() -> None:
    check_anywhere(8_000, 5)


READER = """
    import random, resource, sys
    from tests.emails.replies.consequences import outcome
    from tests.emails.replies.test_damaged_mails import cases, large
    outcome(cases()[-1].raw, "card", cases()[-1].answers)
    next(large(1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for raw in large(int(sys.argv[1])):
        outcome(raw, "card", cases()[-1].answers)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def large(count: int) -> Iterator[bytes]:
    """Mails of about a megabyte, as large as any are."""
    dice = random.Random(7)
    for _ in range(count):
        yield blown_up(dice.choice(cases()).raw, dice, dice.choice(strangers()), (LARGE,))


def check_memory(count: int) -> None:
    """In a process of its own, which has nothing else to keep."""
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(READER), str(count)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(told.stdout) < MOST_MEMORY


@pytest.mark.breadth
def test_forty_mails_of_a_megabyte_take_a_bounded_memory() -> None:
    check_memory(40)


@pytest.mark.long
def test_three_hundred_mails_of_a_megabyte_take_a_bounded_memory() -> None:
    check_memory(300)
