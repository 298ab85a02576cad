"""A check-up of what is stored: every act judged again by today's rules. It reports and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import select

from engine.actions import Illegal
from engine.checking import check
from engine.events import GameStarted, WrongEvent
from engine.evolve import evolve, start
from server.store.context import Office
from server.store.event_log import Broken
from server.store.models import Game, Resigned


def examine(office: Office) -> Iterator[str]:
    """A sentence for each thing that is not as it should be; nothing when all is well."""
    with office.reading() as session:
        for game in session.exec(select(Game)):
            try:
                history = office.history(session, game)
            except Broken as error:
                yield str(error)
                continue
            if (history.seq, history.after) != (game.seq, game.after):
                yield f"game {game.id}: the list of games is behind its acts; `alexandros rebuild` mends it"
            noted = select(Resigned.seat).where(Resigned.game == game.id)
            if set(session.exec(noted)) != history.resigned.keys():
                yield f"game {game.id}: its acts say that others have resigned; `alexandros rebuild` mends it"
            position = None
            for seq, event in history.facts:
                if isinstance(event, GameStarted):
                    position = start(office.board_of(game), event)
                    continue
                assert position is not None
                try:
                    check(position, event)
                except (Illegal, WrongEvent) as error:
                    yield f"game {game.id}, act {seq}: today's rules differ: {error}"
                position = evolve(position, event)
