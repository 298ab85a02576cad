"""Advice for a turn: suggestions, each with a link to its preview, shown only on request.

The advice has a page of its own, which a script embeds into the page of the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, current_app, render_template
from flask.typing import ResponseReturnValue

from emails.i18n import gettext, ngettext
from emails.wording import phrases
from emails.wording.advice_text import AdviceText, describe_suggestions, list_turn_choices
from engine.events import CardChosen, ProvinceOccupied, ProvinceTakenOver, TaxesLevied
from server.outbox.budgets import player_origin
from server.store.event_log import History
from server.store.models import Game
from server.store.refusals import Refusal
from server.turns import turn_advice
from server.turns.dry_run import compile_draft
from server.web.game.dock import form_values
from server.web.game.preview import lines_of
from server.web.game.ticket_context import TicketContext, link_of, load_ticket, redirect_to_game
from server.web.kit import errors, visitors
from server.web.kit.request_context import current_context

ADVICE_PER_HOUR = "ADVICE_PER_HOUR"
pages = Blueprint("advice_page", __name__)


class TooMuchAdvice(turn_advice.AdviceRefused):
    def __init__(self, retry_after: int) -> None:
        """`retry_after`: seconds to wait."""
        super().__init__(gettext("You have asked for advice very often. Please wait for a while."))
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class SuggestionLink:
    text: AdviceText
    link: str


def ask_for_advice(game: Game, history: History, seat: int, player: int) -> turn_advice.TurnAdvice:
    """Return good turns for a seat. Raises `TooMuchAdvice` and what `turn_advice.advise` raises."""
    who = player_origin(player).text

    def count() -> None:
        if not visitors.allow(visitors.LimitedAction.ADVICE, int(current_app.config[ADVICE_PER_HOUR]), who):
            raise TooMuchAdvice(visitors.retry_after(visitors.LimitedAction.ADVICE, who))

    return turn_advice.advise(current_context(), game, history, seat, count)


@pages.get("/t/<token>/advice")
def show_advice(token: str) -> ResponseReturnValue:
    case = load_ticket(token)
    if not case.is_current or case.lines:
        return redirect_to_game(case)
    try:
        given = ask_for_advice(case.game, case.history, case.ticket.seat, case.player)
    except TooMuchAdvice as refused:
        return _render_advice(case, errors.note_refusal(refused)), 429
    except Refusal as refused:
        return _render_advice(case, errors.note_refusal(refused)), 409
    found = describe_suggestions(given.known, given.suggestions)
    return _render_advice(case, "", found, at_sight=given.at_sight)


@pages.get("/t/<token>/turns")
def show_turn_choices(token: str) -> ResponseReturnValue:
    """Return up to five whole turns as HTML for the dock, which a script loads; empty if there are none."""
    case = load_ticket(token)
    if not case.is_current or case.lines:
        return ""
    try:
        given = ask_for_advice(case.game, case.history, case.ticket.seat, case.player)
    except Refusal:
        return ""
    offered = turn_advice.offered_at_sight(current_context(), case.game, case.history, case.ticket.seat)
    found = offered or given.suggestions  # choices have the same letters as in the mail
    listed = list_turn_choices(given.known, found) if found else ()
    choices = [(one, _cost_of(case, one.words)) for one in listed]
    return render_template("turn_choices.html", choices=choices, **form_values(case))


def _cost_of(case: TicketContext, words: str) -> str:
    cards = 0
    for event in compile_draft(case.position, case.ticket.seat, lines_of(words)).seen.events:
        if isinstance(event, ProvinceOccupied | ProvinceTakenOver):
            cards += len(event.paid)
        elif isinstance(event, CardChosen):
            cards += event.source == "hand"
        else:
            cards += isinstance(event, TaxesLevied)
    named = ngettext("%(number)s card", "%(number)s cards", cards) if cards else gettext("no card")
    return gettext("costs %(cards)s", cards=named)


def _render_advice(
    case: TicketContext, sentence: str, found: Sequence[AdviceText] = (), *, at_sight: bool = False
) -> str:
    return render_template(
        "advice.html",
        name=phrases.safe_name(case.game.name),
        reader=phrases.safe_name(case.seating.name),
        number=case.game.turn,
        sentence=sentence,
        at_sight=at_sight,
        found=[SuggestionLink(one, link_of(replace(case.turn_ticket, words=one.words))) for one in found],
        turn_link=link_of(case.turn_ticket),
    )
