"""Translation of sentences, and the reader's language and time zone.

Sentences are written in English in the code; `gettext` translates them into the current language, from the
catalogues languages/<language>/*.po. Code that writes to a reader is wrapped in `use_locale`, so that no
function needs a parameter for the language.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from zoneinfo import ZoneInfo, available_timezones

from emails.languages.supported_languages import ENGLISH, FOLDERS

UTC_ZONE = "UTC"


@dataclass(frozen=True, slots=True)
class Locale:
    language: str = ENGLISH
    """Language code, a key of `supported_languages.LANGUAGES`."""
    zone: str = UTC_ZONE
    """An IANA name, such as Europe/Amsterdam."""


DEFAULT_LOCALE = Locale()
_current_locale: ContextVar[Locale] = ContextVar("locale", default=DEFAULT_LOCALE)


@contextmanager
def use_locale(locale: Locale) -> Iterator[None]:
    before = _current_locale.set(locale)
    try:
        yield
    finally:
        _current_locale.reset(before)


current_locale = _current_locale.get


def current_zone() -> ZoneInfo:
    return ZoneInfo(current_locale().zone)


@cache
def zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def gettext(sentence: str, **values: object) -> str:
    """Translate a sentence into the current language, then replace each `%(name)s` by its value."""
    found = _load_catalogue(current_locale().language).gettext(sentence)
    return found % values if values else found


def ngettext(one: str, several: str, number: int, **values: object) -> str:
    """Translate a sentence in the plural form for `number`, then insert the values."""
    return plural_form(one, several, number) % {"number": number, **values}


def plural_form(one: str, several: str, number: int) -> str:
    """Translate a sentence in the plural form for `number`; the template inserts the values."""
    return _load_catalogue(current_locale().language).ngettext(one, several, number)


def gettext_noop(words: str) -> str:
    """Mark a sentence for translation, and return it unchanged; `gettext` translates it later."""
    return words


@cache
def _load_catalogue(language: str) -> NullTranslations:
    """Compile the catalogues of a language in memory, because a stored compiled file can be outdated."""
    from babel.messages.mofile import write_mo  # 40 ms, only where translations are needed
    from babel.messages.pofile import read_po

    found = NullTranslations()
    for file in sorted(FOLDERS[language].glob("*.po")):
        with file.open("rb") as source:
            catalogue = read_po(source, locale=language, abort_invalid=True)
        compiled = BytesIO()
        write_mo(compiled, catalogue)
        compiled.seek(0)
        one = GNUTranslations(compiled)
        one.add_fallback(found)
        found = one
    return found
