"""What the lines of a mail can be read as, which depends on the letter that it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from emails.replies.affirmations import says_no, says_yes
from emails.replies.chat_lines import is_chat
from emails.replies.request_words import GO_AHEAD_PHRASES
from emails.wording.requests import Request, parse_request
from engine.actions import Unreadable
from engine.board import Board
from engine.notation.lexer import NumberMeanings, looks_like_order
from engine.notation.orders import OrderLine
from engine.notation.parser import NO_NUMBERS, parse_line


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
    order: OrderLine | None = None
    """Orders, or in a game whatever is nothing else."""

    @property
    def is_empty_chat(self) -> bool:
        """Whether it says to whom something is said, and not yet what."""
        return self.chat and self.words.endswith(":")

    @property
    def is_meant_for_game(self) -> bool:
        """Whether it can be read, or begins like orders, or is misspelt."""
        if self.is_command or looks_like_order(self.words):
            return True
        refusal = None if self.order is None else self.order.refusal
        return isinstance(refusal, Unreadable) and bool(refusal.did_you_mean)


class Grammar(ABC):
    """Reads the lines of a mail; what is said to other players is the same in all grammars."""

    __slots__ = ()

    def read_lines(self, lines: Iterable[str]) -> tuple[ReadLine, ...]:
        """What each line is."""
        return tuple(map(self.read_line, lines))

    def read_line(self, line: str) -> ReadLine:
        """What a line is; what is said to other players is nothing else."""
        return ReadLine(line, True, chat=True) if is_chat(line) else self._read_own_line(line)

    def is_command(self, line: str) -> bool:
        """Whether a line can be read."""
        return self.read_line(line).is_command

    @abstractmethod
    def _read_own_line(self, line: str) -> ReadLine:
        """What a line is that is not said to other players."""


@dataclass(frozen=True, slots=True)
class GameGrammar(Grammar):
    """Of mails to a game that is being played: orders, and what a player can ask to be shown."""

    board: Board
    numbers: NumberMeanings = field(default_factory=lambda: NO_NUMBERS)
    """What each number stands for in the letter that is answered."""

    def _read_own_line(self, line: str) -> ReadLine:
        """A line as orders or as a request."""
        request = parse_request(line)
        if request is not None:
            return ReadLine(line, True, request=request)
        order = parse_line(line, self.board, self.numbers)
        return ReadLine(line, order.refusal is None, order=order)


@dataclass(frozen=True, slots=True)
class YesGrammar(Grammar):
    """Of mails that answer a question with yes."""

    phrases: frozenset[str]
    """What says so to this question, beside what says so to all."""

    def says_yes(self, line: str) -> bool:
        """Whether a line says yes and nothing else."""
        return says_yes(line, self.phrases)

    def _read_own_line(self, line: str) -> ReadLine:
        """A line as a yes, or as nothing."""
        yes = self.says_yes(line)
        return ReadLine(line, yes, yes=yes)


@dataclass(frozen=True, slots=True)
class NoGrammar(Grammar):
    """Of mails that decline what they are asked: their yes is a no, and a yes among them is read too."""

    asked: YesGrammar

    def _read_own_line(self, line: str) -> ReadLine:
        """A line as a no, as its opposite, or as nothing."""
        no = says_no(line)
        return ReadLine(line, no or self.asked.says_yes(line), yes=no)


INVITATION = YesGrammar(
    frozenset(
        " ".join(phrase.split())
        for phrase in """
        i ll play, yes i ll play, i will play, count me in, i am in, i m in,
        ik doe mee, ja ik doe mee, ik doe graag mee, ja ik doe graag mee, ik speel mee
        """.split(",")
    )
)
"""Answers to an invitation."""
DECLINED_INVITATION = NoGrammar(INVITATION)
"""Answers that decline one."""
ADDRESS = YesGrammar(
    frozenset(("it is mine", "yes it is mine", "ja dat klopt", "dat klopt", "klopt", "ja dat is van mij"))
)
"""Answers from an address that is to be confirmed."""
AGREEMENT = YesGrammar(frozenset())
"""Answers to a letter that asks whether a mail is meant."""
PROPOSAL = YesGrammar(GO_AHEAD_PHRASES)
"""Answers to what was understood of a mail that asks for a game."""
