"""Polling of open pages for news.

Each poll makes one query, draws nothing and replays no history, since many pages poll. If the clock of a turn
has not started yet, a script of the mover's page reports that the page is shown, and so starts the clock.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, url_for
from sqlalchemy import BindParameter, bindparam, func, or_, select

from emails.tokens import Ticket, unseal_ticket
from server.reviews import is_review_awaited
from server.store.context import is_set_back
from server.store.models import ChatMessage, Draft, Game, Seating, StoredTerms, table_of
from server.store.states import GameStatus
from server.turns.dry_run import mark_draft
from server.web.game.viewers import check_still_shown, link_of, load_ticket
from server.web.kit import errors, visitors
from server.web.kit.request_context import current_context, is_csrf_valid

Pulse = dict[str, int | bool | str]
"""The response to a poll.

`after`: number of the last act that changed the position; `said`: how many chat messages the reader can see;
`begun`: checksum that changes with the reader's draft; `over`: whether the game has ended; `awaited`: whether
the server is still making the review of the game; `page`: address at which the reader finds the game now.
"""
SEEN_PER_HOUR = 240
pages = Blueprint("live_updates", __name__)

GAMES = table_of(Game).c
SEATS = table_of(Seating).c
TERMS = table_of(StoredTerms).c
MESSAGES = table_of(ChatMessage).c
DRAFTS = table_of(Draft).c
READER: BindParameter[int] = bindparam("reader")
SAID = (  # the same count as `chat.count_visible_to`
    select(func.count())
    .where(MESSAGES.game == bindparam("of"))
    .where(or_(MESSAGES.addressee.is_(None), MESSAGES.addressee == READER, MESSAGES.seat == READER))
    .where(MESSAGES.id > SEATS.chat_from)
    .correlate(table_of(Seating))
    .scalar_subquery()
)
BEGUN = (
    select(DRAFTS.words)
    .where(DRAFTS.game == GAMES.id, DRAFTS.seat == READER, DRAFTS.after == GAMES.after)
    .correlate(table_of(Game))
    .scalar_subquery()
)
SELECT_PULSE = select(
    GAMES.status, GAMES.seq, GAMES.after, GAMES.redactions, GAMES.ended_at, SEATS.epoch, SAID, BEGUN
).where(GAMES.id == bindparam("of"), SEATS.game == GAMES.id, SEATS.seat == READER)
SELECT_WATCHED = select(GAMES.status, GAMES.after).where(
    GAMES.id == bindparam("of"), TERMS.game == GAMES.id, TERMS.watched
)


@pages.get("/t/<token>/pulse")
def show_player_pulse(token: str) -> Pulse:
    ticket = unseal_ticket(token, current_context().links.keys)
    with current_context().database.connect() as connection:
        found = connection.execute(SELECT_PULSE, {"of": ticket.game, "reader": ticket.seat}).first()
    if found is None:
        raise errors.GameGone
    status, seq, after, redactions, ended_at, generation, said, begun = found
    if status == GameStatus.CANCELLED:
        raise errors.GameCalledOff
    known = current_context().history_cache.get(ticket.game)
    if (known.seq, known.redactions) != (seq, redactions) or ended_at is not None:
        _check_in_full(ticket)
    elif known.is_of_earlier_player(ticket):
        raise errors.SeatLeft(ticket.game)  # otherwise the holder would get a ticket to another player's seat
    with current_context().reading() as session:
        if is_set_back(current_context(), session, ticket):
            raise errors.GameSetBack
    if generation != ticket.generation:
        raise errors.LinkWithdrawn
    page = link_of(ticket if ticket.words else replace(ticket, after=after, act_tag=b""))
    mark = mark_draft(begun or "")
    return {"after": after, "said": said, "begun": mark, "page": page, **_describe_end(ticket.game, status)}


@pages.post("/t/<token>/seen")
def note_page_seen(token: str) -> Response:
    """Start the turn's clock when a script reports that the page is shown; link scanners run no scripts."""
    case = load_ticket(token)
    if not is_csrf_valid():
        return Response(status=400)
    if case.awaits_letter and not visitors.allow(visitors.LimitedAction.PAGES_SEEN, SEEN_PER_HOUR):
        return Response(status=429)
    return Response(status=204)


def _check_in_full(ticket: Ticket) -> None:
    with current_context().reading() as session:
        game = session.get_one(Game, ticket.game)
        seating = session.get_one(Seating, (ticket.game, ticket.seat))
        if current_context().history_of(session, game).is_of_earlier_player(ticket):
            raise errors.SeatLeft(ticket.game)
    if seating.generation == ticket.generation:
        check_still_shown(game, seating)


@pages.get("/g/<game>/pulse")
def show_spectator_pulse(game: str) -> Pulse:
    with current_context().database.connect() as connection:
        found = connection.execute(SELECT_WATCHED, {"of": game}).first()
    if found is None or found.status == GameStatus.CANCELLED:
        raise errors.GameNotWatchable
    page = url_for("readonly_pages.show_spectator_page", game=game)
    return {"after": found.after, "said": 0, "page": page, **_describe_end(game, found.status)}


def _describe_end(game: str, status: GameStatus) -> Pulse:
    if status != GameStatus.OVER:
        return {"over": False, "awaited": False}
    with current_context().reading() as session:
        return {"over": True, "awaited": is_review_awaited(session, game)}
