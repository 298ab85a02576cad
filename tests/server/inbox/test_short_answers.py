"""A whole game by replies: each answer says in few words what was done and what comes next."""

from collections.abc import Iterator
from email.message import EmailMessage

import pytest
from sqlmodel import col, select

from server.outbox.queue import read_sent_letter
from server.store.models import OutgoingLetter
from tests.emails.letters.test_game_letters import MOST_OF_AN_ANSWER, count_answer_words
from tests.server.desk import NOON, Collector, Desk, body, desk
from tests.server.inbox.test_mail_dispatch import answering, take

MOST_MAILS = 300


def orders_offered_last(context: Desk) -> list[str]:
    """The orders behind the first letter of the newest mail that offers one."""
    with context.reading() as session:
        rows = session.exec(select(OutgoingLetter).order_by(col(OutgoingLetter.id).desc()))
        found = (read_sent_letter(row.detail).choices.get("a", "") for row in rows)
        return next(filter(None, found)).split("; ")


def letters_of(context: Desk, post: Collector, game: str) -> Iterator[EmailMessage]:
    """Anna answers with a letter, Ben step by step; all letters in the order in which they are sent."""
    read = 0
    for number in range(MOST_MAILS):
        context.work_until_idle(post, NOON)
        yield from post.mails[read:]
        read = len(post.mails)
        if context.game_row(game).status == "over":
            return
        mover = context.mover(game)
        letter = post.to(mover)[-1]
        steps = orders_offered_last(context)
        words = "a" if mover == "Anna" else "\n".join(steps[: 1 + number % 2])
        quoted = "".join(f"> {line}\n" for line in body(letter).splitlines())
        said = f"{words}\n\nOn Monday Alexandros wrote:\n{quoted}"
        take(context, answering(letter, said, Message_ID=f"<{number}@client.example.org>"))
    raise AssertionError("the game does not end")


@pytest.mark.breadth
def test_each_answer_of_a_game_by_replies_is_short(tmp_path):
    context, post = desk(tmp_path, seed=5), Collector()
    game = context.start_game("Anna", "Ben")
    for name in ("Anna", "Ben"):
        context.set_preferences(game, name, pictures=False)
    answers = [body(one) for one in letters_of(context, post, game) if one["X-Alexandros"] == "answer"]
    assert len(answers) > 30
    for text in answers:
        assert count_answer_words(text) <= MOST_OF_AN_ANSWER, text
        assert "Done in part" not in text
        assert "\n== The board ==" not in text or "What is done stands." in text
        assert max(len(line) for line in text.splitlines() if "://" not in line) <= 78
    assert [text for text in answers if "Your turn is over and can no longer be changed." in text]
