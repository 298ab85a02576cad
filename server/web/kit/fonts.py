"""The two faces of the pages, cut out of the whole ones that letters are drawn with, for what we write.

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
WRITTEN = {
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
WHOLE = dict(zip(WRITTEN, map(Path, FONT_FILES), strict=True))
BY_ITSELF = ["ccmp", "kern", "liga", "locl", "mark", "mkmk"]
"""Features of a face that a browser uses unasked."""
COPYRIGHT, LICENCE, LICENCE_ADDRESS = 0, 13, 14
_CUTTING = Lock()


def face(name: str) -> bytes:
    """A face, `bold` or `italic`, as WOFF2; whoever asks while it is being cut waits for it."""
    with _CUTTING:
        return _cut(name)


def cut_all() -> None:
    """Cut all faces before anybody asks."""
    for name in WRITTEN:
        face(name)


@cache
def _cut(name: str) -> bytes:
    """A face with these characters only, and of its names only whose it is and who may use it."""
    options = subset.Options(
        flavor="woff2",
        hinting=False,  # screens of today smooth letters without it
        layout_features=BY_ITSELF,
        name_IDs=[COPYRIGHT, LICENCE, LICENCE_ADDRESS],
        notdef_outline=True,
    )
    stored = BytesIO()
    with subset.load_font(str(WHOLE[name]), options) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=WRITTEN[name])
        cutter.subset(font)
        subset.save_font(font, stored, options)
    return stored.getvalue()
