"""Recording of acts: an act is appended to the log, and its listeners run in the same transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from server.outbox.queue import RecordedAct, UnitOfWork
from server.reviews import request_review
from server.store.event_log import History, append
from server.store.models import Game
from server.store.projection import are_seats_unchanged, project_history, store_absences
from server.store.server_facts import ActFact
from server.store.states import Channel
from server.store.stored_availability import unavailable_times_when_needed
from server.store.turn_clock import before_absence, find_absence
from server.turns.dry_run import drop_old_drafts
from server.turns.plans import settle_plans

LISTENERS: Sequence[Callable[[RecordedAct], None]] = (
    drop_old_drafts,
    settle_plans,
    request_review,
)
"""Consequences of an act besides the game's own row and the letters, in this order."""


def record_act(
    unit: UnitOfWork,
    game: Game,
    history: History,
    seat: int | None,
    channel: Channel,
    text: str,
    facts: Sequence[ActFact],
    *,
    may_have_drafts: bool = True,
    may_have_plans: bool = True,
) -> History:
    """Append an act with its facts to a game's log; return the new history. Raises `StalePosition`."""
    after = append(
        unit.session,
        game.id,
        unit.context.board_of(game),
        history,
        at=unit.now,
        seat=seat,
        door=channel,
        said=text,
        facts=facts,
    )
    unavailable = unavailable_times_when_needed(unit.session, game.id, game.seat)
    until = before_absence(game, find_absence(unit.moments), unit.now)
    project_history(game, after, unit.now, unavailable, until)
    if not are_seats_unchanged(history, after):
        store_absences(unit.session, game.id, after)
    unit.keep_history(game.id, after)
    unit.note_act(game.id, after.seq, seat, channel)
    act = RecordedAct(unit, game, history, after, may_have_drafts, may_have_plans)
    for listener in LISTENERS:
        listener(act)
    return after
