"""Contexts of letters: the values from which letters are rendered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from itertools import accumulate

from emails.i18n import gettext, ngettext
from emails.names import SeatNames
from emails.picture.palette import clean_name
from emails.terms import AbsenceRule, TurnTime
from emails.tokens import LinkBuilder
from emails.wording import phrases
from emails.wording.deadlines import ReserveLeft, TurnOutlook
from emails.wording.plan_text import PlanContext
from emails.wording.requests import RequestKind
from engine.board import Board
from engine.bots.advice import Suggestion
from engine.bots.strengths import PROFILES
from engine.editions import Edition
from engine.position import Table, View, VisibleEvent


@dataclass(frozen=True, slots=True)
class UnreadChat:
    writer: str
    """Name of another player; empty for a message of the server, written in the reader's language."""
    words: str
    private: bool


@dataclass(frozen=True, slots=True)
class GameLetterContext:
    """The values from which a letter about a running or finished game is rendered."""

    game: str
    name: str
    view: View
    """The view of a player, never of a spectator."""
    since: tuple[VisibleEvent, ...]
    """Events since the reader's last turn."""
    before: Table | None
    """Public part of the position before the events in `since`; None: no changes are shown."""
    after: int  # number of the last entry of the game's log before the shown position
    deadline: datetime | None
    """Deadline of the current turn, with time zone; None without a limit, or while the clock is stopped."""
    turn_time: TurnTime
    links: LinkBuilder
    turn_since: datetime | None = None
    pause_ends: datetime | None = None
    stands_still: bool = False
    """True during a downtime, when all clocks stand still because incoming mail cannot be read."""
    reserve: ReserveLeft | None = None
    """The time reserve of the player to move; None without a reserve, or while the clock is stopped."""
    messages: tuple[UnreadChat, ...] = ()
    letter: int = 0  # number in the outbox; 0: not in the outbox
    bots: tuple[str, ...] = ()
    now: datetime | None = None
    """Time at which the letter is rendered, with time zone; None if the letter states no remaining time."""
    answered: str = ""  # subject of the letter that the player replied to; empty if there is none
    changed: bool = True
    """True if the position has changed since the last letter to the reader."""
    suggestions: tuple[Suggestion, ...] = ()
    """Suggested turns, the best first; empty if the reader gets no advice."""
    absence: str = ""
    """A sentence on the absence of the player to move; empty if that player is present or is the reader."""
    draft: tuple[str, ...] = ()
    plan: PlanContext | None = None
    shown: frozenset[RequestKind] = frozenset()
    """Requested parts beyond the usual ones, such as the whole position or all choices."""
    everything: bool = False
    one_conversation: bool = False
    next_turn: TurnOutlook | None = None
    """Estimate of when the reader's next turn begins; None if the reader is not waiting for a turn."""
    holder: int | None = None  # byte in the unsubscribe link that differs for each player of the seat
    head: str = ""
    """Checksum of the game's log (the "head" of engine/seal.py); empty if the log has none."""
    when_late: AbsenceRule = AbsenceRule.ALWAYS
    can_return: bool = False
    resigned: frozenset[int] = frozenset()
    acted: tuple[VisibleEvent, ...] = ()  # events that the letter reports
    earlier_name: str = ""
    """The name of the previous player of the reader's seat; empty if there was none."""
    seat_names: tuple[SeatNames, ...] = ()
    """The players' names at each event of the game; empty if no seat has changed hands."""


@dataclass(frozen=True, slots=True)
class LetterSection:
    heading: str
    lines: tuple[str, ...]
    """Paragraphs of one or two sentences in plain text, not yet folded."""
    done: str = ""
    """What a performed request has changed, in words for the letter's subject; empty: nothing."""


@dataclass(frozen=True, slots=True)
class InvitationContext:
    game: str
    name: str
    players: tuple[str, ...]
    seat: int
    edition: Edition
    turn_time: TurnTime
    links: LinkBuilder
    letter: int = 0
    after: int = 0  # number of the log entry that gave the reader the seat; 0: the opening of the game
    asker: str = ""  # name of the inviting player; empty if no player invited the reader
    bots: int = 0
    board: Board | None = None
    free: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class UndoneLine:
    words: str
    reason: str
    """Why the line had no effect, as a sentence; empty if another line states the reason."""


LONGEST_CHAT = 600
MOST_CHAT_BYTES = 4000
"""Maximum size of all messages in a letter's HTML, in bytes; the newest messages are shown."""
PLAIN_NAME = r"(?!House\b)\w[\w' -]{0,23}"  # fits an example; bots, which read no chat, were named "House"


@dataclass(frozen=True, slots=True)
class ChatExcerpt:
    head: str
    """Writer and recipient of the message; empty for a message of the server."""
    words: str
    private: bool = False


def excerpt_chat(messages: Sequence[UnreadChat]) -> list[ChatExcerpt]:
    """Return the newest messages, oldest first. If some do not fit, the first excerpt states their number."""
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
    return len(escape(words).encode())


def fit_lines(lines: Sequence[str], room: int) -> tuple[list[str], int]:
    """Return the first lines that fit into `room` bytes, and their size in bytes."""
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
    """Return the writers' names, each once, in the order of their first messages."""
    return [phrases.safe_name(name) for name in dict.fromkeys(one.writer for one in messages) if name]


def example_recipient(view: View, messages: Sequence[UnreadChat]) -> str:
    """Return another player's name for an example of a private message; empty if no name is suitable."""
    table = view.table
    last = [message.writer for message in reversed(messages)]
    after = (view.me or 0) + 1
    others = [*last, *table.names[after:], *(table.names[: view.me] if view.me is not None else ())]
    plain = (name for name in others if re.fullmatch(PLAIN_NAME, name) and name not in PROFILES)
    return next((name for name in plain if phrases.safe_name(name) == name), "")
