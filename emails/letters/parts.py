"""What the layouts and the words that all letters share can show, each part with what stands for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from emails.letters.chat_excerpts import ChatExcerpt
from emails.picture.image_map import ImageMapArea
from emails.wording.options import Option
from engine.position import View


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
    settings: str = ""
    """The link that leads to the settings."""
    decline: str = ""
    """The link that declines an invitation."""
    stop: str = ""
    """The link that stops letters."""
    unwanted: str = ""
    """The link that ends letters that nobody has asked for, where the reader has confirmed nothing."""

    # what is told, a sentence or two each
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
    more: bool = False
    """Whether there are other meanings."""
    common: str = ""

    # the rules in one screen
    rules: bool = False
    advice_first: bool = False
    actions: int = 0
    winning: int = 0
    black: int = 0
    time: str = ""
    friend: str = ""
    """Whom an example of a message is to."""

    # the game
    view: View | None = None
    summary: str = ""
    first: bool = False
    """Whether it is the reader's first turn."""
    alt: str = ""
    """What the picture of the board shows."""
    areas: Sequence[ImageMapArea] = ()
    numbered: bool = False
    """Whether corners have numbers in the picture."""
    sent: bool = False
    """Whether it shows where Alexander can be sent."""
    counted: bool = False
    """Whether the choices have numbers."""
