"""What else somebody wrote beside their orders, wherever it stands, and whether it leaves them alone.

Above and between the orders, under them, under the name, after the mark of a signature, below what is quoted:
what is not known to be harmless there makes the orders doubtful. See remarks/classification.py for what is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from emails.replies import quotations
from emails.replies.bodies import cap_lines
from emails.replies.command_lines import CommandLines
from emails.replies.remarks.classification import find_doubt, says_more
from emails.replies.remarks.remark_words import RemarkContext, has_hesitant_sign, trails_off

SHORTEST_COPIED = 20
"""Characters of a line that nobody writes again by chance."""
MOST_ROW_WORDS = 5
"""That somebody writes between dashes; what programs write there is longer, or doubts nothing."""
LONE_SIGN = re.compile(r"[\s?!./()]*(?:[?/]|\.\s*\.)[\s?!./()]*")
"""A question mark, the stroke that means "or", or dots, alone on a line or between semicolons."""
ARROW = re.compile(r"[-=]*>|\u2192")
WORDS = re.compile(r"[^\W_]+")


def find_doubtful_remark(
    found: CommandLines, own: Sequence[str], quoted: Sequence[str], letter: str, context: RemarkContext
) -> str | None:
    """The first thing beside the orders that could change them, as it is written; None where nothing could.

    `own`: the lines of their own words; `quoted`: those from the first sign of anything quoted on. `letter`:
    what they answer.
    """
    copied = " ".join(cap_lines(letter)[0])  # without signs that no line of a mail is read with
    below = find_lines_below(quoted)
    pieces = (piece.strip() for line in (*own, *below) for piece in line.split(";"))
    lone = next(filter(_is_lone_sign, pieces), None)
    said = [line for line in found.taken if line.is_command and not line.chat and line.request is None]
    hesitant = next((one.words for one in said if trails_off(one.words) or _hesitates(one.words)), None)
    beside = [line.words for line in (*found.beside, *found.rest)]
    return (
        lone
        or hesitant
        or find_doubt(_own_lines(beside, copied), context)
        or find_doubt(_own_lines([line.words for line in found.under], copied), context, signed=True)
        or find_doubt(_own_lines(below, copied), context, signed=quotations.SIGNATURE_MARK in quoted)
    )


def _hesitates(words: str) -> bool:
    """Whether signs in orders that can be read take them back; arrows there lead from point to point."""
    return has_hesitant_sign(ARROW.sub(" ", words))


def _is_lone_sign(line: str) -> bool:
    return LONE_SIGN.fullmatch(line) is not None or (has_hesitant_sign(line) and not WORDS.search(line))


def _own_lines(lines: Iterable[str], copied: str) -> list[str]:
    """The lines that are not copied from our letter: some programs quote without a mark."""
    return [line for line in lines if len(line) < SHORTEST_COPIED or line not in copied]


def find_lines_below(quoted: Sequence[str]) -> list[str]:
    """The lines under the mark of a signature and between and under quoted ones.

    They end where a quotation begins whose lines bear no mark, for nothing tells the old words from the new.
    """
    lines = quotations.without_wrapped_quotes(quoted)
    found: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        introduction = quotations.count_introduction_lines(lines, at) if line else 0
        if introduction:
            at += introduction
            continue
        if line and _begins_unmarked_quotation(lines, at):
            break
        if line and not quotations.is_quoted(line) and (WORDS.search(line) or _is_lone_sign(line)):
            found.append(line)
        at += 1
    return found


def _begins_unmarked_quotation(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if quotations.is_quoted(line):
        return False
    if quotations.DASH_ROW.match(line):
        words = WORDS.findall(line)
        said = len(words) <= MOST_ROW_WORDS and says_more(line)  # such as "--or--"
        return (bool(words) and not said) or quotations.is_marker(line)
    return (
        quotations.is_marker(line)
        or quotations.begins_copied_headers(lines, at)
        or quotations.count_attribution_lines(lines, at) > 0
    )
