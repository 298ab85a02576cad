"""How fast letters are written, drawn and read."""

import statistics
import time
from collections.abc import Callable

import pytest

from emails.letters import game_letters
from emails.letters.contexts import GameLetterContext
from emails.letters.renderer import Envelope, compose_mail, make_message_id, make_thread_id
from emails.picture import png
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import parse_mail
from emails.replies.reply_reader import read_reply
from emails.replies.screening import MailFacts, screen_mail
from emails.terms import TurnTime
from emails.tokens import KeyRing, LinkBuilder, Ticket
from emails.wording import review_text
from emails.wording.review_text import GameStatistics, compile_statistics
from engine.bots.advice import suggest_turns
from engine.events import TurnEnded
from engine.evolve import evolve, start
from engine.position import veil_event, view
from server.store.boards import load_boards
from tests.benchmarks.measure import seconds
from tests.server.desk import NOON

POST = LinkBuilder(
    "http://127.0.0.1:8000", "play.example.org", KeyRing((b"a secret of more than sixteen letters",))
)


@pytest.fixture(scope="module")
def letter_contexts(board, example_games) -> list[GameLetterContext]:
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
                since = tuple(veil_event(fact, seat) for fact in game[ends[-seats] + 1 : number + 1])
                known = view(position, seat)
                made.append(
                    GameLetterContext(
                        "aaaaaaaa",
                        "Friday",
                        known,
                        since,
                        before,
                        number,
                        NOON,
                        TurnTime.of_hours(48),
                        POST,
                        suggestions=suggest_turns(known, 5),
                    )
                )
    return made


def mail(letter_context: GameLetterContext, drawn: bytes | None = None) -> bytes:
    """A whole turn mail; the picture is drawn unless it is given."""
    letter = game_letters.render_your_turn(letter_context)
    seat = letter_context.view.table.seat
    envelope = Envelope(
        sender="Alexandros <alexandros@example.org>",
        bounce="alexandros@example.org",
        recipient="anna@example.org",
        reply_to=POST.reply_address(Ticket(letter_context.game, seat, letter_context.after)),
        message_id=make_message_id(letter_context.game, letter_context.after, seat, "turn", POST.domain),
        root=make_thread_id(letter_context.game, POST.domain),
        answers=None,
        list_id="aaaaaaaa.play.example.org",
        unsubscribe=letter_context.links.unsubscribe_links(letter_context.game, 0),
        replied=False,
        date=NOON,
    )
    return compose_mail(letter, envelope, {"board": drawn or png.render_png(letter.pictures[0].svg)})


def cpu(
    work: Callable[[GameLetterContext], bytes], letter_contexts: list[GameLetterContext]
) -> tuple[float, list[int]]:
    """The median of the milliseconds of processor time that a mail takes, and the bytes of each."""
    work(letter_contexts[0])
    times, sizes = [], []
    for letter_context in letter_contexts:
        begun = time.process_time()
        made = work(letter_context)
        times.append(time.process_time() - begun)
        sizes.append(len(made))
    return statistics.median(times) * 1000, sizes


def kilobytes(sizes: list[int]) -> str:
    return f"{statistics.median(sizes) / 1000:.0f} and {max(sizes) / 1000:.0f} KB"


def test_drawing_a_turn(figure, letter_contexts):
    drawings = {
        id(letter_context): game_letters.render_your_turn(letter_context).pictures[0].svg
        for letter_context in letter_contexts
    }
    spent, sizes = cpu(lambda letter_context: png.render_png(drawings[id(letter_context)]), letter_contexts)
    figure("drawing a turn picture, SVG to PNG, processor time", f"{spent:.0f} ms", "60 ms")
    figure("  its size, median and largest over the games", kilobytes(sizes), "60 KB")


def test_a_whole_turn_mail(figure, letter_contexts):
    spent, sizes = cpu(mail, letter_contexts)
    figure("a whole turn mail, its picture drawn too, processor time", f"{spent:.0f} ms", "200 ms")
    figure("  its size, median and largest over the games", kilobytes(sizes), "150 KB")


def test_building_a_whole_turn_mail(figure, letter_contexts):
    drawn = png.render_png(game_letters.render_your_turn(letter_contexts[0]).pictures[0].svg)
    spent, _ = cpu(lambda letter_context: mail(letter_context, drawn), letter_contexts * 3)
    figure("a whole turn mail, its picture drawn before, processor time", f"{spent:.1f} ms", "6 ms")


def test_drawing_the_last_letter(figure, example_games):
    spent = []
    for game in example_games:
        course = compile_statistics([veil_event(fact, None) for fact in game])
        names = game[0].seats
        spent.append(cpu(lambda _, course=course, names=names: chart_png(course, names), [None] * 5))
    figure("the chart of a game, processor time", f"{max(one for one, _ in spent):.0f} ms")
    figure("  its size, the largest", f"{max(max(sizes) for _, sizes in spent) / 1000:.0f} KB", "15 KB")


def chart_png(course: GameStatistics, names: tuple[str, ...]) -> bytes:
    return png.render_png(review_text.draw_score_chart(course, names, 100, "turns", "points"))


def test_reading_a_reply(figure, letter_contexts):
    letter = game_letters.render_your_turn(letter_contexts[0]).text
    quoted = "".join(f"> {line}\r\n" for line in letter.splitlines())
    raw = (
        "From: Anna <anna@example.org>\r\nTo: play+x@play.example.org\r\nSubject: Re: Friday\r\n"
        "Message-ID: <1@client.example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        f"choose lyre\r\nmarch Larissa A3-B4-C3\r\n\r\nOn Monday Alexandros wrote:\r\n{quoted}"
    ).encode()

    def work():
        mail = parse_mail(raw, "anna@example.org")
        assert screen_mail(mail, MailFacts()).fate == "played"
        return read_reply(mail, GameGrammar(load_boards()["Alexandros"]), letter)

    assert work().lines == ("choose lyre", "march Larissa A3-B4-C3")
    figure(
        "a reply screened and read",
        f"{1 / (seconds(lambda: [work() for _ in range(50)]) / 50):,.0f} /s",
        "1,000",
    )
