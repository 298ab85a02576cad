"""Advice for a program: good turns for the seat to move, as its player may ask for them on a page."""

from __future__ import annotations

from emails.wording.advice_text import describe_suggestions
from server.web.api.game_view import find_game
from server.web.api.problems import ApiError
from server.web.api.shapes import Advice, SuggestionView
from server.web.game.advice_page import TooMuchAdvice, ask_for_advice


def advise_player(player: int, game_id: str, seat: int | None) -> Advice:
    """Good turns for a seat of a player. Raises `ApiError`, or a `Refusal` that says why there are none."""
    found = find_game(player, game_id, seat)
    seat = found.own_seat
    try:
        given = ask_for_advice(found.game, found.history, seat, player)
    except TooMuchAdvice as refused:
        raise ApiError(429, refused.sentence, headers={"Retry-After": str(refused.retry_after)}) from None
    # the last are left out of the words where they would be too many
    told = zip(given.suggestions, describe_suggestions(given.known, given.suggestions), strict=False)
    return Advice(
        after=found.history.after,
        at_sight=given.at_sight,
        suggestions=[
            SuggestionView(
                words=text.words, turn=text.turn, gain=text.gain, points=round(one.gain, 1), why=text.why
            )
            for one, text in told
        ],
    )
