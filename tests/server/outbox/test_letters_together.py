"""What waits for one player together is one letter: the answer to his mail, the end, or what tells most."""

from email.message import EmailMessage

import pytest

from emails.tokens import Ticket
from emails.wording.advice_text import describe_bots
from engine.bots import play_to_win
from engine.events import GameEnded
from engine.notation.orders import write
from engine.position import view
from server.delivery.relay import DeliveryFailed
from server.inbox import intake
from server.outbox import chat
from server.store.models import Game
from server.turns import dry_run
from tests.server.desk import (
    HOUSE_NAMES,
    Collector,
    changing,
    desk,
    game_row,
    names_of,
    play,
    seat_of,
    set_preferences,
    start_game,
    work_until_idle,
)
from tests.server.outbox.test_gathered_letters import PASSED, TOLD, body, kinds, mover, stored, take_turn
from tests.spoken import parse_lines


class Away:
    """A relay that cannot be reached."""

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        raise DeliveryFailed("The relay is away.", False)


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path, seed=3)


@pytest.fixture
def post():
    return Collector()


def answer(context, letter, text, now):
    """Take in an answer to a letter; it is read when the office next works."""
    mail = EmailMessage()
    mail["From"], mail["To"] = letter["To"], letter["Reply-To"]
    mail["Message-ID"] = f"<{abs(hash((text, now)))}@client.example.org>"
    mail["In-Reply-To"] = letter["Message-ID"]
    mail.set_content(text)
    intake.store_mail(context, str(letter["To"]), str(letter["Reply-To"]), bytes(mail), now)
    return mail["Message-ID"]


def best(context, game):
    with context.reading() as session:
        position = context.history_of(session, session.get_one(Game, game)).position
    known = view(position, position.table.seat)
    return write(play_to_win(known), known.table.board)


def letter_now(context, game, name):
    """What he would answer to a letter that he got this moment."""
    letter, seat = EmailMessage(), seat_of(context, game, name)
    letter["To"], letter["Message-ID"] = f"{name.lower()}@example.org", "<now@play.example.org>"
    letter["Reply-To"] = context.links.reply_address(Ticket(game, seat, game_row(context, game).after))
    return letter


def say_to(context, game, name, words, now):
    with changing(context) as session:
        writer = next(seat for seat, one in enumerate(names_of(context, game)) if one != name)
        chat.post(context, session, session.get_one(Game, game), writer, None, words, now)


def test_a_turn_by_mail_against_the_house_is_answered_by_one_mail(context, post, clock):
    game = start_game(context, "Anna", "house", "house", now=clock())
    work_until_idle(context, post, clock())
    faces = [" ".join(describe_bots([name])) for name in HOUSE_NAMES[:2]]
    assert all(face in " ".join(body(post.mails[-1]).split()) for face in faces)
    while game_row(context, game).turn < 7:
        asked = answer(context, post.mails[-1], best(context, game), clock.forward(0.1))
        before = len(post.mails)
        work_until_idle(context, post, clock())
        (sent,) = post.mails[before:]
        assert (kinds([sent]), sent["In-Reply-To"]) == (["answer"], asked)
        assert faces[0] not in " ".join(body(sent).split())
        assert mover(context, game) == "Anna"  # the house has played where her turn was over
        assert "your turn" in " ".join(body(sent).split()).casefold()
    turns = [one for one in stored(context, "your_turn") if one[1] == "dropped"]
    assert ("your_turn", "dropped", TOLD) in turns
    assert any(line.startswith("  * a. ") for line in body(sent).splitlines())


def test_two_mails_have_two_answers_and_one_of_them_tells_the_rest(context, post, clock):
    game = start_game(context, "Anna", "house", "house", now=clock())
    work_until_idle(context, post, clock())
    letter = post.mails[-1]
    asked = [answer(context, letter, words, clock()) for words in ("say: Hello!", "say: Good luck!")]
    say_to(context, game, "Anna", "From the house.", clock())
    set_preferences(context, game, "Anna", messages=True)
    work_until_idle(context, post, clock())
    assert [mail["In-Reply-To"] for mail in post.mails[1:]] == asked
    assert ["From the house." in body(mail) for mail in post.mails[1:]] == [True, False]


def test_what_the_server_played_for_somebody_is_a_letter_of_its_own(context, post, clock):
    game = start_game(context, "Anna", "Ben", now=clock())
    work_until_idle(context, post, clock())
    ben = mover(context, game, 1)
    answer(context, post.to(ben)[-1], "say: Hurry up!", clock.forward(48))
    work_until_idle(context, post, clock())
    assert sorted(kinds(post.to(ben))[1:]) == ["answer", "time_passed"]


def test_when_an_answer_waits_for_the_relay_it_still_tells_the_turn(context, post, clock):
    game = start_game(context, "Anna", "house", "house", now=clock())
    work_until_idle(context, post, clock())
    while mover(context, game) == "Anna" and game_row(context, game).turn < 4:
        answer(context, post.mails[-1], best(context, game), clock.forward(0.1))
        work_until_idle(context, Away(), clock())
        work_until_idle(context, post, clock.forward(0.1))
    assert set(kinds(post.mails[1:])) == {"answer"}


def almost_over(context, clock, *people):
    game = start_game(context, *people, now=clock(), hours=24 * 50)
    while not ends(context, game):
        row = game_row(context, game)
        play(context, game, row.seat, row.after, [best(context, game)], "web", clock())
    return game


def ends(context, game):
    with context.reading() as session:
        position = context.history_of(session, session.get_one(Game, game)).position
    words = write(play_to_win(view(position, position.table.seat)), position.table.board)
    events = dry_run.simulate_orders(
        position, position.table.seat, parse_lines([words], position.table.board), context.pick_card
    ).events
    return any(isinstance(event, GameEnded) for event in events)


@pytest.mark.breadth
@pytest.mark.parametrize("words", ["\nsay: Thank you all!", ""])
def test_the_letter_of_the_end_is_the_answer_to_the_mail_that_ended_it(context, post, clock, words):
    game = almost_over(context, clock, "Anna", "Ben")
    work_until_idle(context, post, clock.forward(1))
    name = mover(context, game)
    letter = letter_now(context, game, name)
    asked = answer(context, letter, best(context, game) + words, clock.forward(0.1))
    before = len(post.to(name))
    work_until_idle(context, post, clock())
    assert game_row(context, game).status == "over"
    sent = post.to(name)[before:]
    assert kinds(sent) == (["answer", "game_over"] if "say" in words else ["game_over"])
    assert sent[0]["In-Reply-To"] == asked
    assert sent[0]["Auto-Submitted"] == "auto-replied"


def test_what_a_letter_would_have_told_is_told_when_that_letter_is_too_late(context, post, clock):
    game = start_game(context, "Anna", "Ben", "Cleo", now=clock())
    work_until_idle(context, post, clock())
    ben = mover(context, game, 1)
    set_preferences(context, game, ben, messages=True)
    say_to(context, game, ben, "A secret.", clock())
    take_turn(context, game, clock())
    work_until_idle(context, Away(), clock())
    take_turn(context, game, clock.forward(0.5))  # Ben plays on the page
    before = len(post.to(ben))
    work_until_idle(context, post, clock.forward(1))
    assert stored(context, "your_turn")[1] == ("your_turn", "dropped", PASSED)
    (letter,) = post.to(ben)[before:]
    assert kinds([letter]) == ["message"]
    assert "A secret." in body(letter)
    work_until_idle(context, post, clock.forward(1))
    assert len(post.to(ben)) == before + 1
