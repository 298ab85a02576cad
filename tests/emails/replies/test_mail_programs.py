"""What programs put around the words of a mail or send by themselves, each beside a near twin by a person."""

import base64
from functools import cache

import pytest

from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import parse_mail
from emails.replies.reply_reader import read_reply
from emails.replies.screening import MailFacts, screen_mail
from engine.board import Board
from tests.paths import TOP

ANNA = "anna@example.org"
LETTER = "Anna, it is your turn.\n\nYou may draw.\n"
PLAYED, IGNORED, ASKED = "played", "ignored", "asked"


@cache
def board() -> Board:
    return Board.read((TOP / "config/boards/alexandros.toml").read_text("utf-8"))


def outcome(subject: str, headers: str, body: str) -> str:
    """What becomes of a mail that means to draw: it is read as that, asked about or ignored."""
    head = f"From: Anna <{ANNA}>\nSubject: {subject}\nMIME-Version: 1.0\n{headers}"
    mail = parse_mail(f"{head}\n{body}".encode(), ANNA)
    if screen_mail(mail, MailFacts()).fate == IGNORED:
        return IGNORED
    message = read_reply(mail, GameGrammar(board()), LETTER, ("Anna", "Ben"))
    return PLAYED if message.lines == ("draw",) and not message.doubtful else ASKED


@pytest.mark.parametrize(
    "subject",
    """
    自动答复: {}|自動応答: {}|자동 회신: {}|Automatikus válasz: {}|Răspuns automat: {}|Automatski odgovor: {}
    Automatická odpoveď: {}|Samodejni odgovor: {}|Автоматична відповідь: {}
    Автоматичен отговор: {}|Αυτόματη απάντηση: {}|תשובה אוטומטית: {}|رد تلقائي: {}|Automatinis atsakymas: {}
    Automātiska atbilde: {}|Automaatvastus: {}|Trả lời tự động: {}|Balasan otomatis: {}|การตอบกลับอัตโนมัติ: {}
    Read: {}|Gelesen: {}|Gelezen: {}|Lu : {}|Leído: {}|Accepted: {}|Zugesagt: {}|Geaccepteerd: {}
    """.strip()
    .replace("\n", "|")
    .split("|"),
)
def test_a_subject_tells_what_a_program_sends_by_itself(subject: str) -> None:
    own = subject.strip().format("Larissa war")
    assert outcome(own, "", "draw\n") == IGNORED
    assert outcome(f"Re: {own}", "", "draw\n") == PLAYED


def part(kind: str, text: str) -> str:
    return f"--b\nContent-Type: {kind}\n\n{text}\n"


def encoded(text: str) -> str:
    return base64.encodebytes(text.encode()).decode()


MULTIPART = 'Content-Type: multipart/alternative; boundary="b"\n'
BASE64 = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64"
QUOTED = "".join(f"> {line}\n" for line in LETTER.splitlines())
REACTION = part("text/plain", "draw") + part("text/vnd.google.email-reaction+json", "{}") + "--b--\n"
CALENDAR = part("text/plain", "draw") + part("text/calendar; method={}", "BEGIN:VCALENDAR") + "--b--\n"


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        # headers of auto-responders
        ("X-Mail-Autoreply: yes\n", "draw\n", IGNORED),
        ("X-Autoreply-From: anna@example.org\n", "draw\n", IGNORED),
        ("X-FC-MachineGenerated: true\n", "draw\n", IGNORED),
        ("X-POST-MessageClass: 9; Autoresponder\n", "draw\n", IGNORED),
        ("X-POST-MessageClass: 1; Mail\n", "draw\n", PLAYED),
        ("Delivered-To: Autoresponder\n", "draw\n", IGNORED),
        ("Delivered-To: autoresponder@example.org\n", "draw\n", PLAYED),
        ("Preference: auto_reply\n", "draw\n", IGNORED),
        ("X-Precedence: bulk\n", "draw\n", IGNORED),
        ("X-Precedence: first-class\n", "draw\n", PLAYED),
        # reactions by one tap, and answers of calendars
        (MULTIPART, REACTION, IGNORED),
        (MULTIPART, CALENDAR.format("REPLY"), IGNORED),
        (MULTIPART, CALENDAR.format("PUBLISH"), PLAYED),
        # encodings as gateways leave them
        (f"{BASE64} \n", encoded("draw\n"), PLAYED),
        (f"{BASE64}\n", encoded("draw\n\nBest wishes,\nAnna\n") + "\n____\nChecked by a gateway.\n", PLAYED),
        (f"{BASE64}\n", encoded("draw\n").rstrip("=\n") + "\n", ASKED),
        (f"{BASE64}\n", encoded("draw\n" + "\n" * 60 + "but wait\n").replace("\n", "\n\n", 1), ASKED),
        # copied headers of the old letter
        ("", f"draw\n\nFeladó: Alexandros\nElküldve: 3. nov. 2026\nCímzett: Anna\n\n{LETTER}", PLAYED),
        ("", f"draw\n\nDe la: Alexandros\nTrimis: 3 nov. 2026\nCătre: Anna\n\n{LETTER}", PLAYED),
        ("", f"draw\n\nOd: Alexandros\nPoslano: 3. 11. 2026\nZa: Anna\n\n{LETTER}", PLAYED),
        ("", f"draw\n\nOd: Alexandros\nOdesláno: 3. 11. 2026\nKomu: Anna\n\n{LETTER}", PLAYED),
        ("", f"draw\n\nOriginal Message\nFrom: Alexandros\nSent: 3 Nov 2026\n\n{LETTER}", PLAYED),
        ("", f"draw\n\nZa: wait with this until Ben has answered\n\n{QUOTED}", ASKED),
        # signatures of programs
        ("", f"draw\n\nSent via Superhuman ( https://x.example/?vip={ANNA} )\n\n{QUOTED}", PLAYED),
        ("", f"draw\n\n从我的小米手机发送\n\n{QUOTED}", PLAYED),
        ("", f"draw\n\n不要\n\n{QUOTED}", ASKED),
    ],
)
def test_what_programs_add_is_known_and_what_people_write_is_read(
    headers: str, body: str, expected: str
) -> None:
    assert outcome("Re: Larissa war", headers, body) == expected
