"""The built-in mailbox: where letters are kept instead of sent, here they are read and answered.

It is there for a look around on one machine. It shows the mails of everybody, so it is never there where
letters really leave. Whoever asks has to name this machine: another site can give its own name the address of
this machine, and its page would then read what it finds there.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import func
from sqlmodel import col, select

from emails.i18n import gettext
from emails.letters.proposal_letter import ADDRESS
from server.configuration.endpoints import Endpoint
from server.inbox import mail_intake
from server.store.encrypted_mail import MailLocked, decrypt_mail
from server.store.models import LocalMail, OutgoingLetter
from server.store.states import LetterState
from server.web.kit import cookies, errors, request_context
from server.web.kit.request_context import current_context, now
from server.web.mail import mime_view

PAGE_SIZE = 40
"""Mails on one page of the list."""
LONGEST_SUBJECT = 200
LOCKED = "This mail was kept under a secret that is no longer known"
LARGEST_ID = 2**31 - 1
"""The largest number the database knows; no mail has a larger one."""
FRAME_POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; "
    "sandbox allow-same-origin allow-top-navigation-by-user-activation allow-popups"
)
"""A letter may have styles of its own and our pictures, and nothing else; it can run no script.

With the same origin the page around it can see how high it is.
"""
pages = Blueprint("mailbox_pages", __name__, url_prefix="/mailbox")


@pages.before_request
def check_host() -> ResponseReturnValue | None:
    """Show nothing to whoever came by another name than ours; they are not told under which."""
    try:
        host = urlsplit(f"//{request.host}").hostname or ""
    except ValueError:  # half an IPv6 address
        host = ""
    if Endpoint(host, 1).is_loopback or host == urlsplit(current_context().settings.base_url).hostname:
        return None
    words = gettext("The mailbox is shown on this machine alone, at the address that the server gave.")
    return errors.render_message(gettext("This is not the address of the mailbox"), words, 421)


@pages.get("")
def list_mails() -> str:
    """The mails of everybody, or of one, the newest first."""
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
    read = cookies.opened_mail_ids()
    shown = [(row, _open_mail(row), row.id not in read) for row in rows[:PAGE_SIZE]]
    return render_template(
        "mailbox.html",
        rows=[(row, mail, mime_view.preheader(mail), unread) for row, mail, unread in shown],
        older=rows[PAGE_SIZE - 1].id if len(rows) > PAGE_SIZE else None,
        people=people,
        one=one,
        newest=_newest_id(one),
        coming=not rows and _is_mail_coming(),
        sent=request.args.get("sent", "")[:200],
        now=now(),
    )


def _is_mail_coming() -> bool:
    """Whether a letter waits to be written, so that the first mail comes by itself."""
    with current_context().reading() as session:
        waiting = select(OutgoingLetter.id).where(OutgoingLetter.state == LetterState.WAITING)
        return session.exec(waiting.limit(1)).first() is not None


def _newest_id(one: str) -> int:
    chosen = select(func.max(LocalMail.id))
    if one:
        chosen = chosen.where(LocalMail.recipient == one)
    with current_context().reading() as session:
        return session.exec(chosen).one() or 0


@pages.get("/newest")
def show_newest_id() -> ResponseReturnValue:
    """The number of the newest mail, for the script that renews the list."""
    return {"newest": _newest_id(request.args.get("to", ""))}


def _decrypt(row: LocalMail) -> bytes:
    """A mail as it was sent, or a note in its place where no secret opens it any more."""
    try:
        return decrypt_mail(row, current_context().links.keys).raw
    except MailLocked:
        return f"Subject: {LOCKED}\r\n\r\n{LOCKED}\r\n".encode()


def _open_mail(row: LocalMail) -> mime_view.MailView:
    return mime_view.open_mail(_decrypt(row))


def _load_mail(number: int) -> LocalMail:
    if number > LARGEST_ID:
        abort(404)
    with current_context().reading() as session:
        row = session.get(LocalMail, number)
    return row or abort(404)


@pages.get("/<int:number>")
def show_mail(number: int) -> str:
    """One mail: as HTML, as text, or its source; and the box to answer it."""
    row = _load_mail(number)
    cookies.mark_mail_opened(number)
    mail = _open_mail(row)
    wanted = request.args.get("body", "")
    return render_template(
        "mail.html",
        row=row,
        mail=mail,
        tab=request.args.get("tab", "html" if mail.html else "text"),
        to=request.args.get("to", mail.answer_address)[:300],
        subject=request.args.get("subject", mime_view.answer_subject(mail.subject))[:LONGEST_SUBJECT],
        words=wanted[:2000] + "\n\n" + mime_view.quote_mail(mail, row.at),
        nonce=request_context.csrf_token(request_context.form_subject("mailbox")),
        wrong="",
    )


@pages.get("/<int:number>/html")
def show_html_body(number: int) -> Response:
    """The HTML of a mail, for the frame it is shown in."""

    def part_link(named: str) -> str:
        return url_for("mailbox_pages.show_picture", number=number, named=named)

    def write_link(fields: dict[str, str]) -> str:
        return f"{url_for('mailbox_pages.show_mail', number=number)}?{urlencode(fields)}#answer"

    answer = Response(
        mime_view.render_html_body(_open_mail(_load_mail(number)), part_link, write_link),
        mimetype="text/html",
    )
    answer.headers["Content-Security-Policy"] = FRAME_POLICY
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    return answer


@pages.get("/<int:number>/part/<path:named>")
def show_picture(number: int, named: str) -> Response:
    """A picture of a mail."""
    found = _open_mail(_load_mail(number)).parts.get(named)
    if found is None or not re.fullmatch(r"image/(png|jpeg|gif)", found.kind):
        abort(404)
    return Response(found.content, mimetype=found.kind)


@pages.get("/<int:number>/source")
def show_source(number: int) -> Response:
    """A mail as it is, byte for byte."""
    raw = _decrypt(_load_mail(number))
    return Response(raw, mimetype="text/plain", content_type="text/plain; charset=utf-8")


@pages.post("/<int:number>/answer")
def send_answer(number: int) -> ResponseReturnValue:
    """Send an answer: it is taken in as a mail server would bring it."""
    row = _load_mail(number)
    mail = _open_mail(row)
    to = request.form.get("to", mail.answer_address).strip()[:320]
    subject = " ".join(request.form.get("subject", "").split())[:LONGEST_SUBJECT]
    words = request.form.get("words", "")
    wrong = ""
    if not request_context.is_csrf_valid(request_context.form_subject("mailbox")):
        wrong = gettext(request_context.FORM_EXPIRED)
    elif not ADDRESS.fullmatch(to):
        wrong = gettext("“%(address)s” is no mail address.", address=to[:80])
    if wrong:
        nonce = request_context.csrf_token(request_context.form_subject("mailbox"))
        fields = {"to": to, "subject": subject, "words": words, "nonce": nonce, "wrong": wrong}
        return render_template("mail.html", row=row, mail=mail, tab="text", **fields), 422
    subject = subject or mime_view.answer_subject(mail.subject)
    raw = mime_view.compose_answer(mail, row.recipient, to, subject, words, now())
    try:
        mail_intake.store_mail(current_context(), row.recipient, to, raw, now())
    except mail_intake.IntakeLimitReached:
        abort(503)
    return redirect(url_for("mailbox_pages.list_mails", sent=row.recipient), 303)
