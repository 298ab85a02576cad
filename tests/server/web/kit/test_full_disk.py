"""Nothing can be stored: visitors and programs get a sentence, and the log no trace for each of them."""

import pytest
from sqlalchemy import event
from sqlmodel import select

from server.store.models import ChatMessage
from server.web.kit.errors import TRY_AGAIN_AFTER
from tests.server.desk import start_game
from tests.server.web.game.test_chat_box import FORM

pytestmark = pytest.mark.file

LONG = "Take Memphis before Anna does. " * 12
MANY = 40
"""So many messages need more room than there is left on the page of the database."""


@pytest.fixture
def visitor(place):
    """Somebody who looks at their turn when the disk becomes full."""
    game = start_game(place.context, "Anna", "Ben")
    shown = place.visitor().get(place.link(game))

    def fill(connection) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count=1").close()

    event.listen(place.context.database, "begin", fill)
    return shown


def fill_up(visitor) -> list:
    """Send messages until none fits any more; the answers that are none of the usual."""
    _, action, fields = visitor.form(FORM)
    answers = [visitor.client.post(action, data={**fields, "words": f"{LONG} {n}"}) for n in range(MANY)]
    return [one for one in answers if one.status_code >= 400]


def test_a_page_says_so_and_when_to_come_again(place, visitor, caplog):
    refused = fill_up(visitor)
    assert refused
    assert {one.status_code for one in refused} == {503}
    assert {one.headers["Retry-After"] for one in refused} == {str(TRY_AGAIN_AFTER)}
    assert "Nothing was done. Please try again in a minute." in refused[0].text
    assert "disk is full" in caplog.text
    assert "Traceback" not in caplog.text
    with place.context.reading() as session:
        assert len(session.exec(select(ChatMessage)).all()) == MANY - len(refused)
