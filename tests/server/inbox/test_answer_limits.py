"""Beyond so many answers an hour orders are played and answered later, and what does nothing gets none."""

import pytest

from emails.letters.kinds import LetterKind
from server.inbox.screening import HOUR, MOST_ANSWERS_AN_HOUR, MOST_ANSWERS_TO_STRANGERS, NO_ROOM
from server.store.models import ChatMessage, OutgoingLetter
from server.store.states import LetterState
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, changing, mover, rows_of, seat_of
from tests.server.inbox.test_mail_dispatch import last_letter, reply, states, turn_words


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def answer(context, game, name, count, **when):
    """Have so many answers sent to a player, by default just now."""
    seat = seat_of(context, game, name)
    with changing(context) as session:
        for number in range(count):
            row = {"message_id": f"<{number}.{when}@example.org>", "game": game, "seq": 1, "seat": seat}
            row |= {"kind": LetterKind.REFUSED, "recipient": f"{name.lower()}@example.org", "due_at": NOON}
            row |= {"state": LetterState.SENT, "queued_at": NOON, "sent_at": NOON, **when}
            session.add(OutgoingLetter(**row))


def answers(context, kind=LetterKind.ANSWER):
    return rows_of(context, OutgoingLetter, OutgoingLetter.kind == kind)


def test_what_is_told_to_others_is_told_and_answered_later(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    answer(context, game, name, MOST_ANSWERS_AN_HOUR)
    reply(context, letter, "say: well played")
    assert [one.words for one in rows_of(context, ChatMessage)] == ["well played"]
    assert [one.due_at for one in answers(context)] == [NOON + HOUR]


def test_answers_that_had_to_wait_count_from_when_they_leave(context, game, carrier):
    """So their number within any hour is bounded, and not only of those that were asked for in it."""
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    answer(context, game, name, MOST_ANSWERS_AN_HOUR, queued_at=NOON - 2 * HOUR, sent_at=NOON - HOUR / 2)
    reply(context, letter, "say: well played")
    answer(context, game, name, MOST_ANSWERS_AN_HOUR, state=LetterState.WAITING, due_at=NOON + HOUR)
    reply(context, letter, "say: well played indeed")
    assert [one.due_at for one in answers(context)] == [NOON + HOUR / 2, NOON + 2 * HOUR]


def test_an_answer_that_is_an_hour_old_takes_no_room(context, game, carrier):
    name = mover(context, game)
    letter = last_letter(context, carrier, name)
    answer(context, game, name, MOST_ANSWERS_AN_HOUR, queued_at=NOON - HOUR, sent_at=NOON - HOUR)
    reply(context, letter, "say: well played")
    assert [one.due_at for one in answers(context)] == [NOON]


def test_others_may_cause_only_a_part_of_them(context, game, carrier):
    name = mover(context, game)
    letter, (card, march) = last_letter(context, carrier, name), turn_words(context, game)
    answer(context, game, name, MOST_ANSWERS_TO_STRANGERS)
    reply(context, letter, "choose nothing", sender="cleo@example.org")
    assert states(context) == [("ignored", NO_ROOM)]
    reply(context, letter, f"{card}\n{march}")
    assert [one.due_at for one in answers(context)] == [NOON]
