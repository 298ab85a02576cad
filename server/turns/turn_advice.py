"""Advice: good turns for the seat to move, computed from its player's knowledge.

Computed in a separate process and cached, so that a position always gets the same advice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlmodel import Session

from emails.i18n import gettext
from engine.bots.advice import Suggestion, suggest_turns, suggest_turns_at_sight
from engine.position import View, view
from server.store.context import Context
from server.store.event_log import History, require_started
from server.store.game_terms import terms_of
from server.store.models import Game
from server.store.refusals import GameNotBegun, GameSuspended, Refusal, RefusalCode, check_not_suspended
from server.thinking.thinker import ThinkingFailed

SUGGESTIONS = 5
LETTER_WAITS = 2.0
"""Maximum seconds for which a letter waits for its suggestions."""
ADVICE_TAKES = 4.0

AT_SIGHT = "at sight"
"""Cache key of suggestions that were made without search, for lack of time."""


class AdviceRefused(Refusal):
    code = RefusalCode.ADVICE


@dataclass(frozen=True, slots=True)
class TurnAdvice:
    known: View
    suggestions: tuple[Suggestion, ...]
    at_sight: bool = False


def is_advice_given(session: Session, game: str) -> bool:
    return terms_of(session, game).advice


def view_to_advise(session: Session, game: Game, history: History, seat: int) -> View:
    """Return the game as visible to the player of a seat, if advice may be requested for it now.

    Raises `AdviceRefused`, `GameSuspended` or `GameNotBegun`.
    """
    if not is_advice_given(session, game.id):
        raise AdviceRefused(gettext("In this game no advice is given."))
    check_not_suspended(game)
    position = require_started(history).position
    if position.table.over:
        raise AdviceRefused(gettext("The game is over."))
    known = view(position, seat)
    if not known.my_turn or seat in history.resigned:
        raise AdviceRefused(gettext("Advice is for the player to move, and it is not your turn."))
    return known


def advise(
    context: Context, game: Game, history: History, seat: int, count: Callable[[], None]
) -> TurnAdvice:
    """Return good turns for a seat that may get advice; chosen without search if the search takes too long.

    `count`: called before a new computation, and may refuse it. Raises the errors of `view_to_advise`.
    """
    with context.reading() as session:
        known = view_to_advise(session, game, history, seat)
    asked = (game.id, history.after, seat)
    with context.advice.one_at_a_time(asked):  # concurrent requests are counted once
        found = context.advice.get(asked)
        if found is None:
            count()
            try:
                found = _work_out(context, game, history, known, ADVICE_TAKES)
            except ThinkingFailed:
                return TurnAdvice(known, suggest_turns_at_sight(known, SUGGESTIONS), at_sight=True)
    return TurnAdvice(known, found)


def offered_at_sight(context: Context, game: Game, history: History, seat: int) -> tuple[Suggestion, ...]:
    """Return the suggestions made without search for this position; empty if none are cached."""
    return context.advice.get((game.id, history.after, seat, AT_SIGHT)) or ()


def suggest(
    context: Context,
    session: Session,
    game: Game,
    history: History,
    seat: int,
    seconds: float = LETTER_WAITS,
) -> tuple[Suggestion, ...]:
    """Return good turns for a seat, the best first, for a letter or page that offers them unrequested.

    If the search takes too long, the turns are chosen without search. The choice is cached, so that a label
    such as "A" in a sent letter keeps its meaning. Empty if no advice is allowed or another seat moves.
    """
    try:
        known = view_to_advise(session, game, history, seat)
    except (AdviceRefused, GameSuspended, GameNotBegun):
        return ()
    asked = (game.id, history.after, seat)
    if found := offered_at_sight(context, game, history, seat) or context.advice.get(asked):
        return found
    try:
        return _work_out(context, game, history, known, seconds)
    except ThinkingFailed:
        seen = suggest_turns_at_sight(known, SUGGESTIONS)
        context.advice.put((*asked, AT_SIGHT), seen)
        return seen


def _work_out(
    context: Context, game: Game, history: History, known: View, seconds: float
) -> tuple[Suggestion, ...]:
    found = context.adviser.call(suggest_turns, known, SUGGESTIONS, seconds=seconds)
    context.advice.put((game.id, history.after, known.my_seat), found)
    return found
