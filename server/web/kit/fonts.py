"""The two web fonts: subsets of the fonts in the pictures of letters, with the characters we use.

The whole ones have 290 KB each, the cut ones 7 and 14. A face is cut once, when the server starts or when
somebody asks first, which takes half a second.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path
from threading import Lock

from fontTools import subset

from emails.picture.png import FONT_FILES

ASCII = range(0x20, 0x7F)
FONT_CHARACTERS = {
    "bold": (
        *ASCII,
        *range(0xA0, 0x180),  # Latin-1 and Latin Extended-A: the languages of Europe in Latin letters
        *range(0x2010, 0x203B),  # dashes, quotation marks, bullets, dots
        *(0x20AC, 0x2212),  # euro, minus
        *range(0x2190, 0x2194),  # arrows
    ),
    "italic": tuple(ASCII),
}
"""The bold face is that of headings and numbers; the other one writes the names on the board alone."""
FONT_SOURCES = dict(zip(FONT_CHARACTERS, map(Path, FONT_FILES), strict=True))
LAYOUT_FEATURES = ["ccmp", "kern", "liga", "locl", "mark", "mkmk"]
"""Features of a face that a browser uses unasked."""
COPYRIGHT_NAME_ID, LICENCE_NAME_ID, LICENCE_URL_NAME_ID = 0, 13, 14
_SUBSET_LOCK = Lock()


def subset_font(name: str) -> bytes:
    """A face, `bold` or `italic`, as WOFF2; whoever asks while it is being cut waits for it."""
    with _SUBSET_LOCK:
        return _make_subset(name)


def subset_all_fonts() -> None:
    """Cut all faces before anybody asks."""
    for name in FONT_CHARACTERS:
        subset_font(name)


@cache
def _make_subset(name: str) -> bytes:
    """A font with these characters alone; of its name records the copyright and the licence stay."""
    options = subset.Options(
        flavor="woff2",
        hinting=False,  # screens of today smooth letters without it
        layout_features=LAYOUT_FEATURES,
        name_IDs=[COPYRIGHT_NAME_ID, LICENCE_NAME_ID, LICENCE_URL_NAME_ID],
        notdef_outline=True,
    )
    stored = BytesIO()
    with subset.load_font(str(FONT_SOURCES[name]), options) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=FONT_CHARACTERS[name])
        cutter.subset(font)
        subset.save_font(font, stored, options)
    return stored.getvalue()
