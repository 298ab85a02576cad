"""Translation: sentences in the reader's language and times in the reader's zone.

Sentences stand in the code in English. `gettext` gives them in the language that is spoken just now; its
catalogues are languages/<language>/*.po, one for each part of the house. Who writes for somebody opens
`use_locale` round all of it, so that no function between has to hand the language on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from emails.languages.supported_languages import ENGLISH, folder_of

UTC_ZONE = "UTC"


@dataclass(frozen=True, slots=True)
class Locale:
    """The language and the time zone of a reader."""

    language: str = ENGLISH
    """One of `supported_languages.LANGUAGES`."""
    zone: str = UTC_ZONE
    """A time zone by its name, such as Europe/Amsterdam."""


DEFAULT_LOCALE = Locale()
_current_locale: ContextVar[Locale] = ContextVar("locale", default=DEFAULT_LOCALE)


@contextmanager
def use_locale(locale: Locale) -> Iterator[None]:
    """Use this language and time zone until the end of the block."""
    before = _current_locale.set(locale)
    try:
        yield
    finally:
        _current_locale.reset(before)


def current_locale() -> Locale:
    """The language and the time zone in use."""
    return _current_locale.get()


def current_zone() -> ZoneInfo:
    """The time zone of the current reader."""
    return ZoneInfo(current_locale().zone)


@cache
def zone_names() -> frozenset[str]:
    """The names of all time zones."""
    return frozenset(available_timezones())


def gettext(sentence: str, **values: object) -> str:
    """A sentence in the language spoken, each `%(name)s` in it replaced by its value."""
    found = _load_catalogue(folder_of(current_locale().language)).gettext(sentence)
    return found % values if values else found


def ngettext(one: str, several: str, number: int, **values: object) -> str:
    """A sentence about so many things: `%(number)s` in it is how many."""
    return plural_form(one, several, number) % {"number": number, **values}


def plural_form(one: str, several: str, number: int) -> str:
    """The form of a sentence that fits a number, its values not yet put in: as templates ask for it."""
    return _load_catalogue(folder_of(current_locale().language)).ngettext(one, several, number)


def gettext_noop(words: str) -> str:
    """Mark words that stand in a table, to be said with `gettext` later."""
    return words


@cache
def _load_catalogue(folder: Path) -> NullTranslations:
    """All sentences of the language of a folder; read once.

    Compiled here, so that no compiled file can be out of date.
    """
    from babel.messages.mofile import write_mo  # 40 ms that whoever says nothing need not wait for
    from babel.messages.pofile import read_po

    found = NullTranslations()
    for file in sorted(folder.glob("*.po")):
        with file.open("rb") as source:
            catalogue = read_po(source, locale=folder.name, abort_invalid=True)
        compiled = BytesIO()
        write_mo(compiled, catalogue)
        compiled.seek(0)
        one = GNUTranslations(compiled)
        one.add_fallback(found)
        found = one
    return found
