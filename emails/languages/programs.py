"""What mail programs write by themselves: the programs.toml of each language, and one of all others.

People's programs speak other languages than they do, so all of it is looked for in every mail.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emails.languages.supported_languages import HERE, folder_of
from emails.languages.toml_tables import Expressions, join_fields, read_fields, read_file


@dataclass(frozen=True, slots=True, eq=False)
class ProgramWords:
    """Patterns of what mail programs write."""

    wrote: Expressions
    """In the line that says who wrote what is quoted."""
    wrote_begins: Expressions
    """The first word of such a line."""
    headings: Expressions
    """Of an old mail that is copied whole."""
    own_lines: Expressions
    """How a line begins that a program adds below: "Sent from my telephone"."""
    reply_prefixes: Expressions
    """Before the subject of an answer, without the colon."""
    bounced: Expressions
    """How the subject begins of a mail that came back."""
    automatic: Expressions
    """How the subject begins of what a program writes while its owner is away."""


@cache
def read_programs(file: Path) -> ProgramWords:
    """What a file knows of mail programs. Raises `InvalidLanguage`."""
    return read_fields(ProgramWords, read_file(file))


@cache
def join_programs(languages: tuple[str, ...]) -> ProgramWords:
    """What is known of mail programs that speak these languages."""
    files = (HERE, *map(folder_of, languages))
    return join_fields(tuple(read_programs(folder / "programs.toml") for folder in files))
