"""Mails to the operator: what the server has to say, and what was written to postmaster@ and abuse@."""

from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from sqlalchemy import text
from sqlmodel import update

from server.delivery.relay import DeliveryFailed
from server.delivery.sending import GIVEN_UP_AFTER, send_operator_mails
from server.inbox import dispatch, intake
from server.outbox.queue import MOST_WAITING, tell_operator
from server.store.game_terms import SeatRequest
from server.store.models import IncomingMail, OperatorMail, UnsolicitedLetter
from server.store.states import OperatorMatter
from tests.server.delivery.test_relay import Relay
from tests.server.desk import NOON, desk

OPERATOR = "operator@example.net"
OFFICES = ("postmaster@play.example.org", "Abuse@play.example.org")


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path, ALEXANDROS_OPERATOR=OPERATOR, ALEXANDROS_UNASKED_PER_DAY="3")


def written(words="Somebody here writes to me.", **headers):
    mail = EmailMessage()
    given = {"From": "Anna <anna@example.org>", "To": OFFICES[0], "Subject": "Please stop", **headers}
    for name, value in given.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(words)
    return bytes(mail)


def bring(context, raw, to=OFFICES[0], sender="anna@example.org"):
    intake.store_mail(context, sender, to, raw, NOON)
    dispatch.process_waiting_mail(context, NOON)
    row = context.rows_of(IncomingMail)[-1]
    return row.state, row.why


def say(context, matter=OperatorMatter.LETTERS_REFUSED, words="This has happened.", now=NOON):
    with context.changing() as session:
        return tell_operator(context, session, matter, words, now)


def rows(context):
    return context.rows_of(OperatorMail)


def test_the_operator_is_told_of_each_thing_once_a_day(context, carrier):
    assert say(context)
    assert not say(context, words="In other words")
    assert say(context, OperatorMatter.RELAY_AWAY)
    assert not say(context, now=NOON + timedelta(hours=23))
    assert say(context, now=NOON + timedelta(hours=25))
    send_operator_mails(context, carrier, NOON + timedelta(hours=25))
    send_operator_mails(context, carrier, NOON + timedelta(hours=25))
    assert [mail["Subject"] for mail in carrier.mails] == [
        "[Alexandros] Letters are refused",
        "[Alexandros] The relay takes no letters",
        "[Alexandros] Letters are refused",
    ]
    first = carrier.mails[0]
    assert (first["To"], first["Auto-Submitted"], first["Reply-To"]) == (OPERATOR, "auto-generated", None)
    assert str(first["From"]) == context.settings.mail_from
    assert "This has happened." in first.get_content()
    assert carrier.envelopes[0] == ("", OPERATOR)


def refusing(**how):
    return Relay(refused={"*"}, error=DeliveryFailed("It is away.", **how))


def test_a_mail_that_is_refused_is_tried_again_and_given_up(context):
    say(context)
    relay, now = refusing(final=False), NOON
    while now < NOON + GIVEN_UP_AFTER:
        assert [row.state for row in rows(context)] == ["waiting"]
        send_operator_mails(context, relay, now)
        now += timedelta(hours=6)
    send_operator_mails(context, relay, now)
    send_operator_mails(context, relay, now + timedelta(hours=6))
    assert len(relay.got) == 21
    assert [row.state for row in rows(context)] == ["failed"]


def test_a_mail_that_is_sent_again_is_the_same(context):
    say(context)
    relay = refusing(final=False, doubtful=True)
    for minutes in (0, 1, 60):
        send_operator_mails(context, relay, NOON + timedelta(minutes=minutes))
    assert len(relay.got) == 3
    assert len(set(relay.got)) == 1


@pytest.mark.file
@pytest.mark.parametrize("damage", ["at = 'some day'", "subject = CAST(x'ff' AS TEXT)"])
def test_a_mail_that_cannot_be_read_keeps_back_no_others(context, carrier, damage):
    say(context)
    say(context, OperatorMatter.RELAY_AWAY)
    with context.changing() as session:
        session.execute(text(f"UPDATE operatormail SET {damage} WHERE id = 1"))
    send_operator_mails(context, carrier, NOON)
    assert [mail["Subject"] for mail in carrier.mails] == ["[Alexandros] The relay takes no letters"]
    assert context.rows_of(OperatorMail.state) == ["failed", "sent"]


def test_a_mail_that_is_passed_on_and_refused_for_good_is_tried_once(context):
    bring(context, written("Please stop"), OFFICES[0])
    relay = refusing(final=True)
    for hours in range(0, 60, 6):
        send_operator_mails(context, relay, NOON + timedelta(hours=hours))
    assert len(relay.got) == 1


def test_what_the_server_itself_says_waits_for_a_relay_that_refuses_it_for_good(context, carrier):
    say(context)
    send_operator_mails(context, refusing(final=True), NOON)
    send_operator_mails(context, carrier, NOON + timedelta(hours=1))
    assert [mail["Subject"] for mail in carrier.mails] == ["[Alexandros] Letters are refused"]


def test_more_letters_than_the_server_sends_to_strangers_are_told_once_with_who_causes_them(context, carrier):
    for name in ("Anna", "Ben", "Cleo", "Dirk", "Eve"):
        seats = [SeatRequest(name, f"{name.lower()}@example.org"), SeatRequest("", None)]
        context.open_game(name, seats, NOON)
    with context.changing() as session:
        session.exec(update(UnsolicitedLetter).values(origin="192.0.2.0/24"))
    context.work_until_idle(carrier, NOON)
    context.work_until_idle(carrier, NOON + timedelta(hours=1))
    told = [mail for mail in carrier.mails if mail["To"] == OPERATOR]
    assert len(carrier.mails) == 3 + 1
    assert [mail["Subject"] for mail in told] == ["[Alexandros] Letters wait for tomorrow"]
    assert "192.0.2.0/24" in told[0].get_content()
    context.work_until_idle(carrier, NOON + timedelta(hours=25))
    assert len(carrier.mails) == 5 + 1


@pytest.mark.parametrize("office", OFFICES)
def test_what_is_written_to_an_office_is_passed_on_unchanged(context, carrier, office):
    raw = written("Ünwanted.\n\nfrom a stranger", To=office)
    assert bring(context, raw, office) == ("played", dispatch.FORWARDED)
    context.work_until_idle(carrier, NOON)
    [mail] = carrier.mails
    assert (mail["To"], mail["Reply-To"]) == (OPERATOR, "anna@example.org")
    assert mail["Subject"] == f"[Alexandros] Mail to {office.lower()}"
    assert "Please stop" not in str(mail["Subject"])
    [attached] = [part for part in mail.walk() if part.get_content_type() == "message/rfc822"]
    [inner] = attached.get_payload()
    assert inner["Subject"] == "Please stop"
    assert "Ünwanted." in inner.get_content()


def test_of_a_large_mail_to_an_office_the_beginning_is_passed_on(context, carrier):
    assert bring(context, written("Unwanted.\n" + "x\n" * 100_000)) == ("played", dispatch.FORWARDED)
    context.work_until_idle(carrier, NOON)
    [inner] = [part for part in carrier.mails[0].walk() if part["Subject"] == "Please stop"]
    assert "Unwanted." in inner.get_content()
    assert len(bytes(carrier.mails[0])) < 2 * intake.LONGEST_REQUEST


def test_what_an_attacker_writes_stays_within_the_mail_that_is_passed_on(context):
    evil = (
        b"From: anna@example.org\nReply-To: all@example.com\nBcc: x@example.com\nSubject: x\n\n"
        b"\n.\nMAIL FROM:<x@example.com>\r.\r\n--operator-0--\n\0\xff"
    )
    bring(context, evil)
    relay = Relay()
    send_operator_mails(context, relay, NOON)
    [(_, raw)] = relay.got
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    assert b"\0" not in raw
    mail = message_from_bytes(raw, policy=policy.default)
    assert (mail["Reply-To"], mail["Bcc"]) == ("anna@example.org", None)
    assert len(mail.get_payload()) == 2


@pytest.mark.parametrize(
    ("sender", "headers"),
    [
        ("anna@example.org", {"X_Alexandros": "operator"}),
        ("", {"Content_Type": "multipart/report; report-type=delivery-status; boundary=x"}),
        ("", {}),
    ],
)
def test_neither_our_own_letters_nor_returned_ones_are_passed_on(context, sender, headers):
    raw = written()
    for name, value in headers.items():
        raw = f"{name.replace('_', '-')}: {value}\r\n".encode() + raw
    assert bring(context, raw, sender=sender)[0] == "ignored"
    assert rows(context) == []


def test_what_was_passed_on_and_comes_back_is_not_passed_on_again(context, carrier):
    bring(context, written())
    context.work_until_idle(carrier, NOON)
    assert bring(context, bytes(carrier.mails[0]), sender=OPERATOR)[0] == "ignored"
    context.work_until_idle(carrier, NOON)
    assert len(carrier.mails) == 1


def test_a_report_of_unwanted_mail_is_passed_on(context):
    raw = (
        b"From: reports@example.net\r\nTo: abuse@play.example.org\r\nMIME-Version: 1.0\r\nContent-Type:"
        b" multipart/report; report-type=feedback-report; boundary=x\r\n\r\n--x\r\n\r\nUnwanted.\r\n--x--\r\n"
    )
    assert bring(context, raw, OFFICES[1], sender="")[0] == "played"


def test_a_program_that_writes_to_an_office_is_heard_and_not_answered(context, carrier):
    assert bring(context, written(Auto_Submitted="auto-generated"))[0] == "played"
    context.work_until_idle(carrier, NOON)
    assert {mail["To"] for mail in carrier.mails} == {OPERATOR}


def test_a_flood_to_an_office_is_not_kept_without_end(context):
    with context.changing() as session:
        waits = {"matter": OperatorMatter.TO_ABUSE, "raw": b"", "at": NOON, "due_at": NOON}
        session.add_all(OperatorMail(**waits) for _ in range(MOST_WAITING))
    assert bring(context, written()) == ("ignored", dispatch.TOO_MANY)


def test_where_there_is_no_operator_nothing_is_passed_on(tmp_path):
    context = desk(tmp_path)
    assert bring(context, written()) == ("ignored", dispatch.NO_OPERATOR)


def test_the_pipe_takes_mail_to_an_office_where_there_is_an_operator(context, tmp_path):
    raw = written().decode()
    assert context.type_in("receive", "--to", OFFICES[1], given=raw).exit_code == 0
    assert [row.matter for row in rows(context)] == [OperatorMatter.TO_ABUSE]
    (tmp_path / "other").mkdir()
    alone = desk(tmp_path / "other")
    assert alone.type_in("receive", "--to", OFFICES[1], given=raw).exit_code == 67
