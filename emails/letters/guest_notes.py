"""The line of an organiser's own that goes to the guests of a game with their invitations.

It goes to people who have asked for nothing, in the name of somebody whom they may not know. So it is short,
it is one line, and nothing in it is a link or an address, nor becomes one in a mail program.
"""

from __future__ import annotations

from emails.i18n import gettext
from emails.names import holds_link
from emails.picture.palette import clean_name

LONGEST_NOTE = 200
"""Characters."""
LONGEST_READ = 1000
"""Characters of what is looked at before it is refused for its length."""


def tidy_note(text: str) -> str:
    """A line as it is kept: its blanks folded, and nothing in it that cannot be seen."""
    return clean_name(text[:LONGEST_READ], LONGEST_READ)


def find_note_fault(note: str) -> str | None:
    """Why a line cannot go to the guests, as a sentence to its writer; None where it can."""
    if len(note) > LONGEST_NOTE:
        return gettext(
            "The line to your guests has %(number)s characters: it may have %(most)s.",
            number=len(note),
            most=LONGEST_NOTE,
        )
    if holds_link(note):
        return gettext(
            "The line to your guests holds no link and no address: leave out what looks like one, "
            "and put a blank after each full stop."
        )
    return None
