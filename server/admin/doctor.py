"""A check-up of what is stored: every act judged again by today's rules. It reports and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlmodel import select

from engine.actions import Illegal
from engine.checking import check
from engine.events import Event, InvalidEvent
from engine.evolve import evolve, start
from engine.position import Position
from server.store.context import Context
from server.store.event_log import CorruptLog
from server.store.histories import StartedHistory
from server.store.models import Game, Resignation


def examine_stored_acts(context: Context) -> Iterator[str]:
    """A sentence for each thing that is not as it should be; nothing when all is well."""
    with context.reading() as session:
        for game in session.exec(select(Game)):
            try:
                history = context.history_of(session, game)
            except CorruptLog as error:
                yield str(error)
                continue
            if (history.seq, history.after) != (game.seq, game.after):
                yield f"game {game.id}: the list of games is behind its acts; `alexandros rebuild` mends it"
            noted = select(Resignation.seat).where(Resignation.game == game.id)
            if set(session.exec(noted)) != history.resigned.keys():
                yield f"game {game.id}: its acts say that others have resigned; `alexandros rebuild` mends it"
            if isinstance(history, StartedHistory):
                yield from _judge_acts(game, start(context.board_of(game), history.deal), history.events[1:])


def _judge_acts(game: Game, position: Position, acts: Sequence[tuple[int, Event]]) -> Iterator[str]:
    for seq, event in acts:
        try:
            check(position, event)
        except (Illegal, InvalidEvent) as error:
            yield f"game {game.id}, act {seq}: today's rules differ: {error}"
        position = evolve(position, event)
