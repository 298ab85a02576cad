"""Contexts of letters: the values from which each kind is rendered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from html import escape
from itertools import accumulate

from emails.i18n import gettext, ngettext
from emails.letters.kinds import SeatLoss, VacancyReason
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
    """A chat message that the reader has not been shown."""

    writer: str
    """Another player's name; empty for a message of the server, in the reader's language."""
    words: str
    private: bool
    """True if it is for the reader alone."""


@dataclass(frozen=True, slots=True)
class GameLetterContext:
    """The values from which a letter about a running or finished game is rendered."""

    game: str
    name: str
    view: View
    """A player's, never a spectator's."""
    since: tuple[VisibleEvent, ...]
    """Events since the reader last acted."""
    before: Table | None
    """The table at that moment."""
    after: int
    """The number of the act that led to this position."""
    deadline: datetime | None
    """When the time for this turn ends, with time zone; None: no limit."""
    turn_time: TurnTime
    links: LinkBuilder
    turn_since: datetime | None = None
    """When the current turn began, with time zone; None if unknown."""
    pause_ends: datetime | None = None
    """When a pause ends, with time zone; None if the game is not paused."""
    stands_still: bool = False
    """True during a downtime: no time runs because incoming mail cannot be read."""
    reserve: ReserveLeft | None = None
    """The reserve of the player to move; None without a reserve, or if no time runs."""
    messages: tuple[UnreadChat, ...] = ()
    """The oldest first."""
    letter: int = 0
    """The letter's number in the outbox, which its reply address carries; 0: none."""
    bots: tuple[str, ...] = ()
    """Bots by name, in the first letter to a reader."""
    now: datetime | None = None
    """When the letter is written, with time zone; None if it names no remaining time."""
    answered: str = ""
    """The subject of the letter to which the answered mail replied; empty if unknown."""
    changed: bool = True
    """True if the position has changed since the last letter to the reader."""
    suggestions: tuple[Suggestion, ...] = ()
    """Suggested turns, the best first; empty if the reader gets no advice."""
    absence: str = ""
    """A sentence that the player to move is away; empty if they are not, or are the reader."""
    draft: tuple[str, ...] = ()
    """Orders that the reader has drafted on the page."""
    plan: PlanContext | None = None
    """The reader's plan for their next turn."""
    shown: frozenset[RequestKind] = frozenset()
    """Parts of the game that the reader requested: the whole position, all choices."""
    everything: bool = False
    """True if the reader wants the whole position, all choices and the manual in each letter."""
    one_conversation: bool = False
    """True if the reader wants one subject for all letters of the game."""
    next_turn: TurnOutlook | None = None
    """When the reader's turn comes; None if they do not wait for it."""
    holder: int | None = None
    """The number of seat and player for the unsubscribe link; None: the seat's own number."""
    head: str = ""
    """The seal of the log's last line (engine/seal.py); empty if the game has none."""
    when_late: AbsenceRule = AbsenceRule.ALWAYS
    """What the caretaker does when the reader is late again."""
    can_return: bool = False
    """True if the reader has resigned and can come back."""
    seat_names: tuple[SeatNames, ...] = ()
    """The names at each event of the game; empty if no seat ever changed hands."""


@dataclass(frozen=True, slots=True)
class LetterSection:
    """A section about something that the reader requested by mail."""

    heading: str
    lines: tuple[str, ...]
    """Each one or two sentences of plain text; the letter folds them."""
    done: str = ""
    """What was done, as a clause without full stop; empty if it was only a question."""


@dataclass(frozen=True, slots=True)
class InvitationContext:
    """The values from which an invitation is rendered; there is no position yet."""

    game: str
    name: str
    players: tuple[str, ...]
    """All players, in the order in which they were named."""
    seat: int
    """The index of the reader among them."""
    edition: Edition
    turn_time: TurnTime
    links: LinkBuilder
    letter: int = 0
    """As in `GameLetterContext`."""
    after: int = 0
    """The number of the act that gave the reader their seat; 0: the opening of the game."""
    asker: str = ""
    """Who invites them; empty if the organiser does not play, or the reader joined themselves."""
    note: str = ""
    """A line from the organiser."""
    bots: int = 0
    """How many of the players are bots."""
    board: Board | None = None
    """For the picture; None: no picture."""
    free: frozenset[int] = frozenset()
    """Indices of open seats, with no player yet."""


@dataclass(frozen=True, slots=True)
class VacatedSeat:
    """A seat that is free again before the game begins."""

    name: str
    how: VacancyReason
    joined: bool


@dataclass(frozen=True, slots=True)
class ConfirmationContext:
    """The request to a new address to confirm itself."""

    name: str
    address: str
    """The new address."""
    page: str
    reply: str
    """The address at which a reply confirms it."""
    due_at: datetime | None = None
    """The address is used from then on, if the current one does not object; None: at once."""
    unwanted: str = ""
    """The page that ends unsolicited letters."""


@dataclass(frozen=True, slots=True)
class MoveContext:
    """The question to the current address whether letters may go to another one."""

    name: str
    address: str
    """The other address."""
    page: str
    """The link that says yes or no."""
    reply: str
    """The address at which a reply says yes."""
    due_at: datetime | None
    """When letters move without an answer, because those to the current address bounce; None: never."""
    at: datetime
    """When it was requested."""
    browser: str
    """A description of the browser."""


@dataclass(frozen=True, slots=True)
class AddressChangeContext:
    """The notice to an address that letters go elsewhere now."""

    name: str
    address: str
    """Where letters go now."""
    page: str
    """The link that brings them back; empty: none."""
    reply: str
    """The address at which a reply brings them back; empty: none."""


@dataclass(frozen=True, slots=True)
class SignInContext:
    """A sign-in link."""

    name: str
    page: str
    """The link."""
    unwanted: str = ""
    """The page that ends unsolicited letters; empty if the reader has confirmed their address."""


@dataclass(frozen=True, slots=True)
class SeatClaimContext:
    """A free seat that the reader can claim by a link or a reply."""

    name: str
    page: str
    """The link, which signs them in."""
    game: str
    reply: str
    """The address at which a reply claims the seat."""
    unwanted: str = ""
    """As in `SignInContext`."""


class AccountEvent(StrEnum):
    """A change to an account of which its player is notified; stored with the letter."""

    SIGNED_IN = "signed in"
    KEY_MADE = "key made"
    ADDRESS_ASKED = "address asked"


@dataclass(frozen=True, slots=True)
class NoticeContext:
    """The notice of a change to an account."""

    name: str
    event: AccountEvent
    at: datetime
    browser: str
    """A description of the browser."""
    about: str
    """The name of an API key, or an address; else empty."""
    page: str
    """The page of browsers and API keys, which asks for a sign-in."""


@dataclass(frozen=True, slots=True)
class ReplacedContext:
    """The notice to a player that another has their seat."""

    name: str
    """The player's name in the game."""
    game: str
    loss: SeatLoss
    page: str
    """The list of open games."""


@dataclass(frozen=True, slots=True)
class SeatRefusedContext:
    """The refusal of a seat that was requested by mail."""

    name: str
    why: str
    page: str
    """The page of the seat."""
    unwanted: str
    """As in `SignInContext`."""


@dataclass(frozen=True, slots=True)
class AskedBackContext:
    """The question whether the player meant a mail: nothing is done before they say yes."""

    game: str
    """The name of the game."""
    name: str
    """The name of the player."""
    lines: tuple[str, ...]
    """As they stand in the mail."""
    request: RequestKind | None
    """A request beside orders, such as resigning."""
    unproven: bool
    """True if the mail's sender could not be verified."""
    page: str
    """The link that shows what the orders would do, without doing it; empty if there is none."""
    reply: str
    """The address at which a reply says yes."""
    settings: str
    """The link to the settings, where links are renewed."""
    doubt: str = ""
    """Why the orders are doubted, as a sentence; else empty."""
    questions: tuple[str, ...] = ()
    """Suggestions for what the mail may mean, each as a question."""
    answered: str = ""
    """As in `GameLetterContext`."""


@dataclass(frozen=True, slots=True)
class UndoneLine:
    """Words of a reply that were not done."""

    words: str
    """As the player wrote them."""
    reason: str
    """Why, as a sentence; empty if another line gives the reason."""


LONGEST_CHAT = 600
"""Characters of one message."""
MOST_CHAT_BYTES = 4000
"""Bytes of all messages of a letter in HTML; the newest are shown."""
PLAIN_NAME = r"(?!House\b)\w[\w' -]{0,23}"
"""Names that an example may show; "House" was the name of bots, which read no chat."""


@dataclass(frozen=True, slots=True)
class ChatExcerpt:
    """A message as it is printed."""

    head: str
    """Who writes to whom; empty for a message of the server."""
    words: str
    private: bool = False
    """True if it is for the reader alone."""


def excerpt_chat(messages: Sequence[UnreadChat]) -> list[ChatExcerpt]:
    """Return the newest messages that fit, oldest first, preceded by the number of those left out."""
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
    """Return the bytes of a text in the HTML of a letter."""
    return len(escape(words).encode())


def fit_lines(lines: Sequence[str], room: int) -> tuple[list[str], int]:
    """Return the first lines that fit into `room` bytes, and the bytes they take."""
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
    """Return another player's name for an example of a private message.

    The last writer, else the next in turn; empty if no name is plain enough.
    """
    table = view.table
    last = [message.writer for message in reversed(messages)]
    after = (view.me or 0) + 1
    others = [*last, *table.names[after:], *(table.names[: view.me] if view.me is not None else ())]
    plain = (name for name in others if re.fullmatch(PLAIN_NAME, name) and name not in PROFILES)
    return next((name for name in plain if phrases.safe_name(name) == name), "")
