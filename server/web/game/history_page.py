"""The history of a game: every position, step by step; one step is one fact, and step 0 deals the cards.

A player sees his own hand as it was then, a spectator none. Nobody sees more than he was told at the time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from flask import Blueprint, Response, abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from emails.i18n import LANGUAGES, say, sentence
from emails.picture.overlay import NOTHING, Marks
from emails.picture.palette import plain_name
from emails.wording import phrases, standings
from emails.wording.costs import Price
from emails.wording.narration import marks, sentences
from engine.events import CardOpened, SupplyRenewed, TurnEnded
from engine.position import Phase
from engine.views import view
from server.admin import archive
from server.web.game.readers import (
    Reader,
    links,
    not_begun,
    own_link,
    reader_of_game,
    reader_of_ticket,
)
from server.web.game.scene import scene
from server.web.kit import errors
from server.web.kit.locale import CHOSEN
from server.web.kit.request_context import office

NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
pages = Blueprint("history_page", __name__)


@dataclass(frozen=True, slots=True)
class Step:
    """One fact of a game."""

    number: int
    """From 0."""
    turn: int
    """The turn it belongs to, from 1; 0: before the first."""
    words: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The steps of one turn."""

    number: int
    title: str
    steps: tuple[Step, ...]


@pages.get("/t/<token>/history")
def of_ticket(token: str) -> ResponseReturnValue:
    """The history as a player knows it."""
    reader = reader_of_ticket(token)
    return page(reader) if reader.begun else redirect(reader.link(), 303)


@pages.get("/g/<game>/history")
def of_game(game: str) -> ResponseReturnValue:
    """The history as a spectator knows it; who plays in the game reads it as a player."""
    if own := own_link(game, "history", **request.args.to_dict()):
        return redirect(own, 303)
    reader = reader_of_game(game)
    return page(reader) if reader.begun else errors.page(say("Not yet"), not_begun(), 404)


@pages.get("/t/<token>/log")
def log_of_ticket(token: str) -> ResponseReturnValue:
    """The log of a finished game, for one of its players."""
    return _log(reader_of_ticket(token))


@pages.get("/g/<game>/log")
def log_of_game(game: str) -> ResponseReturnValue:
    """The log of a finished game that anybody may watch."""
    return _log(reader_of_game(game))


def _log(reader: Reader) -> ResponseReturnValue:
    """All that happened, hands and draws too, once the game is over; before that it is nobody's to read."""
    if not reader.begun or not reader.known().table.over:
        abort(404)
    lines = "".join(f"{line}\n" for line in archive.export(office(), reader.game.id))
    answer = Response(lines, content_type="application/jsonl")
    answer.headers["Content-Disposition"] = f'attachment; filename="alexandros-{reader.game.id}.jsonl"'
    return answer


def page(reader: Reader) -> str:
    """The step that is asked for with `at`, or the last."""
    steps = [Step(number, *_told(reader, number)) for number in range(len(reader.positions))]
    at, wrong = _asked(request.args.get("at", ""), len(steps) - 1)
    turns = _turns(reader, steps)
    language = request.args.get(CHOSEN, "") if reader.case is None else ""
    language = language if language in LANGUAGES else ""
    shown = next(turn for turn in turns if turn.number == steps[at].turn)
    known = reader.known(at)
    facts = scene(known, _marks(reader, at)) | {
        "links": links(reader, "history"),
        "lands": [(land, Price(False)) for land in standings.lands(known, None)],
    }
    return render_template(
        "history.html",
        name=phrases.shown(reader.game.name),
        reader=phrases.shown(reader.name) if reader.case else "",
        step=steps[at],
        last=len(steps) - 1,
        wrong=wrong,
        shown=shown,
        turns=turns,
        ways=_ways(at, turns, len(steps) - 1),
        action=reader.link("history").partition("?")[0],
        language=language,
        step_link=f"?{CHOSEN}={language}&at=" if language else "?at=",
        **facts,
    )


def _asked(given: str, last: int) -> tuple[int, str]:
    """The step that is asked for, and what is wrong with the number."""
    given = given.strip()
    if not given:
        return last, ""
    if not NUMBER.fullmatch(given):
        shown = plain_name(given, 20)
        return last, say("“%(given)s” is the number of no step. This is the last one.", given=shown)
    nearest = min(max(0, int(given)), last)
    if nearest == int(given):
        return nearest, ""
    return nearest, say("The steps of this game are 0 to %(last)s. This is the nearest one.", last=last)


# --- what a step shows ----------------------------------------------------------------------------------


def _told(reader: Reader, number: int) -> tuple[int, str]:
    """The turn to which a fact belongs, and what happened, in a sentence."""
    fact, known = reader.told[number], reader.known(number)
    if not number:
        return 0, sentences([fact], known)[0]
    before = reader.positions[number - 1].table
    filled = isinstance(fact, CardOpened | SupplyRenewed) and before.phase is Phase.CARD
    turn = max(1, before.turn - filled)  # cards that fill the display at the end of a turn belong to it (3.3)
    if isinstance(fact, TurnEnded) and not before.actions_left:  # not early, as `sentences` would say
        mine, theirs = sentence("your turn was over"), sentence("%(name)s's turn was over")
        over = phrases.say_of(known.table, fact.seat, known.me, mine, theirs)
        return turn, phrases.begun(over) + "."
    return turn, sentences([fact], known)[0]


def _marks(reader: Reader, at: int) -> Marks:
    """What the board points out: what this fact did, and no choices."""
    if not at:
        return NOTHING
    seen = view(reader.positions[at], None)
    return reader.marked(at, marks([reader.told[at]], reader.positions[at - 1].table, seen))


def _turns(reader: Reader, steps: Sequence[Step]) -> list[Turn]:
    found = []
    for number, group in groupby(steps, key=lambda step: step.turn):
        own = tuple(group)
        table = reader.positions[max(0, own[0].number - 1)].table
        name = phrases.who(table, table.seat, reader.seat)
        title = say("Turn %(number)s: %(name)s", number=number, name=name) if number else say("The deal")
        found.append(Turn(number, title, own))
    return found


def _ways(at: int, turns: Sequence[Turn], last: int) -> Mapping[str, int | None]:
    """Where one can go from a step; None where that leads nowhere."""
    begins = [turn.steps[0].number for turn in turns]
    earlier, later = [one for one in begins if one < at], [one for one in begins if one > at]
    return {
        "first": 0 if at else None,
        "turn-back": earlier[-1] if earlier else None,
        "back": at - 1 if at else None,
        "on": at + 1 if at < last else None,
        "turn-on": later[0] if later else None,
        "last": last if at < last else None,
    }
