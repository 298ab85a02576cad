"""A second address takes over where letters to the first come back."""

from datetime import timedelta

import pytest
from sqlmodel import select

from server.accounts.addresses import NotConfirmed, ask_address, confirmed, forget_second
from server.accounts.undeliverable import heard_from
from server.delivery.outgoing import deliver
from server.store.models import Confirmation, Player, Second
from tests.server.desk import NOON, Collector, game_row, names_of, seat_of, start_game
from tests.server.inbox.returned import (
    OTHER,
    comes,
    fails,
    halted,
    kinds,
    mover,
    player_of,
    returns,
    second,
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


def test_the_second_address_takes_over_and_the_others_are_not_troubled(office, game, mails, clock):
    name = mover(office, game)
    second(office, game, name, clock())
    lost = mails.to(name)[-1]
    returns(office, mails, game, clock())
    assert not halted(office, game, name)
    assert player_of(office, game, name).address == OTHER
    with office.reading() as session:
        assert session.exec(select(Second)).one().address == f"{name.lower()}@example.org"
    for other in {"Anna", "Ben", "Cleo"} - {name}:
        assert told(office, game, other) == []
    deliver(office, mails, clock())
    again = mails.to("second")[-1]
    assert again["X-Alexandros"] == lost["X-Alexandros"] == "your_turn"
    assert again["Message-ID"] != lost["Message-ID"]
    assert "your letters go to your second address" in words(again)
    assert kinds(mails, name)[-1] == "moved"
    returns(office, mails, game, clock(), name=name)  # that comes back too, and means nothing
    assert player_of(office, game, name).address == OTHER
    returns(office, mails, game, clock(), name="second")
    assert halted(office, game, name)  # there is no third
    assert player_of(office, game, name).address == OTHER


def test_mail_from_either_address_is_played(office, game, mails, clock):
    name = mover(office, game)
    letter = mails.to(name)[-1]
    assert second(office, game, name, clock()).second
    text = write(mails, letter, "Second@Example.org")
    assert comes(office, text, str(letter["Reply-To"]), clock(), OTHER)[0] == "played"
    forget_second(office, game, seat_of(office, game, name))
    text = write(mails, letter, OTHER)
    assert comes(office, text, str(letter["Reply-To"]), clock(), OTHER)[0] == "refused"


def test_a_second_address_named_when_the_first_fails_takes_over_at_once(office, game, mails, clock):
    name = mover(office, game)
    returns(office, mails, game, clock.forward(12))
    mails.mails.clear()
    second(office, game, name, clock.forward(1))
    assert player_of(office, game, name).address == OTHER
    assert game_row(office, game).deadline == clock() + timedelta(hours=36)
    deliver(office, mails, clock())
    assert "your_turn" in kinds(mails, "second")


def test_whose_second_address_is_found_good_again_gets_letters_there(office, game, mails, clock):
    name = mover(office, game)
    second(office, game, name, clock())
    returns(office, mails, game, clock())
    deliver(office, mails, clock())
    returns(office, mails, game, clock(), name="second")
    assert halted(office, game, name)
    heard_from(office, game, seat_of(office, game, name), {f"{name.lower()}@example.org"}, clock())
    assert player_of(office, game, name).address == f"{name.lower()}@example.org"
    assert not halted(office, game, name)


def test_a_second_address_that_somebody_else_plays_with_by_now_is_not_used(office, game, mails, clock):
    name = mover(office, game)
    second(office, game, name, clock())
    with office.writing() as session:
        session.add(Player(address="SECOND@example.org", name="Dirk"))
        session.commit()
    returns(office, mails, game, clock())
    assert halted(office, game, name)


def test_it_is_neither_his_first_nor_somebody_elses(office, game, mails, clock):
    name = mover(office, game)
    other = next(one for one in names_of(office, game) if one != name)
    with pytest.raises(NotConfirmed, match="go to that address already"):
        second(office, game, name, clock(), f"{name.upper()}@example.org")
    with pytest.raises(NotConfirmed, match="Somebody else"):
        second(office, game, name, clock(), f"{other.upper()}@example.org")
    second(office, game, name, clock())
    with pytest.raises(NotConfirmed, match="second address already"):
        second(office, game, name, clock(), OTHER.upper())
    with pytest.raises(NotConfirmed, match="Somebody else"):
        second(office, game, other, clock.forward(25), OTHER)


def test_he_is_told_of_it_in_case_it_was_not_him(office, game, mails, clock):
    name = mover(office, game)
    second(office, game, name, clock())
    (sentence,) = told(office, game, name)
    assert OTHER in sentence
    assert "remove it" in sentence


def test_whoever_takes_his_address_back_has_no_second_one(office, game, mails, clock):
    """It may be of whoever had taken the address away."""
    name = mover(office, game)
    second(office, game, name, clock())
    ask_address(office, game, seat_of(office, game, name), "thief@example.org", clock())
    codes = select(Confirmation).where(Confirmation.address == "thief@example.org")
    with office.reading() as session:
        code = session.exec(codes).one().code
    confirmed(office, code, clock())
    with office.reading() as session:
        back = next(row.code for row in session.exec(select(Confirmation)) if row.code.startswith("back"))
        assert session.exec(select(Second)).one().address == OTHER
    confirmed(office, back, clock())
    with office.reading() as session:
        assert session.exec(select(Second)).first() is None


def test_the_second_address_as_the_first_is_no_second_any_more(office, game, mails, clock):
    name = mover(office, game)
    second(office, game, name, clock())
    ask_address(office, game, seat_of(office, game, name), OTHER, clock())
    with office.reading() as session:
        rows = session.exec(select(Confirmation).where(Confirmation.address == OTHER)).all()
    confirmed(office, next(row.code for row in rows if len(row.code) == 26), clock())
    assert player_of(office, game, name).address == OTHER
    with office.reading() as session:
        assert session.exec(select(Second)).first() is None
    for row in rows:
        if len(row.code) > 26:
            with pytest.raises(NotConfirmed):
                confirmed(office, row.code, clock())


def test_whom_it_takes_over_from_can_take_it_back(office, game, mails, clock):
    """Whoever made somebody's mail come back by a trick gets his letters for so long and no longer."""
    name = mover(office, game)
    second(office, game, name, clock())
    returns(office, mails, game, clock())
    deliver(office, mails, clock())
    with office.reading() as session:
        back = next(row.code for row in session.exec(select(Confirmation)) if row.code.startswith("back"))
    assert confirmed(office, back, clock()).address == f"{name.lower()}@example.org"
    assert not fails(office, game, name)


def test_its_letter_says_what_it_is_for(office, game, mails, clock):
    name = mover(office, game)
    second(office, game, name, clock())
    mails.mails.clear()
    ask_address(office, game, seat_of(office, game, name), "third@example.org", clock(), second=True)
    deliver(office, mails, clock())
    (letter,) = mails.to("third")
    assert "when those to another address come back" in words(letter)
    assert "/t/" not in letter.as_string()
