"""Mails as mail programs build them: what somebody wrote, in the shape of a program and a language.

What each program does stands in corpus/programs.toml. Nobody's mail was taken for it.
"""

import base64
import html
import quopri
import re
import textwrap
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from inscriptis import get_text
from inscriptis.model.config import ParserConfig

CORPUS = Path(__file__).parent / "corpus"
PROGRAMS: dict[str, dict[str, Any]] = tomllib.loads((CORPUS / "programs.toml").read_text("utf-8"))
OURS = "play+mfzwk3tl2nsw6@play.example.org"


@dataclass(frozen=True, slots=True)
class Quoted:
    """The mail that is answered."""

    who: str
    address: str
    text: str
    page: str

    @property
    def turned(self) -> str:
        """Its HTML as a program turns it into text, which is not the text that came with it."""
        return _turned(self.page)


@cache
def _turned(page: str) -> str:
    text = get_text(page, ParserConfig(display_images=True))
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def quoted_text(who: str, address: str, text: str) -> Quoted:
    """A mail of plain text, which programs quote in HTML line by line."""
    lines = (f"<div>{html.escape(line) or '<br>'}</div>" for line in text.splitlines())
    return Quoted(who, address, text, "\n".join(lines))


def tongues(program: str) -> list[str]:
    """The languages in which a program is known to quote."""
    tables = [PROGRAMS[program].get(key, {}) for key in ("wrote", "heads", "sent")]
    return sorted(set[str]().union(*tables)) or ["en"]


def rendered(
    program: str,
    tongue: str,
    words: str,
    answered: Quoted,
    writer: str = "anna",
    place: str = "above",
    coding: str = "",
) -> bytes:
    """The whole mail. `place`: where its words stand: above or below what it quotes, or alone.

    `coding`: the transfer encoding, where it is not the program's own.
    """
    shape = PROGRAMS[program] | ({"coding": coding} if coding else {})
    known = {key: shape.get(key, {}).get(tongue, "") for key in ("wrote", "sent", "heads")}
    names = {"who": answered.who, "address": answered.address, "writer": writer}
    known = {key: _filled(text, names) for key, text in known.items()} | names
    head = [
        f"From: {writer.title()} <{writer}@example.org>",
        f"To: Alexandros <{OURS}>",
        "Subject: Re: Larissa war",
        "Date: Tue, 3 Nov 2026 10:01:00 +0100",
        f"Message-ID: <{program}.{tongue}.{writer}@mua.example.org>",
        "In-Reply-To: <g1.7.anna.turn@letters.example.org>",
        "References: <g1.0.anna.turn@letters.example.org>\n <g1.7.anna.turn@letters.example.org>",
        "MIME-Version: 1.0",
        *shape.get("top", []),
    ]
    plain = _part(shape, "plain", _plain(shape, words, answered, known, place))
    if shape["form"] == "plain":
        entity = plain
    else:
        page = _part(shape, "html", _page(shape, words, answered, known, place))
        entity = page if shape["form"] == "html" else _alternative(shape["boundary"], plain, page)
    return ("\n".join(head) + "\n").replace("\n", "\r\n").encode() + entity


def _alternative(boundary: str, *parts: bytes) -> bytes:
    mark = boundary.encode()
    inside = b"".join(b"--" + mark + b"\r\n" + part + b"\r\n" for part in parts)
    head = b'Content-Type: multipart/alternative;\r\n boundary="' + mark + b'"\r\n\r\n'
    return head + inside + b"--" + mark + b"--\r\n"


def _filled(template: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), template)


def _plain(shape: dict[str, Any], words: str, answered: Quoted, known: dict[str, str], place: str) -> str:
    if "text" not in shape:
        return ""
    prefix, width = shape.get("prefix", ""), shape.get("width", 0)
    flowed = bool(shape.get("flowed"))
    text = answered.turned if shape.get("turns") else answered.text
    if flowed:
        words = "\n".join(_soft(line, width or 72, shape) for line in words.splitlines())
    quoted = "\n".join(_marked(line, prefix, width, flowed) for line in text.splitlines())
    wrote = "\n".join(_marked(line, prefix, 0, flowed) for line in known["wrote"].splitlines())
    if width and not flowed and len(known["wrote"]) > width:
        known = known | {"wrote": "\n".join(textwrap.wrap(known["wrote"], width))}
    template = {"above": shape["text"], "below": shape.get("below", ""), "alone": "{words}\n"}[place]
    values = {**known, "words": words, "quoted": quoted, "letter": text}
    return _filled(template, values | {"quoted_wrote": wrote})


def _marked(line: str, prefix: str, width: int, flowed: bool) -> str:
    """A quoted line; programs that wrap put the prefix before each piece, or in flowed text a soft break."""
    mark = prefix.rstrip(" ") if not line else prefix
    if width and len(line) > width:
        pieces = textwrap.wrap(line, width, drop_whitespace=True, break_on_hyphens=False)
        return (" \n" if flowed else "\n").join(mark + piece for piece in pieces)
    return mark + line.rstrip(" ") if flowed else mark + line


def _soft(line: str, width: int, shape: dict[str, Any]) -> str:
    stuffed = f" {line}" if re.match(r" |>|From ", line) else line
    pieces = textwrap.wrap(stuffed, width, break_on_hyphens=False) or [""]
    return ("  \n" if shape.get("delsp") else " \n").join(pieces)


def _page(shape: dict[str, Any], words: str, answered: Quoted, known: dict[str, str], place: str) -> str:
    shown = (html.escape(line, quote=False) or "<br>" for line in words.splitlines())
    own = "".join(shape["line"].replace("{}", line) for line in shown)
    if place == "alone":
        return f"<html><body>{own}</body></html>"
    given = {key: _shown(text) if key in ("wrote", "sent", "heads") else text for key, text in known.items()}
    return _filled(shape["page"], {**given, "words": own, "letter": answered.page})


def _shown(text: str) -> str:
    """Plain text as a program puts it into HTML; what is HTML stays."""
    if re.search(r"<b>|<br|&lt;|<a ", text):
        return text
    return html.escape(text, quote=False).replace("\n", "<br>\n")


def _part(shape: dict[str, Any], kind: str, text: str) -> bytes:
    charset, coding = shape.get("charset", "utf-8"), shape["coding"]
    try:
        data = text.encode(charset)
    except UnicodeEncodeError:  # as programs do: what the chosen charset has not goes out as UTF-8
        charset, data = "utf-8", text.encode()
    if coding == "7bit" and not data.isascii():
        coding = "8bit"
    params = f"; charset={charset}" if kind == "plain" else f'; charset="{charset}"'
    if kind == "plain" and shape.get("flowed"):
        params += "; format=flowed" + ("; delsp=yes" if shape.get("delsp") else "")
    if coding.strip() == "base64":
        body = base64.encodebytes(data.replace(b"\n", b"\r\n"))
    elif coding.strip() == "quoted-printable":
        body = quopri.encodestring(data)
    else:
        body = data
    head = f"Content-Type: text/{kind}{params}\nContent-Transfer-Encoding: {coding}\n\n"
    return (head.encode() + body).replace(b"\n", b"\r\n")


@cache
def rows() -> tuple[tuple[str, ...], ...]:
    """The rows of the table of mails: program, language, saying, place, what is answered, outcome."""
    table = tomllib.loads((CORPUS / "mails.toml").read_text("utf-8"))["mails"]
    found = (tuple(line.split()) for line in table.splitlines())
    return tuple(row for row in found if row and not row[0].startswith("#"))
