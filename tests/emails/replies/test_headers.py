"""Headers as they are read, and whom they name: whatever stands in them."""

import pytest

from emails.replies.headers import parse_headers
from tests.bounded import quickest

ANNA = "anna@example.org"


def people(*values: str, name: str = "From") -> list[tuple[str, str]]:
    raw = "".join(f"{name}: {value}\r\n" for value in values) + "\r\ndraw\r\n"
    return list(parse_headers(raw.encode()).people(name))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (ANNA, ""),
        ("=?utf-8?Q?M=C3=BCller=2C_Anna?= <anna@example.org>", "Müller, Anna"),
        ('"=?utf-8?Q?M=C3=BCller=2C_Anna?=" <anna@example.org>', "Müller, Anna"),
        ("=?utf-8?B?TcO8bGxlciwgQW5uYQ==?= <anna@example.org>", "Müller, Anna"),
        ("=?iso-8859-1?Q?M=FCller=2C?=\r\n =?iso-8859-1?Q?_Anna?= <anna@example.org>", "Müller, Anna"),
        ('"Müller, Anna" <anna@example.org>', "Müller, Anna"),
        ("=?utf-8?q?Anna=3B_B?= <anna@example.org>", "Anna; B"),
        ("=?utf-8?q?Anna_=28work=40home=29?= <anna@example.org>", "Anna (work@home)"),
        ("=?utf-8?q?=22Anna=22_=3Cben=40example=2Eorg=3E?= <anna@example.org>", '"Anna" <ben@example.org>'),
        ("=?utf-7?q?Anna+2AA-?= <anna@example.org>", "Anna\ufffd"),
        ("=?x-nothing?q?Anna?= <anna@example.org>", "Anna"),
        ("=?utf-8?q?Anna_=3Canna=40example=2Eorg=3E?=", "Anna"),
    ],
)
def test_what_is_encoded_is_part_of_a_name(written: str, name: str) -> None:
    assert people(written) == [(name, ANNA)]


def test_everybody_is_named_in_the_order_of_the_headers() -> None:
    to = b"To: =?utf-8?q?Ren=C3=A9=2C_B?= <ben@example.org>,\n anna@example.org\n\n"
    raw = b"Cc: Cleo <cleo@example.org>\n" + to
    assert parse_headers(raw).people("to", "cc") == (
        ("René, B", "ben@example.org"),
        ("", ANNA),
        ("Cleo", "cleo@example.org"),
    )


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
