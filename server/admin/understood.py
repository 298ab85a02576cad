"""Counts of the mails that cannot be read whole: by what they seem to be, and by what was chosen."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from sqlmodel import Session, select

from emails.letters.kinds import LetterKind
from server.store.models import OutgoingLetter


@dataclass(frozen=True, slots=True)
class UnderstoodCount:
    """How many mails of a kind there were, and what came of them."""

    kind: str
    mails: int
    asked: int
    """To how many of them turns were proposed."""
    chosen: tuple[tuple[str, int], ...]
    """How often each number was chosen."""


def count_understood(session: Session) -> list[UnderstoodCount]:
    """The counts of the letters that are kept, the most frequent kind first."""
    rows = session.exec(select(OutgoingLetter.detail).where(OutgoingLetter.kind == LetterKind.REFUSED))
    details = [json.loads(row) for row in rows]
    kinds = Counter(str(one["understood"]) for one in details if one.get("understood"))
    found: list[UnderstoodCount] = []
    for kind, mails in kinds.most_common():
        same = [one for one in details if one.get("understood") == kind]
        chosen = Counter(str(one["chosen"]) for one in same if one.get("chosen"))
        asked = sum(one.get("proposed") is True for one in same)
        found.append(UnderstoodCount(kind, mails, asked, tuple(sorted(chosen.items()))))
    return found
