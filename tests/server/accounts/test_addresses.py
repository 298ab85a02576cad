"""A new address is used once it has said yes; by a ticket alone only if the one in use agrees, or is dead."""

import re
from dataclasses import replace
from json import loads

import pytest
from sqlmodel import select

from emails.tokens import KeyRing, Purpose, make_code
from server.accounts import sign_in
from server.accounts.addresses import (
    MOST_REQUESTS_A_DAY,
    OBJECTION_TIME,
    WAY_BACK_VALID,
    AddressRefused,
    confirm_address,
    decline_move,
    find_pending_address,
    renew_links,
    request_address_confirmation,
    request_move,
    use_due_addresses,
)
from server.accounts.bounces import clear_bounce, is_refused, record_bounce
from server.accounts.sign_in import find_browser
from server.accounts.unsubscribe import stop_letters
from server.delivery.sending import send_due_letters
from server.store.models import BouncingAddress, OutgoingLetter, Player, Seating
from tests.server.beginnings import begin_game
from tests.server.desk import HOUSE, NOON, body, kinds
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.storage import storage

OLD, NEW = "anna@example.org", "anna.new@example.org"


class Anna:
    """A player in a game of two, whose first letters have left, and what becomes of her address."""

    def __init__(self, context, mails, clock):
        self.context, self.mails, self.clock = context, mails, clock
        self.game = begin_game(context, mails, "Anna", "Ben")
        self.seat = context.seat_of(self.game, "Anna")
        mails.mails.clear()

    def names(self, address=NEW):
        request_address_confirmation(self.context, self.game, self.seat, address, self.clock())

    def asks(self, address=NEW):
        """She, or whoever has a ticket of hers, asks for another address."""
        return request_move(self.context, self.game, self.seat, address, self.clock())

    def codes(self, purpose="", address=""):
        return self.context.confirmation_codes(address, purpose)

    def code(self, purpose):
        """The one code for the new address and a purpose."""
        (found,) = self.codes(purpose, NEW)
        return found

    def confirms(self, code):
        return self.context.committed(self.clock(), confirm_address, code)

    def declines(self, code):
        return self.context.committed(self.clock(), decline_move, code)

    def moves(self, address):
        """She names an address and confirms it; gives the code of the way back to the one before."""
        before = self.codes()
        self.names(address)
        (code,) = set(self.codes()) - set(before)
        self.confirms(code)
        (back,) = set(self.codes()) - {*before, code}
        return back

    @property
    def row(self):
        return self.context.rows_of(Player, Player.name == "Anna")[0]

    @property
    def address(self):
        return self.row.address

    def generation(self, name="Anna"):
        return self.context.rows_of(Seating.generation, Seating.game == self.game, Seating.name == name)[0]

    def letters(self):
        self.mails.mails.clear()
        send_due_letters(self.context, self.mails, self.clock())
        return self.mails.mails

    def kinds_to(self, address):
        """Kinds of the letters to an address, but for the notice of a wish."""
        sent = [mail for mail in self.mails.mails if str(mail["To"]).lower() == address.lower()]
        return [kind for kind in kinds(sent) if kind != "notice"]

    def fails(self, reported=False):
        def record(unit):
            chosen = select(OutgoingLetter).where(
                OutgoingLetter.game == self.game, OutgoingLetter.seat == self.seat
            )
            record_bounce(unit, unit.session.exec(chosen).first(), "550 unknown", reported=reported)

        self.context.committed(self.clock(), record)

    def uses_due(self, hours=0):
        return use_due_addresses(self.context, self.clock.forward(hours))


@pytest.fixture
def anna(context, mails, clock):
    return Anna(context, mails, clock)


def test_the_new_address_is_asked_and_holds_no_key_to_the_game(anna):
    anna.names()
    (letter,) = [mail for mail in anna.letters() if mail["X-Alexandros"] == "confirm"]
    (code,) = anna.codes()
    assert letter["To"] == NEW
    assert letter["Reply-To"] == f"confirm+{code}@play.example.org"
    assert f"http://127.0.0.1:8000/c/{code}" in body(letter)
    assert "/t/" not in letter.as_string()
    assert "/u/" not in letter.as_string()
    assert letter["List-Unsubscribe"] is None
    assert code not in str(letter["Message-ID"])
    assert anna.address == OLD


def test_once_confirmed_all_letters_go_there_those_that_wait_too(context, anna, mails, clock):
    context.set_preferences(anna.game, "Anna", pace="daily", hour=23)
    context.start_game("Anna", "Ben", now=clock())
    anna.names("Anna.New@Example.org")
    (code,) = anna.codes()
    assert find_pending_address(context, code, clock()).address == "Anna.New@Example.org"
    made = anna.confirms(code.upper())
    assert (made.name, made.address) == ("Anna", "Anna.New@Example.org")
    others = OutgoingLetter.state == "waiting", OutgoingLetter.kind.not_in(("moved", "notice"))
    whose = {
        (name, row.recipient)
        for row in context.rows_of(OutgoingLetter, *others)
        for name in ("Anna", "Ben")
        if row.seat == context.seat_of(row.game, name)
    }
    assert whose == {("Anna", "Anna.New@Example.org"), ("Ben", "ben@example.org")}
    context.work_until_idle(mails, clock.forward(48))
    assert anna.kinds_to(OLD) == ["moved"]


def test_only_the_address_confirmed_last_counts(anna, clock):
    anna.names("one@example.org")
    clock.forward(1)
    anna.names("two@example.org")
    one, two = anna.codes()
    anna.confirms(two)
    with pytest.raises(AddressRefused, match="not one of ours"):
        anna.confirms(one)
    assert anna.address == "two@example.org"


def test_an_address_of_somebody_else_is_not_taken_over(anna):
    anna.names("BEN@example.org")
    with pytest.raises(AddressRefused, match="Somebody else"):
        anna.confirms(anna.codes()[0])
    assert anna.address == OLD


def test_his_own_address_in_other_letters_is_his_already(anna):
    with pytest.raises(AddressRefused, match="already"):
        anna.names("ANNA@example.org")


def test_nobody_asks_all_day(context, anna, clock):
    for number in range(MOST_REQUESTS_A_DAY):
        clock.forward(1)
        anna.names(f"anna{number}@example.org")
        anna.confirms(anna.codes()[-1])  # that does not help
    with pytest.raises(AddressRefused, match="tomorrow"):
        anna.names()
    request_address_confirmation(context, anna.game, 1 - anna.seat, "ben2@example.org", clock())
    clock.forward(24)
    anna.names()


def test_a_letter_about_a_code_that_is_forgotten_is_dropped(anna, clock):
    anna.names("one@example.org")
    clock.forward(1)
    anna.names("two@example.org")
    anna.confirms(anna.codes()[1])
    assert {(str(mail["To"]), str(mail["X-Alexandros"])) for mail in anna.letters()} == {
        ("two@example.org", "confirm"),
        (OLD, "notice"),
        (OLD, "moved"),
        ("two@example.org", "shown"),
    }


def test_even_who_gets_no_letters_can_name_another_address(context, anna):
    context.committed(NOON, stop_letters, anna.game, anna.seat, True)
    anna.names()
    assert NEW in [str(mail["To"]) for mail in anna.letters()]


def test_nobody_sits_there(context):
    game = context.start_game("Anna", "house")
    with pytest.raises(AddressRefused, match="No mails go to that seat"):
        request_address_confirmation(context, game, context.seat_of(game, HOUSE), NEW, NOON)


# --- the address that was used before -------------------------------------------------------------------


def test_the_old_address_is_told_and_takes_the_player_back(anna, clock):
    anna.names("thief@example.org")
    anna.confirms(anna.codes()[0])
    (told,) = [mail for mail in anna.letters() if mail["X-Alexandros"] == "moved"]
    assert anna.kinds_to(OLD) == ["moved"]
    back = anna.codes()[-1]
    assert "thief@example.org" in body(told)
    assert f"http://127.0.0.1:8000/c/{back}" in body(told)
    assert told["Reply-To"] == f"confirm+{back}@play.example.org"
    assert "/t/" not in told.as_string()
    assert told["List-Unsubscribe"] is None
    clock.forward(24 * 29)
    anna.confirms(back)
    letters = anna.letters()
    assert anna.address == OLD
    assert anna.kinds_to("thief@example.org") == ["moved"]
    assert "/c/" not in body(letters[0])
    assert anna.codes() == [back]
    anna.confirms(back)
    assert anna.codes() == [back]  # twice is once


def test_a_second_move_does_not_bar_the_way_back_to_the_first_address(anna, clock):
    back = anna.moves("thief@example.org")
    clock.forward(1)
    later = anna.moves("thief2@example.org")
    anna.names("thief3@example.org")
    waiting = anna.codes()[-1]
    clock.forward(1)
    anna.confirms(back)
    assert anna.address == OLD
    for code in (later, waiting):
        with pytest.raises(AddressRefused):
            anna.confirms(code)
    anna.letters()
    assert set(anna.kinds_to(OLD)) == {"moved", "shown"}  # where it went, and its links anew
    assert anna.kinds_to("thief2@example.org") == ["moved"]


def test_whoever_is_invited_at_the_old_address_meanwhile_does_not_bar_the_way_back(context, anna, clock):
    back = anna.moves("thief@example.org")
    other = context.start_game("Anna", "Dirk", now=clock())
    context.set_preferences(other, "Anna", language="nl")
    assert anna.confirms(back).address == OLD
    assert context.player_of(anna.game, anna.seat) == context.player_of(other, context.seat_of(other, "Anna"))
    assert len(context.rows_of(Player, Player.address == OLD)) == 1


def test_the_way_back_ends_after_thirty_days(anna, clock):
    back = anna.moves(NEW)
    clock.now += WAY_BACK_VALID
    with pytest.raises(AddressRefused, match="too old"):
        anna.confirms(back)
    anna.names("other@example.org")
    assert back not in anna.codes()


def test_no_code_is_stored_before_or_after_its_letter_was_sent(context, anna, mails):
    anna.names()
    anna.names("anna.other@example.org")
    asked = anna.codes()
    assert len(set(asked)) == 2
    assert not [code for code in asked if code in storage().dump(context.database)]
    send_due_letters(context, mails, NOON)
    anna.confirms(asked[0])
    (back,) = anna.codes("back")
    send_due_letters(context, mails, NOON)
    sent = "".join(mail.as_string() for mail in mails.mails)
    kept = storage().dump(context.database)
    for code in (*asked, back):
        assert f"confirm+{code}@" in sent
        assert code not in kept


def test_letters_that_waited_while_the_secret_was_replaced_have_links_that_work(context, anna):
    anna.names()
    for kind, secret in (("confirm", b"a newer secret of the house"), ("moved", b"the newest secret of all")):
        keys = KeyRing((secret, *context.links.keys.secrets))  # the new one stands before those of before
        context.links = replace(context.links, keys=keys)
        (letter,) = [mail for mail in anna.letters() if mail["X-Alexandros"] == kind]
        code = re.search(r"/c/([a-z2-7]{32})\s", body(letter))[1]
        assert str(letter["Reply-To"]).startswith(f"confirm+{code}@")
        assert anna.confirms(code)


# --- asked for by a ticket alone: the address in use agrees, or does not ----------------------------------


def test_first_the_old_address_then_the_new_one_says_yes(anna, clock):
    assert anna.asks() is None
    (letter,) = anna.letters()
    assert (letter["To"], letter["X-Alexandros"]) == (OLD, "move_asked")
    assert NEW in body(letter)
    assert "/t/" not in letter.as_string()
    assert anna.codes("address") == []
    clock.forward(1)
    anna.confirms(anna.code("move"))
    assert anna.address == OLD
    assert [(mail["To"], mail["X-Alexandros"]) for mail in anna.letters()] == [(NEW, "confirm")]
    anna.confirms(anna.code("move"))  # pressed once more
    anna.confirms(anna.code("address"))
    assert anna.address == NEW


def test_a_mail_that_says_yes_agrees_too(context, anna):
    anna.asks()
    reply(context, anna.letters()[-1], "Yes")
    assert len(anna.codes("address", NEW)) == 1


def test_a_no_ends_it_and_makes_all_links_new(anna):
    anna.asks()
    asked, before = anna.code("move"), anna.generation()
    anna.declines(asked)
    assert anna.codes() == []
    assert anna.generation() == before + 1
    assert anna.generation("Ben") == 0
    for answer in (anna.confirms, anna.declines):
        with pytest.raises(AddressRefused):
            answer(asked)


def test_after_three_days_without_an_answer_it_is_over(anna, clock):
    anna.asks()
    asked = anna.code("move")
    clock.forward(72)
    with pytest.raises(AddressRefused, match="too old"):
        anna.confirms(asked)


def test_nobody_else_can_say_no_with_another_code(anna):
    anna.asks()
    anna.confirms(anna.code("move"))
    with pytest.raises(AddressRefused):
        anna.declines(anna.code("address"))


def test_a_ticket_asks_twice_a_day_at_most(anna, clock):
    anna.asks()
    anna.asks("anna.other@example.org")
    with pytest.raises(AddressRefused, match="tomorrow"):
        anna.asks("anna.third@example.org")
    clock.forward(24)
    anna.asks("anna.third@example.org")


# --- the address in use is dead -------------------------------------------------------------------------


@pytest.fixture
def dead(anna):
    """Letters to Anna come back, and another address was asked for."""
    anna.fails()
    assert anna.asks() == NOON + OBJECTION_TIME
    return anna


@pytest.fixture
def agreed(dead):
    dead.confirms(dead.code("address"))
    return dead


def test_both_are_told_and_seven_days_later_the_player_moves(dead):
    told = {mail["To"]: mail for mail in dead.letters() if mail["X-Alexandros"] in ("move_asked", "confirm")}
    assert set(told) == {OLD, NEW}
    assert all("Mon 9 March 2026" in body(mail) for mail in told.values())
    assert dead.confirms(dead.code("address")).due_at == NOON + OBJECTION_TIME
    assert dead.address == OLD
    assert dead.uses_due(24 * 7 - 1) == 0
    assert dead.uses_due(1) == 1
    assert dead.uses_due() == 0
    assert dead.address == NEW
    assert dead.generation() == 1


def test_the_worker_does_it_and_letters_go_there(context, agreed, mails, clock):
    mails.mails.clear()
    context.work_until_idle(mails, clock.forward(24 * 7))
    assert agreed.address == NEW
    assert [mail for mail in mails.mails if mail["To"] == NEW]


def objects(anna):
    anna.clock.forward(24)
    anna.declines(anna.code("move"))


def takes_mail_again(anna):
    anna.context.committed(anna.clock.forward(24), clear_bounce, anna.row, OLD)


def fails_once_more(anna):
    takes_mail_again(anna)
    with anna.context.changing() as session:
        session.exec(select(BouncingAddress)).one().ended_at = None
        assert is_refused(session, anna.row.id)


def was_only_reported_to_fail(anna):
    with anna.context.changing() as session:
        session.exec(select(BouncingAddress)).one().reported = True


def gets_new_links(anna):
    anna.context.committed(anna.clock.forward(24), renew_links, anna.row.id)


def is_forgotten_by_the_server(anna):
    anna.clock.forward(24 * 7)


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
def test_a_move_that_waits_is_not_made_once_the_old_address(agreed, event):
    event(agreed)
    assert agreed.uses_due(24 * 7) == 0
    assert agreed.address == OLD


def test_its_yes_after_that_asks_the_new_address_again(agreed, clock):
    first = agreed.code("address")
    takes_mail_again(agreed)
    clock.forward(24)
    agreed.confirms(agreed.code("move"))
    assert agreed.address == OLD
    with pytest.raises(AddressRefused):
        agreed.confirms(first)
    *_, again = agreed.codes("address", NEW)
    agreed.confirms(again)
    assert agreed.address == NEW


@pytest.mark.parametrize("forged_first", [True, False])
def test_a_forged_report_moves_nobody(anna, forged_first):
    if forged_first:
        anna.fails(reported=True)
    assert anna.asks() is None
    if not forged_first:
        anna.fails(reported=True)
    assert anna.codes("address", NEW) == []
    assert anna.uses_due(24 * 7) == 0
    assert anna.address == OLD


def test_the_new_address_that_answers_late_is_used_then(dead):
    assert dead.uses_due(24 * 8) == 0
    assert dead.confirms(dead.code("address")).due_at is None
    assert dead.address == NEW


def test_an_address_that_somebody_else_has_by_then_is_not_used(context, agreed):
    with context.changing() as session:
        session.add(Player(address=NEW, name="Cleo"))
    assert agreed.uses_due(24 * 7) == 1
    assert agreed.uses_due() == 0
    assert agreed.address == OLD


def test_a_move_and_the_way_back_end_all_that_was_given_before(context, anna, clock):
    number = anna.row.id
    anna.asks()
    anna.confirms(anna.code("move"))
    for step, purpose in enumerate(("address", "back"), 1):
        key = sign_in.create_key(context, number, "a program", NOON)
        mark = sign_in_token(context, number)
        (asked,) = anna.codes(purpose)
        clock.forward(1)
        anna.confirms(asked)
        assert anna.generation() == step
        with context.reading() as session:
            assert find_browser(session, mark, clock()) is None
            assert sign_in.player_with_key(session, key) is None
        assert anna.codes("move") == []
    assert anna.generation("Ben") == 0


def sign_in_token(context, number):
    sign_in.request_link_for(context, number, NOON)
    mark = loads(context.rows_of(OutgoingLetter.detail, OutgoingLetter.kind == "signin")[-1])["mark"]
    return sign_in.sign_in(context, make_code(Purpose.SIGN_IN, mark, context.links.keys), "", NOON)
