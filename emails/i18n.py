"""The language in which something is said, and the clock by which its times are told.

Sentences stand in the code in English. `say` gives them in the language that is spoken just now; its
catalogues are languages/<language>/*.po, one for each part of the house. Who writes for somebody opens
`speaking` round all of it, so that no function between has to hand the language on.
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

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LANGUAGES = {"en": "English", "nl": "Nederlands"}
"""Each language by its code (BCP 47), with its own name."""
ENGLISH = "en"
UTC_ZONE = "UTC"
CATALOGUES = Path(__file__).parent / "languages"


@dataclass(frozen=True, slots=True)
class Tongue:
    """What somebody reads, and where his clock hangs."""

    language: str = ENGLISH
    """One of `LANGUAGES`."""
    zone: str = UTC_ZONE
    """A time zone by its name, such as Europe/Amsterdam."""


PLAIN = Tongue()
_spoken: ContextVar[Tongue] = ContextVar("spoken", default=PLAIN)


@contextmanager
def speaking(tongue: Tongue) -> Iterator[None]:
    """Speak this language until the end of the block."""
    before = _spoken.set(tongue)
    try:
        yield
    finally:
        _spoken.reset(before)


def spoken() -> Tongue:
    """What is spoken just now."""
    return _spoken.get()


def zone() -> ZoneInfo:
    """The time zone of whoever is spoken to."""
    return ZoneInfo(spoken().zone)


@cache
def zones() -> frozenset[str]:
    """The names of all time zones."""
    return frozenset(available_timezones())


def say(sentence: str, **values: object) -> str:
    """A sentence in the language spoken, each `%(name)s` in it replaced by its value."""
    found = _catalogue(spoken().language).gettext(sentence)
    return found % values if values else found


def say_many(one: str, several: str, number: int, **values: object) -> str:
    """A sentence about so many things: `%(number)s` in it is how many."""
    return form(one, several, number) % {"number": number, **values}


def form(one: str, several: str, number: int) -> str:
    """The form of a sentence that fits a number, its values not yet put in: as templates ask for it."""
    return _catalogue(spoken().language).ngettext(one, several, number)


def sentence(words: str) -> str:
    """Mark words that stand in a table, to be said with `say` later."""
    return words


@cache
def _catalogue(language: str) -> NullTranslations:
    """All sentences of a language; read once. Compiled here, so that no compiled file can be out of date."""
    found = NullTranslations()
    for file in sorted((CATALOGUES / language).glob("*.po")):
        with file.open("rb") as source:
            catalogue = read_po(source, locale=language, abort_invalid=True)
        compiled = BytesIO()
        write_mo(compiled, catalogue)
        compiled.seek(0)
        one = GNUTranslations(compiled)
        one.add_fallback(found)
        found = one
    return found
