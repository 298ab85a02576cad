"""The database goes away, or its disk is full: who asked is told so, or what was done stands."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from server.store.models import ChatMessage
from server.web.kit.errors import TRY_AGAIN_AFTER
from tests.breadth import first
from tests.server.web.game.test_chat_box import FORM
from tests.server.web.game.test_one_click_play import PLAYING, words

AWAY = 503
LONGEST = 200


@contextmanager
def away_from(context, number: int) -> Iterator[list[str]]:
    """Let the database take no statement from this one on; those it did not take."""
    asked, refused = count(), []

    def refuse(_connection, _cursor, statement, *_) -> None:
        if next(asked) >= number:
            refused.append(statement)
            raise OperationalError(statement, None, Exception("it is away"))

    event.listen(context.database, "before_cursor_execute", refuse)
    try:
        yield refused
    finally:
        event.remove(context.database, "before_cursor_execute", refuse)


def each_moment(place, ask) -> dict[int, int]:
    """What is answered when the database goes away before each statement, until it is no more needed."""
    answers = {}
    for number in range(LONGEST):
        with away_from(place.context, number) as refused:
            answers[number] = ask().status
        if not refused:
            return answers
    raise AssertionError("the last statement was never reached")


@pytest.mark.parametrize("path", first(2, ["/", "/games", "/me", "/me/browsers", "/t"]))
def test_whoever_looks_is_told(place, game, path):
    visitor = place.signed_in(game)
    link = place.link(game) if path == "/t" else path
    assert visitor.get(link).status == 200
    answers = each_moment(place, lambda: visitor.get(link))
    assert set(answers.values()) <= {200, AWAY}
    assert answers[0] == AWAY or path == "/"


@pytest.mark.breadth
@pytest.mark.parametrize("begun", first(1, [True, False]))
def test_whoever_presses_is_told_or_has_done_it(place, begun):
    """What is noted after the deed is not worth an error."""
    answers = []
    for number in range(LONGEST):
        game = place.start_game("Anna", "Ben")
        if begun:
            place.context.begin_time(game)
        visitor = place.look(game, words=words(place, game))
        before = place.history(game).after
        _, action, fields = visitor.form(PLAYING)
        with away_from(place.context, number) as refused:
            answers.append(visitor.client.post(action, data=fields).status_code)
        assert (place.history(game).after > before) == (answers[-1] != AWAY)
        if not refused:
            break
    assert set(answers) <= {200, 302, 303, AWAY}
    assert answers[0] == AWAY


LONG = "Take Memphis before Anna does. " * 12
MANY = 40
"""So many messages need more room than there is left on the page of the database."""


@pytest.fixture
def visitor(place, game):
    """Somebody who looks at their turn when the disk becomes full."""
    shown = place.look(game)

    def fill(connection) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count=1").close()

    event.listen(place.context.database, "begin", fill)
    return shown


def fill_up(visitor) -> list:
    """Send messages until none fits any more; the answers that are none of the usual."""
    _, action, fields = visitor.form(FORM)
    answers = [visitor.client.post(action, data={**fields, "words": f"{LONG} {n}"}) for n in range(MANY)]
    return [one for one in answers if one.status_code >= 400]


@pytest.mark.file
def test_a_full_disk_is_told_and_when_to_come_again(place, visitor, caplog):
    refused = fill_up(visitor)
    assert refused
    assert {one.status_code for one in refused} == {503}
    assert {one.headers["Retry-After"] for one in refused} == {str(TRY_AGAIN_AFTER)}
    assert "Nothing was done. Please try again in a minute." in refused[0].text
    assert "disk is full" in caplog.text
    assert "Traceback" not in caplog.text
    assert len(place.rows(ChatMessage)) == MANY - len(refused)
