"""Mail delivered over HTTP by a mail server or provider that shares a secret with us.

`POST /mail` has the raw mail as its body, the envelope in two headers, and a signature in a third. The signed
text is X-Envelope-From, a line feed, X-Envelope-To, a line feed and the body. The signature is its
HMAC-SHA256 with the shared secret, so that no server on the way can change a recipient. The signed text has
no time, as a mail that is delivered twice is stored once. Callers are programs: no cookie, no CSRF token, and
plain English answers.
"""

from __future__ import annotations

import hmac
import logging

from flask import Blueprint, Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from emails.replies.screening import LARGEST_ACCEPTED
from server.inbox import intake
from server.inbox.intake import is_deliverable
from server.web.kit.request_context import current_context, now

LOG = logging.getLogger(__name__)

SIGNATURE_HEADER, SENDER_HEADER, RECIPIENT_HEADER = (
    "X-Alexandros-Signature",
    "X-Envelope-From",
    "X-Envelope-To",
)

pages = Blueprint("mail_hook", __name__)


@pages.post("/mail")
def receive_mail() -> Response:
    """Store a mail for one recipient. Status 202 confirms that the mail is stored."""
    request.max_content_length = LARGEST_ACCEPTED
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return _plain_response(413, f"A mail may have at most {LARGEST_ACCEPTED} bytes. Nothing was stored.")
    sender, recipient = _header_bytes(SENDER_HEADER), _header_bytes(RECIPIENT_HEADER)
    if not hmac.compare_digest(
        _header_bytes(SIGNATURE_HEADER), sign_mail(_shared_secret(), sender, recipient, raw)
    ):
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
    sealed = b"\n".join((sender, recipient, raw))
    return b"sha256=" + hmac.digest(secret, sealed, "sha256").hex().encode()


def _shared_secret() -> bytes:
    secret = current_context().settings.mail_secret
    if secret is None:  # unreachable, since the page exists only with a secret
        raise LookupError("no secret is shared")
    return secret.get_secret_value().encode()


def _header_bytes(name: str) -> bytes:
    return request.headers.get(name, "").encode("latin-1", "replace")


def _plain_response(status: int, sentence: str) -> Response:
    return Response(sentence + "\n", status, content_type="text/plain; charset=utf-8")
