"""The two faces in which the board is written, so that it looks as in the letters."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue

from emails.raster import FONT_FILES

pages = Blueprint("fonts", __name__)
FACES = {"bold": 0, "italic": 1}


@pages.get("/font/<face>.ttf")
def font(face: str) -> ResponseReturnValue:
    """A face; browsers keep it."""
    if face not in FACES:
        abort(404)
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    answer = Response(_file(face, packed), mimetype="font/ttf")
    answer.headers["Cache-Control"] = "public, max-age=2592000, immutable"
    answer.headers["Vary"] = "Accept-Encoding"
    if packed:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


@cache
def _file(face: str, packed: bool) -> bytes:
    whole = Path(FONT_FILES[FACES[face]]).read_bytes()
    return gzip.compress(whole, mtime=0) if packed else whole
