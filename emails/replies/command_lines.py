"""Which lines of a mail are commands, of those that its writer wrote themselves.

Commands are taken from the top only: a first block of lines, then further blocks as long as they begin with a
command. A greeting or a farewell is passed over; any other line in a block of commands is kept, so that the
game refuses the whole mail instead of playing half of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from emails.i18n import gettext
from emails.replies import bodies
from emails.replies.grammars import Grammar, ReadLine
from emails.replies.plan_lines import continues_plan, is_plan
from emails.replies.remarks.chat_lines import is_chat
from emails.replies.remarks.classification import classify, says_more
from emails.replies.remarks.remark_words import RemarkContext, RemarkKind
from emails.replies.remarks.small_talk import (
    count_greetings,
    find_farewells,
    has_known_name,
    is_farewell,
    is_greeting,
)
from engine.notation.lexer import Vocabulary, looks_like_order


def begins_a_command(line: str, orders: Vocabulary) -> bool:
    """Whether a line begins with a word of the game, readable or not."""
    words = re.findall(rf"[{orders.letters}]+", line[:60].casefold())
    if not words or not line[:1].isalpha():
        return tuple(words[:2]) in orders.pairs
    return (
        words[0] in orders.verbs
        or tuple(words[:2]) in orders.pairs
        or (looks_like_order(line, orders) and bool(CORNER.search(line[:60])))
    )


CORNER = re.compile(r"\b[A-Za-z]{1,2}[1-9]\d?\b")
"""Beside one an abbreviation or a card is meant as an order, readable or not: "m Larisa C3"."""


@dataclass(frozen=True, slots=True)
class CommandLines:
    """The lines to be read as commands, and those under them."""

    taken: tuple[ReadLine, ...]
    rest: tuple[ReadLine, ...]
    under: tuple[ReadLine, ...]
    """Those under the name of their writer."""
    beside: tuple[ReadLine, ...] = ()
    """Those of the lines taken that are remarks and not known to be harmless."""
    read: tuple[ReadLine, ...] = ()
    """All the lines, each as it was read."""


def extract_commands(lines: Sequence[str], grammar: Grammar, context: RemarkContext) -> CommandLines:
    """The commands at the top of what somebody wrote, and the lines after them that nobody reads.

    The first block, up to a blank line, is taken whole; a further one if it begins with a command. A farewell
    or a name under a command ends it all.
    """
    read = grammar.read_lines(lines)
    parted = groupby(read, lambda line: bool(line.words))
    blocks = [_join_block(list(block), grammar, context) for written, block in parted if written]
    begins = [at == 0 for block in blocks for at in range(len(block))]
    pieces = _without_mixed_sentences(blocks)
    first = _count_opening(pieces, context)
    farewells = find_farewells([piece.words for piece in pieces], context.people)
    taken: list[ReadLine] = []
    rest: list[ReadLine] = []
    under: list[ReadLine] = []
    over = named = False
    for at, piece in enumerate(pieces[first:], first):
        signed = at > first and (at in farewells or _is_signature(piece, context))
        over = over or signed or (at > first and begins[at] and not _is_meant_as_command(piece, context))
        if signed:
            named = named or has_known_name(piece.words, context.people)
        elif over:
            (under if named else rest).append(piece)
        else:
            taken.append(piece)
    return replace(_part_remarks(taken, rest, under, context), read=read)


def _without_mixed_sentences(blocks: Sequence[Sequence[ReadLine]]) -> list[ReadLine]:
    """The lines; orders told in sentences are read as such in one block alone, and beside no others.

    Elsewhere "the soldier please" may be meant instead of what stands above it.
    """
    ordering = [
        {line.is_told for line in block if line.is_command and line.order is not None} for block in blocks
    ]
    whole = [kinds for kinds in ordering if kinds] == [{True}]
    return [line if whole else line.without_sentences() for block in blocks for line in block]


def _count_opening(pieces: Sequence[ReadLine], context: RemarkContext) -> int:
    """How many lines at the beginning are greetings, or remarks above a command that leave it alone."""
    greetings = count_greetings([piece.words for piece in pieces], context.people)
    first = next((at for at, piece in enumerate(pieces) if _is_meant_as_command(piece, context)), 0)
    if first > greetings and _are_harmless(pieces[greetings:first], context):
        return first
    return greetings


MOST_REMARKS = 20
"""Lines among orders that are judged; nobody writes more there, and to judge one takes time."""


def _are_harmless(lines: Sequence[ReadLine], context: RemarkContext) -> bool:
    return len(lines) <= MOST_REMARKS and all(classify(line.words, context).is_harmless for line in lines)


def _part_remarks(
    taken: Sequence[ReadLine], rest: Sequence[ReadLine], under: Sequence[ReadLine], context: RemarkContext
) -> CommandLines:
    """What is taken where commands stand among remarks: those that leave them alone are passed over."""
    if not any(line.is_command for line in taken):
        return CommandLines(tuple(taken), tuple(rest), tuple(under))
    said = [line for line in taken if not _is_meant_as_command(line, context)][:MOST_REMARKS]
    passed = [line for line in said if classify(line.words, context).is_harmless]
    kept = tuple(line for line in taken if line not in passed)
    beside = tuple(line for line in said if line not in passed and is_remark(line, context))
    return CommandLines(kept, (*passed, *rest), tuple(under), beside)


def is_separate_remark(words: str, context: RemarkContext) -> bool:
    """Whether words in the line of an order say nothing of it: a sentence, a courtesy, or signs alone."""
    kind = classify(words, context)
    return kind in (RemarkKind.COURTESY, RemarkKind.PLAIN)


def is_remark(line: ReadLine, context: RemarkContext) -> bool:
    """Whether a line that is not known to be harmless is a remark, and no misspelt command."""
    if begins_a_command(LIST_MARK.sub("", line.words, count=1), context.lexicon.orders):
        return False
    return says_more(line.words) or not line.is_meant_for_game


def _is_meant_as_command(line: ReadLine, context: RemarkContext) -> bool:
    """Whether a line is a command, or is misspelt where one was meant."""
    return line.is_command or begins_a_command(line.words, context.lexicon.orders)


LIST_MARK = re.compile(r"[\W\d_]*(?:[a-z][.)]\s+)?", re.IGNORECASE)
"""What may stand before an item of a list."""

BULLET = re.compile(r"[-\u2022\u00b7*] ")
ITEM = re.compile(r"\(?([0-9])[.):] ?")


def _without_list_marks(block: Sequence[ReadLine], grammar: Grammar) -> Sequence[ReadLine]:
    """The lines of a block without what stands before the items of a list, where all of them are orders.

    A number may answer with a choice, so that only those of several lines count, from 1 on; and letters of
    choices with numbers before them are rather ranked.
    """
    marks = [BULLET.match(line.words) or ITEM.match(line.words) for line in block]
    found = [mark for mark in marks if mark]
    if len(found) < max(2, len(block)) or any(line.is_command for line in block):
        return block
    numbers = [mark[1] for mark in found if mark.re is ITEM]
    if numbers and grammar.has_numbered_choices:
        return block
    if numbers and numbers != [str(number) for number in range(1, len(block) + 1)]:
        return block
    items = grammar.read_lines(line.words[mark.end() :] for line, mark in zip(block, found, strict=True))
    whole = all(item.is_command and not item.letter for item in items)
    return items if whole else block


def _join_block(block: Sequence[ReadLine], grammar: Grammar, context: RemarkContext) -> list[ReadLine]:
    """The lines between two blank ones, wrapped lines joined, split at `;`, marks of lists left out.

    Those without a word are left out unless they are commands, and what programs write for a picture.
    """
    block = _without_list_marks(block, grammar)
    joined = list(block[:1])
    for above, line in pairwise(block):
        if (goes_on := _join_plan(joined[-1], above.words, line, context)) is not None:
            joined[-1] = grammar.read_line(goes_on)
        elif _is_wrapped(joined[-1], above.words, line, context):
            joined[-1] = grammar.read_line(f"{joined[-1].words} {line.words}")
        else:
            joined.append(line)
    split = (piece for line in joined for piece in _split_line(line, grammar))
    pieces = [
        piece
        for at, line in enumerate(split)
        for piece in (_split_remark(line, grammar, context) if at < MOST_REMARKS else [line])
    ]
    said = (piece for piece in pieces if re.search(r"\w", piece.words) or piece.is_command)
    return [piece for piece in said if not PICTURE_PLACEHOLDER.fullmatch(piece.words)]


def _join_plan(plan: ReadLine, above: str, following: ReadLine, context: RemarkContext) -> str | None:
    """A plan with the line under it, which has come after `above`; None where that is none of it.

    Whatever is an order there is one of the plan: none is played that may have been meant for later.
    """
    if plan.plan is None or following.chat or following.plan is not None or following.request is not None:
        return None
    if is_farewell(following.words, context.people) or _is_signature(following, context):
        return None
    words, line = plan.words.rstrip(), following.words
    if continues_plan(line, context.lexicon):
        return f"{words} {line}" if words.endswith((":", ".", ";")) else f"{words}. {line}"
    if _would_overflow(above, line) or words.endswith((":", ";", ",")):
        return f"{words} {line}"
    return f"{words}; {line}" if _is_meant_as_command(following, context) else None


PICTURE_PLACEHOLDER = re.compile(r"\[(?:image|cid|inline image) ?:[^\]]*\]")
"""What programs write in plain text where a picture stands."""


def _split_line(line: ReadLine, grammar: Grammar) -> Sequence[ReadLine]:
    pieces = split_at_semicolons([line.words], grammar)
    return [line] if pieces == [line.words] else grammar.read_lines(pieces)


REMARK_BEGINS = re.compile(r"(?<=[^\W_])(?:[.!,;]+|\s+-)\s+(?=[^\W\d_(:]|\()|\s+(?=[(:;=]['\-]?[()DPp])")
"""Where behind an order in its line a remark may begin: "draw. Greetings from the sofa!"."""
MOST_STARTS = 6


def _split_remark(line: ReadLine, grammar: Grammar, context: RemarkContext) -> Sequence[ReadLine]:
    """A line that cannot be read, in two where it is an order and a harmless remark before or behind it."""
    if line.is_command or line.order is None or not context.of_game:
        return [line]
    for start in [*REMARK_BEGINS.finditer(line.words)][:MOST_STARTS]:
        said, remark = line.words[: start.start()], line.words[start.end() :]
        if is_separate_remark(remark, context) and grammar.is_command(said):
            return [grammar.read_line(said), grammar.read_line(remark)]
        if is_separate_remark(said, context) and grammar.is_command(remark):
            return [grammar.read_line(said), grammar.read_line(remark)]
    return [line]


def split_at_semicolons(lines: Iterable[str], grammar: Grammar) -> list[str]:
    """Lines split at `;`, each whole where it does not begin as commands do: it may be an example of ours.

    What is said to other players goes on to the end of the line.
    """
    found: list[str] = []
    context = grammar.remark_context
    for line in lines:
        pieces = [piece.strip() for piece in line.split(";")]
        first = next(filter(None, pieces), "")
        if (
            len(pieces) == 1
            or is_plan(line, grammar.lexicon)
            or _is_told_whole(line, pieces, grammar)
            or not (_is_meant_as_command(grammar.read_line(first), context) or is_greeting(first, ()))
        ):
            found.append(line)
            continue
        remark = next((at for at, piece in enumerate(pieces) if is_chat(piece, grammar.lexicon)), len(pieces))
        said = ";".join(line.split(";")[remark:]).strip()
        found += filter(None, (*pieces[:remark], said))
    return found


def _is_told_whole(line: str, pieces: Iterable[str], grammar: Grammar) -> bool:
    """Whether a line tells its orders in sentences and is none of several orders parted by `;`."""
    if not grammar.read_line(line).is_told:
        return False
    read = [grammar.read_line(piece) for piece in pieces if piece]
    return any(piece.is_told or not piece.is_command for piece in read)


SHORTEST_WRAPPED = 45
"""Characters; programs wrap lines near 72, and no word of a command is longer than the difference."""
NARROWEST, WIDEST = 70, 80
"""Characters; programs wrap a line of chat at some width in this range."""


def _is_wrapped(line: ReadLine, above: str, following: ReadLine, context: RemarkContext) -> bool:
    """Whether the following line is the end of this one, which a mail program has wrapped after `above`."""
    wrapped = SHORTEST_WRAPPED <= len(line.words) <= 2 * bodies.LONGEST_LINE
    if line.chat:
        wrapped = line.is_empty_chat or (
            len(above) <= WIDEST and wrapped and _would_overflow(above, following.words)
        )
    told = following.without_sentences() if line.chat or not line.is_command else following
    if not wrapped or _is_meant_as_command(told, context):
        return False
    if line.is_command and not line.chat and classify(following.words, context).is_harmless:
        return False
    return not is_farewell(following.words, context.people) and not _is_signature(following, context)


def check_run_on(lines: Sequence[ReadLine]) -> str | None:
    """Why an order right under a message may be its end, which a mail program has wrapped; else None."""
    chatting = False
    for above, line in pairwise(lines):
        chatting = above.chat or (chatting and bool(above.words) and not above.is_command)
        order = chatting and line.is_command and not line.chat
        if order and len(above.words) <= WIDEST and _would_overflow(above.words, line.words):
            return gettext(
                "It is not certain whether “%(line)s” is the end of the message above it: leave an empty "
                "line between them.",
                line=line.words[:60],
            )
    return None


def _would_overflow(line: str, following: str) -> bool:
    return len(line) + 1 + len(following.partition(" ")[0]) >= NARROWEST


def _is_signature(line: ReadLine, context: RemarkContext) -> bool:
    """Whether a line is the name of somebody of the game, or how its writer signs, and nothing else.

    So below another line: whoever answers with a letter alone writes it first.
    """
    if line.chat:
        return False
    if line.letter:
        return f"{line.letter}." in context.people
    words = re.findall(r"\w+", line.words)
    known = all(word.casefold() in context.people for word in words)
    return known and 0 < len(words) <= 4 and not begins_a_command(line.words, context.lexicon.orders)
