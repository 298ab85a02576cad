"""The questions of an operator's day, as config/commands.md has them: each is answered by what is typed."""

import re
import shlex
from datetime import timedelta

import pytest
from sqlmodel import select

from server.delivery.sending import send_due_letters
from server.inbox.intake import store_mail
from server.outbox.queue import open_unit
from server.store.context import utc_now
from server.store.models import IncomingMail, OutgoingLetter, Visit
from server.store.schedule import set_aside
from server.store.states import LetterState
from tests.paths import TOP

ROW = re.compile(r"^- (?P<question>[^`]+\?) (?P<typed>`.+)$", re.MULTILINE)
GUIDE = (TOP / "config/commands.md").read_text("utf-8")
SECTION = GUIDE.split("## Questions of a day\n")[1].split("\n## ")[0]
QUESTIONS = [
    (found["question"], re.findall(r"`(alexandros [^`]+)`", found["typed"]))
    for found in ROW.finditer(SECTION)
]

OTHERS = {"replace": {"ADDRESS": "cleo@example.org"}, "address": {"ADDRESS": "anna@example.org"}}
"""Of whom something is asked where it is not Ben: Cleo plays on for him."""

ANSWERS = {
    "why": (
        "Ben <ben@example.org>",
        "{GAME} seat {SEAT}",
        "letter {LETTER}  your_turn of {GAME}  refused for good: 550 no such mailbox",
        "mail {MAIL} to play@",
        "refused with an answer: it could not be read",
    ),
    "find": ("{GAME}  running", "{OTHER}  running", "Friday"),
    "show": (
        "{GAME}  running   turn   1  Friday",
        "to move: seat {MOVES}, {MOVER}",
        "clock: runs until {UNTIL} UTC, 47 hours left",
        "Anna <anna@example.org>",
        "letter {LETTER}  your_turn of {GAME}  refused for good: 550 no such mailbox",
    ),
    "letters": ("letter {LETTER}  your_turn of {GAME}", "550 no such mailbox", "to ben@example.org"),
    "resend": ("letter {LETTER} to ben@example.org is sent again",),
    "retry": ("mail {MAIL} is read again; before: it could not be read",),
    "pause": ("{GAME} is paused: no time runs, and its players are notified",),
    "resume": ("{GAME} goes on, and its players are notified",),
    "extend": ("{MOVER} has until {UNTIL} UTC", "the players of {GAME} are notified"),
    "replace": ("Cleo <cleo@example.org> plays on for Ben in {GAME}, and all are notified",),
    "address": ("{NEW} gets a confirmation request", "letters go to anna@example.org"),
    "check": (
        *("relay:", "mail in:", "pages:", "MX:", "SPF:", "DKIM:", "DMARC:", "clock:", "disk:"),
        "ok     relay: none: letters stay in the built-in mailbox",
        "?      DKIM: not checked",
    ),
    "prune": ("1  visit", "Nothing else has expired."),
}
"""What stands in the answer to each: who it is about, what is so, and what becomes of it."""


def unsaid(command: str, answer: str, known: dict[str, str]) -> list[str]:
    """What an answer, whose lines are broken anywhere, does not say of what it should."""
    said = " ".join(answer.split())
    wanted = [" ".join(part.format(**known).split()) for part in ANSWERS[command]]
    return [part for part in wanted if part not in said]


@pytest.fixture
def words(context, carrier):
    """An office of today in which each of them can be asked, and what stands for the words in capitals."""
    game = context.begin_time(context.start_game("Anna", "Ben", now=utc_now()), utc_now())
    other = context.start_game("Cleo", "Dirk", now=utc_now())
    context.confirm("Anna", "Ben", "Cleo")
    send_due_letters(context, carrier, utc_now())
    address = str(carrier.to("Ben")[-1]["Reply-To"])
    store_mail(context, "ben@example.org", address, b"From: ben@example.org\n\ndraw\n", utc_now())
    set_aside(context, IncomingMail, 1, "it could not be read")
    with open_unit(context, utc_now()) as unit:
        to_ben = OutgoingLetter.game == game, OutgoingLetter.recipient == "ben@example.org"
        letter = unit.session.exec(select(OutgoingLetter).where(*to_ben)).one()
        letter.state, letter.why, number = LetterState.FAILED, "550 no such mailbox", letter.id
        unit.session.add(Visit(what="sign-in", visitor="192.0.2.0/24", at=utc_now() - timedelta(days=9)))
        unit.commit()
    return {
        "ADDRESS": "ben@example.org",
        "WORD": "Friday",
        "GAME": game,
        "LETTER": str(number),
        "MAIL": "1",
        "HOURS": "24",
        "SEAT": str(context.seat_of(game, "Ben") + 1),
        "NEW": "ben@example.net",
        "OTHER": other,
        "MOVER": context.mover(game),
        "MOVES": str(context.game_row(game).seat + 1),
    }


def answer_all(context, words):
    """Each question, what is typed, what is known then, and what it answers, one after the other."""
    for question, typed in QUESTIONS:
        for line in typed:
            known = {**words, **OTHERS.get(line.split()[1], {})}
            result = context.type_in(*(known.get(word, word) for word in shlex.split(line)[1:]))
            until = context.game_row(words["GAME"]).deadline  # none while it is paused
            yield question, line, {**known, "UNTIL": f"{until or utc_now():%Y-%m-%d %H:%M}"}, result


def test_each_is_answered_by_what_is_typed_there(context, words):
    for question, line, known, result in answer_all(context, words):
        command = line.split()[1]
        wanted = (0, 1) if command == "check" else (0,)  # a machine for tests has no such domain
        assert result.exit_code in wanted, f"{question} {line}: {result.output}"
        assert unsaid(command, result.stdout, known) == [], f"{question} {line}: {result.output}"
        assert all(len(part) < 80 for part in result.stdout.splitlines()), question


def test_a_word_that_is_not_known_is_a_sentence_for_each(context, words):
    for question, typed in QUESTIONS:
        for line in typed:
            arguments = ["0" if word.isupper() else word for word in shlex.split(line)[1:]]
            if arguments == shlex.split(line)[1:]:
                continue
            result = context.type_in(*arguments)
            assert result.exit_code == 2, f"{question} {line}: {result.output}"
            assert result.stderr
            assert "Traceback" not in result.output
