"""What letters are made from, as their readers may know it: games, invitations, proposals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.letters import proposal_letter
from emails.letters.contexts import (
    GameLetterContext,
    InvitationContext,
    UnreadChat,
    VacatedSeat,
)
from emails.links import LinkBuilder
from engine.editions import EDITIONS
from engine.events import TurnEnded
from engine.evolve import replay
from engine.position import Table
from engine.views import VisibleEvent, veil_event, view
from server.outbox.letter_details import DeclinedDetail
from server.store.context import Context
from server.store.game_terms import terms_of
from server.store.histories import History, StartedHistory
from server.store.models import (
    Game,
    OutgoingLetter,
    Proposal,
    Seating,
)
from server.store.seats import WHOEVER_JOINS
from server.store.turn_clock import deadline_from


@dataclass(frozen=True, slots=True)
class LetterRequest:
    """A row of the outbox that is to be written as a letter, and where to find what that takes."""

    context: Context
    session: Session
    game: Game
    history: History
    row: OutgoingLetter
    links: LinkBuilder
    """For its reader."""
    now: datetime


def build_game_letter_context(
    asked: LetterRequest, history: StartedHistory, messages: tuple[UnreadChat, ...] = ()
) -> GameLetterContext:
    """What a seat may know of a running or finished game, and what happened since its last turn."""
    game, seat = asked.game, asked.row.seat
    since, before = events_since_last_turn(asked.context, game, history, seat)
    return GameLetterContext(
        game=game.id,
        name=game.name,
        view=view(history.position, seat),
        since=since,
        before=before,
        after=history.after,
        deadline=deadline_from(game, asked.now),
        hours=game.hours,
        links=asked.links,
        messages=messages,
        letter=asked.row.id or 0,
        holder=history.holder_code(seat),
    )


def events_since_last_turn(
    context: Context, game: Game, history: History, seat: int
) -> tuple[tuple[VisibleEvent, ...], Table | None]:
    """The facts since a seat's last turn ended, as it hears them, and the table as it was then."""
    events = [event for _, event in history.events]
    begun = 1
    for number in range(len(events) - 1, 0, -1):
        event = events[number]
        if isinstance(event, TurnEnded) and event.seat == seat:
            begun = number + 1
            break
    before = replay(context.board_of(game), events[:begun]).table
    return tuple(veil_event(event, seat) for event in events[begun:]), before


def build_invitation(asked: LetterRequest) -> InvitationContext:
    """What an invitation says of its game."""
    session, game, row = asked.session, asked.game, asked.row
    names = session.exec(select(Seating.name).where(Seating.game == game.id).order_by(col(Seating.seat)))
    return InvitationContext(
        game=game.id,
        name=game.name,
        players=tuple(name or gettext(WHOEVER_JOINS) for name in names),
        seat=row.seat,
        edition=EDITIONS[game.edition],
        hours=game.hours,
        links=asked.links,
        letter=row.id or 0,
        after=asked.history.player_since(row.seat),
    )


def build_proposal(asked: LetterRequest, note: str) -> proposal_letter.ProposalContext:
    """A game that was asked for by mail, as the letter to its organiser shows it."""
    session, game, row = asked.session, asked.game, asked.row
    request = proposal_letter.game_request_from_json(session.get_one(Proposal, game.id).wishes)
    page, reply = asked.links.proposal_links(game.id)
    stop = asked.links.unsubscribe_links(game.id, row.seat)[0]
    unwanted = asked.links.unwanted
    return proposal_letter.ProposalContext(request, game.name, note, page, reply, stop, unwanted)


def build_vacated_seat(session: Session, game: Game, detail: DeclinedDetail) -> VacatedSeat:
    """Who will not play, for the letter to the organiser."""
    return VacatedSeat(detail.name, detail.how, bool(terms_of(session, game.id).joined_by))


def names_awaited(session: Session, game: Game) -> tuple[str, ...]:
    """Who has not accepted yet."""
    missing = select(Seating.name).where(Seating.game == game.id, col(Seating.accepted_at).is_(None))
    names = session.exec(missing.order_by(col(Seating.seat)))
    return tuple(name or gettext(WHOEVER_JOINS) for name in names)
