"""What the page of a game notes beside the board: what its reader plans, and what is asked of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flask import url_for

from emails.i18n import gettext, gettext_noop
from emails.plans.plan_text import explain_misfits, tell_plan
from emails.wording import phrases
from emails.wording.requests import VoteAnswer, VoteKind
from emails.wording.times.deadlines import format_deadline
from engine.plans.rehearsal import has_next_turn
from server.lobby.votes import answers_of, list_votes, voters
from server.store.event_log import StartedHistory
from server.store.facts.game_agreements import VOTE_OPEN_FOR, Vote
from server.turns.play import find_plan
from server.web.game.ticket_context import TicketContext, token_of
from server.web.game.ticket_forms import SeatForm, form_token
from server.web.kit.request_context import current_context, now


@dataclass(frozen=True, slots=True)
class PlanNote:
    """What a page says of its reader's plan for their next turn."""

    link: str
    """Where they plan it."""
    told: tuple[str, ...]
    """What they plan and what would come of it; empty where they plan nothing."""
    nonce: str
    """The CSRF token with which they withdraw it."""


def note_plan(case: TicketContext) -> PlanNote | None:
    """The plan of whoever waits for their turn; None where there is nothing to plan."""
    known = case.view
    if known.my_turn or not case.may_resign or not has_next_turn(known.table, case.ticket.seat):
        return None
    with current_context().reading() as session:
        kept = find_plan(current_context(), session, case.game, case.ticket.seat)
    link = url_for("plan_page.show_plan", token=token_of(case.turn_ticket))
    told = () if kept is None else tuple(tell_plan(kept, known.table))
    return PlanNote(link, told, form_token(SeatForm.PLAN, case))


def tell_missed_plan(case: TicketContext) -> tuple[str, ...]:
    """Why nothing of their plan is played, for whoever is to move and has not begun; else nothing."""
    table = case.view.table
    with current_context().reading() as session:
        kept = find_plan(current_context(), session, case.game, case.ticket.seat)
    if kept is None or not kept.is_missed(table):
        return ()
    return tuple(explain_misfits(kept, table))


BUTTONS: Mapping[VoteAnswer, str] = {
    VoteAnswer.YES: gettext_noop("I agree"),
    VoteAnswer.NO: gettext_noop("I do not agree"),
    VoteAnswer.WAIT: gettext_noop("Wait for somebody else"),
    VoteAnswer.GO_ON: gettext_noop("Go on without %(gone)s"),
    VoteAnswer.END: gettext_noop("End the game as it stands"),
}


@dataclass(frozen=True, slots=True)
class VoteNote:
    """An open vote, as a page shows it."""

    kind: VoteKind
    said: tuple[str, ...]
    answers: tuple[tuple[VoteAnswer, str], ...]
    """The buttons; empty where the reader has answered, or does not answer."""
    about: int | None
    """The empty seat."""
    action: str
    nonce: str


def note_votes(case: TicketContext) -> tuple[VoteNote, ...]:
    """The open votes of a game; nothing for whoever does not play in it any more."""
    history = case.history
    if not isinstance(history, StartedHistory) or not history.agreements.votes:
        return ()
    with current_context().reading() as session:
        asked = voters(session, case.game.id, history)
        found = list_votes(session, case.game, history, now())
    return tuple(_note_vote(one, case, asked) for one in found if case.ticket.seat in asked)


def _note_vote(vote: Vote, case: TicketContext, asked: frozenset[int]) -> VoteNote:
    names = [phrases.safe_name(one.name) for one in case.seats]
    gone = names[vote.seat]
    answers = () if case.ticket.seat in vote.answers else answers_of(vote.kind)
    return VoteNote(
        vote.kind,
        tuple(_tell_vote(vote, case, names, asked)),
        tuple((one, gettext(BUTTONS[one], gone=gone)) for one in answers),
        vote.seat if vote.kind is VoteKind.EMPTY_SEAT else None,
        url_for("votes_page.show_votes", token=token_of(case.turn_ticket)),
        form_token(SeatForm.VOTES, case),
    )


def _tell_vote(vote: Vote, case: TicketContext, names: list[str], asked: frozenset[int]) -> Iterator[str]:
    """Who asks for what, until when, and who has not answered, a sentence each."""
    mine, name = vote.seat == case.ticket.seat, names[vote.seat]
    match vote.kind:
        case VoteKind.MORE_TIME if vote.done and case.game.seat == case.ticket.seat:
            yield gettext("You have got 24 hours more for this turn, unless another player says no.")
        case VoteKind.MORE_TIME if vote.done:
            mover = names[case.game.seat or 0]
            yield gettext(
                "%(name)s has got 24 hours more for this turn, unless another player says no.", name=mover
            )
        case VoteKind.MORE_TIME if mine:
            yield gettext("You have asked for another 24 hours for this turn.")
        case VoteKind.MORE_TIME:
            yield gettext("%(name)s asks for another 24 hours for this turn.", name=name)
        case VoteKind.PAUSE:
            yield (
                gettext("You have asked for a pause.")
                if mine
                else gettext("%(name)s asks for a pause.", name=name)
            )
        case VoteKind.EMPTY_SEAT:
            yield gettext("Nobody plays for %(name)s any more. What is to become of the seat?", name=name)
            ends = format_deadline(vote.at + VOTE_OPEN_FOR)
            yield gettext("What most have answered by then is done: %(moment)s.", moment=ends)
    if vote.until is not None:
        yield gettext("It would end by itself: %(moment)s.", moment=format_deadline(vote.until))
    awaited = [names[seat] for seat in sorted(asked - vote.answers.keys())]
    if awaited and case.ticket.seat in vote.answers and not vote.done:
        yield gettext("Not answered yet: %(names)s.", names=phrases.format_list(awaited))
