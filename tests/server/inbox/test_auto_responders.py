"""Programs that answer by themselves: none of them makes the server write to it more than once."""

import itertools

import pytest

from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.inbox.mail_answers import MOST_REFUSALS_IN_A_ROW
from server.store.game_terms import SeatRequest
from tests.breadth import first
from tests.server.desk import NOON, body, words_of
from tests.server.inbox.test_mail_dispatch import answering, take
from tests.server.lobby.test_resignations import first_order

ROUNDS = 20
AWAY = "I am on holiday and will answer when I am back."


def wired(context, carrier, answer_to):
    """Let a program answer every letter, round after round, until nothing is written any more."""
    seen = 0
    for _ in range(ROUNDS):
        send_due_letters(context, carrier, NOON)
        fresh, seen = carrier.mails[seen:], len(carrier.mails)
        if not fresh:
            return
        for letter in fresh:
            mail = answer_to(letter)
            envelope = str(mail.get("Return-Path", mail["From"])).strip("<>")
            intake.store_mail(context, envelope, str(mail["To"]), bytes(mail), NOON)
        dispatch.process_waiting_mail(context, NOON)
    raise AssertionError("they still write to each other")


def answers(carrier):
    return [mail for mail in carrier.mails if mail["Auto-Submitted"] == "auto-replied"]


@pytest.mark.parametrize(
    "headers",
    first(
        3,
        [
            {"Auto_Submitted": "auto-replied"},
            {"Precedence": "bulk"},
            {"X_Autoreply": "yes"},
            {"Return_Path": "<>"},
            {"Subject": "Automatic reply: your turn"},
            {"Subject": "Afwezig: vakantie"},
        ],
    ),
)
def test_who_says_that_it_is_a_program_gets_no_answer(context, game, carrier, headers):
    wired(context, carrier, lambda letter: answering(letter, AWAY, **headers))
    assert not answers(carrier)


OK = {"OK": "OK", "with a name": "Ja, graag\n\nAnna"}


@pytest.mark.parametrize("words", OK.values(), ids=OK)
def test_a_program_that_says_yes_to_an_invitation_is_told_once_that_it_is_accepted(context, carrier, words):
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    context.open_game("Friday", requests, NOON)
    send_due_letters(context, carrier, NOON)
    for name in ("Anna", "Ben"):  # Cleo says nothing, so the game does not begin
        for _ in range(3):
            take(context, answering(carrier.to(name)[-1], words))
            send_due_letters(context, carrier, NOON)
        assert [str(one["X-Alexandros"]) for one in carrier.to(name)] == ["invitation", "accepted"]


counter = itertools.count()
RUDE = {
    "always the same words": lambda letter: answering(letter, AWAY),
    "words with the hour": lambda letter: answering(letter, f"It is {next(counter)} o'clock. {AWAY}"),
    "nothing but the letter": lambda letter: answering(letter, f"\n\n{body(letter)}"),
    "the letter under the words": lambda letter: answering(letter, f"{AWAY}\n\n{body(letter)}"),
    "words like an order": lambda letter: answering(letter, "Stop writing to me, I am away."),
    "from another address": lambda letter: answering(letter, AWAY, sender="dirk@example.org"),
    "a number": lambda letter: answering(letter, "Ticket 4711 was opened. Somebody will call."),
}


@pytest.mark.parametrize("answer", first(4, RUDE.values()), ids=RUDE)
def test_a_program_that_hides_is_answered_once(context, game, carrier, answer):
    """Both players have one: the server has written to one of them when it begins, and writes once more."""
    wired(context, carrier, answer)
    for name in ("Anna", "Ben"):
        letters = [mail for mail in answers(carrier) if f"{name.lower()}@" in str(mail["To"])]
        assert len(letters) <= 1, name
    assert context.game_row(game).after == 2  # the start, and nothing after it


def test_the_same_order_is_refused_again_where_the_reason_is_another_one(context, game, carrier):
    """Who orders too early, and again too late, must not believe that it was played."""
    send_due_letters(context, carrier, NOON)
    waiting = context.names_of(game)[1]

    def orders():
        """He answers the last letter with the same word; gives how many answers he has got."""
        number = f"<{next(counter)}@client.example.org>"
        take(context, answering(carrier.to(waiting)[-1], "draw", Message_ID=number))
        send_due_letters(context, carrier, NOON)
        return len(answers(carrier))

    assert [orders(), orders()] == [1, 1]
    assert "it is the turn of" in words_of(answers(carrier)[0])
    context.play(game, 0, context.game_row(game).after, first_order(context, game), "link", NOON)
    assert [orders(), orders(), orders()] == [2, 3, 3]
    assert "moved on" in words_of(answers(carrier)[1])
    assert "it is the turn of" in words_of(answers(carrier)[2])


def test_words_like_orders_that_change_each_time_come_to_an_end(context, game, carrier):
    wired(context, carrier, lambda letter: answering(letter, f"Pass number {next(counter)} of all mails!"))
    mover = context.names_of(game)[context.game_row(game).seat].lower()
    letters = [mail for mail in answers(carrier) if f"{mover}@" in str(mail["To"])]
    assert 1 < len(letters) <= MOST_REFUSALS_IN_A_ROW
