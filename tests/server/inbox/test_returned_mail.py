"""What comes back is believed where a seal of ours shows it, and answered never."""

from datetime import timedelta

import pytest
from sqlmodel import select

from emails.tokens import Ticket, unseal_bounce
from server.accounts.addresses import confirm_address, request_address_confirmation
from server.accounts.unsubscribe import stop_letters
from server.clock import tick
from server.delivery.relay import DeliveryFailed
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, returned_mail
from server.inbox.dispatch import READ_AGAIN_AFTER
from server.outbox.preferences import load_preferences
from server.store.models import OutgoingLetter
from tests.breadth import first
from tests.emails.replies.reports import FORMS, postfix
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    Collector,
    changing,
    committed,
    confirmation_codes,
    game_row,
    mover,
    names_of,
    rows_of,
    seat_of,
    start_game,
    work_until_idle,
)
from tests.server.inbox.returned import (
    comes,
    envelope_of,
    fails,
    halted,
    mended,
    player_of,
    report,
    returns,
    unchanged,
    write,
)


@pytest.fixture
def game(context, mails):
    return begin_game(context, mails, "Anna", "Ben", "Cleo")


def test_each_letter_comes_back_to_an_address_of_its_own(context, game, mails):
    back = [sender for sender, _ in mails.envelopes]
    assert len(set(back)) == 3
    for sender, letter in zip(back, mails.mails, strict=True):
        local, _, domain = sender.partition("@")
        assert domain == "play.example.org"
        assert len(local) <= 64
        number = unseal_bounce(local.removeprefix("bounce+").upper(), context.links.keys)
        with context.reading() as session:
            assert session.get_one(OutgoingLetter, number).message_id == letter["Message-ID"]
        assert letter["From"] == "Alexandros <alexandros@example.org>"


@pytest.mark.parametrize(
    ("action", "status", "why"),
    [("delayed", "4.4.1", "The letter is late"), ("delivered", "2.0.0", "The letter has arrived")],
)
def test_what_is_late_or_arrived_has_not_failed(context, game, mails, action, status, why):
    name = mover(context, game)
    assert returns(context, mails, game, NOON, action=action, status=status)[1].startswith(why)
    assert unchanged(context, game, name)


HOLIDAY = """\
From: Ben <ben@example.org>
Subject: {subject}
Message-ID: <holiday@example.org>
{more}
I am away until Monday. Please write to dirk@example.org in urgent cases.
"""


@pytest.mark.parametrize("sender", ["", "ben@example.org"])
@pytest.mark.parametrize("subject", ["Out of office", "Re: your turn", "Afwezig"])
@pytest.mark.parametrize("more", ["", "Auto-Submitted: auto-replied\n", "Precedence: bulk\n"])
def test_a_note_that_he_is_away_changes_nothing_and_is_not_answered(
    context, game, mails, sender, subject, more
):
    name = mover(context, game)
    letter = mails.to(name)[-1]
    text = HOLIDAY.format(subject=subject, more=more)
    state, _ = comes(context, text, envelope_of(mails, letter), NOON, sender)
    assert state == "ignored"
    assert unchanged(context, game, name)
    assert send_due_letters(context, mails, NOON) == 0


@pytest.mark.breadth
def test_a_report_is_never_answered_and_ours_never_starts_a_loop(context, game, mails, clock):
    """Each letter comes back at once, and so does each that is sent of it."""
    sent = 0
    for _ in range(40):
        work_until_idle(context, mails, clock.forward(1))
        for letter in mails.mails[sent:]:
            comes(context, report(mails, letter), envelope_of(mails, letter), clock())
        sent = len(mails.mails)
    kinds = [row.kind for row in rows_of(context, OutgoingLetter, OutgoingLetter.state != "dropped")]
    assert sent <= 6
    assert not {"answer", "refused", "shown"} & set(kinds)
    assert all(sender for sender, _ in mails.envelopes)


def test_nobody_without_a_letter_of_his_makes_his_mail_come_back(context, game, mails):
    """Whoever plays in a game can guess the Message-ID of the others' letters."""
    name = mover(context, game)
    letter = mails.to(name)[-1]
    own = mails.to(next(one for one in names_of(context, game) if one != name))[-1]
    other = context.links.reply_address(Ticket(game, 9, 2))
    to, known = str(letter["To"]), str(letter["Message-ID"])
    for where in (
        "bounce@play.example.org",
        "bounce+" + "a" * 20 + "@play.example.org",
        str(own["Reply-To"]),
    ):
        for answer in ("", other, "play+aaaa@play.example.org", str(own["Reply-To"])):
            assert comes(context, postfix(to, where, known, answer), where, NOON)[0] == "ignored"
    assert unchanged(context, game, name)


@pytest.mark.parametrize("form", first(4, FORMS), ids=lambda form: form.__name__)
def test_without_its_own_address_a_report_needs_the_letter_itself(context, game, mails, form):
    name = mover(context, game)
    letter = mails.to(name)[-1]
    to, known, answer = (str(letter[one]) for one in ("To", "Message-ID", "Reply-To"))
    assert comes(context, postfix("x@example.org", answer, known, answer), answer, NOON)[0] == "ignored"
    assert (
        comes(context, postfix(to, answer, "<other@play.example.org>", answer), answer, NOON)[0] == "ignored"
    )
    assert unchanged(context, game, name)
    assert comes(context, form(to, answer, known, answer), answer, NOON)[0] == "played"
    assert fails(context, game, name)


def test_it_may_also_come_to_the_address_without_a_token(context, game, mails):
    name = mover(context, game)
    letter = mails.to(name)[-1]
    assert comes(context, report(mails, letter), "bounce@play.example.org", NOON)[0] == "played"
    assert fails(context, game, name)


def test_an_address_that_is_not_used_any_more_may_fail(context, game, mails, clock):
    name = mover(context, game)
    request_address_confirmation(context, game, seat_of(context, game, name), "new@example.org", clock())
    (code,) = confirmation_codes(context)
    committed(context, clock(), confirm_address, code)
    assert returns(context, mails, game, clock(), name=name)[1].endswith("not used any more.")
    send_due_letters(context, mails, clock())  # the old address is told
    state, why = returns(context, mails, game, clock(), name=name)
    assert (state, why.endswith("only asked or told something.")) == ("played", True)
    assert unchanged(context, game, name)


def test_an_old_letter_comes_back_after_he_was_heard_of(context, game, mails, clock):
    name = mover(context, game)
    letter = mails.to(name)[-1]
    address = str(letter["To"])
    comes(context, write(mails, letter, address), str(letter["Reply-To"]), clock.forward(5), address)
    send_due_letters(context, mails, clock())
    text = report(mails, letter)
    assert "answered since" in comes(context, text, envelope_of(mails, letter), clock.forward(1))[1]
    assert unchanged(context, game, name)


def test_who_has_stopped_his_letters_is_not_waited_for(context, game, mails, clock):
    name = mover(context, game)
    committed(context, clock(), stop_letters, game, seat_of(context, game, name), False)
    send_due_letters(context, mails, clock())
    returns(context, mails, game, clock())
    assert not halted(context, game, name)
    tick(context, clock.forward(48))
    assert game_row(context, game).turn == 2


COMPLAINT = """\
From: <fbl@isp.example.net>
Subject: complaint
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="b1"

--b1
Content-Type: message/feedback-report

Feedback-Type: abuse
Version: 1

--b1--
"""


def test_who_calls_a_letter_unwanted_gets_no_more_of_that_game(context, game, mails):
    name = mover(context, game)
    assert comes(context, COMPLAINT, "bounce@play.example.org", NOON)[0] == "ignored", "it names no letter"
    found = comes(context, COMPLAINT, envelope_of(mails, mails.to(name)[-1]), NOON)
    assert found == ("played", returned_mail.UNWANTED)
    player = player_of(context, game, name).id
    with context.reading() as session:
        assert not load_preferences(session, player, game).letters
        assert load_preferences(session, player).letters, "other games are none of it"
    assert unchanged(context, game, name)


class Refusing(Collector):
    """A carrier that refuses one address."""

    def __init__(self, address, nobody):
        super().__init__()
        self.address, self.nobody = address, nobody

    def send(self, sender, recipient, raw):
        if recipient == self.address:
            raise DeliveryFailed("No such mailbox.", final=True, nobody=self.nobody)
        super().send(sender, recipient, raw)


@pytest.mark.parametrize("nobody", [True, False])
def test_an_address_that_the_relay_refuses_fails_but_not_for_a_refused_letter(context, nobody):
    game = start_game(context, "Anna", "Ben")
    name = mover(context, game)
    send_due_letters(context, Refusing(f"{name.lower()}@example.org", nobody), NOON)
    assert fails(context, game, name) is nobody
    assert halted(context, game, name) is nobody
    mended(context, game)
    tick(context, NOON + timedelta(days=13))
    assert halted(context, game, name) is nobody


class Quick(Collector):
    """A carrier whose letter to one address is back, and read, before it has carried it."""

    def __init__(self, context, address):
        super().__init__()
        self.context, self.address, self.found = context, address, []

    def send(self, sender, recipient, raw):
        super().send(sender, recipient, raw)
        if recipient == self.address:
            self.found.append(comes(self.context, report(self, self.mails[-1]), sender, NOON))


def test_what_comes_back_at_once_waits_until_the_letter_is_noted_as_sent(context):
    game = start_game(context, "Anna", "Ben")
    name = mover(context, game)
    quick = Quick(context, f"{name.lower()}@example.org")
    send_due_letters(context, quick, NOON)
    assert quick.found == [("waiting", "")]
    assert not fails(context, game, name)
    work_until_idle(context, quick, NOON + READ_AGAIN_AFTER)
    assert fails(context, game, name)
    assert halted(context, game, name)
    mended(context, game)


def in_hand(context, mails, game, now):
    """The last letter to the mover was never noted as sent, as after a fall; it comes back."""
    name = mover(context, game)
    with changing(context) as session:
        letter = session.exec(
            select(OutgoingLetter).where(OutgoingLetter.message_id == mails.to(name)[-1]["Message-ID"])
        ).one()
        letter.state, letter.sent_at, letter.due_at = "waiting", None, NOON + timedelta(days=1)
    return name, comes(
        context, report(mails, mails.to(name)[-1]), envelope_of(mails, mails.to(name)[-1]), now
    )


def test_it_waits_an_hour_at_most_and_is_believed_then(context, game, mails):
    name, became = in_hand(context, mails, game, NOON)
    assert became == ("waiting", "")
    dispatch.process_waiting_mail(context, NOON + timedelta(minutes=59))
    assert not fails(context, game, name)
    assert dispatch.process_waiting_mail(context, NOON + timedelta(hours=1)) == 1
    assert fails(context, game, name)


def test_a_letter_that_came_back_does_so_once(context, game, mails):
    assert returns(context, mails, game, NOON)[1].startswith("A letter came back")
    letter = mails.to(mover(context, game))[-1]
    again = report(mails, letter) + "\n"
    assert comes(context, again, envelope_of(mails, letter), NOON) == ("played", returned_mail.ALREADY_KNOWN)
