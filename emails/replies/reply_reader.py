"""The reader of replies: the writer's own lines, and the commands and remarks in these lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile

from email_reply_extractor import STATUS_FAILED, extract_new_text, split_html_parts, strip_parent_content

from emails.i18n import gettext, gettext_noop
from emails.replies import parsed_mail, quotations
from emails.replies.grammars import Grammar, PlanLine, ReadLine, continues_plan, is_chat, is_plan
from emails.replies.parsed_mail import Mail, MailText, cap_lines
from emails.replies.remarks import (
    RemarkContext,
    RemarkKind,
    classify,
    find_doubt,
    has_hesitant_sign,
    has_known_name,
    is_farewell,
    is_greeting,
    says_more,
    trails_off,
)
from emails.wording.requests import REQUESTS_THAT_ACT, REQUESTS_TO_ALL, Request
from engine.notation.lexer import Vocabulary, looks_like_order
from engine.notation.orders import OrderLine


def begins_a_command(line: str, orders: Vocabulary) -> bool:
    words = re.findall(rf"[{orders.letters}]+", line[:60].casefold())
    if not words or not line[:1].isalpha():
        return tuple(words[:2]) in orders.pairs
    return (
        words[0] in orders.verbs
        or tuple(words[:2]) in orders.pairs
        or (looks_like_order(line, orders) and bool(CORNER.search(line[:60])))
    )


CORNER = re.compile(r"\b[A-Za-z]{1,2}[1-9]\d?\b")
"""Matches a corner of the board, as in the abbreviated order "m Larisa C3"."""


@dataclass(frozen=True, slots=True)
class CommandLines:
    taken: tuple[ReadLine, ...]
    rest: tuple[ReadLine, ...]
    under: tuple[ReadLine, ...]
    """The lines below the writer's name."""
    beside: tuple[ReadLine, ...] = ()
    read: tuple[ReadLine, ...] = ()


def extract_commands(lines: Sequence[str], grammar: Grammar, context: RemarkContext) -> CommandLines:
    """Split lines into the commands at the top and the rest.

    The first block, up to a blank line, is taken whole; further blocks only if they begin with a command. A
    farewell or a name below a command ends the commands.
    """
    read = grammar.read_lines(lines)
    parted = groupby(read, lambda line: bool(line.words))
    blocks = [_join_block(list(block), grammar, context) for written, block in parted if written]
    begins = [at == 0 for block in blocks for at in range(len(block))]
    pieces = _without_mixed_sentences(blocks)
    first = _count_opening(pieces, context)
    taken: list[ReadLine] = []
    rest: list[ReadLine] = []
    under: list[ReadLine] = []
    over = named = False
    for at, piece in enumerate(pieces[first:], first):
        signed = at > first and _is_signed(piece, context)
        over = over or signed or (at > first and begins[at] and not _is_meant_as_command(piece, context))
        if signed:
            named = named or has_known_name(piece.words, context.people)
        elif over:
            (under if named else rest).append(piece)
        else:
            taken.append(piece)
    return replace(_part_remarks(taken, rest, under, context), read=read)


def _without_mixed_sentences(blocks: Sequence[Sequence[ReadLine]]) -> list[ReadLine]:
    """Turn orders within sentences into remarks. Exception: one block has all orders, all in sentences.

    Below an order, a sentence such as "the soldier please" may be meant to replace the order.
    """
    ordering = [
        {line.is_sentence for line in block if line.is_command and line.order is not None} for block in blocks
    ]
    whole = [kinds for kinds in ordering if kinds] == [{True}]
    return [line if whole else line.without_sentences() for block in blocks for line in block]


def _count_opening(pieces: Sequence[ReadLine], context: RemarkContext) -> int:
    is_other = (at for at, piece in enumerate(pieces) if not is_greeting(piece.words, context.people))
    greetings = next(is_other, len(pieces))
    first = next((at for at, piece in enumerate(pieces) if _is_meant_as_command(piece, context)), 0)
    ahead = pieces[greetings:first]
    harmless = len(ahead) <= MOST_REMARKS and all(classify(line.words, context).is_harmless for line in ahead)
    return first if ahead and harmless else greetings


MOST_REMARKS = 20


def _part_remarks(
    taken: Sequence[ReadLine], rest: Sequence[ReadLine], under: Sequence[ReadLine], context: RemarkContext
) -> CommandLines:
    if not any(line.is_command for line in taken):
        return CommandLines(tuple(taken), tuple(rest), tuple(under))
    said = [line for line in taken if not _is_meant_as_command(line, context)][:MOST_REMARKS]
    passed = [line for line in said if classify(line.words, context).is_harmless]
    kept = tuple(line for line in taken if line not in passed)
    beside = tuple(line for line in said if line not in passed and is_remark(line, context))
    return CommandLines(kept, (*passed, *rest), tuple(under), beside)


def is_separate_remark(words: str, context: RemarkContext) -> bool:
    return classify(words, context) in (RemarkKind.COURTESY, RemarkKind.PLAIN)


def is_remark(line: ReadLine, context: RemarkContext) -> bool:
    """Judge a line that is no command: True for a remark, False if it may be a misspelt command."""
    if begins_a_command(LIST_MARK.sub("", line.words, count=1), context.lexicon.orders):
        return False
    return says_more(line.words) or not line.is_meant_for_game


def _is_meant_as_command(line: ReadLine, context: RemarkContext) -> bool:
    return line.is_command or begins_a_command(line.words, context.lexicon.orders)


LIST_MARK = re.compile(r"[\W\d_]*(?:[a-z][.)]\s+)?", re.IGNORECASE)

BULLET = re.compile(r"[-\u2022\u00b7*] ")
ITEM = re.compile(r"\(?([0-9])[.):] ?")


def _without_list_marks(block: Sequence[ReadLine], grammar: Grammar) -> Sequence[ReadLine]:
    """Remove bullets or item numbers from a block, if each line is an order without its mark.

    Only numbers that count from 1 are removed; other numbers can be answers. If the items are labels of
    options, such as "1. b", the numbers stay, because the numbers can be an order of preference.
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
    """Join wrapped lines of a block, split lines at `;`, and remove list marks.

    Lines without words are dropped unless they are commands; placeholders of pictures are dropped too.
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
    split: list[ReadLine] = []
    for line in joined:
        parts = split_at_semicolons([line.words], grammar)
        split += [line] if parts == [line.words] else grammar.read_lines(parts)
    pieces = [
        piece
        for at, line in enumerate(split)
        for piece in (_split_remark(line, grammar, context) if at < MOST_REMARKS else [line])
    ]
    said = (piece for piece in pieces if re.search(r"\w", piece.words) or piece.is_command)
    return [piece for piece in said if not PICTURE_PLACEHOLDER.fullmatch(piece.words)]


def _join_plan(plan: ReadLine, above: str, following: ReadLine, context: RemarkContext) -> str | None:
    """Append the line `following` to a plan (orders for the next turn); None if the line is separate.

    An order below a plan becomes part of the plan, because the order may be meant for later. `above`: the
    last line of the plan, as wrapped in the mail.
    """
    if plan.plan is None or following.chat or following.plan is not None or following.request is not None:
        return None
    if _is_signed(following, context):
        return None
    words, line = plan.words.rstrip(), following.words
    if continues_plan(line, context.lexicon):
        return f"{words} {line}" if words.endswith((":", ".", ";")) else f"{words}. {line}"
    if _would_overflow(above, line) or words.endswith((":", ";", ",")):
        return f"{words} {line}"
    return f"{words}; {line}" if _is_meant_as_command(following, context) else None


PICTURE_PLACEHOLDER = re.compile(r"\[(?:image|cid|inline image) ?:[^\]]*\]")


REMARK_BEGINS = re.compile(r"(?<=[^\W_])(?:[.!,;]+|\s+-)\s+(?=[^\W\d_(:]|\()|\s+(?=[(:;=]['\-]?[()DPp])")
"""Matches what separates an order from a remark after it: the ". " in "draw. Greetings from the sofa!"."""
MOST_STARTS = 6


def _split_remark(line: ReadLine, grammar: Grammar, context: RemarkContext) -> Sequence[ReadLine]:
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
    """Split at `;` each line that begins like a command. Chat continues to the end of its line.

    Other lines stay whole, because they may be quoted examples.
    """
    found: list[str] = []
    context = grammar.remark_context
    for line in lines:
        pieces = [piece.strip() for piece in line.split(";")]
        first = next(filter(None, pieces), "")
        if (
            len(pieces) == 1
            or is_plan(line, grammar.lexicon)
            or _is_one_sentence(line, pieces, grammar)
            or not (_is_meant_as_command(grammar.read_line(first), context) or is_greeting(first, ()))
        ):
            found.append(line)
            continue
        remark = next((at for at, piece in enumerate(pieces) if is_chat(piece, grammar.lexicon)), len(pieces))
        said = ";".join(line.split(";")[remark:]).strip()
        found += filter(None, (*pieces[:remark], said))
    return found


def _is_one_sentence(line: str, pieces: Iterable[str], grammar: Grammar) -> bool:
    if not grammar.read_line(line).is_sentence:
        return False
    read = [grammar.read_line(piece) for piece in pieces if piece]
    return any(piece.is_sentence or not piece.is_command for piece in read)


SHORTEST_WRAPPED = 45  # characters; programs wrap near 72, or before a last long word
NARROWEST, WIDEST = 70, 80
"""Range of widths, in characters, at which programs wrap lines of chat."""


def _is_wrapped(line: ReadLine, above: str, following: ReadLine, context: RemarkContext) -> bool:
    wrapped = SHORTEST_WRAPPED <= len(line.words) <= 2 * parsed_mail.LONGEST_LINE
    if line.chat:
        wrapped = line.is_empty_chat or (
            len(above) <= WIDEST and wrapped and _would_overflow(above, following.words)
        )
    plain = following.without_sentences() if line.chat or not line.is_command else following
    if not wrapped or _is_meant_as_command(plain, context):
        return False
    if line.is_command and not line.chat and classify(following.words, context).is_harmless:
        return False
    return not _is_signed(following, context)


def check_run_on(lines: Sequence[ReadLine]) -> str | None:
    """Return a warning if an order below a chat line may be the wrapped end of the chat; else None."""
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


def _is_signed(line: ReadLine, context: RemarkContext) -> bool:
    return is_farewell(line.words, context.people) or _is_signature(line, context)


def _is_signature(line: ReadLine, context: RemarkContext) -> bool:
    if line.chat:
        return False
    if line.letter:
        return f"{line.letter}." in context.people
    words = re.findall(r"\w+", line.words)
    known = all(word.casefold() in context.people for word in words)
    return known and 0 < len(words) <= 4 and not begins_a_command(line.words, context.lexicon.orders)


SHORTEST_COPIED = 20
MOST_ROW_WORDS = 5
LONE_SIGN = re.compile(r"[\s?!./()]*(?:[?/]|\.\s*\.)[\s?!./()]*")
ARROW = re.compile(r"[-=]*>|\u2192")
WORDS = re.compile(r"[^\W_]+")


def find_doubtful_remark(
    found: CommandLines, own: Sequence[str], quoted: Sequence[str], letter: str, context: RemarkContext
) -> str | None:
    """Return the first text beside the orders of a mail that may change them; None if there is none.

    `own`: the writer's lines above a quotation; `quoted`: the lines from the first sign of a quotation
    on; `letter`: the text of the letter that the mail answers.
    """
    copied = " ".join(cap_lines(letter)[0])  # normalised like the lines of a mail
    below = find_lines_below(quoted)
    pieces = (piece.strip() for line in (*own, *below) for piece in line.split(";"))
    lone = next(filter(_is_lone_sign, pieces), None)
    said = (line.words for line in found.taken if line.is_command and not line.chat and line.request is None)
    hesitant = next((one for one in said if trails_off(one) or has_hesitant_sign(ARROW.sub(" ", one))), None)
    beside = [line.words for line in (*found.beside, *found.rest)]
    return (
        lone
        or hesitant
        or find_doubt(_own_lines(beside, copied), context)
        or find_doubt(_own_lines([line.words for line in found.under], copied), context, signed=True)
        or find_doubt(_own_lines(below, copied), context, signed=quotations.SIGNATURE_MARK in quoted)
    )


def _is_lone_sign(line: str) -> bool:
    return LONE_SIGN.fullmatch(line) is not None or (has_hesitant_sign(line) and not WORDS.search(line))


def _own_lines(lines: Iterable[str], copied: str) -> list[str]:
    """Remove lines copied from the letter, because some programs quote without marks."""
    return [line for line in lines if len(line) < SHORTEST_COPIED or line not in copied]


def find_lines_below(quoted: Sequence[str]) -> list[str]:
    """Return the lines below a signature mark, and those between and below quoted lines.

    The search stops at a quotation without marks, because no sign shows where such a quotation ends.
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


DOUBT = gettext_noop("What stands beside the orders could change them: “%(line)s”.")
NOTHING_FOUND = gettext_noop(
    "Nothing was found that stands above the mail it answers. The subject of a mail is not read."
)
LONGEST_DOUBT = 80


@dataclass(frozen=True, slots=True)
class Message:
    found: tuple[ReadLine, ...]
    """The lines with commands, in order. If one is unreadable, a mail to a game has no effect."""
    doubtful: bool = False
    """True if nothing may be played before the writer confirms."""
    reason: str | None = None
    """A translated sentence that states the doubt, or that nothing was found; else None."""
    rest: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    orders: tuple[OrderLine, ...] = ()
    """The orders, including unreadable ones."""
    plans: tuple[PlanLine, ...] = ()
    chat: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    doubt: str | None = None
    """The words beside the orders that may change them, as written."""
    cut: bool = False

    @property
    def is_orders_alone(self) -> bool:
        beside = self.doubtful or self.rest or self.plans or self.chat or self.requests
        orders = len(self.orders) == len(self.found) and all(line.is_command for line in self.found)
        readable = all(line.refusal is None for line in self.orders)
        return bool(self.orders) and orders and readable and not beside

    @property
    def may_be_meant(self) -> bool:
        """True if the mail is doubtful and the writer can be asked to confirm it."""
        readable = all(line.refusal is None for line in self.orders)
        readable = readable and all(line.refusal is None for line in self.plans)
        does = self.orders or self.chat or self.plans or self.acts
        return self.doubtful and not self.cut and bool(does) and readable

    @property
    def acts(self) -> bool:
        return any(one.kind in REQUESTS_THAT_ACT for one in self.requests)

    @property
    def says_yes(self) -> bool:
        return not self.doubtful and bool(self.found) and self.found[0].yes

    @property
    def is_meant_for_game(self) -> bool:
        return any(line.is_meant_for_game for line in self.found)


def read_reply(
    mail: Mail, grammar: Grammar, sent_text: str | None = None, names: Collection[str] = ()
) -> Message:
    """Read the reply in a mail; never raises, and takes a bounded time for any mail.

    `sent_text`: the stored plain text of the answered letter, without tokens, if known. `names`: the players'
    names, which may stand alone below a reply or in a greeting.
    """
    body = mail.body
    if body.strange:
        return Message((), True, gettext("This mail is built in a way that cannot be read here."))
    if body.encrypted:
        return Message((), True, gettext("This mail is encrypted or packed: send it as plain text."))
    text = mail.text
    sent_text = sent_text or ""
    name, address = next(iter(mail.headers.people("from")), ("", ""))
    named = " ".join((*names, name, address.partition("@")[0])).casefold()
    initials = (f"{word[0]}." for word in re.findall(r"[^\W\d_]+", (name or address).casefold())[:1])
    people = frozenset((*re.findall(r"\w+", named), *initials))
    lines = _find_own_lines(text, grammar, people)
    if not lines.found.taken:
        return Message((), False, gettext(NOTHING_FOUND))
    why = _check_late_commands(lines.found)
    doubt = _find_doubt(lines, sent_text) if why is None else None
    if doubt is not None:
        why = gettext(DOUBT, line=doubt[:LONGEST_DOUBT])
    cut = (text.cut and len(lines.here) == len(text.lines)) or body.cut
    if cut and why is None:
        missing = gettext("The end of the mail is missing: send it again.")
        why = missing if body.cut else gettext("The mail is too long.")
    if why is None:
        why = _check_boundaries(lines, text, sent_text, grammar)
    return replace(_sort_lines(lines.found, why, doubt), cut=cut)


@dataclass(frozen=True, slots=True)
class _OwnLines:
    own: Sequence[str]
    quoted: Sequence[str]
    found: CommandLines
    here: Sequence[ReadLine]
    context: RemarkContext


def _find_own_lines(text: MailText, grammar: Grammar, people: frozenset[str]) -> _OwnLines:
    """Find the commands above the quotation or, if there are none, between and below quoted lines.

    `people`: the words of the players' names.
    """
    context = replace(grammar.remark_context, people=people)
    own, quoted = quotations.split_at_quotation(text.lines)
    found = extract_commands(own, grammar, context)
    if found.taken:
        return _OwnLines(own, quoted, found, found.read, context)
    own, quoted = quotations.split_below(quoted)
    found = extract_commands(own, grammar, context)
    here = grammar.read_lines(text.lines) if found.taken else ()
    return _OwnLines(own, quoted, found, here, context)


def _sort_lines(found: CommandLines, why: str | None, doubt: str | None) -> Message:
    taken = found.taken
    return Message(
        taken,
        doubtful=why is not None,
        reason=why,
        rest=tuple(line.words for line in (*found.rest, *found.under)),
        lines=tuple(line.words for line in taken),
        orders=tuple(line.order for line in taken if line.order is not None and line not in found.beside),
        plans=tuple(line.plan for line in taken if line.plan is not None),
        chat=tuple(line.words for line in taken if line.chat),
        requests=tuple({line.words: line.request for line in taken if line.request is not None}.values()),
        doubt=doubt,
    )


# --- doubts ---------------------------------------------------------------------------------------------


def _check_late_commands(found: CommandLines) -> str | None:
    if any(line.chat and quotations.has_swallowed_quotation(line.words) for line in found.taken):
        return gettext("It is not certain where your words end and the quoted mail begins.")
    late = next((line.words for line in (*found.rest, *found.under) if line.is_command), None)
    if late is None:
        return None
    return gettext("Only the first lines count, and “%(line)s” stands after other words.", line=late[:60])


def _find_doubt(lines: _OwnLines, letter: str) -> str | None:
    acting = REQUESTS_THAT_ACT | REQUESTS_TO_ALL
    commands = (line for line in lines.found.taken if line.is_command)
    said = [line for line in commands if line.request is None or line.request.kind in acting]
    if not said:
        return None
    context = lines.context
    if all(line.chat for line in said):  # a mail with only chat has no orders
        context = replace(context, of_game=False)
    return find_doubtful_remark(lines.found, lines.own, lines.quoted, letter, context)


def _check_boundaries(lines: _OwnLines, text: MailText, sent_text: str, grammar: Grammar) -> str | None:
    if (why := check_run_on(lines.here)) is not None:
        return why
    other = _read_again(text, sent_text, grammar)
    if other is None or not _agrees(other, lines, grammar):
        return gettext("It is not certain where your words end and the quoted mail begins.")
    return None


def _agrees(theirs: Sequence[str], lines: _OwnLines, grammar: Grammar) -> bool:
    if "\n".join(theirs).strip() == "\n".join(lines.own).strip():
        return True
    again = extract_commands(theirs, grammar, lines.context)
    return _effective_commands(again.taken) == _effective_commands(lines.found.taken)


def _effective_commands(lines: Sequence[ReadLine]) -> list[str]:
    return [line.words for line in lines if line.is_command and not line.is_empty_chat]


def _read_again(text: MailText, sent_text: str, grammar: Grammar) -> Sequence[str] | None:
    """Return the lines that email-reply-extractor considers the writer's own; None if it fails."""
    lines = text.lines
    if text.page:
        lines = parsed_mail.cap_lines(split_html_parts(text.page[:MOST_HTML_READ]).novel_text)[0]
    plain = "\n".join(quotations.cut_at_marker(lines))
    knots = max((line.count("<") * line.count("@") for line in plain.splitlines()), default=0)
    if plain.count("On") > MOST_COSTLY_SIGNS or knots > MOST_COSTLY_SIGNS:
        return None
    theirs = extract_new_text(plain)
    if theirs.status == STATUS_FAILED:
        return None
    found = "\n".join(split_at_semicolons(theirs.text.splitlines(), grammar))
    counts = [len(line.split()) for line in found.splitlines()]
    has_many_words = sum(counts) > MOST_WORDS or max(counts, default=0) > MOST_WORDS_OF_A_LINE
    if sent_text and has_many_words:
        letter = "\n".join(parsed_mail.cap_lines(sent_text)[0])
        found = strip_parent_content(found, letter, continuation=True)
    own = parsed_mail.cap_lines(found)[0]
    return list(takewhile(lambda line: not line or not quotations.is_closing_line(line), own))


MOST_WORDS, MOST_WORDS_OF_A_LINE = 9, 7  # email-reply-extractor detects quotations above one of these
MOST_HTML_READ = 60_000
MOST_COSTLY_SIGNS = 60
