"""The words by which people say yes, in English and in Dutch: to an invitation, an address, a new game."""

from __future__ import annotations

from collections.abc import Collection

YES_PHRASES = frozenset(
    " ".join(phrase.split())
    for phrase in """
    yes, yes please, yes thanks, yes thank you, yes of course, yes i do, of course, sure, yep, yeah, ok, okay,
    ok yes, yes ok, ok thanks, fine, all right, alright, gladly, agreed, i agree, accept, i accept,
    yes i accept, accept please, please accept, accepted, confirm, i confirm, yes i confirm, confirmed,
    ja, ja graag, graag, heel graag, ja hoor, ja dank je, ja bedankt, ja natuurlijk, natuurlijk, oké, oke,
    ja oké, ok ja, ja ok, prima, ja prima, goed, ja goed, is goed, dat is goed, akkoord, ja akkoord,
    ik ga akkoord, accepteer, ik accepteer, ja ik accepteer, bevestig, ik bevestig, ja ik bevestig, bevestigd
    """.split(",")
)
"""The lines that cannot be mistaken, in small letters and without signs."""
YES_WORDS = frozenset("yes ok okay sure yep yeah accept confirm ja oké oke graag prima akkoord".split())


def says_yes(line: str, own: Collection[str] = ()) -> bool:
    """Whether a line says yes and nothing else. `own`: other words that say so to what was asked."""
    plain = normalise_line(line)
    return plain in YES_PHRASES or plain in own


def begins_with_yes(line: str) -> bool:
    """Whether a line begins as one that says yes, whatever follows."""
    return normalise_line(line).partition(" ")[0] in YES_WORDS


def normalise_line(line: str) -> str:
    """A line in small letters, its signs left out."""
    return " ".join("".join(char if char.isalnum() else " " for char in line.casefold()).split())
