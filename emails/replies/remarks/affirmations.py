"""The words by which people say yes or no: to an invitation, an address, a game, a question."""

from __future__ import annotations

from collections.abc import Collection

from emails.languages.lexicon import Lexicon

LONGEST_PHRASE = 8
"""Words of a phrase that says yes or no, or stands behind one."""


def says_no(line: str, lexicon: Lexicon) -> bool:
    """Whether a line says no, and then at most why or that somebody is sorry."""
    return "?" not in line and _goes_on(line, lexicon.answers.no, lexicon.answers.excuses)


def excuses(line: str, lexicon: Lexicon) -> bool:
    """Whether a line beside a no says why, or that somebody is sorry, and nothing else."""
    return "?" not in line and _goes_on(line, lexicon.answers.excuses, ())


def says_yes(line: str, lexicon: Lexicon, own: Collection[str] = ()) -> bool:
    """Whether a line says yes and nothing else. `own`: other words that say so to what was asked."""
    plain = normalise_line(line)
    return "?" not in line and (plain in lexicon.answers.yes or plain in own)


def agrees(line: str, lexicon: Lexicon, own: Collection[str]) -> bool:
    """Whether a line says yes to an invitation, and then at most what does not change it."""
    yes = (*lexicon.answers.yes, *own)
    return "?" not in line and _goes_on(line, yes, lexicon.answers.agreeable)


def _goes_on(line: str, first: Collection[str], others: Collection[str]) -> bool:
    """Whether a line is one of some phrases, and then any of these and of others."""
    words = normalise_line(line).split()
    at, known = 0, {*first}
    while at < len(words):
        ends = range(min(len(words), at + LONGEST_PHRASE), at, -1)
        end = next((end for end in ends if " ".join(words[at:end]) in known), 0)
        if not end:
            return False
        at, known = end, {*first, *others}
    return at > 0


def begins_with_yes(line: str, lexicon: Lexicon) -> bool:
    """Whether a line begins as one that says yes, whatever follows."""
    return normalise_line(line).partition(" ")[0] in lexicon.answers.leaning


def normalise_line(line: str) -> str:
    """A line in small letters, its signs left out."""
    return " ".join("".join(char if char.isalnum() else " " for char in line.casefold()).split())
