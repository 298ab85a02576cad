"""The renderer of letters as plain text and HTML, and the composition of MIME messages."""

from __future__ import annotations

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from email.policy import SMTP
from email.utils import format_datetime
from functools import lru_cache, partial
from hashlib import sha256
from textwrap import wrap

from css_inline import CSSInliner
from jinja2 import Environment

from emails.i18n import current_locale
from emails.languages.lexicon import Lexicon, reads_as_orders, whole_lexicon
from emails.languages.supported_languages import REPLY_MARKERS, match_words
from emails.letters.parts import LetterParts, subject_line
from emails.names import plain_name
from emails.picture import palette
from emails.picture.letter_picture import MAX_BYTES, cached_png
from emails.tokens import OWN_HEADER, encode_base32
from emails.wording import phrases
from emails.wording.options import OptionGroup
from emails.wording.texts import make_environment

BASE64_GROWTH = 1.35
"""Factor by which base64 lengthens data, line ends included."""


@lru_cache(maxsize=4)
def encode_text(text: str) -> tuple[str, bytes]:
    """Encode a text part with CR LF line ends; returns the name of the encoding and the bytes.

    Quoted-printable needs three bytes for each byte that is not ASCII. Base64 adds a third, and cannot be
    read in the raw mail, so it is used only where it is clearly shorter.
    """
    lines = "\r\n".join(text.split("\n")).encode()
    quoted = b2a_qp(lines, istext=True) + b"\r\n"
    if len(quoted) < BASE64_GROWTH * len(lines):
        return "quoted-printable", quoted
    whole = encode_base64(lines)
    return ("base64", whole) if len(whole) < 0.9 * len(quoted) else ("quoted-printable", quoted)


def encoded_size(text: str) -> int:
    return len(encode_text(text)[1])


def encode_base64(data: bytes) -> bytes:
    return encodebytes(data).replace(b"\n", b"\r\n")


MOST_BODY_BYTES = 66_000  # bytes of text and HTML together; the picture gets the rest of `MOST_MAIL_BYTES`
MOST_OF_TEXT = 26_000
"""Maximum size of the text part, in bytes; choices that do not fit are left out."""
MOST_OF_HTML = 47_000
"""Maximum size of the HTML, in bytes; Gmail cuts at 102 KB, and scanners lengthen links."""
MOST_BUTTONS = 40  # choices in the HTML part; the text part has as many as fit, the web page has all
WIDTH = 78
"""Maximum number of characters in a line of text; links and orders may be longer."""
LONGEST_SENTENCE = 600
LONGEST_WORD = 60
QUOTED_WIDTH = 66


@dataclass(frozen=True, slots=True)
class Letter:
    kind: str
    subject: str
    text: str
    html: str
    pictures: tuple[Picture, ...]
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a letter; the HTML refers to it by `cid:` and its name."""

    name: str
    svg: str
    alt: str


def render_letter(
    kind: str,
    name: str,
    parts: LetterParts,
    words: Mapping[str, object],
    offered: Sequence[OptionGroup] = (),
    subject: str = "",
    answered: bool = True,
) -> Letter:
    """Render a letter without its pictures, with as many of the `offered` choices as fit.

    `name`: the game, or another topic. `words`: more variables of the template. `answered`: the letter tells
    where to write a reply.
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

    def render(environment: Environment, layout: str, most: int, room: int) -> str:
        template = environment.get_template(f"{kind}.words")
        while True:
            shown = trim_choices(offered, most)
            part = template.render(given, layout=layout, groups=shown, hidden=total - most)
            part = INLINER.inline(part) if environment is AS_HTML else part.rstrip() + "\n"
            size = encoded_size(part)
            if size <= room or most < 2:
                return part
            most = max(1, min(most - 1, most * room // size - 2))

    text = render(AS_TEXT, "letter.txt", total, MOST_OF_TEXT)
    room = min(MOST_OF_HTML, MOST_BODY_BYTES - encoded_size(text))
    return Letter(kind, title, text, render(AS_HTML, "letter.html", min(total, MOST_BUTTONS), room), ())


def trim_choices(groups: Sequence[OptionGroup], most: int) -> list[OptionGroup]:
    """Keep at most `most` choices by dropping the last ones of the longest groups."""
    left = [len(group.choices) for group in groups]
    for _ in range(sum(left) - most):
        left[max(range(len(left)), key=lambda group: (left[group], group))] -= 1
    pairs = zip(groups, left, strict=True)
    return [replace(group, choices=group.choices[:many]) for group, many in pairs if many]


# --- templates ------------------------------------------------------------------------------------------


UNBROKEN = "\u00a0"  # within an order: at the start of a line, the end of an order could be read as another
LONGEST_UNBROKEN = 70
"""Maximum characters of unbroken text on one line, such as an order; a further line begins with "…"."""
REMARK_AT_END = re.compile(r"\s*\([^()]*\)$")
"""Matches a remark such as "(strongest)"; a reader of orders ignores it."""
LAST_WORDS = 3  # short words kept together at a paragraph's end: alone on a line they look like a request


@lru_cache(maxsize=16)
def _before_verb(lexicon: Lexicon) -> re.Pattern[str]:
    beginnings = match_words((*phrases.order_beginnings(), *lexicon.dates.away))
    return re.compile(rf" [\s,.+&>\u2013\u2192-]*(?:(?:{beginnings})\b|\d)", re.IGNORECASE)


def _fold(text: str, indent: int = 0, first: str = "") -> str:
    """Fold text to 78 characters at blanks, but not where the next line would read as orders or a request."""
    if len(first or " " * indent) + len(text) <= WIDTH:
        return ((first or " " * indent) + text).replace(UNBROKEN, " ")
    pieces = _split_at_breaks(text)
    while True:
        line = first or " " * indent
        room = WIDTH - len(line)
        lines, starts = list[str](), [0]
        for at, word in enumerate(pieces):
            if len(word) > room and line.strip() not in ("", "*"):
                lines.append(line.rstrip())
                starts.append(at)
                line, room = " " * indent, WIDTH - indent
            line += word + " "
            room -= len(word) + 1
        lines.append(line.rstrip())
        said = [REMARK_AT_END.sub("", line.strip()) for line in lines]
        told = next((at for line, at in zip(said, starts, strict=True) if at and reads_as_orders(line)), 0)
        if not told:
            return "\n".join(lines).replace(UNBROKEN, " ")
        joined = UNBROKEN.join(pieces[told - 1 : told + 1])
        pieces[told - 1 : told + 1] = (
            [joined] if len(joined) <= LONGEST_UNBROKEN else [pieces[told - 1], f"…{pieces[told]}"]
        )


def _split_at_breaks(text: str) -> list[str]:
    found: list[str] = []
    pieces = _before_verb(whole_lexicon()).sub(lambda found: found[0].replace(" ", UNBROKEN), text).split(" ")
    while len(pieces) > 1 and pieces[-1].count(UNBROKEN) < LAST_WORDS - 1:
        if len(pieces[-2]) + len(pieces[-1]) > LONGEST_UNBROKEN // 2:
            break
        pieces[-2:] = [UNBROKEN.join(pieces[-2:])]
    for piece in pieces:
        is_short = len(piece) <= (LONGEST_UNBROKEN if UNBROKEN in piece else LONGEST_WORD)
        if is_short and (UNBROKEN in piece or piece.split() == [piece]):
            found.append(piece)
            continue
        words = (
            word if len(word) <= LONGEST_WORD else word[:LONGEST_WORD] + "…" for word in piece.split(UNBROKEN)
        )
        parts = wrap(" ".join(words), LONGEST_UNBROKEN, break_long_words=False, break_on_hyphens=False)
        found += (part.replace(" ", UNBROKEN) for part in "\n…".join(parts).split("\n"))
    return found


def _quote(text: str) -> str:
    """Prefix each line of a player's text, so that it is read neither as an order nor as server text."""
    return "\n".join(f"  | {line}" for line in wrap(text, QUOTED_WIDTH, break_on_hyphens=False))


def _environment(*, html: bool) -> Environment:
    return make_environment(
        html=html,
        folded=_fold,
        item=partial(_fold, indent=4, first="  * "),  # the star: no item reads as an order
        lines=lambda text: [line.strip() for line in text.splitlines() if line.strip()],
        quote_word="“{}”".format,
        quoted=_quote,
        whole=(lambda order: order) if html else lambda order: order.replace(" ", UNBROKEN),
    )


AS_TEXT, AS_HTML = _environment(html=False), _environment(html=True)
STYLE = AS_TEXT.get_template("style.css").render(colour=vars(palette))
AS_HTML.globals["style"] = STYLE
INLINER = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False, minify_css=True)
"""Converts style sheets to inline styles, because many mail programs drop style sheets."""


LONGEST_LOCAL_PART = 32  # characters before the @ of a Message-ID
MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,120}@[!-;=?A-~]{1,120}>")
"""Matches the received Message-IDs that may be copied into headers (RFC 5322, section 3.6.4)."""

MOST_REFERENCES = 10
MOST_REFERENCES_LENGTH = 900
FEEDBACK_SENDER = "alexandros"  # last part of every Feedback-ID: 5 to 15 letters
MOST_MAIL_BYTES = 150_000
"""Maximum size of a whole mail, in bytes, that all servers accept."""
MOST_HEADER_BYTES = 4_000
LEAST_OF_PICTURE = 20_000
"""Bytes that a picture may always use, even if the other parts of a letter leave fewer."""
LONGEST_LINE = 998
"""Maximum length of a header line in bytes (RFC 5322, section 2.1.1)."""
HEADER_POLICY = SMTP.clone(max_line_length=76)
"""Policy for non-ASCII headers, whose encoded words have at most 75 characters (RFC 2047, section 2)."""


@dataclass(frozen=True, slots=True)
class Envelope:
    sender: str
    bounce: str
    recipient: str
    reply_to: str | None
    message_id: str
    root: str
    """The id that all letters about the game refer to, and no letter has; empty without a game."""
    answers: str | None
    list_id: str
    """A List-Id in the form of a domain, such as aaaaaaaa.example.org; may be empty."""
    unsubscribe: tuple[str, ...]
    """A link and a mailto link that stop the letters of a game (RFC 2369)."""
    replied: bool
    """True if the letter answers a mail (RFC 3834, section 5)."""
    date: datetime
    earlier: tuple[str, ...] = ()
    """Message-IDs of earlier letters about the game to the reader, the oldest first."""


def make_message_id(game: str, seq: int, seat: int, kind: str, domain: str, act_tag: bytes = b"") -> str:
    """Return a letter's Message-ID, at most 60 characters long if `domain` has 25.

    After a backup is restored, the numbers of letters sent since the backup are used again. Then another
    `act_tag` makes the Message-ID differ, because mail programs may drop a mail with a known Message-ID.
    """
    local = f"{game}.{seq}.{seat}.{kind}" + (f".{encode_base32(act_tag)}" if act_tag else "")
    if len(local) > LONGEST_LOCAL_PART:
        local = f"{game}.{sha256(local.encode()).hexdigest()[:23]}"
    return f"<{local}@{domain}>"


def compose_mail(letter: Letter, envelope: Envelope, pngs: Mapping[str, bytes] | None) -> bytes:
    """Compose the mail, with lines of at most 998 bytes ended by CR LF; equal letters give equal bytes.

    `pngs` are the pictures by name; None composes plain text only. Raises `ValueError` if a header would need
    more than one line.
    """
    # "=_" occurs in no encoded part (RFC 2045, sections 6.7 and 6.8).
    mark = sha256(envelope.message_id.encode()).hexdigest()[:24]
    head = _format_headers(letter, envelope)
    text = _text_part("plain", letter.text)
    if pngs is None:
        return head + text.removesuffix(b"\r\n")
    html = _text_part("html", letter.html)
    if pngs:
        pictures = []
        for name, png in pngs.items():
            about = (
                "Content-Type: image/png\r\n"
                "Content-Transfer-Encoding: base64\r\n"
                f'Content-Disposition: inline; filename="{name}.png"\r\n'
                f"Content-ID: <{name}>\r\n"
                "\r\n"
            )
            pictures.append(about.encode() + encode_base64(png))
        html = _multipart("related", f"=_r_{mark}", html, *pictures, more=';\r\n type="text/html"')
    return head + _multipart("alternative", f"=_a_{mark}", text, html)


def draw_pictures(letter: Letter) -> dict[str, bytes]:
    """Draw the pictures as PNG, by name; the board, drawn last, gets the bytes that the other parts leave."""
    room = MOST_MAIL_BYTES - MOST_HEADER_BYTES - encoded_size(letter.text) - encoded_size(letter.html)
    made: dict[str, bytes] = {}
    for picture in reversed(letter.pictures):
        most = room * 57 // 78 // 1000 * 1000  # 57 bytes are a line of 76 characters
        made[picture.name] = cached_png(picture.svg, max(LEAST_OF_PICTURE, min(MAX_BYTES, most)))
        room -= len(encode_base64(made[picture.name]))
    return {picture.name: made[picture.name] for picture in letter.pictures}


def _format_headers(letter: Letter, envelope: Envelope) -> bytes:
    found = [("From", envelope.sender), ("To", envelope.recipient)]
    if envelope.reply_to is not None:
        found.append(("Reply-To", envelope.reply_to))
    found += [
        ("Subject", letter.subject.replace("=?", "= ?")),  # a name must not look like an encoded word
        ("Date", format_datetime(envelope.date)),
        ("Message-ID", envelope.message_id),
    ]
    answers = (envelope.answers or "").strip()
    if not MESSAGE_ID.fullmatch(answers):
        answers = ""
    last = dict.fromkeys([*envelope.earlier, *([answers] if answers else [])])
    thread = [*([envelope.root] if envelope.root else []), *[*last][-MOST_REFERENCES:]]
    while len(" ".join(thread)) > MOST_REFERENCES_LENGTH and len(thread) > 2:
        del thread[1]  # long domains: keep the root and the last id
    if thread:
        found += [("In-Reply-To", answers or thread[0]), ("References", " ".join(thread))]
    if envelope.list_id:
        found.append(("List-Id", f"<{envelope.list_id}>"))
    if envelope.unsubscribe:
        found.append(("List-Unsubscribe", ", ".join(f"<{link}>" for link in envelope.unsubscribe)))
        if envelope.unsubscribe[0].startswith("https:"):
            found.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))  # RFC 8058
    found += [
        ("Auto-Submitted", "auto-replied" if envelope.replied else "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),  # for Microsoft's mail servers
        (OWN_HEADER, letter.kind),
        ("Feedback-ID", f"{letter.kind}:{FEEDBACK_SENDER}"),  # for complaint statistics of mail providers
        ("MIME-Version", "1.0"),
    ]
    return b"".join(_header(name, value) for name, value in found)


def _header(name: str, value: str) -> bytes:
    """Format one header; an ASCII header stays on one line, so that ids and addresses stay whole."""
    line = f"{name}: {value}\r\n"
    if not plain_name(value).isprintable() or len(line) > LONGEST_LINE:
        raise ValueError(f"{name} is not one line")
    if value.isascii():
        return line.encode()
    return HEADER_POLICY.fold_binary(*HEADER_POLICY.header_store_parse(name, value))


# --- parts ----------------------------------------------------------------------------------------------
# Composed by hand: email.generator takes several times as long for a mail of a hundred kilobytes.


def _multipart(kind: str, boundary: str, *parts: bytes, more: str = "") -> bytes:
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"{more}\r\n\r\n'
    between = f"--{boundary}\r\n"
    return (
        head.encode() + b"".join(between.encode() + part for part in parts) + f"--{boundary}--\r\n".encode()
    )


def _text_part(kind: str, text: str) -> bytes:
    name, lines = encode_text(text)
    head = f'Content-Type: text/{kind}; charset="utf-8"\r\nContent-Transfer-Encoding: {name}\r\n\r\n'
    return head.encode() + lines
