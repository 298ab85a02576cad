"""No more letters: one last one, everybody is told, and the way back."""

import pytest
from sqlmodel import select

from emails.i18n import Tongue, speaking
from server.accounts.unsubscribe import MOST_STOPS, NotStopped, start_again, stop
from server.clock import tick
from server.delivery.outgoing import deliver
from server.lobby.games import Wish, accept, open_game
from server.outbox.chat import unheard
from server.outbox.preferences import wants
from server.store.models import Game, Outgoing, Seating
from server.turns.play import play
from server.worker import work
from tests.server.desk import NOON, Collector, game_row, names_of, seat_of, start_game, wish

ANNA, BEN = Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org")


@pytest.fixture
def mails():
    return Collector()


@pytest.fixture
def game(office, mails):
    game = start_game(office, "Anna", "Ben", "Cleo")
    deliver(office, mails, NOON)
    mails.mails.clear()
    return game


def ends(office, game, name, everywhere=False, now=NOON):
    return stop(office, game, seat_of(office, game, name), everywhere, now)


def returns(office, game, name, everywhere=False, now=NOON):
    return start_again(office, game, seat_of(office, game, name), everywhere, now)


def stopped(office, game, seat):
    with office.reading() as session:
        return not wants(session, session.get_one(Seating, (game, seat)).player, game).letters


def kinds(mails):
    return [str(mail["X-Alexandros"]) for mail in mails]


def body(mail):
    return mail.get_body(("plain",)).get_content()


def told(office, game, name, language="en"):
    with office.reading() as session, speaking(Tongue(language)):
        found = unheard(session, game, seat_of(office, game, name))[0]
    assert all(one.writer == "" and not one.private for one in found)
    return [one.words for one in found]


def test_one_last_letter_and_then_none(office, game, mails, clock):
    first = names_of(office, game)[0]
    wish(office, game, first, moves=True, messages=True)
    assert ends(office, game, first)
    assert stopped(office, game, 0)
    for _ in range(60):
        work(office, mails, clock.forward(1))
    assert kinds(mails.to(first)) == ["stopped"]
    assert game_row(office, game).turn == 2  # a quiet turn was played when the time was over


def test_the_others_are_told_each_in_his_language(office, game):
    ends(office, game, "Ben")
    assert told(office, game, "Ben") == []
    (english,) = told(office, game, "Anna")
    (dutch,) = told(office, game, "Cleo", "nl")
    assert english.startswith("Ben gets no more letters of this game.")
    assert dutch.startswith("Ben krijgt")


def test_stopping_twice_is_stopping_once(office, game, mails, clock):
    assert ends(office, game, "Ben")
    assert not ends(office, game, "Ben", now=clock.forward(1))
    deliver(office, mails, clock())
    assert kinds(mails.to("Ben")) == ["stopped"]
    assert len(told(office, game, "Anna")) == 1


def test_whoever_changes_his_mind_before_anybody_hears_of_it_is_not_spoken_of(office, game, mails, clock):
    wish(office, game, "Anna", messages=True)
    ends(office, game, "Ben")
    returns(office, game, "Ben")
    assert told(office, game, "Anna") == told(office, game, "Cleo") == []
    ends(office, game, "Ben")
    deliver(office, mails, clock())
    assert kinds(mails.to("Ben")) == ["stopped"]
    assert kinds(mails.to("Anna")) == ["message"]
    returns(office, game, "Ben", now=clock.forward(1))
    assert told(office, game, "Anna") == [
        "Ben gets letters of this game again."
    ]  # who has heard of the other
    assert told(office, game, "Cleo") == []
    ends(office, game, "Ben", now=clock.forward(1))
    assert told(office, game, "Anna") == []
    assert len(told(office, game, "Cleo")) == 1


def test_who_stops_and_comes_back_all_day_is_asked_to_wait(office, game, mails, clock):
    first = names_of(office, game)[0]
    for _ in range(MOST_STOPS - 1):
        assert ends(office, game, first, everywhere=True)
        assert returns(office, game, first, everywhere=True)
    assert ends(office, game, first, everywhere=True)
    with pytest.raises(NotStopped, match="tomorrow"):
        returns(office, game, first, everywhere=True)
    work(office, mails, clock())
    assert kinds(mails.to(first)) == ["stopped"]
    assert len(told(office, game, names_of(office, game)[1])) == 1
    assert returns(office, game, first, everywhere=True, now=clock.forward(24))
    work(office, mails, clock())
    assert kinds(mails.to(first)) == ["stopped", "your_turn"]


def test_letters_that_wait_are_dropped(office, clock):
    game = start_game(office, "Anna", "Ben")
    ends(office, game, "Ben")
    with office.reading() as session:
        rows = session.exec(select(Outgoing).where(Outgoing.seat == seat_of(office, game, "Ben"))).all()
    assert {(row.kind == "stopped", row.state) for row in rows} == {(True, "waiting"), (False, "dropped")}
    assert "its reader wants no letters" in {row.why for row in rows}


def test_who_stopped_is_still_answered(office, game, mails):
    first = names_of(office, game)[0]
    ends(office, game, first)
    with office.reading() as session:
        row = session.get_one(Game, game)
        card = office.history(session, row).position.table.display.kinds()[0]
    play(office, game, 0, row.after, [f"choose {card}"], "page", NOON)
    deliver(office, mails, NOON)
    assert kinds(mails.to(first)) == ["stopped"]


def test_who_comes_back_gets_the_letter_of_his_turn_and_his_old_wishes(office, game, mails, clock):
    first = names_of(office, game)[0]
    wish(office, game, first, pictures=False)
    ends(office, game, first)
    work(office, mails, clock())
    mails.mails.clear()
    assert returns(office, game, first, now=clock.forward(1))
    assert not returns(office, game, first, now=clock.forward(1))
    work(office, mails, clock())
    assert kinds(mails.to(first)) == ["your_turn"]
    assert mails.to(first)[0].get_content_type() == "text/plain"
    assert told(office, game, names_of(office, game)[1]) == []  # who has not heard of the other either


def test_the_last_letter_of_one_who_is_back_already_is_not_sent(office, game, mails):
    ends(office, game, "Ben")
    returns(office, game, "Ben")
    deliver(office, mails, NOON)
    assert "stopped" not in kinds(mails.to("Ben"))


def test_stopping_everywhere_stops_all_games_and_invitations(office, game, mails, clock):
    other = start_game(office, "Ben", "Dirk")
    waiting = open_game(office, "Soon", [ANNA, BEN], clock())
    assert ends(office, game, "Ben", everywhere=True)
    later = open_game(office, "Later", [ANNA, BEN], clock())
    work(office, mails, clock())
    assert kinds(mails.to("Ben")) == ["stopped"]
    assert "any game" in mails.to("Ben")[0].get_body(("plain",)).get_content()
    assert len(told(office, other, "Dirk")) == 1 or game_row(office, other).seat is not None
    with office.reading() as session:
        chosen = select(Outgoing).where(Outgoing.kind == "invitation", Outgoing.state == "dropped")
        invitations = {(row.game, row.why) for row in session.exec(chosen)}
    assert invitations == {(which, "its reader wants no letters") for which in (waiting, later)}


def test_who_comes_back_everywhere_gets_the_invitations_that_were_kept_back(office, game, mails, clock):
    ends(office, game, "Ben", everywhere=True)
    later = open_game(office, "Later", [ANNA, BEN], clock())
    work(office, mails, clock())
    assert returns(office, game, "Ben", everywhere=True, now=clock.forward(1))
    work(office, mails, clock())
    assert kinds(mails.to("Ben"))[:2] == ["stopped", "invitation"]
    assert not stopped(office, later, seat_of(office, later, "Ben"))


def test_one_game_can_be_heard_again_when_all_are_stopped(office, game, mails, clock):
    other = start_game(office, "Ben", "Dirk")
    ends(office, game, "Ben", everywhere=True)
    returns(office, other, "Ben", now=clock.forward(1))
    assert stopped(office, game, seat_of(office, game, "Ben"))
    assert not stopped(office, other, seat_of(office, other, "Ben"))
    assert ends(office, game, "Ben", everywhere=True, now=clock.forward(1))  # that is new again
    assert stopped(office, other, seat_of(office, other, "Ben"))


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_letter_that_stops_before_the_game_begins(office, mails, clock, everywhere):
    game = open_game(office, "Soon", [ANNA, BEN], clock())
    ends(office, game, "Ben", everywhere)
    work(office, mails, clock())
    assert kinds(mails.to("Ben")) == ["stopped"]
    text = " ".join(body(mails.to("Ben")[0]).split())
    assert ("about any game" in text) == everywhere
    assert "The game has not begun" in text
    assert "/settings" in text
    mails.mails.clear()
    for name in ("Anna", "Ben"):
        accept(office, game, seat_of(office, game, name), clock())
    work(office, mails, clock())
    assert kinds(mails.to("Ben")) == []
    assert "Ben gets no more letters" in body(mails.to("Anna")[-1])


def test_a_game_that_is_over_is_not_disturbed(office, game, mails, clock):
    with office.writing() as session:
        session.get_one(Game, game).status = "over"
        session.commit()
    ends(office, game, "Ben")
    assert told(office, game, "Anna") == []


@pytest.mark.parametrize("seat", [9, "house"])
def test_nobody_stops_letters_that_are_not_sent(office, seat):
    game = start_game(office, "Anna", "house")
    seat = seat_of(office, game, "House") if seat == "house" else seat
    for act in (stop, start_again):
        with pytest.raises(NotStopped, match="No letters go to that seat"):
            act(office, game, seat, False, NOON)


def test_a_daily_letter_does_not_come_either(office, game, mails, clock):
    wish(office, game, "Ben", pace="daily", hour=13)
    ends(office, game, "Ben")
    work(office, mails, clock())
    tick(office, clock.forward(25))
    deliver(office, mails, clock())
    assert "digest" not in kinds(mails.to("Ben"))
