"""One word for one thing: the sentences of pages and mails, and the rules, say what the glossaries say."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest

from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.languages.supported_languages import HERE as CATALOGUES
from tests import catalogues

KEYS = {"thing", "never", "unless"}


@cache
def glossary(language: str) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = tomllib.loads(
        (CATALOGUES / language / "glossary.toml").read_text("utf-8")
    )
    return found


@cache
def sentences(language: str) -> tuple[str, ...]:
    """All that is said in a language: the sentences of the code or their translations, and the rules."""
    return (*_said(language), *_rules(language))


def _said(language: str) -> Iterator[str]:
    for part in catalogues.PARTS:
        if language == ENGLISH:
            for one in catalogues.sentences(part):
                yield from filter(None, (one.one, one.several))
        else:
            for message in filter(lambda one: one.id, catalogues.read(language, part)):
                yield from [message.string] if isinstance(message.string, str) else message.string


def _rules(language: str) -> Iterator[str]:
    waiting: list[object] = [tomllib.loads((CATALOGUES / language / "rules.toml").read_text("utf-8"))]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str):
            yield one


@cache
def plain_words(sentence: str) -> str:
    """A sentence without tags, with `%` for each value; the same for every word that is looked for."""
    return " ".join(re.sub(r"%\(\w+\)s|<[^>]*>", " % ", sentence).split())


def breaches(sentence: str, entry: dict[str, object]) -> list[str]:
    """The words in a sentence that an entry of a glossary does not have."""
    plain = plain_words(sentence)
    if not any(word.casefold() in plain.casefold() for word in map(str, entry["never"])):  # type: ignore[call-overload]
        return []  # most do not: no pattern is needed to see it
    for allowed in map(str, entry.get("unless", ())):  # type: ignore[call-overload]
        pattern = re.escape(allowed).replace("%", r"\S+")
        plain = re.sub(pattern, "…", plain, flags=re.IGNORECASE)
    words = "|".join(map(re.escape, map(str, entry["never"])))  # type: ignore[call-overload]
    return re.findall(rf"(?<![\w-])(?:{words})(?![\w-])", plain, re.IGNORECASE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_glossary_says_of_each_word_what_it_is_for_and_what_is_not_said(language):
    for word, entry in glossary(language).items():
        assert {"thing", "never"} <= entry.keys() <= KEYS, word
        assert entry["thing"], word
        assert isinstance(entry["never"], list), word
        assert word.casefold() not in entry["never"], word


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_calls_a_thing_by_its_one_word(language):
    found = [
        f"{word}: “{wrong}” in {sentence!r}"
        for word, entry in glossary(language).items()
        for sentence in sentences(language)
        for wrong in breaches(sentence, entry)
    ]
    assert not found, "\n".join(found)
