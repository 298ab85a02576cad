"""What a program of version 0015 says in words alone, beside a newer one, is told right by the newer one."""

from datetime import timedelta

import pytest
from sqlalchemy import event, update
from sqlmodel import select

from server.store.context import utc_now
from server.store.migrations.older_programs import LOOKS_BACK, note_hindrances
from server.store.models import IncomingMail, OutgoingLetter
from server.store.states import Hindrance, LetterState, MailState
from tests.server.desk import type_in
from tests.server.test_poisoned_rows import write

ASIDE = "what is stored of it cannot be read: see the server's own messages"
SILENT = Hindrance.NONE


def leave(context, table, state, why, hindrance=SILENT, age=timedelta(0)):
    """Let an older program leave a row, with the hindrance that it has found; its number."""
    with context.writing() as session:
        number = session.exec(select(table.id).order_by(table.id)).first()
        changed = update(table).where(table.id == number)
        given = {"state": state, "why": why, "hindrance": hindrance, "due_at": utc_now() - age}
        session.execute(changed.values(**given))
        session.commit()
    return number


def found(context, table, number):
    with context.reading() as session:
        return session.get_one(table, number).hindrance


def test_what_it_has_set_aside_the_doctor_tells(context, game):
    write(context, game, "Anna", "board", 1)
    letter = leave(context, OutgoingLetter, LetterState.FAILED, ASIDE)
    mail = leave(context, IncomingMail, MailState.REFUSED, ASIDE)
    told = type_in(context, "doctor").stdout
    assert f"mails set aside, which could not be worked at: {mail}\n" in told
    assert f"letters set aside, which could not be worked at: {letter}\n" in told
    assert "refused for good" not in told


def test_a_letter_that_came_back_to_it_is_none_that_the_relay_has_refused(context, game):
    number = leave(context, OutgoingLetter, LetterState.FAILED, "it came back: 550 no")
    assert "for good" not in type_in(context, "doctor").stdout
    assert found(context, OutgoingLetter, number) == Hindrance.CAME_BACK


@pytest.mark.parametrize(
    ("state", "why", "before", "after"),
    [
        (LetterState.WAITING, "not taken: 451 later", SILENT, Hindrance.RELAY),
        (LetterState.WAITING, "perhaps taken: it broke off", Hindrance.RELAY, Hindrance.PERHAPS_TAKEN),
        (LetterState.FAILED, "it came back: 550 no", Hindrance.RELAY, Hindrance.CAME_BACK),
        (LetterState.DROPPED, "nothing is sent to its reader", SILENT, Hindrance.BARRED),
        (LetterState.DROPPED, "its occasion has passed", SILENT, SILENT),
        (LetterState.FAILED, "554 no", SILENT, SILENT),
        (LetterState.WAITING, ASIDE, SILENT, SILENT),
    ],
)
def test_each_hindrance_is_found_by_state_and_words(context, game, state, why, before, after):
    number = leave(context, OutgoingLetter, state, why, before)
    note_hindrances(context.database, utc_now())
    assert found(context, OutgoingLetter, number) == after


def test_where_nothing_is_untold_one_question_is_asked_and_nothing_written(context, game):
    number = leave(context, OutgoingLetter, LetterState.FAILED, ASIDE, age=LOOKS_BACK)
    asked = []
    event.listen(context.database, "before_cursor_execute", lambda *given: asked.append(given[2]))
    note_hindrances(context.database, utc_now())
    assert [one.split()[0] for one in asked if not one.startswith("BEGIN")] == ["SELECT"]
    assert found(context, OutgoingLetter, number) == SILENT
