"""A game as its caller may see it, made from `engine.position.view`, and advice for the seat to move."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, case, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from emails.i18n import gettext
from emails.picture.palette import clean_name
from emails.terms import TurnOutlook
from emails.tokens import GAME_ID
from emails.wording import options
from emails.wording.advice_text import list_turn_choices
from emails.wording.texts import say
from engine.actions import Action
from engine.board import Board
from engine.bots import reviews
from engine.bots.strengths import PROFILES
from engine.event_log import describe_table
from engine.events import Event
from engine.notation.orders import write
from engine.position import Position, View, view
from server.admin import backups
from server.commands import Actor
from server.reviews import load_review
from server.store.event_log import History, StartedHistory, list_steps, require_started
from server.store.game_terms import find_pause_end, terms_of
from server.store.models import Game, Seating
from server.store.states import Channel, GameStatus
from server.store.turn_clock import absent_since, find_times, shown_deadlines
from server.turns.forecast import AskingSeat, foresee_turns
from server.turns.play import list_planned_acts
from server.web.api import schemas
from server.web.api.schemas import ApiError, JsonObject, encode_for_seat
from server.web.game.draft_pages import ask_for_advice
from server.web.kit.request_context import current_context, is_mail_down, now, read

PAGE_SIZE = 50
HIDDEN_STATUSES = (GameStatus.PROPOSED, GameStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class FoundGame:
    """A game and its caller: the seat `me` of `player`, or a spectator."""

    game: Game
    history: History
    seats: tuple[Seating, ...]
    player: int | None
    me: int | None
    deadline: datetime | None
    outlook: TurnOutlook | None = None

    @property
    def own_seat(self) -> int:
        if self.me is None:
            raise ApiError(403)
        return self.me

    @property
    def actor(self) -> Actor:
        assert self.player is not None
        return Actor(self.player, Channel.API, self.game.id, self.own_seat)

    def load_again(self) -> FoundGame:
        return find_game(self.player, self.game.id, self.me)

    def encode(self, events: Sequence[Event]) -> list[JsonObject]:
        return [encode_for_seat(event, self.me, self.board) for event in events]

    @property
    def position(self) -> Position | None:
        """The full position: show callers only a `view`, without secrets. None before the game begins."""
        return self.history.position if isinstance(self.history, StartedHistory) else None

    @property
    def board(self) -> Board:
        return current_context().board_of(self.game)


def find_game(player: int | None, game_id: str, seat: int | None = None) -> FoundGame:
    """Return a game and the caller's seat: `seat`, else the seat to move or the first. Raises `ApiError`."""
    with current_context().reading() as session:
        game = session.get(Game, game_id) if GAME_ID.fullmatch(game_id) else None
        if game is None or game.status in HIDDEN_STATUSES:
            raise ApiError(404)
        seats = session.exec(select(Seating).where(Seating.game == game_id).order_by(col(Seating.seat))).all()
        own = tuple(one.seat for one in seats if player is not None and one.player == player)
        if not own and not terms_of(session, game_id).watched:
            raise ApiError(404)  # as if the game did not exist
        if seat is not None and seat not in own:
            raise ApiError(403, gettext("Seat %(seat)s of this game is not yours.", seat=seat) if own else "")
        history = current_context().history_of(session, game)
        deadline, _ = find_times(session, game, absent_since(session), now())
        turn = history.position.table.seat if isinstance(history, StartedHistory) else None
        usual = turn if turn in own else min(own, default=None)
        me = usual if seat is None else seat
        outlook = None if me is None else foresee_turns(session, [AskingSeat(game, history, me)], now())[0]
    return FoundGame(game, history, tuple(seats), player, me, deadline, outlook)


# --- a game ---------------------------------------------------------------------------------------------


def describe_game(found: FoundGame, *, offered: bool = True) -> schemas.OpenGame | schemas.BegunGame:
    if found.position is None:
        return schemas.OpenGame.model_validate({"status": "open", **_common_fields(found)})
    described = describe_begun_game(found, found.position, offered=offered)
    if described.status == "over":
        history = require_started(found.history)
        with current_context().reading() as session:
            review = load_review(current_context(), session, found.game.id, history.position)
        return described.model_copy(update={"review": review and describe_review(review, history)})
    return described


def describe_begun_game(found: FoundGame, position: Position, *, offered: bool = True) -> schemas.BegunGame:
    known, outlook, next_turn = view(position, found.me), found.outlook, None
    if outlook is not None:
        words = say("time.next_turn", outlook=outlook, now=now())
        next_turn = schemas.NextTurn(not_before=outlook.earliest, latest=outlook.latest, words=words)
    return schemas.BegunGame.model_validate(
        {
            "status": "over" if known.table.over else "running",
            **_common_fields(found),
            **describe_table(known.table),
            "hand": None if known.me is None else list(known.hand),
            "hand_sizes": known.hand_sizes,
            "supply_size": known.supply_size,
            "choices": _describe_choices(known) if offered else [],
            "next_turn": next_turn,
        }
    )


def _common_fields(found: FoundGame) -> JsonObject:
    game = found.game
    players = [
        clean_name(one.name) if one.player is not None or one.house or one.accepted_at is not None else None
        for one in found.seats
    ]
    profiles = {one.seat: PROFILES.get(one.name) for one in found.seats if one.house}
    return {
        **_describe_clock(game, found.history, found.deadline),
        "after": found.history.after,
        "name": game.name,
        "board": game.board,
        "edition": game.edition,
        "players": players,
        "house": [{"seat": seat, "strength": known and known.strength} for seat, known in profiles.items()],
        "me": found.me,
    }


def _describe_clock(game: Game, history: History, deadline: datetime | None) -> JsonObject:
    return {
        "game": game.id,
        "after": game.after,
        "deadline": deadline,
        "stands_still": is_mail_down(),
        "paused_until": find_pause_end(game, history),
    }


def _describe_choices(known: View) -> list[schemas.Choice]:
    several = gettext("Several paths lead there. A preview says which.")
    return [
        schemas.Choice(
            heading=group.heading,
            words=one.words,
            title=one.title,
            detail=several if one.further else one.detail,
            price=one.price,
            gain=one.gain,
            further=one.further,
        )
        for group in options.list_options(known, labelled=False)
        for one in group.choices
        if one.words
    ]


def describe_review(review: reviews.Review, history: StartedHistory) -> schemas.Review:
    board, steps = history.position.table.board, list_steps(history)
    played = reviews.played_turns(steps)
    return schemas.Review(
        chances=list(review.chances),
        turns=[_describe_turn(one, turn.known) for one, turn in zip(review.turns, played, strict=True)],
        harvests=[
            schemas.Harvest(turn=one.turn, seat=one.seat, place=board.names[one.place], points=one.value)
            for one in reviews.harvests(steps)
        ],
    )


def _describe_turn(one: reviews.ReviewedTurn, known: View) -> schemas.ReviewedTurn:
    """Return a reviewed turn as JSON. `known`: what the player knew when the turn began."""

    def words_of(actions: Sequence[Action]) -> list[str]:
        return [write(action, known.table.board) for action in actions]

    verdict = one.verdict
    return schemas.ReviewedTurn(
        turn=verdict.turn,
        seat=verdict.seat,
        played=words_of(verdict.played),
        best=words_of(verdict.best if verdict.cost else reviews.foreseeable(known, verdict.best)),
        cost=verdict.cost,
        chances=list(one.chances),
    )


# --- its log --------------------------------------------------------------------------------------------


def log_lines(found: FoundGame, after: int) -> Iterator[str]:
    """Yield the log lines after act `after`. Before the end of the game, they do not show hidden cards."""
    if found.position is None:
        return
    if found.position.table.over:
        yield from backups.export_log(current_context(), found.game.id, after)
        return
    planned = read(list_planned_acts, found.game.id, found.history, found.me)
    for seq, event in found.history.events:
        if seq > after:
            way = {"door": Channel.PLAN} if seq in planned else {}
            meta = {"act": seq, **way}
            yield json.dumps({**encode_for_seat(event, found.me, found.board), "meta": meta})


# --- all games of a player ------------------------------------------------------------------------------


def list_games(player: int, page: int) -> schemas.Games:
    """Your games.

    The newest game comes first.
    """
    turn, first = aliased(Seating), func.min(col(Seating.seat)).label("first")
    own = select(Seating.game, first).where(Seating.player == player).group_by(Seating.game).subquery()
    found = (
        select(Game, case((col(turn.player) == player, turn.seat), else_=own.c.first), turn.name)
        .join(own, own.c.game == Game.id)
        .outerjoin(turn, and_(col(turn.game) == Game.id, col(turn.seat) == Game.seat))
        .where(col(Game.status).not_in(HIDDEN_STATUSES))
        .order_by(col(Game.opened_at).desc(), col(Game.id))
        .offset((page - 1) * PAGE_SIZE)
        .limit(PAGE_SIZE + 1)
    )
    with current_context().reading() as session:
        rows = session.exec(found).all()
        rows, is_last = rows[:PAGE_SIZE], len(rows) <= PAGE_SIZE
        due = shown_deadlines(session, [game for game, _, _ in rows], now())
        listed = [_summarize_game(session, *row, deadline) for row, deadline in zip(rows, due, strict=True)]
    return schemas.Games(games=listed, next=None if is_last else page + 1)


def _summarize_game(
    session: Session, game: Game, me: int, name: str | None, deadline: datetime | None
) -> schemas.Listed:
    runs, is_paused = game.status == GameStatus.RUNNING, game.paused_at is not None
    history = current_context().history_of(session, game) if runs and is_paused else History()
    return schemas.Listed.model_validate(
        {
            **_describe_clock(game, history, deadline),
            "name": game.name,
            "status": game.status,
            "me": me,
            "seat": game.seat if runs else None,
            "whose_turn": clean_name(name) if runs and name is not None else None,
        }
    )


def get_advice(found: FoundGame) -> schemas.Advice:
    """A few good turns for you.

    Advice is given in your own turn if the organiser has allowed it; else the response is 422. Repeated
    requests get equal advice. To play a suggestion, send its `words` as a line.
    """
    given = ask_for_advice(found.game, found.history, found.own_seat, found.actor.player)
    told = zip(given.suggestions, list_turn_choices(given.known, given.suggestions), strict=False)
    suggestions = [
        schemas.Suggestion(
            words=text.words, turn=f"{text.title}.", gain=text.gain, points=round(one.gain, 1), why=text.why
        )
        for one, text in told
    ]
    return schemas.Advice(after=found.history.after, at_sight=given.at_sight, suggestions=suggestions)
