"""The page of a game for those who only watch: no hands, no talk of the players, nothing to press."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template
from flask.typing import ResponseReturnValue

from emails.i18n import say
from emails.picture.overlay import Marks
from emails.wording import phrases
from emails.wording.narration import marks, sentences
from engine.events import TurnEnded
from server.web.game.final_chart import ending
from server.web.game.readers import Reader, links, not_begun, own_link, reader_of_game
from server.web.game.scene import scene
from server.web.kit import errors

pages = Blueprint("spectator_page", __name__)


@pages.get("/g/<game>")
def show(game: str) -> ResponseReturnValue:
    """How a game stands, for anybody; who plays in it is sent on to his own page."""
    if own := own_link(game):
        return redirect(own, 303)
    reader = reader_of_game(game)
    if not reader.begun:
        return errors.page(say("Not yet"), not_begun(), 404)
    return _page(reader)


def _page(reader: Reader) -> str:
    known = reader.known()
    table = known.table
    since, pointed = _lately(reader)
    facts = scene(known, pointed) | {
        "name": phrases.shown(reader.game.name),
        "links": links(reader, "board"),
        "since": since,
        "deadline": reader.game.deadline,
    }
    if table.over:
        more = ending(reader.history, known)
        return render_template("finished.html", frame="spectator.html", game=reader.game, **facts, **more)
    return render_template("spectator.html", **facts)


def _lately(reader: Reader) -> tuple[list[str], Marks]:
    """What happened since the turn before this one began, in sentences and on the board."""
    ends = [number + 1 for number, fact in enumerate(reader.told) if isinstance(fact, TurnEnded)]
    begun = max(1, ends[-2] if len(ends) > 1 else 0)
    told = reader.told[begun:]
    return sentences(told, reader.known()), marks(told, reader.positions[begun - 1].table, reader.known())
