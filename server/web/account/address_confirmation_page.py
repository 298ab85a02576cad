"""The page that a letter to a new address leads to: is it yours? Only its button makes the address count."""

from __future__ import annotations

from flask import Blueprint, render_template, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import say
from emails.letters.proposal_letter import LONGEST_ADDRESS
from emails.picture.palette import plain_name
from emails.wording import phrases
from server.accounts import addresses
from server.accounts.addresses import NotConfirmed
from server.web.game.ticket_context import AFTER_A_LINK
from server.web.kit import errors, request_context
from server.web.kit.request_context import now, office

pages = Blueprint("address_confirmation_page", __name__)


@pages.get("/c/<code>")
def show(code: str) -> ResponseReturnValue:
    """Ask."""
    code = code.rstrip(AFTER_A_LINK)
    try:
        return _page(code, addresses.asked(office(), code, now()))
    except NotConfirmed as error:
        return _not(error)


@pages.post("/c/<code>")
def confirm(code: str) -> ResponseReturnValue:
    """The button was pressed: from now on letters go there."""
    code = code.rstrip(AFTER_A_LINK)
    try:
        if not request_context.is_pressed(f"confirm {code}"):
            return _page(
                code, addresses.asked(office(), code, now()), wrong=say(request_context.TOO_OLD)
            ), 400
        made = addresses.confirmed(office(), code, now())
    except NotConfirmed as error:
        return _not(error)
    to = plain_name(made.address, LONGEST_ADDRESS)
    if made.second:
        sentence = say("When mail to your first address comes back, letters go to %(address)s.", address=to)
    else:
        sentence = say("From now on your letters go to %(address)s.", address=to)
    return errors.page(say("Thank you, %(name)s", name=phrases.shown(made.name)), sentence, 200)


def _page(code: str, made: addresses.Asked, wrong: str = "") -> str:
    return render_template(
        "confirm.html",
        name=phrases.shown(made.name),
        address=plain_name(made.address, LONGEST_ADDRESS),
        second=made.second,
        wrong=wrong,
        nonce=request_context.button(f"confirm {code}"),
        action=url_for("address_confirmation_page.confirm", code=code),
    )


def _not(error: NotConfirmed) -> ResponseReturnValue:
    return errors.page(say("This address is not confirmed"), str(error), 404)
