"""The print of a letter: what is said in it, in plain text and in HTML.

The words stand in templates/en, one file for each kind of letter; how they are laid out stands in letter.txt,
letter.html and style.css, which know no language. What strangers wrote is escaped in the HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from emails import palette, wording
from emails.choices import Choice, Group
from emails.marker import MARKER
from engine.notation import VERBS

MOST_BYTES = 60_000
"""Of the HTML of a letter: Gmail cuts at 102 KB, and links grow longer on their way through scanners."""
MOST_BUTTONS = 40
"""Choices in the HTML of a letter; its text and the page have them all."""
WIDTH = 78
"""Characters in a line of the text, other than links and answers."""
LONGEST_WORD = 60
"""Characters of one word in the text that may be a stranger's."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What one reader is sent."""

    kind: str
    """The name of the function in letters.py that made it."""
    subject: str
    """The same for every letter of a game, so that mail programs show one thread."""
    text: str
    html: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a letter; its PNG belongs where the HTML says `cid:` and the name."""

    name: str
    svg: str
    alt: str
    """What it shows, in words."""


Links = tuple[str, str]
"""For one choice its link, and the link that writes the mail; that one is empty where the page must ask."""


def subject(name: str) -> str:
    """The subject of every letter of a game; `name` is empty for a letter about no game."""
    return f"Alexandros: {wording.shown(name)}" if name else "Alexandros"


def printed(
    kind: str,
    name: str,
    facts: Mapping[str, object],
    offered: Sequence[Group] = (),
    linked: Callable[[Choice], Links] = lambda _: ("", ""),
) -> Letter:
    """The letter of one kind about the game called `name`, without its picture.

    `facts` are what its words speak of. Of what is offered the HTML shows as much as there is room for.
    """
    title = subject(name)
    given = {**NOTHING, "subject": title, "name": wording.shown(name), **facts}
    words = f"{LANGUAGE}/{kind}.words"
    text = AS_TEXT.get_template(words).render(given, layout="letter.txt", groups=offered).rstrip()
    buttons = AS_HTML.get_template(words)
    total = sum(len(group.choices) for group in offered)
    most = min(total, MOST_BUTTONS)
    while True:
        shown = [
            (group.heading, [(one, *linked(one)) for one in group.choices]) for group in cut(offered, most)
        ]
        html = buttons.render(given, layout="letter.html", groups=shown, hidden=total - most)
        html = INLINER.inline(html)
        size = len(html.encode())
        if size <= MOST_BYTES or not most:
            return Letter(kind, title, text + "\n", html, ())
        most = max(0, min(most - 1, most * MOST_BYTES // size - 2))


def cut(groups: Sequence[Group], most: int) -> list[Group]:
    """At most so many choices: the last ones of the longest groups go first."""
    left = [len(group.choices) for group in groups]
    for _ in range(sum(left) - most):
        left[max(range(len(left)), key=left.__getitem__)] -= 1
    pairs = zip(groups, left, strict=True)
    return [replace(group, choices=group.choices[:many]) for group, many in pairs if many]


# --- templates ------------------------------------------------------------------------------------------

TEMPLATES = Path(__file__).parent / "templates"
LANGUAGE = "en"
NOTHING: Mapping[str, object] = {
    "view": None,
    "since": (),
    "done": (),
    "undone": (),
    "hidden": 0,
    "numbered": False,
    "first": False,
    "rules": False,
    "middle": False,
    "time": "",
    "deadline": "",
    "page": "",
    "alt": "",
    "black": 0,
    "winning": 0,
    "summary": "",
}
"""What a letter says nothing of, unless it is given more."""


def _lines(words: str) -> list[str]:
    """The lines of a block, the empty ones left out; in HTML they stay marked as escaped."""
    return [line.strip() for line in words.splitlines() if line.strip()]


VERB = re.compile(rf" ((?:{'|'.join(VERBS)})\b)", re.IGNORECASE)
UNBROKEN = "\u00a0"
"""A blank at which no line is broken: the rest of a broken order could be read as an order of its own."""


def _folded(words: str, indent: int = 0, first: str = "") -> str:
    """Words in lines of `WIDTH`, broken at blanks only, so that a path stays in one piece.

    No line but the first begins with a word that orders begin with.
    """
    blank = " " * indent
    line = first or blank
    if len(line) + len(words) <= WIDTH:
        return (line + words).replace(UNBROKEN, " ")
    lines, room = [], WIDTH - len(line)
    for piece in VERB.sub(lambda found: UNBROKEN + found[1], words).split(" "):
        word = piece if len(piece) <= LONGEST_WORD or UNBROKEN in piece else piece[:LONGEST_WORD] + "…"
        if len(word) > room and line.strip() not in ("", "*"):
            lines.append(line.rstrip())
            line, room = blank, WIDTH - indent
        line += word + " "
        room -= len(word) + 1
    return "\n".join((*lines, line.rstrip())).replace(UNBROKEN, " ")


def _item(words: str) -> str:
    """An item of a list: the star makes sure that it is no order."""
    return _folded(words, 4, "  * ")


def _environment(*, html: bool) -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {"marker": MARKER, "language": LANGUAGE}
    made.filters |= {
        "begun": wording.begun,
        "counted": wording.counted,
        "folded": _folded,
        "item": _item,
        "lines": _lines,
        "whole": lambda order: order if html else order.replace(" ", UNBROKEN),
        "listed": wording.listed,
    }
    return made


AS_TEXT, AS_HTML = _environment(html=False), _environment(html=True)
STYLE = AS_TEXT.get_template("style.css").render(colour=vars(palette))
AS_HTML.globals["style"] = STYLE
INLINER = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
"""Many mail programs drop style sheets and keep styles within tags."""
