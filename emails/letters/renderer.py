"""The renderer: prints a letter as plain text and HTML, and packs it as a MIME message."""

from __future__ import annotations

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from email.policy import SMTP
from email.utils import format_datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from textwrap import wrap

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from emails.i18n import current_locale, gettext, plural_form
from emails.keys import encode_base32
from emails.languages.lexicon import Lexicon, is_told, say_orders, whole_lexicon
from emails.languages.supported_languages import REPLY_MARKERS
from emails.languages.toml_tables import match_words
from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts, subject_line
from emails.names import plain_name
from emails.picture import palette
from emails.picture.png import MAX_BYTES, cached_png
from emails.tokens import OWN_HEADER
from emails.wording import phrases
from emails.wording.options import Option, OptionGroup
from engine.notation.lexer import patterns_of

BASE64_GROWTH = 1.35
"""How much longer base64 makes everything, its line ends counted."""


@lru_cache(maxsize=4)
def encode_text(text: str) -> tuple[str, bytes]:
    """Words in the coding that suits them, and its name; its lines end with CR LF.

    Quoted-printable triples what is not ASCII. Base64 makes everything longer by three eighths, and hides it
    from whoever looks at the mail itself: only where it is clearly shorter.
    """
    lines = "\r\n".join(text.split("\n")).encode()
    quoted = b2a_qp(lines, istext=True) + b"\r\n"
    if len(quoted) < BASE64_GROWTH * len(lines):
        return "quoted-printable", quoted
    whole = encode_base64(lines)
    return ("base64", whole) if len(whole) < 0.9 * len(quoted) else ("quoted-printable", quoted)


def encoded_size(text: str) -> int:
    """Bytes of words in a mail."""
    return len(encode_text(text)[1])


def encode_base64(data: bytes) -> bytes:
    """Bytes in lines of 76 characters."""
    return encodebytes(data).replace(b"\n", b"\r\n")


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
    """What programs thread by; see parts.py."""
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


LONGEST_LOCAL_PART = 32
"""Characters of an id before its @: with a domain of 25 the whole id has 60."""
MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,120}@[!-;=?A-~]{1,120}>")
"""What we repeat of a received id: signs that RFC 5322, section 3.6.4, can mean, and not too many."""

MOST_REFERENCES = 10
"""Mails that one refers to, beside the root of their thread."""
MOST_REFERENCES_LENGTH = 900
"""Characters of all their ids, which stand in one line."""
FEEDBACK_SENDER = "alexandros"
"""Who sends, in a Feedback-ID: 5 to 15 letters, the same in each."""
MOST_MAIL_BYTES = 150_000
"""Of a whole mail: what goes through every gate."""
MOST_HEADER_BYTES = 4_000
"""Bytes of these that all headers together have at most, those of the parts too."""
LEAST_OF_PICTURE = 20_000
"""Bytes of a PNG that no words take away from it."""
LONGEST_LINE = 998
"""Bytes of a line (RFC 5322, section 2.1.1)."""
HEADER_POLICY = SMTP.clone(max_line_length=76)
"""For what is not ASCII: an encoded word has at most 75 characters (RFC 2047, section 2)."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands around a letter."""

    sender: str
    """The header From: an address, or a name and an address."""
    bounce: str
    """The sender of the envelope, where a mail that cannot be delivered is reported; may be empty."""
    recipient: str
    """The address to which it goes."""
    reply_to: str | None
    """The address of its answers, with their ticket; None where there is nothing to answer."""
    message_id: str
    """As `message_id` makes it."""
    root: str
    """The id of the game's thread, as `make_thread_id` makes it; empty for no game."""
    answers: str | None
    """The Message-ID of the mail that it answers, as it was received."""
    list_id: str
    """A name for the mails of this game that looks like a domain, such as aaaaaaaa.example.org; or empty."""
    unsubscribe: tuple[str, ...]
    """Links, a page and a mail, by which its reader wants no more of them (RFC 2369).

    Every mail about a game has them, invitations too; one about no game has none.
    """
    replied: bool
    """Whether it answers a mail, rather than being written by itself (RFC 3834, section 5)."""
    date: datetime
    """With its time zone."""
    earlier: tuple[str, ...] = ()
    """The ids of mails of the game that went to the same reader before, the oldest first."""


def make_message_id(game: str, seq: int, seat: int, kind: str, domain: str, era: bytes = b"") -> str:
    """The id of one kind of letter to one seat about one act: 60 characters at most if `domain` has 25.

    With the era of the act it is another id than that of a letter about an act that was lost: programs that
    drop doubles must not take the one for the other.
    """
    local = f"{game}.{seq}.{seat}.{kind}" + (f".{encode_base32(era)}" if era else "")
    if len(local) > LONGEST_LOCAL_PART:
        local = f"{game}.{sha256(local.encode()).hexdigest()[:23]}"
    return f"<{local}@{domain}>"


def make_thread_id(game: str, domain: str) -> str:
    """The id that all mails of a game refer to; no mail bears it."""
    return f"<{game}@{domain}>"


def compose_mail(letter: Letter, envelope: Envelope, pngs: Mapping[str, bytes] | None) -> bytes:
    """The mail, with lines ended by CR LF and of 998 bytes at most; the same letter gives the same bytes.

    `pngs` are the letter's pictures by their names; None leaves out the HTML with all its pictures. Raises
    `ValueError` where a header would not stay one header.
    """
    head = b"".join(_header(name, value) for name, value in _mail_headers(letter, envelope))
    head += b"MIME-Version: 1.0\r\n"
    text = _text_part("plain", letter.text)
    if pngs is None:
        return head + text.removesuffix(b"\r\n")
    html = _text_part("html", letter.html)
    if pngs:
        pictures = (_picture_part(name, png) for name, png in pngs.items())
        html = _multipart("related", _boundary(envelope, "r"), html, *pictures, more=';\r\n type="text/html"')
    return head + _multipart("alternative", _boundary(envelope, "a"), text, html)


def draw_pictures(letter: Letter) -> dict[str, bytes]:
    """The pictures of a letter as PNG, by their names: of so many bytes that its mail is not too large.

    A board is the first, and has what the words and the other pictures leave.
    """
    room = MOST_MAIL_BYTES - MOST_HEADER_BYTES - encoded_size(letter.text) - encoded_size(letter.html)
    made: dict[str, bytes] = {}
    for picture in reversed(letter.pictures):
        most = room * 57 // 78 // 1000 * 1000  # 57 bytes are a line of 76 characters
        made[picture.name] = cached_png(picture.svg, max(LEAST_OF_PICTURE, min(MAX_BYTES, most)))
        room -= len(encode_base64(made[picture.name]))
    return {picture.name: made[picture.name] for picture in letter.pictures}


def _mail_headers(letter: Letter, envelope: Envelope) -> list[tuple[str, str]]:
    """The headers of the whole mail, in their order."""
    found = [("From", envelope.sender), ("To", envelope.recipient)]
    if envelope.reply_to is not None:
        found.append(("Reply-To", envelope.reply_to))
    return [
        *found,
        ("Subject", letter.subject.replace("=?", "= ?")),  # a name must not pass for an encoded word
        ("Date", format_datetime(envelope.date)),
        ("Message-ID", envelope.message_id),
        *_thread_headers(envelope),
        *_list_headers(envelope),
        ("Auto-Submitted", "auto-replied" if envelope.replied else "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),  # what Microsoft's programs look at
        (OWN_HEADER, letter.kind),
        (
            "Feedback-ID",
            f"{letter.kind}:{FEEDBACK_SENDER}",
        ),  # by which providers count what is complained about
    ]


def _thread_headers(envelope: Envelope) -> list[tuple[str, str]]:
    """What the mail belongs to: the game, the last mails of it, and the one that it answers."""
    answers = _valid_message_id(envelope.answers)
    last = dict.fromkeys([*envelope.earlier, *([answers] if answers else [])])
    found = [*([envelope.root] if envelope.root else []), *[*last][-MOST_REFERENCES:]]
    if not found:
        return []
    while len(" ".join(found)) > MOST_REFERENCES_LENGTH and len(found) > 2:
        del found[1]  # the ids of a house with a long name: its root and the last stay
    return [("In-Reply-To", answers or found[0]), ("References", " ".join(found))]


def _list_headers(envelope: Envelope) -> list[tuple[str, str]]:
    """The list that the mails of one game are, and the ways out of it."""
    found = [("List-Id", f"<{envelope.list_id}>")] if envelope.list_id else []
    if envelope.unsubscribe:
        found.append(("List-Unsubscribe", ", ".join(f"<{link}>" for link in envelope.unsubscribe)))
        if envelope.unsubscribe[0].startswith("https:"):
            found.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))  # RFC 8058
    return found


def _valid_message_id(answers: str | None) -> str | None:
    """An id that a stranger sent, if it is one."""
    found = MESSAGE_ID.fullmatch(answers.strip()) if answers else None
    return found.group() if found else None


def _header(name: str, value: str) -> bytes:
    """One header: as it is, so that no id and no address is folded, unless words in it are not ASCII."""
    line = f"{name}: {value}\r\n"
    if not plain_name(value).isprintable() or len(line) > LONGEST_LINE:
        raise ValueError(f"{name} is not one line")
    return (
        line.encode()
        if value.isascii()
        else HEADER_POLICY.fold_binary(*HEADER_POLICY.header_store_parse(name, value))
    )


# --- parts ----------------------------------------------------------------------------------------------
# Written out, since email.generator takes several times as long over a mail of a hundred kilobytes.


def _multipart(kind: str, boundary: str, *parts: bytes, more: str = "") -> bytes:
    """A part made of parts."""
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"{more}\r\n\r\n'
    between = f"--{boundary}\r\n"
    return (
        head.encode() + b"".join(between.encode() + part for part in parts) + f"--{boundary}--\r\n".encode()
    )


def _text_part(kind: str, text: str) -> bytes:
    """Words in a coding in which no link makes a line too long."""
    name, lines = encode_text(text)
    head = f'Content-Type: text/{kind}; charset="utf-8"\r\nContent-Transfer-Encoding: {name}\r\n\r\n'
    return head.encode() + lines


def _picture_part(name: str, png: bytes) -> bytes:
    head = (
        "Content-Type: image/png\r\n"
        "Content-Transfer-Encoding: base64\r\n"
        f'Content-Disposition: inline; filename="{name}.png"\r\n'
        f"Content-ID: <{name}>\r\n"
        "\r\n"
    )
    return head.encode() + encode_base64(png)


def _boundary(envelope: Envelope, which: str) -> str:
    """What parts the parts: = and _ never stand together within one (RFC 2045, sections 6.7 and 6.8)."""
    return f"=_{which}_{sha256(envelope.message_id.encode()).hexdigest()[:24]}"
