"""Screening and headers: what is played, answered or neither; corpus/phrases/headers.toml has more."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.replies.parsed_mail import LONGEST_HEADER, Mail, parse_headers
from emails.replies.screening import (
    LARGEST_MAIL,
    Screening,
    is_author_proven,
    own_values,
    screen_mail,
)
from tests.bounded import quickest
from tests.emails.replies.desk import ANNA, read, screened

MAILS = Path(__file__).parent / "mails"


@pytest.mark.parametrize("file", sorted(MAILS.glob("*.eml")), ids=lambda file: file.stem)
def test_a_player_s_reply_passes(file: Path) -> None:
    row = screen_mail(Mail(file.read_bytes(), ANNA))
    assert row == ("automatic" if file.stem == "calendar-alone" else "reply")


@pytest.mark.parametrize("rule", sorted(set(Screening) - {Screening.REPLY, Screening.ECHO}))
def test_each_rule_that_is_known_to_apply_decides(rule: Screening) -> None:
    found = screened(known={rule})
    assert found is rule
    assert found.fate != "played"


@pytest.mark.parametrize(
    ("head", "known", "row"),
    [
        ("From: anna@example.org", set(), "oversize"),
        ("From: anna@example.org", {Screening.ECHO}, "echo"),
        ("Auto-Submitted: auto-replied", set(), "automatic"),
    ],
)
def test_a_large_mail_is_answered_once_unless_a_program_wrote_it(
    head: str, known: set[Screening], row: str
) -> None:
    raw = head.encode() + b"\r\n\r\n" + b"x" * LARGEST_MAIL
    assert screen_mail(Mail(raw, ANNA), known) == row


@pytest.mark.parametrize("name", ["home-owner", "owner-bob", "x-request"])
def test_a_person_may_be_called_like_the_program_of_a_list(name: str) -> None:
    address = f"{name}@example.org"
    author = {"From": f"Anna <{address}>"}
    assert screened(author, address) == "reply"
    for headers, envelope_from in (
        (author | {"Precedence": "first-class"}, address),
        (author | {"List-Help": "<mailto:x@example.org>"}, ANNA),
        ({}, address),
        ({"Sender": address}, ANNA),
        (author, "owner-list@example.org"),
    ):
        assert screened(headers, envelope_from) == "automatic"


@given(st.binary(max_size=200), st.text(max_size=20))
def test_any_bytes_are_judged(raw: bytes, sender: str) -> None:
    for mail in (raw, b"From: " + raw + b"\nSubject: =?utf-8?b?" + raw):
        assert screen_mail(Mail(mail, sender)).sentence


def test_two_thousand_damaged_mails_are_judged() -> None:
    dice = random.Random(3)
    samples = [file.read_bytes()[:1500] for file in sorted(MAILS.glob("*.eml"))]
    for _ in range(2000):
        raw = bytearray(dice.choice(samples))
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(raw))
            pieces = (b"", dice.randbytes(3), b"=?utf-8?q?", b"\n")
            raw[at : at + dice.choice((0, 1, 5))] = dice.choice(pieces)
        assert screen_mail(Mail(bytes(raw), ANNA)).sentence


@pytest.mark.parametrize(
    "piece",
    ["a:\n", "From: =?utf-8?q?a?= \n", "Subject: x\n y\n", "<", "@", "Precedence: x\n", "\n", "From: a@"],
)
@pytest.mark.parametrize("head", ["", "From: ", "Subject: vacation", "Content-Type: multipart/report;"])
def test_a_hostile_mail_takes_a_bounded_time(head: str, piece: str) -> None:
    raw = (head + piece * (300_000 // len(piece))).encode()
    assert quickest(lambda: screen_mail(Mail(raw, ANNA))) < 0.3


def people(*values: str, name: str = "From") -> list[tuple[str, str]]:
    raw = "".join(f"{name}: {value}\r\n" for value in values) + "\r\ndraw\r\n"
    return list(parse_headers(raw.encode()).people(name))


def test_everybody_is_named_in_the_order_of_the_headers() -> None:
    to = b"To: =?utf-8?q?Ren=C3=A9=2C_B?= <ben@example.org>,\n anna@example.org\n\n"
    raw = b"Cc: Cleo <cleo@example.org>\n" + to
    ben, cleo = ("René, B", "ben@example.org"), ("Cleo", "cleo@example.org")
    assert parse_headers(raw).people("to", "cc") == (ben, ("", ANNA), cleo)


def test_one_header_that_cannot_be_read_hides_no_other() -> None:
    assert people("(" * 1990, ANNA)[-1] == ("", ANNA)
    assert people("(" * 990 + ")" * 990, ANNA)[-1] == ("", ANNA)


@pytest.mark.parametrize(
    "value",
    [
        "=?utf-7?q?<+2AA-@x>?=",
        "=?raw_unicode_escape?q?=5Cud800=40?=",
        "=?unicode_escape?q?=5Cud800?=",
        "=?utf-8?q?=ED=A0=80?=",
        "=?utf-16?b?2AA=?=",
        "\\ud800 =?utf-8?q?x?=",
        "<\0@x>",
        "=?utf-8?q?=00?=x",
    ],
)
@pytest.mark.parametrize("name", ["Message-ID", "From", "In-Reply-To"])
def test_no_header_holds_what_no_database_takes(name: str, value: str) -> None:
    found = parse_headers(f"{name}: {value}\n\n".encode())
    named = [word for person in found.people(name) for word in person]
    for said in (found.first(name), *named):
        said.encode()
        assert "\0" not in said
    assert found.first(name)


def test_unencoded_words_beside_encoded_ones_are_read_as_they_stand() -> None:
    assert parse_headers("Subject: Zoë … =?utf-8?q?caf=C3=A9?=\n\n".encode()).first("subject") == "Zoë … café"


@pytest.mark.parametrize("piece", ["<", "(", ",", '"', "a@b,", "=?utf-8?q?", "\\", "[", ":;"])
def test_naming_takes_a_bounded_time(piece: str) -> None:
    raw = f"From: {piece * 2000}\n".encode() * 30 + b"\n"
    assert quickest(lambda: parse_headers(raw).people("from")) < 0.3


OURS = "mx.example.org"
PASS = f"Authentication-Results: {OURS}; dmarc=pass header.from=example.org"
FAIL = f"Authentication-Results: {OURS}; dmarc=fail (p=reject) header.from=example.org"
FOREIGN = "Authentication-Results: mx.example.net; dmarc=pass header.from=example.org"


def proves(*headers: str, sender: str = "Anna <anna@example.org>", authserv: str = OURS) -> bool:
    """Whether these headers, which stand above From, prove the author of a mail."""
    head = "\r\n".join((*headers, f"From: {sender}"))
    return is_author_proven(parse_headers(f"{head}\r\n\r\ndraw\r\n".encode()), authserv)


def test_a_header_over_the_cap_proves_nothing() -> None:
    assert proves(PASS)
    assert not proves(f"{PASS}{'example.org' * LONGEST_HEADER}; (")


def test_a_result_of_another_server_is_none_of_ours() -> None:
    broken = "Authentication-Results: mx.example.net; dmarc=pass (("
    for headers in ((FOREIGN, PASS), (PASS, FOREIGN), (broken, PASS, broken), (PASS, "A: b")):
        assert len(own_values(parse_headers("\n".join((*headers, "", "")).encode()), OURS)) == 1


@pytest.mark.parametrize(
    ("authserv", "other"),
    [
        ("mx.example.org", "mx . example.org"),
        ("mx.example.org", "mx (of). (ours) example.org"),
        ("mx.example.org", 'mx."example".org'),
        ("mx.example.org", "mx.example.org.example.net"),
        ("mx_1.example.org", '"mx 1.example.org"'),
        ("kilo.example.org", "\N{KELVIN SIGN}ilo.example.org"),
    ],
)
def test_a_name_that_only_resembles_ours_is_not_ours(authserv: str, other: str) -> None:
    result = "dmarc=pass header.from=example.org"
    assert proves(f"Authentication-Results: {authserv.upper()}; {result}", authserv=authserv)
    assert proves(f'Authentication-Results: "{authserv}" 1; {result}', authserv=authserv)
    assert not proves(f"Authentication-Results: {other}; {result}", authserv=authserv)


@given(st.text(max_size=200))
def test_any_header_is_judged(value: str) -> None:
    assert not proves(f"Authentication-Results: {value}")
    proves(f"Authentication-Results: {OURS}; {value}", PASS)


def test_a_damaged_failure_never_becomes_a_proof() -> None:
    dice = random.Random(5)
    for _ in range(5000):
        text = list(FAIL)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len("Authentication-Results: "), len(text))
            pieces = ("", "(", ")", '"', ";", "=", "\\", " ", "\r\n ")
            text[at : at + dice.choice((0, 1, 3))] = dice.choice(pieces)
        assert not proves("".join(text)), "".join(text)


@pytest.mark.parametrize("piece", ["(", ")", '"', ";", "a=b ", "dmarc=", "\\", "=", " ", "(\\", "a/1="])
def test_a_hostile_header_takes_a_bounded_time(piece: str) -> None:
    lines = [f"Authentication-Results: {OURS}; {piece * (1900 // len(piece))}"] * 30
    assert quickest(lambda: proves(*lines)) < 0.3


def part(kind: str, text: str) -> str:
    return f"--b\nContent-Type: {kind}\n\n{text}\n"


def encoded(text: str) -> str:
    return base64.encodebytes(text.encode()).decode()


MULTIPART = 'Content-Type: multipart/alternative; boundary="b"\n'
BASE64 = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64"
REACTION = part("text/plain", "draw") + part("text/vnd.google.email-reaction+json", "{}") + "--b--\n"
CALENDAR = part("text/plain", "draw") + part("text/calendar; method={}", "BEGIN:VCALENDAR") + "--b--\n"
LONG = "draw\n" + "\n" * 60 + "but wait\n"


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        (MULTIPART, REACTION, "ignored"),
        (MULTIPART, CALENDAR.format("REPLY"), "ignored"),
        (MULTIPART, CALENDAR.format("PUBLISH"), "played"),
        # encodings as gateways leave them
        (f"{BASE64} \n", encoded("draw\n"), "played"),
        (
            f"{BASE64}\n",
            encoded("draw\n\nBest wishes,\nAnna\n") + "\n____\nChecked by a gateway.\n",
            "played",
        ),
        (f"{BASE64}\n", encoded("draw\n").rstrip("=\n") + "\n", "asked"),
        (f"{BASE64}\n", encoded("draw\r\n") + "\nChecked by a gateway.\nThere is nothing in it.\n", "played"),
        (f"{BASE64}\n", encoded(LONG).replace("\n", "\n\n", 1), "asked"),
        (f"{BASE64}\n", encoded("draw\n") + "\n" + encoded("but wait\n"), "asked"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_programs_add_is_known_and_what_people_write_is_read(
    headers: str, body: str, expected: str, end: str
) -> None:
    head = f"From: Anna <{ANNA}>\nSubject: Re: Larissa war\nMIME-Version: 1.0\n{headers}"
    raw = f"{head}\n{body}".replace("\n", end).encode()
    fate = screen_mail(Mail(raw, ANNA)).fate
    message = read(raw, "Anna, it is your turn.\n\nYou may draw.\n")
    played = message.lines == ("draw",) and not message.doubtful
    assert (fate if fate == "ignored" else "played" if played else "asked") == expected
