"""What waits for one player together is one letter: the answer to his mail, the end, or what tells most."""

from email.message import EmailMessage

import pytest

from emails.links import Ticket
from engine.bots import house
from engine.events import GameEnded
from engine.notation.grammar import write
from engine.views import view
from server.delivery.transports import NotCarried
from server.inbox import intake
from server.outbox import chat
from server.outbox.notifications import HALF_PLAYED
from server.store.models import Game
from server.turns import dry_run
from server.turns.play import play
from server.worker import work
from tests.server.desk import Collector, desk, game_row, names_of, seat_of, start_game, wish
from tests.server.outbox.test_gathered_letters import (
    PASSED,
    TOLD,
    body,
    kinds,
    mover,
    stored,
    take_turn,
)


class Away:
    """A relay that cannot be reached."""

    def carry(self, sender: str, recipient: str, raw: bytes) -> None:
        raise NotCarried("The relay is away.", False)


@pytest.fixture
def office(tmp_path):
    return desk(tmp_path, seed=3)


@pytest.fixture
def post():
    return Collector()


def answer(office, letter, text, now):
    """Take in an answer to a letter; it is read when the office next works."""
    mail = EmailMessage()
    mail["From"], mail["To"] = letter["To"], letter["Reply-To"]
    mail["Message-ID"] = f"<{abs(hash((text, now)))}@client.example.org>"
    mail["In-Reply-To"] = letter["Message-ID"]
    mail.set_content(text)
    intake.take_in(office, str(letter["To"]), str(letter["Reply-To"]), bytes(mail), now)
    return mail["Message-ID"]


def best(office, game):
    """What the house would write, were it to move."""
    with office.reading() as session:
        position = office.history(session, session.get_one(Game, game)).position
    known = view(position, position.table.seat)
    return write(house(known), known.table.board)


def letter_now(office, game, name):
    """What he would answer to a letter that he got this moment."""
    letter, seat = EmailMessage(), seat_of(office, game, name)
    letter["To"], letter["Message-ID"] = f"{name.lower()}@example.org", "<now@play.example.org>"
    letter["Reply-To"] = office.post.reply_address(Ticket(game, seat, game_row(office, game).after))
    return letter


def say_to(office, game, name, words, now):
    with office.writing() as session:
        writer = next(seat for seat, one in enumerate(names_of(office, game)) if one != name)
        chat.post(office, session, session.get_one(Game, game), writer, None, words, now)
        session.commit()


# --- an answer ------------------------------------------------------------------------------------------


def test_a_turn_by_mail_against_the_house_is_answered_by_one_mail(office, post, clock):
    game = start_game(office, "Anna", "house", "house", now=clock())
    work(office, post, clock())
    while game_row(office, game).turn < 7:
        asked = answer(office, post.mails[-1], best(office, game), clock.forward(0.1))
        before = len(post.mails)
        work(office, post, clock())
        (sent,) = post.mails[before:]
        assert (kinds([sent]), sent["In-Reply-To"]) == (["answer"], asked)
        assert mover(office, game) == "Anna"  # the house has played where her turn was over
        assert "your turn" in " ".join(body(sent).split()).casefold()
    turns = [one for one in stored(office, "turn") if one[1] == "dropped"]
    assert ("turn", "dropped", TOLD) in turns
    assert any(line.startswith("  * choose ") for line in body(sent).splitlines())


def test_two_mails_have_two_answers_and_one_of_them_tells_the_rest(office, post, clock):
    game = start_game(office, "Anna", "house", "house", now=clock())
    work(office, post, clock())
    letter = post.mails[-1]
    asked = [answer(office, letter, words, clock()) for words in ("say: Hello!", "say: Good luck!")]
    say_to(office, game, "Anna", "From the house.", clock())
    wish(office, game, "Anna", messages=True)
    work(office, post, clock())
    assert [mail["In-Reply-To"] for mail in post.mails[1:]] == asked
    assert ["From the house." in body(mail) for mail in post.mails[1:]] == [True, False]


def test_what_the_server_played_for_somebody_is_a_letter_of_its_own(office, post, clock):
    game = start_game(office, "Anna", "Ben", now=clock())
    work(office, post, clock())
    ben = mover(office, game, 1)
    answer(office, post.to(ben)[-1], "say: Hurry up!", clock.forward(48))
    work(office, post, clock())
    assert sorted(kinds(post.to(ben))[1:]) == ["answer", "time_passed"]


def test_when_an_answer_waits_for_the_relay_it_still_tells_the_turn(office, post, clock):
    game = start_game(office, "Anna", "house", "house", now=clock())
    work(office, post, clock())
    while mover(office, game) == "Anna" and game_row(office, game).turn < 4:
        answer(office, post.mails[-1], best(office, game), clock.forward(0.1))
        work(office, Away(), clock())
        work(office, post, clock.forward(1))
    assert set(kinds(post.mails[1:])) == {"answer"}


# --- the end --------------------------------------------------------------------------------------------


def almost_over(office, clock, *people):
    """A game which the next move of the house ends."""
    game = start_game(office, *people, now=clock(), hours=24 * 50)
    while not ends(office, game):
        row = game_row(office, game)
        play(office, game, row.seat, row.after, [best(office, game)], "page", clock())
    return game


def ends(office, game):
    with office.reading() as session:
        position = office.history(session, session.get_one(Game, game)).position
    words = write(house(view(position, position.table.seat)), position.table.board)
    events = dry_run.run_lines(position, position.table.seat, [words], office.dice).events
    return any(isinstance(event, GameEnded) for event in events)


@pytest.mark.parametrize("words", ["", "\nsay: Thank you all!"])
def test_the_letter_of_the_end_is_the_answer_to_the_mail_that_ended_it(office, post, clock, words):
    game = almost_over(office, clock, "Anna", "Ben")
    work(office, post, clock.forward(1))
    name = mover(office, game)
    letter = letter_now(office, game, name)
    asked = answer(office, letter, best(office, game) + words, clock.forward(0.1))
    before = len(post.to(name))
    work(office, post, clock())
    assert game_row(office, game).status == "over"
    sent = post.to(name)[before:]
    assert kinds(sent) == (["answer", "game_over"] if "say" in words else ["game_over"])
    assert sent[0]["In-Reply-To"] == asked
    assert sent[0]["Auto-Submitted"] == "auto-replied"


# --- a letter that does not leave -----------------------------------------------------------------------


def test_what_a_letter_would_have_told_is_told_when_that_letter_is_too_late(office, post, clock):
    game = start_game(office, "Anna", "Ben", "Cleo", now=clock())
    work(office, post, clock())
    ben = mover(office, game, 1)
    wish(office, game, ben, messages=True)
    say_to(office, game, ben, "A secret.", clock())
    take_turn(office, game, clock())
    work(office, Away(), clock())
    take_turn(office, game, clock.forward(0.5))  # Ben plays on the page
    before = len(post.to(ben))
    work(office, post, clock.forward(1))
    assert stored(office, "turn")[1] == ("turn", "dropped", PASSED)
    (letter,) = post.to(ben)[before:]
    assert kinds([letter]) == ["message"]
    assert "A secret." in body(letter)
    work(office, post, clock.forward(1))
    assert len(post.to(ben)) == before + 1


# --- a turn left in its middle --------------------------------------------------------------------------


def test_who_leaves_his_turn_in_the_middle_gets_a_letter_with_the_rest_of_it(office, post, clock):
    game = start_game(office, "Anna", "Ben", now=clock())
    work(office, post, clock())
    anna = mover(office, game)
    take_turn(office, game, clock.forward(1), lines=1)
    take_turn(office, game, clock.forward(0.4), lines=1)
    clock.now += HALF_PLAYED
    work(office, post, clock.forward(-0.1))
    assert len(post.to(anna)) == 1  # he has gone on since the first half hour began
    for _ in range(3):
        work(office, post, clock.forward(0.1))
    assert kinds(post.to(anna)[1:]) == ["step"]
    assert "marched" in body(post.to(anna)[1])


def test_who_has_gone_on_gets_no_such_letter(office, post, clock):
    game = start_game(office, "Anna", "Ben", now=clock())
    work(office, post, clock())
    anna = mover(office, game)
    take_turn(office, game, clock(), lines=2)
    take_turn(office, game, clock.forward(0.2))
    work(office, post, clock.forward(2))
    assert len(post.to(anna)) == 1
    assert set(stored(office, "step")) == {("step", "dropped", PASSED)}


def test_a_reminder_tells_what_is_left_of_the_turn_too(office, post, clock):
    game = start_game(office, "Anna", "Ben", now=clock(), hours=48)
    work(office, post, clock())
    anna = mover(office, game)
    take_turn(office, game, clock.forward(23.9), lines=1)
    work(office, post, clock.forward(0.1))
    work(office, post, clock.forward(2))
    assert kinds(post.to(anna)[1:]) == ["reminder"]
    assert stored(office, "step") == [("step", "dropped", TOLD)]


def test_a_daily_reader_hears_of_the_turn_he_left_at_his_hour(office, post, clock):
    game = start_game(office, "Anna", "Ben", now=clock())
    work(office, post, clock())
    anna = mover(office, game)
    wish(office, game, anna, pace="daily", hour=18, now=clock())
    take_turn(office, game, clock.forward(1), lines=1)
    work(office, post, clock.forward(4.9))
    assert len(post.to(anna)) == 1
    work(office, post, clock.forward(0.2))
    assert kinds(post.to(anna)[1:]) == ["step"]


def test_neither_an_answer_nor_a_house_leaves_a_turn_in_its_middle(office, post, clock):
    game = start_game(office, "Anna", "house", now=clock())
    work(office, post, clock())
    answer(office, post.mails[-1], best(office, game), clock())
    work(office, post, clock())
    assert stored(office, "step") == []
