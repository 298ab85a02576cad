"""The page of a game for those who only watch: no hands, no talk of the players, nothing to press."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template
from flask.typing import ResponseReturnValue

from emails.i18n import gettext
from emails.picture.overlay import Overlay
from emails.wording import phrases
from emails.wording.narration import build_overlay
from engine.events import TurnEnded
from server.store.turn_clock import is_awaiting_letter
from server.web.game.board_scene import scene_values
from server.web.game.page_readers import Reader, not_begun_sentence, own_seat_link, page_links, reader_of_game
from server.web.game.record.finished_game import finished_game_values
from server.web.kit import errors

pages = Blueprint("spectator_page", __name__)


@pages.get("/g/<game>")
def show_spectator_page(game: str) -> ResponseReturnValue:
    """How a game stands, for anybody; who plays in it is sent on to their own page."""
    if own := own_seat_link(game):
        return redirect(own, 303)
    reader = reader_of_game(game)
    if not reader.has_begun:
        return errors.render_message(gettext("Not yet"), not_begun_sentence(), 404)
    return _render_page(reader)


def _render_page(reader: Reader) -> str:
    known = reader.view_at()
    table = known.table
    since, pointed = _recent_events(reader)
    facts = scene_values(reader.game.id, known, pointed) | {
        "name": phrases.safe_name(reader.game.name),
        "links": page_links(reader, "board"),
        "since": since,
        "deadline": reader.deadline,
        "awaited": is_awaiting_letter(reader.game),
    }
    if table.over:
        more = finished_game_values(reader.game, reader.history, known)
        return render_template("finished.html", frame="spectator.html", game=reader.game, **facts, **more)
    return render_template("spectator.html", **facts)


def _recent_events(reader: Reader) -> tuple[list[str], Overlay]:
    """What happened since the turn before this one began, in sentences and on the board."""
    ends = [number + 1 for number, fact in enumerate(reader.visible_events) if isinstance(fact, TurnEnded)]
    begun = max(1, ends[-2] if len(ends) > 1 else 0)
    told = reader.visible_events[begun:]
    sentences = [line.words for line in reader.narrate(begun, len(reader.visible_events))]
    return sentences, build_overlay(told, reader.positions[begun - 1].table, reader.view_at())
