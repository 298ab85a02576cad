"""A new address is used when somebody there has said yes, and not before."""

import re
from dataclasses import replace

import pytest
from sqlmodel import col, select

from emails.tokens import KeyRing
from server.accounts.address_change import WAY_BACK_VALID, AddressRefused
from server.accounts.addresses import (
    MOST_REQUESTS_A_DAY,
    confirm_address,
    find_pending_address,
    request_address_confirmation,
)
from server.accounts.unsubscribe import stop_letters
from server.delivery.sending import send_due_letters
from server.store.models import OutgoingLetter, Player, Seating
from tests.server.beginnings import begin_game
from tests.server.desk import (
    HOUSE,
    NOON,
    body,
    committed,
    confirmation_codes,
    seat_of,
    set_preferences,
    start_game,
    work_until_idle,
)
from tests.server.storage import storage

NEW = "anna.new@example.org"


@pytest.fixture
def game(context, mails):
    game = begin_game(context, mails, "Anna", "Ben")
    mails.mails.clear()
    return game


def ask(context, game, address=NEW, name="Anna", now=NOON):
    request_address_confirmation(context, game, seat_of(context, game, name), address, now)


def codes(context):
    return confirmation_codes(context)


def moves(context, game, address, name="Anna", now=NOON):
    """Name an address and confirm it; gives the code of the way back to the one before."""
    before = codes(context)
    ask(context, game, address, name, now)
    (code,) = set(codes(context)) - set(before)
    committed(context, now, confirm_address, code)
    (back,) = set(codes(context)) - {*before, code}
    return back


def addresses(context):
    with context.reading() as session:
        return {row.name: row.address for row in session.exec(select(Player))}


def test_the_new_address_is_asked_and_holds_no_key_to_the_game(context, game, mails):
    ask(context, game)
    send_due_letters(context, mails, NOON)
    (letter,) = [mail for mail in mails.mails if mail["X-Alexandros"] == "confirm"]
    (code,) = codes(context)
    assert letter["To"] == NEW
    assert letter["X-Alexandros"] == "confirm"
    assert letter["Reply-To"] == f"confirm+{code}@play.example.org"
    text = letter.get_body(("plain",)).get_content()
    assert f"http://127.0.0.1:8000/c/{code}" in text
    assert "/t/" not in letter.as_string()
    assert "/u/" not in letter.as_string()
    assert letter["List-Unsubscribe"] is None
    assert code not in str(letter["Message-ID"])
    assert addresses(context)["Anna"] == "anna@example.org"


def kinds(mails, address):
    """The letters to an address, but for the notice of a wish."""
    sent = [str(mail["X-Alexandros"]) for mail in mails.mails if str(mail["To"]).lower() == address.lower()]
    return [kind for kind in sent if kind != "notice"]


def test_once_confirmed_all_letters_go_there_those_that_wait_too(context, game, mails, clock):
    set_preferences(context, game, "Anna", pace="daily", hour=23)
    other = start_game(context, "Anna", "Ben", now=clock())
    ask(context, game, "Anna.New@Example.org")
    (code,) = codes(context)
    assert find_pending_address(context, code, clock()).address == "Anna.New@Example.org"
    made = committed(context, clock(), confirm_address, code.upper())
    assert (made.name, made.address) == ("Anna", "Anna.New@Example.org")
    with context.reading() as session:
        waiting = select(OutgoingLetter).where(
            OutgoingLetter.state == "waiting", col(OutgoingLetter.kind).not_in(("moved", "notice"))
        )
        rows = session.exec(waiting).all()
        of_anna = {row.recipient for row in rows if row.seat == seat_of(context, row.game, "Anna")}
        of_ben = {row.recipient for row in rows if row.seat == seat_of(context, row.game, "Ben")}
    assert (of_anna, of_ben) == ({"Anna.New@Example.org"}, {"ben@example.org"})
    work_until_idle(context, mails, clock.forward(48))
    assert kinds(mails, "anna@example.org") == ["moved"]
    assert other


def test_only_the_address_confirmed_last_counts(context, game, clock):
    ask(context, game, "one@example.org")
    ask(context, game, "two@example.org", now=clock.forward(1))
    one, two = codes(context)
    committed(context, clock(), confirm_address, two)
    with pytest.raises(AddressRefused, match="not one of ours"):
        committed(context, clock(), confirm_address, one)
    assert addresses(context)["Anna"] == "two@example.org"


def test_an_address_of_somebody_else_is_not_taken_over(context, game, clock):
    ask(context, game, "BEN@example.org")
    with pytest.raises(AddressRefused, match="Somebody else"):
        committed(context, clock(), confirm_address, codes(context)[0])
    assert addresses(context)["Anna"] == "anna@example.org"


def test_his_own_address_in_other_letters_is_his_already(context, game):
    with pytest.raises(AddressRefused, match="already"):
        ask(context, game, "ANNA@example.org")


def test_nobody_asks_all_day(context, game, mails, clock):
    for number in range(MOST_REQUESTS_A_DAY):
        ask(context, game, f"anna{number}@example.org", now=clock.forward(1))
        committed(context, clock(), confirm_address, codes(context)[-1])  # that does not help
    with pytest.raises(AddressRefused, match="tomorrow"):
        ask(context, game, now=clock())
    ask(context, game, "ben2@example.org", name="Ben", now=clock())
    ask(context, game, now=clock.forward(24))


def test_a_letter_about_a_code_that_is_forgotten_is_dropped(context, game, mails, clock):
    ask(context, game, "one@example.org")
    ask(context, game, "two@example.org", now=clock.forward(1))
    committed(context, clock(), confirm_address, codes(context)[1])
    send_due_letters(context, mails, clock())
    assert {(str(mail["To"]), str(mail["X-Alexandros"])) for mail in mails.mails} == {
        ("two@example.org", "confirm"),
        ("anna@example.org", "notice"),
        ("anna@example.org", "moved"),
        ("two@example.org", "shown"),
    }


def test_even_who_gets_no_letters_can_name_another_address(context, game, mails):
    committed(context, NOON, stop_letters, game, seat_of(context, game, "Anna"), True)
    ask(context, game)
    send_due_letters(context, mails, NOON)
    assert NEW in [str(mail["To"]) for mail in mails.mails]


def test_nobody_sits_there(context):
    game = start_game(context, "Anna", "house")
    with pytest.raises(AddressRefused, match="No mails go to that seat"):
        ask(context, game, name=HOUSE)


# --- the address that was used before -------------------------------------------------------------------


def test_the_old_address_is_told_and_takes_the_player_back(context, game, mails, clock):
    ask(context, game, "thief@example.org")
    committed(context, clock(), confirm_address, codes(context)[0])
    mails.mails.clear()
    send_due_letters(context, mails, clock())
    assert kinds(mails, "anna@example.org") == ["moved"]
    (told,) = [mail for mail in mails.mails if mail["X-Alexandros"] == "moved"]
    text = told.get_body(("plain",)).get_content()
    assert "thief@example.org" in text
    back = codes(context)[-1]
    assert f"http://127.0.0.1:8000/c/{back}" in text
    assert told["Reply-To"] == f"confirm+{back}@play.example.org"
    assert "/t/" not in told.as_string()
    assert told["List-Unsubscribe"] is None
    mails.mails.clear()
    committed(context, clock.forward(24 * 29), confirm_address, back)
    send_due_letters(context, mails, clock())
    assert addresses(context)["Anna"] == "anna@example.org"
    assert kinds(mails, "thief@example.org") == ["moved"]
    assert "/c/" not in mails.mails[0].get_body(("plain",)).get_content()
    assert codes(context) == [back]
    committed(context, clock(), confirm_address, back)
    assert codes(context) == [back]  # twice is once


def test_a_second_move_does_not_bar_the_way_back_to_the_first_address(context, game, mails, clock):
    back = moves(context, game, "thief@example.org")
    later = moves(context, game, "thief2@example.org", now=clock.forward(1))
    ask(context, game, "thief3@example.org", now=clock())
    waiting = codes(context)[-1]
    committed(context, clock.forward(1), confirm_address, back)
    assert addresses(context)["Anna"] == "anna@example.org"
    for code in (later, waiting):
        with pytest.raises(AddressRefused):
            committed(context, clock(), confirm_address, code)
    mails.mails.clear()
    send_due_letters(context, mails, clock())
    assert set(kinds(mails, "anna@example.org")) == {"moved", "shown"}  # where it went, and its links anew
    assert kinds(mails, "thief2@example.org") == ["moved"]


def test_whoever_is_invited_at_the_old_address_meanwhile_does_not_bar_the_way_back(context, game, clock):
    back = moves(context, game, "thief@example.org")
    other = start_game(context, "Anna", "Dirk", now=clock())
    set_preferences(context, other, "Anna", language="nl")
    assert committed(context, clock(), confirm_address, back).address == "anna@example.org"
    with context.reading() as session:
        players = {
            session.get_one(Seating, (one, seat_of(context, one, "Anna"))).player for one in (game, other)
        }
        assert len(players) == 1
        assert len(session.exec(select(Player).where(Player.address == "anna@example.org")).all()) == 1


def test_the_way_back_ends_after_thirty_days(context, game, clock):
    back = moves(context, game, NEW)
    clock.now += WAY_BACK_VALID
    with pytest.raises(AddressRefused, match="too old"):
        committed(context, clock(), confirm_address, back)
    ask(context, game, "other@example.org", now=clock())
    assert back not in codes(context)


def dump(context):
    return storage().dump(context.database)


def test_no_code_is_stored_before_or_after_its_letter_was_sent(context, game, mails):
    seat = seat_of(context, game, "Anna")
    request_address_confirmation(context, game, seat, "anna.new@example.org", NOON)
    request_address_confirmation(context, game, seat, "anna.other@example.org", NOON)
    asked = confirmation_codes(context)
    assert len(set(asked)) == 2
    assert not [code for code in asked if code in dump(context)]
    send_due_letters(context, mails, NOON)
    committed(context, NOON, confirm_address, asked[0])
    (back,) = confirmation_codes(context, purpose="back")
    send_due_letters(context, mails, NOON)
    sent = "".join(mail.as_string() for mail in mails.mails)
    kept = dump(context)
    for code in (*asked, back):
        assert f"confirm+{code}@" in sent
        assert code not in kept


def replace_secret(context, new):
    """The new secret stands before those of before."""
    keys = KeyRing((new, *context.links.keys.secrets))
    context.links = replace(context.links, keys=keys)


def test_letters_that_waited_while_the_secret_was_replaced_have_links_that_work(context, game, mails):
    seat = seat_of(context, game, "Anna")
    request_address_confirmation(context, game, seat, "anna.new@example.org", NOON)
    replace_secret(context, b"a newer secret of the house")
    send_due_letters(context, mails, NOON)
    (asked,) = [mail for mail in mails.mails if mail["To"] == "anna.new@example.org"]
    code = re.search(r"/c/([a-z2-7]{32})\s", body(asked))[1]
    assert str(asked["Reply-To"]).startswith(f"confirm+{code}@")
    committed(context, NOON, confirm_address, code)
    before = len(mails.mails)
    replace_secret(context, b"the newest secret of the house")
    send_due_letters(context, mails, NOON)
    (moved,) = [mail for mail in mails.mails[before:] if mail["X-Alexandros"] == "moved"]
    back = re.search(r"/c/([a-z2-7]{32})\s", body(moved))[1]
    assert str(moved["Reply-To"]).startswith(f"confirm+{back}@")
    assert committed(context, NOON, confirm_address, back)
