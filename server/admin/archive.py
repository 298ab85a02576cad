"""Games as files: a game's log written out as JSON Lines, and such a log taken in as a game."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from emails.links import GAME
from emails.picture.palette import plain_name
from engine import codec
from engine.events import Event, GameStarted
from engine.evolve import evolve
from engine.logfile import check_log
from engine.rules import follow
from server.lobby.games import (
    GAME_NAME,
    LONGEST_NAME,
    NotOpened,
    Wish,
    add,
    check_hours,
    checked_seats,
    clean,
    new_id,
    seat_player,
)
from server.outbox.queue import queue
from server.store.boards import boards
from server.store.context import Office
from server.store.event_log import IMPORTED, OWN, Fact, History, acts
from server.store.models import CANCELLED, PROPOSED, Game
from server.turns.dry_run import Run
from server.turns.play import letters_of


def export(office: Office, game_id: str, after: int = 0) -> Iterator[str]:
    """The lines of a game's log: the game's own facts, the first of each act with `meta` (who, when, how).

    `after`: only those of the acts after this one. Raises `NotOpened` where there is no such game or it has
    not started, `log.Broken` where it was changed.
    """
    with office.reading() as session:
        game = session.get(Game, game_id) if GAME.fullmatch(game_id) else None
        if game is None:
            raise NotOpened(f"there is no game “{plain_name(game_id)}”")
        if game.status == PROPOSED:
            raise NotOpened("the game is only proposed: nobody has confirmed it")
        if game.status in ("open", CANCELLED):
            raise NotOpened("the game has not started: not everybody has accepted")
        office.history(session, game)
        for row, _ in acts(session, game_id, after):
            facts = [fact for fact in json.loads(row.events) if fact["type"] not in OWN]
            if facts and not any("meta" in fact for fact in facts):  # what was taken in has its own
                facts[0]["meta"] = {"at": row.at, "seat": row.seat, "door": row.door, "said": row.said}
            yield from (json.dumps(fact) for fact in facts)


@dataclass(frozen=True, slots=True)
class Record:
    """A checked log: its lines as JSON, and its facts."""

    facts: tuple[Fact, ...]
    started: GameStarted
    events: tuple[Event, ...]


def read_record(lines: Iterable[bytes]) -> Record:
    """A whole log, checked. Raises `engine.logfile.WrongLog`."""
    kept = list(lines)
    events = tuple(event for event, _ in check_log(kept, boards()))
    started = events[0]
    assert isinstance(started, GameStarted)
    return Record(tuple(json.loads(line) for line in kept), started, events)


def take_in(
    office: Office,
    record: Record,
    now: datetime,
    *,
    name: str = "",
    wishes: Sequence[Wish] = (),
    hours: int = 48,
) -> str:
    """Store a log as a game, which goes on from there if it is not over. Gives its id.

    `wishes` seat people on the seats of their names, and the house, if it is among them, on all others. While
    any seat is empty no clock runs. Raises `NotOpened`.
    """
    started = record.started
    name = clean(name or "Imported game", GAME_NAME)
    check_hours(hours)
    seats = _seats(started.seats, wishes)
    clock = hours if all(wish is not None for wish in seats) else 0
    with office.writing() as session:
        game = Game(
            id=new_id(), name=name, board=started.board, edition=started.edition, hours=clock, opened_at=now
        )
        session.add(game)
        session.flush()
        for seat, (called, wish) in enumerate(zip(started.seats, seats, strict=True)):
            seat_player(
                session, game, seat, plain_name(called, LONGEST_NAME) or f"Seat {seat + 1}", wish, now, now
            )
        facts: list[Fact] = [{"type": IMPORTED}, *record.facts]
        history = add(office, session, game, History(), now, None, "operator", "", facts)
        history = _settle(office, session, game, history, now)
        assert history.position is not None
        if not history.position.table.over:
            letters = letters_of(history, None, "operator", None, Run((), ()), None)
            queue(office, session, game, letters, now)
        session.commit()
    office.shelf.put(game.id, history)
    office.wake()
    return game.id


def _settle(office: Office, session: Session, game: Game, history: History, now: datetime) -> History:
    """Let come what was due when the log was cut off."""
    assert history.position is not None
    position, events = history.position, list[Event]()
    while (event := follow(position, office.dice)) is not None:
        events.append(event)
        position = evolve(position, event)
    if not events:
        return history
    facts = [codec.encode(event, position.table.board) for event in events]
    return add(office, session, game, history, now, None, "server", "", facts)


def _seats(called: tuple[str, ...], wishes: Sequence[Wish]) -> list[Wish | None]:
    """Who sits where: people on the seats of their names, the house, if it is wished for, on all others."""
    by_name: dict[str, Wish] = {}
    for wish in checked_seats([wish for wish in wishes if wish.address is not None]):
        if wish.name.casefold() not in (seat.casefold() for seat in called):
            raise NotOpened(f"the log has no seat called {wish.name}: its seats are {', '.join(called)}")
        by_name[wish.name.casefold()] = wish
    others = Wish("", None) if any(wish.is_house for wish in wishes) else None
    return [by_name.get(seat.casefold(), others) for seat in called]
