"""The print of a letter: what is said in it, in plain text and in HTML.

The words stand in templates/*.words, one file for each kind of letter, and are said in the language spoken;
how they are laid out stands in letter.txt, letter.html and style.css, which know no language. What strangers
wrote is escaped in the HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from textwrap import wrap

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from emails.i18n import current_locale, gettext, plural_form
from emails.languages.lexicon import Lexicon, is_told, say_orders, whole_lexicon
from emails.languages.supported_languages import REPLY_MARKERS
from emails.languages.toml_tables import match_words
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.subjects import subject_line
from emails.letters.transfer_encoding import encoded_size
from emails.picture import palette
from emails.wording import phrases
from emails.wording.options import Option, OptionGroup
from engine.notation.lexer import patterns_of

MOST_BODY_BYTES = 66_000
"""Bytes of text and HTML in a mail: what its picture leaves of 150 KB; some servers refuse more."""
MOST_OF_TEXT = 26_000
"""Bytes of the text part; it may be more only where the text without any choice already is."""
MOST_OF_HTML = 47_000
"""Bytes of the HTML: Gmail cuts at 102 KB, and links grow longer on their way through scanners."""
MOST_BUTTONS = 40
"""Choices in the HTML of a letter; its text has them all where there is room, and the page always."""
WIDTH = 78
"""Characters in a line of the text, other than links and orders."""
LONGEST_SENTENCE = 600
"""Characters of a sentence that may repeat what a stranger wrote."""
LONGEST_WORD = 60
"""Characters of one word in the text that may be a stranger's."""
QUOTED_WIDTH = 66
"""Characters in a line that quotes a player: no mail program needs to break it."""


@dataclass(frozen=True, slots=True)
class Letter:
    """What one reader is sent."""

    kind: LetterKind
    subject: str
    """What programs thread by; see subjects.py."""
    text: str
    html: str
    pictures: tuple[Picture, ...]
    choices: Mapping[str, str] = field(default_factory=dict)
    """What each letter or number in it stands for: orders in canonical English."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a letter; its PNG belongs where the HTML says `cid:` and the name."""

    name: str
    svg: str
    alt: str
    """What it shows, in words."""


ChoiceLinks = tuple[str, str]
"""The two links of a choice: to its page, and one that writes the mail."""


def render_letter(
    kind: LetterKind,
    name: str,
    parts: LetterParts,
    words: Mapping[str, object],
    offered: Sequence[OptionGroup] = (),
    linked: Callable[[Option], ChoiceLinks] = lambda _: ("", ""),
    subject: str = "",
    answered: bool = True,
) -> Letter:
    """The letter of one kind about the game called `name`, without its pictures.

    `words` is what its own template speaks of. Of what is offered it shows as much as there is room for.
    Without a `subject` it stands in no conversation about a turn. `answered`: whether answers are read; then
    it says where to write them.
    """
    title, language = subject or subject_line(name), current_locale().language
    given: dict[str, object] = {
        **{one.name: getattr(parts, one.name) for one in fields(parts)},
        "subject": title,
        "name": phrases.safe_name(name),
        "language": language,
        "marker": REPLY_MARKERS[language] if answered else "",
        **words,
    }
    total = sum(len(group.choices) for group in offered)
    plain, page = (made.get_template(f"{kind}.words") for made in (AS_TEXT, AS_HTML))

    def as_text(most: int) -> str:
        shown = trim_choices(offered, most)
        return plain.render(given, layout="letter.txt", groups=shown, hidden=total - most).rstrip() + "\n"

    def as_html(most: int) -> str:
        shown = [
            (group.heading, [(one, *linked(one)) for one in group.choices])
            for group in trim_choices(offered, most)
        ]
        return INLINER.inline(page.render(given, layout="letter.html", groups=shown, hidden=total - most))

    text = _fit_choices(as_text, total, MOST_OF_TEXT)
    html = _fit_choices(
        as_html, min(total, MOST_BUTTONS), min(MOST_OF_HTML, MOST_BODY_BYTES - encoded_size(text))
    )
    return Letter(kind, title, text, html, ())


def _fit_choices(made: Callable[[int], str], most: int, room: int) -> str:
    """A part with at most so many choices, and only as many as there is room for in its mail."""
    while True:
        part = made(most)
        size = encoded_size(part)
        if size <= room or most < 2:
            return part
        most = max(1, min(most - 1, most * room // size - 2))


def trim_choices(groups: Sequence[OptionGroup], most: int) -> list[OptionGroup]:
    """At most so many choices: the last ones of the longest groups go first, of the last such group."""
    left = [len(group.choices) for group in groups]
    for _ in range(sum(left) - most):
        left[max(range(len(left)), key=lambda group: (left[group], group))] -= 1
    pairs = zip(groups, left, strict=True)
    return [replace(group, choices=group.choices[:many]) for group, many in pairs if many]


def translate_order(order: str) -> str:
    """Canonical words as whoever is spoken to writes them."""
    return say_orders(order, current_locale().language)


# --- templates ------------------------------------------------------------------------------------------

TEMPLATES = Path(__file__).parent / "templates"


def _split_lines(text: str) -> list[str]:
    """The lines of a block, the empty ones left out; in HTML they stay marked as escaped."""
    return [line.strip() for line in text.splitlines() if line.strip()]


UNBROKEN = "\u00a0"
"""A blank at which no line is broken: the rest of a broken order could be read as an order of its own."""
LONGEST_UNBROKEN = 70
"""Characters of words that would have to stay together; what is longer is broken, and goes on behind "…"."""
LAST_WORDS = 3
"""At least so many stay together, if they are short: one or two alone in a line, "your cards." say, could be
a request (wording/requests.py)."""


@lru_cache(maxsize=16)
def _before_verb(lexicon: Lexicon) -> re.Pattern[str]:
    """A blank before what an order, or a line of days away, begins with in some language."""
    beginnings = match_words((*phrases.order_beginnings(), *lexicon.dates.away))
    before = patterns_of(lexicon.orders).before_order.pattern
    return re.compile(rf" {before}(?:(?:{beginnings})\b|\d)", re.IGNORECASE)


def _fold(text: str, indent: int = 0, first: str = "") -> str:
    """Words in lines of `WIDTH`, broken at blanks only, so that a path stays in one piece.

    No line but the first begins with a word that orders begin with, or with a number, which may be an answer,
    and none tells orders in a sentence.
    """
    if len(first or " " * indent) + len(text) <= WIDTH:
        return ((first or " " * indent) + text).replace(UNBROKEN, " ")
    pieces = _split_at_breaks(text)
    while True:
        lines, starts = _fill_lines(pieces, indent, first)
        told = next((at for line, at in zip(lines, starts, strict=True) if at and is_told(line.strip())), 0)
        if not told:
            return "\n".join(lines).replace(UNBROKEN, " ")
        pieces[told - 1 : told + 1] = [UNBROKEN.join(pieces[told - 1 : told + 1])]


def _fill_lines(pieces: Sequence[str], indent: int, first: str) -> tuple[list[str], list[int]]:
    """The lines, and with which piece each begins."""
    blank = " " * indent
    line = first or blank
    room = WIDTH - len(line)
    lines, starts = list[str](), [0]
    for at, word in enumerate(pieces):
        if len(word) > room and line.strip() not in ("", "*"):
            lines.append(line.rstrip())
            starts.append(at)
            line, room = blank, WIDTH - indent
        line += word + " "
        room -= len(word) + 1
    return [*lines, line.rstrip()], starts


def _split_at_breaks(text: str) -> list[str]:
    """The pieces between which a line may be broken."""
    found: list[str] = []
    pieces = _before_verb(whole_lexicon()).sub(lambda found: found[0].replace(" ", UNBROKEN), text).split(" ")
    while len(pieces) > 1 and pieces[-1].count(UNBROKEN) < LAST_WORDS - 1:
        if len(pieces[-2]) + len(pieces[-1]) > LONGEST_UNBROKEN // 2:
            break
        pieces[-2:] = [UNBROKEN.join(pieces[-2:])]
    for piece in pieces:
        if UNBROKEN in piece and len(piece) <= LONGEST_UNBROKEN:
            found.append(piece)
            continue
        words = (
            word if len(word) <= LONGEST_WORD else word[:LONGEST_WORD] + "…" for word in piece.split(UNBROKEN)
        )
        parts = wrap(" ".join(words), LONGEST_UNBROKEN, break_long_words=False, break_on_hyphens=False)
        found += (part.replace(" ", UNBROKEN) for part in "\n…".join(parts).split("\n"))
    return found


def _mark_item(text: str) -> str:
    """An item of a list: the star makes sure that it is no order."""
    return _fold(text, 4, "  * ")


def _quote(text: str) -> str:
    """What somebody else wrote: each line is marked, so that none of it is an order or anything of ours."""
    return "\n".join(f"  | {line}" for line in wrap(text, QUOTED_WIDTH, break_on_hyphens=False))


def _environment(*, html: bool) -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=html,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.install_gettext_callables(gettext, plural_form, newstyle=True)  # type: ignore[attr-defined]
    made.filters |= {
        "begun": phrases.capitalize_first,
        "folded": _fold,
        "item": _mark_item,
        "lines": _split_lines,
        "listed": phrases.format_list,
        "ordered": translate_order,
        "quote_word": "“{}”".format,
        "quoted": _quote,
        "spelled": phrases.spell_number,
        "whole": lambda order: order if html else order.replace(" ", UNBROKEN),
    }
    return made


AS_TEXT, AS_HTML = _environment(html=False), _environment(html=True)
STYLE = AS_TEXT.get_template("style.css").render(colour=vars(palette))
AS_HTML.globals["style"] = STYLE
INLINER = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False, minify_css=True)
"""Many mail programs drop style sheets and keep styles within tags."""
