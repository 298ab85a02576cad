"""The letters of games that people of one strength play: some for the gate, two hundred turns in breadth."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from emails.letters import renderer
from emails.picture.png import MAX_BYTES
from engine.position import Position
from tests.newcomers import adapter
from tests.newcomers.adapter import Post
from tests.server.conftest import draw_small

DRAWINGS: dict[bytes, str] = {}
"""The drawings of pictures in letters, by what they were made into."""

PEOPLE = ("Anna", "Ben", "Cleo", "Dirk")


def draw_and_keep(svg: str, most: int = MAX_BYTES) -> bytes:
    """A small picture of a drawing, that can be found again by it."""
    png = draw_small(svg, most)
    DRAWINGS[png] = svg
    return png


def drawing_of(mail: EmailMessage) -> str:
    """The drawing of the first picture of a letter whose picture is small."""
    return next((DRAWINGS[png] for png in adapter.pictures_of(mail).values()), "")


def letters_of_games(
    turns: int, *, drawn: bool = False, dutch: bool = False
) -> Iterator[tuple[Post, EmailMessage]]:
    """All letters of so many turns in games of two, three and four.

    `drawn`: with pictures as they are sent.
    """
    left, number = turns, 0
    with pytest.MonkeyPatch.context() as patch:
        if not drawn:
            patch.setattr(renderer, "cached_png", draw_and_keep)
        while left > 0:
            folder = Path(mkdtemp())
            post = adapter.open_post(folder, *PEOPLE[: 2 + number % 3], seed=number)
            if dutch:
                adapter.speak_dutch(post, *PEOPLE[: 2 + number % 3])
            while not post.over and left > 0:
                yield from ((post, mail) for mail in post.deliver())
                post.play_turn()
                left -= 1
            number += 1


@cache
def turns_of_games(turns: int) -> tuple[tuple[Position, EmailMessage], ...]:
    """The same with the positions in which these turns begin."""
    found = letters_of_games(turns)
    return tuple((post.position, mail) for post, mail in found if adapter.is_turn_letter(mail))


@cache
def turn_letters(turns: int, *, drawn: bool = False, dutch: bool = False) -> tuple[EmailMessage, ...]:
    """The letters that begin these turns."""
    found = letters_of_games(turns, drawn=drawn, dutch=dutch)
    return tuple(mail for _, mail in found if adapter.is_turn_letter(mail))
