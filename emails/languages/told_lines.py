"""Whether a line could be read as orders that somebody tells in a sentence, on any board."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from emails.languages.lexicon import whole_lexicon
from engine.board import Point, Space
from engine.notation.clauses import read_told
from engine.notation.lexer import BoardNames, Vocabulary

Named = TypeVar("Named")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


class _AnyName(Mapping[str, Named]):
    """Takes each word for a name but those that orders are made of."""

    def __init__(self, meant: Named, vocabulary: Vocabulary) -> None:
        self.meant = meant
        self.known = frozenset(
            word
            for words in (
                vocabulary.symbols,
                vocabulary.verbs,
                vocabulary.articles,
                vocabulary.own,
                vocabulary.passing,
                vocabulary.joining,
                vocabulary.following,
                vocabulary.give,
                vocabulary.taxes,
                vocabulary.cards,
                vocabulary.guards,
                vocabulary.points,
                vocabulary.turns,
            )
            for word in words
        )

    def __getitem__(self, word: str) -> Named:
        if word in self.known:
            raise KeyError(word)
        return self.meant

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __contains__(self, word: object) -> bool:
        return word not in self.known


@lru_cache(maxsize=1)
def _any_names(vocabulary: Vocabulary) -> BoardNames:
    return BoardNames({}, _AnyName(Space(0, 0), vocabulary), dict[str, Point](), {})


@lru_cache(maxsize=1)
def _words_of_orders(vocabulary: Vocabulary) -> frozenset[str]:
    """All words in which orders are told, but names."""
    spoken = (word for phrase in vocabulary.spoken for word in phrase)
    return _AnyName(None, vocabulary).known.union(spoken)


@lru_cache(maxsize=4096)
def is_told(line: str) -> bool:
    """Whether each part of a line tells orders, were all its unknown words with a capital names of places."""
    vocabulary = whole_lexicon().orders
    known = _words_of_orders(vocabulary)
    if not all(word[0].isupper() or word in known for word in WORD.findall(line)):
        return False
    names = _any_names(vocabulary)
    parts = [part.strip() for part in line.split(";") if part.strip()]
    return bool(parts) and all(read_told(part, {}, names, vocabulary) is not None for part in parts)
