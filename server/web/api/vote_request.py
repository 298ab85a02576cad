"""What a caller asks all players for, or answers to a vote: read as JSON, and done as a button does it."""

from __future__ import annotations

from emails.i18n import gettext
from emails.wording.requests import VoteAnswer, VoteKind
from emails.wording.vote_outcomes import VoteOutcome, tell_outcome
from server.accounts.player_returns import return_to_seat
from server.lobby.votes import VOTED_NO_MORE, VoteRefused, ask_extension, ask_pause, cast_vote, end_pause
from server.outbox.unit_of_work import UnitOfWork, open_unit
from server.store.models import Game
from server.store.states import Channel
from server.web.api.act_request import read_body
from server.web.api.game_view import FoundGame, find_game
from server.web.api.shapes import ReturnResult, VoteRequest, VoteResult
from server.web.kit.request_context import current_context, now


def vote(player: int, game_id: str) -> VoteResult:
    """Ask for it, or answer it. Raises `ApiError` and what votes.py raises."""
    body = read_body(VoteRequest)
    found = find_game(player, game_id, body.seat)
    seat = found.own_seat
    with open_unit(current_context(), now()) as unit:
        outcome = _vote(unit, found, seat, body)
        unit.commit()
        game = unit.session.get_one(Game, game_id)
        return VoteResult(outcome=outcome, told=tell_outcome(outcome, game.deadline))


def _vote(unit: UnitOfWork, found: FoundGame, seat: int, body: VoteRequest) -> VoteOutcome:
    game, answer = found.game.id, body.answer
    match body.vote:
        case VoteKind.MORE_TIME if answer is None:
            return ask_extension(unit, game, seat, Channel.API)
        case VoteKind.PAUSE if answer is None:
            return ask_pause(unit, game, seat, Channel.API, body.until)
        case VoteKind.PAUSE if answer is VoteAnswer.NO and found.game.paused_at is not None:
            return end_pause(unit, game, seat, Channel.API)
    if answer is None:
        raise VoteRefused(gettext(VOTED_NO_MORE))
    return cast_vote(unit, game, seat, body.vote, answer, Channel.API, body.about)


def take_seat_back(player: int, game_id: str, seat: int | None) -> ReturnResult:
    """Give the caller the seat back that a caretaker plays, and end their days away in this game.

    Raises `ApiError`, `ResignationRefused` and `GameSuspended`.
    """
    own = find_game(player, game_id, seat).own_seat
    with open_unit(current_context(), now()) as unit:
        back = return_to_seat(unit, player, game_id, own, Channel.API, everywhere=False)
        unit.commit()
    if back.refused:
        raise back.refused
    return ReturnResult(back=back.was_kept or back.was_away)
