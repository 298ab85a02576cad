"""Contexts of letters: a game as one reader knows it, an invitation, an address, messages of players."""

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
from emails.plans.plan_text import KeptPlan
from emails.terms import AbsenceRule, TurnTime
from emails.tokens import LinkBuilder
from emails.wording import phrases
from emails.wording.requests import RequestKind
from emails.wording.times.deadlines import ReserveLeft
from emails.wording.times.turn_outlooks import TurnOutlook
from engine.board import Board
from engine.bots.advice import Suggestion
from engine.bots.characters import CHARACTERS
from engine.editions import Edition
from engine.position import Table, View, VisibleEvent


@dataclass(frozen=True, slots=True)
class UnreadChat:
    """What somebody told the reader, who has not been shown it yet."""

    writer: str
    """The name of another player; empty where the server says it, in the reader's language."""
    words: str
    private: bool
    """Whether it is for the reader alone."""


@dataclass(frozen=True, slots=True)
class GameLetterContext:
    """What a letter about a running game is made from."""

    game: str
    """The game's id."""
    name: str
    view: View
    """Of a player, not of a spectator."""
    since: tuple[VisibleEvent, ...]
    """What happened since the reader last acted."""
    before: Table | None
    """The table as it was then."""
    after: int
    """The number of the act after which the position stands so."""
    deadline: datetime | None
    """When the time for this turn is over, with its time zone; None where there is no limit."""
    turn_time: TurnTime
    """The time for the turns."""
    links: LinkBuilder
    turn_since: datetime | None = None
    """When the turn came to whoever is to move, with its time zone; None where that is not known."""
    pause_ends: datetime | None = None
    """When a pause of the game is over, with its time zone; None where it is not paused."""
    stands_still: bool = False
    """Whether no time runs since mail that comes in cannot be read."""
    reserve: ReserveLeft | None = None
    """That of whoever is to move; None where they have none, or no time runs."""
    messages: tuple[UnreadChat, ...] = ()
    """The oldest first."""
    letter: int = 0
    """The number of the letter in the outbox, by which its answers name it; 0: none."""
    house: tuple[str, ...] = ()
    """Who plays for the server, where the letter is the first to its reader."""
    now: datetime | None = None
    """When the letter is written, with its time zone; None where it does not say what time is left."""
    answered: str = ""
    """The subject of the letter that the mail answers which this one answers; empty where it is not known."""
    changed: bool = True
    """Whether the position has changed since the last letter to the reader."""
    suggestions: tuple[Suggestion, ...] = ()
    """Good turns, the best first; none where the reader gets no advice."""
    absence: str = ""
    """The sentence that whoever is to move is away, where that is another player; else empty."""
    draft: tuple[str, ...] = ()
    """What the reader has begun of their turn on the page, as orders."""
    plan: KeptPlan | None = None
    """What the reader plans for their next turn."""
    shown: frozenset[RequestKind] = frozenset()
    """What of the game itself the reader asked to see: the whole position, all choices."""
    everything: bool = False
    """Whether the reader wants the whole position, all choices and the manual in each letter."""
    one_conversation: bool = False
    """Whether the reader wants the same subject for all letters of the game."""
    next_turn: TurnOutlook | None = None
    """When the reader's turn comes; None where they do not wait for it."""
    holder: int | None = None
    """For the unsubscribe link: the number of the seat and the person in it; None: of the seat alone."""
    head: str = ""
    """What the log can be checked by at the end (engine/seal/); empty where the game has none."""
    when_late: AbsenceRule = AbsenceRule.ALWAYS
    """What the caretaker does when the reader's time is up once more."""
    can_return: bool = False
    """Whether the reader has resigned, and can come back."""
    seat_names: tuple[SeatNames, ...] = ()
    """Who had the seats at each fact of the game, up to the last one; empty where none was passed on."""


@dataclass(frozen=True, slots=True)
class LetterSection:
    """Something that the reader asked for in a mail, to be shown or to be done."""

    heading: str
    lines: tuple[str, ...]
    """Each a sentence or two of plain text, which the letter breaks where it must."""
    done: str = ""
    """What was done, as a clause without full stop; empty where it was only asked for."""


@dataclass(frozen=True, slots=True)
class InvitationContext:
    """What an invitation is made from; there is no position yet."""

    game: str
    name: str
    players: tuple[str, ...]
    """All who are to play, in the order in which they were named."""
    seat: int
    """The place of the invited among them."""
    edition: Edition
    turn_time: TurnTime
    links: LinkBuilder
    letter: int = 0
    """As in `GameLetterContext`."""
    after: int = 0
    """The number of the act since which the invited has their seat; 0: since the game was opened."""
    asker: str = ""
    """Who invites them; empty where nobody does who plays too, or where they have asked themselves."""
    note: str = ""
    """A line of the organiser's to them."""
    house: int = 0
    """How many of the players are the server's."""
    board: Board | None = None
    """Of the picture; None: for a letter that shows none."""
    free: frozenset[int] = frozenset()
    """The places of those who are to join, whom nobody knows yet."""


@dataclass(frozen=True, slots=True)
class VacatedSeat:
    """Somebody who had a seat of a game that has not begun, or was asked, and will not play."""

    name: str
    how: VacancyReason
    joined: bool
    """Whether others may take their seat by a link."""


@dataclass(frozen=True, slots=True)
class ConfirmationContext:
    """What is asked of a new address before anything else is sent to it."""

    name: str
    """Of the player."""
    address: str
    """The new one."""
    page: str
    """The link that confirms it."""
    reply: str
    """The address to which any answer confirms it."""
    due_at: datetime | None = None
    """Before this moment it is not used, for the address before it may still object; None: at once."""
    unwanted: str = ""
    """The page that ends letters that nobody has asked for."""


@dataclass(frozen=True, slots=True)
class MoveContext:
    """What is asked of the address in use before its player moves to another."""

    name: str
    """Of the player."""
    address: str
    """The other one."""
    page: str
    """The link that says yes or no."""
    reply: str
    """The address to which an answer says yes."""
    due_at: datetime | None
    """When they move without an answer, because mails to the address in use come back; None: never."""
    at: datetime
    """When it was asked for."""
    browser: str
    """In which browser, in words."""


@dataclass(frozen=True, slots=True)
class AddressChangeContext:
    """What an address is told to which no letters go any more."""

    name: str
    """Of the player."""
    address: str
    """Where they go now."""
    page: str
    """The link that brings them back; empty where there is none."""
    reply: str
    """The address to which an answer brings them back; empty where there is none."""


@dataclass(frozen=True, slots=True)
class SignInContext:
    """A link with which a player signs in."""

    name: str
    """Of the player."""
    page: str
    """Where it leads."""
    unwanted: str = ""
    """The page that ends letters that nobody has asked for, where the reader has confirmed nothing."""


@dataclass(frozen=True, slots=True)
class SeatClaimContext:
    """A free seat that its reader takes by a link, or by an answer."""

    name: str
    page: str
    """Where the link leads, which signs them in."""
    game: str
    reply: str
    """The address to which an answer takes the seat."""
    unwanted: str = ""
    """As in `SignInContext`."""


class AccountEvent(StrEnum):
    """What a player is told that was done in their name, though not in a game; stored with the letter."""

    SIGNED_IN = "signed in"
    KEY_MADE = "key made"
    ADDRESS_ASKED = "address asked"


@dataclass(frozen=True, slots=True)
class NoticeContext:
    """Something that was done in a player's name."""

    name: str
    """Of the player."""
    event: AccountEvent
    at: datetime
    browser: str
    """In which browser, in words."""
    about: str
    """The name of a key, or an address; else empty."""
    page: str
    """The page of browsers and keys, which asks to sign in."""


@dataclass(frozen=True, slots=True)
class ReplacedContext:
    """Whose seat another has taken."""

    name: str
    """What they were called in the game."""
    game: str
    loss: SeatLoss
    page: str
    """The page of the games that look for players."""


@dataclass(frozen=True, slots=True)
class SeatRefusedContext:
    """Who cannot have the seat for which they asked by mail."""

    name: str
    why: str
    page: str
    """That of the seat."""
    unwanted: str
    """As in `SignInContext`."""


@dataclass(frozen=True, slots=True)
class AskedBackContext:
    """What a mail asks for, of which its player is asked whether they mean it."""

    game: str
    """The name of the game."""
    name: str
    """Of the player."""
    lines: tuple[str, ...]
    """As they stand in the mail."""
    request: RequestKind | None
    """What it asks for outside the rules."""
    unproven: bool
    """Whether it was not shown that the player wrote it."""
    page: str
    """The link that shows what its orders would do, and does nothing by itself; empty where it has none."""
    reply: str
    """The address to which an answer says yes."""
    settings: str
    """The link to the settings, where links are made new."""
    doubt: str = ""
    """Why it is asked whether its orders are meant, as a sentence; else empty."""
    questions: tuple[str, ...] = ()
    """What it may mean that was not understood to the last word, each as a question."""
    answered: str = ""
    """As in `GameLetterContext`."""


@dataclass(frozen=True, slots=True)
class UndoneLine:
    """Words of a reply that were not done."""

    words: str
    """As they wrote them."""
    reason: str
    """The sentence that says why; empty where the reason stands with other words."""


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
