"""A second address takes over where letters to the first come back."""

import re
from datetime import timedelta

import pytest
from sqlmodel import select

from emails.tokens import unseal_ticket
from server.accounts import api_keys, sign_in
from server.accounts.address_requests import request_address_confirmation
from server.accounts.addresses import confirm_address
from server.accounts.confirmations import AddressRefused
from server.accounts.second_address import remove_second_address
from server.accounts.undeliverable import clear_bounces_of_senders
from server.admin.doctor import examine_stored_acts
from server.delivery.outbox_delivery import send_due_letters
from server.store.models import Player, Seating, SecondAddress
from tests.server.beginnings import begin_game
from tests.server.desk import body, committed, confirmation_codes, game_row, mover, names_of, seat_of
from tests.server.inbox.returned import (
    OTHER,
    comes,
    fails,
    halted,
    kinds,
    player_of,
    returns,
    second,
    told,
    words,
    write,
)


@pytest.fixture
def game(context, mails):
    return begin_game(context, mails, "Anna", "Ben", "Cleo")


def test_the_second_address_takes_over_and_the_others_are_not_troubled(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    lost = mails.to(name)[-1]
    returns(context, mails, game, clock())
    assert not halted(context, game, name)
    assert player_of(context, game, name).address == OTHER
    with context.reading() as session:
        assert session.exec(select(SecondAddress)).one().address == f"{name.lower()}@example.org"
    for other in {"Anna", "Ben", "Cleo"} - {name}:
        assert told(context, game, other) == []
    send_due_letters(context, mails, clock())
    again = mails.to("second")[-1]
    assert again["X-Alexandros"] == lost["X-Alexandros"] == "your_turn"
    assert again["Message-ID"] != lost["Message-ID"]
    assert "your mails go to your second address" in words(again)
    assert kinds(mails, name)[-1] == "moved"
    returns(context, mails, game, clock(), name=name)  # that comes back too, and means nothing
    assert player_of(context, game, name).address == OTHER
    returns(context, mails, game, clock(), name="second")
    assert halted(context, game, name)  # there is no third
    assert player_of(context, game, name).address == OTHER


def epochs_in(context, mail):
    """How often the links of a letter had been made new."""
    tokens = set(re.findall(r"/t/(\w+)", body(mail)))
    return {unseal_ticket(token, context.links.keys).epoch for token in tokens}


def test_what_was_given_to_the_first_ends_as_with_every_move(context, game, mails, clock):
    name = mover(context, game)
    player = player_of(context, game, name).id
    second(context, game, name, clock())
    assert epochs_in(context, mails.to(name)[-1]) == {0}
    key = api_keys.create_key(context, player, "a program", clock())
    returns(context, mails, game, clock())
    send_due_letters(context, mails, clock())
    with context.reading() as session:
        assert api_keys.player_with_key(session, key) is None
        assert session.get_one(Seating, (game, seat_of(context, game, name))).epoch == 1
    again = mails.to("second")
    assert [mail["X-Alexandros"] for mail in again].count("your_turn") == 1
    assert epochs_in(context, again[-1]) == {1}


def test_mail_from_either_address_is_played(context, game, mails, clock):
    name = mover(context, game)
    letter = mails.to(name)[-1]
    assert second(context, game, name, clock()).purpose == "second"
    text = write(mails, letter, "Second@Example.org")
    assert comes(context, text, str(letter["Reply-To"]), clock(), OTHER)[0] == "played"
    remove_second_address(context, game, seat_of(context, game, name))
    text = write(mails, letter, OTHER)
    assert comes(context, text, str(letter["Reply-To"]), clock(), OTHER)[0] == "refused"


def test_a_second_address_named_when_the_first_fails_takes_over_at_once(context, game, mails, clock):
    name = mover(context, game)
    returns(context, mails, game, clock.forward(12))
    mails.mails.clear()
    second(context, game, name, clock.forward(1))
    assert player_of(context, game, name).address == OTHER
    assert game_row(context, game).deadline == clock() + timedelta(hours=48)
    send_due_letters(context, mails, clock())
    assert "your_turn" in kinds(mails, "second")


def test_whose_second_address_is_found_good_again_gets_letters_there(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    returns(context, mails, game, clock())
    send_due_letters(context, mails, clock())
    returns(context, mails, game, clock(), name="second")
    assert halted(context, game, name)
    senders = {f"{name.lower()}@example.org"}
    committed(context, clock(), clear_bounces_of_senders, game, seat_of(context, game, name), senders)
    assert player_of(context, game, name).address == f"{name.lower()}@example.org"
    assert not halted(context, game, name)


def test_both_addresses_found_good_at_once_are_cleared_together(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    returns(context, mails, game, clock())
    send_due_letters(context, mails, clock())
    returns(context, mails, game, clock(), name="second")
    assert halted(context, game, name)
    senders = {f"{name.lower()}@example.org", OTHER}
    seat = seat_of(context, game, name)
    assert committed(context, clock(), clear_bounces_of_senders, game, seat, senders)
    assert not halted(context, game, name)
    assert not committed(context, clock(), clear_bounces_of_senders, game, seat, senders)
    assert list(examine_stored_acts(context)) == []


def test_a_second_address_that_somebody_else_plays_with_by_now_is_not_used(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    with context.writing() as session:
        session.add(Player(address="SECOND@example.org", name="Dirk"))
        session.commit()
    returns(context, mails, game, clock())
    assert halted(context, game, name)


def test_it_is_neither_his_first_nor_somebody_elses(context, game, mails, clock):
    name = mover(context, game)
    other = next(one for one in names_of(context, game) if one != name)
    with pytest.raises(AddressRefused, match="go to that address already"):
        second(context, game, name, clock(), f"{name.upper()}@example.org")
    with pytest.raises(AddressRefused, match="Somebody else"):
        second(context, game, name, clock(), f"{other.upper()}@example.org")
    second(context, game, name, clock())
    with pytest.raises(AddressRefused, match="second address already"):
        second(context, game, name, clock(), OTHER.upper())
    with pytest.raises(AddressRefused, match="Somebody else"):
        second(context, game, other, clock.forward(25), OTHER)


def test_he_is_told_of_it_in_case_it_was_not_him(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    (sentence,) = told(context, game, name)
    assert OTHER in sentence
    assert "remove it" in sentence


def test_whoever_takes_his_address_back_has_no_second_one(context, game, mails, clock):
    """It may be of whoever had taken the address away."""
    name = mover(context, game)
    second(context, game, name, clock())
    request_address_confirmation(context, game, seat_of(context, game, name), "thief@example.org", clock())
    (code,) = confirmation_codes(context, "thief@example.org")
    committed(context, clock(), confirm_address, code)
    (back,) = confirmation_codes(context, purpose="back")
    with context.reading() as session:
        assert session.exec(select(SecondAddress)).one().address == OTHER
    committed(context, clock(), confirm_address, back)
    with context.reading() as session:
        assert session.exec(select(SecondAddress)).first() is None


def test_the_second_address_as_the_first_is_no_second_any_more(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    request_address_confirmation(context, game, seat_of(context, game, name), OTHER, clock())
    also = confirmation_codes(context, OTHER, "second")
    committed(context, clock(), confirm_address, *confirmation_codes(context, OTHER, "address"))
    assert player_of(context, game, name).address == OTHER
    with context.reading() as session:
        assert session.exec(select(SecondAddress)).first() is None
    for code in also:
        with pytest.raises(AddressRefused):
            committed(context, clock(), confirm_address, code)


def test_whom_it_takes_over_from_can_take_it_back(context, game, mails, clock):
    """Whoever made somebody's mail come back by a trick gets his letters for so long and no longer."""
    name = mover(context, game)
    second(context, game, name, clock())
    returns(context, mails, game, clock())
    send_due_letters(context, mails, clock())
    back = confirmation_codes(context, purpose="back")[-1]
    assert committed(context, clock(), confirm_address, back).address == f"{name.lower()}@example.org"
    assert not fails(context, game, name)


def test_its_letter_says_what_it_is_for(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    mails.mails.clear()
    request_address_confirmation(
        context, game, seat_of(context, game, name), "third@example.org", clock(), second=True
    )
    send_due_letters(context, mails, clock())
    (letter,) = mails.to("third")
    assert "when those to another address come back" in words(letter)
    assert "/t/" not in letter.as_string()


def test_a_question_that_comes_back_ends_and_the_links_are_mailed(context, game, mails, clock):
    name = mover(context, game)
    second(context, game, name, clock())
    player = player_of(context, game, name).id
    sign_in.request_link_for(context, player, clock(), game)
    send_due_letters(context, mails, clock())
    assert kinds(mails, name)[-1] == "signin"
    returns(context, mails, game, clock())
    send_due_letters(context, mails, clock())
    assert "signin" not in kinds(mails, "second")
    assert epochs_in(context, mails.to("second")[-1]) == {1}
