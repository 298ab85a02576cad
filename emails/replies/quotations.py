"""Quotations: the boundary between the writer's words and the answered letter.

Mail programs mark a quotation by `>` before each line, an attribution line, copied headers, or a row of
dashes. Any of these ends the writer's words. Ending too early loses words, which is better than reading an
old line as a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import groupby, takewhile
from typing import NamedTuple

from emails.languages.lexicon import Lexicon, join_programs, whole_lexicon
from emails.languages.supported_languages import REPLY_MARKERS, match_words

QUOTE = re.compile(r">|\.{2,} ?>|\|")
"""The start of a quoted line; the dots come from programs that wrap quoted lines again."""
CLOCK_TIME = re.compile(r"\d{1,2}[:.]\d\d")
DASH_ROW = re.compile(r"[-_=*~]{2,}$|-$|[-_=]{2}.*[-_=]{2}$")
"""Matches a row of dashes, alone or around words such as "Original Message", and the signature mark "--"."""

HEADER = re.compile(r"[*_]{0,2}([^\W\d_][^:<>@]{0,30}?) ?:[*_]{0,2}(?: (.*))?$")
"""Matches a header in any language."""
FEWEST_HEADERS = 3
DATE = re.compile(rf"{CLOCK_TIME.pattern}|\b(?:19|20)\d\d\b|\d年")
SIGNATURE_MARK = "--"
POSTSCRIPT = re.compile(r"^\W*(?:(?:p\.? ?){1,3}s|n\.? ?b)(?:\W+|$)", re.IGNORECASE)


class ProgramPatterns(NamedTuple):
    marker: re.Pattern[str]
    attribution: re.Pattern[str]
    """Matches an attribution line such as "On 3 Nov 2026 Ben wrote:"; wrapped lines are joined before."""
    attribution_start: re.Pattern[str]
    attribution_hint: re.Pattern[str]
    swallowed: re.Pattern[str]
    heading: re.Pattern[str]
    """Matches one of the headers that mail programs such as Outlook copy above the old letter."""
    own_line: re.Pattern[str]


def program_patterns() -> ProgramPatterns:
    return _compile_patterns(tuple(REPLY_MARKERS.items()))


@lru_cache(maxsize=16)
def _compile_patterns(markers: tuple[tuple[str, str], ...]) -> ProgramPatterns:
    words = join_programs(tuple(language for language, _ in markers))
    marker = "|".join(re.escape(one.strip("- ")) for _, one in markers)
    wrote, begins = "|".join(words["wrote"]), "|".join(words["wrote_begins"])
    patterns = (
        # Yahoo writes the attribution line and the marker in one line.
        rf"(?:(?:{begins})\b.*@.*:)?[>|*_\- ]*(?:{marker})[*_\- ]*",
        rf"(?:^|[\s>\]),、0-9])(?:{wrote}).{{0,160}}$|^(?=.*@).*{CLOCK_TIME.pattern}",
        rf"(?:{begins})\b|\d{{1,4}}[.\-/年 ]|\S.*@",
        rf"{CLOCK_TIME.pattern}|\b20\d\d\b|@|(?:^|\s)(?:{wrote})\b",
        rf"{marker}|(?:{wrote})[^:]{{0,80}}: ?>",
        rf"[*_]{{0,2}}(?:{'|'.join(words['headings'])}) ?:[*_]{{0,2}}(?: .*)?$",
        "|".join(words["own_lines"]),
    )
    return ProgramPatterns(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


def is_quoted(line: str) -> bool:
    return QUOTE.match(line) is not None


def is_marker(line: str) -> bool:
    return program_patterns().marker.fullmatch(line) is not None


class Mark(Enum):
    """What a line is besides words of the writer."""

    QUOTED = auto()
    ATTRIBUTION = auto()
    """An attribution line, copied headers or the marker of our letters, above lines with `>`."""
    UNMARKED = auto()
    """One of these above no lines with `>`, or any line below: no sign shows where the quotation ends."""
    CLOSING = auto()
    """A row of dashes, or a line that a program adds below."""


MarkedLine = tuple[str, Mark | None]
"""A line, and None for a line of the writer."""


def mark_lines(written: Sequence[str]) -> list[MarkedLine]:
    """Mark all lines of a mail that are not the writer's, in one pass."""
    lines, marked = _blank_wrapped_quotes(written), list[MarkedLine]()
    while (at := len(marked)) < len(lines):
        mark, count = _find_mark(lines, at)
        count = len(lines) if mark is Mark.UNMARKED else count
        marked += ((line, mark) for line in lines[at : at + count])
    return marked


def _find_mark(lines: Sequence[str], at: int) -> tuple[Mark | None, int]:
    """Return what begins at index `at`, and its number of lines; None for a line of the writer."""
    line = lines[at]
    if not line:
        return None, 1
    if is_quoted(line):
        return Mark.QUOTED, 1
    count = int(is_marker(line))
    if not count and (DASH_ROW.match(line) or program_patterns().own_line.match(line)):
        return Mark.CLOSING, 1
    count = count or _count_attribution_lines(lines, at) or _count_header_lines(lines, at)
    if not count:
        return None, 1
    return (Mark.ATTRIBUTION if is_above_quoted(lines, at + count) else Mark.UNMARKED), count


def _count_attribution_lines(lines: Sequence[str], at: int) -> int:
    """Return the number of attribution lines from index `at` on, 0 to 3.

    A line in any language that ends in a colon directly above a quotation is an attribution line.
    """
    patterns = program_patterns()
    begins = patterns.attribution_start.match(lines[at])
    hints = begins or patterns.attribution_hint.search(lines[at])
    for count in (1, 2, 3) if hints and not _is_own_line(lines[at]) else (1,):
        joined = lines[at : at + count]
        if len(joined) < count or not joined[-1] or is_quoted(joined[-1]):
            return 0
        if not joined[-1].endswith(":"):
            continue
        over = is_above_quoted(lines, at + count)
        is_attribution = patterns.attribution.search(" ".join(joined)) and (over or begins or count == 1)
        if is_attribution or (over and count == 1):
            return count
    return 0


def is_above_quoted(lines: Sequence[str], at: int) -> bool:
    return is_quoted(next(filter(None, lines[at : at + 2]), ""))


@lru_cache(maxsize=16)
def _compile_own_words(lexicon: Lexicon) -> re.Pattern[str]:
    """Compile a pattern of the beginnings of chat, plans and requests, which look like headers."""
    verbs, plans = match_words(lexicon.chat["say"] | lexicon.chat["tell"]), lexicon.plans
    parts = match_words((*plans.otherwise, *plans.condition))
    names = match_words((*plans.heading, *lexicon.shown, *lexicon.dates.away))
    return re.compile(rf"(?:{verbs}|{parts})\b|(?:{names}) ?:", re.IGNORECASE)


def _is_own_line(line: str) -> bool:
    return _compile_own_words(whole_lexicon()).match(line) is not None


def _match_header(line: str) -> re.Match[str] | None:
    """Match a header in any language that cannot be a line of the writer."""
    header = HEADER.match(line)
    return None if header and _is_own_line(line) else header


def _count_header_lines(lines: Sequence[str], at: int) -> int:
    """Return the number of lines with copied headers from index `at` on, 0 if there are none.

    In a known language two headers follow each other. In others there are three, and one contains a date.
    Besides, one contains an address, and the first is one of these two; or the marker of our letter follows.
    """
    known = sum(1 for _ in takewhile(program_patterns().heading.match, lines[at:]))
    if known > 1:
        return known
    headers = [*takewhile(bool, map(_match_header, lines[at:]))]
    values = {header[1].casefold(): header[2] or "" for header in headers if header}
    dated = [DATE.search(value) is not None for value in values.values()]
    addressed = ["@" in value for value in values.values()]
    if len(values) < FEWEST_HEADERS or not any(dated):
        return 0
    below = next(filter(None, lines[at + len(headers) :][:2]), "")
    is_certain = (any(addressed) and (dated[0] or addressed[0])) or is_marker(below)
    return len(headers) if is_certain else 0


def split_at_quotation(lines: Sequence[str]) -> tuple[Sequence[str], Sequence[MarkedLine]]:
    """Return the writer's lines above a quotation, and the lines from the first sign of a quotation on."""
    marked = mark_lines(lines)
    end = next((at for at, (_, mark) in enumerate(marked) if mark is not None), len(marked))
    return lines[:end], marked[end:]


def split_below(quoted: Sequence[MarkedLine]) -> tuple[Sequence[str], Sequence[MarkedLine]]:
    """Return the writer's lines and the signature in `quoted`, a mail from the first sign of a quotation on.

    The writer's lines are between and below lines with `>`. Without lines with `>` there are none, because
    nothing distinguishes the writer's lines from the old letter.
    """
    start = next((at for at, (_, mark) in enumerate(quoted) if mark is Mark.QUOTED), len(quoted))
    if any(line == SIGNATURE_MARK or (line and mark is None) for line, mark in quoted[:start]):
        return (), ()
    own = [*takewhile(lambda one: one[1] in (None, Mark.QUOTED), quoted[start:])]
    return ["" if mark else line for line, mark in own], quoted[start + len(own) :]


SHORTEST_WRAPPED_QUOTE = 60


def _blank_wrapped_quotes(lines: Sequence[str]) -> list[str]:
    """Replace lines that may be the wrapped ends of quoted lines by empty lines."""
    rest: list[str] = []
    for quoted, block in groupby(lines, lambda line: is_quoted(line) if line else None):
        run, above = list(block), rest[-1] if rest else ""
        if quoted is False and is_quoted(above):
            below = "".join(lines[len(rest) + len(run) :][:1])
            long = len(f"{above} {run[0].partition(' ')[0]}") >= SHORTEST_WRAPPED_QUOTE
            if (long and "://" not in above) or is_quoted(below):
                run = [""] * len(run)
        rest += run
    return rest


QUOTATION_MARKS = '"\u201c\u201d\u201e\u201f\u00ab\u00bb'
QUOTED = re.compile(rf"[{QUOTATION_MARKS}]([^{QUOTATION_MARKS}]+)[{QUOTATION_MARKS}][.,;]?")


def without_quotation_marks(lines: Sequence[str]) -> Sequence[str]:
    """Remove the quotation marks around the first block of lines, as in words copied from a letter."""
    block = [*takewhile(bool, lines)]
    found = QUOTED.fullmatch("\n".join(block))
    return [*found[1].split("\n"), *lines[len(block) :]] if found else lines
