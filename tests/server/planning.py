"""Plans in a game of the server: made, tried, and looked at."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from engine.actions import Play
from engine.board import Board
from engine.evolve import evolve
from engine.notation.orders import write
from engine.plans import foresee_turn
from engine.position import Position, view
from engine.rules import card_choices, legal, perform
from server.store import context as store_context
from server.store.event_log import require_started
from server.store.models import Act, Game, StoredPlan
from server.turns.dry_run import preview
from server.turns.play import PLAN_PAUSE, keep_plan, play_due_plans
from tests.server.desk import NOON, Desk
from tests.spoken import read_plan

SOON = NOON + PLAN_PAUSE
LATER = NOON + timedelta(minutes=5)
NEVER = "stay; recall Troy"
"""A plan that is never legal while some card leads somewhere."""


def march_after(context, game: str) -> tuple[list[str], str]:
    """A turn for whoever is to move, and a card with its march that the next seat can play after it."""
    now, words = context.position_of(game), context.turn_words(game)
    after = preview(now, now.table.seat, words).position
    seat = (now.table.seat + 1) % len(now.table.names)
    known = foresee_turn(view(after, seat))
    card = next(one for one in card_choices(known) if isinstance(one, Play))
    began = Position(known.table, after.hands, after.supply)
    marching = evolve(began, perform(began, card, _no_dice))
    march = next(legal(view(marching, seat)))
    board = known.table.board
    return [*words, "draw", "draw"], f"{write(card, board)}; {write(march, board)}"


def _no_dice(_):
    raise AssertionError("nothing is drawn")


def plan(context, game: str, seat: int, text: str, now=NOON, language: str = "en") -> None:
    """Keep a plan of a seat, as its player writes it."""
    with context.changing() as session:
        row = session.get_one(Game, game)
        history = require_started(context.history_of(session, row))
        keep_plan(session, row, history, seat, read_plan(text, language), now)


def plans(context) -> list[StoredPlan]:
    return context.rows_of(StoredPlan)


def acts(context, game: str) -> list[tuple[int | None, str, str]]:
    rows = context.rows_of(Act, Act.game == game)
    return [(one.seat, one.door, one.said) for one in rows]


def pass_turn(context, game: str, lines: list[str]) -> None:
    seat = context.game_row(game).seat
    context.say(game, *lines)
    assert context.game_row(game).seat != seat


__all__ = ["LATER", "NEVER", "SOON", "acts", "march_after", "pass_turn", "plan", "plans", "play_due_plans"]


SMALL = Board.read(
    'name = "Alexandros"\nstart = "C7"\nrows = ["...........", " ....h......", "..........l"]\n'
    'places = [[], ["Memphis"], ["Troy"]]\n'
)
HORSE, NO_HORSE = 12, 29
"""Seeds of games in which the display has a horse after the first turn, or only a lyre."""
PLANS = {
    "en": "plan: if the display has a horse: horse; march Memphis; occupy. otherwise: lyre; draw",
    "nl": "plan: als er een paard open ligt: paard; marcheer Memphis; bezet. anders: harp; trek",
}
PLAYED = {
    HORSE: "choose horse; march Memphis C11-C9-C7; occupy Memphis",
    NO_HORSE: "choose lyre; march Memphis C11-C9-C7; draw",
}


def play_on_small_board(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(store_context, "load_boards", lambda: {SMALL.name: SMALL})


def start_small_game(context: Desk, seed: int) -> str:
    context.rng = random.Random(seed)
    return context.start_game("Anna", "Ben")
