"""Counts of the mails that cannot be read whole: by what they seem to be, and by what was chosen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlmodel import Session, select

from emails.letters.kinds import LetterKind
from server.outbox.letter_details import RefusedDetail, decode_content
from server.outbox.sent_letters import read_sent_letter
from server.store.models import OutgoingLetter


@dataclass(frozen=True, slots=True)
class UnclearMailCount:
    """How many mails of a kind there were, and what came of them."""

    kind: str
    mails: int
    asked: int
    """To how many of them turns were proposed."""
    chosen: tuple[tuple[str, int], ...]
    """How often each number was chosen."""


def count_unclear_mails(session: Session) -> list[UnclearMailCount]:
    """The counts of the letters that are kept, the most frequent kind first."""
    rows = session.exec(select(OutgoingLetter.detail).where(OutgoingLetter.kind == LetterKind.REFUSED))
    letters = [(decode_content(LetterKind.REFUSED, row), read_sent_letter(row).chosen) for row in rows]
    refused = [(content, chosen) for content, chosen in letters if isinstance(content, RefusedDetail)]
    kinds = Counter(content.understood for content, _ in refused if content.understood)
    found: list[UnclearMailCount] = []
    for kind, mails in kinds.most_common():
        same = [one for one in refused if one[0].understood == kind]
        chosen = Counter(number for _, number in same if number)
        asked = sum(content.proposed for content, _ in same)
        found.append(UnclearMailCount(kind, mails, asked, tuple(sorted(chosen.items()))))
    return found
