"""The names of people in a mail that asks for a game: what of a line is one, and as one may show it."""

from __future__ import annotations

import re

from emails.letters.lobby_letters import LONGEST_NAME
from emails.names import holds_link
from emails.picture import palette
from emails.replies import request_words


def tidy_name(name: str) -> str:
    """A name as one may show it, without the signs around it; empty where nothing is left, or a link."""
    name = palette.clean_name(name, 200).strip(" \"'“”*_-=.,:()[]<>•·|")
    return "" if holds_link(name) else palette.clean_name(name, LONGEST_NAME)


def split_name(ahead: str, angled: bool) -> tuple[str, str]:
    """The name at the end of some words, before an address, and the words that are none of it."""
    ahead = re.sub(r"[:=\s]+(?=[<(\[\s]*$)", " ", ahead)  # "Ben: ben@example.org"
    cut = max(ahead.rfind(sign) for sign in ",;:") + 1
    words = ahead[cut:].split()
    at = len(words)
    while at and is_name_word(words[at - 1]):
        at -= 1
    if house := request_words.patterns().house.before_name.match(" ".join(words[at:])):
        at += len(house[0].split())
    name = re.sub(r"^[\W\d_]+", "", tidy_name(" ".join(words[at:])))
    capital = any(word[:1].isupper() for word in name.split())
    if not name or len(words) - at > 6 or not (angled or capital or " " not in name):
        return "", ahead
    return name, ahead[:cut] + " ".join(words[:at])


def is_name_word(word: str) -> bool:
    """Whether a word may be one of a name."""
    plain = word.strip("\"'“”*_-.()<>[]").casefold()
    if plain in request_words.patterns().words.names and word[:1].isupper():
        return True
    ends = word.endswith((".", "!", "?")) and len(plain) > 2
    if not plain or plain in request_words.PARTICLES:
        return True
    removing = plain in request_words.patterns().words.removing
    return not removing and not request_words.is_filler(plain) and not ends
