"""The line to the guests in a mail that asks for a game: a mail program may have broken it into several."""

from __future__ import annotations

import re
from collections.abc import Iterable

from emails.letters.lobby_letters import LONGEST_READ, tidy_note
from emails.replies.request_words import patterns

BEGINS_ANEW = re.compile(r"\W|[^\W\d_]+(?: [^\W\d_]+){0,3} ?[:=]|\S+@")
"""How a line begins that does not go on with the one before it: an item, a name of something, an address."""
SHORTEST_WRAPPED = 55
"""Characters from which on a mail program may have broken a line."""


def read_note(line: str) -> str | None:
    """What a line says to the guests, empty where it takes that back; None where it is no such line."""
    found = patterns().guest_note.match(line)
    if found is None:
        return None
    words = tidy_note(found["words"]).strip('"“”')
    return "" if words == "-" or words.casefold() in patterns().words.none else words


def join_wrapped_notes(lines: Iterable[str]) -> list[str]:
    """The lines of a mail, each note in one piece that a mail program has broken into several."""
    found: list[str] = []
    last = 0
    for line in lines:
        wrapped = bool(found) and patterns().guest_note.match(found[-1]) and last >= SHORTEST_WRAPPED
        if wrapped and not BEGINS_ANEW.match(line) and len(found[-1]) < LONGEST_READ:
            found[-1] += " " + line
        else:
            found.append(line)
        last = len(line)
    return found
