"""What the lines of a mail can be read as, which depends on the letter that it answers; each is read once."""

from __future__ import annotations

from dataclasses import dataclass, field

from emails.replies.affirmations import says_yes
from emails.replies.chat_lines import is_chat
from emails.replies.request_words import GO_AHEAD_PHRASES
from emails.wording.requests import Request, parse_request
from engine.actions import Unreadable
from engine.board import Board
from engine.notation.lexer import NumberMeanings, looks_like_order
from engine.notation.orders import OrderLine
from engine.notation.parser import NO_NUMBERS, parse_line


@dataclass(frozen=True, slots=True)
class GameGrammar:
    """Of mails to a game that is being played: orders, and what a player can ask to be shown."""

    board: Board
    numbers: NumberMeanings = field(default_factory=lambda: NO_NUMBERS)
    """What each number stands for in the letter that is answered."""

    def read_line(self, line: str) -> ReadLine:
        """A line as orders or as a request."""
        request = parse_request(line)
        if request is not None:
            return ReadLine(line, request=request)
        return ReadLine(line, order=parse_line(line, self.board, self.numbers))


@dataclass(frozen=True, slots=True)
class YesGrammar:
    """Of mails that answer a question with yes."""

    phrases: frozenset[str]
    """What says so to this question, beside what says so to all."""

    def says_yes(self, line: str) -> bool:
        """Whether a line says yes and nothing else."""
        return says_yes(line, self.phrases)

    def read_line(self, line: str) -> ReadLine:
        """A line as a yes, or as nothing."""
        return ReadLine(line, yes=self.says_yes(line))


Grammar = GameGrammar | YesGrammar

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
ADDRESS = YesGrammar(
    frozenset(("it is mine", "yes it is mine", "ja dat klopt", "dat klopt", "klopt", "ja dat is van mij"))
)
"""Answers from an address that is to be confirmed."""
PROPOSAL = YesGrammar(GO_AHEAD_PHRASES)
"""Answers to what was understood of a mail that asks for a game."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of a mail, and what it is: at most one of these."""

    words: str
    chat: bool = False
    """Said to other players."""
    yes: bool = False
    request: Request | None = None
    order: OrderLine | None = None
    """Orders, or in a game whatever is nothing else."""

    @property
    def is_command(self) -> bool:
        """Whether it can be read."""
        readable = self.order is not None and self.order.refusal is None
        return readable or self.chat or self.yes or self.request is not None

    @property
    def is_meant_for_game(self) -> bool:
        """Whether it can be read, or begins like orders, or is misspelt."""
        if self.is_command or looks_like_order(self.words):
            return True
        refusal = None if self.order is None else self.order.refusal
        return isinstance(refusal, Unreadable) and bool(refusal.did_you_mean)


class LineReader:
    """Reads the lines of one mail, each of them once however often it is asked about."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._read: dict[str, ReadLine] = {}

    def read_line(self, line: str) -> ReadLine:
        """What a line is; what is said to other players is nothing else."""
        found = self._read.get(line)
        if found is None:
            found = ReadLine(line, chat=True) if is_chat(line) else self._grammar.read_line(line)
            self._read[line] = found
        return found

    def is_command(self, line: str) -> bool:
        """Whether a line can be read."""
        return self.read_line(line).is_command
