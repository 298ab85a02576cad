"""Mail handed in over HTTP, by a mail server or a provider that shares a secret with us.

`POST /mail` with the mail as it came for its body, its envelope in two headers, and a third that seals both.
What is sealed is the bytes of X-Envelope-From, a line feed, those of X-Envelope-To, a line feed, and the
body; the seal is their HMAC-SHA256 with the shared secret. So nobody on the way can change a recipient. There
is no moment in it: the same mail handed in once more is one mail.

Whoever asks is a program, so there is no cookie and no nonce, and the answers are plain sentences in English.
"""

from __future__ import annotations

import hmac
import logging

from flask import Blueprint, Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from emails.links import is_door
from emails.replies.screening import MOST_TAKEN
from server.inbox import intake
from server.web.kit.request_context import now, office

LOG = logging.getLogger(__name__)

SIGNATURE, SENDER, RECIPIENT = "X-Alexandros-Signature", "X-Envelope-From", "X-Envelope-To"

pages = Blueprint("mail_hook", __name__)


@pages.post("/mail")
def hand_in() -> Response:
    """Store a mail for one recipient; 202 says that it is stored."""
    request.max_content_length = MOST_TAKEN
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return _answer(413, f"A mail may have at most {MOST_TAKEN} bytes. Nothing was stored.")
    sender, recipient = _header(SENDER), _header(RECIPIENT)
    if not hmac.compare_digest(_header(SIGNATURE), signature(_secret(), sender, recipient, raw)):
        answer = _answer(401, f"{SIGNATURE} does not fit this mail and its envelope. Nothing was stored.")
        answer.headers["WWW-Authenticate"] = SIGNATURE  # RFC 9110, section 15.5.2, wants a name here
        return answer
    address = recipient.decode("utf-8", "replace")
    if not is_door(address, office().settings.mail_domain):
        return _answer(422, f"{RECIPIENT} names no address of ours. Nothing was stored.")
    try:
        intake.take_in(office(), sender.decode("utf-8", "replace"), address, raw, now())
    except Exception:
        LOG.exception("a mail cannot be stored; it is to be handed in again")
        answer = _answer(503, "The mail cannot be stored now. Please hand it in again later.")
        answer.headers["Retry-After"] = "60"
        return answer
    return _answer(202, "The mail is stored.")


def signature(secret: bytes, sender: bytes, recipient: bytes, raw: bytes) -> bytes:
    """The seal over a mail and its envelope, as it stands in the header."""
    sealed = b"\n".join((sender, recipient, raw))
    return b"sha256=" + hmac.digest(secret, sealed, "sha256").hex().encode()


def _secret() -> bytes:
    secret = office().settings.mail_secret
    if secret is None:  # without one there is no such page; an empty key would open it to everybody
        raise LookupError("no secret is shared")
    return secret.get_secret_value().encode()


def _header(name: str) -> bytes:
    """The bytes of a header as they came; none where it is absent."""
    return request.headers.get(name, "").encode("latin-1", "replace")


def _answer(status: int, sentence: str) -> Response:
    return Response(sentence + "\n", status, content_type="text/plain; charset=utf-8")
