"""A new address is used when somebody there has said yes, and not before."""

import pytest
from sqlmodel import select

from server.accounts.addresses import (
    BACK_VALID,
    MOST_ASKED,
    MOST_ASKS,
    NotConfirmed,
    ask_address,
    asked,
    confirmed,
)
from server.accounts.unsubscribe import stop
from server.delivery.outgoing import deliver
from server.store.models import Confirmation, Outgoing, Player, Seating
from server.worker import work
from tests.server.desk import NOON, Collector, seat_of, start_game, wish
from tests.server.inbox.test_incoming import reply

NEW = "anna.new@example.org"


@pytest.fixture
def mails():
    return Collector()


@pytest.fixture
def game(office, mails):
    game = start_game(office, "Anna", "Ben")
    deliver(office, mails, NOON)
    mails.mails.clear()
    return game


def ask(office, game, address=NEW, name="Anna", now=NOON):
    ask_address(office, game, seat_of(office, game, name), address, now)


def codes(office):
    with office.reading() as session:
        return [row.code for row in session.exec(select(Confirmation).order_by(Confirmation.at))]


def moves(office, game, address, name="Anna", now=NOON):
    """Name an address and confirm it; gives the code of the way back to the one before."""
    before = codes(office)
    ask(office, game, address, name, now)
    (code,) = set(codes(office)) - set(before)
    confirmed(office, code, now)
    (back,) = set(codes(office)) - {*before, code}
    return back


def addresses(office):
    with office.reading() as session:
        return {row.name: row.address for row in session.exec(select(Player))}


def test_the_new_address_is_asked_and_holds_no_key_to_the_game(office, game, mails):
    ask(office, game)
    deliver(office, mails, NOON)
    (letter,) = mails.mails
    (code,) = codes(office)
    assert letter["To"] == NEW
    assert letter["X-Alexandros"] == "confirm"
    assert letter["Reply-To"] == f"confirm+{code}@play.example.org"
    text = letter.get_body(("plain",)).get_content()
    assert f"http://127.0.0.1:8000/c/{code}" in text
    assert "/t/" not in letter.as_string()
    assert "/u/" not in letter.as_string()
    assert letter["List-Unsubscribe"] is None
    assert code not in str(letter["Message-ID"])
    assert addresses(office)["Anna"] == "anna@example.org"


def kinds(mails, address):
    return [str(mail["X-Alexandros"]) for mail in mails.mails if str(mail["To"]).lower() == address.lower()]


def test_once_confirmed_all_letters_go_there_those_that_wait_too(office, game, mails, clock):
    wish(office, game, "Anna", pace="daily", hour=23)
    other = start_game(office, "Anna", "Ben", now=clock())
    ask(office, game, "Anna.New@Example.org")
    (code,) = codes(office)
    assert asked(office, code, clock()).address == "Anna.New@Example.org"
    made = confirmed(office, code.upper(), clock())
    assert (made.name, made.address) == ("Anna", "Anna.New@Example.org")
    with office.reading() as session:
        waiting = select(Outgoing).where(Outgoing.state == "waiting", Outgoing.kind != "moved")
        rows = session.exec(waiting).all()
        of_anna = {row.recipient for row in rows if row.seat == seat_of(office, row.game, "Anna")}
        of_ben = {row.recipient for row in rows if row.seat == seat_of(office, row.game, "Ben")}
    assert (of_anna, of_ben) == ({"Anna.New@Example.org"}, {"ben@example.org"})
    work(office, mails, clock.forward(48))
    assert kinds(mails, "anna@example.org") == ["moved"]
    assert other


def test_confirming_twice_is_confirming_once(office, game, clock):
    ask(office, game)
    (code,) = codes(office)
    assert confirmed(office, code, clock()) == confirmed(office, code, clock.forward(1))


def test_only_the_address_confirmed_last_counts(office, game, clock):
    ask(office, game, "one@example.org")
    ask(office, game, "two@example.org", now=clock.forward(1))
    one, two = codes(office)
    confirmed(office, two, clock())
    with pytest.raises(NotConfirmed, match="not one of ours"):
        confirmed(office, one, clock())
    assert addresses(office)["Anna"] == "two@example.org"


def test_an_address_of_somebody_else_is_not_taken_over(office, game, clock):
    ask(office, game, "BEN@example.org")
    with pytest.raises(NotConfirmed, match="Somebody else"):
        confirmed(office, codes(office)[0], clock())
    assert addresses(office)["Anna"] == "anna@example.org"


def test_his_own_address_in_other_letters_is_his_already(office, game):
    with pytest.raises(NotConfirmed, match="already"):
        ask(office, game, "ANNA@example.org")


@pytest.mark.parametrize(
    "address", ["", "anna", "a b@c", "anna@x\r\nBcc: b@y", "Anna <a@b>", "x" * 200 + "@y"]
)
def test_what_is_no_address(office, game, address):
    with pytest.raises(NotConfirmed, match="no mail address"):
        ask(office, game, address)
    assert codes(office) == []


def test_nobody_asks_all_day(office, game, mails, clock):
    for number in range(MOST_ASKS):
        ask(office, game, f"anna{number}@example.org", now=clock.forward(1))
        confirmed(office, codes(office)[-1], clock())  # that does not help
    with pytest.raises(NotConfirmed, match="tomorrow"):
        ask(office, game, now=clock())
    ask(office, game, "ben2@example.org", name="Ben", now=clock())
    ask(office, game, now=clock.forward(24))


@pytest.mark.parametrize("code", ["", "a", "a" * 26, "a" * 27, "é" * 26, "1" * 26])
def test_a_code_that_is_none(office, game, code):
    for act in (asked, confirmed):
        with pytest.raises(NotConfirmed, match="not one of ours"):
            act(office, code, NOON)


def test_after_three_days_it_is_too_late(office, game, mails, clock):
    ask(office, game)
    (code,) = codes(office)
    assert asked(office, code, clock.forward(71.9)).address == NEW
    with pytest.raises(NotConfirmed, match="too old"):
        confirmed(office, code, clock.forward(0.1))


def test_a_letter_about_a_code_that_is_forgotten_is_dropped(office, game, mails, clock):
    ask(office, game, "one@example.org")
    ask(office, game, "two@example.org", now=clock.forward(1))
    confirmed(office, codes(office)[1], clock())
    deliver(office, mails, clock())
    assert [str(mail["To"]) for mail in mails.mails] == ["two@example.org", "anna@example.org"]


def test_even_who_gets_no_letters_can_name_another_address(office, game, mails):
    stop(office, game, seat_of(office, game, "Anna"), True, NOON)
    ask(office, game)
    deliver(office, mails, NOON)
    assert NEW in [str(mail["To"]) for mail in mails.mails]


def test_nobody_sits_there(office):
    game = start_game(office, "Anna", "house")
    with pytest.raises(NotConfirmed, match="No letters go to that seat"):
        ask(office, game, name="House")


# --- the address that was used before -------------------------------------------------------------------


def test_the_old_address_is_told_and_takes_the_player_back(office, game, mails, clock):
    ask(office, game, "thief@example.org")
    confirmed(office, codes(office)[0], clock())
    mails.mails.clear()
    deliver(office, mails, clock())
    (told,) = [mail for mail in mails.mails if mail["To"] == "anna@example.org"]
    assert told["X-Alexandros"] == "moved"
    text = told.get_body(("plain",)).get_content()
    assert "thief@example.org" in text
    back = codes(office)[-1]
    assert f"http://127.0.0.1:8000/c/{back}" in text
    assert told["Reply-To"] == f"confirm+{back}@play.example.org"
    assert "/t/" not in told.as_string()
    assert told["List-Unsubscribe"] is None
    mails.mails.clear()
    confirmed(office, back, clock.forward(24 * 29))
    deliver(office, mails, clock())
    assert addresses(office)["Anna"] == "anna@example.org"
    assert kinds(mails, "thief@example.org") == ["moved"]
    assert "/c/" not in mails.mails[0].get_body(("plain",)).get_content()
    assert codes(office) == [back]
    confirmed(office, back, clock())
    assert codes(office) == [back]  # twice is once


def test_an_answer_takes_the_player_back_too(office, game, mails, clock):
    moves(office, game, NEW)
    deliver(office, mails, clock())
    letter = mails.mails[-1]
    reply(office, letter, "Yes")
    assert addresses(office)["Anna"] == "anna@example.org"


def test_a_second_move_does_not_bar_the_way_back_to_the_first_address(office, game, mails, clock):
    back = moves(office, game, "thief@example.org")
    later = moves(office, game, "thief2@example.org", now=clock.forward(1))
    ask(office, game, "thief3@example.org", now=clock())
    waiting = codes(office)[-1]
    confirmed(office, back, clock.forward(1))
    assert addresses(office)["Anna"] == "anna@example.org"
    for code in (later, waiting):
        with pytest.raises(NotConfirmed):
            confirmed(office, code, clock())
    mails.mails.clear()
    deliver(office, mails, clock())
    assert kinds(mails, "anna@example.org") == ["moved"]
    assert kinds(mails, "thief2@example.org") == ["moved"]


def test_whoever_is_invited_at_the_old_address_meanwhile_does_not_bar_the_way_back(office, game, clock):
    back = moves(office, game, "thief@example.org")
    other = start_game(office, "Anna", "Dirk", now=clock())
    wish(office, other, "Anna", language="nl")
    assert confirmed(office, back, clock()).address == "anna@example.org"
    with office.reading() as session:
        players = {
            session.get_one(Seating, (one, seat_of(office, one, "Anna"))).player for one in (game, other)
        }
        assert len(players) == 1
        assert len(session.exec(select(Player).where(Player.address == "anna@example.org")).all()) == 1


def test_the_way_back_ends_after_thirty_days(office, game, clock):
    back = moves(office, game, NEW)
    clock.now += BACK_VALID
    with pytest.raises(NotConfirmed, match="too old"):
        confirmed(office, back, clock())
    ask(office, game, "other@example.org", now=clock())
    assert back not in codes(office)


def test_nobody_is_written_to_more_than_twice_a_day_whoever_asks(office, game, mails, clock):
    assert MOST_ASKED == 2
    ask(office, game, "third@example.org")
    ask(office, game, "Third@example.org", name="Ben")
    with pytest.raises(NotConfirmed, match="enough mails for today"):
        ask(office, game, "third@example.org")
    deliver(office, mails, clock())
    assert len(kinds(mails, "third@example.org")) == 2
    ask(office, game, "third@example.org", now=clock.forward(24))
