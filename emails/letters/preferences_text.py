"""What a reader wants of his letters, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from emails.i18n import LANGUAGES, say, say_many
from emails.letters.game_letter import span


class Wishes(Protocol):
    """What a player wants of his letters, as the server keeps it."""

    @property
    def language(self) -> str:
        """One of `LANGUAGES`."""

    @property
    def zone(self) -> str:
        """The name of a time zone."""

    @property
    def pace(self) -> str:
        """One of: at once, gathered, daily."""

    @property
    def minutes(self) -> int:
        """Between two gathered letters."""

    @property
    def hour(self) -> int:
        """Of the daily letter, by the clock of the zone."""

    @property
    def moves(self) -> bool:
        """Whether each turn of somebody else is told in a letter."""

    @property
    def messages(self) -> bool:
        """Whether what others write is a letter of its own."""

    @property
    def pictures(self) -> bool:
        """Whether letters have pictures."""

    @property
    def letters(self) -> bool:
        """Whether there are letters at all."""


def habits(wishes: Wishes, hours: int) -> Iterator[str]:
    """What holds for the letters of a reader now, and the time for a turn; it is changed on the page."""
    yield say(
        "Language: %(language)s. Time zone: %(zone)s.", language=LANGUAGES[wishes.language], zone=wishes.zone
    )
    if not wishes.letters:
        yield say("You have stopped the letters; your own mails are answered all the same.")
    else:
        yield _pace(wishes)
        if wishes.moves or wishes.pace == "daily":
            yield say("The turns of the others are told in letters too.")
        else:
            yield say("Letters come for your own turn, not after each turn of the others.")
        if wishes.messages:
            yield say("What others write to you comes in a letter of its own.")
        else:
            yield say("What others write to you stands in your next letter.")
        yield say("Letters have pictures.") if wishes.pictures else say("Letters are plain text.")
    if time := span(hours):
        yield say("The time for a turn in this game: %(time)s.", time=time)
    else:
        yield say("There is no limit to the time for a turn in this game.")
    yield say("The link to change any of this stands at the end of this mail.")


def _pace(wishes: Wishes) -> str:
    if wishes.pace == "daily":
        return say("There is one letter a day, at %(hour)s o'clock.", hour=wishes.hour)
    if wishes.pace == "gathered":
        return say_many(
            "There is at most one letter in %(number)s minute.",
            "There is at most one letter in %(number)s minutes.",
            wishes.minutes,
        )
    return say("Letters come at once.")
