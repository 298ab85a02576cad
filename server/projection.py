"""What the list of games says, worked out from the acts: status, whose turn, deadline."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import select

from server.log import History, each
from server.office import Office
from server.tables import Game


def follow(game: Game, history: History, at: datetime) -> None:
    """Bring a game's row up to its history, of which the last act was at `at`."""
    game.seq, game.after = history.seq, history.after
    position = history.position
    if position is None:
        return
    table = position.table
    if table.over:
        game.status, game.deadline = "over", None
    else:
        game.status = "running"
        if table.turn != game.turn:
            game.turn_began_at, game.reminded = at, 0
            game.deadline = at + timedelta(hours=game.hours) if game.hours else None
    game.turn, game.seat = table.turn, table.seat


def rebuild(office: Office) -> int:
    """Work every game's row out anew; how many there were. Raises `log.Broken`."""
    with office.writing() as session:
        games = list(session.exec(select(Game)))
        for game in games:
            turn, reminded = game.turn, game.reminded
            game.status, game.turn, game.seat, game.turn_began_at, game.deadline = "open", 0, None, None, None
            for row, history in each(session, game.id, office.board_of(game), History()):
                follow(game, history, datetime.fromisoformat(row.at))
            if game.turn == turn:
                game.reminded = reminded
        session.commit()
    return len(games)
