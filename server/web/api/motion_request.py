"""What a caller asks of all who play, or says to it: read as JSON, and done as a button does it."""

from __future__ import annotations

from emails.wording.requests import MotionTerms
from server.accounts.player_returns import return_to_seat
from server.lobby.motions import decline_motion, support_motion, tell_outcome
from server.outbox.unit_of_work import open_unit
from server.store.states import Channel
from server.web.api.act_request import read_body
from server.web.api.game_view import find_game
from server.web.api.problems import ApiError
from server.web.api.shapes import MotionRequest, MotionResult, ReturnResult
from server.web.kit.request_context import current_context, now


def read_motion() -> MotionRequest:
    """What the request asks for. Raises `ApiError`: it is no JSON of that shape."""
    return read_body(MotionRequest)


def vote_on_motion(player: int, game_id: str, body: MotionRequest) -> MotionResult:
    """Ask for it, agree to it or decline it. Raises `ApiError` and what `support_motion` raises."""
    found = find_game(player, game_id, body.seat)
    if found.me is None:
        raise ApiError(403)
    say = support_motion if body.agree else decline_motion
    with open_unit(current_context(), now()) as unit:
        terms = MotionTerms(body.without, body.hours or 0, body.until)
        outcome = say(unit, game_id, found.me, body.motion, Channel.API, terms=terms)
        unit.commit()
    return MotionResult(outcome=outcome, told=tell_outcome(body.motion, outcome))


def take_seat_back(player: int, game_id: str, seat: int | None) -> ReturnResult:
    """Give the caller the seat back that a caretaker plays, and end their days away in this game.

    Raises `ApiError`, `ResignationRefused` and `GameSuspended`.
    """
    found = find_game(player, game_id, seat)
    if found.me is None:
        raise ApiError(403)
    with open_unit(current_context(), now()) as unit:
        back = return_to_seat(unit, player, game_id, found.me, Channel.API, everywhere=False)
        unit.commit()
    if back.refused:
        raise back.refused
    return ReturnResult(back=back.was_kept or back.was_away)
