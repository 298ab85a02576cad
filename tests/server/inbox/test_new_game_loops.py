"""Who may ask for games by mail: no mail is a source of spam, and no program is answered twice."""

import pytest

from server.delivery.sending import send_due_letters
from server.inbox import dispatch
from server.lobby.proposals import MOST_REPLIES, PROPOSAL_VALID
from server.outbox import budgets
from server.outbox.budgets import MOST_FROM_ONE, MOST_TO_ONE
from tests.breadth import first
from tests.server.desk import desk
from tests.server.inbox.test_new_game_mail import NEW, Post, body, games, kind, stored


@pytest.fixture
def post(context):
    return Post(context)


@pytest.mark.parametrize(
    "changes",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"List_Id": "<a.example.org>"},
        {"X_Alexandros": "proposal"},
        {"envelope": ""},
        {"sender": "MAILER-DAEMON@example.org"},
        {"subject": "Out of office"},
        {"sender": "anna@example.org, ben@example.org"},
        {"sender": "Anna"},
        {"sender": "play+abcdefgh@play.example.org"},
        {"sender": "Alexandros <alexandros@example.org>"},
        {"sender": NEW},
    ],
    ids=str,
)
def test_what_no_person_wrote_is_not_answered(context, post, changes):
    assert post.write("Ben <ben@example.org>", **changes) == "ignored"
    assert not post.carrier.mails
    assert stored(context) == [0] * 6


def test_people_may_have_their_addresses_at_the_domain_of_the_house(context, post):
    """As where the house takes mail at new@ and play+ of a family's own domain."""
    post.write("Ben <ben@play.example.org>", sender="Anna <anna@play.example.org>")
    assert [to for _, to in post.carrier.envelopes] == ["anna@play.example.org"]
    assert "ben@play.example.org" in post.carrier.mails[-1].get_body(("plain",)).get_content()


def test_an_answer_goes_to_the_header_from_alone(context, post):
    post.write("house", envelope="somebody@elsewhere.example.org", Reply_To="dirk@example.org")
    assert [to for _, to in post.carrier.envelopes] == ["anna@example.org"]


def test_nobody_gets_more_than_a_few_answers(context, post):
    (_, most), _ = MOST_TO_ONE
    for _ in range(most):
        assert post.write("house") == "played"
    assert post.write("house", sender="ANNA+2@example.org") == "ignored"
    assert len(post.carrier.mails) == most
    post.now += PROPOSAL_VALID / 6
    assert post.write("house") == "played"


def test_from_one_network_not_many_are_answered_and_others_do_not_suffer(context, post, monkeypatch):
    most = MOST_FROM_ONE // 5
    monkeypatch.setattr(budgets, "MOST_FROM_ONE", most)
    post.network = "192.0.2.0/24"
    for number in range(most + 5):
        post.write("house", sender=f"anna{number}@example.org")
    assert len(post.carrier.mails) == most
    post.answer(post.carrier.mails[0], "2 houses")
    assert len(post.carrier.mails) == most + 1
    post.network = "198.51.100.0/24"
    post.write("house", sender="cleo@example.org")
    assert len(post.carrier.mails) == most + 2


def test_who_has_had_enough_people_written_to_today_is_told_so_and_opens_the_game_tomorrow(
    context, post, monkeypatch
):
    letter = post.proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    monkeypatch.setattr(budgets, "MOST_FROM_ONE", 1)
    assert post.answer(letter, "yes") == "played"
    assert "please come back tomorrow" in " ".join(body(post.to("anna")).split())
    assert games(context, "open") == []
    monkeypatch.setattr(budgets, "MOST_FROM_ONE", 2)
    post.answer(letter, "yes")
    assert len(games(context, "open")) == 1


@pytest.mark.breadth
@pytest.mark.parametrize(("people", "most"), [(3, 50), pytest.param(15, 250, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "known",
    [
        pytest.param(True, id="networks known"),
        pytest.param(False, id="networks unknown"),
    ],
)
def test_people_are_answered_while_many_times_as_many_forged_mails_come(tmp_path, known, people, most):
    """Thirty-three forged ones for each of theirs, from a network for each six people."""
    context = desk(tmp_path, ALEXANDROS_UNASKED_PER_DAY=str(most))
    post, networks = Post(context), (people + 5) // 6
    for number in range(33 * people):
        post.network = f"192.0.{number % networks}.0/24" if known else ""
        post.take_in("house", f"somebody{number}@mail{number}.example.net")
        if number % 33 == 0:
            post.network = f"198.51.{number // 33}.0/24" if known else ""
            post.take_in("house", f"honest{number}@example.org")
    while dispatch.process_waiting_mail(context, post.now):
        pass
    while send_due_letters(context, post.carrier, post.now):
        pass
    told = [str(mail["To"]) for mail in post.carrier.mails]
    assert sum(one.startswith("honest") for one in told) == people
    assert len(told) == (people + networks * MOST_FROM_ONE if known else most)


def test_a_program_that_answers_each_proposal_is_answered_a_few_times_only(context, post):
    letter = post.proposed()
    for number in range(MOST_REPLIES + 5):
        post.answer(post.to("anna"), f"Ask dirk{number}@example.org, I am away.")
    assert len(post.carrier.mails) == MOST_REPLIES
    assert games(context, "open") == []
    post.answer(letter, "I am away", Auto_Submitted="auto-replied")
    assert len(post.carrier.mails) == MOST_REPLIES


@pytest.mark.parametrize(
    "words",
    first(
        4,
        [
            "I am away until Monday. Please write to my colleague.",
            "I am away for {number} days",
            "Ik ben {number} weken met vakantie en lees geen mail.",
            "I was called away for {number} hours, back soon",
            "I am Travelling until {number} March, in English I can be reached",
            "Please verify your identity with the code {number}.",
            "Ticket {number} was opened. Somebody will call.",
            "",
        ],
    ),
)
def test_prose_that_wishes_nothing_for_a_game_is_not_answered(context, post, words):
    post.proposed()
    for number in range(1, 6):
        assert post.answer(post.to("anna"), words.format(number=number)) == "ignored"
    assert len(post.carrier.mails) == 1
    post.answer(post.to("anna"), "yes")
    assert len(games(context, "open")) == 1


def test_a_colleague_whom_a_program_names_is_understood_once(context, post):
    post.proposed("Ben <ben@example.org>")
    for _ in range(5):
        post.answer(post.to("anna"), "I am away. In urgent cases write to Dirk <dirk@example.org>.")
    assert len(post.carrier.mails) == 2


def test_a_program_that_says_yes_opens_the_game_and_gets_no_other_answer_to_its_next(context, post):
    post.proposed("Ben <ben@example.org>")
    for name in ("anna", "ben", "anna", "ben", "ben"):
        post.answer(post.to(name), f"OK\n\n{name}")
    assert [kind(one) for one in post.carrier.to("anna")][:2] == ["proposal", "accepted"]
    assert len(post.carrier.to("anna")) <= 4  # the game begins, and one order of his cannot be read
    assert len(post.carrier.to("ben")) <= 3


def test_who_begins_with_yes_and_says_more_is_told_once_how_to_say_it(context, post):
    letter = post.proposed()
    assert post.answer(letter, "Yes, that is how we want it!") == "played"
    assert "was not understood" in body(post.to("anna"))
    assert post.answer(post.to("anna"), "Yes but I do not know how") == "ignored"
    assert len(post.carrier.mails) == 2


def test_a_request_among_other_words_is_a_request(context, post):
    letter = post.proposed("Ben <ben@example.org>")
    assert post.answer(letter, "Could you make that 12 hours for a turn, that suits Ben better") == "played"
    assert "Time for a turn: 12 hours" in body(post.to("anna"))
    assert post.answer(post.to("anna"), "Cleo will join too: cleo@nowhere..org") == "played"
    assert "is no address" in body(post.to("anna"))


def test_prose_after_the_game_is_open_is_not_answered(context, post):
    letter = post.proposed()
    post.answer(letter, "yes")
    before = len(post.carrier.mails)
    assert post.answer(letter, "I am away for 5 days") == "ignored"
    assert len(post.carrier.mails) == before
