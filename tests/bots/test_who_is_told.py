"""What logs and figures tell an operator of the house, which plays and advises: no card, no name, no game."""

import logging
import re
from pathlib import Path

import pytest

from engine.cards import SYMBOLS
from server import clock
from tests.bots import adapter
from tests.server.desk import NOON
from tests.server.web.site import site


def test_logs_and_figures_tell_no_hand_and_no_game_of_the_house(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    place = site(tmp_path)
    game = place.start_game("Anna", "house", "house")
    place.context.let_advise(game)
    with caplog.at_level(logging.DEBUG):
        caplog.clear()
        clock.play_bot_turns(place.context, NOON)
        place.look(game, "/advice", seat=place.seat(game, "Anna"))
        said = "\n".join(record.getMessage() for record in caplog.records if record.name != "sqlalchemy")
    assert not [card for card in SYMBOLS if re.search(rf"\b{card}\b", said)], said
    assert not [name for name in ("anna@example.org", "@example.org") if name in said]
    figures = place.app.test_client().get("/metrics").text
    assert game not in figures
    assert not [name for name in (*adapter.NAMES, "Anna") if name in figures]
