"""From a row of the outbox to a finished mail: what its reader may know, drawn and composed.

Letters are made from views alone, which are picked here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parseaddr
from functools import lru_cache

from sqlmodel import Session, col, select

from emails import letters, picture
from emails.compose import Envelope, compose, root_id
from emails.letters import Invitation, Letter, Sheet, Undone
from emails.links import Ticket
from engine.editions import EDITIONS
from engine.events import GameStarted, TurnEnded
from engine.evolve import replay
from engine.position import Table
from engine.views import Told, told, view
from server.log import History
from server.office import Office
from server.tables import Game, Outgoing, Seating

PASSED = "its occasion has passed"


@dataclass(frozen=True, slots=True)
class Mail:
    """A finished mail."""

    sender: str
    """Of the envelope."""
    raw: bytes
    text: str
    """Its plain part, kept so that answers to it can be told from what they quote."""


def write(office: Office, row: Outgoing, now: datetime) -> Mail | str:
    """The mail that a row of the outbox asks for, or the reason why it is to be dropped."""
    with office.reading() as session:
        game = session.get_one(Game, row.game)
        reason = dropped(session, game, row)
        if reason:
            return reason
        after = 0
        if row.kind == "invitation":
            letter = letters.invitation(_invitation(office, session, game, row.seat))
        elif row.kind == "accepted":
            letter = letters.accepted(_invitation(office, session, game, row.seat), _awaited(session, game))
        elif game.status == "open":
            letter = letters.refused(str(json.loads(row.detail)["sentence"]))
        else:
            history = office.history(session, game)
            letter = _letter(office, game, history, row, now)
            after = history.after
    pngs = {picture.name: drawn(picture.svg) for picture in letter.pictures}
    envelope = _envelope(office, game, row, after, now)
    return Mail(envelope.bounce, compose(letter, envelope, pngs), letter.text)


@lru_cache(maxsize=64)
def drawn(svg: str) -> bytes:
    """A picture as PNG, drawn once while it is asked for again and again."""
    return picture.png(svg)


def dropped(session: Session, game: Game, row: Outgoing) -> str:
    """Why a letter is not sent any more; empty where it is."""
    if row.kind == "invitation":
        seating = session.get_one(Seating, (game.id, row.seat))
        return PASSED if game.status != "open" or seating.accepted_at is not None else ""
    if row.kind in ("turn", "reminder1", "reminder2"):
        return "" if game.status == "running" and game.after == row.seq else PASSED
    if row.kind == "accepted":
        return "" if game.status == "open" else PASSED
    if row.kind == "welcome":
        return PASSED if game.status == "over" else ""
    return ""


def _letter(office: Office, game: Game, history: History, row: Outgoing, now: datetime) -> Letter:
    """The letter of a game that has started."""
    detail: Mapping[str, object] = json.loads(row.detail)
    made = sheet(office, game, history, row.seat)
    match row.kind:
        case "turn":
            return letters.your_turn(made)
        case "welcome":
            return letters.welcome(made)
        case "reminder1" | "reminder2":
            return letters.reminder(made, now)
        case "over":
            return letters.game_over(made)
        case "time_passed":
            late = detail["seat"]
            assert isinstance(late, int)
            return letters.time_passed(made, late, _done(history, row))
        case "answer":
            undone = detail.get("undone")
            assert isinstance(undone, list)
            why = str(detail.get("why", ""))
            lines = tuple(Undone(str(line), why if number == 0 else "") for number, line in enumerate(undone))
            return letters.answer(made, _done(history, row) if detail.get("done") else (), lines)
        case "refused":
            return letters.refused(str(detail["sentence"]), made)
        case _:
            raise ValueError(f"there is no letter called {row.kind}")


def _done(history: History, row: Outgoing) -> tuple[Told, ...]:
    """The facts of the act that a letter is about, as its reader hears them."""
    return tuple(told(event, row.seat) for seq, event in history.facts if seq == row.seq)


def sheet(office: Office, game: Game, history: History, seat: int) -> Sheet:
    """What a seat may know of a running or finished game, and what happened since its last turn."""
    assert history.position is not None
    since, before = since_last_turn(office, game, history, seat)
    return Sheet(
        game=game.id,
        name=game.name,
        view=view(history.position, seat),
        since=since,
        before=before,
        after=history.after,
        deadline=game.deadline,
        hours=game.hours,
        post=office.post,
    )


def since_last_turn(
    office: Office, game: Game, history: History, seat: int
) -> tuple[tuple[Told, ...], Table | None]:
    """The facts since a seat's last turn ended, as it hears them, and the table as it was then."""
    events = [event for _, event in history.facts]
    begun = 1
    for number in range(len(events) - 1, 0, -1):
        event = events[number]
        if isinstance(event, TurnEnded) and event.seat == seat:
            begun = number + 1
            break
    assert isinstance(events[0], GameStarted)
    before = replay(office.board_of(game), events[:begun]).table
    return tuple(told(event, seat) for event in events[begun:]), before


def _invitation(office: Office, session: Session, game: Game, seat: int) -> Invitation:
    names = session.exec(select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat)))
    return Invitation(
        game=game.id,
        name=game.name,
        players=tuple(names),
        seat=seat,
        edition=EDITIONS[game.edition],
        hours=game.hours,
        post=office.post,
    )


def _awaited(session: Session, game: Game) -> tuple[str, ...]:
    """Who has not accepted yet."""
    missing = select(Seating.name).where(Seating.game == game.id, col(Seating.accepted_at).is_(None))
    return tuple(session.exec(missing.order_by(col(Seating.seat))))


def _envelope(office: Office, game: Game, row: Outgoing, after: int, now: datetime) -> Envelope:
    """What stands around a letter; one that only refuses has no sender, so that it is never returned."""
    settings = office.settings
    domain = settings.mail_domain
    return Envelope(
        sender=settings.mail_from,
        bounce="" if row.kind == "refused" else parseaddr(settings.mail_from)[1],
        recipient=row.recipient,
        reply_to=office.post.reply_address(Ticket(game.id, row.seat, after)),
        message_id=row.message_id,
        root=root_id(game.id, domain),
        answers=row.answers,
        list_id=f"{game.id}.{domain}",
        unsubscribe=office.post.stop_links(game.id, row.seat),
        replied=row.answers is not None,
        date=now,
    )
