"""What pages load besides themselves: the one style sheet, scripts, faces, the sun; all under one version.

The version is in the address, `/assets/<version>/…`, and changes when any file does. So browsers keep the
files for long, and a script finds the others it needs beside itself, in the version that belongs to it.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort, send_from_directory, url_for
from flask.typing import ResponseReturnValue

from server.web import faces

STATIC = Path(__file__).parent / "static"
STYLE = "style.css"
PARTS = (
    "frame",
    "forms",
    "lists",
    "board",
    "game",
    "march",
    "lands",
    "front",
    "joining",
    "mailbox",
    "settings",
    "account",
    "history",
    "rules",
    "print",
)
"""The parts of the one style sheet, as they follow one another: static/style/*.css."""
KINDS = {".svg": "image/svg+xml"}
"""What our files are; machines differ in what they know of that."""
SPARE = re.compile(r"/\*.*?\*/|(?<=[{};,:])\s+|\s+(?=[{}])|;(?=\s*\})", re.DOTALL)
"""What a style sheet says the same without: comments, and blanks where something begins or ends."""
MARGIN = re.compile(r"^\s+", re.MULTILINE)
REMARK = re.compile(r"^(?://.*|/\*\*.*\*/)\n| // .*$", re.MULTILINE)
"""The same of a script: how far a line is from the margin, and comments."""
KEPT = "public, max-age=31536000, immutable"
pages = Blueprint("assets", __name__)


@pages.get("/assets/<version>/<path:name>")
def one(version: str, name: str) -> ResponseReturnValue:
    """A file; one of an old version is given as it is now, and not kept."""
    if name.startswith("style/"):
        abort(404)
    at = Path(name)
    if name == STYLE:
        found = Response(style(), mimetype="text/css")
    elif at.suffix == ".woff2" and at.stem in faces.WRITTEN:
        found = Response(faces.face(at.stem), mimetype="font/woff2")
    elif at.suffix == ".js":
        found = Response(script(at.name), mimetype="text/javascript")
    else:
        found = send_from_directory(STATIC, name, mimetype=KINDS.get(at.suffix))
    found.headers["Cache-Control"] = KEPT if version == digest() else "no-store"
    return found


def asset(name: str) -> str:
    """The address of a file of ours, which changes when any file does."""
    return url_for("assets.one", version=digest(), name=name)


@cache
def style() -> str:
    """The one style sheet, without what is there for its readers alone."""
    whole = "\n".join((STATIC / "style" / f"{part}.css").read_text("utf-8") for part in PARTS)
    return SPARE.sub("", whole)


@cache
def script(name: str) -> str:
    """A script, without what is there for its readers alone; raises `NotFound` where there is none."""
    file = STATIC / name
    if not file.is_file():
        abort(404)
    return REMARK.sub("", MARGIN.sub("", file.read_text("utf-8")))


@cache
def digest() -> str:
    """The version of all these files together."""
    found = hashlib.sha256()
    for file in (*sorted(file for file in STATIC.rglob("*") if file.is_file()), *faces.WHOLE.values()):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:10]
