"""Which of the letters that wait for one seat of a game is sent, and which of the others it tells.

Every letter shows the game as it is when it leaves, so that no letter is needed for what a later one has
told. An answer to a mail shows all that a letter of a turn shows, and the letter of the end all that an
answer shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emails.letters.kinds import LetterKind
from server.outbox.letter_details import AnswerDetail, LetterContent
from server.outbox.letter_traits import KINDS_TOLD_IN_ANSWERS, TRAITS, is_held_back
from server.store.models import OutgoingLetter


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A row of the outbox that is to be sent, and what it says."""

    row: OutgoingLetter
    content: LetterContent

    @property
    def is_held_back(self) -> bool:
        """Whether it waits for the hour of its reader."""
        return is_held_back(self.content, self.row.seat)

    @property
    def rank(self) -> tuple[int, bool, int]:
        """How much it tells; of those alike the one that does not wait, then the last."""
        return TRAITS[self.row.kind].rank, not self.is_held_back, self.row.id or 0

    @property
    def is_needless(self) -> bool:
        """Whether it answers a mail and only says that all was done."""
        return isinstance(self.content, AnswerDetail) and self.content.is_needless


def choose_leading_letter(due: Sequence[WaitingLetter]) -> WaitingLetter:
    """Which of the letters that are due to a seat is sent first. The others go, unless it tells them.

    An answer goes first. At the end of a game its letter is the answer to the last mail, where that leaves
    nothing to be said about the mail itself.
    """
    answers = [one for one in due if one.row.kind == LetterKind.ANSWER]
    if not answers:
        return max(due, key=lambda one: one.rank)
    ranked = max((one for one in due if one not in answers), key=lambda one: one.rank, default=None)
    if ranked is None or ranked.row.kind != LetterKind.GAME_OVER or not answers[-1].is_needless:
        return answers[0]
    ranked.row.answers = answers[-1].row.answers
    return ranked


def covers(letter: WaitingLetter, other: WaitingLetter) -> bool:
    """Whether what another letter to the same seat would tell stands in this one."""
    if other.row is letter.row:
        return False
    if letter.row.kind == LetterKind.ANSWER:
        return other.row.kind in KINDS_TOLD_IN_ANSWERS
    return TRAITS[other.row.kind].rank > 0 or (letter.row.answers == other.row.answers and other.is_needless)
