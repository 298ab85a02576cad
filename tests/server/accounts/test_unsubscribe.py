"""No more letters: one last one, everybody is told, and the way back."""

import pytest

from emails.i18n import Locale, use_locale
from server.accounts.unsubscribe import MOST_STOPS, UnsubscribeRefused, resume_letters, stop_letters
from server.commands import Actor, StopLetters
from server.delivery.sending import send_due_letters
from server.outbox.chat import unread_chat
from server.outbox.notifications import load_preferences
from server.store.models import OutgoingLetter, Seating
from server.store.states import Channel
from tests.server.beginnings import begin_game
from tests.server.desk import ANNA, BEN, HOUSE, NOON, body, kinds


@pytest.fixture
def game(context, mails):
    game = begin_game(context, mails, "Anna", "Ben", "Cleo")
    mails.mails.clear()
    return game


def ends(context, game, name, everywhere=False, now=NOON):
    return context.committed(now, stop_letters, game, context.seat_of(game, name), everywhere)


def returns(context, game, name, everywhere=False, now=NOON):
    return context.committed(now, resume_letters, game, context.seat_of(game, name), everywhere)


def stopped(context, game, seat):
    with context.reading() as session:
        return not load_preferences(session, session.get_one(Seating, (game, seat)).player, game).letters


def told(context, game, name, language="en"):
    with context.reading() as session, use_locale(Locale(language)):
        found = unread_chat(session, game, context.seat_of(game, name))[0]
    assert all(one.writer == "" and not one.private for one in found)
    return [one.words for one in found]


def test_who_stops_and_comes_back_all_day_is_asked_to_wait(context, game, mails, clock):
    first = context.names_of(game)[0]
    for _ in range(MOST_STOPS - 1):
        assert ends(context, game, first, everywhere=True)
        assert returns(context, game, first, everywhere=True)
    assert ends(context, game, first, everywhere=True)
    with pytest.raises(UnsubscribeRefused, match="tomorrow"):
        returns(context, game, first, everywhere=True)
    context.work_until_idle(mails, clock())
    assert kinds(mails.to(first)) == ["stopped"]
    assert len(told(context, game, context.names_of(game)[1])) == 1
    assert returns(context, game, first, everywhere=True, now=clock.forward(24))
    context.work_until_idle(mails, clock())
    assert kinds(mails.to(first)) == ["stopped", "your_turn"]


def test_who_stops_again_reads_that_nothing_changed(context, game):
    seat = context.seat_of(game, "Anna")
    actor = Actor(context.player_of(game, seat), Channel.REPLY, game, seat)
    said = [context.committed(NOON, StopLetters(False).perform, actor).text for _ in range(2)]
    assert ["already" in words for words in said] == [False, True]


def test_letters_that_wait_are_dropped(context, clock):
    game = context.start_game("Anna", "Ben")
    ends(context, game, "Ben")
    rows = context.rows_of(OutgoingLetter, OutgoingLetter.seat == context.seat_of(game, "Ben"))
    assert {(row.kind == "stopped", row.state) for row in rows} == {(True, "waiting"), (False, "withheld")}
    assert "its recipient wants no letters" in {row.why for row in rows}


def test_who_stopped_is_still_answered(context, game, mails):
    first = context.names_of(game)[0]
    ends(context, game, first)
    card = context.position_of(game).table.display.kinds()[0]
    context.say(game, f"choose {card}", seat=0, channel="web")
    send_due_letters(context, mails, NOON)
    assert kinds(mails.to(first)) == ["stopped"]


def test_who_comes_back_gets_the_letter_of_his_turn_and_his_old_wishes(context, game, mails, clock):
    first = context.names_of(game)[0]
    context.set_preferences(game, first, pictures=False)
    ends(context, game, first)
    context.work_until_idle(mails, clock())
    mails.mails.clear()
    assert returns(context, game, first, now=clock.forward(1))
    assert not returns(context, game, first, now=clock.forward(1))
    context.work_until_idle(mails, clock())
    assert kinds(mails.to(first)) == ["your_turn"]
    assert mails.to(first)[0].get_content_type() == "text/plain"
    assert told(context, game, context.names_of(game)[1]) == []  # who has not heard of the other either


def test_stopping_everywhere_stops_all_games_and_invitations(context, game, mails, clock):
    other = context.start_game("Ben", "Dirk")
    waiting = context.open_game("Soon", [ANNA, BEN], clock())
    assert ends(context, game, "Ben", everywhere=True)
    later = context.open_game("Later", [ANNA, BEN], clock())
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Ben")) == ["stopped"]
    assert "any game" in mails.to("Ben")[0].get_body(("plain",)).get_content()
    assert len(told(context, other, "Dirk")) == 1 or context.game_row(other).seat is not None
    withheld = OutgoingLetter.kind == "invitation", OutgoingLetter.state == "withheld"
    invitations = {(row.game, row.why) for row in context.rows_of(OutgoingLetter, *withheld)}
    assert invitations == {(which, "its recipient wants no letters") for which in (waiting, later)}


def test_who_comes_back_everywhere_gets_the_invitations_that_were_kept_back(context, game, mails, clock):
    ends(context, game, "Ben", everywhere=True)
    later = context.open_game("Later", [ANNA, BEN], clock())
    context.work_until_idle(mails, clock())
    assert returns(context, game, "Ben", everywhere=True, now=clock.forward(1))
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Ben"))[:2] == ["stopped", "invitation"]
    assert not stopped(context, later, context.seat_of(later, "Ben"))


def test_one_game_can_be_heard_again_when_all_are_stopped(context, game, mails, clock):
    other = context.start_game("Ben", "Dirk")
    ends(context, game, "Ben", everywhere=True)
    returns(context, other, "Ben", now=clock.forward(1))
    assert stopped(context, game, context.seat_of(game, "Ben"))
    assert not stopped(context, other, context.seat_of(other, "Ben"))
    assert ends(context, game, "Ben", everywhere=True, now=clock.forward(1))  # that is new again
    assert stopped(context, other, context.seat_of(other, "Ben"))


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_letter_that_stops_before_the_game_begins(context, mails, clock, everywhere):
    game = context.open_game("Soon", [ANNA, BEN], clock())
    ends(context, game, "Ben", everywhere)
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Ben")) == ["stopped"]
    text = " ".join(body(mails.to("Ben")[0]).split())
    assert ("about any game" in text) == everywhere
    assert "The game has not begun" in text
    assert "/settings" in text
    mails.mails.clear()
    for name in ("Anna", "Ben"):
        context.accept_invitation(game, context.seat_of(game, name), clock())
    context.work_until_idle(mails, clock())
    assert kinds(mails.to("Ben")) == []
    assert "Ben gets no more mails" in body(mails.to("Anna")[-1])


def test_a_game_that_is_over_is_not_disturbed(context, game, mails, clock):
    context.change_game(game, status="over")
    ends(context, game, "Ben")
    assert told(context, game, "Anna") == []


@pytest.mark.parametrize("seat", [9, "house"])
def test_nobody_stops_letters_that_are_not_sent(context, seat):
    game = context.start_game("Anna", "house")
    seat = context.seat_of(game, HOUSE) if seat == "house" else seat
    for act in (stop_letters, resume_letters):
        with pytest.raises(UnsubscribeRefused, match="No mails go to that seat"):
            context.committed(NOON, act, game, seat, False)
