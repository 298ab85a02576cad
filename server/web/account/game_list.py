"""A player's games as lists show them: each with what its reader needs to know before he opens it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, and_, func
from sqlmodel import Session, col, select

from emails.i18n import say, say_many
from emails.links import Ticket
from emails.wording import phrases
from emails.wording.narration import sentences
from engine.events import TurnEnded
from engine.position import Table
from engine.views import told, view
from server.store.event_log import Broken, History
from server.store.models import CANCELLED, Act, Game, Resigned, Seating
from server.store.seats import WHOEVER_JOINS
from server.web.game.ticket_context import ACCEPT, link_of, settings_of
from server.web.kit.request_context import now, office

A_PAGE = 50
LONG = 48
"""Hours from which on the time that is left is told in whole days."""
Kind = Literal["running", "invited", "waiting", "ended"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A game as a list shows it to one of its players."""

    name: str
    link: str
    others: str
    """Who else plays; empty where nobody does."""
    my_turn: bool = False
    mover: str = ""
    """Whose turn it is, if it is not the reader's."""
    gave_up: bool = False
    """Whether the reader has given the game up."""
    left: str = ""
    """The time that is left for the turn; empty where none runs."""
    deadline: datetime | None = None
    last: str = ""
    """What happened last, or how the game ended: a sentence."""
    at: datetime | None = None
    """When that was."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Those of a player's games that one page shows, and how many there are."""

    entries: tuple[Entry, ...]
    total: int
    number: int
    """Of the page; the first is 1."""

    @property
    def pages(self) -> int:
        """How many pages they would fill."""
        return -(-self.total // A_PAGE)


Row = tuple[Seating, Game, Resigned | None]
WHICH: Mapping[Kind, ColumnElement[bool]] = {
    "running": col(Game.status) == "running",
    "invited": and_(col(Game.status) == "open", col(Seating.accepted_at).is_(None)),
    "waiting": and_(col(Game.status) == "open", col(Seating.accepted_at).is_not(None)),
    "ended": col(Game.status).in_(("over", CANCELLED)),
}
LATEST = func.coalesce(Game.turn_began_at, Game.opened_at).desc()


def shown(session: Session, player: int, kind: Kind, number: int = 1, most: int = A_PAGE) -> Shown:
    """The games of a kind: his turn first, then by deadline; where nobody plays, the newest first."""
    mine = select(func.count()).select_from(Seating).join(Game, col(Game.id) == Seating.game)
    total = session.exec(mine.where(Seating.player == player, WHICH[kind])).one()
    given_up = and_(col(Resigned.game) == Seating.game, col(Resigned.seat) == Seating.seat)
    rows = select(Seating, Game, Resigned).join(Game, col(Game.id) == Seating.game)
    rows = rows.outerjoin(Resigned, given_up).where(Seating.player == player, WHICH[kind])
    if kind == "running":
        waits = and_(col(Game.seat) == col(Seating.seat), col(Resigned.seat).is_(None))
        rows = rows.order_by(waits.desc(), col(Resigned.seat).is_not(None), col(Game.deadline).is_(None))
        rows = rows.order_by(col(Game.deadline), LATEST, col(Game.id))
    else:
        rows = rows.order_by(LATEST, col(Game.id))
    found = session.exec(rows.offset((number - 1) * A_PAGE).limit(most)).all()
    return Shown(_entries(session, found), total, number)


def settings(session: Session, player: int) -> str:
    """Where a player says what he wants of all games: on the page of the last; empty where he has none."""
    chosen = select(Seating, Game).join(Game, col(Game.id) == Seating.game)
    chosen = chosen.where(Seating.player == player, col(Game.status).in_(("open", "running", "over")))
    found = session.exec(chosen.order_by(col(Game.opened_at).desc(), col(Game.id)).limit(1)).first()
    return "" if found is None else settings_of(_ticket(found[0], found[1], _history(session, found[1])))


def _entries(session: Session, rows: Sequence[Row]) -> tuple[Entry, ...]:
    """Two questions to the database for all of them; the histories lie on the shelf."""
    games = [game.id for _, game, _ in rows]
    seats: defaultdict[str, list[Seating]] = defaultdict(list)
    chosen = select(Seating).where(col(Seating.game).in_(games)).order_by(col(Seating.seat))
    for one in session.exec(chosen):
        seats[one.game].append(one)
    last = select(Act.game, Act.at).join(Game, and_(col(Game.id) == Act.game, col(Game.after) == Act.seq))
    times = {
        game: datetime.fromisoformat(at) for game, at in session.exec(last.where(col(Game.id).in_(games)))
    }
    return tuple(_entry(session, row, seats[row[1].id], times.get(row[1].id)) for row in rows)


def _entry(session: Session, row: Row, seats: Sequence[Seating], at: datetime | None) -> Entry:
    seating, game, resigned = row
    history = _history(session, game)
    others = dict.fromkeys(phrases.shown(one.name or say(WHOEVER_JOINS)) for one in seats if one != seating)
    running, mine = game.status == "running", game.seat == seating.seat and resigned is None
    last = say("It was called off before it began.") if game.status == CANCELLED else ""
    return Entry(
        name=phrases.shown(game.name),
        link=link_of(_ticket(seating, game, history)),
        others=phrases.listed(others) if others else "",
        my_turn=running and mine,
        mover=next((phrases.shown(one.name) for one in seats if running and one.seat == game.seat), ""),
        gave_up=running and resigned is not None,
        left=_span(game.deadline) if running and game.deadline else "",
        deadline=game.deadline if running else None,
        last=last or _last(history, seating.seat),
        at=at,
    )


def _history(session: Session, game: Game) -> History:
    """A game's history; one that cannot be read counts as empty, so that the others are still shown."""
    try:
        return office().history(session, game)
    except Broken:
        return History()


def _ticket(seating: Seating, game: Game, history: History) -> Ticket:
    """The ticket to a game as it is now."""
    since = history.since(seating.seat)
    if game.status == "open":
        return Ticket(game.id, seating.seat, since, ACCEPT)
    return Ticket(game.id, seating.seat, max(game.after, since))


def _span(deadline: datetime) -> str:
    """The time until a deadline, such as "5 hours" and "2 days"."""
    hours = max(timedelta(0), deadline - now()) // timedelta(hours=1)
    return phrases.span(hours if hours < LONG else hours - hours % 24)


def _last(history: History, me: int) -> str:
    """What somebody did last, as the reader is told it; of a game that is over, how it ended."""
    if history.position is None:
        return ""
    known = view(history.position, me)
    if known.table.winners is not None:
        return _won(known.table, known.table.winners, me)
    facts = [told(event, me) for seq, event in history.facts if seq == history.after]
    deeds = [fact for fact in facts if hasattr(fact, "seat") and not isinstance(fact, TurnEnded)]
    return next(iter(sentences(deeds or facts, known)[-1:]), "")


def _won(table: Table, winners: Sequence[int], me: int) -> str:
    return say_many(
        "%(winners)s won with %(points)s.",
        "%(winners)s won with %(points)s.",
        len(winners),
        winners=phrases.begun(phrases.listed(phrases.who(table, seat, me) for seat in winners)),
        points=phrases.points(max(table.scores)),
    )
