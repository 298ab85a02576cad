"""What people say around orders, by grammar: the remarks.toml of each language.

It has the tables and keys of English. What its classes of words are for stands in replies/remarks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.supported_languages import HERE
from emails.languages.toml_tables import Phrases, Words, read_file


@dataclass(frozen=True, slots=True)
class RemarkGrammar:
    """The grammar of remarks in one language."""

    tables: Mapping[str, Mapping[str, str]]
    """All of it, in small letters."""
    thanks: Phrases
    please: Words
    numbers: Mapping[str, int]


@cache
def read_remark_grammar(folder: Path) -> RemarkGrammar:
    """The grammar of remarks in the language of a folder. Raises `InvalidLanguage`."""
    file, english = read_file(folder / "remarks.toml"), read_file(HERE / "en/remarks.toml")
    file.check_keys(english.content)
    tables: dict[str, Mapping[str, str]] = {}
    single: dict[str, str] = {}
    for name, content in english.content.items():
        if isinstance(content, dict):
            table = file.table(name)
            table.check_keys(content)
            tables[name] = {key: table.text(key).casefold() for key in content}
        else:
            single[name] = file.text(name).casefold()
    courtesies = file.table("courtesies")
    return RemarkGrammar(
        {**tables, "": single},
        courtesies.phrases("thanks"),
        courtesies.words("please"),
        file.table("numbers").numbers(),
    )
