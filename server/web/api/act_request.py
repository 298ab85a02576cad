"""What a caller wants to do: read as JSON, judged, and done through `play`, or only looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence

from flask import request
from pydantic import ValidationError

from emails.i18n import say, sentence
from emails.picture.palette import plain_name
from engine.actions import Ambiguous, Illegal, Refusal, Unreadable
from engine.events import Event
from engine.notation.grammar import write
from engine.position import Position
from server.store.event_log import Stale
from server.turns.dry_run import MOST_STEPS, Refused, preview
from server.turns.play import RESIGNED, NoGame, play
from server.web.api.event_shapes import Fact, heard
from server.web.api.game_view import Look, begun, look
from server.web.api.problems import Wrong
from server.web.api.shapes import LONGEST, Acts, Done
from server.web.game.preview import lines_of
from server.web.game.ticket_context import sentence_of
from server.web.kit.request_context import now, office

DOOR = "api"
"""How acts that come in here are marked in the log."""
LONGEST_SHOWN = 200
"""Characters of a refused line that are sent back."""
SENTENCES = {
    "after": sentence("“after” must be a whole number: that of the last act of the game as you saw it."),
    "lines": sentence(
        "“lines” must be a list of 1 to %(lines)s texts, each with at most %(most)s characters."
    ),
    "preview": sentence("“preview” must be true or false."),
    "seat": sentence("“seat” must be the number of a seat, from 0 to 3, or not be there."),
}
"""What each key must be."""


# --- reading --------------------------------------------------------------------------------------------


def sent() -> Acts:
    """What the request wants to do. Raises `Wrong`: it is no JSON of that shape."""
    if request.mimetype != "application/json":
        raise Wrong(415)
    try:
        found = json.loads(
            request.get_data(cache=False).decode("utf-8"),
            parse_float=_number,
            object_pairs_hook=_once,
        )
    except (ValueError, RecursionError):
        raise Wrong(400, say("The body must be JSON, in UTF-8, with each key once.")) from None
    if not isinstance(found, dict):
        raise Wrong(400, say("The body must be an object, with the keys “after” and “lines”."))
    try:
        return Acts.model_validate(found)
    except ValidationError as error:
        raise Wrong(400, _why(str(*error.errors()[0]["loc"][:1]))) from None


def _number(text: str) -> float | int:
    """17.0 is as whole as 17 (JSON Schema, section 4.2.3)."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object in which no key stands twice: readers differ in which they take (RFC 8259, section 4)."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _why(key: str) -> str:
    if key not in SENTENCES:
        named = plain_name(key, 40)
        return say("“%(key)s” is no key that can stand here. Nothing was done.", key=named)
    return say(SENTENCES[key], most=LONGEST, lines=MOST_STEPS)


# --- doing ----------------------------------------------------------------------------------------------


def act(player: int, game_id: str, acts: Acts) -> Done:
    """Do what somebody wants, or look what it would do. Raises `Wrong`; then nothing was done."""
    found = look(player, game_id, acts.seat)
    position = _judged(found, acts)
    assert found.me is not None
    lines = lines_of("\n".join(acts.lines))
    try:
        if found.me in found.history.resigned:  # a preview, too, says what would become of it
            raise Refused("; ".join(lines), Refusal(RESIGNED))
        if position.table.seat != found.me:
            raise Refused(lines[0] if lines else "", Illegal("3.1", "it is not your turn"))
        if not lines:
            raise Refused("", Illegal("3.1", "there is no action in it"))
        if acts.preview:
            return _seen(found, position, lines)
        return _done(player, found, lines)
    except Refused as refused:
        raise _refusal(refused) from None
    except Stale:
        raise _stale(look(player, game_id, acts.seat)) from None
    except NoGame:
        raise Wrong(404) from None


def _judged(found: Look, acts: Acts) -> Position:
    """The position in which something is to be done. Raises `Wrong`: there is none, or it is another."""
    if found.me is None:
        raise Wrong(403)
    if acts.after != found.history.after:
        raise _stale(found)
    if found.position is None:
        raise Wrong(422, say("The game has not begun yet."))
    if found.position.table.over:
        raise Wrong(422, say("The game is over."))
    return found.position


def _stale(found: Look) -> Wrong:
    return Wrong(409, more={"after": found.history.after})


def _seen(found: Look, position: Position, lines: Sequence[str]) -> Done:
    """What lines would do, as far as nothing hidden is needed for it. Raises `Refused`."""
    assert found.me is not None
    ahead = preview(position, found.me, lines)
    return Done(
        preview=True,
        done=list(ahead.done),
        undone=list(ahead.left),
        why=None,
        hidden=ahead.hidden,
        after=found.history.after,
        events=_told(found, ahead.events),
        game=begun(found, ahead.position, offered=False),
    )


def _done(player: int, found: Look, lines: Sequence[str]) -> Done:
    """What lines did. Raises `Refused`, `log.Stale` and `NoGame`."""
    assert found.me is not None
    played = play(office(), found.game.id, found.me, found.history.after, lines, DOOR, now())
    run, since = played.run, look(player, found.game.id, found.me)
    assert since.position is not None
    return Done(
        preview=False,
        done=list(run.done),
        undone=list(run.undone),
        why=None if run.refusal is None else sentence_of(run.refusal),
        hidden=False,
        after=played.history.after,
        events=_told(found, run.events),
        game=begun(since, since.position),
    )


def _told(found: Look, events: Sequence[Event]) -> list[Fact]:
    return [Fact.model_validate(heard(event, found.me, found.board)) for event in events]


def _refusal(refused: Refused) -> Wrong:
    """Why nothing was done, with what can be sent instead."""
    refusal, halt = refused.refusal, refused.halt
    more: dict[str, object] = {"line": refused.line[:LONGEST_SHOWN]}
    if isinstance(refusal, Illegal):
        more["rule"] = refusal.rule
    if isinstance(refusal, Ambiguous) and halt is not None:
        meant = (write(one, halt.known.table.board) for one in refusal.candidates)
        more["candidates"] = ["; ".join((*halt.before, one, *halt.rest)) for one in meant]
        more["more"] = refusal.more
    if isinstance(refusal, Unreadable) and refusal.did_you_mean:
        more["did_you_mean"] = list(refusal.did_you_mean)
    return Wrong(422, sentence_of(refusal), more)
