"""What players write to each other: to all or to one, told once, and never to anybody else."""

import pytest

from emails.letters import game_letters
from emails.letters.parts import LONGEST_CHAT, UnreadChat
from server.admin import backups
from server.admin.backups import examine_stored_acts
from server.delivery.sending import send_due_letters
from server.outbox import chat
from server.outbox.chat import MOST_AN_HOUR, ChatRefused, post, unread_chat
from server.outbox.notifications import Notification
from server.outbox.queue import UnitOfWork
from server.store.game_terms import SeatRequest
from server.store.models import Game
from tests.server.beginnings import begin_once
from tests.server.desk import HOUSE, NOON, body


@pytest.fixture
def game(context, mails):
    """Three players and the house; a player is to move, and all have had the letters of the start."""

    def with_first_letters() -> str:
        game = context.start_game("Anna", "Ben", "Cleo", "house")
        context.work_until_idle(mails, NOON)
        mails.mails.clear()
        return game

    return begin_once(context, mails, with_first_letters)


def say(context, game, writer, words, to=None, now=NOON):
    with context.changing() as session:
        addressee = None if to is None else context.seat_of(game, to)
        seat = context.seat_of(game, writer)
        post(context, session, session.get_one(Game, game), seat, addressee, words, now)


def another(name):
    return "Ben" if name == "Anna" else "Anna"


def heard_by(context, game, name):
    with context.reading() as session:
        return unread_chat(session, game, context.seat_of(game, name))[0]


def test_words_for_all_and_words_for_one(context, game):
    say(context, game, "Anna", "Good luck!")
    say(context, game, "Anna", "Shall we stop Cleo?", to="Ben")
    assert heard_by(context, game, "Anna") == ()
    assert heard_by(context, game, "Cleo") == (UnreadChat("Anna", "Good luck!", private=False),)
    assert heard_by(context, game, "Ben") == (
        UnreadChat("Anna", "Good luck!", private=False),
        UnreadChat("Anna", "Shall we stop Cleo?", private=True),
    )


def test_a_message_waits_for_the_pace_of_its_reader_and_is_told_by_whatever_comes_first(
    context, game, mails, clock
):
    first = context.mover(game)
    context.set_preferences(game, first, messages=True, pace="daily", hour=23)
    say(context, game, another(first), "Hello?")
    context.work_until_idle(mails, clock())
    assert mails.mails == []
    with context.writing() as session:  # an answer to his own mail comes at once
        row = session.get_one(Game, game)
        answer = Notification(row.seat, game_letters.Refused("That cannot be read."))
        UnitOfWork(context, session, clock()).queue(row, [answer])
        session.commit()
    context.work_until_idle(mails, clock())
    assert "Hello?" in body(mails.to(first)[0])
    context.work_until_idle(mails, clock.forward(11))
    assert all("Hello?" not in body(mail) for mail in mails.to(first)[1:])


def test_after_the_game_words_come_at_once_for_there_is_no_next_letter(context, mails):
    game = context.start_game("Anna", "Ben")
    send_due_letters(context, mails, NOON)
    with context.changing() as session:
        session.get_one(Game, game).status = "over"
    say(context, game, "Anna", "That was close.")
    send_due_letters(context, mails, NOON)
    assert "That was close." in body(mails.to("Ben")[-1])


@pytest.mark.parametrize(
    ("words", "to", "reason"),
    [
        ("", None, "no words"),
        (" \n\u200b ", None, "no words"),
        ("x" * (LONGEST_CHAT + 1), None, "at most 600 characters"),
        ("Hello", "Anna", "tell yourself"),
        ("Hello", HOUSE, "Nobody reads mails"),
    ],
)
def test_what_is_not_passed_on(context, game, words, to, reason):
    with pytest.raises(ChatRefused, match=reason):
        say(context, game, "Anna", words, to=to)
    assert heard_by(context, game, "Ben") == ()


def test_as_many_characters_as_are_allowed_and_no_line_of_a_letter_of_his_own(context, game):
    say(context, game, "Anna", "x" * LONGEST_CHAT)
    say(context, game, "Anna", "First\n\n== Your turn ==\r\n\x07https://example.org")
    assert [told.words for told in heard_by(context, game, "Ben")] == [
        "x" * LONGEST_CHAT,
        "First == Your turn == https://example.org",
    ]


def test_nobody_writes_all_the_time(context, game, clock):
    for number in range(MOST_AN_HOUR):
        say(context, game, "Anna", f"And {number}", now=clock())
    with pytest.raises(ChatRefused, match="wait a little"):
        say(context, game, "Anna", "And more", now=clock.forward(0.9))
    say(context, game, "Ben", "Enough!", now=clock())
    say(context, game, "Anna", "Sorry.", now=clock.forward(0.2))
    assert len(heard_by(context, game, "Cleo")) == chat.MOST_IN_A_LETTER


def test_words_are_no_part_of_the_log(context, game):
    before = list(backups.export_log(context, game))
    say(context, game, "Anna", "Good luck!")
    context.set_preferences(game, "Ben", moves=True)
    assert list(backups.export_log(context, game)) == before
    assert list(examine_stored_acts(context)) == []
    lines = backups.read_log(line.encode() for line in before)
    copy = backups.import_log(context, lines, NOON, requests=[SeatRequest("Ben", "ben@example.org")])
    assert heard_by(context, copy, "Ben") == ()
