"""Letters about a player's addresses and browsers, and their preferences in words."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol

from emails.i18n import UTC_ZONE, gettext, gettext_noop, ngettext
from emails.languages.supported_languages import LANGUAGES
from emails.letters.contexts import (
    AccountEvent,
    AddressChangeContext,
    ConfirmationContext,
    MoveContext,
    NoticeContext,
    ReplacedContext,
    SeatClaimContext,
    SeatRefusedContext,
    SignInContext,
)
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts, mailto_link, subject_line
from emails.letters.renderer import Letter, render_letter
from emails.picture.palette import clean_name
from emails.terms import TurnTime
from emails.wording import phrases
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


LONGEST_SHOWN_ADDRESS = 600
"""Characters of an address that somebody has typed."""
NOTICE_SUBJECTS = {
    AccountEvent.SIGNED_IN: gettext_noop("a new sign-in"),
    AccountEvent.KEY_MADE: gettext_noop("a new key"),
    AccountEvent.ADDRESS_ASKED: gettext_noop("another address"),
}
"""The ends of the subjects of notices."""
SEAT_TAKEN = gettext_noop("Somebody has taken that seat already, or its player is back.")
"""Why somebody cannot have a seat for which they asked."""


def render_confirm(made: ConfirmationContext) -> Letter:
    """Is this your address? Nothing else is sent to it before its reader says so, on the page or by mail."""
    mail = mailto_link(made.reply, subject_line(""), gettext("yes"))
    parts = LetterParts(page=made.page, mail=mail, unwanted=made.unwanted)
    address = clean_name(made.address, LONGEST_SHOWN_ADDRESS)
    words = {
        "reader": phrases.safe_name(made.name),
        "address": address,
        "due": phrases.format_time(made.due_at) if made.due_at else "",
    }
    return render_letter(LetterKind.CONFIRM, "", parts, words)


def render_move_asked(made: MoveContext) -> Letter:
    """To the address in use: may the mails go to another? Its reader says yes or no on the page."""
    parts = LetterParts(page=made.page, mail=mailto_link(made.reply, subject_line(""), gettext("yes")))
    words = {
        "reader": phrases.safe_name(made.name),
        "address": clean_name(made.address, LONGEST_SHOWN_ADDRESS),
        "due": phrases.format_time(made.due_at) if made.due_at else "",
        "at": phrases.format_time(made.at),
        "browser": made.browser,
    }
    return render_letter(LetterKind.MOVE_ASKED, "", parts, words)


def render_moved(made: AddressChangeContext) -> Letter:
    """To the old address: letters go to another now, and the page or an answer brings them back."""
    mail = mailto_link(made.reply, subject_line(""), gettext("yes")) if made.reply else ""
    parts = LetterParts(page=made.page, mail=mail, example=gettext("yes"))
    words = {
        "reader": phrases.safe_name(made.name),
        "address": clean_name(made.address, LONGEST_SHOWN_ADDRESS),
    }
    return render_letter(LetterKind.MOVED, "", parts, words, answered=bool(made.reply))


def render_signin(made: SignInContext) -> Letter:
    """With this link the reader signs in; it is good for ten minutes, and once."""
    parts = LetterParts(page=made.page, unwanted=made.unwanted)
    words = {"reader": phrases.safe_name(made.name)}
    return render_letter(LetterKind.SIGNIN, gettext("sign in"), parts, words, answered=False)


def render_seat_claim(made: SeatClaimContext) -> Letter:
    """Whoever would play on for somebody takes the seat by an answer, or by a link that signs them in."""
    subject = gettext("a free seat")
    mail = mailto_link(made.reply, subject_line(subject), gettext("yes"))
    words = {"reader": phrases.safe_name(made.name), "title": phrases.safe_name(made.game)}
    parts = LetterParts(page=made.page, unwanted=made.unwanted, mail=mail, example=gettext("yes"))
    return render_letter(LetterKind.SEAT_CLAIM, subject, parts, words)


def render_notice(made: NoticeContext) -> Letter:
    """Something was done in the reader's name: what, when, where, and what to do if it was not they."""
    words = {
        "reader": phrases.safe_name(made.name),
        "event": made.event.name.lower(),
        "at": phrases.format_time(made.at),
        "browser": made.browser,
        "about": clean_name(made.about, LONGEST_SHOWN_ADDRESS),
    }
    subject = gettext(NOTICE_SUBJECTS[made.event])
    return render_letter(LetterKind.NOTICE, subject, LetterParts(page=made.page), words, answered=False)


def render_replaced(made: ReplacedContext) -> Letter:
    """Somebody else plays on for the reader: kindly."""
    words = {
        "reader": phrases.safe_name(made.name),
        "title": phrases.safe_name(made.game),
        "loss": made.loss.value,
    }
    parts = LetterParts(page=made.page)
    return render_letter(LetterKind.REPLACED, gettext("your seat"), parts, words, answered=False)


def render_seat_refused(made: SeatRefusedContext) -> Letter:
    """The reader has not got the seat for which they asked by mail."""
    parts = LetterParts(page=made.page, unwanted=made.unwanted)
    words = {"reader": phrases.safe_name(made.name), "why": made.why}
    return render_letter(LetterKind.SEAT_REFUSED, gettext("a free seat"), parts, words, answered=False)
