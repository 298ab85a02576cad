"""Mails that were damaged on their way: what they bring about, and how long and how much room they take."""

import random
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import pytest

from tests.bounded import quickest
from tests.breadth import by_run
from tests.emails.replies.consequences import OLD_ORDERS, Case, Outcome, files, game_letter, outcome, shaped
from tests.emails.replies.shapes import rendered, tongues

CHARSETS = (
    *(b"utf-8", b"us-ascii", b"iso-8859-1", b"windows-1252", b"utf-16", b"utf-16le", b"utf-32", b"utf-7"),
    *(b"gb18030", b"shift_jis", b"iso-2022-jp", b"koi8-r", b"cp500", b"x-nothing", b"", b"\xff", b"big5"),
)
CODINGS = (b"7bit", b"8bit", b"binary", b"quoted-printable", b"base64", b"x-uuencode", b"nothing", b"")
LARGE = 1_000_000
"""Bytes to which a mail is blown up."""


UNDER = 6
"""Lines under the words that stay too: in them the quotation is said to begin."""


@dataclass(frozen=True, slots=True)
class Split:
    """A mail in three pieces; the second holds its writer's words, and all by which they are told apart."""

    head: bytes
    words: bytes
    tail: bytes


def split(case: Case) -> Split:
    """The headers without the blank line; what stands up to a few lines under the words; and the rest.

    Where the words do not stand as they are, as in base64, there is no rest.
    """
    raw = case.raw
    start = re.search(rb"\r?\n\r?\n|\r\r", raw)
    head = at = start.start() if start else len(raw)
    for line in filter(None, case.words.splitlines()):
        found = raw.find(line.strip().encode(), at)
        if found < 0:
            return Split(raw[:head], raw[head:], b"")
        at = found + len(line.strip().encode())
    under = re.compile(rb"(?:[^\r\n]*(?:\r\n|\r|\n|$)){0,%d}" % (UNDER + 1)).match(raw, at)
    at = under.end() if under and at > head else len(raw)
    return Split(raw[:head], raw[head:at], raw[at:])


# --- anywhere -------------------------------------------------------------------------------------------


def bytes_damaged(raw: bytes, dice: random.Random, other: bytes) -> bytes:
    """One to eight places cut, doubled, overwritten by chance or by a piece of another mail."""
    found = bytearray(raw)
    for _ in range(dice.randint(1, 8)):
        at, length = dice.randrange(len(found) + 1), dice.choice((1, 1, 3, 20, 200))
        start = dice.randrange(len(other))
        found[at : at + dice.choice((0, length))] = dice.choice(
            (
                b"",
                dice.randbytes(length),
                other[start : start + length],
                bytes(found[at : at + length]) * 2,
                b"\r\n",
                b"=?",
            )
        )
    return bytes(found)


def bits_turned(raw: bytes, dice: random.Random, _: bytes) -> bytes:
    found = bytearray(raw)
    for _ in range(min(len(found), dice.choice((1, 5, 50)))):
        found[dice.randrange(len(found))] ^= 1 << dice.randrange(8)
    return bytes(found)


def lines_shuffled(raw: bytes, dice: random.Random, _: bytes) -> bytes:
    """Some lines lost, doubled or in place of their neighbours.

    None goes far, and none that opens a quotation is lost: a quoted line that stands above all by which one
    could know it is a line like any other.
    """
    lines = raw.splitlines(keepends=True)
    for _ in range(dice.randint(1, 5) if lines else 0):
        one = dice.randrange(len(lines))
        two = max(one - dice.choice((1, 2)), 0)
        put = dice.choice(([], [lines[one]] * 2, [lines[two]]))
        if b"<blockquote" not in lines[one]:
            lines[one : one + 1] = put
        if not lines:
            break
    return b"".join(lines)


def cut_off(raw: bytes, dice: random.Random, _: bytes) -> bytes:
    return raw[: dice.randrange(len(raw) + 1)]


# --- around the words -----------------------------------------------------------------------------------


def charset_swapped(raw: bytes, dice: random.Random, _: bytes) -> bytes:
    return re.sub(rb"(charset=)\"?[^\s\";]*\"?", lambda found: found[1] + dice.choice(CHARSETS), raw)


def coding_swapped(raw: bytes, dice: random.Random, _: bytes) -> bytes:
    name = rb"(Content-Transfer-Encoding: )[^\r\n]*"
    return re.sub(name, lambda found: found[1] + dice.choice(CODINGS), raw)


def type_swapped(raw: bytes, dice: random.Random, _: bytes) -> bytes:
    kinds = (b"text/plain", b"text/html", b"text/x", b"multipart/mixed", b"message/rfc822", b"image/png", b"")
    return re.sub(rb"(Content-Type: )[^\s;]*", lambda found: found[1] + dice.choice(kinds), raw)


def ends_swapped(raw: bytes, dice: random.Random, _: bytes) -> bytes:
    ends = dice.choice(([b"\n"], [b"\r"], [b"\r\n"], [b"\n", b"\r\n", b"\r"]))
    return re.sub(rb"\r\n|\r|\n", lambda _: dice.choice(ends), raw)


def nested(raw: bytes, dice: random.Random, other: bytes) -> bytes:
    """Put within other parts, among pieces of another mail."""
    inner = re.sub(rb"(?s)^.*?(?=^Content-Type:)", b"", raw, count=1, flags=re.MULTILINE)
    for depth in range(dice.choice((1, 2, 5, 12))):
        mark = b"n%d" % depth
        aside = b"--%s\r\nContent-Type: %s\r\n\r\n%s\r\n" % (
            *(mark, dice.choice((b"image/png", b"message/rfc822", b"application/pdf; name=x"))),
            other[: dice.choice((0, 900))].replace(b"--", b"=="),
        )
        before, after = dice.choice(((aside, b""), (b"", aside), (b"", b"")))
        inner = b'Content-Type: multipart/mixed; boundary="%s"\r\n\r\n%s--%s\r\n%s\r\n%s--%s--\r\n' % (
            *(mark, before, mark, inner, after, mark),
        )
    return b"From: Anna <anna@example.org>\r\nMIME-Version: 1.0\r\n" + inner


def blown_up(raw: bytes, dice: random.Random, other: bytes, sizes: Sequence[int] = (50_000, LARGE)) -> bytes:
    """Made as large as one of the sizes by what follows."""
    piece = dice.choice(
        (b"> quoted\r\n", b"<div>x", b"x" * 70 + b"\r\n", b"\r\n", other, b"-", b"<b><p>On x:")
    )
    return raw + b"\r\n" + piece * (dice.choice(sizes) // len(piece))


Damage = Callable[[bytes, random.Random, bytes], bytes]
ANYWHERE: Sequence[Damage] = (bytes_damaged, bytes_damaged, bits_turned, lines_shuffled, cut_off)
LABELS: Sequence[Damage] = (charset_swapped, coding_swapped, type_swapped, ends_swapped, nested, blown_up)


def around(case: Case, dice: random.Random, other: bytes) -> bytes:
    """A mail whose words stand as they were, in a mail that is damaged."""
    parts = split(case)
    head, tail = parts.head, parts.tail
    if dice.random() < 0.5:
        head = dice.choice(ANYWHERE[:-1])(head, dice, other)
    if tail and dice.random() < 0.7:
        tail = dice.choice(ANYWHERE)(tail, dice, other)
    raw = head + parts.words + tail
    return dice.choice(LABELS)(raw, dice, other) if dice.random() < 0.6 else raw


def anywhere(case: Case, dice: random.Random, other: bytes) -> bytes:
    raw = dice.choice(ANYWHERE)(case.raw, dice, other)
    return dice.choice(LABELS)(raw, dice, other) if dice.random() < 0.3 else raw


SLOWEST = 2.0
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


@pytest.mark.parametrize(("count", "seed"), by_run(breadth=[(1_000, 1)], long=[(12_000, 4)]))
def test_mails_damaged_around_their_words_do_what_they_say_or_nothing(count: int, seed: int) -> None:
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


@pytest.mark.parametrize(("count", "seed"), by_run([(500, 2)], long=[(8_000, 5)]))
def test_mails_damaged_anywhere_do_nothing_that_they_quote(count: int, seed: int) -> None:
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


@pytest.mark.parametrize("count", by_run(breadth=[40], long=[300]))
def test_mails_of_a_megabyte_take_a_bounded_memory(count: int) -> None:
    """In a process of its own, which has nothing else to keep."""
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(READER), str(count)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(told.stdout) < MOST_MEMORY
