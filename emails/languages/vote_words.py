"""How players say yes or no to what is asked of all who play: the votes.toml of each language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.toml_tables import Phrases, read_fields, read_file


@dataclass(frozen=True, slots=True, eq=False)
class VoteWords:
    """The words of answers to votes in one language, or in several together."""

    agree: Phrases
    agree_aside: Phrases
    """What may stand beside a yes or a no, and says what it is to."""
    decline: Phrases
    depends: Phrases
    """What makes a yes or a no depend on something."""
    doubt: Phrases
    """What beside a yes leaves it uncertain."""


@cache
def read_vote_words(folder: Path) -> VoteWords:
    """The words of answers to votes of the language of a folder. Raises `InvalidLanguage`."""
    file = read_file(folder / "votes.toml")
    file.check_keys(frozenset(("votes",)))
    return read_fields(VoteWords, file.table("votes"))
