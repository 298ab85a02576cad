"""Mails of the built-in mailbox as a mail program shows and answers them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage, Message
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from urllib.parse import parse_qs, unquote, urlsplit

from lxml import html as lxml_html
from lxml.etree import ParserError

from emails.i18n import gettext
from emails.languages.supported_languages import REPLY_MARKERS
from emails.replies.headers import PARSER, Headers, parse_headers
from emails.wording.phrases import format_time

MOST_QUOTED = 16_000
"""Characters of a mail that an answer quotes."""
SHOWN_HEADERS = (
    "From",
    "To",
    "Reply-To",
    "Subject",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
    "List-Id",
)
"""The headers that are listed; the source has them all."""


@dataclass(frozen=True, slots=True)
class MailPart:
    """A file within a mail."""

    kind: str
    """Such as image/png."""
    content: bytes


@dataclass(frozen=True, slots=True)
class MailView:
    """A mail taken apart."""

    headers: Headers
    text: str
    html: str
    parts: dict[str, MailPart]
    """By Content-ID."""

    @property
    def sender(self) -> str:
        """The name of its writer, or the address."""
        name, address = next(iter(self.headers.people("from")), ("", ""))
        return name or address

    @property
    def subject(self) -> str:
        """Its subject, or a word for none."""
        return self.headers.first("subject") or gettext("(no subject)")

    @property
    def answer_address(self) -> str:
        """The address to which an answer goes (RFC 5322, section 3.6.2)."""
        return next((address for _, address in self.headers.people("reply-to", "from")), "")

    @property
    def shown_headers(self) -> list[tuple[str, str]]:
        """The headers worth showing."""
        return [(name, value) for name in SHOWN_HEADERS for value in self.headers.all(name)]


def open_mail(raw: bytes) -> MailView:
    """A mail taken apart; what cannot be read is left out."""
    parts: dict[str, MailPart] = {}
    texts: dict[str, str] = {"plain": "", "html": ""}
    for part in _leaf_parts(PARSER.parsebytes(raw)):
        content = part.get_payload(decode=True)
        if not isinstance(content, bytes):
            continue
        named = part.get("Content-ID", "").strip().strip("<>")
        if part.get_content_maintype() == "image" and named:
            parts[named] = MailPart(part.get_content_type(), content)
        elif part.get_content_maintype() == "text" and not texts.get(part.get_content_subtype(), "x"):
            texts[part.get_content_subtype()] = _decode_text(content, part.get_content_charset("utf-8"))
    return MailView(parse_headers(raw), texts["plain"], texts["html"], parts)


def _leaf_parts(message: Message[str, str]) -> Iterator[Message[str, str]]:
    return (part for part in message.walk() if not part.is_multipart())


def _decode_text(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset, "replace").replace("\r\n", "\n")
    except LookupError:
        return content.decode("latin-1")


def _parse_html(words: str) -> lxml_html.HtmlElement:
    parser = lxml_html.HTMLParser(encoding="utf-8")
    try:
        return lxml_html.document_fromstring(words.encode("utf-8", "replace"), parser=parser)
    except ParserError:  # there is nothing in it
        return lxml_html.document_fromstring(b"<p></p>", parser=parser)


def preheader(mail: MailView, longest: int = 140) -> str:
    """The line that a list of mails shows beside the subject: its first words, of the HTML if it has one."""
    words = mail.text
    if mail.html:
        tree = _parse_html(mail.html)
        for unseen in tree.xpath("//style|//script|//head"):
            unseen.drop_tree()
        words = str(tree.text_content())
    for marker in REPLY_MARKERS.values():
        words = words.partition(marker)[0] if words.partition(marker)[0].strip() else words
    line = " ".join("".join(char for char in words[:2000] if char.isprintable() or char.isspace()).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def render_html_body(
    mail: MailView, part_link: Callable[[str], str], write_link: Callable[[dict[str, str]], str]
) -> str:
    """The HTML of a mail to be shown in a frame: pictures from their parts, links out of the frame.

    `write_link` gives the page for a mail that a `mailto:` link asks for (RFC 6068): to, subject, body.
    """
    tree = _parse_html(mail.html)
    for element in tree.xpath("//script|//base|//meta[@http-equiv]|//iframe|//object|//embed|//form"):
        element.drop_tree()
    for element in tree.xpath("//*[@src]"):
        source = str(element.get("src"))
        named = source.removeprefix("cid:")
        element.set("src", part_link(unquote(named)) if source != named else "")
    for element in tree.xpath("//*[@href]"):
        link = str(element.get("href"))
        if link.lower().startswith("mailto:"):
            element.set("href", write_link(parse_mailto(link)))
        element.set("target", "_top")
    return "<!doctype html>\n" + lxml_html.tostring(tree, encoding="unicode")


def parse_mailto(link: str) -> dict[str, str]:
    """The mail that a `mailto:` link asks for."""
    found = urlsplit(link)
    fields = {name.lower(): values[0] for name, values in parse_qs(found.query.replace("+", "%2B")).items()}
    return {"to": unquote(found.path)} | {
        name: fields[name] for name in ("subject", "body") if name in fields
    }


# --- answers --------------------------------------------------------------------------------------------


def answer_subject(subject: str) -> str:
    """The subject of an answer: with one `Re:` before it (RFC 5322, section 3.6.5)."""
    return subject if subject.lower().startswith("re:") else f"Re: {subject}"


def quote_mail(mail: MailView, kept_at: datetime) -> str:
    """What stands below an answer: who wrote when, and the mail itself, each line after a mark."""
    text = mail.text[:MOST_QUOTED].rstrip()
    lines = (f"> {line}".rstrip() for line in text.splitlines())
    head = gettext(
        "On %(time)s, %(sender)s wrote:", time=format_time(kept_at), sender=mail.headers.first("from")
    )
    return "\n".join([head, *lines, ""])


def compose_answer(
    mail: MailView, sender: str, recipient: str, subject: str, words: str, now: datetime
) -> bytes:
    """An answer as a mail program composes it.

    Raises `ValueError` where an address or the subject cannot stand in a header.
    """
    written = EmailMessage(policy=SMTP)
    written["From"] = sender
    written["To"] = recipient
    written["Subject"] = subject
    written["Date"] = format_datetime(now)
    written["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    answered = mail.headers.first("message-id")
    if answered:
        earlier = mail.headers.first("references").split()
        written["In-Reply-To"] = answered
        written["References"] = " ".join([*earlier[:1], *earlier[1:][-9:], answered])
    written["User-Agent"] = "Alexandros mailbox"
    written.set_content(words.replace("\r\n", "\n"))
    return written.as_bytes(policy=SMTP.clone(max_line_length=998))
