"""What pages load besides themselves: the one style sheet, scripts, the sun; all under one version.

The version is in the address, `/assets/<version>/…`, and changes when any file does. So browsers keep the
files for long, and a script finds the others it needs beside itself, in the version that belongs to it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort, send_from_directory, url_for
from flask.typing import ResponseReturnValue

STATIC = Path(__file__).parent / "static"
STYLE = "style.css"
PARTS = ("frame", "forms", "lists", "board", "game", "front", "mailbox", "settings", "print")
"""The parts of the one style sheet, as they follow one another: static/style/*.css."""
KEPT = "public, max-age=31536000, immutable"
pages = Blueprint("assets", __name__)


@pages.get("/assets/<version>/<path:name>")
def one(version: str, name: str) -> ResponseReturnValue:
    """A file; one of an old version is given as it is now, and not kept."""
    if name.startswith("style/"):
        abort(404)
    found = Response(style(), mimetype="text/css") if name == STYLE else send_from_directory(STATIC, name)
    found.headers["Cache-Control"] = KEPT if version == digest() else "no-store"
    return found


def asset(name: str) -> str:
    """The address of a file of ours, which changes when any file does."""
    return url_for("assets.one", version=digest(), name=name)


@cache
def style() -> str:
    """The one style sheet."""
    return "\n".join((STATIC / "style" / f"{part}.css").read_text("utf-8") for part in PARTS)


@cache
def digest() -> str:
    """The version of all these files together."""
    found = hashlib.sha256()
    for file in sorted(file for file in STATIC.rglob("*") if file.is_file()):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:10]
