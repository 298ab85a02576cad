"""A matrix of outcomes of mails; `python -m tests.emails.replies.matrix` prints it.

Its rows are programs and languages, its columns places of the words, encodings and kinds of words.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import click

from tests.emails.replies.consequences import game_letter, outcome
from tests.emails.replies.shapes import PROGRAMS, rendered, tongues

WORDS = {
    "orders": ("choose amphora", "march Pura I29-I27-J26"),
    "orders and a name": ("choose amphora", "march Pura I29-I27-J26", "", "Anna"),
    "orders and a doubt": ("choose amphora", "march Pura I29-I27-J26", "", "no, wait"),
}
PLACES = ("above", "below", "alone")
CODINGS = ("", "7bit", "8bit", "quoted-printable", "base64", "base64 ", "quoted-printable ")
"""Transfer encodings; empty for the program's own."""


class Fate(StrEnum):
    PLAYED = "."
    ASKED = "?"
    UNREAD = "-"
    WRONG = "!"


@dataclass(frozen=True, slots=True)
class Cell:
    program: str
    tongue: str
    place: str
    coding: str
    words: str

    @property
    def raw(self) -> bytes:
        return rendered(
            self.program,
            self.tongue,
            "\n".join(WORDS[self.words]),
            game_letter("card"),
            place=self.place,
            coding=self.coding,
        )

    @property
    def fate(self) -> Fate:
        found = outcome(self.raw, "card", game_letter("card").text)
        if found.done:
            ordered = tuple(one.split()[0] for one in found.done) == ("choose", "march")
            return Fate.PLAYED if ordered and "doubt" not in self.words else Fate.WRONG
        return Fate.ASKED if found.reply.doubtful else Fate.UNREAD


def cells(*programs: str) -> Iterator[Cell]:
    """All cells of some programs, by default of all."""
    for program in programs or PROGRAMS:
        places = [one for one in PLACES if one != "below" or PROGRAMS[program].get("below")]
        for tongue in tongues(program):
            for place in places:
                for coding in CODINGS:
                    yield from (Cell(program, tongue, place, coding, words) for words in WORDS)


def print_matrix() -> None:
    """Print a line for each program and language."""
    columns = (PLACES, [coding or "own" for coding in CODINGS], WORDS)
    click.echo("Columns: " + "; ".join(map(", ".join, columns)))
    click.echo("Signs: " + ", ".join(f"{one} {one.name.lower()}" for one in Fate))
    counts = Counter[Fate]()
    for program in PROGRAMS:
        rows = defaultdict[str, str](str)
        for cell in cells(program):
            fate = cell.fate
            counts[fate] += 1
            rows[f"{program} {cell.tongue} {cell.place}"] += fate
        for name, fates in rows.items():
            click.echo(f"{name:30} {fates}")
    click.echo(", ".join(f"{one.name.lower()} {counts[one]}" for one in Fate))


if __name__ == "__main__":
    print_matrix()
