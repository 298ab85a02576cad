"""What a reader wants of their letters, in words."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol

from emails.i18n import UTC_ZONE, gettext, ngettext
from emails.languages.supported_languages import LANGUAGES
from emails.terms import TurnTime
from emails.wording.presence.absence_text import ask_for_zone
from emails.wording.times.deadlines import describe_turn_time


class Pace(StrEnum):
    """How often letters come to a player."""

    AT_ONCE = "at once"
    GATHERED = "gathered"
    """Not sooner than so many minutes after the last letter."""
    DAILY = "daily"
    """At an hour of the player's choice."""


class LetterPreferences(Protocol):
    """What a player wants of their letters, as the server keeps it."""

    @property
    def language(self) -> str:
        """One of `LANGUAGES`."""

    @property
    def zone(self) -> str:
        """The name of a time zone."""

    @property
    def pace(self) -> Pace:
        """How often letters come."""

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
    def reminders(self) -> bool:
        """Whether there are any of a turn."""

    @property
    def messages(self) -> bool:
        """Whether what others write is a letter of its own."""

    @property
    def pictures(self) -> bool:
        """Whether letters have pictures."""

    @property
    def everything(self) -> bool:
        """Whether letters hold the whole position, all choices and the manual."""

    @property
    def suggestions(self) -> bool:
        """Whether letters suggest whole turns."""

    @property
    def one_conversation(self) -> bool:
        """Whether all letters of a game have one subject."""

    @property
    def letters(self) -> bool:
        """Whether there are letters at all."""


def describe_preferences(preferences: LetterPreferences, turn_time: TurnTime) -> Iterator[str]:
    """What holds for the letters of a reader now, and the time for a turn; it is changed on the page."""
    yield gettext(
        "Language: %(language)s. Time zone: %(zone)s.",
        language=LANGUAGES[preferences.language],
        zone=preferences.zone,
    )
    if preferences.zone == UTC_ZONE:
        yield ask_for_zone()
    if not preferences.letters:
        yield gettext("You have stopped the mails; your own mails are answered all the same.")
    else:
        yield _describe_pace(preferences)
        if preferences.moves or preferences.pace == Pace.DAILY:
            yield gettext("The turns of the others are told in mails too.")
        else:
            yield gettext("Mails come for your own turn, not after each turn of the others.")
        if preferences.reminders:
            yield gettext("Two reminders come while your time goes, and none at night.")
        else:
            yield gettext("No reminders come while your time goes.")
        if preferences.messages:
            yield gettext("What others write to you comes in a mail of its own.")
        else:
            yield gettext("What others write to you stands in your next mail.")
        yield (gettext("Mails have pictures.") if preferences.pictures else gettext("Mails are plain text."))
        yield from _describe_contents(preferences)
    if time := describe_turn_time(turn_time):
        yield gettext("The time for a turn in this game: %(time)s.", time=time)
    else:
        yield gettext("There is no limit to the time for a turn in this game.")
    yield gettext("The link to change any of this stands at the end of this mail.")


def _describe_contents(preferences: LetterPreferences) -> Iterator[str]:
    """How much letters hold, and which of them belong together."""
    if preferences.everything:
        yield gettext("They hold the whole position, all choices and how to play by mail.")
    else:
        yield gettext("They have one screen; the rest comes when you ask for it.")
    if not preferences.suggestions:
        yield gettext("They suggest no turns.")
    if preferences.one_conversation:
        yield gettext("All mails of a game have one subject.")
    else:
        yield gettext("The mails of each turn of yours have a subject of their own.")


def _describe_pace(preferences: LetterPreferences) -> str:
    if preferences.pace == Pace.DAILY:
        return gettext("There is one mail a day, at %(hour)s o'clock.", hour=preferences.hour)
    if preferences.pace == Pace.GATHERED:
        return ngettext(
            "There is at most one mail in %(number)s minute.",
            "There is at most one mail in %(number)s minutes.",
            preferences.minutes,
        )
    return gettext("Mails come at once.")
