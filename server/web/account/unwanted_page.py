"""The page behind "this mail was not wanted": it ends all letters that its reader has not asked for.

To look at it changes nothing; its button does, and the page then offers the way back.
"""

from __future__ import annotations

from enum import StrEnum

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.tokens import seal_unwanted, unseal_unwanted
from server.accounts import unwanted_letters
from server.mail_addresses import digest_address
from server.outbox.unit_of_work import OthersActed, do_with_retries
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("unwanted_page", __name__)


class UnwantedChoice(StrEnum):
    """What the buttons of the page send."""

    END = "never"
    RESUME = "again"


@pages.get("/x/<token>")
def show_unwanted_page(token: str) -> ResponseReturnValue:
    """What the button would do, or the way back."""
    return _render_page(_digest_of(token))


@pages.post("/x/<token>")
def change_unwanted_letters(token: str) -> ResponseReturnValue:
    """End the letters or let them come again. Done twice it is done once."""
    digest, choice = _digest_of(token), request.form.get("wish", "")
    if not request_context.is_csrf_valid(_csrf_subject(digest)):
        return _render_page(digest, wrong=gettext(request_context.FORM_EXPIRED)), 400
    if choice not in tuple(UnwantedChoice):
        return _render_page(digest, wrong=gettext("Please choose one of these.")), 422
    change = (
        unwanted_letters.end_unwanted_letters
        if choice == UnwantedChoice.END
        else unwanted_letters.resume_letters
    )
    try:
        do_with_retries(current_context(), now(), lambda unit: change(unit, digest))
    except OthersActed as error:
        return _render_page(digest, wrong=errors.note_refusal(error)), 409
    return _render_page(digest, done=choice)


def unwanted_page_link(address: str) -> str:
    """Where the page of an address lies, for whoever is known to read it."""
    token = seal_unwanted(digest_address(address), current_context().links.keys)
    return url_for("unwanted_page.show_unwanted_page", token=token)


def _digest_of(token: str) -> str:
    """The digest of the address that a token is about. Raises `ForgedToken`."""
    return unseal_unwanted(token, current_context().links.keys)


def _csrf_subject(digest: str) -> str:
    return f"unwanted {digest}"


def _render_page(digest: str, done: str = "", wrong: str = "") -> str:
    with current_context().reading() as session:
        ended = unwanted_letters.is_ended(session, digest)
    return render_template(
        "unwanted.html",
        ended=ended,
        done=done,
        wrong=wrong,
        nonce=request_context.csrf_token(_csrf_subject(digest)),
        action=url_for(
            "unwanted_page.change_unwanted_letters", token=seal_unwanted(digest, current_context().links.keys)
        ),
    )
