"""The page that a letter to a new address leads to: is it yours? Only its button makes the address count."""

from __future__ import annotations

from flask import Blueprint, render_template, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.letters.proposal_letter import LONGEST_ADDRESS
from emails.picture.palette import clean_name
from emails.wording import phrases
from server.accounts import addresses
from server.outbox.unit_of_work import open_unit
from server.store.refusals import Refusal
from server.web.game.ticket_context import TRAILING_PUNCTUATION
from server.web.kit import errors, request_context
from server.web.kit.request_context import current_context, now

pages = Blueprint("address_confirmation_page", __name__)


@pages.get("/c/<code>")
def show_confirmation(code: str) -> ResponseReturnValue:
    """Ask."""
    code = code.rstrip(TRAILING_PUNCTUATION)
    try:
        return _render_page(code, addresses.find_pending_address(current_context(), code, now()))
    except Refusal as error:
        return _render_not_confirmed(error)


@pages.post("/c/<code>")
def confirm_address(code: str) -> ResponseReturnValue:
    """The button was pressed: from now on letters go there."""
    code = code.rstrip(TRAILING_PUNCTUATION)
    try:
        if not request_context.is_csrf_valid(f"confirm {code}"):
            return _render_page(
                code,
                addresses.find_pending_address(current_context(), code, now()),
                wrong=gettext(request_context.FORM_EXPIRED),
            ), 400
        with open_unit(current_context(), now()) as unit:
            made = addresses.confirm_address(unit, code)
            unit.commit()
    except Refusal as error:
        return _render_not_confirmed(error)
    to = clean_name(made.address, LONGEST_ADDRESS)
    if made.second:
        sentence = gettext(
            "When mail to your first address comes back, letters go to %(address)s.", address=to
        )
    else:
        sentence = gettext("From now on your letters go to %(address)s.", address=to)
    return errors.render_message(
        gettext("Thank you, %(name)s", name=phrases.safe_name(made.name)), sentence, 200
    )


def _render_page(code: str, made: addresses.PendingAddress, wrong: str = "") -> str:
    return render_template(
        "confirm.html",
        name=phrases.safe_name(made.name),
        address=clean_name(made.address, LONGEST_ADDRESS),
        second=made.second,
        wrong=wrong,
        nonce=request_context.csrf_token(f"confirm {code}"),
        action=url_for("address_confirmation_page.confirm_address", code=code),
    )


def _render_not_confirmed(error: Refusal) -> ResponseReturnValue:
    return errors.render_message(gettext("This address is not confirmed"), error.sentence, 404)
