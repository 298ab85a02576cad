"""Codes that confirm an address: whoever reads the database cannot answer for anybody."""

import re
from dataclasses import replace

from emails.tokens import KeyRing
from server.accounts.addresses import confirm_address, request_address_confirmation
from server.delivery.sending import send_due_letters
from tests.server.desk import NOON, body, committed, confirmation_codes, seat_of
from tests.server.storage import storage


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
