"""Style sheets, scripts, fonts and the icon of the pages, served under one version.

The version is part of each address, `/assets/<version>/…`, and changes when any file changes. So browsers
cache the files for a year, and scripts import scripts of their own version by relative paths. The fonts are
subsets of the fonts for pictures in letters: 7 and 14 KB instead of 290, each built once per process in half
a second.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from threading import Lock

from flask import Blueprint, Response, abort, send_file, url_for
from flask.typing import ResponseReturnValue
from fontTools import subset
from rcssmin import cssmin
from rjsmin import jsmin

from emails.picture import palette
from emails.picture.labels import FONT_FILES
from engine.cards import SYMBOLS

ASCII = range(0x20, 0x7F)
FONT_CHARACTERS = {
    "bold": (
        *ASCII,
        *range(0xA0, 0x180),  # Latin-1 and Latin Extended-A, for the languages of Europe in Latin letters
        *range(0x2010, 0x203B),  # dashes, quotation marks, bullets, dots
        *(0x20AC, 0x2212),  # euro, minus
        *range(0x2190, 0x2194),  # arrows
    ),
    "italic": tuple(ASCII),
}
"""Characters of each font face. Bold is for headings and numbers, italic only for names on the board."""
FONT_SOURCES = dict(zip(FONT_CHARACTERS, map(Path, FONT_FILES), strict=True))
LAYOUT_FEATURES = ["ccmp", "kern", "liga", "locl", "mark", "mkmk"]
COPYRIGHT_NAME_ID, LICENCE_NAME_ID, LICENCE_URL_NAME_ID = 0, 13, 14
_SUBSET_LOCK = Lock()


def subset_font(name: str) -> bytes:
    """Return a font face, `bold` or `italic`, as WOFF2; wait while another thread builds the face."""
    with _SUBSET_LOCK:
        return _make_subset(name)


def subset_all_fonts() -> None:
    """Build all font faces, so that no request waits for them."""
    for name in FONT_CHARACTERS:
        subset_font(name)


@cache
def _make_subset(name: str) -> bytes:
    options = subset.Options(
        flavor="woff2",
        hinting=False,  # modern screens do not use it
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


ROOMS = Path(__file__).parents[1]  # the package server/web; files in its folders `*/static` have unique names
STYLE_SHEETS: Mapping[str, tuple[str, ...]] = {
    "style.css": (
        "frame",
        "forms",
        "lists",
        "board",
        "game",
        "march",
        "dock",
        "lands",
        "joining",
        "settings",
        "account",
        "history",
        "recap",
        "print",
    ),
    "reading.css": ("front", "mailbox", "rules", "privacy"),
}
"""The parts of each style sheet, in order. Pages with a board load only style.css, other pages both."""
MIME_TYPES = {".svg": "image/svg+xml"}
CACHE_FOREVER = "public, max-age=31536000, immutable"
pages = Blueprint("assets", __name__)


@pages.get("/assets/<version>/<path:name>")
def serve_asset(version: str, name: str) -> ResponseReturnValue:
    """Serve a file. Under an outdated version, serve the current file uncached."""
    at = Path(name)
    if name in STYLE_SHEETS:
        found = Response(build_style_sheet(name), mimetype="text/css")
    elif at.suffix == ".woff2" and at.stem in FONT_CHARACTERS:
        found = Response(subset_font(at.stem), mimetype="font/woff2")
    elif name not in asset_files() or at.suffix == ".css":
        abort(404)
    elif at.suffix == ".js":
        found = Response(build_script(name), mimetype="text/javascript")
    else:
        found = send_file(asset_files()[name], mimetype=MIME_TYPES.get(at.suffix))
    found.headers["Cache-Control"] = CACHE_FOREVER if version == assets_version() else "no-store"
    return found


def asset_url(name: str) -> str:
    return url_for("assets.serve_asset", version=assets_version(), name=name)


@cache
def asset_files() -> Mapping[str, Path]:
    files = sorted(ROOMS.glob("*/static/*"))
    found = {file.name: file for file in files}
    if len(found) < len(files):
        raise ValueError("two files have one name")
    return found


@cache
def build_style_sheet(name: str) -> str:
    parts = [asset_files()[f"{part}.css"].read_text("utf-8") for part in STYLE_SHEETS[name]]
    return str(cssmin("\n".join((board_colours(), *parts) if name == "style.css" else parts)))


def board_colours() -> str:
    found = {
        "map-paper": palette.PAPER,
        "map-ink": palette.INK,
        "choice": palette.CHOICE,
        "alexander": palette.PURPLE,
        "sun": palette.SUN,
        **{f"symbol-{card}": colour for card, colour in zip(SYMBOLS, palette.SYMBOL_COLOURS, strict=True)},
    }
    return f":root {{ {' '.join(f'--{name}: {colour};' for name, colour in found.items())} }}"


@cache
def build_script(name: str) -> str:
    return str(jsmin(asset_files()[name].read_text("utf-8")))


@cache
def assets_version() -> str:
    found = hashlib.sha256(board_colours().encode())
    for file in (*asset_files().values(), *FONT_SOURCES.values()):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:10]
