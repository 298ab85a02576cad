"""Letters about a player's addresses, browsers and claims, and descriptions of letter preferences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from emails.i18n import UTC_ZONE, gettext, gettext_noop, ngettext
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.letters.kinds import AccountEvent, LetterKind, SeatLoss
from emails.letters.parts import LetterParts, mailto_link, subject_line
from emails.letters.renderer import Letter, render_letter
from emails.picture.palette import clean_name
from emails.terms import TurnTime
from emails.wording import phrases
from emails.wording.absences import ask_for_zone
from emails.wording.deadlines import describe_turn_time


class Pace(StrEnum):
    AT_ONCE = "at once"
    GATHERED = "gathered"
    DAILY = "daily"


@dataclass(frozen=True, slots=True)
class LetterPreferences:
    language: str = ENGLISH
    """A key of `supported_languages.LANGUAGES`."""
    zone: str = UTC_ZONE
    pace: Pace = Pace.AT_ONCE
    minutes: int = 60
    """Minutes between two gathered letters, from 5 to 1440."""
    hour: int = 8
    """Hour of the daily letter, from 0 to 23 in the player's zone."""
    moves: bool = False
    """True for a letter after each turn of another player; a daily letter reports these turns anyway."""
    messages: bool = False
    """True if chat comes in separate letters, at the player's pace; else it comes in the next letter."""
    pictures: bool = True
    letters: bool = True
    """False if the player has stopped all letters; only server/accounts/unsubscribe.py changes this."""
    everything: bool = False
    """True if each letter shows the whole position, all choices and the manual."""
    suggestions: bool = True
    reminders: bool = True
    one_conversation: bool = False
    """True if all letters of a game share one subject; else each turn of the reader has a subject."""


def describe_preferences(preferences: LetterPreferences, turn_time: TurnTime) -> Iterator[str]:
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
NOTICE_SUBJECTS = {
    AccountEvent.SIGNED_IN: gettext_noop("a new sign-in"),
    AccountEvent.KEY_MADE: gettext_noop("a new key"),
    AccountEvent.ADDRESS_ASKED: gettext_noop("another address"),
}
SEAT_TAKEN = gettext_noop("Somebody has taken that seat already, or its player is back.")


def render_confirm(
    name: str, address: str, page: str, reply: str, due_at: datetime | None = None, unwanted: str = ""
) -> Letter:
    """Ask a new address for confirmation; before that it gets no other letter.

    `due_at`: the address will be used from then on unless the current one objects; None: after confirmation.
    """
    mail = mailto_link(reply, subject_line(""), gettext("yes"))
    parts = LetterParts(page=page, mail=mail, unwanted=unwanted)
    words = {
        "reader": phrases.safe_name(name),
        "address": clean_name(address, LONGEST_SHOWN_ADDRESS),
        "due": phrases.format_time(due_at) if due_at else "",
    }
    return render_letter(LetterKind.CONFIRM, "", parts, words)


def render_move_asked(
    name: str, address: str, page: str, reply: str, due_at: datetime | None, at: datetime, browser: str
) -> Letter:
    """Ask the current address to allow another one, which a browser requested at the time `at`.

    `due_at`: letters move then without an answer, because those to the current address bounce; None: never.
    """
    parts = LetterParts(page=page, mail=mailto_link(reply, subject_line(""), gettext("yes")))
    words = {
        "reader": phrases.safe_name(name),
        "address": clean_name(address, LONGEST_SHOWN_ADDRESS),
        "due": phrases.format_time(due_at) if due_at else "",
        "at": phrases.format_time(at),
        "browser": browser,
    }
    return render_letter(LetterKind.MOVE_ASKED, "", parts, words)


def render_moved(name: str, address: str, page: str, reply: str) -> Letter:
    """Notify the old address that letters go to a new one; `page` and `reply` are empty if that is final."""
    mail = mailto_link(reply, subject_line(""), gettext("yes")) if reply else ""
    parts = LetterParts(page=page, mail=mail, example=gettext("yes"))
    words = {"reader": phrases.safe_name(name), "address": clean_name(address, LONGEST_SHOWN_ADDRESS)}
    return render_letter(LetterKind.MOVED, "", parts, words, answered=bool(reply))


def render_signin(name: str, page: str, unwanted: str = "") -> Letter:
    parts = LetterParts(page=page, unwanted=unwanted)
    words = {"reader": phrases.safe_name(name)}
    return render_letter(LetterKind.SIGNIN, gettext("sign in"), parts, words, answered=False)


def render_seat_claim(name: str, page: str, game: str, reply: str, unwanted: str = "") -> Letter:
    """Ask a player who wants a vacant seat to confirm by a reply or a link."""
    subject = gettext("a free seat")
    mail = mailto_link(reply, subject_line(subject), gettext("yes"))
    words = {"reader": phrases.safe_name(name), "title": phrases.safe_name(game)}
    parts = LetterParts(page=page, unwanted=unwanted, mail=mail, example=gettext("yes"))
    return render_letter(LetterKind.SEAT_CLAIM, subject, parts, words)


def render_notice(
    name: str, event: AccountEvent, at: datetime, browser: str, about: str, page: str
) -> Letter:
    """Report an event of an account; `about` names an API key or an address."""
    words = {
        "reader": phrases.safe_name(name),
        "event": event.name.lower(),
        "at": phrases.format_time(at),
        "browser": browser,
        "about": clean_name(about, LONGEST_SHOWN_ADDRESS),
    }
    subject = gettext(NOTICE_SUBJECTS[event])
    return render_letter(LetterKind.NOTICE, subject, LetterParts(page=page), words, answered=False)


def render_replaced(name: str, game: str, loss: SeatLoss, page: str) -> Letter:
    words = {"reader": phrases.safe_name(name), "title": phrases.safe_name(game), "loss": loss.value}
    return render_letter(
        LetterKind.REPLACED, gettext("your seat"), LetterParts(page=page), words, answered=False
    )


def render_seat_refused(name: str, why: str, page: str, unwanted: str) -> Letter:
    parts = LetterParts(page=page, unwanted=unwanted)
    words = {"reader": phrases.safe_name(name), "why": why}
    return render_letter(LetterKind.SEAT_REFUSED, gettext("a free seat"), parts, words, answered=False)
