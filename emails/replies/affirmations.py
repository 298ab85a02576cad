"""The words by which people say yes or no in English and in Dutch: to an invitation, an address, a game."""

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


NO_PHRASES = frozenset(
    " ".join(phrase.split())
    for phrase in """
    no, no thanks, no thank you, thanks no, nope, decline, i decline, declined, please decline, not me,
    not this time, i will not play, i won t play, i ll not play, no i will not play, i don t want to play,
    i do not want to play, count me out, nee, nee dank je, nee dank u, nee bedankt, nee dankjewel,
    liever niet, nee liever niet, ik doe niet mee, nee ik doe niet mee, ik speel niet mee,
    afwijzen, ik wijs af, afgewezen
    """.split(",")
)
"""The lines that decline an invitation and cannot be mistaken."""


def says_no(line: str) -> bool:
    """Whether a line says no and nothing else."""
    return normalise_line(line) in NO_PHRASES


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
