"""The reader of replies: the writer's own lines, and the commands and remarks in these lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile

from emails.i18n import gettext, gettext_noop
from emails.replies import parsed_mail, quotations
from emails.replies.grammars import Grammar, LineKind, ReadLine, continues_plan, is_chat
from emails.replies.parsed_mail import Mail, MailText, cap_lines
from emails.replies.quotations import Mark, MarkedLine
from emails.replies.remarks import (
    HESITATION,
    TRAILING_DOTS,
    RemarkContext,
    classify,
    find_doubt,
    has_known_name,
    is_courteous,
    is_doubtful,
    is_farewell,
    is_signature,
    normalise_line,
    says_more,
)
from emails.wording.requests import REQUESTS_THAT_ACT, REQUESTS_TO_ALL, Request
from engine.notation.parser import looks_like_order
from engine.notation.vocabulary import Vocabulary


def begins_a_command(line: str, orders: Vocabulary) -> bool:
    words = re.findall(r"[^\W\d_]+", line[:60].casefold())
    looks_like_one = looks_like_order(line, orders) and CORNER.search(line[:60]) is not None
    return bool(words) and line[0].isalpha() and (words[0] in orders.verbs or looks_like_one)


CORNER = re.compile(r"\b[A-Za-z]{1,2}[1-9]\d?\b")
"""Matches a corner of the board, as in the abbreviated order "m Larisa C3"."""


@dataclass(frozen=True, slots=True)
class Message:
    found: tuple[ReadLine, ...]
    """The lines with commands, in order. If one is unreadable, a mail to a game has no effect."""
    others: tuple[ReadLine, ...] = ()
    signature: tuple[ReadLine, ...] = ()
    """The lines below the writer's name."""
    reason: str | None = None
    """A translated sentence that states the doubt; if there is one, the writer must confirm the mail."""
    doubt: str | None = None
    """A line of `found` or `rest` that may change the orders beside it."""
    cut: bool = False

    @property
    def doubtful(self) -> bool:
        return self.reason is not None

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(line.words for line in self.found)

    @property
    def rest(self) -> tuple[str, ...]:
        return tuple(line.words for line in (*self.others, *self.signature))

    @property
    def orders(self) -> tuple[ReadLine, ...]:
        """The orders, including unreadable ones."""
        return tuple(line for line in self.found if line.kind is LineKind.ORDERS)

    @property
    def plans(self) -> tuple[ReadLine, ...]:
        return tuple(line for line in self.found if line.kind is LineKind.PLAN)

    @property
    def chat(self) -> tuple[str, ...]:
        return tuple(line.words for line in self.found if line.kind is LineKind.CHAT)

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(dict.fromkeys(line.request for line in self.found if line.request is not None))

    @property
    def may_be_meant(self) -> bool:
        """True if the mail is doubtful and the writer can be asked to confirm it."""
        readable = all(line.refusal is None for line in (*self.orders, *self.plans))
        acts = any(one.kind in REQUESTS_THAT_ACT for one in self.requests)
        does = self.orders or self.chat or self.plans or acts
        return self.doubtful and not self.cut and bool(does) and readable

    @property
    def says_yes(self) -> bool:
        return not self.doubtful and bool(self.found) and self.found[0].kind is LineKind.YES

    @property
    def is_meant_for_game(self) -> bool:
        return any(line.is_meant_for_game for line in self.found)


def extract_commands(lines: Iterable[str], grammar: Grammar, context: RemarkContext) -> Message:
    """Split lines into the commands at the top and the rest.

    The first block, up to a blank line, is taken whole; further blocks only if they begin with a command. A
    farewell or a name below a command ends the commands.
    """
    blocks = [_read_block(block, grammar, context) for written, block in groupby(lines, bool) if written]
    pieces = [piece for block in blocks for piece in block]
    start, signs_off = _skip_opening(pieces, context)
    taken, others, signature = list[ReadLine](), list[ReadLine](), list[ReadLine]()
    into, at = taken, -1
    for block in blocks:
        closes = _is_farewell(block, context)
        for place, piece in enumerate(block):
            at += 1
            if at < start:
                continue
            is_choice = piece.answer and any(_is_name(other, context) for other in pieces[at + 1 :])
            below = at > start or (signs_off and piece.answer)  # "Love, A."
            if below and not is_choice and (closes or _is_signed(piece, context)):
                is_named = into is signature or has_known_name(piece.words, context.people)
                into = signature if is_named else others
                continue
            if into is taken and place == 0 and at > start and not _is_meant_as_command(piece, context):
                into = others
            into.append(piece)
    if any(line.is_command for line in taken):
        said = [line for line in taken if not _is_meant_as_command(line, context)][:MOST_REMARKS]
        harmless = [line for line in said if classify(line.words, context).is_harmless]
        taken = [
            _mark_remark(line, context) if line in said else line for line in taken if line not in harmless
        ]
        others = [*harmless, *others]
    return Message(tuple(taken), tuple(others), tuple(signature))


def _skip_opening(pieces: Sequence[ReadLine], context: RemarkContext) -> tuple[int, bool]:
    """Return where the lines begin that count, and whether a courtesy above them may be a farewell.

    Greetings are skipped, and other harmless words if a command follows.
    """
    greetings = [*takewhile(lambda piece: is_courteous(piece.words, context.people), pieces)]
    signs_off = any(is_courteous(piece.words, context.people, greets=False) for piece in greetings)
    first = next((at for at, piece in enumerate(pieces) if _is_meant_as_command(piece, context)), 0)
    ahead = pieces[len(greetings) : first]
    harmless = len(ahead) <= MOST_REMARKS and all(classify(line.words, context).is_harmless for line in ahead)
    return first if ahead and harmless else len(greetings), signs_off


MOST_REMARKS = 20


def _is_meant_as_command(line: ReadLine, context: RemarkContext) -> bool:
    return line.is_command or begins_a_command(line.words, context.lexicon.orders)


def _mark_remark(line: ReadLine, context: RemarkContext) -> ReadLine:
    """Mark a line that is neither a command nor a misspelt command as a remark."""
    words = LIST_MARK.sub("", line.words, count=1)
    is_meant = line.is_meant_for_game or begins_a_command(words, context.lexicon.orders)
    return line if is_meant else replace(line, kind=LineKind.REMARK)


LIST_MARK = re.compile(r"[\W\d_]*(?:[a-z][.)]\s+)?", re.IGNORECASE)


def _read_block(lines: Iterable[str], grammar: Grammar, context: RemarkContext) -> list[ReadLine]:
    """Read a block: join wrapped lines, and split lines at `;`.

    Lines without words are dropped unless they are commands; placeholders of pictures are dropped too.
    """
    block = [*map(grammar.read_line, lines)]
    joined = list(block[:1])
    for above, line in pairwise(block):
        if (goes_on := _continue_line(joined[-1], above.words, line, context)) is None:
            joined.append(line)
        else:
            joined[-1] = grammar.read_line(goes_on)
    pieces = [piece for line in joined for piece in _split_at_semicolons(line, grammar, context)]
    said = (piece for piece in pieces if piece.is_command or re.search(r"\w", piece.words))
    return [piece for piece in said if not PICTURE_PLACEHOLDER.fullmatch(piece.words)]


def _split_at_semicolons(line: ReadLine, grammar: Grammar, context: RemarkContext) -> list[ReadLine]:
    """Split a line at `;` if it begins like a command. Chat continues to the end of its line.

    Other lines stay whole, because they may be quoted examples.
    """
    pieces = [piece.strip() for piece in line.words.split(";")]
    first = next(filter(None, pieces), "")
    if len(pieces) == 1 or line.kind is LineKind.PLAN:
        return [line]
    if not (_is_meant_as_command(grammar.read_line(first), context) or is_courteous(first, ())):
        return [line]
    chat = next((at for at, piece in enumerate(pieces) if is_chat(piece, grammar.lexicon)), len(pieces))
    said = ";".join(line.words.split(";")[chat:]).strip()
    return [grammar.read_line(piece) for piece in (*pieces[:chat], said) if piece]


def _continue_line(line: ReadLine, above: str, following: ReadLine, context: RemarkContext) -> str | None:
    """Append the line `following` to a plan or to a wrapped line; None if the line is separate.

    An order below a plan becomes part of the plan (orders for the next turn), because the order may be meant
    for later. `above`: the last line of `line`, as wrapped in the mail.
    """
    if _is_signed(following, context):
        return None
    words, end = line.words, following.words
    begins = _is_meant_as_command(following, context)
    if line.kind is LineKind.PLAN and following.kind is LineKind.ORDERS:
        otherwise = continues_plan(end, context.lexicon)
        if begins or otherwise:
            joint = "" if words.endswith((":", ".", ";", ",")) else "." if otherwise else ";"
            return f"{words}{joint} {end}"
    is_wrapped = SHORTEST_WRAPPED <= len(words) <= 2 * parsed_mail.LONGEST_LINE
    if line.kind is LineKind.CHAT:
        fills = len(above) <= WIDEST and _would_overflow(above, end)
        is_wrapped = words.endswith(":") or (is_wrapped and fills)
    elif is_wrapped and line.is_command:
        is_wrapped = not classify(end, context).is_harmless
    return f"{words} {end}" if is_wrapped and not begins else None


SHORTEST_WRAPPED = 45  # characters; programs wrap near 72, or before a last long word
NARROWEST, WIDEST = 70, 80
"""Range of widths, in characters, at which programs wrap lines of chat."""


def _would_overflow(line: str, following: str) -> bool:
    return len(line) + 1 + len(following.partition(" ")[0]) >= NARROWEST


def _is_signed(line: ReadLine, context: RemarkContext) -> bool:
    if is_courteous(line.words, context.people, greets=False):
        return True
    if line.kind is LineKind.CHAT:
        return False
    if line.answer:
        return f"{line.answer}." in context.people  # an initial, unless a name stands below
    return _is_name(line, context)


def _is_name(line: ReadLine, context: RemarkContext) -> bool:
    is_command = line.answer or begins_a_command(line.words, context.lexicon.orders)
    return not is_command and is_signature(line.words, context)


def _is_farewell(block: Sequence[ReadLine], context: RemarkContext) -> bool:
    is_meant = any(line.is_meant_for_game for line in block)
    return not is_meant and is_farewell([line.words for line in block], context)


PICTURE_PLACEHOLDER = re.compile(r"\[(?:image|cid|inline image) ?:[^\]]*\]")


def check_run_on(lines: Sequence[ReadLine]) -> str | None:
    """Return a warning if an order below a chat line may be the wrapped end of the chat; else None."""
    chatting = False
    for above, line in pairwise(lines):
        chats = above.kind is LineKind.CHAT
        chatting = chats or (chatting and bool(above.words) and not above.is_command)
        order = chatting and line.is_command and line.kind is not LineKind.CHAT
        if order and len(above.words) <= WIDEST and _would_overflow(above.words, line.words):
            return gettext(
                "It is not certain whether “%(line)s” is the end of the message above it: leave an empty "
                "line between them.",
                line=line.words[:60],
            )
    return None


SHORTEST_COPIED = 20
LONE_SIGN = re.compile(r"[\s?!./()]*(?:[?/]|\.\s*\.)[\s?!./()]*")
ARROW = re.compile(r"[-=]*>|\u2192")
WORDS = re.compile(r"[^\W_]+")


def _is_lone_sign(line: str) -> bool:
    return LONE_SIGN.fullmatch(line) is not None or bool(HESITATION.search(line) and not WORDS.search(line))


def _find_lines_below(quoted: Sequence[MarkedLine]) -> Iterator[str]:
    """Yield the lines below a signature mark, and those between and below lines with `>`."""
    for line, mark in quoted:
        if mark is Mark.UNMARKED or (mark is Mark.CLOSING and _is_heading(line)):
            return
        if mark in (None, Mark.CLOSING) and (WORDS.search(line) or _is_lone_sign(line)):
            yield line


MOST_ROW_WORDS = 5


def _is_heading(line: str) -> bool:
    """True for a row of dashes around words such as "Original Message", but not for "--or--"."""
    words = WORDS.findall(line) if quotations.DASH_ROW.match(line) else []
    return bool(words) and not (len(words) <= MOST_ROW_WORDS and says_more(line))


STRANGE = gettext_noop("This mail is built in a way that cannot be read here.")
NEEDS_HTML = re.compile(r"\bHTML\b", re.IGNORECASE)
"""Matches a line of a text part that a mail program writes for readers without HTML."""
DOUBT = gettext_noop("What stands beside the orders could change them: “%(line)s”.")
NOTHING_FOUND = gettext_noop(
    "Nothing was found that stands above the mail it answers. The subject of a mail is not read."
)
LONGEST_DOUBT = 80


def read_reply(
    mail: Mail, grammar: Grammar, sent_text: str | None = None, names: Collection[str] = ()
) -> Message:
    """Read the reply in a mail; never raises, and takes a bounded time for any mail.

    `sent_text`: the stored plain text of the answered letter, without tokens, if known. `names`: the players'
    names, which may stand alone below a reply or in a greeting.
    """
    if mail.body.strange:
        return Message((), reason=gettext(STRANGE))
    if mail.body.encrypted:
        return Message((), reason=gettext("This mail is encrypted or packed: send it as plain text."))
    name, address = next(iter(mail.headers.people("from")), ("", ""))
    named = " ".join((*names, name, address.partition("@")[0])).casefold()
    initials = (f"{word[0]}." for word in re.findall(r"[^\W\d_]+", (name or address).casefold())[:1])
    context = replace(grammar.remark_context, people=frozenset((*re.findall(r"\w+", named), *initials)))
    text, differs = _choose_part(mail, grammar, context)
    own, quoted = text.own, text.quoted
    message = extract_commands(own, grammar, context)
    if not message.found:  # the commands may be between and below quoted lines
        own, quoted = quotations.split_below(quoted)
        message = extract_commands(own, grammar, context)
    if not message.found:
        return message
    is_incomplete = mail.body.cut or (text is mail.html and mail.body.damaged)
    cut = is_incomplete or (text.cut and (own is not text.own or not text.quoted))
    late = next((line for line in (*message.others, *message.signature) if line.is_command), None)
    reason = doubt = None
    if any(map(quotations.program_patterns().swallowed.search, message.chat)):
        reason = gettext("It is not certain where your words end and the quoted mail begins.")
    elif late is not None:
        said = late.words[:60]
        reason = gettext("Only the first lines count, and “%(line)s” stands after other words.", line=said)
    elif differs:
        reason = gettext("The text and the HTML of your mail say different things.")
    elif (doubt := _find_doubt(message, own, quoted, sent_text or "", context)) is not None:
        reason = gettext(DOUBT, line=doubt[:LONGEST_DOUBT])
        doubt = doubt if doubt in (*message.lines, *message.rest) else None
    elif is_incomplete:
        reason = gettext("A part of the mail is missing: send it again.")
    elif cut:
        reason = gettext("The mail is too long.")
    else:
        reason = check_run_on([grammar.read_line(line) for line in own])
    return replace(message, reason=reason, doubt=doubt, cut=cut)


def _choose_part(mail: Mail, grammar: Grammar, context: RemarkContext) -> tuple[MailText, bool]:
    """Return the text of a mail, or its HTML if only this has commands; and whether both may differ."""
    if not (mail.body.text and mail.body.html):
        return mail.text, False
    plain, page = mail.text.own, mail.html.own
    if WORDS.findall(" ".join(plain)) == WORDS.findall(" ".join(page)):
        return mail.text, False
    read = [extract_commands(lines, grammar, context) for lines in (plain, page)]
    written, shown = (
        {" ".join(WORDS.findall(line.words)) for line in one.found if line.is_command} for one in read
    )
    if shown and plain and not read[0].is_meant_for_game:
        says = (line for line in plain if line and not NEEDS_HTML.search(line))
        return mail.html, not all(classify(line, context).is_harmless for line in says)
    return mail.text, bool(written) and not shown <= written


# --- doubts ---------------------------------------------------------------------------------------------


def _find_doubt(
    message: Message, own: Sequence[str], quoted: Sequence[MarkedLine], letter: str, context: RemarkContext
) -> str | None:
    """Return the first text beside the orders of a mail that may change them; None if there is none.

    `own`: the writer's lines above a quotation; `quoted`: the lines from the first sign of a quotation
    on; `letter`: the text of the letter that the mail answers.
    """
    acting = REQUESTS_THAT_ACT | REQUESTS_TO_ALL
    commands = (line for line in message.found if line.is_command)
    said = [line for line in commands if line.request is None or line.request.kind in acting]
    if not said:
        return None
    if all(line.kind is LineKind.CHAT for line in said):  # a mail with only chat has no orders
        context = replace(context, of_game=False)
    below = [*_find_lines_below(quoted)]
    parted = any(quotations.DASH_ROW.fullmatch(line) for line, _ in quoted)
    is_signed = any(line == quotations.SIGNATURE_MARK for line, _ in quoted)
    pieces = (piece.strip() for line in (*own, *below) for piece in line.split(";"))
    orders = (line.words for line in said if line.kind not in (LineKind.CHAT, LineKind.REQUEST))
    unsure = (
        # "STOP" below an empty line may end the turn, or the mails.
        *(line for above, line in pairwise(own) if not above and is_doubtful(normalise_line(line))),
        *(line for line in below if is_chat(line, context.lexicon) and not parted),
        *filter(_is_lone_sign, pieces),
        *(one for one in orders if TRAILING_DOTS.search(one) or HESITATION.search(ARROW.sub(" ", one))),
    )
    if unsure:
        return unsure[0]
    copied = " ".join(cap_lines(letter)[0])  # normalised like the lines of a mail
    beside = (line for line in message.found if line.kind is LineKind.REMARK)
    for lines, signed in (
        ([line.words for line in (*beside, *message.others)], False),
        ([line.words for line in message.signature], True),
        (below, is_signed),
    ):
        # Some programs quote without marks.
        written = (line for line in lines if len(line) < SHORTEST_COPIED or line not in copied)
        if (doubt := find_doubt(written, context, signed, parted and lines is below)) is not None:
            return doubt
    return None
