"""A language that nobody speaks, written into a folder: every word of English in invented syllables.

Its code is that of a language which calendars know, for days and months are written by it.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from emails import i18n
from emails.languages.supported_languages import FOLDERS, HERE, LANGUAGES, REPLY_MARKERS, add_language

CODE = "vo"
NAME = "Kelimuž"
SYLLABLES = "ža ro šim tuk vel nöf kaz pul dri mox ler wob fiš gun yat zed".split()
ENDINGS = "eb ik us om aj".split()
WORDS_IN_SENTENCE = re.compile(r"(%\(\w+\)s|\{\w*\}|<[^>]*>|&\w+;|https?://\S+|“[^”]*”)")
"""What is no word of a sentence: what is put in, and tags."""
LANGUAGE = {"name": NAME, "called": "kelimuž, kelim", "marker": "--- Ropul kaz ---"}


class Inventor:
    """Gives each word of English one of its own."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def invent(self, word: str) -> str:
        """The word for it: two syllables and an ending, so that none begins as another does."""
        fold = word.casefold()
        if fold not in self.known:
            number, many = len(self.known), len(SYLLABLES)
            first, second = SYLLABLES[number % many], SYLLABLES[number // many % many]
            self.known[fold] = f"{first}{second}{ENDINGS[number // many**2 % len(ENDINGS)]}"
        return self.known[fold]

    def say(self, words: str) -> str:
        return re.sub(r"[^\W\d_]+(?:['’.][^\W\d_]+)*", lambda found: self.invent(found[0]), words)  # noqa: RUF001

    def translate(self, sentence: str) -> str:
        pieces = WORDS_IN_SENTENCE.split(sentence)
        pieces[::2] = map(self.say, pieces[::2])
        return "".join(pieces)


def invent_words(folder: Path) -> Inventor:
    """Write the files of words of the language; gives what invented them."""
    inventor = Inventor()
    folder.mkdir(parents=True)
    for name in ("orders", "requests", "dates", "remarks", "clerk", "plans", "votes", "topics"):
        english = tomllib.loads((HERE / f"en/{name}.toml").read_text("utf-8"))
        words = dict(_translated(english, inventor))
        if name == "orders":
            words["places"] = {"Troy": "Žatroj", "Larissa": "Žalari"}
        _write(folder / f"{name}.toml", words)
    common = (HERE / "en/common.txt").read_text("utf-8").split()
    known = " ".join(inventor.known[word] for word in common if word in inventor.known)
    (folder / "common.txt").write_text(known, "utf-8")
    _write(folder / "language.toml", LANGUAGE)
    shutil.copyfile(Path(__file__).with_name("invented_programs.toml"), folder / "programs.toml")
    return inventor


def invent_sentences(folder: Path, inventor: Inventor) -> None:
    for file in sorted((HERE / "nl").glob("*.po")):
        with file.open("rb") as source:
            known = read_po(source, locale="nl")
        made = Catalog(locale=CODE)
        for message in known:
            if message.id:
                forms = message.id if isinstance(message.id, tuple) else (message.id,)
                said = tuple(map(inventor.translate, forms))
                made.add(message.id, said if len(said) > 1 else said[0])
        with (folder / file.name).open("wb") as written:
            write_po(written, made)
    rules = tomllib.loads((HERE / "en/rules.toml").read_text("utf-8"))
    _write(folder / "rules.toml", dict(_translated(rules, inventor)))
    (folder / "glossary.toml").write_text("", "utf-8")


def _translated(table: Mapping[str, object], inventor: Inventor) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield key, dict(_translated(value, inventor))
        elif isinstance(value, list):
            yield key, [inventor.say(str(one)) for one in value]
        else:
            yield key, inventor.translate(str(value))


def _write(file: Path, content: Mapping[str, object]) -> None:
    file.write_text("\n".join(_lines(content, "")) + "\n", "utf-8")


def _lines(content: Mapping[str, object], name: str) -> Iterator[str]:
    plain = {key: value for key, value in content.items() if not isinstance(value, Mapping)}
    if name:
        yield f"[{name}]"
    for key, value in plain.items():
        yield f"{json.dumps(key)} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _lines(value, f"{name}.{json.dumps(key)}".lstrip("."))


@contextmanager
def spoken(folder: Path) -> Iterator[None]:
    """The house speaks the language of a folder for the length of a block."""
    add_language(folder)
    try:
        yield
    finally:
        for known in (FOLDERS, LANGUAGES, REPLY_MARKERS):
            del known[folder.name]
        i18n._load_catalogue.cache_clear()  # other sentences may follow under the same code
