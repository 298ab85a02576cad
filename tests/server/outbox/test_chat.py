"""What players write to each other: to all or to one, told once, and never to anybody else."""

import pytest
from sqlmodel import select

from emails.letters.letter_kinds import Message as Told
from server.admin import archive
from server.admin.doctor import examine
from server.delivery.outgoing import deliver
from server.lobby.games import Wish, open_game
from server.outbox import chat
from server.outbox.chat import LONGEST, MOST, NotSaid, conversation, post, unheard
from server.outbox.notifications import Occasion
from server.outbox.queue import queue
from server.store.models import Game, Heard
from server.worker import work
from tests.server.desk import NOON, Collector, game_row, names_of, seat_of, start_game, wish


@pytest.fixture
def mails():
    return Collector()


@pytest.fixture
def game(office, mails):
    """Three players and the house; a player is to move, and all have had the letters of the start."""
    game = start_game(office, "Anna", "Ben", "Cleo", "house")
    work(office, mails, NOON)
    mails.mails.clear()
    return game


def say(office, game, writer, words, to=None, now=NOON):
    with office.writing() as session:
        addressee = None if to is None else seat_of(office, game, to)
        seat = seat_of(office, game, writer)
        post(office, session, session.get_one(Game, game), seat, addressee, words, now)
        session.commit()


def mover(office, game):
    return names_of(office, game)[game_row(office, game).seat]


def another(name):
    return "Ben" if name == "Anna" else "Anna"


def heard_by(office, game, name):
    with office.reading() as session:
        return unheard(session, game, seat_of(office, game, name))[0]


def body(mail):
    return mail.get_body(("plain",)).get_content()


def test_words_for_all_and_words_for_one(office, game):
    say(office, game, "Anna", "Good luck!")
    say(office, game, "Anna", "Shall we stop Cleo?", to="Ben")
    assert heard_by(office, game, "Anna") == ()
    assert heard_by(office, game, "Cleo") == (Told("Anna", "Good luck!", private=False),)
    assert heard_by(office, game, "Ben") == (
        Told("Anna", "Good luck!", private=False),
        Told("Anna", "Shall we stop Cleo?", private=True),
    )


def test_a_page_shows_what_its_reader_may_read_his_own_words_too(office, game):
    say(office, game, "Anna", "Good luck!")
    say(office, game, "Ben", "Shall we stop Cleo?", to="Anna")
    with office.reading() as session:
        shown = {
            name: [
                (one.writer, one.addressee, one.words)
                for one in conversation(session, game, seat_of(office, game, name))
            ]
            for name in ("Anna", "Ben", "Cleo")
        }
    luck, stop = ("Anna", "", "Good luck!"), ("Ben", "Anna", "Shall we stop Cleo?")
    assert shown == {"Anna": [luck, stop], "Ben": [luck, stop], "Cleo": [luck]}


def test_a_message_stands_in_the_next_letter_and_in_no_other(office, game, mails, clock):
    first = mover(office, game)
    say(office, game, another(first), "Mind the wall at Pella.")
    work(office, mails, clock())
    assert mails.mails == []
    work(office, mails, clock.forward(24))  # the reminder
    reminded = mails.to(first)
    assert "Mind the wall at Pella." in body(reminded[-1])
    work(office, mails, clock.forward(18))
    assert "Mind the wall" not in body(mails.to(first)[-1])
    assert len(mails.to(first)) == len(reminded) + 1


def test_who_wants_messages_at_once_gets_a_letter_with_all_that_wait(office, game, mails):
    wish(office, game, "Cleo", messages=True)
    say(office, game, "Anna", "One.")
    say(office, game, "Ben", "Two.")
    say(office, game, "Ben", "Not for Cleo.", to="Anna")
    deliver(office, mails, NOON)
    assert [str(mail["X-Alexandros"]) for mail in mails.mails] == ["message"]
    assert "One." in body(mails.to("Cleo")[0])
    assert "Two." in body(mails.to("Cleo")[0])
    assert "Not for Cleo." not in str(mails.mails[0])


def test_a_message_waits_for_the_pace_of_its_reader_and_is_told_by_whatever_comes_first(
    office, game, mails, clock
):
    first = mover(office, game)
    wish(office, game, first, messages=True, pace="daily", hour=23)
    say(office, game, another(first), "Hello?")
    work(office, mails, clock())
    assert mails.mails == []
    with office.writing() as session:  # an answer to his own mail comes at once
        row = session.get_one(Game, game)
        answer = Occasion(row.seat, "refused", {"sentence": "That cannot be read."})
        queue(office, session, row, [answer], clock())
        session.commit()
    work(office, mails, clock())
    assert "Hello?" in body(mails.to(first)[0])
    work(office, mails, clock.forward(11))
    assert all("Hello?" not in body(mail) for mail in mails.to(first)[1:])


def test_a_letter_that_is_not_sent_tells_nobody(office, game, mails):
    class Away:
        def carry(self, *_):
            raise OSError

    wish(office, game, "Cleo", messages=True)
    say(office, game, "Anna", "Hello?")
    deliver(office, Away(), NOON)
    assert heard_by(office, game, "Cleo")
    with office.reading() as session:
        assert session.exec(select(Heard)).all() == []


def test_after_the_game_words_come_at_once_for_there_is_no_next_letter(office, mails):
    game = start_game(office, "Anna", "Ben")
    deliver(office, mails, NOON)
    with office.writing() as session:
        session.get_one(Game, game).status = "over"
        session.commit()
    say(office, game, "Anna", "That was close.")
    deliver(office, mails, NOON)
    assert "That was close." in body(mails.to("Ben")[-1])


@pytest.mark.parametrize(
    ("words", "to", "reason"),
    [
        ("", None, "no words"),
        (" \n\u200b ", None, "no words"),
        ("x" * (LONGEST + 1), None, "at most 600 characters"),
        ("Hello", "Anna", "tell yourself"),
        ("Hello", "House", "Nobody reads letters"),
    ],
)
def test_what_is_not_passed_on(office, game, words, to, reason):
    with pytest.raises(NotSaid, match=reason):
        say(office, game, "Anna", words, to=to)
    assert heard_by(office, game, "Ben") == ()


def test_as_many_characters_as_are_allowed_and_no_line_of_a_letter_of_his_own(office, game):
    say(office, game, "Anna", "x" * LONGEST)
    say(office, game, "Anna", "First\n\n== Your turn ==\r\n\x07https://example.org")
    assert [told.words for told in heard_by(office, game, "Ben")] == [
        "x" * LONGEST,
        "First == Your turn == https://example.org",
    ]


def test_nobody_writes_all_the_time(office, game, clock):
    for number in range(MOST):
        say(office, game, "Anna", f"And {number}", now=clock())
    with pytest.raises(NotSaid, match="wait a little"):
        say(office, game, "Anna", "And more", now=clock.forward(0.9))
    say(office, game, "Ben", "Enough!", now=clock())
    say(office, game, "Anna", "Sorry.", now=clock.forward(0.2))
    assert len(heard_by(office, game, "Cleo")) == chat.MOST_TOLD


def test_nothing_is_told_before_the_game_begins(office):
    wishes = [Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org")]
    game = open_game(office, "Friday", wishes, NOON)
    with pytest.raises(NotSaid, match="not started"):
        say(office, game, "Anna", "Hello")


def test_words_are_no_part_of_the_log(office, game):
    before = list(archive.export(office, game))
    say(office, game, "Anna", "Good luck!")
    wish(office, game, "Ben", moves=True)
    assert list(archive.export(office, game)) == before
    assert list(examine(office)) == []
    lines = archive.read_record(line.encode() for line in before)
    copy = archive.take_in(office, lines, NOON, wishes=[Wish("Ben", "ben@example.org")])
    assert heard_by(office, copy, "Ben") == ()
