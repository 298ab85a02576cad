"""How fast letters are written, drawn and read."""

import statistics

import pytest

from emails import letters, picture
from emails.compose import Envelope, compose, message_id, root_id
from emails.letters import Sheet
from emails.links import Post, Ticket
from emails.replies import read_reply
from emails.screening import Facts, screen
from engine.events import TurnEnded
from engine.evolve import evolve, start
from engine.views import told, view
from tests.benchmarks.measure import seconds
from tests.server.desk import NOON

POST = Post("http://127.0.0.1:8000", "play.example.org", b"a secret of more than sixteen letters")


@pytest.fixture(scope="module")
def sheets(board, example_games) -> list[Sheet]:
    """What a player knows at the start of each turn of the second half of the example games."""
    made = []
    for game in example_games:
        position = start(board, game[0])
        seats = len(position.table.names)
        ends = [0]
        for number, event in enumerate(game[1:], 1):
            before = position.table
            position = evolve(position, event)
            if isinstance(event, TurnEnded):
                ends.append(number)
            if position.table.turn != before.turn and number > len(game) // 2:
                seat = position.table.seat
                since = tuple(told(fact, seat) for fact in game[ends[-seats] + 1 : number + 1])
                known = view(position, seat)
                made.append(Sheet("aaaaaaaa", "Friday", known, since, before, number, NOON, 48, POST))
    return made


def mail(sheet: Sheet, png: bytes) -> bytes:
    seat = sheet.view.table.seat
    envelope = Envelope(
        sender="Alexandros <alexandros@example.org>",
        bounce="alexandros@example.org",
        recipient="anna@example.org",
        reply_to=POST.reply_address(Ticket(sheet.game, seat, sheet.after)),
        message_id=message_id(sheet.game, sheet.after, seat, "turn", POST.domain),
        root=root_id(sheet.game, POST.domain),
        answers=None,
        list_id="aaaaaaaa.play.example.org",
        unsubscribe=sheet.post.stop_links(sheet.game, 0),
        replied=False,
        date=NOON,
    )
    return compose(letters.your_turn(sheet), envelope, {"board": png})


def test_drawing_a_turn(figure, sheets):
    pictures = [letters.your_turn(sheet).pictures[0].svg for sheet in sheets]
    time = seconds(lambda: [picture.png(svg) for svg in pictures[::8]])
    figure(
        "drawing a turn picture, SVG to PNG",
        f"{time / len(pictures[::8]) * 1000:.0f} ms",
        "200 ms with the mail",
    )
    sizes = [len(picture.png(svg)) for svg in pictures[::8]]
    figure(
        "  its size, median and largest",
        f"{statistics.median(sizes) / 1000:.0f} and {max(sizes) / 1000:.0f} KB",
    )


def test_building_a_whole_turn_mail(figure, sheets):
    png = picture.png(letters.your_turn(sheets[0]).pictures[0].svg)
    time = seconds(lambda: [mail(sheet, png) for sheet in sheets]) / len(sheets)
    figure("a whole turn mail, its picture drawn before", f"{time * 1000:.1f} ms", "5 ms")
    sizes = [len(mail(sheet, png)) for sheet in sheets]
    figure(
        "  its size, median and largest",
        f"{statistics.median(sizes) / 1000:.0f} and {max(sizes) / 1000:.0f} KB",
    )


def test_reading_a_reply(figure, sheets):
    letter = letters.your_turn(sheets[0]).text
    quoted = "".join(f"> {line}\r\n" for line in letter.splitlines())
    raw = (
        "From: Anna <anna@example.org>\r\nTo: play+x@play.example.org\r\nSubject: Re: Friday\r\n"
        "Message-ID: <1@client.example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        f"choose lyre\r\nmarch Larissa A3-B4-C3\r\n\r\nOn Monday Alexandros wrote:\r\n{quoted}"
    ).encode()

    def work():
        assert screen(raw, "anna@example.org", Facts()).played
        return read_reply(raw, letter)

    assert work().lines == ("choose lyre", "march Larissa A3-B4-C3")
    figure(
        "a reply screened and read",
        f"{1 / (seconds(lambda: [work() for _ in range(50)]) / 50):,.0f} /s",
        "1,000",
    )
