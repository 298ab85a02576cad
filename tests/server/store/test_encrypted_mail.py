"""Mails as the database keeps them: nobody without the secret opens one, and a lost secret stops nothing."""

import re
from pathlib import Path

import pytest

from emails.replies.parsed_mail import Mail
from emails.tokens import KeyRing
from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.retention import delete_rows
from server.store.encrypted import (
    ENCRYPTED,
    MailLocked,
    decrypt_mail,
    encrypt_mail,
    load_incoming_mail,
    without_token,
)
from server.store.models import IncomingMail, LocalMail, RawMail, table_of
from tests.server.desk import NOON, Collector, Desk, body, desk
from tests.server.web.site import Site

KEYS, OTHER_KEYS = KeyRing((b"a secret of the house",)), KeyRing((b"another secret of it",))
ADDRESS = "play+abcdefghabcdefgh@play.example.org"
MAIL = Mail(b"From: Anna\r\n\r\n\0dr\xffaw\0\r\n", "anna@example.org", ADDRESS)
NEW = "another one that nobody will guess"


def row_of(raw: bytes) -> IncomingMail:
    return IncomingMail(
        digest="", at=NOON, due_at=NOON, sender="ben@example.org", recipient="new@example.org", raw=raw
    )


def states(context: Desk) -> list[tuple[str, str]]:
    return [(str(row.state), row.why) for row in context.rows_of(IncomingMail)]


def test_a_mail_and_its_envelope_come_out_as_they_were_and_none_of_it_shows():
    stored = encrypt_mail(MAIL, KEYS)
    assert decrypt_mail(row_of(stored), KEYS) == MAIL
    assert not [part for part in (b"anna", b"play", b"abcdefgh", b"dr\xffaw") if part in stored]
    assert encrypt_mail(MAIL, KEYS) != stored


def test_a_mail_from_before_mails_were_encrypted_is_as_it_was_kept():
    old = row_of(b"From: Ben\r\n\r\nhouse\r\n")
    assert decrypt_mail(old, KEYS) == Mail(old.raw, "ben@example.org", "new@example.org")
    kept = LocalMail(recipient="anna@example.org", message_id="<1@x>", at=NOON, raw=b"Subject: x\r\n\r\n")
    assert decrypt_mail(kept, KEYS) == Mail(kept.raw, "", "anna@example.org")


def test_what_another_secret_wrote_or_somebody_changed_stays_locked():
    stored = encrypt_mail(MAIL, OTHER_KEYS)
    for raw in (stored, stored[:-4], ENCRYPTED, ENCRYPTED + MAIL.raw):
        with pytest.raises(MailLocked):
            decrypt_mail(row_of(raw), KEYS)


def test_of_an_address_only_its_kind_and_its_domain_are_kept():
    assert re.fullmatch(r"play@play\.example\.org [0-9a-f]{16}", without_token(ADDRESS))
    assert without_token(ADDRESS) == without_token(ADDRESS.replace("abc", "ABC")).lower()
    assert without_token(ADDRESS) != without_token(ADDRESS.replace("abc", "abd"))
    assert without_token("new@play.example.org") == "new@play.example.org"


def test_nothing_of_a_mail_that_comes_in_is_stored_in_clear(context):
    returned = "bounce+abcdefghabcdefgh@play.example.org"
    intake.store_mail(context, returned, ADDRESS, b"From: anna@example.org\r\n\r\ndraw\r\n", NOON)
    [row], [kept] = context.rows_of(IncomingMail), context.rows_of(RawMail)
    assert (row.sender, row.recipient) == ("bounce+...@play.example.org", without_token(ADDRESS))
    assert b"draw" not in row.raw + kept.raw
    (mail,) = context.stored_mails()
    assert (mail.envelope_from, mail.envelope_to) == (returned, ADDRESS)


def test_the_bytes_of_a_mail_to_several_of_our_addresses_are_kept_once(context):
    raw = b"Subject: hello\r\n\r\n" + b"x" * 100_000
    for number in range(10):
        intake.store_mail(context, "anna@example.org", f"new+{number}@play.example.org", raw, NOON)
    assert {mail.raw for mail in context.stored_mails()} == {raw}
    assert len({mail.envelope_to for mail in context.stored_mails()}) == 10
    assert sum(len(row.raw) for row in context.rows_of(IncomingMail)) < 10 * 300
    [kept] = context.rows_of(RawMail)
    assert len(kept.raw) < 1.4 * len(raw)


def test_the_bytes_of_a_mail_go_with_the_last_of_its_recipients(context):
    for to, raw in (("one", b"shared"), ("two", b"shared"), ("three", b"alone"), ("four", b"last")):
        intake.store_mail(context, "anna@example.org", f"{to}@play.example.org", raw, NOON)
    left = []
    for number in range(1, 5):
        with context.changing() as session:
            delete_rows(session, table_of(IncomingMail), IncomingMail.id == number)
        left.append(len(context.rows_of(RawMail)))
    assert left == [3, 2, 1, 0]
    intake.store_mail(context, "anna@example.org", "five@play.example.org", b"shared", NOON)
    assert context.stored_mails()[-1].raw == b"shared"


def test_one_mail_to_two_of_our_addresses_is_no_duplicate_and_to_one_it_is(context, game, mails):
    send_due_letters(context, mails, NOON)
    for end in ("", "\r\n"):
        for name in ("Anna", "Ben"):
            to = str(mails.to(name)[-1]["Reply-To"])
            raw = f"From: {name.lower()}@example.org\r\nMessage-ID: <1@x>\r\n\r\nsay: hello{end}\r\n"
            intake.store_mail(context, f"{name.lower()}@example.org", to, raw.encode(), NOON)
            dispatch.process_waiting_mail(context, NOON)
    assert [state for state, _ in states(context)] == ["played", "played", "ignored", "ignored"]
    assert context.game_row(game).seq


def test_a_mail_that_no_secret_opens_is_one_line_in_the_log_and_the_next_is_read(tmp_path, mails, caplog):
    desk(tmp_path).start_game("Anna", "Ben")
    intake.store_mail(desk(tmp_path), "anna@example.org", ADDRESS, b"\r\n\r\ndraw\r\n", NOON)
    context = desk(tmp_path, ALEXANDROS_SECRET=NEW)
    send_due_letters(context, mails, NOON)
    to = str(mails.to("Ben")[-1]["Reply-To"])
    raw = b"From: ben@example.org\r\n\r\nsay: hello\r\n"
    intake.store_mail(context, "ben@example.org", to, raw, NOON)
    for _ in range(2):
        context.work_until_idle(mails, NOON)
    why = "it was encrypted under a secret that ALEXANDROS_SECRET no longer contains"
    assert states(context) == [("refused", why), ("played", "a message")]
    (line,) = [one for one in caplog.records if one.name == "server.inbox.dispatch"]
    assert line.getMessage() == f"mail 1 cannot be decrypted: {why}"
    assert line.exc_info is None


def fill_mailbox(context: Desk) -> str:
    game = context.start_game("Anna", "Ben")
    while send_due_letters(context, choose_transport(context, lambda: NOON), NOON):
        pass
    return game


def test_letters_in_the_built_in_mailbox_are_encrypted_and_shown_as_they_are(context, place):
    fill_mailbox(context)
    (first, *_) = context.stored_mails(LocalMail)
    assert all(row.raw.startswith(ENCRYPTED) for row in context.rows_of(LocalMail))
    assert b"Write above this line" in first.raw
    assert place.visitor().get("/mailbox/1/source").answer.data == first.raw


def test_a_letter_in_the_mailbox_that_no_secret_opens_says_so(tmp_path):
    fill_mailbox(desk(tmp_path))
    place = Site(desk(tmp_path, ALEXANDROS_SECRET=NEW))
    for page in ("/mailbox", "/mailbox/1", "/mailbox/1?tab=text", "/mailbox/1/source"):
        visitor = place.visitor().get(page)
        assert visitor.status == 200
        assert b"encrypted under a secret that is no longer known" in visitor.answer.data
    assert place.visitor().get("/mailbox/1/part/board@x").status == 404


OLD, NEW = "a secret of more than sixteen letters", "another one that nobody will guess"


def links_of(mails: Collector) -> list[str]:
    return [re.search(r"/t/[a-z2-7]+", body(mail))[0] for mail in mails.mails]


def test_letters_and_mails_from_before_open_until_their_secret_is_taken_out(tmp_path: Path) -> None:
    before, after = desk(tmp_path), desk(tmp_path, ALEXANDROS_SECRET=NEW)
    mails, later = Collector(), Collector()
    fill_mailbox(before)
    before.start_game("Anna", "Ben")
    send_due_letters(before, mails, NOON)
    to = str(mails.to("Anna")[-1]["Reply-To"])
    said = [b"From: anna@example.org\r\n\r\nsay: %s\r\n" % word for word in (b"one", b"two", b"three")]
    intake.store_mail(before, "anna@example.org", to, said[0], NOON)

    both = desk(tmp_path, ALEXANDROS_SECRET=f"{NEW},{OLD}")
    place = Site(both)
    assert {place.visitor().get(link).status for link in links_of(mails)} == {200}
    assert b"Write above this line" in place.visitor().get("/mailbox/1/source").answer.data
    intake.store_mail(both, "anna@example.org", to, said[1], NOON)
    dispatch.process_waiting_mail(both, NOON)
    assert [state for state, _ in states(both)] == ["played", "played"]
    both.start_game("Anna", "Ben")
    send_due_letters(both, later, NOON)

    only_new = Site(after)
    assert {only_new.visitor().get(link).status for link in links_of(later)} == {200}
    assert {only_new.visitor().get(link).status for link in links_of(mails)} == {404}
    rows = after.rows_of(IncomingMail)
    with after.reading() as session:
        assert load_incoming_mail(session, rows[1], after.links.keys).raw == said[1]
        with pytest.raises(MailLocked):
            load_incoming_mail(session, rows[0], after.links.keys)
    intake.store_mail(after, "anna@example.org", to, said[2], NOON)
    dispatch.process_waiting_mail(after, NOON)
    assert states(after)[-1][0] == "ignored"
