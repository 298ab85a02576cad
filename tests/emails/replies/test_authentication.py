"""Authentication-Results: only what the operator's own server says counts, and only where it is clear."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.replies.headers import LONGEST_HEADER, DmarcResult, own_values, parse_headers, read_dmarc_result
from tests.bounded import quickest

OURS = "mx.example.org"
PASS = f"Authentication-Results: {OURS}; dmarc=pass header.from=example.org"
FAIL = f"Authentication-Results: {OURS}; dmarc=fail (p=reject) header.from=example.org"
FOREIGN = "Authentication-Results: mx.example.net; dmarc=pass header.from=example.org"
SIGNS = ("", "(", ")", '"', ";", "=", "\\", " ", "\r\n ")


def result(*headers: str, sender: str = "Anna <anna@example.org>", authserv: str = OURS) -> DmarcResult:
    """What a mail with these headers shows, which stand above From."""
    head = "\r\n".join((*headers, f"From: {sender}"))
    return read_dmarc_result(parse_headers(f"{head}\r\n\r\ndraw\r\n".encode()), authserv)


@pytest.mark.parametrize("word", ["pass", "none", "fail", "temperror", "permerror"])
def test_each_word_of_dmarc_is_read(word: str) -> None:
    found = result(f"Authentication-Results: {OURS}; dmarc={word} header.from=example.org")
    assert found.value == word
    assert found.is_proof_lacking == (word not in ("pass", "none"))


@pytest.mark.parametrize(
    "value",
    [
        "mx.example.org; dmarc=pass",
        "MX.Example.ORG; DMARC=Pass Header.From=EXAMPLE.org",
        '"mx.example.org"; dmarc=pass',
        "mx.example.org 1; dmarc=pass",
        "mx.example.org 1 ; dmarc/1=pass",
        "mx.example.org;dmarc=pass",
        "  mx.example.org  ;  dmarc  =  pass  header . from  =  example.org  ",
        "mx.example.org;\r\n\tspf=pass smtp.helo=a;\r\n dmarc=pass\r\n\theader.from=example.org",
        "mx.example.org; dmarc=pass;",
        "(ours) mx.example.org (1) 1 (2); (3) dmarc (4) = (5) pass (6) header.from=example.org (7)",
        "mx.example.org; dmarc=pass (p=none (sp=none; dmarc=fail) \\) dmarc=fail) header.from=example.org",
        'mx.example.org; dmarc=pass reason="no; dmarc=fail \\" here" header.from=example.org',
        'mx.example.org; dkim=pass header.b=ab/c+de=; dmarc=pass',
        "mx.example.org; spf=pass smtp.mailfrom=bounce+anna=example.org@list.example.org; dmarc=pass",
        'mx.example.org; spf=pass smtp.mailfrom="; dmarc=fail"@example.net; dmarc=pass',
        "mx.example.org; spf what is this; dmarc=pass",
        "mx.example.org; arc=none; dmarc=pass action=none header.from=example.org; bimi=skipped (no)",
        "mx.example.org; dmarc=pass header.from=example.org.",
        "mx.example.org; dmarc=pass header.from=anna@example.org",
    ],
)  # fmt: skip
def test_however_it_is_written_it_is_read(value: str) -> None:
    assert result(f"Authentication-Results: {value}") is DmarcResult.PASS


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ("Authentication-Results:",),
        ("Authentication-Results: ;",),
        (f"Authentication-Results: {OURS}",),
        (f"Authentication-Results: {OURS}; none",),
        (f"Authentication-Results: {OURS} 1; none",),
        (f"Authentication-Results: {OURS}; spf=pass smtp.mailfrom=example.org; dkim=pass",),
        (f"Authentication-Results: {OURS}; xdmarc=pass",),
        (f"Authentication-Results: {OURS}; dkim=pass reason=\"dmarc=pass\"",),
        (f"Authentication-Results: {OURS}; dkim=pass (dmarc=pass)",),
        (f'Authentication-Results: {OURS}; spf=pass smtp.mailfrom="; dmarc=pass"@example.net',),
        (FOREIGN,),
        (f"Authentication-Results: x{OURS}; dmarc=pass",),
        (f"Authentication-Results: {OURS}.example.net; dmarc=pass",),
        (f"Authentication-Results: {OURS}\0; dmarc=pass",),
        (f"Authentication-Results: ({OURS}) mx.example.net; dmarc=pass",),
        (f'Authentication-Results: "{OURS} "; dmarc=pass',),
        ("Authentication-Results: =?utf-8?q?mx.example.org?=; dmarc=pass",),
        (f"X-{PASS}",),
        (f"ARC-{PASS}",),
        (f"Subject: {PASS}",),
    ],
)  # fmt: skip
def test_without_a_judgment_of_ours_it_is_missing(headers: tuple[str, ...]) -> None:
    assert result(*headers) is DmarcResult.MISSING


@pytest.mark.parametrize(
    "headers",
    [
        (PASS, PASS),
        (PASS, FAIL),
        (FAIL, PASS),
        (PASS, FOREIGN, PASS.upper()),
        (f"{PASS}; dmarc=pass",),
        (f"{FAIL}; dmarc=pass",),
        (f"{PASS} header.from=example.net",),
        (f"Authentication-Results: {OURS}; dmarc=pass header.from=example.net",),
        (f"Authentication-Results: {OURS}; dmarc=none header.from=example.net",),
        (f"Authentication-Results: {OURS}; dmarc=pass header.from=mail.example.org",),
        (f"Authentication-Results: {OURS}; dmarc=pass header.from=ample.org",),
    ],
)  # fmt: skip
def test_two_or_one_of_another_domain_contradict_each_other(headers: tuple[str, ...]) -> None:
    assert result(*headers) is DmarcResult.CONTRADICTORY


@pytest.mark.parametrize(
    "value",
    [
        f"{OURS}; dmarc",
        f"{OURS}; dmarc=",
        f"{OURS}; dmarc==pass",
        f"{OURS}; dmarc=pass pass",
        f"{OURS}; dmarc=pass (",
        f'{OURS}; dmarc=pass reason="',
        f"{OURS}; dmarc pass",
        f"{OURS} 2; dmarc=pass",
        f"{OURS} one two; dmarc=pass",
        f"{OURS}; dmarc=passed",
        f"{OURS}; dmarc=bestguesspass",
        f"{OURS}; dmarc=missing",
        f"{OURS}; dmarc=pass header.from={'example.org' * LONGEST_HEADER}; (",
    ],
)
def test_what_is_damaged_proves_nothing(value: str) -> None:
    found = result(f"Authentication-Results: {value}")
    assert found in (DmarcResult.UNREADABLE, DmarcResult.CONTRADICTORY)
    assert found.is_proof_lacking


def test_those_of_others_are_left_out_wherever_they_stand() -> None:
    foreign_fail = FOREIGN.replace("pass", "fail")
    broken = "Authentication-Results: mx.example.net; dmarc=pass (("
    for headers in ((foreign_fail, PASS), (PASS, foreign_fail), (broken, PASS, broken), (PASS, "A: b")):
        assert result(*headers) is DmarcResult.PASS
        assert len(own_values(parse_headers("\n".join((*headers, "", "")).encode()), OURS)) == 1
    assert result(FOREIGN, FAIL, FOREIGN) is DmarcResult.FAIL


def test_other_methods_may_stand_in_headers_of_their_own() -> None:
    spf = f"Authentication-Results: {OURS}; spf=fail smtp.mailfrom=example.net"
    dkim = f"Authentication-Results: {OURS}; dkim=none"
    assert result(dkim, PASS, spf) is DmarcResult.PASS


def test_the_rules_of_a_domain_hold_for_those_below_it_and_names_may_be_written_in_two_ways() -> None:
    assert result(PASS, sender="anna@mail.example.org") is DmarcResult.PASS
    ascii_name = f"Authentication-Results: {OURS}; dmarc=pass header.from=xn--mnchen-3ya.example"
    assert result(ascii_name, sender="anna@münchen.example") is DmarcResult.PASS


# --- anything -------------------------------------------------------------------------------------------


@given(st.text(max_size=200))
def test_any_header_is_judged(value: str) -> None:
    assert isinstance(result(f"Authentication-Results: {value}"), DmarcResult)
    assert isinstance(result(f"Authentication-Results: {OURS}; {value}", PASS), DmarcResult)


def test_a_damaged_failure_never_becomes_a_proof() -> None:
    dice = random.Random(5)
    for _ in range(5000):
        text = list(FAIL)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len("Authentication-Results: "), len(text))
            text[at : at + dice.choice((0, 1, 3))] = dice.choice(
                ("", "(", ")", '"', ";", "=", "\\", " ", "\r\n ")
            )
        found = result("".join(text))
        assert found.is_proof_lacking, "".join(text)


@pytest.mark.parametrize("piece", ["(", ")", '"', ";", "a=b ", "dmarc=", "\\", "=", " ", "(\\", "a/1="])
def test_a_hostile_header_takes_a_bounded_time(piece: str) -> None:
    lines = [f"Authentication-Results: {OURS}; {piece * (1900 // len(piece))}"] * 30
    assert quickest(lambda: result(*lines)) < 0.3
