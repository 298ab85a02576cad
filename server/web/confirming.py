"""The page that a letter to a new address leads to: is it yours? Only its button makes the address count."""

from __future__ import annotations

from flask import Blueprint, render_template, url_for
from flask.typing import ResponseReturnValue

from emails import wording
from emails.palette import plain_name
from emails.proposing import LONGEST_ADDRESS
from emails.tongue import say
from server import addresses
from server.addresses import NotConfirmed
from server.web import counter, errors
from server.web.cases import AFTER_A_LINK
from server.web.counter import now, office

pages = Blueprint("confirming", __name__)


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
        if not counter.is_pressed(f"confirm {code}"):
            return _page(code, addresses.asked(office(), code, now()), wrong=say(counter.TOO_OLD)), 400
        made = addresses.confirmed(office(), code, now())
    except NotConfirmed as error:
        return _not(error)
    to = plain_name(made.address, LONGEST_ADDRESS)
    if made.second:
        sentence = say("When mail to your first address comes back, letters go to %(address)s.", address=to)
    else:
        sentence = say("From now on your letters go to %(address)s.", address=to)
    return errors.page(say("Thank you, %(name)s", name=wording.shown(made.name)), sentence, 200)


def _page(code: str, made: addresses.Asked, wrong: str = "") -> str:
    return render_template(
        "confirm.html",
        name=wording.shown(made.name),
        address=plain_name(made.address, LONGEST_ADDRESS),
        second=made.second,
        wrong=wrong,
        nonce=counter.button(f"confirm {code}"),
        action=url_for("confirming.confirm", code=code),
    )


def _not(error: NotConfirmed) -> ResponseReturnValue:
    return errors.page(say("This address is not confirmed"), str(error), 404)
