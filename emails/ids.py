"""Two signs on every letter that the house itself knows again: where to write, and that the letter is ours.

Whoever answers a letter writes above the marker; all below it is the old letter. It is short, since mail
programs break long lines, and it stands in a file of its own because those who write letters and those who
read replies both need it.
"""

from collections.abc import Mapping
from typing import Final

REPLY_MARKER: Final = "--- Write above this line ---"
"""Stands as a line of its own at the top of each letter, in the text and in the HTML. Under 40 characters."""

REPLY_MARKERS: Final[Mapping[str, str]] = {"en": REPLY_MARKER, "nl": "--- Schrijf boven deze regel ---"}
"""The same for each language in which letters are written."""

OWN_HEADER: Final = "X-Alexandros"
"""Every letter of ours carries a header of this name, whatever its value; a mail with it is never played."""
