"""Notes about plans and open votes on game pages, and the page on which players vote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

from flask import redirect, request
from flask.typing import ResponseReturnValue

from emails.i18n import current_zone, gettext, gettext_noop
from emails.wording import phrases
from emails.wording.narration import VoteOutcome, describe_outcome
from emails.wording.phrases import format_deadline
from emails.wording.requests import RequestKind, VoteAnswer, VoteKind, describe_planned, explain_misfits
from engine.rules import has_next_turn
from server import commands
from server.commands import Command
from server.lobby.leaving import YOU_ARE_BACK
from server.lobby.votes import (
    VoteRefused,
    answers_of,
    check_extension,
    check_pause,
    check_pause_end,
    count_extensions,
    list_votes,
    voters,
)
from server.store.event_log import StartedHistory
from server.store.server_facts import VOTE_OPEN_FOR, Vote
from server.store.states import GameStatus
from server.web.game.viewers import TicketContext, load_if, page_links, perform, render_form
from server.web.kit.forms import FormPages
from server.web.kit.request_context import current_context, now, read


def note_plan(case: TicketContext) -> tuple[str, ...] | None:
    """Return sentences about a waiting player's plan, or None if the player cannot plan."""
    known = case.view
    if known.my_turn or not case.may_resign or not has_next_turn(known.table, case.ticket.seat):
        return None
    return () if case.plan is None else tuple(describe_planned(case.plan, known.table))


def tell_missed_plan(case: TicketContext) -> tuple[str, ...]:
    """Explain to the player to move why the plan was not played; empty if no plan was missed."""
    table = case.view.table
    return tuple(explain_misfits(case.plan, table)) if case.plan and case.plan.is_missed(table) else ()


BUTTONS: Mapping[VoteAnswer, str] = {
    VoteAnswer.YES: gettext_noop("I agree"),
    VoteAnswer.NO: gettext_noop("I do not agree"),
    VoteAnswer.WAIT: gettext_noop("Wait for somebody else"),
    VoteAnswer.GO_ON: gettext_noop("Go on without %(gone)s"),
    VoteAnswer.END: gettext_noop("End the game as it stands"),
}


def note_votes(case: TicketContext) -> tuple[dict[str, object], ...]:
    history = case.history
    if not isinstance(history, StartedHistory) or not history.agreements.votes:
        return ()
    with current_context().reading() as session:
        asked = voters(session, case.game.id, history)
        found = list_votes(session, case.game, history, now())
    return tuple(_note_vote(one, case, asked) for one in found if case.ticket.seat in asked)


def _note_vote(vote: Vote, case: TicketContext, asked: frozenset[int]) -> dict[str, object]:
    names = [phrases.safe_name(one.name) for one in case.seats]
    gone = names[vote.seat]
    answers = _list_answers(vote, case)
    return {
        "kind": vote.kind,
        "said": tuple(_tell_vote(vote, case, names, asked)),
        "answers": [(one, gettext(BUTTONS[one], gone=gone)) for one in answers],
        "about": vote.seat if vote.kind is VoteKind.EMPTY_SEAT else None,
        "action": case.link_to("votes_page.vote"),
    }


def _list_answers(vote: Vote, case: TicketContext) -> tuple[VoteAnswer, ...]:
    if vote.has_lapsed(case.position.table.turn, now()):
        return tuple(one for one in answers_of(vote.kind) if one is not VoteAnswer.WAIT)
    return () if case.ticket.seat in vote.answers else answers_of(vote.kind)


def _tell_vote(vote: Vote, case: TicketContext, names: list[str], asked: frozenset[int]) -> Iterator[str]:
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
            if vote.has_lapsed(case.position.table.turn, now()):
                yield gettext(
                    "It waits for somebody to take it. Choose something else, and all are asked again."
                )
                return
            ends = format_deadline(vote.at + VOTE_OPEN_FOR)
            yield gettext("What most have answered by then is done: %(moment)s.", moment=ends)
    if vote.until is not None:
        yield gettext("It would end by itself: %(moment)s.", moment=format_deadline(vote.until))
    awaited = [names[seat] for seat in sorted(asked - vote.answers.keys())]
    if awaited and case.ticket.seat in vote.answers and not vote.done:
        yield gettext("Not answered yet: %(names)s.", names=phrases.format_list(awaited))


pages = FormPages("votes_page", __name__)
BACK = "back"


def _render_page(case: TicketContext, wrong: str = "") -> str:
    return render_form(
        "votes.html",
        case,
        wrong,
        links=page_links(case, "agreements"),
        votes=note_votes(case),
        wishes=tuple(_list_requests(case)),
        times=count_extensions(case.history) if isinstance(case.history, StartedHistory) else 0,
        done=_tell_last_outcome(case),
        plan=note_plan(case),
    )


@pages.form("/t/<token>/agreements", partial(load_if, lambda case: case.has_begun), _render_page)
def vote(case: TicketContext) -> ResponseReturnValue:
    """Request time or a pause, answer a vote, or return from an absence. A second press changes nothing."""
    if request.form.get("say") == BACK:
        perform(case, commands.ComeBack(case.is_own_browser, revokes=False))
        return redirect(case.link_to("votes_page.vote", outcome=BACK), 303)
    try:
        command = _read_command()
    except ValueError:
        return _render_page(case, gettext("Please choose one of these.")), 422
    return redirect(case.link_to("votes_page.vote", outcome=perform(case, command).outcome), 303)


def _read_command() -> Command:
    """Read the command of the form. Raises `ValueError`."""
    match request.form.get("wish", ""):
        case RequestKind.MORE_TIME:
            times = request.form.get("times", "")
            return commands.AskMoreTime(int(times) if times.isdecimal() else None)
        case RequestKind.PAUSE:
            return commands.AskPause(_read_last_day())
        case RequestKind.RESUME:
            return commands.EndPause()
    kind, answer = VoteKind(request.form.get("vote", "")), VoteAnswer(request.form.get("answer", ""))
    about = request.form.get("about", "")
    return commands.CastVote(kind, answer, int(about) if re.fullmatch("[0-3]", about) else None)


def _read_last_day() -> datetime | None:
    try:
        last = date.fromisoformat(request.form.get("last", "").strip())
        return datetime.combine(last + timedelta(days=1), time(), current_zone()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _list_requests(case: TicketContext) -> Iterator[RequestKind]:
    game, history, seat = case.game, case.history, case.seat
    if not isinstance(history, StartedHistory) or history.is_vacant(seat):
        return
    if game.status != GameStatus.RUNNING or game.suspended_at is not None:
        return
    checks: Mapping[RequestKind, Callable[[], object]] = {
        RequestKind.MORE_TIME: lambda: read(check_extension, game, history, seat, now()),
        RequestKind.PAUSE: lambda: check_pause(game, history, None, now()),
        RequestKind.RESUME: lambda: read(check_pause_end, game, history, seat, now()),
    }
    for kind, check in checks.items():
        with suppress(VoteRefused):
            check()
            yield kind


def _tell_last_outcome(case: TicketContext) -> str:
    if request.args.get("outcome") == BACK:
        return gettext(YOU_ARE_BACK)
    try:
        return describe_outcome(VoteOutcome(request.args.get("outcome", "")), case.game.deadline)
    except ValueError:
        return ""
