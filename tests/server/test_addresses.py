"""A new address is used when somebody there has said yes, and not before."""

import pytest
from sqlmodel import select

from server.addresses import MOST_ASKS, NotConfirmed, ask_address, asked, confirmed
from server.postman import deliver
from server.stopping import stop
from server.tables import Confirmation, Outgoing, Player
from server.work import work
from tests.server.desk import NOON, Clock, Collector, desk, seat_of, start_game, wish

NEW = "anna.new@example.org"


@pytest.fixture
def office(tmp_path):
    return desk(tmp_path)


@pytest.fixture
def clock():
    return Clock()


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


def test_once_confirmed_all_letters_go_there_those_that_wait_too(office, game, mails, clock):
    wish(office, game, "Anna", pace="daily", hour=23)
    other = start_game(office, "Anna", "Ben", now=clock())
    ask(office, game, "Anna.New@Example.org")
    (code,) = codes(office)
    assert asked(office, code, clock()).address == "Anna.New@Example.org"
    made = confirmed(office, code.upper(), clock())
    assert (made.name, made.address) == ("Anna", "Anna.New@Example.org")
    with office.reading() as session:
        rows = session.exec(select(Outgoing).where(Outgoing.state == "waiting")).all()
        of_anna = {row.recipient for row in rows if row.seat == seat_of(office, row.game, "Anna")}
        of_ben = {row.recipient for row in rows if row.seat == seat_of(office, row.game, "Ben")}
    assert (of_anna, of_ben) == ({"Anna.New@Example.org"}, {"ben@example.org"})
    work(office, mails, clock.forward(48))
    assert not any(str(mail["To"]) == "anna@example.org" for mail in mails.mails)
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
    with pytest.raises(NotConfirmed, match="older than three days"):
        confirmed(office, code, clock.forward(0.1))


def test_a_letter_about_a_code_that_is_forgotten_is_dropped(office, game, mails, clock):
    ask(office, game, "one@example.org")
    ask(office, game, "two@example.org", now=clock.forward(1))
    confirmed(office, codes(office)[1], clock())
    deliver(office, mails, clock())
    assert [str(mail["To"]) for mail in mails.mails] == ["two@example.org"]


def test_even_who_gets_no_letters_can_name_another_address(office, game, mails):
    stop(office, game, seat_of(office, game, "Anna"), True, NOON)
    ask(office, game)
    deliver(office, mails, NOON)
    assert NEW in [str(mail["To"]) for mail in mails.mails]


def test_nobody_sits_there(office):
    game = start_game(office, "Anna", "house")
    with pytest.raises(NotConfirmed, match="No letters go to that seat"):
        ask(office, game, name="House")
