"""Whoever has a ticket alone asks for another address: the one in use must agree, or be dead and silent."""

from json import loads

import pytest
from sqlmodel import select

from emails.tokens import sign_in_code
from server.accounts import sign_in
from server.accounts.address_change import OBJECTION_TIME, AddressRefused
from server.accounts.addresses import (
    confirm_address,
    decline_move,
    renew_links_of,
    request_move,
    use_due_addresses,
)
from server.accounts.bounces import clear_bounce, is_refused, record_bounce
from server.accounts.sign_in import find_browser
from server.delivery.sending import send_due_letters
from server.outbox.queue import open_unit
from server.store.models import BouncingAddress, OutgoingLetter, Player, Seating
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, body, committed, confirmation_codes, seat_of, start_game, work_until_idle
from tests.server.inbox.test_mail_dispatch import reply

NEW = "anna.new@example.org"


@pytest.fixture
def game(context, mails):
    game = begin_game(context, mails, "Anna", "Ben")
    mails.mails.clear()
    return game


def ask(context, game, now=NOON, address=NEW):
    return request_move(context, game, seat_of(context, game, "Anna"), address, now)


def anna(context):
    with context.reading() as session:
        return session.exec(select(Player).where(Player.name == "Anna")).one()


def generation(context, game, name="Anna"):
    with context.reading() as session:
        return session.get_one(Seating, (game, seat_of(context, game, name))).generation


def fails(context, game, now=NOON, reported=False):
    """Letters to Anna come back."""
    with open_unit(context, now) as unit:
        seat = seat_of(context, game, "Anna")
        chosen = select(OutgoingLetter).where(OutgoingLetter.game == game, OutgoingLetter.seat == seat)
        record_bounce(unit, unit.session.exec(chosen).first(), "550 unknown", reported=reported)
        unit.commit()


def code(context, purpose):
    (found,) = confirmation_codes(context, NEW, purpose)
    return found


# --- the address in use agrees, or does not -------------------------------------------------------------


def test_first_the_old_address_then_the_new_one_says_yes(context, game, mails, clock):
    assert ask(context, game) is None
    send_due_letters(context, mails, NOON)
    (letter,) = mails.mails
    assert (letter["To"], letter["X-Alexandros"]) == ("anna@example.org", "move_asked")
    assert NEW in body(letter)
    assert "/t/" not in letter.as_string()
    assert confirmation_codes(context, purpose="address") == []
    committed(context, clock.forward(1), confirm_address, code(context, "move"))
    assert anna(context).address == "anna@example.org"
    mails.mails.clear()
    send_due_letters(context, mails, clock())
    assert [(mail["To"], mail["X-Alexandros"]) for mail in mails.mails] == [(NEW, "confirm")]
    committed(context, clock(), confirm_address, code(context, "move"))  # pressed once more
    committed(context, clock(), confirm_address, code(context, "address"))
    assert anna(context).address == NEW


def test_a_mail_that_says_yes_agrees_too(context, game, mails):
    ask(context, game)
    send_due_letters(context, mails, NOON)
    reply(context, mails.mails[-1], "Yes")
    assert len(confirmation_codes(context, NEW, "address")) == 1


def test_a_no_ends_it_and_makes_all_links_new(context, game, mails):
    ask(context, game)
    asked, before = code(context, "move"), generation(context, game)
    committed(context, NOON, decline_move, asked)
    assert confirmation_codes(context) == []
    assert generation(context, game) == before + 1
    assert generation(context, game, "Ben") == 0
    for answer in (confirm_address, decline_move):
        with pytest.raises(AddressRefused):
            committed(context, NOON, answer, asked)


def test_after_three_days_without_an_answer_it_is_over(context, game, clock):
    ask(context, game)
    asked = code(context, "move")
    with pytest.raises(AddressRefused, match="too old"):
        committed(context, clock.forward(72), confirm_address, asked)


def test_nobody_else_can_say_no_with_another_code(context, game):
    ask(context, game)
    committed(context, NOON, confirm_address, code(context, "move"))
    with pytest.raises(AddressRefused):
        committed(context, NOON, decline_move, code(context, "address"))


def test_a_ticket_asks_twice_a_day_at_most(context, game, clock):
    ask(context, game)
    ask(context, game, address="anna.other@example.org")
    with pytest.raises(AddressRefused, match="tomorrow"):
        ask(context, game, address="anna.third@example.org")
    ask(context, game, now=clock.forward(24), address="anna.third@example.org")


# --- the address in use is dead -------------------------------------------------------------------------


def test_both_are_told_and_seven_days_later_the_player_moves(context, game, mails, clock):
    fails(context, game)
    assert ask(context, game) == NOON + OBJECTION_TIME
    send_due_letters(context, mails, NOON)
    told = {
        str(mail["To"]): mail for mail in mails.mails if mail["X-Alexandros"] in ("move_asked", "confirm")
    }
    assert set(told) == {"anna@example.org", NEW}
    assert all("Mon 9 March 2026" in body(mail) for mail in told.values())
    made = committed(context, NOON, confirm_address, code(context, "address"))
    assert made.due_at == NOON + OBJECTION_TIME
    assert anna(context).address == "anna@example.org"
    assert use_due_addresses(context, clock.forward(24 * 7 - 1)) == 0
    assert use_due_addresses(context, clock.forward(1)) == 1
    assert use_due_addresses(context, clock()) == 0
    assert anna(context).address == NEW
    assert generation(context, game) == 1


def test_the_worker_does_it_and_letters_go_there(context, mails, clock):
    game = start_game(context, "Anna", "Ben")
    send_due_letters(context, mails, NOON)
    fails(context, game)
    ask(context, game)
    committed(context, NOON, confirm_address, code(context, "address"))
    mails.mails.clear()
    work_until_idle(context, mails, clock.forward(24 * 7))
    assert anna(context).address == NEW
    assert [mail for mail in mails.mails if mail["To"] == NEW]


def objects(context, clock):
    committed(context, clock.forward(24), decline_move, code(context, "move"))


def takes_mail_again(context, clock):
    committed(context, clock.forward(24), clear_bounce, anna(context), "anna@example.org")


def fails_once_more(context, clock):
    takes_mail_again(context, clock)
    with context.writing() as session:
        session.exec(select(BouncingAddress)).one().ended_at = None
        session.commit()
        assert is_refused(session, anna(context).id)


def was_only_reported_to_fail(context, clock):
    with context.writing() as session:
        session.exec(select(BouncingAddress)).one().reported = True
        session.commit()


def gets_new_links(context, clock):
    with open_unit(context, clock.forward(24)) as unit:
        renew_links_of(unit, anna(context).id)
        unit.commit()


def is_forgotten_by_the_server(context, clock):
    """No server works when the move is due."""
    clock.forward(24 * 7)


@pytest.mark.parametrize(
    "event",
    [
        objects,
        takes_mail_again,
        fails_once_more,
        was_only_reported_to_fail,
        gets_new_links,
        is_forgotten_by_the_server,
    ],
)
def test_a_move_that_waits_is_not_made_once_the_old_address(context, game, clock, event):
    fails(context, game)
    ask(context, game)
    committed(context, NOON, confirm_address, code(context, "address"))
    event(context, clock)
    assert use_due_addresses(context, clock.forward(24 * 7)) == 0
    assert anna(context).address == "anna@example.org"


def test_its_yes_after_that_asks_the_new_address_again(context, game, clock):
    fails(context, game)
    ask(context, game)
    first = code(context, "address")
    committed(context, NOON, confirm_address, first)
    committed(context, clock.forward(24), clear_bounce, anna(context), "anna@example.org")
    committed(context, clock.forward(24), confirm_address, code(context, "move"))
    assert anna(context).address == "anna@example.org"
    with pytest.raises(AddressRefused):
        committed(context, clock(), confirm_address, first)
    *_, again = confirmation_codes(context, NEW, "address")
    committed(context, clock(), confirm_address, again)
    assert anna(context).address == NEW


@pytest.mark.parametrize("forged_first", [True, False])
def test_a_forged_report_moves_nobody(context, game, clock, forged_first):
    if forged_first:
        fails(context, game, reported=True)
    assert ask(context, game) is None
    if not forged_first:
        fails(context, game, reported=True)
    assert confirmation_codes(context, NEW, "address") == []
    assert use_due_addresses(context, clock.forward(24 * 7)) == 0
    assert anna(context).address == "anna@example.org"


def test_the_new_address_that_answers_late_is_used_then(context, game, clock):
    fails(context, game)
    ask(context, game)
    assert use_due_addresses(context, clock.forward(24 * 8)) == 0
    assert committed(context, clock(), confirm_address, code(context, "address")).due_at is None
    assert anna(context).address == NEW


def test_an_address_that_somebody_else_has_by_then_is_not_used(context, game, clock):
    fails(context, game)
    ask(context, game)
    committed(context, NOON, confirm_address, code(context, "address"))
    with context.writing() as session:
        session.add(Player(address=NEW, name="Cleo"))
        session.commit()
    assert use_due_addresses(context, clock.forward(24 * 7)) == 1
    assert use_due_addresses(context, clock()) == 0
    assert anna(context).address == "anna@example.org"


def test_a_move_and_the_way_back_end_all_that_was_given_before(context, game, clock):
    number = anna(context).id
    ask(context, game)
    committed(context, NOON, confirm_address, code(context, "move"))
    for step, purpose in enumerate(("address", "back"), 1):
        key = sign_in.create_key(context, number, "a program", NOON)
        mark = sign_in_token(context, number)
        (asked,) = confirmation_codes(context, purpose=purpose)
        committed(context, clock.forward(1), confirm_address, asked)
        assert generation(context, game) == step
        with context.reading() as session:
            assert find_browser(session, mark, clock()) is None
            assert sign_in.player_with_key(session, key) is None
        assert confirmation_codes(context, purpose="move") == []
    assert generation(context, game, "Ben") == 0


def sign_in_token(context, number):
    sign_in.request_link_for(context, number, NOON)
    with context.reading() as session:
        rows = session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "signin")).all()
    mark = loads(rows[-1].detail)["mark"]
    return sign_in.sign_in(context, sign_in_code(mark, context.links.keys), "", NOON)
