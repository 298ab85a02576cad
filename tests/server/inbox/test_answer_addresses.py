"""Answer addresses end with their game and after sixty days of silence: whoever writes is told so once."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import select

from server.inbox import screening
from server.inbox.screening import LONGEST_SILENCE
from server.lobby.open_seats import cancel_game
from server.store.models import ChatMessage
from tests.attacks.small_world import World, finish, open_world
from tests.paths import TOP
from tests.server.desk import body
from tests.server.web import played

pytestmark = pytest.mark.breadth

ANNA = "anna@example.org"


@pytest.fixture
def begun(tmp_path: Path) -> tuple[World, str]:
    return open_world(tmp_path, "Anna", "Ben")


def said(world: World) -> list[str]:
    with world.place.context.reading() as session:
        return list(session.exec(select(ChatMessage.words)))


def answers(world: World, letter: EmailMessage, words: str, sender: str = ANNA) -> str:
    """What became of a mail to the address of a letter."""
    return world.write(sender, str(letter["Reply-To"]), words)


def told(world: World) -> list[str]:
    """What the letters say that leave now."""
    return [" ".join(body(mail).split()) for mail in world.deliver()]


def wait(world: World, days: float) -> None:
    world.place.clock.forward(24 * days)


# --- with the game --------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["say: well played", "draw", "resign", "new links", "board", "hello"])
def test_after_the_end_nothing_is_read_and_its_writer_is_told_once(
    begun: tuple[World, str], words: str
) -> None:
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


def test_the_last_letter_of_a_game_does_not_invite_answers(begun: tuple[World, str]) -> None:
    world, game = begun
    assert "Write above this line" in body(world.last("anna"))
    finish(world, game)
    last = world.last("anna", "game_over")
    assert "Write above this line" not in body(last)


def test_of_a_game_that_was_called_off_its_writer_is_told_once(tmp_path: Path) -> None:
    world, game = open_world(tmp_path, "Anna", "Ben", at_once=False)
    letter = world.last("anna", "invitation")
    cancel_game(world.place.context, game, world.place.clock())
    world.deliver()
    assert [answers(world, letter, words) for words in ("accept", "yes")] == ["refused", "ignored"]
    (sentence,) = told(world)
    assert "The game was called off before it began" in sentence


def test_somebody_else_hears_nothing_and_nothing_is_told_of_them(begun: tuple[World, str]) -> None:
    world, game = begun
    finish(world, game)
    last = world.last("anna", "game_over")
    assert answers(world, last, "say: hello", "dirk@example.org") == "ignored"
    assert told(world) == []


# --- with silence ---------------------------------------------------------------------------------------


def test_after_sixty_days_of_silence_an_address_plays_nothing_and_its_answer_has_a_good_one(
    begun: tuple[World, str],
) -> None:
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


def test_until_then_it_is_good(begun: tuple[World, str]) -> None:
    world, _ = begun
    old = world.last("anna")
    wait(world, 60)
    assert answers(world, old, "say: hello") == "played"


@pytest.mark.parametrize("sign", ["a letter", "a message", "an order on the page"])
def test_whoever_is_not_silent_keeps_their_addresses(
    begun: tuple[World, str], sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, game = begun
    old = world.last("anna")
    for _ in range(3):
        wait(world, 40)
        if sign == "a message":
            assert answers(world, world.last("anna"), "say: still here") == "played"
        elif sign == "an order on the page":
            monkeypatch.setattr(played, "NOON", world.place.clock())
            for _ in range(10):  # two turns at least
                played.move(world.place, game)
        else:
            assert answers(world, world.last("anna"), "board") == "played"
        world.deliver()
    assert answers(world, old, "say: hello") == "played"


# --- the same everywhere --------------------------------------------------------------------------------


def test_the_documents_say_the_same() -> None:
    assert timedelta(days=60) == LONGEST_SILENCE
    for document in ("server/README.md", "config/mail.md", "server/THREATS.md"):
        text = " ".join((TOP / document).read_text("utf-8").split())
        assert "sixty days" in text, document


def test_without_that_end_an_old_address_would_play(
    begun: tuple[World, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = begun
    monkeypatch.setattr(screening, "LONGEST_SILENCE", timedelta(days=1000))
    old = world.last("anna")
    wait(world, 61)
    assert answers(world, old, "say: hello") == "played"
