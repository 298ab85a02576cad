"""The markers of every letter: the line above which answers are written, and the header of our own.

Whoever answers a letter writes above the marker; all below it is the old letter. It is short, since mail
programs break long lines, and it stands in a file of its own because those who write letters and those who
read replies both need it.
"""

from typing import Final

from emails.languages import supported_languages

REPLY_MARKERS: Final = supported_languages.REPLY_MARKERS
"""For each language what stands as a line of its own at the top of each letter, in its text and its HTML."""

OWN_HEADER: Final = "X-Alexandros"
"""Every letter of ours carries a header of this name, whatever its value; a mail with it is never played."""
