"""The sentences of the house and their catalogues: found in the sources, read, renewed.

`APPROVE=1 pytest tests/test_languages.py` renews the catalogues: each gets the sentences that are new, in the
order of the sources and without a translation, and loses those that nobody says any more.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.languages.supported_languages import HERE as CATALOGUES
from tests.paths import TOP

PARTS: Mapping[str, tuple[str, ...]] = {
    "engine.po": ("engine/**/*.py",),
    "wording.po": ("emails/**/*.py", "emails/wording/templates/*.words"),
    "letters.po": (
        "emails/letters/templates/*.words",
        "emails/letters/templates/*.txt",
        "emails/letters/templates/*.html",
    ),
    "pages.po": ("server/**/*.py", "server/web/*/templates/*.html"),
}
"""For each catalogue where its sentences stand, in the order in which it lists them."""
SAID: Mapping[str, tuple[int, ...] | None] = {
    "gettext": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "Illegal": (2,),
    "Unreadable": None,
    "NoAction": None,
    "NotOffered": None,
    "Ambiguous": None,
    "Usage": None,
}
"""The calls in Python that hold a sentence, and which of their arguments it is."""
IN_TEMPLATES = {"_": None, "gettext": None, "ngettext": (1, 2)}
OPTIONS = {
    "extensions": "jinja2.ext.i18n",
    "newstyle_gettext": "true",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
    "silent": "false",
}
"""As the templates are read when they are used."""
TRANSLATED = tuple(code for code in LANGUAGES if code != ENGLISH)
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in the code."""

    one: str
    several: str
    """For other numbers than one; empty where there is but one form."""
    file: str

    @property
    def id(self) -> str | tuple[str, str]:
        return (self.one, self.several) if self.several else self.one

    @property
    def names(self) -> set[str]:
        return set(PLACEHOLDER.findall(self.one + self.several))


def files(*patterns: str) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(TOP.glob(pattern))


@cache
def sentences(part: str) -> tuple[Sentence, ...]:
    """The sentences of one part of the house, each once, in the order of the sources."""
    found: dict[str, Sentence] = {}
    for file in files(*PARTS[part]):
        for one, several in _said(file):
            known = found.get(one)
            if known is None or (several and not known.several):
                found[one] = Sentence(one, several, file.relative_to(TOP).as_posix())
    return tuple(found.values())


def _said(file: Path) -> Iterator[tuple[str, str]]:
    python = file.suffix == ".py"
    method, keywords = (_python, SAID) if python else (babel_extract, IN_TEMPLATES)
    with file.open("rb") as source:
        for _, message, _, _ in extract(method, source, keywords=dict(keywords), options=OPTIONS):
            yield (message[0], message[1]) if isinstance(message, tuple) else (message, "")


Found = tuple[int, str, tuple[str | None, ...], list[str]]


def calls(file: Path) -> Iterator[tuple[ast.Call, str]]:
    """The calls in a Python file that hold a sentence, and by which name, from its top."""
    found = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
    for node in sorted(found, key=lambda call: (call.lineno, call.col_offset)):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in SAID:
            yield node, name


def _python(source: BinaryIO, *_: object, **__: object) -> Iterator[Found]:
    """As babel wants it; unlike its own reader this one takes no key of a table for a sentence."""
    for call, name in calls(Path(source.name)):
        given = (arg.value if isinstance(arg, ast.Constant) else None for arg in call.args)
        yield call.lineno, name, tuple(one if isinstance(one, str) else None for one in given), []


def read(language: str, part: str) -> Catalog:
    """A catalogue as it is stored; empty where there is none yet."""
    file = CATALOGUES / language / part
    if not file.exists():
        return Catalog(locale=language)
    with file.open("rb") as source:
        return read_po(source, locale=language, abort_invalid=True)


def renewed(language: str, part: str) -> str:
    """The catalogue with exactly the sentences of today, as the text of its file."""
    before, after = read(language, part), Catalog(locale=language)
    for sentence in sentences(part):
        kept = before.get(sentence.one)
        added = after.add(sentence.id, locations=[(sentence.file, 0)])
        if kept is not None and kept.pluralizable == added.pluralizable:
            added.string, added.user_comments = kept.string, kept.user_comments
    written = BytesIO()
    write_po(written, after, width=110, omit_header=True, include_lineno=False)
    return _head(language) + written.getvalue().decode()


@cache
def untranslated(language: str) -> tuple[str, ...]:
    """The sentences of the house that a language lacks, or has without words, each with its catalogue."""
    missing = []
    for part in PARTS:
        known = read(language, part)
        for sentence in sentences(part):
            message = known.get(sentence.one)
            forms = () if message is None else message.string if sentence.several else (message.string,)
            if not forms or not all(forms):
                missing.append(f"{part}: {sentence.one!r}")
    return tuple(missing)


def _head(language: str) -> str:
    """What stands first in a catalogue; no dates, so that a renewed file differs in its sentences alone."""
    return (
        'msgid ""\n'
        'msgstr ""\n'
        f'"Language: {language}\\n"\n'
        '"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Plural-Forms: {get_plural(language).plural_forms}\\n"\n'
        "\n"
    )


def renew(language: str, part: str) -> None:
    file = CATALOGUES / language / part
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(renewed(language, part), "utf-8")
