"""A game whose first letters have left, its first mover, and the answers to their mails."""

from collections.abc import Callable

import pytest

from server.store.context import Context
from tests.server.beginnings import begin_game
from tests.server.desk import Collector
from tests.server.inbox.test_mail_dispatch import answer_to


@pytest.fixture
def game(request: pytest.FixtureRequest, context: Context, carrier: Collector) -> str:
    """A game of Anna and Ben, or of the PEOPLE of a file."""
    return begin_game(context, carrier, *getattr(request.module, "PEOPLE", ("Anna", "Ben")))


@pytest.fixture
def name(context: Context, game: str) -> str:
    return context.mover(game)


@pytest.fixture
def turn(context: Context, game: str) -> list[str]:
    """A card and a march that the first mover can play."""
    return context.turn_words(game)


@pytest.fixture
def says(context: Context, carrier: Collector, name: str) -> Callable[..., tuple[str, str]]:
    """Let the first mover, or `by` another, answer their last letter; gives the answer's kind and words."""
    return lambda words, by=name, **more: answer_to(context, carrier, by, words, **more)
