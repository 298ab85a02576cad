"""The page on which players get more time, ask for a pause or end it, and answer open votes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from emails.i18n import current_zone, gettext
from emails.wording.narration import VoteOutcome, tell_outcome
from emails.wording.requests import RequestKind, VoteAnswer, VoteKind
from server.accounts.vacations import return_player
from server.lobby.leaving import YOU_ARE_BACK
from server.lobby.votes import (
    VoteRefused,
    ask_extension,
    ask_pause,
    cast_vote,
    check_extension,
    check_pause,
    check_pause_end,
    count_extensions,
    end_pause,
)
from server.outbox.queue import UnitOfWork
from server.store.event_log import StartedHistory
from server.store.states import Channel, GameStatus
from server.web.game import page_readers
from server.web.game.page_notes import note_plan, note_votes
from server.web.game.ticket_context import TicketContext, load_ticket, redirect_to_game, token_of
from server.web.game.ticket_forms import SeatForm, answers_form, do_at_once, render_form
from server.web.kit.request_context import current_context, now

pages = Blueprint("votes_page", __name__)
BACK = "back"
"""What the button of a player who was away sends."""


@dataclass(frozen=True, slots=True)
class ShownWish:
    """What the reader can ask for now."""

    kind: RequestKind
    title: str
    meaning: str
    button: str
    dated: bool = False
    """Whether its last day can be chosen."""


@pages.get("/t/<token>/agreements")
def show_votes(token: str) -> ResponseReturnValue:
    """What can be asked for, and which votes are open; nothing happens yet."""
    case = load_ticket(token)
    return _render_page(case) if isinstance(case.history, StartedHistory) else redirect_to_game(case)


def _render_page(case: TicketContext, wrong: str = "") -> str:
    reader = page_readers.reader_of_context(case)
    return render_form(
        "votes.html",
        SeatForm.VOTES,
        case,
        wrong,
        links=page_readers.page_links(reader, "agreements"),
        deadline=case.deadline,
        waits_for=case.other_mover,
        kept=case.is_kept,
        skipped=case.is_skipped,
        votes=note_votes(case),
        wishes=tuple(_list_wishes(case)),
        times=count_extensions(case.history) if isinstance(case.history, StartedHistory) else 0,
        done=_tell_last_outcome(case),
        action=_address_of(case),
        away=url_for("away_page.show_away_page", token=token_of(case.turn_ticket)),
        plan=note_plan(case),
    )


@pages.post("/t/<token>/agreements")
@answers_form(SeatForm.VOTES, _render_page)
def vote(case: TicketContext) -> ResponseReturnValue:
    """A button was pressed: the bearer asks for something, or answers a vote. Twice is once."""
    if not isinstance(case.history, StartedHistory):
        return redirect_to_game(case)
    if request.form.get("say") == BACK:
        own = case.is_own_browser
        do_at_once(lambda unit: return_player(unit, case.player, case.game.id, Channel.WEB, everywhere=own))
        return redirect(_address_of(case, outcome=BACK), 303)
    try:
        outcome = do_at_once(lambda unit: _do_wish(unit, case))
    except ValueError:
        return _render_page(case, gettext("Please choose one of these.")), 422
    return redirect(_address_of(case, outcome=outcome.value), 303)


def _do_wish(unit: UnitOfWork, case: TicketContext) -> VoteOutcome:
    """Do what the form says. Raises `ValueError`, and what is refused."""
    game, seat, wish = case.game.id, case.ticket.seat, request.form.get("wish", "")
    match wish:
        case RequestKind.MORE_TIME:
            times = request.form.get("times", "")
            return ask_extension(unit, game, seat, Channel.WEB, int(times) if times.isdecimal() else None)
        case RequestKind.PAUSE:
            return ask_pause(unit, game, seat, Channel.WEB, _read_last_day())
        case RequestKind.RESUME:
            return end_pause(unit, game, seat, Channel.WEB)
    kind, answer = VoteKind(request.form.get("vote", "")), VoteAnswer(request.form.get("answer", ""))
    about = request.form.get("about", "")
    return cast_vote(
        unit, game, seat, kind, answer, Channel.WEB, int(about) if re.fullmatch("[0-3]", about) else None
    )


def _read_last_day() -> datetime | None:
    """When the last day of a pause is over that was chosen, for whoever chose it; None where none was."""
    try:
        last = date.fromisoformat(request.form.get("last", "").strip())
        return datetime.combine(last + timedelta(days=1), time(), current_zone()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _address_of(case: TicketContext, **query: str) -> str:
    return url_for("votes_page.show_votes", token=token_of(case.turn_ticket), **query)  # type: ignore[arg-type]


def _list_wishes(case: TicketContext) -> Iterator[ShownWish]:
    """What the reader can ask for now; nothing for whoever does not play any more."""
    game, history, seat = case.game, case.history, case.ticket.seat
    if not isinstance(history, StartedHistory) or history.is_vacant(seat):
        return
    if game.status != GameStatus.RUNNING or game.suspended_at is not None:
        return
    with current_context().reading() as session:
        for wish in _all_wishes():
            try:
                match wish.kind:
                    case RequestKind.MORE_TIME:
                        check_extension(session, game, history, seat, now())
                    case RequestKind.PAUSE:
                        check_pause(game, history, None, now())
                    case _:
                        check_pause_end(session, game, history, seat, now())
            except VoteRefused:
                continue
            yield wish


def _all_wishes() -> Iterator[ShownWish]:
    yield ShownWish(
        RequestKind.MORE_TIME,
        gettext("More time for this turn"),
        gettext(
            "The first 24 hours more are added at once, unless another player says no. The next need the "
            "yes of one of the others."
        ),
        gettext("24 hours more"),
    )
    yield ShownWish(
        RequestKind.PAUSE,
        gettext("A pause"),
        gettext(
            "No time runs on any turn, for thirty days at most. Who opened the game pauses it alone; else "
            "all who play have to agree."
        ),
        gettext("Ask for a pause"),
        dated=True,
    )
    yield ShownWish(
        RequestKind.RESUME,
        gettext("Go on"),
        gettext("Time runs again, and the turn has what was left of its own."),
        gettext("End the pause"),
    )


def _tell_last_outcome(case: TicketContext) -> str:
    """What became of the button that was pressed before, in a sentence; empty where none was."""
    if request.args.get("outcome") == BACK:
        return gettext(YOU_ARE_BACK)
    try:
        return tell_outcome(VoteOutcome(request.args.get("outcome", "")), case.game.deadline)
    except ValueError:
        return ""
