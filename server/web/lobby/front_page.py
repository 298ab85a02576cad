"""The front page, and the list of games open to join or watch."""

from __future__ import annotations

import random
from functools import cache

from flask import Blueprint, render_template
from sqlmodel import Session

from emails.i18n import current_locale
from emails.letters.game_letters import turn_limit_text
from emails.picture.overlay import EMPTY_OVERLAY
from emails.tokens import Purpose, seal_game
from emails.wording import phrases
from engine.bots import play_to_win
from engine.cards import ONE, Symbol
from engine.editions import DEFAULT_EDITION
from engine.events import GameStarted
from engine.evolve import evolve, start
from engine.position import view
from server.lobby.open_seats import shown_seats
from server.store.context import load_boards
from server.store.event_log import CorruptLog
from server.store.game_terms import ListedGame, list_joinable_games, list_offered_games, list_watchable_games
from server.turns.dry_run import simulate_turn
from server.web.account.my_pages import GameListKind, list_player_games
from server.web.game.board_scene import draw_chart
from server.web.kit import visitors
from server.web.kit.request_context import current_context, now

EXAMPLE_PLAYERS = ("Anna", "Ben", "Cleo", "Dirk")
EXAMPLE_TURNS = 24
FEW_GAMES, MOST_GAMES = 3, 50
"""Games of each kind on the front page, and in the list."""
pages = Blueprint("front_page", __name__)


@pages.get("/")
def show_front_page() -> str:
    me = visitors.signed_in_player()
    with current_context().reading() as session:
        joined = _joinable_games(session)[:FEW_GAMES]
        mine = (
            ()
            if me is None
            else (
                list_player_games(session, me, GameListKind.RUNNING, most=FEW_GAMES),
                list_player_games(session, me, GameListKind.INVITED, most=FEW_GAMES),
            )
        )
    return render_template(
        "front.html",
        chart=_example_board(current_locale().language),
        joined=_game_rows(joined),
        mine=[one for one in mine if one.entries],
        me=me is not None,
    )


@cache
def _example_board(_: str) -> str:
    """Draw the middle of a game of bots with fixed dice; the language is only the cache key."""
    board = next(iter(load_boards().values()))
    lyre, horse, temple = ONE[Symbol.LYRE], ONE[Symbol.HORSE], ONE[Symbol.TEMPLE]
    dealt = GameStarted(
        board.name, DEFAULT_EDITION.name, EXAMPLE_PLAYERS, (lyre, horse, temple, lyre), horse + temple
    )
    position, dice = start(board, dealt), random.Random(EXAMPLE_TURNS)
    while position.table.turn <= EXAMPLE_TURNS and not position.table.over:
        for event in simulate_turn(position, play_to_win, lambda bag: dice.choice(list(bag))).events:
            position = evolve(position, event)
    return draw_chart(view(position, None), EMPTY_OVERLAY)


@pages.get("/games")
def show_game_lists() -> str:
    with current_context().reading() as session:
        joined, watched = _joinable_games(session), list_watchable_games(session, MOST_GAMES)
        offered = list_offered_games(session, MOST_GAMES)
    return render_template(
        "games.html",
        joined=_game_rows(joined),
        offered=_game_rows(offered),
        watched=_game_rows(watched),
    )


def _joinable_games(session: Session) -> list[ListedGame]:
    found = []
    for one in list_joinable_games(session, now(), MOST_GAMES):
        try:
            taken, free = shown_seats(current_context(), session, one.game)
        except CorruptLog:  # still list the others
            continue
        if free:
            found.append(ListedGame(one.game, tuple(seating.name for seating in taken), free))
    return found


def _game_rows(listed: list[ListedGame]) -> list[dict[str, object]]:
    return [
        {
            "id": one.game.id,
            "name": phrases.safe_name(one.game.name),
            "players": [phrases.safe_name(name) for name in one.names],
            "free": one.free,
            "time": turn_limit_text(one.game.turn_minutes),
            "turn": one.game.turn,
            "mover": "" if one.game.seat is None else phrases.safe_name(one.names[one.game.seat]),
            "join": seal_game(Purpose.JOIN, one.game.id, current_context().links.keys),
        }
        for one in listed
    ]
