"""The database goes away while a page is made: whoever asked is told so, or what was done stands."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from tests.breadth import first
from tests.server.desk import begin_time, start_game
from tests.server.web.game.test_one_click_play import PLAYING, words

AWAY = 503
LONGEST = 200
"""More statements than any page has."""


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
def test_whoever_looks_is_told(place, path):
    game = start_game(place.context, "Anna", "Ben")
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
        game = start_game(place.context, "Anna", "Ben")
        if begun:
            begin_time(place.context, game)
        visitor = place.visitor().get(place.link(game, words(place, game)))
        before = place.history(game).after
        _, action, fields = visitor.form(PLAYING)
        with away_from(place.context, number) as refused:
            answers.append(visitor.client.post(action, data=fields).status_code)
        assert (place.history(game).after > before) == (answers[-1] != AWAY)
        if not refused:
            break
    assert set(answers) <= {200, 302, 303, AWAY}
    assert answers[0] == AWAY
