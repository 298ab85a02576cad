"""What a caller wants to do: read as JSON, judged, and done through `play`, or only looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

from flask import request
from pydantic import ValidationError

from emails.i18n import gettext, gettext_noop
from emails.picture.palette import clean_name
from emails.wording.phrases import format_list
from engine.actions import Ambiguous, Illegal, Unreadable
from engine.events import Event
from engine.notation.canonical_text import write
from engine.notation.orders import OrderLine
from engine.notation.parser import parse_lines
from engine.plans.plan_reader import LONGEST_PLAN
from server.outbox.unit_of_work import open_unit
from server.store.histories import StartedHistory, require_started
from server.store.refusals import StalePosition
from server.store.states import Channel
from server.turns.dry_run import MOST_ACTIONS, LinesRefused, PlayerResigned, preview, refusal_sentence
from server.turns.play import load_running_game, play
from server.web.api.event_shapes import ApiShape, Fact, encode_for_seat
from server.web.api.game_view import FoundGame, describe_begun_game, find_game
from server.web.api.problems import ApiError, OrdersError, StaleError
from server.web.api.shapes import LONGEST_LINE, ActResult, Acts
from server.web.game.preview import lines_of
from server.web.kit.locale import page_vocabulary
from server.web.kit.request_context import current_context, now

LONGEST_LINE_SHOWN = 200
"""Characters of a refused line that are sent back."""
KEY_SENTENCES = {
    "after": gettext_noop("“after” must be a whole number: that of the last act of the game as you saw it."),
    "lines": gettext_noop(
        "“lines” must be a list of 1 to %(lines)s texts, each with at most %(most)s characters."
    ),
    "vote": gettext_noop("“vote” must be one of “more time”, “pause” and “empty seat”."),
    "answer": gettext_noop(
        "“answer” must be one of “yes”, “no”, “wait”, “go on” and “end”, or not be there."
    ),
    "about": gettext_noop("“about” must be the number of a seat, from 0 to 3, or not be there."),
    "until": gettext_noop(
        "“until” must be a moment with its zone, as 2030-08-17T18:00:00Z is written, or not be there."
    ),
    "plan": gettext_noop("“plan” must be a text with at most %(plan)s characters, or null."),
    "zone": gettext_noop("“zone” must be the name of a time zone, such as Europe/Amsterdam."),
    "sleeps": gettext_noop(
        "“sleeps” must be an object with “begins” and “ends” as 23:00 is written, or null."
    ),
    "days_off": gettext_noop("“days_off” must be a list of weekdays, from 0 for Monday to 6 for Sunday."),
    "first": gettext_noop("“first” must be a day as 2030-08-17 is written, or not be there."),
    "last": gettext_noop("“last” must be a day as 2030-08-17 is written."),
    "vacation": gettext_noop("“vacation” must be the number of a vacation of yours, or not be there."),
    "game": gettext_noop("“game” must be the id of a game of yours, or not be there."),
    "reminders": gettext_noop("“reminders” must be true or false."),
    "preview": gettext_noop("“preview” must be true or false."),
    "seat": gettext_noop("“seat” must be the number of a seat, from 0 to 3, or not be there."),
}
"""What each key must be."""


# --- reading --------------------------------------------------------------------------------------------


Shape = TypeVar("Shape", bound=ApiShape)


def read_body(shape: type[Shape]) -> Shape:
    """The JSON of a request. Raises `ApiError`: it is none of that shape."""
    if request.mimetype != "application/json":
        raise ApiError(415)
    try:
        found = json.loads(
            request.get_data(cache=False).decode("utf-8"),
            parse_float=_parse_number,
            object_pairs_hook=_reject_duplicate_keys,
        )
    except (ValueError, RecursionError):
        raise ApiError(400, gettext("The body must be JSON, in UTF-8, with each key once.")) from None
    if not isinstance(found, dict):
        raise ApiError(
            400, gettext("The body must be an object, with the keys %(keys)s.", keys=_list_needed(shape))
        )
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        raise ApiError(400, _key_sentence(str(*error.errors()[0]["loc"][:1]))) from None


def _list_needed(shape: type[ApiShape]) -> str:
    needed = [f"“{name}”" for name, one in shape.model_fields.items() if one.is_required()]
    return format_list(needed)


def _parse_number(text: str) -> float | int:
    """17.0 is as whole as 17 (JSON Schema, section 4.2.3)."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object in which no key stands twice: readers differ in which they take (RFC 8259, section 4)."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _key_sentence(key: str) -> str:
    if key not in KEY_SENTENCES:
        named = clean_name(key, 40)
        return gettext("“%(key)s” is no key that can stand here. Nothing was done.", key=named)
    limits = {"most": LONGEST_LINE, "lines": MOST_ACTIONS, "plan": LONGEST_PLAN}
    return gettext(KEY_SENTENCES[key], **limits)


# --- doing ----------------------------------------------------------------------------------------------


def perform_acts(player: int, game_id: str) -> ActResult:
    """Do what somebody wants, or look what it would do. Raises `ApiError`; then nothing was done."""
    acts = read_body(Acts)
    found = find_game(player, game_id, acts.seat)
    me, history = _current_seat(found, acts)
    lines = lines_of("\n".join(acts.lines))
    try:
        orders = parse_lines(lines, found.board, page_vocabulary())
        if me in history.resigned:  # a preview, too, says what would become of it
            raise PlayerResigned(orders)
        if history.position.table.seat != me:
            raise LinesRefused(lines[0] if lines else "", Illegal("3.1", "it is not your turn"))
        if not lines:
            raise LinesRefused("", Illegal("3.1", "there is no action in it"))
        if acts.preview:
            return _preview_acts(found, history, me, lines)
        return _play_acts(player, found, me, orders)
    except LinesRefused as refused:
        raise _refusal_error(refused) from None
    except StalePosition:
        raise _stale_error(find_game(player, game_id, acts.seat)) from None


def _current_seat(found: FoundGame, acts: Acts) -> tuple[int, StartedHistory]:
    """The seat for which something is to be done, and the game as it is there.

    Raises `ApiError` or `GameNotBegun`: there is none, or it is in another position.
    """
    seat = found.own_seat
    if acts.after != found.history.after:
        raise _stale_error(found)
    history = require_started(found.history)
    if history.position.table.over:
        raise ApiError(422, gettext("The game is over."))
    return seat, history


def _stale_error(found: FoundGame) -> ApiError:
    return StaleError(409, more={"after": found.history.after})


def _preview_acts(found: FoundGame, history: StartedHistory, me: int, lines: Sequence[str]) -> ActResult:
    """What lines would do, as far as nothing hidden is needed for it. Raises `LinesRefused`."""
    ahead = preview(history.position, me, lines, page_vocabulary())
    return ActResult(
        preview=True,
        done=list(ahead.done),
        undone=list(ahead.left),
        why=None,
        hidden=ahead.hidden,
        after=history.after,
        events=_visible_facts(found, ahead.events),
        game=describe_begun_game(found, ahead.position, offered=False),
    )


def _play_acts(player: int, found: FoundGame, me: int, orders: Sequence[OrderLine]) -> ActResult:
    """What lines did. Raises `LinesRefused`, `StalePosition` and `GameNotRunning`."""
    with open_unit(current_context(), now(), game=found.game.id) as unit:
        game = load_running_game(unit.context, unit.session, found.game.id, found.history.after)
        played = play(unit, game, me, orders, Channel.API)
        unit.commit()
    run, since = played.run, find_game(player, found.game.id, me)
    return ActResult(
        preview=False,
        done=list(run.done),
        undone=list(run.undone),
        why=None if run.refusal is None else refusal_sentence(run.refusal),
        hidden=False,
        after=played.history.after,
        events=_visible_facts(found, run.events),
        game=describe_begun_game(since, require_started(since.history).position),
    )


def _visible_facts(found: FoundGame, events: Sequence[Event]) -> list[Fact]:
    return [Fact.model_validate(encode_for_seat(event, found.me, found.board)) for event in events]


def _refusal_error(refused: LinesRefused) -> ApiError:
    """Why nothing was done, with what can be sent instead."""
    refusal, resume_point = refused.refusal, refused.resume_point
    more: dict[str, object] = {"line": refused.line[:LONGEST_LINE_SHOWN]}
    if isinstance(refusal, Illegal):
        more["rule"] = refusal.rule
    if isinstance(refusal, Ambiguous) and resume_point is not None:
        meant = (write(one, resume_point.known.table.board) for one in refusal.candidates)
        more["candidates"] = ["; ".join((*resume_point.before, one, *resume_point.rest)) for one in meant]
        more["more"] = refusal.more
    if isinstance(refusal, Unreadable) and refusal.did_you_mean:
        more["did_you_mean"] = list(refusal.did_you_mean)
    return OrdersError(422, refused.sentence, more)
