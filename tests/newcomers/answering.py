"""Answers to letters in the shapes of mail programs (tests/emails/replies/shapes.py)."""

from __future__ import annotations

import re
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr

from tests.emails.replies.shapes import OURS, Quoted, rendered
from tests.newcomers import adapter

PROGRAMS = {
    "gmail-web": "above",
    "thunderbird": "below",
    "outlook-classic": "above",
    "iphone": "above",
    "k9": "alone",
    "ipad-html": "above",
}
"""Where the words stand that are written with each program: above or below what it quotes, or alone."""


def answer(
    mail: EmailMessage, words: str, program: str, tongue: str, who: str = "Anna"
) -> tuple[str, str, bytes]:
    """The sender, the address and the whole of an answer to a letter."""
    address = parseaddr(str(mail["Reply-To"]))[1]
    inside = adapter.page_of(mail).partition("<body")[2].partition(">")[2].partition("</body>")[0]
    letter = Quoted("Alexandros", address, adapter.words_of(mail), inside)
    raw = rendered(program, tongue, words, letter, who.lower(), PROGRAMS[program])
    heads = {"Date": "Mon, 02 Mar 2026 13:30:00 +0000"}
    heads |= {"Message-ID": make_msgid(domain="example.org"), "In-Reply-To": str(mail["Message-ID"])}
    for name, value in heads.items():
        raw = re.sub(rb"(?m)^%s: .*\r$" % name.encode(), f"{name}: {value}\r".encode(), raw, count=1)
    return f"{who.lower()}@example.org", address, raw.replace(OURS.encode(), address.encode())
