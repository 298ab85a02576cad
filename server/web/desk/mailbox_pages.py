"""Mail over HTTP: the built-in mailbox, and the hook through which mail servers deliver mail."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from flask import Blueprint, Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from lxml import html as lxml_html
from lxml.etree import ParserError
from sqlalchemy import func
from sqlmodel import col, select
from werkzeug.exceptions import RequestEntityTooLarge

from emails.i18n import gettext
from emails.languages.supported_languages import REPLY_MARKERS
from emails.letters.lobby_letters import ADDRESS
from emails.picture.palette import clean_name
from emails.replies.parsed_mail import PARSER, Headers, parse_headers
from emails.replies.screening import LARGEST_ACCEPTED
from emails.wording.phrases import format_time
from server.inbox import intake
from server.inbox.intake import is_deliverable
from server.network import Endpoint
from server.store.encrypted import MailLocked, decrypt_mail
from server.store.models import LocalMail, OutgoingLetter
from server.store.states import LetterState
from server.web.kit import errors, visitors
from server.web.kit.forms import FormPages
from server.web.kit.request_context import current_context, now, redirect_to

MOST_QUOTED = 16_000
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


@dataclass(frozen=True, slots=True)
class MailView:
    headers: Headers
    text: str
    html: str
    parts: dict[str, tuple[str, bytes]]
    """MIME type and content of each picture, by its Content-ID."""

    @property
    def sender(self) -> str:
        name, address = next(iter(self.headers.people("from")), ("", ""))
        return name or address

    @property
    def subject(self) -> str:
        return self.headers.first("subject") or gettext("(no subject)")

    @property
    def answer_address(self) -> str:
        """Address for answers (RFC 5322, section 3.6.2)."""
        return next((address for _, address in self.headers.people("reply-to", "from")), "")

    @property
    def shown_headers(self) -> list[tuple[str, str]]:
        return [(name, value) for name in SHOWN_HEADERS for value in self.headers.all(name)]


def open_mail(raw: bytes) -> MailView:
    parts: dict[str, tuple[str, bytes]] = {}
    texts: dict[str, str] = {"plain": "", "html": ""}
    for part in PARSER.parsebytes(raw).walk():
        content = part.get_payload(decode=True)
        if not isinstance(content, bytes):
            continue
        named = part.get("Content-ID", "").strip().strip("<>")
        if part.get_content_maintype() == "image" and named:
            parts[named] = part.get_content_type(), content
        elif part.get_content_maintype() == "text" and not texts.get(part.get_content_subtype(), "x"):
            texts[part.get_content_subtype()] = _decode_text(content, part.get_content_charset("utf-8"))
    return MailView(parse_headers(raw), texts["plain"], texts["html"], parts)


def _decode_text(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset, "replace").replace("\r\n", "\n")
    except LookupError:
        return content.decode("latin-1")


def _parse_html(words: str) -> lxml_html.HtmlElement:
    parser = lxml_html.HTMLParser(encoding="utf-8")
    try:
        return lxml_html.document_fromstring(words.encode("utf-8", "replace"), parser=parser)
    except ParserError:  # the HTML is empty
        return lxml_html.document_fromstring(b"<p></p>", parser=parser)


def preheader(mail: MailView, longest: int = 140) -> str:
    """Return the first words of a mail, from its HTML if any, as shown in lists of mails."""
    words = mail.text
    if mail.html:
        tree = _parse_html(mail.html)
        for unseen in tree.xpath("//style|//script|//head"):
            unseen.drop_tree()
        words = str(tree.text_content())
    for marker in REPLY_MARKERS.values():
        words = words.partition(marker)[0] if words.partition(marker)[0].strip() else words
    return clean_name(words[:2000], longest)


def render_html_body(
    mail: MailView, part_link: Callable[[str], str], write_link: Callable[[dict[str, str]], str]
) -> str:
    """Return the HTML for an iframe. `part_link` replaces `cid:` links, `write_link` `mailto:` links."""
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
    found = urlsplit(link)
    fields = {name.lower(): values[0] for name, values in parse_qs(found.query.replace("+", "%2B")).items()}
    return {"to": unquote(found.path)} | {
        name: fields[name] for name in ("subject", "body") if name in fields
    }


# --- answers --------------------------------------------------------------------------------------------


def answer_subject(subject: str) -> str:
    """Return the subject of an answer, with one `Re:` (RFC 5322, section 3.6.5)."""
    return subject if subject.lower().startswith("re:") else f"Re: {subject}"


def quote_mail(mail: MailView, kept_at: datetime) -> str:
    text = mail.text[:MOST_QUOTED].rstrip()
    lines = (f"> {line}".rstrip() for line in text.splitlines())
    head = gettext(
        "On %(time)s, %(sender)s wrote:", time=format_time(kept_at), sender=mail.headers.first("from")
    )
    return "\n".join([head, *lines, ""])


def compose_answer(
    mail: MailView, sender: str, recipient: str, subject: str, words: str, now: datetime
) -> bytes:
    """Compose an answer like a mail program. Raises `ValueError` if a header would be invalid."""
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


PAGE_SIZE = 40
LONGEST_SUBJECT = 200
LOCKED = "This mail was encrypted under a secret that is no longer known"
LARGEST_ID = 2**31 - 1
FRAME_POLICY = (  # no scripts; `allow-same-origin` lets the page around the iframe measure its height
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; "
    "sandbox allow-same-origin allow-top-navigation-by-user-activation allow-popups"
)
pages = FormPages("mailbox_pages", __name__, url_prefix="/mailbox")


@pages.before_request
def check_host() -> ResponseReturnValue | None:
    # By DNS rebinding other sites could read the mailbox, which shows everyone's mail.
    """Refuse requests with a foreign `Host`, without naming the right one."""
    try:
        host = urlsplit(f"//{request.host}").hostname or ""
    except ValueError:  # an incomplete IPv6 address
        host = ""
    if Endpoint(host, 1).is_loopback or host == urlsplit(current_context().settings.base_url).hostname:
        return None
    words = gettext("The mailbox is shown on this machine alone, at the address that the server gave.")
    return errors.render_message(gettext("This is not the address of the mailbox"), words, 421)


@pages.get("")
def list_mails() -> str:
    one = request.args.get("to", "")
    before = request.args.get("before", 0, type=int)
    chosen = select(LocalMail).order_by(col(LocalMail.id).desc()).limit(PAGE_SIZE + 1)
    if one:
        chosen = chosen.where(LocalMail.recipient == one)
    if 0 < before <= LARGEST_ID:
        chosen = chosen.where(col(LocalMail.id) < before)
    with current_context().reading() as session:
        rows = list(session.exec(chosen))
        people = list(session.exec(select(LocalMail.recipient).distinct().order_by(LocalMail.recipient)))
        waiting = select(OutgoingLetter.id).where(OutgoingLetter.state == LetterState.WAITING).limit(1)
        coming = not rows and session.exec(waiting).first() is not None
    read = visitors.opened_mail_ids()
    shown = [(row, open_mail(_decrypt(row)), row.id not in read) for row in rows[:PAGE_SIZE]]
    return render_template(
        "mailbox.html",
        rows=[(row, mail, preheader(mail), unread) for row, mail, unread in shown],
        older=rows[PAGE_SIZE - 1].id if len(rows) > PAGE_SIZE else None,
        people=people,
        one=one,
        newest=_newest_id(one),
        coming=coming,
        sent=request.args.get("sent", "")[:200],
        now=now(),
    )


def _newest_id(one: str) -> int:
    chosen = select(func.max(LocalMail.id))
    if one:
        chosen = chosen.where(LocalMail.recipient == one)
    with current_context().reading() as session:
        return session.exec(chosen).one() or 0


@pages.get("/newest")
def show_newest_id() -> ResponseReturnValue:
    return {"newest": _newest_id(request.args.get("to", ""))}


def _decrypt(row: LocalMail) -> bytes:
    try:
        return decrypt_mail(row, current_context().links.keys).raw
    except MailLocked:
        return f"Subject: {LOCKED}\r\n\r\n{LOCKED}\r\n".encode()


def _load_mail(number: int) -> LocalMail:
    if number > LARGEST_ID:
        abort(404)
    with current_context().reading() as session:
        row = session.get(LocalMail, number)
    return row or abort(404)


@pages.get("/<int:number>")
def show_mail(number: int) -> str:
    row = _load_mail(number)
    visitors.mark_mail_opened(number)
    return _render_mail(row)


def _render_mail(row: LocalMail, wrong: str = "") -> str:
    mail, given = open_mail(_decrypt(row)), request.values
    quoted = given.get("body", "")[:2000] + "\n\n" + quote_mail(mail, row.at)
    return render_template(
        "mail.html",
        row=row,
        mail=mail,
        tab=given.get("tab", "html" if mail.html and not wrong else "text"),
        to=given.get("to", mail.answer_address)[:300],
        subject=given.get("subject", answer_subject(mail.subject))[:LONGEST_SUBJECT],
        words=given.get("words", quoted),
        wrong=wrong,
    )


@pages.get("/<int:number>/html")
def show_html_body(number: int) -> Response:
    def part_link(named: str) -> str:
        return url_for("mailbox_pages.show_picture", number=number, named=named)

    def write_link(fields: dict[str, str]) -> str:
        return f"{url_for('mailbox_pages.show_mail', number=number)}?{urlencode(fields)}#answer"

    mail = open_mail(_decrypt(_load_mail(number)))
    answer = Response(render_html_body(mail, part_link, write_link), mimetype="text/html")
    answer.headers["Content-Security-Policy"] = FRAME_POLICY
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    return answer


@pages.get("/<int:number>/part/<path:named>")
def show_picture(number: int, named: str) -> Response:
    kind, content = open_mail(_decrypt(_load_mail(number))).parts.get(named, ("", b""))
    if kind not in ("image/png", "image/jpeg", "image/gif"):
        abort(404)
    return Response(content, mimetype=kind)


@pages.get("/<int:number>/source")
def show_source(number: int) -> Response:
    raw = _decrypt(_load_mail(number))
    return Response(raw, mimetype="text/plain", content_type="text/plain; charset=utf-8")


@pages.button("/<int:number>/answer", _load_mail, _render_mail)
def send_answer(row: LocalMail) -> ResponseReturnValue:
    """Deliver an answer to the inbox, as a mail server would."""
    mail = open_mail(_decrypt(row))
    to = request.form.get("to", mail.answer_address).strip()[:320]
    subject = " ".join(request.form.get("subject", "").split())[:LONGEST_SUBJECT]
    words = request.form.get("words", "")
    if not ADDRESS.fullmatch(to):
        return _render_mail(row, gettext("“%(address)s” is no mail address.", address=to[:80])), 422
    subject = subject or answer_subject(mail.subject)
    raw = compose_answer(mail, row.recipient, to, subject, words, now())
    try:
        intake.store_mail(current_context(), row.recipient, to, raw, now())
    except intake.IntakeLimitReached:
        abort(503)
    return redirect_to("mailbox_pages.list_mails", sent=row.recipient)


LOG = logging.getLogger(__name__)

SIGNATURE_HEADER = "X-Alexandros-Signature"
SENDER_HEADER, RECIPIENT_HEADER = "X-Envelope-From", "X-Envelope-To"

hook = Blueprint("mail_hook", __name__)


@hook.post("/mail")
def receive_mail() -> Response:
    """Store a mail for one recipient. Status 202 confirms that the mail is stored."""
    request.max_content_length = LARGEST_ACCEPTED
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return _plain_response(413, f"A mail may have at most {LARGEST_ACCEPTED} bytes. Nothing was stored.")
    sender, recipient = _header_bytes(SENDER_HEADER), _header_bytes(RECIPIENT_HEADER)
    secret = current_context().settings.mail_secret
    assert secret is not None  # the page exists only with a secret
    signature = sign_mail(secret.get_secret_value().encode(), sender, recipient, raw)
    if not hmac.compare_digest(_header_bytes(SIGNATURE_HEADER), signature):
        answer = _plain_response(
            401, f"{SIGNATURE_HEADER} does not fit this mail and its envelope. Nothing was stored."
        )
        answer.headers["WWW-Authenticate"] = SIGNATURE_HEADER  # required by RFC 9110, section 15.5.2
        return answer
    address = recipient.decode("utf-8", "replace")
    try:
        if not is_deliverable(current_context(), address):
            return _plain_response(422, f"{RECIPIENT_HEADER} names no address of ours. Nothing was stored.")
        intake.store_mail(current_context(), sender.decode("utf-8", "replace"), address, raw, now())
    except intake.IntakeLimitReached:
        answer = _plain_response(429, "Too many mails came lately. Please hand it in again later.")
        answer.headers["Retry-After"] = "600"
        return answer
    except Exception:
        LOG.exception("a mail cannot be stored; it is to be handed in again")
        answer = _plain_response(503, "The mail cannot be stored now. Please hand it in again later.")
        answer.headers["Retry-After"] = "60"
        return answer
    return _plain_response(202, "The mail is stored.")


def sign_mail(secret: bytes, sender: bytes, recipient: bytes, raw: bytes) -> bytes:
    # The envelope is signed too, so that no relay changes a recipient; a mail delivered twice is stored once.
    sealed = b"\n".join((sender, recipient, raw))
    return b"sha256=" + hmac.digest(secret, sealed, "sha256").hex().encode()


def _header_bytes(name: str) -> bytes:
    return request.headers.get(name, "").encode("latin-1", "replace")


def _plain_response(status: int, sentence: str) -> Response:
    return Response(sentence + "\n", status, content_type="text/plain; charset=utf-8")
