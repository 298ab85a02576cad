"""The built-in mailbox: where letters are kept instead of sent, here they are read and answered.

It is there for a look around on one machine. It shows the mails of everybody, so it is never there where
letters really leave.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import func
from sqlmodel import col, select

from emails.i18n import say
from server.inbox import intake
from server.lobby.games import ADDRESS
from server.store.models import Kept
from server.web.kit import cookies, request_context
from server.web.kit.request_context import now, office
from server.web.mail import mime_view

A_PAGE = 40
"""Mails on one page of the list."""
LONGEST_SUBJECT = 200
LARGEST = 2**63 - 1
"""The largest number the database knows; no mail has a larger one."""
FRAME_POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; "
    "sandbox allow-same-origin allow-top-navigation-by-user-activation allow-popups"
)
"""A letter may have styles of its own and our pictures, and nothing else; it can run no script.

With the same origin the page around it can see how high it is.
"""
pages = Blueprint("mailbox_pages", __name__, url_prefix="/mailbox")


@pages.get("")
def listed() -> str:
    """The mails of everybody, or of one, the newest first."""
    one = request.args.get("to", "")
    before = request.args.get("before", 0, type=int)
    chosen = select(Kept).order_by(col(Kept.id).desc()).limit(A_PAGE + 1)
    if one:
        chosen = chosen.where(Kept.recipient == one)
    if 0 < before <= LARGEST:
        chosen = chosen.where(col(Kept.id) < before)
    with office().reading() as session:
        rows = list(session.exec(chosen))
        people = list(session.exec(select(Kept.recipient).distinct().order_by(Kept.recipient)))
    read = cookies.read_mails()
    shown = [(row, mime_view.opened(row.raw), row.id not in read) for row in rows[:A_PAGE]]
    return render_template(
        "mailbox.html",
        rows=[(row, mail, mime_view.preheader(mail), unread) for row, mail, unread in shown],
        older=rows[A_PAGE - 1].id if len(rows) > A_PAGE else None,
        people=people,
        one=one,
        newest=_newest(one),
        sent=request.args.get("sent", "")[:200],
        now=now(),
    )


def _newest(one: str) -> int:
    chosen = select(func.max(Kept.id))
    if one:
        chosen = chosen.where(Kept.recipient == one)
    with office().reading() as session:
        return session.exec(chosen).one() or 0


@pages.get("/newest")
def newest() -> ResponseReturnValue:
    """The number of the newest mail, for the script that renews the list."""
    return {"newest": _newest(request.args.get("to", ""))}


def _mail(number: int) -> Kept:
    if number > LARGEST:
        abort(404)
    with office().reading() as session:
        row = session.get(Kept, number)
    return row or abort(404)


@pages.get("/<int:number>")
def read(number: int) -> str:
    """One mail: as HTML, as text, or its source; and the box to answer it."""
    row = _mail(number)
    cookies.mark_read(number)
    mail = mime_view.opened(row.raw)
    wanted = request.args.get("body", "")
    return render_template(
        "mail.html",
        row=row,
        mail=mail,
        tab=request.args.get("tab", "html" if mail.html else "text"),
        to=request.args.get("to", mail.answer_to)[:300],
        subject=request.args.get("subject", mime_view.answer_subject(mail.subject))[:LONGEST_SUBJECT],
        words=wanted[:2000] + "\n\n" + mime_view.quoted(mail, row.at),
        nonce=request_context.button(request_context.form("mailbox")),
        wrong="",
    )


@pages.get("/<int:number>/html")
def frame(number: int) -> Response:
    """The HTML of a mail, for the frame it is shown in."""

    def part_link(named: str) -> str:
        return url_for("mailbox_pages.part", number=number, named=named)

    def write_link(fields: dict[str, str]) -> str:
        return f"{url_for('mailbox_pages.read', number=number)}?{urlencode(fields)}#answer"

    answer = Response(
        mime_view.page(mime_view.opened(_mail(number).raw), part_link, write_link), mimetype="text/html"
    )
    answer.headers["Content-Security-Policy"] = FRAME_POLICY
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    return answer


@pages.get("/<int:number>/part/<path:named>")
def part(number: int, named: str) -> Response:
    """A picture of a mail."""
    found = mime_view.opened(_mail(number).raw).parts.get(named)
    if found is None or not re.fullmatch(r"image/(png|jpeg|gif)", found.kind):
        abort(404)
    return Response(found.content, mimetype=found.kind)


@pages.get("/<int:number>/source")
def source(number: int) -> Response:
    """A mail as it is, byte for byte."""
    return Response(_mail(number).raw, mimetype="text/plain", content_type="text/plain; charset=utf-8")


@pages.post("/<int:number>/answer")
def answer(number: int) -> ResponseReturnValue:
    """Send an answer: to the mailroom, as a mail server would bring it."""
    row = _mail(number)
    mail = mime_view.opened(row.raw)
    to = request.form.get("to", mail.answer_to).strip()[:320]
    subject = " ".join(request.form.get("subject", "").split())[:LONGEST_SUBJECT]
    words = request.form.get("words", "")
    wrong = ""
    if not request_context.is_pressed(request_context.form("mailbox")):
        wrong = say(request_context.TOO_OLD)
    elif not ADDRESS.fullmatch(to):
        wrong = say("“%(address)s” is no mail address.", address=to[:80])
    if wrong:
        nonce = request_context.button(request_context.form("mailbox"))
        fields = {"to": to, "subject": subject, "words": words, "nonce": nonce, "wrong": wrong}
        return render_template("mail.html", row=row, mail=mail, tab="text", **fields), 422
    subject = subject or mime_view.answer_subject(mail.subject)
    raw = mime_view.answer(mail, row.recipient, to, subject, words, now())
    intake.take_in(office(), row.recipient, to, raw, now())
    return redirect(url_for("mailbox_pages.listed", sent=row.recipient), 303)
