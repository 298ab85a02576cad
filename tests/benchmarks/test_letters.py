"""How fast letters are written, drawn and read."""

import statistics
from collections.abc import Callable
from dataclasses import replace

import pytest

from emails.letters.parts import GameLetterContext
from emails.letters.renderer import compose_mail
from emails.picture.letter_picture import render_png
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import read_reply
from emails.replies.screening import screen_mail
from engine.bots.advice import suggest_turns
from tests.benchmarks.measure import seconds, spent
from tests.emails.positions import BOARD
from tests.gallery import samples
from tests.gallery.letter_files import specimen


@pytest.fixture(scope="module")
def letter_contexts(example_games) -> list[GameLetterContext]:
    """What a player knows at the start of each turn of the second half of the example games."""
    made = [
        game.letter_context(at, seat)
        for game in example_games
        for at, seat in game.turn_starts()
        if at > len(game.events) // 2
    ]
    return [replace(one, suggestions=suggest_turns(one.view, 5)) for one in made]


def mail(letter_context: GameLetterContext, drawn: bytes | None = None) -> bytes:
    """A whole turn mail; the picture is drawn unless it is given."""
    letter = samples.render_your_turn(letter_context)
    one = specimen("en", "your_turn", letter, letter_context.after, letter_context.view.table.seat)
    return compose_mail(letter, one.envelope, {"board": drawn or render_png(letter.pictures[0].svg)})


def cpu(
    work: Callable[[GameLetterContext], bytes], letter_contexts: list[GameLetterContext]
) -> tuple[float, list[int]]:
    """The median of the milliseconds of processor time that a mail takes, and the bytes of each."""
    sizes = [len(work(one)) for one in letter_contexts]
    return statistics.median(spent(lambda one=one: work(one)) for one in letter_contexts), sizes


def kilobytes(sizes: list[int]) -> str:
    return f"{statistics.median(sizes) / 1000:.0f} and {max(sizes) / 1000:.0f} KB"


def test_drawing_a_turn(figure, letter_contexts):
    drawings = [samples.render_your_turn(one).pictures[0].svg for one in letter_contexts]
    took, sizes = cpu(render_png, drawings)
    figure("drawing a turn picture, SVG to PNG, processor time", f"{took:.0f} ms", "60 ms")
    figure("  its size, median and largest over the games", kilobytes(sizes), "60 KB")


def test_a_whole_turn_mail(figure, letter_contexts):
    took, sizes = cpu(mail, letter_contexts)
    figure("a whole turn mail, its picture drawn too, processor time", f"{took:.0f} ms", "200 ms")
    figure("  its size, median and largest over the games", kilobytes(sizes), "150 KB")


def test_building_a_whole_turn_mail(figure, letter_contexts):
    drawn = render_png(samples.render_your_turn(letter_contexts[0]).pictures[0].svg)
    took, _ = cpu(lambda letter_context: mail(letter_context, drawn), letter_contexts * 3)
    figure("a whole turn mail, its picture drawn before, processor time", f"{took:.1f} ms", "4 ms")


def test_reading_a_reply(figure, letter_contexts):
    letter = samples.render_your_turn(letter_contexts[0]).text
    quoted = "".join(f"> {line}\r\n" for line in letter.splitlines())
    raw = (
        "From: Anna <anna@example.org>\r\nTo: play+x@play.example.org\r\nSubject: Re: Friday\r\n"
        "Message-ID: <1@client.example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        f"choose lyre\r\nmarch Larissa A3-B4-C3\r\n\r\nOn Monday Alexandros wrote:\r\n{quoted}"
    ).encode()

    def work():
        mail = Mail(raw, "anna@example.org")
        assert screen_mail(mail).fate == "played"
        return read_reply(mail, GameGrammar(BOARD), letter)

    assert work().lines == ("choose lyre", "march Larissa A3-B4-C3")
    rate = 50 / seconds(lambda: [work() for _ in range(50)])
    figure("a reply screened and read", f"{rate:,.0f} /s", "1,000")
