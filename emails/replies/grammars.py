"""Grammars of the lines of a mail, which depend on the letter that it answers; a line of a plan."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from emails.languages.lexicon import Lexicon, whole_lexicon
from emails.languages.vocabulary_files import Phrases, match_words
from emails.replies.dates.absences import DaysAsked, read_absence_line, read_days_answer
from emails.replies.dates.days import read_amount_line
from emails.replies.remarks.chat_lines import is_chat
from emails.replies.remarks.classification import agrees, says_no, says_yes
from emails.replies.remarks.remark_words import RemarkContext
from emails.replies.time_requests.zone_lines import read_zone_line
from emails.wording.requests import Request, RequestKind, parse_request
from engine.actions import Unreadable
from engine.board import Board
from engine.notation.lexer import ChoiceMeanings, looks_like_order, names_of
from engine.notation.orders import OrderLine
from engine.notation.parser import NO_CHOICES, parse_line
from engine.plans.syntax import PlanReader
from engine.plans.turn_plans import TurnPlan

LONGEST_TOLD = 400
"""Characters in which a plan is looked for that is told in other words."""


@dataclass(frozen=True, slots=True, eq=False)
class _PlanPatterns:
    """How the lines of a plan begin, in the words of a lexicon."""

    heading: re.Pattern[str]
    going_on: re.Pattern[str]
    """A line that begins another turn of the plan."""


@lru_cache(maxsize=64)
def _patterns_of(lexicon: Lexicon) -> _PlanPatterns:
    words = lexicon.plans
    begun = match_words(tuple(one for name in ("otherwise", "condition") for one in words.all_of(name)))
    heading = rf"(?:{match_words(words.all_of('heading'))})(?: ?:| ?,? (?:{begun})\b[^:]*:)"
    return _PlanPatterns(re.compile(heading, re.IGNORECASE), re.compile(rf"(?:{begun})\b", re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class PlanLine:
    """What somebody plans, read once; or why it cannot be read."""

    words: str
    """As it was written."""
    plan: TurnPlan | None = None
    refusal: Unreadable | None = None


def is_plan(line: str, lexicon: Lexicon) -> bool:
    """Whether a line begins a plan, readable or not."""
    return _patterns_of(lexicon).heading.match(line) is not None


def continues_plan(line: str, lexicon: Lexicon) -> bool:
    """Whether a line under a plan begins its next turn."""
    return _patterns_of(lexicon).going_on.match(line) is not None


def seems_plan(text: str, lexicon: Lexicon, *, waits: bool) -> bool:
    """Whether somebody seems to plan a turn in other words: they call it so, or a condition stands by orders.

    `waits`: whether they are not to move; what depends on something is planned then.
    """
    words = " ".join(re.findall(r"[\w']+", text[:LONGEST_TOLD].casefold()))
    orders = [one for one in words.split() if one in lexicon.orders.symbols or one in lexicon.orders.verbs]
    conditions = match_words((*lexicon.plans.all_of("condition"), *lexicon.topics.condition))
    heading = match_words(lexicon.plans.all_of("heading"))
    headed = re.match(rf"(?:{heading})\b", words) is not None
    return len(orders) > 1 and (headed or (waits and re.search(rf"\b(?:{conditions})\b", words) is not None))


def parse_plan_line(line: str, board: Board, lexicon: Lexicon) -> PlanLine:
    """What a line plans for which `is_plan` holds."""
    try:
        return PlanLine(line, PlanReader(board, lexicon.orders, lexicon.plans).read(line))
    except Unreadable as refusal:
        return PlanLine(line, refusal=refusal)


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of a mail, and what it is: at most one of these."""

    words: str
    is_command: bool
    """Whether it can be read."""
    chat: bool = False
    """Said to other players."""
    yes: bool = False
    request: Request | None = None
    plan: PlanLine | None = None
    order: OrderLine | None = None
    """Orders, or in a game whatever is nothing else."""
    begins_like_order: bool = False
    """Whether what cannot be read begins like orders."""

    def without_sentences(self) -> ReadLine:
        """The same line where nobody tells orders in sentences."""
        if self.order is None or not self.is_told:
            return self
        return replace(self, is_command=False, order=self.order.without_sentences())

    @property
    def is_told(self) -> bool:
        """Whether it tells orders in sentences."""
        return self.order is not None and self.order.is_told

    @property
    def letter(self) -> str:
        """The letter of a choice that it is, if it is one."""
        return "" if self.order is None else self.order.answer

    @property
    def is_empty_chat(self) -> bool:
        """Whether it says to whom something is said, and not yet what."""
        return self.chat and self.words.endswith(":")

    @property
    def is_meant_for_game(self) -> bool:
        """Whether it can be read, or begins like orders, or is misspelt."""
        if self.is_command or self.begins_like_order:
            return True
        refusal = None if self.order is None else self.order.refusal
        return isinstance(refusal, Unreadable) and bool(refusal.did_you_mean)


class Grammar(ABC):
    """Reads the lines of a mail; what is said to other players is the same in all grammars."""

    __slots__ = ()

    @property
    @abstractmethod
    def lexicon(self) -> Lexicon:
        """The words in which it reads."""

    @property
    def remark_context(self) -> RemarkContext:
        """Where what stands beside the lines of this grammar is judged; nobody is named yet."""
        return RemarkContext(of_game=False, lexicon=self.lexicon)

    @property
    def has_numbered_choices(self) -> bool:
        """Whether a number alone may be an answer."""
        return False

    def read_lines(self, lines: Iterable[str]) -> tuple[ReadLine, ...]:
        """What each line is."""
        return tuple(map(self.read_line, lines))

    def read_line(self, line: str) -> ReadLine:
        """What a line is; what is said to other players is nothing else."""
        if is_chat(line, self.lexicon):
            return ReadLine(line, True, chat=True)
        found = self._read_own_line(line)
        like_order = (not found.is_command or found.is_told) and looks_like_order(line, self.lexicon.orders)
        return replace(found, begins_like_order=True) if like_order else found

    def is_command(self, line: str) -> bool:
        """Whether a line can be read."""
        return self.read_line(line).is_command

    @abstractmethod
    def _read_own_line(self, line: str) -> ReadLine:
        """What a line is that is not said to other players."""


@dataclass(frozen=True, slots=True)
class GameGrammar(Grammar):
    """The grammar of mails to a game that is being played: orders, and what a player can ask to be shown."""

    board: Board
    choices: ChoiceMeanings = field(default_factory=lambda: NO_CHOICES)
    """What each letter or number stands for in the letter that is answered."""
    lexicon: Lexicon = field(default_factory=whole_lexicon)

    @property
    def remark_context(self) -> RemarkContext:
        """Beside orders the names of places are doubtful."""
        places = names_of(self.board, self.lexicon.orders).places
        return RemarkContext(places=places.keys(), lexicon=self.lexicon)

    @property
    def has_numbered_choices(self) -> bool:
        """As in the letters that ask a question."""
        return any(map(str.isdigit, self.choices))

    def _read_own_line(self, line: str) -> ReadLine:
        """A line as a plan, as a request, or as orders."""
        if is_plan(line, self.lexicon):
            return ReadLine(line, True, plan=parse_plan_line(line, self.board, self.lexicon))
        request = parse_request(line, self.lexicon) or _read_longer_request(line, self.lexicon)
        if request is not None:
            return ReadLine(line, True, request=request)
        order = parse_line(line, self.board, self.choices, self.lexicon.orders)
        return ReadLine(line, order.refusal is None, order=order)


def _read_longer_request(line: str, lexicon: Lexicon) -> Request | None:
    """What a line asks for with a time behind it: more of it, a pause, a zone, days away."""
    if (asked := read_amount_line(line, lexicon)) is not None:
        return asked
    if (zone := read_zone_line(line, lexicon)) is not None:
        return zone
    days = read_absence_line(line, lexicon)
    return None if days is None else Request(RequestKind.AWAY, days)


@dataclass(frozen=True, slots=True)
class YesGrammar(Grammar):
    """The grammar of mails that answer a question with yes."""

    phrases: Phrases
    """What says so to this question, beside what says so to all."""
    lexicon: Lexicon
    of_orders: bool = False
    """Whether orders are played by it."""
    invited: bool = False
    """Whether more may stand behind the yes, where it does not change it."""

    @property
    def remark_context(self) -> RemarkContext:
        """As beside the orders that are asked about."""
        return RemarkContext(of_game=self.of_orders, lexicon=self.lexicon)

    def says_yes(self, line: str) -> bool:
        """Whether a line says yes, and nothing that could change it."""
        yes = says_yes(line, self.lexicon, self.phrases)
        return yes or (self.invited and agrees(line, self.lexicon, self.phrases))

    def _read_own_line(self, line: str) -> ReadLine:
        """A line as a yes, or as nothing."""
        yes = self.says_yes(line)
        return ReadLine(line, yes, yes=yes)


@dataclass(frozen=True, slots=True)
class NoGrammar(Grammar):
    """The grammar of mails that decline: what says no is their yes, and what says yes is read too."""

    asked: YesGrammar

    @property
    def lexicon(self) -> Lexicon:
        """The words in which it reads."""
        return self.asked.lexicon

    def _read_own_line(self, line: str) -> ReadLine:
        """A line as a no, as its opposite, or as nothing."""
        no = says_no(line, self.lexicon)
        return ReadLine(line, no or self.asked.says_yes(line), yes=no)


def build_invitation_grammar(lexicon: Lexicon) -> YesGrammar:
    """The grammar of answers to an invitation."""
    return YesGrammar(lexicon.answers.invitation, lexicon, invited=True)


def build_declining_grammar(lexicon: Lexicon) -> NoGrammar:
    """The grammar of answers that decline one."""
    return NoGrammar(build_invitation_grammar(lexicon))


def build_confirmation_grammar(lexicon: Lexicon) -> YesGrammar:
    """The grammar of answers from an address that is to be confirmed."""
    return YesGrammar(lexicon.answers.address, lexicon)


def build_agreement_grammar(lexicon: Lexicon) -> YesGrammar:
    """The grammar of answers to a letter that asks whether a mail is meant."""
    return YesGrammar(("1", *lexicon.answers.doing), lexicon, of_orders=True)


def build_proposal_grammar(lexicon: Lexicon) -> YesGrammar:
    """The grammar of answers to what was understood of a mail that asks for a game."""
    return YesGrammar(lexicon.answers.proposal, lexicon)


@dataclass(frozen=True, slots=True)
class DaysGrammar(Grammar):
    """The grammar of mails that answer when somebody is away: a line that tells days does."""

    asked: DaysAsked
    today: date
    lexicon: Lexicon

    @property
    def remark_context(self) -> RemarkContext:
        """As beside orders: whatever may change the day is doubtful."""
        return RemarkContext(lexicon=self.lexicon)

    def _read_own_line(self, line: str) -> ReadLine:
        """A line as days, or as nothing."""
        told = read_days_answer(line, self.lexicon, self.asked, self.today) is not None
        return ReadLine(line, told, yes=told)
