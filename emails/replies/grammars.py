"""Grammars for the lines of a mail: chat, requests, plans, orders, yes or no, and days."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from emails.languages.lexicon import Lexicon, whole_lexicon
from emails.languages.supported_languages import Phrases, match_words
from emails.names import fold_accents, plain_name
from emails.replies.remarks import RemarkContext, goes_on, says_yes, split_sentences
from emails.replies.time_requests.absences import read_absence_line, read_days_answer
from emails.replies.time_requests.days import read_amount_line, read_zone_line
from emails.terms import ExpectedDays
from emails.wording.requests import Request, RequestKind, parse_request
from engine.actions import Unreadable
from engine.board import Board
from engine.notation.orders import OrderLine
from engine.notation.parser import NO_CHOICES, ChoiceMeanings, looks_like_order, parse_line
from engine.notation.vocabulary import names_of
from engine.plans import PlanReader, TurnPlan


class _LinePatterns(NamedTuple):
    chat: re.Pattern[str]
    chat_verb: re.Pattern[str]
    chat_without_colon: re.Pattern[str]
    to: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _LinePatterns:
    say, verbs = match_words(lexicon.chat["say"]), match_words(lexicon.chat["say"] | lexicon.chat["tell"])
    patterns = (
        rf"(?:(?:{say}) ?:|(?:{verbs}) [^:]{{1,70}}:)",
        rf"(?:{verbs}) ?",
        rf"(?:{verbs})\b(?! *:)",
        rf"(?:{match_words(lexicon.chat['to'])}) ",
    )
    return _LinePatterns(*(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


@dataclass(frozen=True, slots=True)
class ChatLine:
    seat: int | None
    name: str
    """The recipient as written, if it is not the name of a player; else empty."""
    words: str


def is_chat(line: str, lexicon: Lexicon) -> bool:
    return _patterns_of(lexicon).chat.match(line) is not None


def is_chat_without_colon(line: str, lexicon: Lexicon) -> bool:
    return not is_chat(line, lexicon) and _patterns_of(lexicon).chat_without_colon.match(line) is not None


def parse_chat_line(line: str, names: Sequence[str], lexicon: Lexicon) -> ChatLine:
    """Parse a line for which `is_chat` holds; `names` are the names of the seats, in order."""
    patterns = _patterns_of(lexicon)
    rest = patterns.chat_verb.sub("", line, count=1)
    if rest.startswith(":"):
        return ChatLine(None, "", rest[1:].strip())
    for colon in reversed([*re.finditer(":", rest[:80])]):  # a name can contain a colon
        called = rest[: colon.start()].strip()
        seat = _find_seat(called, names, patterns.to)
        if seat is not None and (":" not in called or ":" in names[seat]):
            return ChatLine(seat, "", rest[colon.end() :].strip())
    name, _, words = (part.strip() for part in rest.partition(":"))
    name = patterns.to.sub("", name, count=1)
    return ChatLine(None, "" if name.casefold() in lexicon.chat["everybody"] else name, words)


def _find_seat(called: str, names: Sequence[str], to: re.Pattern[str]) -> int | None:
    for key in (str.casefold, _bare_name):
        for name in (called, to.sub("", called, count=1)):
            found = [seat for seat, one in enumerate(names) if key(one) == key(name)]
            if len(found) == 1:
                return found[0]
    return None


def _bare_name(name: str) -> str:
    """Reduce a name to words without accents and punctuation, so that "Jo, Anna" differs from "Joanna"."""
    return " ".join(re.findall(r"[^\W_]+", fold_accents(plain_name(name)))) or name.casefold()


def find_swallowed_order(line: str, board: Board, lexicon: Lexicon) -> str | None:
    """Return the first part of a chat line, after a `;`, that looks like a command; None if no part does."""
    names, orders = names_of(board, lexicon.orders), lexicon.orders
    for piece in map(str.strip, line.split(";")[1:]):
        plain = _SIGNS.sub("", piece)
        if is_chat(plain, lexicon):
            return piece
        said = parse_line(OrderLine, plain, board, NO_CHOICES, orders).orders
        verb, *words = re.findall(r"[^\W\d_]+[0-9]*", plain.casefold()) or ("",)
        named = [word for word in words if word not in orders.small][:MOST_WORDS_OF_A_VERB]
        known = any(word in names.places or word in names.points or word in orders.symbols for word in named)
        if any(one.verb for one in said) or (verb in orders.verbs and known):  # a symbol alone is no order
            return piece
    return None


MOST_WORDS_OF_A_VERB = 2
_SIGNS = re.compile(r"^(?:\[\d+\]|\W)+|\W+$")


def find_question(text: str, lexicon: Lexicon) -> Request | None:
    """Return what the first question or complaint of a text asks to see; None for other texts.

    A sentence that names a card is about a turn: "can I levy with a horse?".
    """
    for sentence in split_sentences(text):
        words = frozenset(sentence.words)
        if not words.isdisjoint(lexicon.orders.symbols) or len(words) > MOST_WORDS_OF_A_QUESTION:
            continue
        for pattern, about in lexicon.questions.items():
            if pattern <= words:
                return (
                    Request(RequestKind.RULES, about) if about[0].isdigit() else Request(RequestKind(about))
                )
    return None


MOST_WORDS_OF_A_QUESTION = 25
LONGEST_PLAN_TEXT = 400


def is_plan(line: str, lexicon: Lexicon) -> bool:
    return lexicon.plans.patterns.heading.match(line) is not None


def continues_plan(line: str, lexicon: Lexicon) -> bool:
    """True if a line begins with a condition, or with a word such as "otherwise"."""
    begun = lexicon.plans.patterns.begun, lexicon.plans.patterns.otherwise
    return any(one.match(line) for one in begun)


def seems_plan(text: str, lexicon: Lexicon, *, waits: bool) -> bool:
    """True if a text looks like a plan in free words: by its heading, or by a condition beside orders.

    `waits`: it is not the writer's turn; only then does a condition count.
    """
    words = " ".join(re.findall(r"[\w']+", text[:LONGEST_PLAN_TEXT].casefold()))
    orders = [one for one in words.split() if one in lexicon.orders.symbols or one in lexicon.orders.verbs]
    conditions = match_words((*lexicon.plans.condition, *lexicon.topics["condition"]))
    heading = match_words(lexicon.plans.heading)
    headed = re.match(rf"(?:{heading})\b", words) is not None
    if len(orders) < 2 or not any(one in lexicon.orders.symbols for one in orders):
        return False
    return headed or (waits and re.search(rf"\b(?:{conditions})\b", words) is not None)


class LineKind(Enum):
    """What a line is read as."""

    ORDERS = auto()  # in a game any line without another meaning, so the orders may be unreadable
    CHAT = auto()
    PLAN = auto()
    REQUEST = auto()
    YES = auto()
    NO = auto()
    REMARK = auto()  # words beside commands
    UNREAD = auto()  # no answer to the question


@dataclass(frozen=True, slots=True)
class ReadLine(OrderLine):
    """A line of a mail with its meaning."""

    kind: LineKind = LineKind.ORDERS
    request: Request | None = None
    plan: TurnPlan | None = None
    begins_like_order: bool = False

    @property
    def is_command(self) -> bool:
        return bool(self.orders) or self.kind not in NO_COMMANDS

    @property
    def is_meant_for_game(self) -> bool:
        return self.is_command or self.begins_like_order or bool(self.refusal and self.refusal.did_you_mean)


NO_COMMANDS = {LineKind.ORDERS, LineKind.REMARK, LineKind.UNREAD}


class Grammar(ABC):
    """Reads the lines of a mail; all grammars read chat alike."""

    __slots__ = ()
    lexicon: Lexicon

    @property
    def remark_context(self) -> RemarkContext:
        """Context for judging lines that are not commands; callers add the names of people."""
        return RemarkContext(lexicon=self.lexicon)

    def read_line(self, line: str) -> ReadLine:
        """Read one line; a line of chat is not read as anything else."""
        if is_chat(line, self.lexicon):
            return ReadLine(line, kind=LineKind.CHAT)
        found = self._read_own_line(line)
        like_order = not found.is_command and looks_like_order(line, self.lexicon.orders)
        return replace(found, begins_like_order=True) if like_order else found

    @abstractmethod
    def _read_own_line(self, line: str) -> ReadLine:
        """Read a line that is not chat."""


@dataclass(frozen=True, slots=True)
class GameGrammar(Grammar):
    board: Board
    choices: ChoiceMeanings = field(default_factory=lambda: NO_CHOICES)
    lexicon: Lexicon = field(default_factory=whole_lexicon)

    @property
    def remark_context(self) -> RemarkContext:
        places = names_of(self.board, self.lexicon.orders).places
        return RemarkContext(places=places.keys(), lexicon=self.lexicon)

    def _read_own_line(self, line: str) -> ReadLine:
        lexicon = self.lexicon
        if is_plan(line, lexicon):
            try:
                plan = PlanReader(self.board, lexicon.plans).read(line)
            except Unreadable as refusal:
                return ReadLine(line, refusal=refusal, kind=LineKind.PLAN)
            return ReadLine(line, kind=LineKind.PLAN, plan=plan)
        orders = parse_line(ReadLine, line, self.board, self.choices, lexicon.orders)
        if orders.refusal is None:
            return orders
        request = (
            parse_request(line, lexicon) or read_amount_line(line, lexicon) or read_zone_line(line, lexicon)
        )
        if request is None and (days := read_absence_line(line, lexicon)) is not None:
            request = Request(RequestKind.AWAY, days)
        if request is not None:
            return ReadLine(line, kind=LineKind.REQUEST, request=request)
        return orders


@dataclass(frozen=True, slots=True)
class YesGrammar(Grammar):
    phrases: Phrases
    """Phrases that mean yes to this question, in addition to those that mean yes to any question."""
    lexicon: Lexicon
    of_orders: bool = False
    invited: bool = False  # friendly words may follow the yes
    declining: bool = False
    """A no is a command too."""

    @property
    def remark_context(self) -> RemarkContext:
        return RemarkContext(of_game=self.of_orders, lexicon=self.lexicon)

    def says_yes(self, line: str) -> bool:
        answers = self.lexicon.answers
        if self.invited and goes_on(line, (*answers["yes"], *self.phrases), answers["agreeable"]):
            return True
        return says_yes(line, self.lexicon, self.phrases)

    def _read_own_line(self, line: str) -> ReadLine:
        answers = self.lexicon.answers
        if self.declining and goes_on(line, answers["no"], answers["excuses"]):
            return ReadLine(line, kind=LineKind.NO)
        return ReadLine(line, kind=LineKind.YES if self.says_yes(line) else LineKind.UNREAD)


def build_proposal_grammar() -> YesGrammar:
    known = whole_lexicon()
    return YesGrammar(known.answers["proposal"], known)


@dataclass(frozen=True, slots=True)
class DaysGrammar(Grammar):
    expected: ExpectedDays
    today: date
    lexicon: Lexicon

    def _read_own_line(self, line: str) -> ReadLine:
        days = read_days_answer(line, self.lexicon, self.expected, self.today)
        return ReadLine(line, kind=LineKind.UNREAD if days is None else LineKind.YES)
