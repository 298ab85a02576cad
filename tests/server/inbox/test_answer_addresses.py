"""Answer addresses end with their game and after sixty days of silence: whoever writes is told so once."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from server.lobby.open_seats import cancel_game
from server.store.models import ChatMessage
from tests.attacks.small_world import World, finish, open_world
from tests.server.desk import body
from tests.server.web import played

pytestmark = pytest.mark.breadth

ANNA = "anna@example.org"


@pytest.fixture
def begun(tmp_path: Path) -> tuple[World, str]:
    return open_world(tmp_path, "Anna", "Ben")


def said(world: World) -> list[str]:
    return world.place.context.rows_of(ChatMessage.words)


def answers(world: World, letter: EmailMessage, words: str, sender: str = ANNA) -> str:
    return world.write(sender, str(letter["Reply-To"]), words)


def told(world: World) -> list[str]:
    return [" ".join(body(mail).split()) for mail in world.deliver()]


def wait(world: World, days: float) -> None:
    world.place.clock.forward(24 * days)


@pytest.mark.parametrize("words", ["say: well played", "draw", "resign", "new links", "board", "hello"])
def test_after_the_end_nothing_is_read_and_its_writer_is_told_once(begun, words):
    world, game = begun
    letters = world.mails.to("anna")
    finish(world, game)
    last = world.last("anna", "game_over")
    before = world.stored()
    assert [answers(world, one, words) for one in (last, letters[0])] == ["refused", "ignored"]
    assert world.stored() == before
    (sentence,) = told(world)
    assert "The game is over, and mails to it are not read any more" in sentence
    assert "and play again with the same people" in sentence
    assert "because you played in" in sentence
    assert "/t/" in sentence


def test_of_a_game_that_was_called_off_its_writer_is_told_once(tmp_path):
    world, game = open_world(tmp_path, "Anna", "Ben", at_once=False)
    letter = world.last("anna", "invitation")
    cancel_game(world.place.context, game, world.place.clock())
    world.deliver()
    assert [answers(world, letter, words) for words in ("accept", "yes")] == ["refused", "ignored"]
    (sentence,) = told(world)
    assert "The game was called off before it began" in sentence


def test_somebody_else_hears_nothing_and_nothing_is_told_of_them(begun):
    world, game = begun
    finish(world, game)
    last = world.last("anna", "game_over")
    assert answers(world, last, "say: hello", "dirk@example.org") == "ignored"
    assert told(world) == []


def test_after_sixty_days_of_silence_an_address_plays_nothing_and_its_answer_has_a_good_one(begun):
    world, _ = begun
    old = world.last("anna")
    wait(world, 61)
    assert answers(world, old, "say: hello") == "refused"
    (sentence,) = told(world)
    assert "so old that answers to it are not read any more: answer this one instead" in sentence
    assert answers(world, old, "say: hello again") == "ignored"
    assert said(world) == []
    assert answers(world, world.last("anna", "refused"), "say: here I am") == "played"
    assert said(world) == ["here I am"]
    assert answers(world, old, "say: and the old one?") == "ignored", "what has ended stays so"


def test_until_then_it_is_good(begun):
    world, _ = begun
    old = world.last("anna")
    wait(world, 60)
    assert answers(world, old, "say: hello") == "played"


@pytest.mark.parametrize("sign", ["a letter", "a message", "an order on the page"])
def test_whoever_is_not_silent_keeps_their_addresses(begun, sign):
    world, game = begun
    old = world.last("anna")
    for _ in range(3):
        wait(world, 40)
        if sign == "a message":
            assert answers(world, world.last("anna"), "say: still here") == "played"
        elif sign == "an order on the page":
            for _ in range(10):  # two turns at least
                played.move(world.place, game, world.place.clock())
        else:
            assert answers(world, world.last("anna"), "board") == "played"
        world.deliver()
    assert answers(world, old, "say: hello") == "played"
