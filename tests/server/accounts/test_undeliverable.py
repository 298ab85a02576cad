"""Letters that come back: nobody who is not reached loses his turn, and nobody waits for ever."""

from datetime import timedelta

import pytest
from sqlmodel import select

from engine.bots import house
from server.accounts.addresses import ask_address, confirmed
from server.accounts.paused_clocks import PATIENCE
from server.accounts.undeliverable import came_back, marks, try_again
from server.clock import tick
from server.delivery.outgoing import deliver
from server.outbox.chat import post
from server.store.models import Confirmation, Failing, Game, Outgoing
from server.turns.play import play, play_turn
from server.worker import work
from tests.emails.replies.reports import FORMS
from tests.server.desk import NOON, Collector, game_row, names_of, seat_of, start_game, wish
from tests.server.inbox.returned import (
    comes,
    doors,
    envelope_of,
    fails,
    halted,
    kinds,
    mended,
    mover,
    report,
    returns,
    told,
    words,
    write,
)


@pytest.fixture
def mails():
    return Collector()


@pytest.fixture
def game(office, mails):
    game = start_game(office, "Anna", "Ben", "Cleo", hours=48)
    deliver(office, mails, NOON)
    return game


# --- the clock stops -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_letter_that_comes_back_stops_the_clock_whatever_program_says_so(office, game, mails, form):
    name = mover(office, game)
    state, why = returns(office, mails, game, NOON, form=form)
    assert (state, why.split(":")[0]) == ("played", "A letter came back")
    assert fails(office, game, name)
    assert halted(office, game, name)
    assert game_row(office, game).deadline is None
    mended(office, game)


def test_nobody_reminds_or_plays_for_whom_no_mail_reaches(office, game, mails, clock):
    name = mover(office, game)
    returns(office, mails, game, clock.forward(10))
    mails.mails.clear()
    for _ in range(13 * 24):
        work(office, mails, clock.forward(1))
    assert game_row(office, game).turn == 1
    assert kinds(mails, name) == []


def test_the_others_are_told_once_each_in_his_language(office, game, mails):
    name = mover(office, game)
    wish(office, game, "Cleo" if name != "Cleo" else "Ben", language="nl", everywhere=True)
    returns(office, mails, game, NOON)
    returns(office, mails, game, NOON, form=FORMS[1])
    for other in {"Anna", "Ben", "Cleo"} - {name}:
        (english,) = told(office, game, other)
        (dutch,) = told(office, game, other, "nl")
        assert english.startswith(
            f"Mail to {name} comes back. The clock of that seat stands still, for 14 days"
        )
        assert dutch != english
    assert told(office, game, name) == []


def test_the_same_report_twice_is_one(office, game, mails, clock):
    returns(office, mails, game, NOON)
    acts_before = game_row(office, game).seq
    returns(office, mails, game, clock.forward(1))
    letter = mails.to(mover(office, game))[-1]
    text = report(mails, letter) + "\n"
    state, why = comes(office, text, envelope_of(mails, letter), clock())
    assert (state, why) == ("played", "That letter is known to have come back.")
    assert game_row(office, game).seq == acts_before
    with office.reading() as session:
        assert session.exec(select(Failing)).one().since == NOON


def test_in_all_his_games_and_in_those_that_begin_later(office, game, mails, clock):
    name = mover(office, game)
    other = start_game(office, name, "Dirk", now=clock())
    returns(office, mails, game, clock())
    third = start_game(office, name, "Dirk", now=clock())
    tick(office, clock.forward(1))
    assert all(halted(office, one, name) for one in (game, other, third))
    assert not halted(office, other, "Dirk")
    assert len(told(office, other, "Dirk")) == 1
    before = game_row(office, game).seq
    tick(office, clock.forward(1))
    assert game_row(office, game).seq == before


def test_the_clock_of_another_seat_runs_on(office, game, mails, clock):
    waits = next(name for name in names_of(office, game) if name != mover(office, game))
    returns(office, mails, game, clock(), name=waits)
    assert halted(office, game, waits)
    assert game_row(office, game).deadline == NOON + timedelta(hours=48)
    mended(office, game)
    while mover(office, game) != waits:
        tick(office, clock.forward(48))
    row = game_row(office, game)
    assert row.deadline is None
    mended(office, game)
    tick(office, clock.forward(100))
    assert game_row(office, game).seq == row.seq


def test_he_can_play_on_the_page_and_letters_of_his_turn_are_tried(office, game, mails, clock):
    name, seat = mover(office, game), game_row(office, game).seat
    returns(office, mails, game, clock())
    mails.mails.clear()
    play_turn(office, game, game_row(office, game).after, house, "link", clock.forward(1))
    assert game_row(office, game).deadline is not None
    wish(office, game, name, moves=True, messages=True, pace="at once")
    while game_row(office, game).seat != seat:
        play_turn(office, game, game_row(office, game).after, house, "link", clock.forward(1))
        work(office, mails, clock())
    assert game_row(office, game).deadline is None
    work(office, mails, clock.forward(1))
    assert kinds(mails, name) == ["your_turn"]
    mended(office, game)


def test_a_game_without_a_limit_tells_the_others_all_the_same(office, game, mails, clock):
    name = mover(office, game)
    with office.writing() as session:
        row = session.get_one(Game, game)
        row.hours, row.deadline = 0, None
        session.commit()
    returns(office, mails, game, clock())
    other = next(one for one in names_of(office, game) if one != name)
    (words,) = told(office, game, other)
    assert words.startswith(f"Mail to {name} comes back. {name} can still play on the page")
    tick(office, clock.forward(15 * 24))
    assert len(told(office, game, other)) == 1


def test_nobody_waits_for_ever(office, game, mails, clock):
    name = mover(office, game)
    other = next(one for one in names_of(office, game) if one != name)
    returns(office, mails, game, clock.forward(12))
    mails.mails.clear()
    work(office, mails, clock.forward(PATIENCE / timedelta(hours=1) - 0.1))
    assert halted(office, game, name)
    work(office, mails, clock.forward(0.1))
    assert not halted(office, game, name)
    assert game_row(office, game).deadline == clock() + timedelta(hours=36)
    assert kinds(mails, name) == ["your_turn"]
    assert told(office, game, other)[-1].startswith(f"Mail to {name} has come back for 14 days")
    mended(office, game)
    work(office, mails, clock.forward(36))
    assert game_row(office, game).turn == 2
    assert fails(office, game, name)


# --- the clock goes on -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("gone", "left"), [(0, 48), (12, 36), (36, 12), (47, 12)])
def test_what_was_left_is_left_and_a_quarter_at_least(office, game, mails, clock, gone, left):
    name = mover(office, game)
    returns(office, mails, game, clock.forward(gone))
    deliver(office, mails, clock.forward(30))
    mails.mails.clear()
    assert try_again(office, game, seat_of(office, game, name), clock())
    assert game_row(office, game).deadline == clock() + timedelta(hours=left)
    mended(office, game)
    deliver(office, mails, clock())
    assert kinds(mails, name) == ["your_turn"]


def test_whoever_has_heard_of_it_hears_the_end_of_it_too(office, game, mails, clock):
    name = mover(office, game)
    other = next(one for one in names_of(office, game) if one != name)
    wish(office, game, other, messages=True)
    returns(office, mails, game, clock())
    work(office, mails, clock.forward(1))
    assert f"Mail to {name} comes back." in words(mails.to(other)[-1])
    try_again(office, game, seat_of(office, game, name), clock())
    assert told(office, game, other) == [f"Mail reaches {name} again, and the clock of that seat goes on."]


def test_a_step_on_the_page_while_the_clock_stands_costs_no_time(office, game, mails, clock):
    row = game_row(office, game)
    returns(office, mails, game, clock.forward(12))
    with office.reading() as session:
        card = office.history(session, row).position.table.display.kinds()[0]
    play(office, game, row.seat, row.after, [f"choose {card}"], "link", clock.forward(30))
    assert game_row(office, game).deadline is None
    mended(office, game)
    try_again(office, game, row.seat, clock.forward(30))
    assert game_row(office, game).deadline == clock() + timedelta(hours=36)
    mended(office, game)


def test_a_stop_in_the_same_turn_goes_on_where_it_was(office, game, mails, clock):
    seat = game_row(office, game).seat
    returns(office, mails, game, clock.forward(10))
    try_again(office, game, seat, clock.forward(24 * 4))
    deliver(office, mails, clock())
    returns(office, mails, game, clock.forward(10))
    try_again(office, game, seat, clock.forward(24 * 5))
    assert game_row(office, game).deadline == clock() + timedelta(hours=28)
    assert len(doors(office, game)) == 4
    mended(office, game)


def test_whoever_has_heard_of_neither_hears_of_neither(office, game, mails, clock):
    name = mover(office, game)
    returns(office, mails, game, clock())
    try_again(office, game, seat_of(office, game, name), clock.forward(1))
    for other in {"Anna", "Ben", "Cleo"} - {name}:
        assert told(office, game, other) == []


def test_a_mail_from_that_address_shows_that_it_is_good(office, game, mails, clock):
    name = mover(office, game)
    letter = mails.to(name)[-1]
    address = str(letter["To"])
    returns(office, mails, game, clock.forward(1))
    text = write(mails, letter, "stranger@example.org")
    comes(office, text, str(letter["Reply-To"]), clock(), "stranger@example.org")
    assert fails(office, game, name)
    text = write(mails, letter, address, **{"Auto-Submitted": "auto-replied"})
    comes(office, text, str(letter["Reply-To"]), clock(), address)
    assert fails(office, game, name)
    comes(office, write(mails, letter, address), str(letter["Reply-To"]), clock(), address)
    assert not fails(office, game, name)
    assert not halted(office, game, name)


def test_a_new_address_that_is_confirmed_lets_the_clock_go_on(office, game, mails, clock):
    name = mover(office, game)
    returns(office, mails, game, clock())
    ask_address(office, game, seat_of(office, game, name), "new@example.org", clock())
    mails.mails.clear()
    deliver(office, mails, clock())
    assert [str(mail["To"]) for mail in mails.mails if mail["X-Alexandros"] == "confirm"] == [
        "new@example.org"
    ]
    with office.reading() as session:
        code = session.exec(select(Confirmation)).one().code
    confirmed(office, code, clock())
    assert not halted(office, game, name)
    mails.mails.clear()
    deliver(office, mails, clock())
    assert [str(mail["X-Alexandros"]) for mail in mails.to("new")] == ["your_turn"]


def test_a_letter_that_does_not_come_back_for_three_days_has_arrived(office, game, mails, clock):
    name, seat = mover(office, game), game_row(office, game).seat
    returns(office, mails, game, clock())
    while True:
        play_turn(office, game, game_row(office, game).after, house, "link", clock.forward(1))
        work(office, mails, clock())
        if game_row(office, game).seat == seat:
            break
    work(office, mails, clock.forward(71.9))
    assert halted(office, game, name)
    work(office, mails, clock.forward(0.2))
    assert not fails(office, game, name)
    assert game_row(office, game).deadline == clock() + timedelta(hours=48)


def test_a_letter_that_was_under_way_already_proves_nothing(office, game, mails, clock):
    name = mover(office, game)
    first = mails.to(name)[-1]
    seat = seat_of(office, game, name)
    wish(office, game, name, messages=True)
    with office.writing() as session:
        post(office, session, session.get_one(Game, game), (seat + 1) % 3, seat, "hello", clock())
        session.commit()
    deliver(office, mails, clock.forward(1))
    comes(office, report(mails, first), envelope_of(mails, first), clock.forward(0.1))
    work(office, mails, clock.forward(24 * 4))
    assert fails(office, game, name)


def test_a_report_that_a_later_letter_was_delivered_clears(office, game, mails, clock):
    name = mover(office, game)
    first = mails.to(name)[-1]
    returns(office, mails, game, clock())
    text = report(mails, first, action="delivered", status="2.0.0")
    comes(office, text, envelope_of(mails, first), clock())
    assert fails(office, game, name)  # that letter is the one that came back
    work(office, mails, clock.forward(24 * 14))
    returns(office, mails, game, clock(), action="delivered", status="2.0.0")
    assert not fails(office, game, name)


def test_what_was_told_in_a_letter_that_came_back_is_told_again(office, game, mails, clock):
    name = mover(office, game)
    seat = seat_of(office, game, name)
    wish(office, game, name, messages=True)
    with office.writing() as session:
        post(office, session, session.get_one(Game, game), (seat + 1) % 3, seat, "hello there", clock())
        session.commit()
    deliver(office, mails, clock.forward(1))
    assert told(office, game, name) == []
    returns(office, mails, game, clock())
    assert told(office, game, name) == ["hello there"]
    try_again(office, game, seat, clock.forward(1))
    deliver(office, mails, clock())
    assert "hello there" in words(mails.to(name)[-1])


# --- what the operator sees ------------------------------------------------------------------------------


def test_the_operator_sees_who_is_not_reached(office, game, mails, clock):
    name = mover(office, game)
    with office.reading() as session:
        assert marks(session) == []
    returns(office, mails, game, clock())
    with office.reading() as session:
        (mark,) = marks(session)
    assert (mark.address, mark.since, mark.games) == (
        f"{name.lower()}@example.org",
        NOON,
        (f"{game} ({name})",),
    )
    assert "User unknown" in mark.why


def test_a_letter_that_is_marked_by_hand_of_nobody_does_nothing(office, game):
    with office.writing() as session:
        letter = session.exec(select(Outgoing)).first()
        letter.seat = 9
        came_back(office, session, letter, "why", NOON)
        assert session.exec(select(Failing)).first() is None
