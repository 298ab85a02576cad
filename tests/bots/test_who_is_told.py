"""What advice, logs and figures tell: to the seat that is to move where that is allowed, and nobody else."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from engine.cards import SYMBOLS
from server import clock
from tests.bots import adapter
from tests.server.desk import NOON, game_row, mover, names_of, seat_of
from tests.server.web.bots import Bot, bot
from tests.server.web.site import Site, site


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return site(tmp_path_factory.mktemp("advice"))


@pytest.fixture(scope="module")
def advised(place: Site) -> str:
    """A game in which players may ask for advice, and which anybody may watch."""
    return adapter.game_with_advice(place.context, "Anna", "Ben")


def others(place: Site, game: str) -> tuple[str, str]:
    """Who is to move, and who is not."""
    first = mover(place.context, game)
    return first, next(name for name in names_of(place.context, game) if name != first)


def tells(text: str) -> bool:
    """Whether a page or an answer holds any suggestion."""
    return 'class="choice"' in text or '"suggestions"' in text or bool(re.search(r"points? expected", text))


def advice_on_page(place: Site, game: str, name: str, **more: int) -> str:
    link = place.link(game, seat=seat_of(place.context, game, name), **more)
    answer = place.app.test_client().get(f"{link}/advice")
    return answer.text


def advice_by_program(place: Site, game: str, name: str = "") -> tuple[int, str]:
    program = bot(place, game, name) if name else Bot(place)
    answer = program.get(f"games/{game}/advice")
    return answer.status_code, answer.text


def test_whoever_is_to_move_is_told(place: Site, advised: str) -> None:
    first, _ = others(place, advised)
    assert tells(advice_on_page(place, advised, first))
    status, text = advice_by_program(place, advised, first)
    assert (status, tells(text)) == (200, True)


def test_an_opponent_is_told_nothing(place: Site, advised: str) -> None:
    _, other = others(place, advised)
    assert not tells(advice_on_page(place, advised, other))
    status, text = advice_by_program(place, advised, other)
    assert status >= 400
    assert not tells(text)


def test_an_opponent_who_names_the_seat_that_moves_is_told_nothing(place: Site, advised: str) -> None:
    first, other = others(place, advised)
    seat = seat_of(place.context, advised, first)
    answer = bot(place, advised, other).get(f"games/{advised}/advice?seat={seat}")
    assert answer.status_code >= 400
    assert not tells(answer.text)


def test_who_watches_and_who_is_nobody_are_told_nothing(place: Site, advised: str) -> None:
    client = place.app.test_client()
    for path in (f"/g/{advised}/advice", f"/g/{advised}", f"/t/{'a' * 40}/advice", "/t//advice"):
        answer = client.get(path, follow_redirects=True)
        assert not tells(answer.text) or path == f"/g/{advised}", path
    status, text = advice_by_program(place, advised)
    assert status in (401, 403, 404)
    assert not tells(text)


def test_the_ticket_of_another_game_opens_no_advice_here(place: Site, advised: str) -> None:
    other = adapter.game_with_advice(place.context, "Cleo", "Dirk")
    stranger = names_of(place.context, other)[0]
    answer = bot(place, other, stranger).get(f"games/{advised}/advice")
    assert answer.status_code >= 400
    assert not tells(answer.text)


def test_to_ask_changes_nothing(place: Site, advised: str) -> None:
    first, _ = others(place, advised)
    before, row = place.stored(), game_row(place.context, advised)
    assert advice_on_page(place, advised, first) == advice_on_page(place, advised, first)
    assert place.stored() == before
    assert game_row(place.context, advised) == row


# --- what the operator sees -----------------------------------------------------------------------------


def test_logs_and_figures_tell_no_hand_and_no_game_of_the_house(tmp_path: Path, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    place = site(tmp_path)
    game = adapter.game_with_advice(place.context, "Anna", "house", "house")
    with caplog.at_level(logging.DEBUG):
        caplog.clear()
        clock.play_bot_turns(place.context, NOON)
        advice_on_page(place, game, "Anna")
        said = "\n".join(record.getMessage() for record in caplog.records if record.name != "sqlalchemy")
    assert not [card for card in SYMBOLS if re.search(rf"\b{card}\b", said)], said
    assert not [name for name in ("anna@example.org", "@example.org") if name in said]
    figures = place.app.test_client().get("/metrics").text
    assert game not in figures
    assert not [name for name in (*adapter.NAMES, "Anna") if name in figures]
