"""What is due: house turns, reminders, passed deadlines, letters of the day: data, not jobs in a scheduler.

`due` is pure. `tick` does what is due and may run as often as anybody likes, in several servers at once:
every piece of work is claimed in the database.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import and_, or_, update
from sqlmodel import Session, col, select

from engine import bots
from server.accounts import undeliverable
from server.lobby import proposals, seat_expiry
from server.outbox.notifications import SHOWING, Occasion
from server.outbox.preferences import said_at, wants
from server.outbox.queue import queue
from server.store.context import Office
from server.store.event_log import Stale
from server.store.models import Game, Outgoing, Preference, Resigned, Seating
from server.turns.play import NoGame, play_turn

LOG = logging.getLogger(__name__)
REMIND_AT = (1 / 2, 7 / 8)
"""The parts of the time that have gone when a reminder is sent."""
DOORS = {"house": "house", "caretaker": "caretaker", "time out": "clock"}
"""For each kind of turn that is played for a seat the door by which it comes in."""
AT_ONCE = ("house", "caretaker")
"""What is played as soon as the turn comes."""
MOST_HOUSE_TURNS = 50
"""Of these turns of a game in one tick, so that letters do not wait for a game that nobody else plays."""

WHO_WANTS_DAILY = select(Preference.player).where(col(Preference.said).contains('"daily"'))
DAILY = (
    select(Seating.game, Seating.seat, Seating.player)
    .join(Game, col(Game.id) == Seating.game)
    .where(Game.status == "running", col(Seating.player).in_(WHO_WANTS_DAILY))
)
"""The seats of running games whose players may want a letter a day."""


@dataclass(frozen=True, slots=True)
class Due:
    """Something that the clock has to do."""

    game: str
    after: int
    what: Literal["house", "caretaker", "remind", "time out"]
    seat: int
    count: int = 0
    """Of a reminder: the how manyth it is."""


def due(
    games: Iterable[Game],
    house_seats: frozenset[tuple[str, int]],
    now: datetime,
    resigned: frozenset[tuple[str, int]] = frozenset(),
) -> list[Due]:
    """What the clock has to do at `now`; `resigned` are the seats whose players have given the game up."""
    found = []
    for game in games:
        if game.status != "running" or game.seat is None:
            continue
        if (game.id, game.seat) in house_seats:
            found.append(Due(game.id, game.after, "house", game.seat))
        elif (game.id, game.seat) in resigned:
            found.append(Due(game.id, game.after, "caretaker", game.seat))
        elif game.deadline is not None and game.turn_began_at is not None:
            if now >= game.deadline:
                found.append(Due(game.id, game.after, "time out", game.seat))
                continue
            gone = (now - game.turn_began_at) / (game.deadline - game.turn_began_at)
            count = sum(gone >= part for part in REMIND_AT)
            if count > game.reminded:
                found.append(Due(game.id, game.after, "remind", game.seat, count))
    return found


def look(office: Office, now: datetime) -> list[Due]:
    """What the clock has to do at `now` in all games of the database."""
    with office.reading() as session:
        games = list(session.exec(select(Game).where(Game.status == "running")))
        seats = session.exec(select(Seating.game, Seating.seat).where(col(Seating.house)))
        given_up = session.exec(select(Resigned.game, Resigned.seat))
        house_seats = frozenset((row[0], row[1]) for row in seats)
        return due(games, house_seats, now, frozenset((row[0], row[1]) for row in given_up))


def tick(office: Office, now: datetime) -> int:
    """Do what is due at `now`; the number of things done. Safe to run twice, late, or at once."""
    done = (
        undeliverable.look_after(office, now)
        + proposals.forget_old(office, now)
        + seat_expiry.free_old(office, now)
    )
    for _ in range(MOST_HOUSE_TURNS):
        work = look(office, now)
        before = done
        for item in work:
            try:
                _do(office, item, now)
            except (Stale, NoGame):
                continue  # somebody was quicker
            except Exception:
                LOG.exception("game %s cannot go on by itself", item.game)  # the others can
                continue
            done += 1
        if done == before or not any(item.what in AT_ONCE for item in work):
            break
    return done + tell_daily(office, now)


def _do(office: Office, item: Due, now: datetime) -> None:
    if item.what == "remind":
        _remind(office, item, now)
        return
    choose = bots.house if item.what == "house" else bots.caretaker
    play_turn(office, item.game, item.after, choose, DOORS[item.what], now)


def _remind(office: Office, item: Due, now: datetime) -> None:
    with office.writing() as session:
        game = session.get_one(Game, item.game)
        claim = (
            update(Game)
            .where(col(Game.id) == item.game, col(Game.after) == item.after)
            .where(col(Game.reminded) < item.count)
            .values(reminded=item.count)
        )
        if session.connection().execute(claim).rowcount == 1:
            occasion = Occasion(item.seat, f"reminder{item.count}")
            queue(office, session, game, [occasion], now)
        session.commit()


def tell_daily(office: Office, now: datetime) -> int:
    """Queue the letters of the day of running games; how many.

    Whoever wants one letter a day gets it even if nothing has happened, unless a letter that shows the game
    waits for him anyway or has gone to him since his hour. It is queued once, however late or often this is
    asked.
    """
    with office.reading() as session:
        if not _daily(session, now):
            return 0
    with office.writing() as session:
        found = _daily(session, now)  # again, for another server may have been quicker
        for game, seat, hour in found:
            day = Occasion(seat, "digest", mark=f"{hour:%Y-%m-%dT%H}")
            queue(office, session, session.get_one(Game, game), [day], now)
        session.commit()
    return len(found)


def _daily(session: Session, now: datetime) -> list[tuple[str, int, datetime]]:
    """The games and seats for which the letter of the day is due, each with the hour at which it was."""
    found = []
    for game, seat, player in session.exec(DAILY).all():
        assert player is not None
        wanted = wants(session, player, game)
        hour, said = wanted.last_hour(now), said_at(session, player, game)
        if wanted.pace != "daily" or not wanted.letters or (said is not None and said >= hour):
            continue  # or he wants it only since then
        if session.get(Resigned, (game, seat)) is not None:
            continue
        same = select(Outgoing.id).where(
            Outgoing.game == game, Outgoing.seat == seat, col(Outgoing.kind).in_(SHOWING)
        )
        today = and_(col(Outgoing.kind) == "digest", col(Outgoing.queued_at) >= hour)
        told = or_(col(Outgoing.state) == "waiting", col(Outgoing.sent_at) >= hour, today)
        if session.exec(same.where(told)).first() is None:
            found.append((game, seat, hour))
    return found
