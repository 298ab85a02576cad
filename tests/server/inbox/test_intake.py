"""Mail as it is taken in: whatever stands in it can be stored, and for whom and from whom it is."""

from pathlib import Path

import pytest
from sqlmodel import select

from server.delivery.outgoing import send_due_letters
from server.inbox import incoming, intake
from server.store.models import IncomingMail, OutgoingLetter
from tests.server.desk import NOON, Collector, desk, start_game, stored_mails

PLAY = "play+ticket@play.example.org"
HALF = "=?utf-7?q?<+2AA-@x>?="
"""The half of a character, which no database takes."""


@pytest.mark.parametrize(
    "identity", [HALF, "=?raw_unicode_escape?q?=5Cud800=40?=", "<\0@x>", "<\xff@x>", "x" * 900]
)
def test_whatever_a_mail_is_called_it_is_stored_and_is_one_mail(tmp_path: Path, identity: str) -> None:
    context = desk(tmp_path)
    raw = f"Message-ID: {identity}\r\n\r\ndraw\r\n".encode("latin-1")
    for _ in range(2):
        intake.store_mail(context, "a\udcff\0@b", "play+\udcff\0@play.example.org", raw, NOON)
    with context.reading() as session:
        (row,) = session.exec(select(IncomingMail))
    (mail,) = stored_mails(context)
    assert mail.raw == raw
    for stored in (row.sender, row.recipient, mail.sender, mail.recipient, row.message_id or ""):
        stored.encode()
        assert "\0" not in stored


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("Content-Type: text/plain; charset=utf-7", "occupy +2AA-"),
        (f"In-Reply-To: {HALF}", "occupy"),
        (f"Message-ID: {HALF}", "occupy"),
        (f"Subject: {HALF}", "occupy"),
    ],
)
def test_a_player_is_answered_whatever_signs_his_mail_holds(tmp_path: Path, header: str, body: str) -> None:
    context, sent = desk(tmp_path), Collector()
    start_game(context, "Anna", "Ben")
    send_due_letters(context, sent, NOON)
    address = str(sent.to("Anna")[-1]["Reply-To"])
    raw = f"From: =?utf-7?q?Anna+2AA-?= <anna@example.org>\n{header}\n\n{body}\n"
    intake.store_mail(context, "anna@example.org", address, raw.encode(), NOON)
    incoming.process_waiting_mail(context, NOON)
    with context.reading() as session:
        (row,) = session.exec(select(IncomingMail))
        answers = session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "refused")).all()
    assert row.state == "refused"
    assert "could not be read" not in row.why
    assert [one.recipient for one in answers] == ["anna@example.org"]


def test_somebody_with_a_comma_in_his_name_gets_his_game(tmp_path: Path) -> None:
    context, sent = desk(tmp_path), Collector()
    raw = (
        "From: =?utf-8?Q?M=C3=BCller=2C_Anna?= <anna@example.org>\n"
        "To: new@play.example.org, =?utf-8?Q?J=C3=A4nsen=2C_Ben?= <ben@example.org>\n\nthe house\n"
    )
    intake.store_mail(context, "anna@example.org", "new@play.example.org", raw.encode(), NOON)
    incoming.process_waiting_mail(context, NOON)
    send_due_letters(context, sent, NOON)
    (letter,) = sent.to("Anna")
    said = letter.get_body(("plain",)).get_content()
    assert "Müller, Anna" in said
    assert "Jänsen, Ben" in said


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (f"To: =?utf-8?Q?Ren=C3=A9=2C_A?= <{PLAY}>", [PLAY]),
        (f"To: ben@play.example.org, {PLAY}", [PLAY]),
        ("To: ben@play.example.org, postmaster@play.example.org", []),
        (f"To: {'(' * 990}{')' * 990}\nTo: {PLAY}", [PLAY]),
        ("Delivered-To: box@play.example.org\nTo: NEW@Play.example.org", ["NEW@Play.example.org"]),
        (f"Delivered-To: {PLAY}\nTo: new@play.example.org", [PLAY]),
        ("", []),
    ],
)
def test_for_whom_a_mail_is(headers: str, found: list[str]) -> None:
    assert intake.find_recipients(f"{headers}\n\ndraw\n".encode(), "", "play.example.org") == found


@pytest.mark.parametrize(
    ("given", "found"),
    [(PLAY, [PLAY]), ("play@play.example.org", []), ("abuse@play.example.org", []), ("new@example.org", [])],
)
def test_an_address_that_is_none_of_the_house_is_for_nobody(given: str, found: list[str]) -> None:
    assert intake.find_recipients(f"To: {PLAY}\n\ndraw\n".encode(), given, "play.example.org") == found


@pytest.mark.parametrize(
    ("headers", "sender"),
    [
        ("Return-Path: <>\nFrom: anna@example.org", ""),
        ("Return-Path: <ben@example.org>\nFrom: anna@example.org", "ben@example.org"),
        ("From: =?utf-8?Q?M=C3=BCller=2C_Anna?= <anna@example.org>", "anna@example.org"),
        ("", ""),
    ],
)
def test_from_whom_a_mail_is(headers: str, sender: str) -> None:
    assert intake.find_envelope_sender(f"{headers}\n\ndraw\n".encode(), None) == sender
    assert intake.find_envelope_sender(b"From: anna@example.org\n\n", "") == ""
