"""Mail that comes in: played once, answered once, and never more than its writer wrote."""

from email.message import EmailMessage

import pytest
from sqlalchemy.exc import OperationalError

from server.delivery.sending import send_due_letters
from server.inbox import dispatch, game_mail, intake
from server.inbox.mail_answers import NO_ROOM
from server.inbox.received_mail import HOUR, MOST_ANSWERS_AN_HOUR, MOST_ANSWERS_TO_STRANGERS, close_mail
from server.store.event_log import load_acts
from server.store.models import ChatMessage, IncomingMail, OutgoingLetter
from server.store.states import LetterState, MailState
from tests.server.desk import ANNA, BEN, NOON, body, words_of


def answering(letter, text, *, sender=None, **headers):
    mail = EmailMessage()
    usual = {"From": sender or letter["To"], "To": letter["Reply-To"], "Subject": f"Re: {letter['Subject']}"}
    usual |= {"In-Reply-To": letter["Message-ID"]}
    for name, value in (usual | headers).items():
        mail[name.replace("_", "-")] = str(value)
    mail.set_content(text)
    return mail


def reply(context, letter, text, *, quote=True, now=NOON, **more):
    """Answer a letter as a mail program does, and let the mailroom read it."""
    quoted = body(letter).splitlines() if quote else []
    below = ["", "On Monday Alexandros wrote:", *(f"> {line}" for line in quoted)]
    more.setdefault("Message_ID", f"<{abs(hash(text))}@client.example.org>")
    mail = answering(letter, "\n".join([text, *below]), **more)
    take(context, mail, now)
    return mail


def take(context, mail, now=NOON, sender=None):
    envelope = str(mail["From"]).split("<")[-1].strip(">") if sender is None else sender
    intake.store_mail(context, envelope, str(mail["To"]), bytes(mail), now)
    dispatch.process_waiting_mail(context, now)


def last_letter(context, carrier, name):
    send_due_letters(context, carrier, NOON)
    return carrier.to(name)[-1]


def answer_to(context, carrier, name, text, **more):
    """Reply to the last letter of a player; the kind of the answer, and its words with lines joined."""
    reply(context, last_letter(context, carrier, name), text, **more)
    letter = last_letter(context, carrier, name)
    return str(letter["X-Alexandros"]), words_of(letter)


def states(context):
    return [(row.state, row.why) for row in context.rows_of(IncomingMail)]


def test_a_whole_turn_in_one_reply(context, game, carrier, name, turn):
    reply(context, last_letter(context, carrier, name), "\n".join([*turn, "draw; draw", "", f"Best, {name}"]))
    assert context.game_row(game).turn == 2
    assert states(context) == [("played", f"orders (act 3 of {game})")]
    answer = last_letter(context, carrier, name)
    assert answer["Auto-Submitted"] == "auto-replied"
    assert "marched" in body(answer)
    assert context.mover(game) != name
    assert carrier.to(context.mover(game))


def test_the_answer_of_a_step_says_what_can_be_done_now(context, game, says, turn):
    card, march = turn
    assert march.split()[1] in says(card)[1]
    says(march)
    assert context.game_row(game).turn == 1
    with context.reading() as session:
        assert [row.door for row in load_acts(session, game)][-2:] == ["reply", "reply"]


def test_the_same_mail_twice_is_one_mail(context, game, carrier, name, turn):
    mail = reply(context, last_letter(context, carrier, name), turn[0])
    before = len(states(context))
    take(context, mail)
    assert len(states(context)) == before
    mail["Received"] = "by another way"
    take(context, mail)
    assert context.game_row(game).seq == 3
    assert [state for state, _ in states(context)] == ["played", "ignored"]


@pytest.mark.parametrize(
    "recipient", ["play+aaaa@play.example.org", "play@play.example.org", "x", "play+" + "a" * 500 + "@x"]
)
def test_an_address_without_a_ticket_is_ignored(context, game, recipient):
    intake.store_mail(context, "anna@example.org", recipient, b"From: anna@example.org\r\n\r\ndraw\r\n", NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert [state for state, _ in states(context)] == ["ignored"]


@pytest.mark.parametrize(
    "raw", [b"", b"\0" * 100, b"\xff" * 10_000, b"From: x\r\n", b"\r\n" * 5000], ids=range(5)
)
def test_bytes_that_are_no_mail_change_nothing(context, game, carrier, name, raw):
    to = str(last_letter(context, carrier, name)["Reply-To"])
    intake.store_mail(context, "x@example.org", to, raw, NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert context.game_row(game).seq == 2
    assert states(context)[0][0] in ("ignored", "refused")


def test_players_are_read_before_strangers_and_a_flood_delays_its_own_mails(context, monkeypatch):
    brought = (
        [("new", "A")] * 5 + [("new", "B")] + [("play+one", "A")] * 3 + [("play+two", "A"), ("new", "B")]
    )
    for number, (to, network) in enumerate(brought):
        raw = b"From: dirk@example.org\r\n\r\n%d" % number
        intake.store_mail(context, "dirk@example.org", f"{to}@play.example.org", raw, NOON, network)
    read = []

    def note(mail):
        read.append(int(mail.parsed.raw.split()[-1]))
        close_mail(mail, lambda _: (MailState.PLAYED, ""))

    for name in ("play", "new"):
        monkeypatch.setitem(dispatch.PROCESSORS, name, note)
    while dispatch.process_waiting_mail(context, NOON, most=1):
        pass
    assert read == [6, 9, 7, 8, 0, 5, 1, 10, 2, 3, 4]


def test_a_mail_waits_while_the_database_is_away(context, game, says, turn, monkeypatch):
    def away(*_):
        raise OperationalError("", {}, Exception("locked"))

    with monkeypatch.context() as patched:
        patched.setattr(game_mail, "play", away)
        with pytest.raises(OperationalError):
            says(turn[0])
    assert [state for state, _ in states(context)] == ["waiting"]
    assert dispatch.process_waiting_mail(context, NOON) == 1
    assert context.game_row(game).seq == 3


def test_an_invitation_is_accepted_by_a_reply(context, carrier):
    game = context.open_game("Friday", [ANNA, BEN], NOON)
    invitation = last_letter(context, carrier, "Anna")
    reply(context, invitation, "Who is this?")
    asked = last_letter(context, carrier, "Anna")
    assert asked["Subject"] == f"Re: {invitation['Subject']}"
    text = words_of(asked)
    assert "Reply with the one word “yes” to play, or “no” to decline" in text
    assert text.count("http://127.0.0.1:8000/t/") == 2
    reply(context, invitation, "Accept!\n\nAnna")
    assert context.game_row(game).status == "open"
    assert "Still awaited: Ben" in body(last_letter(context, carrier, "Anna"))
    assert context.accept_invitation(game, context.seat_of(game, "Ben"), NOON)


def test_somebody_else_with_the_letter_does_not_play(context, game, carrier, says, turn):
    assert "another address" in says(turn[0], sender="Mallory <mallory@elsewhere.example>")[1]
    assert context.game_row(game).seq == 2
    assert not any("mallory" in recipient for _, recipient in carrier.envelopes)


@pytest.fixture
def answered(context, game, name):
    """Store so many answers that were sent to the first mover, by default just now."""
    seat = context.seat_of(game, name)

    def store(count, **when):
        row = {"game": game, "seq": 1, "seat": seat, "kind": "refused", "due_at": NOON}
        row |= {"recipient": f"{name.lower()}@example.org", "state": LetterState.SENT}
        row |= {"queued_at": NOON, "sent_at": NOON, **when}
        with context.changing() as session:
            for number in range(count):
                session.add(OutgoingLetter(message_id=f"<{number}.{when}@example.org>", **row))

    return store


def answers_due(context):
    return context.rows_of(OutgoingLetter.due_at, OutgoingLetter.kind == "answer")


def test_beyond_the_answers_of_an_hour_words_for_others_are_told_and_answered_later(
    context, carrier, name, answered
):
    letter = last_letter(context, carrier, name)
    answered(MOST_ANSWERS_AN_HOUR)
    reply(context, letter, "say: well played")
    assert context.rows_of(ChatMessage.words) == ["well played"]
    assert answers_due(context) == [NOON + HOUR]


def test_answers_that_had_to_wait_count_from_when_they_leave(context, carrier, name, answered):
    """So their number within any hour is bounded, and not only of those that were asked for in it."""
    letter = last_letter(context, carrier, name)
    answered(MOST_ANSWERS_AN_HOUR, queued_at=NOON - 2 * HOUR, sent_at=NOON - HOUR / 2)
    reply(context, letter, "say: well played")
    answered(MOST_ANSWERS_AN_HOUR, state=LetterState.WAITING, due_at=NOON + HOUR)
    reply(context, letter, "say: well played indeed")
    assert answers_due(context) == [NOON + HOUR / 2, NOON + 2 * HOUR]


def test_an_answer_that_is_an_hour_old_takes_no_room(context, carrier, name, answered):
    letter = last_letter(context, carrier, name)
    answered(MOST_ANSWERS_AN_HOUR, queued_at=NOON - HOUR, sent_at=NOON - HOUR)
    reply(context, letter, "say: well played")
    assert answers_due(context) == [NOON]


def test_others_may_cause_only_a_part_of_the_answers_of_an_hour(context, carrier, name, turn, answered):
    letter = last_letter(context, carrier, name)
    answered(MOST_ANSWERS_TO_STRANGERS)
    reply(context, letter, "choose nothing", sender="cleo@example.org")
    assert states(context) == [("ignored", NO_ROOM)]
    reply(context, letter, "\n".join(turn))
    assert answers_due(context) == [NOON]
