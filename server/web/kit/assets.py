"""What pages load besides themselves: style sheets, scripts, fonts, the icon; all under one version.

The version is in the address, `/assets/<version>/…`, and changes when any file does. So browsers keep the
files for long, and a script finds the others it needs beside itself, in the version that belongs to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort, send_file, url_for
from flask.typing import ResponseReturnValue
from rcssmin import cssmin
from rjsmin import jsmin

from emails.picture import palette
from engine.cards import SYMBOLS
from server.web.kit import fonts

ROOMS = Path(__file__).parents[1]
"""The rooms of the pages; the files of each stand in its folder `static`, and no two have one name."""
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
"""The style sheets and their parts, as they follow one another; pages with a board do without the second."""
MIME_TYPES = {".svg": "image/svg+xml"}
"""What our files are; machines differ in what they know of that."""
CACHE_FOREVER = "public, max-age=31536000, immutable"
pages = Blueprint("assets", __name__)


@pages.get("/assets/<version>/<path:name>")
def serve_asset(version: str, name: str) -> ResponseReturnValue:
    """A file; one of an old version is given as it is now, and not kept."""
    at = Path(name)
    if name in STYLE_SHEETS:
        found = Response(build_style_sheet(name), mimetype="text/css")
    elif at.suffix == ".woff2" and at.stem in fonts.FONT_CHARACTERS:
        found = Response(fonts.subset_font(at.stem), mimetype="font/woff2")
    elif name not in asset_files() or at.suffix == ".css":
        abort(404)
    elif at.suffix == ".js":
        found = Response(build_script(name), mimetype="text/javascript")
    else:
        found = send_file(asset_files()[name], mimetype=MIME_TYPES.get(at.suffix))
    found.headers["Cache-Control"] = CACHE_FOREVER if version == assets_version() else "no-store"
    return found


def asset_url(name: str) -> str:
    """The address of a file of ours, which changes when any file does."""
    return url_for("assets.serve_asset", version=assets_version(), name=name)


@cache
def asset_files() -> Mapping[str, Path]:
    """Every file that pages load, by its name."""
    files = sorted(ROOMS.glob("*/static/*"))
    found = {file.name: file for file in files}
    if len(found) < len(files):
        raise ValueError("two files have one name")
    return found


@cache
def build_style_sheet(name: str) -> str:
    """A style sheet, without what is there for its readers alone."""
    parts = [asset_files()[f"{part}.css"].read_text("utf-8") for part in STYLE_SHEETS[name]]
    return str(cssmin("\n".join((board_colours(), *parts) if name == "style.css" else parts)))


def board_colours() -> str:
    """The colours of the board as custom properties, so that no style sheet writes one a second time."""
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
    """A script, without what is there for its readers alone."""
    return str(jsmin(asset_files()[name].read_text("utf-8")))


@cache
def assets_version() -> str:
    """The version of all these files together."""
    found = hashlib.sha256(board_colours().encode())
    for file in (*asset_files().values(), *fonts.FONT_SOURCES.values()):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:10]
