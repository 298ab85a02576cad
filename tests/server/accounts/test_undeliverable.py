"""Letters that come back: nobody who is not reached loses his turn, and nobody waits for ever."""

from datetime import timedelta

import pytest
from sqlmodel import select

from engine.bots import play_to_win
from server.accounts.addresses import confirm_address, request_address_confirmation
from server.accounts.bounces import (
    LONGEST_CLOCK_PAUSE,
    LONGEST_REPORTED_PAUSE,
    clear_bounce_of_seat,
    list_bouncing_addresses,
)
from server.clock import tick
from server.delivery.sending import send_due_letters
from server.outbox.chat import post
from server.store.models import BouncingAddress, Game
from server.turns.play import play_turn
from tests.breadth import first, spread
from tests.emails.replies.reports import FORMS
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    committed,
    confirmation_codes,
    game_row,
    mover,
    names_of,
    seat_of,
    set_preferences,
    start_game,
    work_until_idle,
)
from tests.server.inbox.returned import (
    comes,
    doors,
    envelope_of,
    fails,
    halted,
    kinds,
    mended,
    refused,
    report,
    returns,
    told,
    words,
    write,
)


@pytest.fixture
def game(context, mails):
    return begin_game(context, mails, "Anna", "Ben", "Cleo")


# --- the clock stops -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_letter_that_comes_back_stops_the_clock_whatever_program_says_so(context, game, mails, form):
    name = mover(context, game)
    state, why = returns(context, mails, game, NOON, form=form)
    assert (state, why.split(":")[0]) == ("played", "A letter came back")
    assert fails(context, game, name)
    assert halted(context, game, name)
    assert game_row(context, game).deadline is None
    mended(context, game)


@pytest.mark.parametrize("hours", spread(1, [6, 1]))
def test_nobody_reminds_or_plays_for_whom_no_mail_reaches(context, game, mails, clock, hours):
    name = mover(context, game)
    refused(context, mails, game, clock.forward(10))
    mails.mails.clear()
    for _ in range(13 * 24 // hours):
        work_until_idle(context, mails, clock.forward(hours))
    assert game_row(context, game).turn == 1
    assert kinds(mails, name) == []


def test_the_others_are_told_once_each_in_his_language(context, game, mails):
    name = mover(context, game)
    set_preferences(context, game, "Cleo" if name != "Cleo" else "Ben", language="nl", everywhere=True)
    returns(context, mails, game, NOON)
    returns(context, mails, game, NOON, form=FORMS[1])
    for other in {"Anna", "Ben", "Cleo"} - {name}:
        (english,) = told(context, game, other)
        (dutch,) = told(context, game, other, "nl")
        assert english.startswith(f"A mail says that mail to {name} comes back.")
        assert "stands still, for a day at most, or for 14 days if our own" in english
        assert dutch != english
    assert told(context, game, name) == []


def test_the_same_report_twice_is_one(context, game, mails, clock):
    returns(context, mails, game, NOON)
    acts_before = game_row(context, game).seq
    returns(context, mails, game, clock.forward(1))
    letter = mails.to(mover(context, game))[-1]
    text = report(mails, letter) + "\n"
    state, why = comes(context, text, envelope_of(mails, letter), clock())
    assert (state, why) == ("played", "That letter is known to have come back.")
    assert game_row(context, game).seq == acts_before
    with context.reading() as session:
        assert session.exec(select(BouncingAddress)).one().since == NOON


def test_in_all_his_games_and_in_those_that_begin_later(context, game, mails, clock):
    name = mover(context, game)
    other = start_game(context, name, "Dirk", now=clock())
    returns(context, mails, game, clock())
    third = start_game(context, name, "Dirk", now=clock())
    tick(context, clock.forward(1))
    assert all(halted(context, one, name) for one in (game, other, third))
    assert not halted(context, other, "Dirk")
    assert len(told(context, other, "Dirk")) == 1
    before = game_row(context, game).seq
    tick(context, clock.forward(1))
    assert game_row(context, game).seq == before


def test_the_clock_of_another_seat_runs_on(context, game, mails, clock):
    waits = next(name for name in names_of(context, game) if name != mover(context, game))
    refused(context, mails, game, clock(), name=waits)
    assert halted(context, game, waits)
    assert game_row(context, game).deadline == NOON + timedelta(hours=48)
    mended(context, game)
    while mover(context, game) != waits:
        tick(context, clock.forward(48))
    row = game_row(context, game)
    assert row.deadline is None
    mended(context, game)
    tick(context, clock.forward(100))
    assert game_row(context, game).seq == row.seq


def test_he_can_play_on_the_page_and_letters_of_his_turn_are_tried(context, game, mails, clock):
    name, seat = mover(context, game), game_row(context, game).seat
    returns(context, mails, game, clock())
    mails.mails.clear()
    play_turn(context, game, game_row(context, game).after, play_to_win, "link", clock.forward(1))
    work_until_idle(context, mails, clock())
    assert game_row(context, game).deadline is not None
    set_preferences(context, game, name, moves=True, messages=True, pace="at once")
    while game_row(context, game).seat != seat:
        play_turn(context, game, game_row(context, game).after, play_to_win, "link", clock.forward(1))
        work_until_idle(context, mails, clock())
    assert game_row(context, game).deadline is None
    work_until_idle(context, mails, clock.forward(1))
    assert kinds(mails, name) == ["your_turn"]
    mended(context, game)


def test_a_game_without_a_limit_tells_the_others_all_the_same(context, game, mails, clock):
    name = mover(context, game)
    with context.writing() as session:
        row = session.get_one(Game, game)
        row.turn_minutes, row.deadline = 0, None
        session.commit()
    returns(context, mails, game, clock())
    other = next(one for one in names_of(context, game) if one != name)
    (words,) = told(context, game, other)
    assert words.startswith(f"Mail to {name} comes back. {name} can still play on the page")
    tick(context, clock.forward(15 * 24))
    assert len(told(context, game, other)) == 1


@pytest.mark.parametrize(
    ("fail", "longest", "left", "sentence"),
    first(
        1,
        [
            (returns, LONGEST_REPORTED_PAUSE, 48, "The clock of {} has stood still for a day"),
            (refused, LONGEST_CLOCK_PAUSE, 36, "Mail to {} has come back for 14 days"),
        ],
    ),
)
def test_nobody_waits_for_ever(context, game, mails, clock, fail, longest, left, sentence):
    name = mover(context, game)
    other = next(one for one in names_of(context, game) if one != name)
    fail(context, mails, game, clock.forward(12))
    mails.mails.clear()
    work_until_idle(context, mails, clock.forward(longest / timedelta(hours=1) - 0.1))
    assert halted(context, game, name)
    work_until_idle(context, mails, clock.forward(0.1))
    assert not halted(context, game, name)
    assert game_row(context, game).deadline == clock() + timedelta(hours=left)
    assert kinds(mails, name) == ["your_turn"]
    assert told(context, game, other)[-1].startswith(sentence.format(name))
    mended(context, game)
    work_until_idle(context, mails, clock.forward(left))
    assert game_row(context, game).turn == 2
    assert fails(context, game, name)
    committed(context, clock(), clear_bounce_of_seat, game, seat_of(context, game, name))
    assert told(context, game, other)[-1] == f"Mail reaches {name} again."


def test_what_mail_reports_stops_a_clock_once_in_a_game(context, game, mails, clock):
    name, seat = mover(context, game), game_row(context, game).seat
    other = next(one for one in names_of(context, game) if one != name)
    returns(context, mails, game, clock())
    committed(context, clock.forward(1), clear_bounce_of_seat, game, seat)
    send_due_letters(context, mails, clock())
    returns(context, mails, game, clock.forward(24 * 4))
    assert fails(context, game, name)
    assert not halted(context, game, name)
    later = start_game(context, name, "Dirk", now=clock())
    tick(context, clock())
    assert halted(context, later, name)
    before = told(context, game, other)
    committed(context, clock.forward(48), clear_bounce_of_seat, game, seat)
    assert told(context, game, other) == before
    mended(context, game)


def test_a_refusal_by_the_relay_stops_it_for_longer_and_again(context, game, mails, clock):
    name, seat = mover(context, game), game_row(context, game).seat
    returns(context, mails, game, clock())
    work_until_idle(context, mails, clock.forward(24))
    assert not halted(context, game, name)
    assert refused(context, mails, game, clock.forward(1)).startswith("A letter came back: ")
    assert halted(context, game, name)
    assert refused(context, mails, game, clock.forward(1)) == "A letter came back again."
    returns(context, mails, game, clock())  # says nothing new
    tick(context, clock.forward(24 * 12))
    assert halted(context, game, name)
    committed(context, clock(), clear_bounce_of_seat, game, seat)
    send_due_letters(context, mails, clock())
    refused(context, mails, game, clock.forward(24 * 4))
    assert halted(context, game, name)
    mended(context, game)


def test_a_refusal_while_the_clock_stands_keeps_it_so(context, game, mails, clock):
    name = mover(context, game)
    returns(context, mails, game, clock())
    acts_before = game_row(context, game).seq
    refused(context, mails, game, clock.forward(1))
    tick(context, clock.forward(24 * 13))
    assert halted(context, game, name)
    assert game_row(context, game).seq == acts_before
    tick(context, clock.forward(24))
    assert not halted(context, game, name)


# --- the clock goes on -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("gone", "left"), [(0, 48), (12, 36), (36, 12), (47, 12)])
def test_what_was_left_is_left_and_a_quarter_at_least(context, game, mails, clock, gone, left):
    name = mover(context, game)
    refused(context, mails, game, clock.forward(gone))
    send_due_letters(context, mails, clock.forward(30))
    mails.mails.clear()
    assert committed(context, clock(), clear_bounce_of_seat, game, seat_of(context, game, name))
    assert game_row(context, game).deadline == clock() + timedelta(hours=left)
    mended(context, game)
    send_due_letters(context, mails, clock())
    assert kinds(mails, name) == ["your_turn"]


@pytest.mark.parametrize(("gone", "left"), [(1, 48), (24, 48), (30, 42), (47, 25)])
def test_what_ran_until_a_report_came_is_given_back_a_day_at_most(context, game, mails, clock, gone, left):
    """A mail server may try for long before it says that nobody is there."""
    name = mover(context, game)
    returns(context, mails, game, clock.forward(gone))
    committed(context, clock.forward(5), clear_bounce_of_seat, game, seat_of(context, game, name))
    assert game_row(context, game).deadline == clock() + timedelta(hours=left)
    mended(context, game)


def test_a_letter_to_an_address_that_was_only_typed_gives_nothing_back(context, game, mails, clock):
    name = mover(context, game)
    seat = seat_of(context, game, name)
    request_address_confirmation(context, game, seat, "typed@example.org", clock.forward(2))
    send_due_letters(context, mails, clock())
    letter = mails.to("typed")[-1]
    comes(context, report(mails, letter), envelope_of(mails, letter), clock.forward(4))
    refused(context, mails, game, clock.forward(6), name)
    committed(context, clock.forward(1), clear_bounce_of_seat, game, seat)
    assert game_row(context, game).deadline == clock() + timedelta(hours=36)
    mended(context, game)


def test_a_report_on_a_letter_of_an_earlier_turn_gives_nothing_back(context, game, mails, clock):
    name, row = mover(context, game), game_row(context, game)
    letter = mails.to(name)[-1]
    play_turn(context, game, row.after, play_to_win, "link", clock.forward(1))
    while mover(context, game) != name:
        after = game_row(context, game).after
        play_turn(context, game, after, play_to_win, "link", clock.forward(1))
    send_due_letters(context, mails, clock())
    comes(context, report(mails, letter), envelope_of(mails, letter), clock.forward(6))
    committed(context, clock(), clear_bounce_of_seat, game, row.seat)
    assert game_row(context, game).deadline == clock() + timedelta(hours=42)
    mended(context, game)


def test_whoever_has_heard_of_it_hears_the_end_of_it_too(context, game, mails, clock):
    name = mover(context, game)
    other = next(one for one in names_of(context, game) if one != name)
    set_preferences(context, game, other, messages=True)
    returns(context, mails, game, clock())
    work_until_idle(context, mails, clock.forward(1))
    assert f"mail to {name} comes back." in words(mails.to(other)[-1])
    committed(context, clock(), clear_bounce_of_seat, game, seat_of(context, game, name))
    assert told(context, game, other) == [f"Mail reaches {name} again, and the clock of that seat goes on."]


def test_a_stop_in_the_same_turn_goes_on_where_it_was(context, game, mails, clock):
    seat = game_row(context, game).seat
    refused(context, mails, game, clock.forward(10))
    committed(context, clock.forward(24 * 4), clear_bounce_of_seat, game, seat)
    send_due_letters(context, mails, clock())
    refused(context, mails, game, clock.forward(10))
    committed(context, clock.forward(24 * 5), clear_bounce_of_seat, game, seat)
    assert game_row(context, game).deadline == clock() + timedelta(hours=28)
    assert len(doors(context, game)) == 4
    mended(context, game)


def test_a_mail_from_that_address_shows_that_it_is_good(context, game, mails, clock):
    name = mover(context, game)
    letter = mails.to(name)[-1]
    address = str(letter["To"])
    returns(context, mails, game, clock.forward(1))
    text = write(mails, letter, "stranger@example.org")
    comes(context, text, str(letter["Reply-To"]), clock(), "stranger@example.org")
    assert fails(context, game, name)
    text = write(mails, letter, address, **{"Auto-Submitted": "auto-replied"})
    comes(context, text, str(letter["Reply-To"]), clock(), address)
    assert fails(context, game, name)
    comes(context, write(mails, letter, address), str(letter["Reply-To"]), clock(), address)
    assert not fails(context, game, name)
    assert not halted(context, game, name)


def test_a_new_address_that_is_confirmed_lets_the_clock_go_on(context, game, mails, clock):
    name = mover(context, game)
    returns(context, mails, game, clock())
    request_address_confirmation(context, game, seat_of(context, game, name), "new@example.org", clock())
    mails.mails.clear()
    send_due_letters(context, mails, clock())
    assert [str(mail["To"]) for mail in mails.mails if mail["X-Alexandros"] == "confirm"] == [
        "new@example.org"
    ]
    (code,) = confirmation_codes(context)
    committed(context, clock(), confirm_address, code)
    assert not halted(context, game, name)
    mails.mails.clear()
    send_due_letters(context, mails, clock())
    assert [str(mail["X-Alexandros"]) for mail in mails.to("new")] == ["your_turn", "shown"]


def test_a_letter_that_does_not_come_back_for_three_days_has_arrived(context, game, mails, clock):
    name, seat = mover(context, game), game_row(context, game).seat
    refused(context, mails, game, clock())
    while True:
        play_turn(context, game, game_row(context, game).after, play_to_win, "link", clock.forward(1))
        work_until_idle(context, mails, clock())
        if game_row(context, game).seat == seat:
            break
    work_until_idle(context, mails, clock.forward(71.9))
    assert halted(context, game, name)
    work_until_idle(context, mails, clock.forward(0.2))
    assert not fails(context, game, name)
    assert game_row(context, game).deadline == clock() + timedelta(hours=48)


def test_a_letter_that_was_under_way_already_proves_nothing(context, game, mails, clock):
    name = mover(context, game)
    first = mails.to(name)[-1]
    seat = seat_of(context, game, name)
    set_preferences(context, game, name, messages=True)
    with context.writing() as session:
        post(context, session, session.get_one(Game, game), (seat + 1) % 3, seat, "hello", clock())
        session.commit()
    send_due_letters(context, mails, clock.forward(1))
    comes(context, report(mails, first), envelope_of(mails, first), clock.forward(0.1))
    work_until_idle(context, mails, clock.forward(24 * 4))
    assert fails(context, game, name)


def test_a_report_that_a_later_letter_was_delivered_clears(context, game, mails, clock):
    name = mover(context, game)
    first = mails.to(name)[-1]
    returns(context, mails, game, clock())
    text = report(mails, first, action="delivered", status="2.0.0")
    comes(context, text, envelope_of(mails, first), clock())
    assert fails(context, game, name)  # that letter is the one that came back
    work_until_idle(context, mails, clock.forward(24 * 14))
    returns(context, mails, game, clock(), action="delivered", status="2.0.0")
    assert not fails(context, game, name)


def test_what_was_told_in_a_letter_that_came_back_is_told_again(context, game, mails, clock):
    name = mover(context, game)
    seat = seat_of(context, game, name)
    set_preferences(context, game, name, messages=True)
    with context.writing() as session:
        post(context, session, session.get_one(Game, game), (seat + 1) % 3, seat, "hello there", clock())
        session.commit()
    send_due_letters(context, mails, clock.forward(1))
    assert told(context, game, name) == []
    returns(context, mails, game, clock())
    assert told(context, game, name) == ["hello there"]
    committed(context, clock.forward(1), clear_bounce_of_seat, game, seat)
    send_due_letters(context, mails, clock())
    assert "hello there" in words(mails.to(name)[-1])


def test_the_operator_sees_who_is_not_reached(context, game, mails, clock):
    name = mover(context, game)
    with context.reading() as session:
        assert list_bouncing_addresses(session) == []
    returns(context, mails, game, clock())
    with context.reading() as session:
        (mark,) = list_bouncing_addresses(session)
    assert (mark.address, mark.since, mark.games) == (
        f"{name.lower()}@example.org",
        NOON,
        (f"{game} ({name})",),
    )
    assert "User unknown" in mark.why
