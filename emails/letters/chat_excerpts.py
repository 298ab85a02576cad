"""What other players wrote, as a letter shows it, and to whom its reader may answer.

A message is one line here, whatever its writer sent, and a letter holds no more of them than leave room for
the game.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from emails.i18n import gettext, ngettext
from emails.letters.contexts import UnreadChat
from emails.picture.palette import clean_name
from emails.wording import phrases
from engine.bots.characters import CHARACTERS
from engine.position import View

LONGEST_CHAT = 600
"""Characters of one message."""
MOST_CHAT_BYTES = 4000
"""Bytes of all of them in one letter, as its HTML has them; of more the newest are shown."""
PLAIN_NAME = r"(?!House\b)\w[\w' -]{0,23}"
"""A name that may be shown in an example; not that of an old bot, which reads no chat."""


@dataclass(frozen=True, slots=True)
class ChatExcerpt:
    """A message as it is printed."""

    head: str
    """Who writes to whom, before what they wrote; empty where `words` are a sentence of the server's."""
    words: str
    private: bool = False
    """Whether it is for the reader alone."""


def excerpt_chat(messages: Sequence[UnreadChat]) -> list[ChatExcerpt]:
    """The newest messages, the oldest of them first, and before them how many are left out."""
    found: list[ChatExcerpt] = []
    room = MOST_CHAT_BYTES
    for message in reversed(messages):
        made = _excerpt(message)
        room -= html_size(made.words)
        if room < 0:
            left = len(messages) - len(found)
            sentence = ngettext(
                "%(number)s older message stands on the page of the game.",
                "%(number)s older messages stand on the page of the game.",
                left,
            )
            found.append(ChatExcerpt("", sentence))
            break
        found.append(made)
    return found[::-1]


def html_size(words: str) -> int:
    """Bytes of words in the HTML of a letter."""
    return len(escape(words).encode())


def fit_lines(lines: Sequence[str], room: int) -> tuple[list[str], int]:
    """The first of the reader's own lines that fit into `room` bytes, and the bytes they take."""
    taken = list(accumulate(html_size(line) for line in lines))
    shown = sum(end <= room for end in taken)
    if shown == len(lines):
        return list(lines), taken[-1] if taken else 0
    left = ngettext("… and %(number)s more line.", "… and %(number)s more lines.", len(lines) - shown)
    return [*lines[:shown], left], room


def _excerpt(message: UnreadChat) -> ChatExcerpt:
    words = clean_name(message.words, LONGEST_CHAT) or "…"
    if not message.writer:
        return ChatExcerpt("", words)
    name = phrases.safe_name(message.writer)
    if message.private:
        return ChatExcerpt(gettext("%(name)s writes to you alone:", name=name), words, private=True)
    return ChatExcerpt(gettext("%(name)s writes:", name=name), words)


def chat_writers(messages: Sequence[UnreadChat]) -> list[str]:
    """Who wrote, each once, in the order of their first messages."""
    return [phrases.safe_name(name) for name in dict.fromkeys(one.writer for one in messages) if name]


def example_recipient(view: View, messages: Sequence[UnreadChat]) -> str:
    """Another player, for an example of how to write to one alone: who wrote last, else the next in turn.

    Empty where no name is short and plain enough to be one.
    """
    table = view.table
    last = [message.writer for message in reversed(messages)]
    after = (view.me or 0) + 1
    others = [*last, *table.names[after:], *(table.names[: view.me] if view.me is not None else ())]
    plain = (name for name in others if re.fullmatch(PLAIN_NAME, name) and name not in CHARACTERS)
    return next((name for name in plain if phrases.safe_name(name) == name), "")
