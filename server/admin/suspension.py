"""Games that the operator halts: nobody plays or writes there, no letter leaves, the clock stands still.

A halt is no act, for nobody did anything in the game: its log stays as it is. Letters wait until it goes
on, and those whose occasion has passed by then are dropped as always.
"""

from __future__ import annotations

from sqlmodel import select

from server.accounts.bounces import update_clocks
from server.outbox.unit_of_work import UnitOfWork
from server.store.due_work import AT_ONCE, look_at_seats_of_game
from server.store.models import Game, Player, Seating
from server.store.refusals import GameNotRunning
from server.store.states import GameStatus
from server.store.stored_availability import unavailable_spans_of
from server.store.turn_clock import counted_until, leave_halt_uncounted, run_clock, stop_clock, time_left
from server.time_control.spans import Span


def suspend_game(unit: UnitOfWork, game_id: str) -> bool:
    """Halt a game; whether that is new. Raises `GameNotRunning` where there is none or it was called off."""
    game = _load_game(unit, game_id)
    if game.suspended_at is not None:
        return False
    game.suspended_at = unit.now
    unavailable = unavailable_spans_of(unit.session, game.id, game.seat)
    stop_clock(game, counted_until(unit.session, game, unit.now), unavailable)
    unit.session.flush()
    return True


def lift_suspension(unit: UnitOfWork, game_id: str) -> bool:
    """Let a game go on, with the time that was left; whether it was halted. Raises `GameNotRunning`."""
    game = _load_game(unit, game_id)
    if game.suspended_at is None:
        return False
    halt, game.suspended_at = (game.suspended_at, unit.now), None
    if game.status == GameStatus.RUNNING:
        _let_clock_go_on(unit, game, halt)
        game.due_at = AT_ONCE
        look_at_seats_of_game(unit.session, game.id)
    unit.session.flush()
    players = select(Player).join(Seating).where(Seating.game == game.id)
    for player in unit.session.exec(players).all():
        update_clocks(unit, player)  # mail may have come back, or arrived, in the meantime
    return True


def _let_clock_go_on(unit: UnitOfWork, game: Game, halt: Span) -> None:
    """Let the turn have what was left of it; a clock that stands still for its player stands on."""
    halted = game.seat is not None and unit.history_of(game).is_time_halted(game.seat)
    if game.turn_minutes and game.turn_began_at is not None and not halted:
        unavailable = unavailable_spans_of(unit.session, game.id, game.seat)
        until = counted_until(unit.session, game, halt[1])
        leave_halt_uncounted(game, (halt[0], until))
        run_clock(game, time_left(game, until, unavailable), until, unavailable)


def _load_game(unit: UnitOfWork, game_id: str) -> Game:
    game = unit.session.get(Game, game_id)
    if game is None or game.status == GameStatus.CANCELLED:
        raise GameNotRunning
    return game
