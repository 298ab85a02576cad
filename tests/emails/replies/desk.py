"""Mails to a reader of replies, and what it makes of them."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import Screening, screen_mail
from emails.wording.requests import REQUESTS_TO_ALL
from tests.emails.positions import BOARD

MAILS = Path(__file__).parent / "mails"
LETTER = (MAILS / "letter.txt").read_text("utf-8")
NAMES = ("Anna", "Ben", "Cleo", "Dirk")
ANNA = "anna@example.org"
DOMAIN = "play.example.org"
GAME = GameGrammar(BOARD)
HEADERS = {"From": f"Anna <{ANNA}>", "Subject": "Re: Larissa war", "Content-Type": "text/plain"}


def mail(text: str, kind: str = "plain") -> bytes:
    head = f"From: Anna <{ANNA}>\r\nContent-Type: text/{kind}; charset=utf-8\r\n\r\n"
    return (head + text).encode()


def read(raw: bytes, letter: str | None = None) -> Message:
    """What a mail says; the letter that it answers is known or not."""
    return read_reply(Mail(raw), GAME, letter, NAMES)


def said(text: str, kind: str = "plain") -> Message:
    return read(mail(text, kind), LETTER)


def said_alone(text: str, choices: dict[str, str] | None = None) -> Message:
    """What Anna's mail says where no letter is known that it answers."""
    return read_reply(Mail(mail(text)), GameGrammar(BOARD, choices or {}), None, NAMES)


def plays(message: Message) -> bool:
    """Whether what a mail orders is played if it can be: not beside what is asked of all who play."""
    if message.doubtful or any(one.kind in REQUESTS_TO_ALL for one in message.requests):
        return False
    return bool(message.orders) and all(not one.refusal for one in message.orders)


def quoted() -> str:
    return "".join(f"> {line}\n" for line in LETTER.splitlines())


def screened(
    headers: dict[str, str] | None = None, envelope_from: str = ANNA, known: Set[Screening] = frozenset()
) -> Screening:
    """What becomes of a mail with these headers beside the usual ones, or in their place."""
    head = "".join(f"{name}: {value}\r\n" for name, value in (HEADERS | (headers or {})).items())
    return screen_mail(Mail(f"{head}\r\ndraw\r\n".encode(), envelope_from), known)
