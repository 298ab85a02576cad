"""Forms on the pages of a ticket: the tokens that protect them, and how what they send is done or refused."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import TypeVar

from flask import render_template
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.wording import phrases
from server.outbox.queue import UnitOfWork, open_unit
from server.store.refusals import Refusal
from server.web.game.ticket_context import TicketContext, link_of, load_ticket
from server.web.kit import errors
from server.web.kit.request_context import FORM_EXPIRED, csrf_token, current_context, is_csrf_valid, now

Outcome = TypeVar("Outcome")
FormView = Callable[[TicketContext], ResponseReturnValue]
ShowFault = Callable[[TicketContext, str], str]
"""Shows a form again with what is wrong."""


class SeatForm(StrEnum):
    """The forms about a seat, as their tokens name them, which are good whatever happens in the game."""

    AWAY = "away"
    CHAT = "say"
    DRAFT = "draft"
    LINKS = "links"
    NUDGE = "nudge"
    PLAN = "plan"
    RESIGN = "resign"
    RETURN = "return"
    SEEN = "seen"
    """A page says by itself that its player has their turn before them."""
    SETTINGS = "settings"
    SIGN_IN = "signin"
    VOTES = "agree"


def form_token(form: SeatForm, case: TicketContext) -> str:
    """The CSRF token of a form."""
    return csrf_token(_subject(form, case))


def is_form_valid(form: SeatForm, case: TicketContext) -> bool:
    """Whether a form of our own pages was sent, with a valid token."""
    return is_csrf_valid(_subject(form, case))


def _subject(form: SeatForm, case: TicketContext) -> str:
    return f"{form} {case.game.id} {case.ticket.seat}"


def answers_form(
    form: SeatForm, show: ShowFault, refused: int = 409
) -> Callable[[FormView], Callable[[str], ResponseReturnValue]]:
    """Let a view answer a form of a ticket: it is given the ticket of the address, once the form is valid.

    `show` shows what is wrong where the form is too old, or where the view raises a `Refusal`; the status is
    then `refused`.
    """

    def decorate(view: FormView) -> Callable[[str], ResponseReturnValue]:
        @wraps(view)
        def answer(token: str) -> ResponseReturnValue:
            case = load_ticket(token)
            if not is_form_valid(form, case):
                return show(case, gettext(FORM_EXPIRED)), 400
            try:
                return view(case)
            except Refusal as error:
                return show(load_ticket(token), errors.note_refusal(error)), refused

        return answer

    return decorate


def do_at_once(work: Callable[[UnitOfWork], Outcome]) -> Outcome:
    """Do something in a transaction of its own; what came of it."""
    with open_unit(current_context(), now()) as unit:
        outcome = work(unit)
        unit.commit()
    return outcome


def render_note(case: TicketContext, title: str, words: str) -> str:
    """A page of one sentence, which leads back to the game."""
    link, label = link_of(case.turn_ticket), gettext("To the game")
    return render_template("message.html", title=title, sentence=words, link=link, label=label)


def render_form(
    template: str, form: SeatForm, case: TicketContext, wrong: str = "", /, **values: object
) -> str:
    """A page with a form about a seat; its template knows whose it is, what is wrong, and the way back."""
    own = {
        "name": phrases.safe_name(case.game.name),
        "reader": phrases.safe_name(case.seating.name),
        "wrong": wrong,
        "nonce": form_token(form, case),
        "back": link_of(case.turn_ticket),
    }
    return render_template(template, **values | own)
