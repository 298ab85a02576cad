"""The questions of an operator's day, as config/commands.md has them: each is answered by what is typed."""

import re
import shlex

import pytest
from sqlmodel import select

from server.delivery.outgoing import send_due_letters
from server.inbox.intake import store_mail
from server.outbox.unit_of_work import open_unit
from server.store.context import utc_now
from server.store.models import IncomingMail, OutgoingLetter
from server.store.row_care import set_aside
from server.store.states import LetterState
from tests.paths import TOP
from tests.server.desk import begin_time, confirm, seat_of, start_game, type_in

ROW = re.compile(r"^\| (?P<question>[^|]+\?) \| (?P<typed>[^|]+) \|$", re.MULTILINE)
GUIDE = (TOP / "config/commands.md").read_text("utf-8")
SECTION = GUIDE.split("## Questions of a day\n")[1].split("\n## ")[0]
QUESTIONS = [
    (found["question"], re.findall(r"`(alexandros [^`]+)`", found["typed"]))
    for found in ROW.finditer(SECTION)
]

OTHERS = {"replace": {"ADDRESS": "cleo@example.org"}, "address": {"ADDRESS": "anna@example.org"}}
"""Of whom something is asked where it is not Ben: Cleo plays on for him."""


@pytest.fixture
def words(context, carrier):
    """An office of today in which each of them can be asked, and what stands for the words in capitals."""
    game = begin_time(context, start_game(context, "Anna", "Ben", now=utc_now()), utc_now())
    start_game(context, "Cleo", "Dirk", now=utc_now())
    confirm(context, "Anna", "Ben", "Cleo")
    send_due_letters(context, carrier, utc_now())
    address = str(carrier.to("Ben")[-1]["Reply-To"])
    store_mail(context, "ben@example.org", address, b"From: ben@example.org\n\ndraw\n", utc_now())
    set_aside(context, IncomingMail, 1, "it could not be read")
    with open_unit(context, utc_now()) as unit:
        letter = unit.session.exec(select(OutgoingLetter).where(OutgoingLetter.game == game)).first()
        letter.state, letter.why, number = LetterState.FAILED, "550 no such mailbox", letter.id
        unit.commit()
    return {
        "ADDRESS": "ben@example.org",
        "WORD": "Friday",
        "GAME": game,
        "LETTER": str(number),
        "MAIL": "1",
        "HOURS": "24",
        "SEAT": str(seat_of(context, game, "Ben") + 1),
        "NEW": "ben@example.net",
    }


def test_there_are_ten_at_least_and_each_has_its_command():
    assert len(QUESTIONS) >= 10
    assert all(typed for _, typed in QUESTIONS)


def test_each_is_answered_by_what_is_typed_there(context, words):
    for question, typed in QUESTIONS:
        for line in typed:
            known = {**words, **OTHERS.get(line.split()[1], {})}
            arguments = [known.get(word, word) for word in shlex.split(line)[1:]]
            result = type_in(context, *arguments)
            wanted = (0, 1) if arguments[0] == "check" else (0,)  # a machine for tests has no such domain
            assert result.exit_code in wanted, f"{question} {line}: {result.output}"
            assert result.stdout, question
            assert all(len(part) < 80 for part in result.stdout.splitlines()), question


def test_a_word_that_is_not_known_is_a_sentence_for_each(context, words):
    for question, typed in QUESTIONS:
        for line in typed:
            arguments = ["0" if word.isupper() else word for word in shlex.split(line)[1:]]
            if arguments == shlex.split(line)[1:]:
                continue
            result = type_in(context, *arguments)
            assert result.exit_code == 2, f"{question} {line}: {result.output}"
            assert result.stderr
            assert "Traceback" not in result.output
