"""What the layouts and the words that all letters share can show, each part with what stands for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from emails.letters.chat_excerpts import ChatExcerpt
from emails.picture.letter_picture import ImageMapArea
from emails.wording.options import Option
from emails.wording.standings import PlayerScore
from engine.position import View


class PositionText(StrEnum):
    """How much of the position a letter tells in words."""

    NONE = "none"
    BRIEF = "brief"
    """What is needed to judge a turn, and a small map."""
    WHOLE = "whole"
    """All that the reader may know, and the whole map."""


@dataclass(frozen=True, slots=True)
class ChoiceLine:
    """A whole turn that the reader can choose."""

    letter: str
    label: str
    """What kind of turn it is; may be empty."""
    title: str
    line: str
    """Its letter and title for plain text, broken only where no line could be read as an order."""
    why: str
    link: str
    """Its page."""
    mail: str
    """The link that writes the mail that chooses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterParts:
    """The parts of a letter beside its own words; one that shows no such thing leaves it out."""

    # what the reader can do
    page: str = ""
    """The link of the button."""
    mail: str = ""
    """The link that writes an answer."""
    example: str = ""
    """What can be answered."""
    deadline: str = ""
    reserve: str = ""
    """From when on the turn is taken from the reader's reserve of time, in a sentence."""
    more_time: str = ""
    """The link to the page on which the reader asks for more time; empty where none is offered."""
    away: str = ""
    """The link to the page on which they say when they are away."""
    time_word: str = ""
    """The word that asks for more time by mail."""
    away_words: str = ""
    """Words that say by mail that the reader is away."""
    time_page: str = ""
    """The link to the page that leads to all of that, and to a pause; empty where no time runs."""
    settings: str = ""
    """The link that leads to the settings."""
    decline: str = ""
    """The link of the second button, which declines an invitation."""
    plan: str = ""
    """The link to the page on which the reader plans their next turn."""
    planned: bool = False
    """Whether there is a plan already."""
    plan_heading: str = ""
    """What stands before a plan in a mail."""
    rules_page: str = ""
    """The link to the rules, where they do not stand in the letter."""
    stop: str = ""
    """The link that stops letters."""
    unwanted: str = ""
    """The link that ends letters that nobody has asked for, where the reader has confirmed nothing."""
    head: str = ""
    """By which the log can be checked at the end."""

    # what is told, a sentence or two each
    guest_note: str = ""
    """What an organiser writes to whom they invite."""
    messages: Sequence[ChatExcerpt] = ()
    messages_first: bool = False
    done: Sequence[str] = ()
    undone: Sequence[str] = ()
    posted: Sequence[str] = ()
    since: Sequence[str] | None = None
    """None: of a letter that shows a game, all that happened since the reader's last turn."""
    sections: list[tuple[str, list[str]]] = field(default_factory=list)
    """What the reader asked for: a heading and lines."""
    record: Sequence[str] = ()
    scores: str = ""
    """The points turn by turn, in lines."""
    scores_alt: str = ""
    """What the picture of them shows."""

    # what is asked
    asked: Sequence[tuple[Option, str, str]] = ()
    """Each meaning with its link and the link that writes the mail."""
    other_meanings: bool = False
    """Whether there are other meanings."""
    common: str = ""
    proposed: bool = False
    """Whether what is asked is what a mail may mean that could not be read whole."""

    choices: Sequence[ChoiceLine] = ()
    whole_turns: bool = True
    """Whether those are whole turns, and not single steps."""
    left: str = ""
    """How much time is left."""
    absence: str = ""
    """The sentence that whoever is waited for is away."""
    paused: str = ""
    """The sentence until when a pause lasts; empty where the game is not paused."""
    stands_still: bool = False
    """Whether no time runs since mail that comes in cannot be read."""
    drafted: str = ""
    """What the reader has begun of their turn on the page, in words of orders."""
    more: Sequence[tuple[str, str]] = ()
    """Words that ask for more, each with the link that writes the mail."""

    # the rules in one screen
    rules: bool = False
    turn_rules: bool = False
    """Whether it tells of them what the reader's first turn needs."""
    advice_first: bool = False
    seats: int = 0
    """How many play; 0: the rules are told for any number."""
    actions: int = 0
    winning: int = 0
    black: int = 0
    time: str = ""
    friend: str = ""
    """Whom an example of a message is to."""

    # the game
    view: View | None = None
    summary: str = ""
    waited: str = ""
    """Whose turn it is, since when and until when, in sentences, where that is another player's."""
    outlook: str = ""
    """When the reader's turn comes, where they wait for it and that is known."""
    standing: str = ""
    """Who has how many points, and who leads."""
    scores_strip: Sequence[PlayerScore] = ()
    changes: Sequence[str] = ()
    """What others did to what each levy gives the reader, a sentence each."""
    news: Sequence[str] = ()
    """The same, and before it what their levies gave the reader: for the line that a mailbox shows."""
    pictured: bool = False
    """Whether the board is drawn."""
    picture_first: bool = False
    """Whether that is the first thing its reader looks for."""
    position: PositionText = PositionText.NONE
    manual: bool = False
    """Whether it tells how to play by mail."""
    first: bool = False
    """Whether it is the reader's first turn."""
    alt: str = ""
    """What the picture of the board shows."""
    areas: Sequence[tuple[ImageMapArea, str]] = ()
    """Where the corners are that can be chosen, each with its link."""
    moved: bool = False
    """Whether it shows marches."""
    changed: bool = False
    """Whether it shows land that changed."""
    map: str = ""
    """The board drawn in characters."""
    map_whole: bool = False
    """Whether that is all of it, and no part."""
