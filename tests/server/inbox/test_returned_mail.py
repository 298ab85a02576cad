"""Returned mail: believed where a seal of ours shows it, never answered, and booked by whose fault it is."""

from datetime import timedelta

import pytest

from emails.tokens import Ticket, unseal_bounce
from server.accounts.addresses import confirm_address, request_address_confirmation
from server.accounts.unsubscribe import stop_letters
from server.admin.reports import describe_backlog
from server.delivery.relay import DeliveryFailed
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, received_mail
from server.inbox.dispatch import READ_AGAIN_AFTER
from server.outbox.notifications import load_preferences
from server.readiness import add_store_checks
from server.store.models import OperatorMail, OutgoingLetter
from server.store.states import OperatorMatter
from tests.breadth import first
from tests.emails.replies.reports import FORMS, postfix
from tests.server.beginnings import begin_game
from tests.server.delivery.test_relay import Relay
from tests.server.desk import NOON, Collector, desk
from tests.server.inbox.returned import ReturnedMail, envelope_of, report


def test_each_letter_comes_back_to_an_address_of_its_own(context, story, mails):
    back = [sender for sender, _ in mails.envelopes]
    assert len(set(back)) == 3
    for sender, letter in zip(back, mails.mails, strict=True):
        local, _, domain = sender.partition("@")
        assert domain == "play.example.org"
        assert len(local) <= 64
        number = unseal_bounce(local.removeprefix("bounce+").upper(), context.links.keys)
        assert context.rows_of(OutgoingLetter.message_id, OutgoingLetter.id == number) == [
            letter["Message-ID"]
        ]
        assert letter["From"] == "Alexandros <alexandros@example.org>"


@pytest.mark.parametrize(
    ("action", "status", "why"),
    [("delayed", "4.4.1", "The letter is delayed"), ("delivered", "2.0.0", "The letter has arrived")],
)
def test_what_is_late_or_arrived_has_not_failed(story, action, status, why):
    assert story.returns(action=action, status=status)[1].startswith(why)
    assert story.is_unchanged()


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
def test_a_note_that_he_is_away_changes_nothing_and_is_not_answered(story, mails, sender, subject, more):
    to = envelope_of(mails, story.letter())
    assert story.comes(HOLIDAY.format(subject=subject, more=more), to, sender=sender)[0] == "ignored"
    assert story.is_unchanged()
    assert story.send() == 0


@pytest.mark.breadth
def test_a_report_is_never_answered_and_ours_never_starts_a_loop(context, story, mails):
    """Each letter comes back at once, and so does each that is sent of it."""
    sent = 0
    for _ in range(40):
        story.work(1)
        for letter in mails.mails[sent:]:
            story.reports(letter)
        sent = len(mails.mails)
    kinds = context.rows_of(OutgoingLetter.kind, OutgoingLetter.state != "dropped")
    assert sent <= 6
    assert not {"answer", "refused", "shown"} & set(kinds)
    assert all(sender for sender, _ in mails.envelopes)


def test_nobody_without_a_letter_of_his_makes_his_mail_come_back(context, story):
    """Whoever plays in a game can guess the Message-ID of the others' letters."""
    letter, own = story.letter(), str(story.letter(story.other)["Reply-To"])
    other = context.links.reply_address(Ticket(story.game, 9, 2))
    for where in ("bounce@play.example.org", f"bounce+{'a' * 20}@play.example.org", own):
        for answer in ("", other, "play+aaaa@play.example.org", own):
            text = postfix(str(letter["To"]), where, str(letter["Message-ID"]), answer)
            assert story.comes(text, where)[0] == "ignored"
    assert story.is_unchanged()


@pytest.mark.parametrize("form", first(4, FORMS), ids=lambda form: form.__name__)
def test_without_its_own_address_a_report_needs_the_letter_itself(story, form):
    letter = story.letter()
    to, known, answer = (str(letter[one]) for one in ("To", "Message-ID", "Reply-To"))
    for text in (
        postfix("x@example.org", answer, known, answer),
        postfix(to, answer, "<other@play.example.org>", answer),
    ):
        assert story.comes(text, answer)[0] == "ignored"
    assert story.is_unchanged()
    assert story.comes(form(to, answer, known, answer), answer)[0] == "played"
    assert story.fails()


def test_it_may_also_come_to_the_address_without_a_token(story, mails):
    assert story.comes(report(mails, story.letter()), "bounce@play.example.org")[0] == "played"
    assert story.fails()


def test_an_address_that_is_not_used_any_more_may_fail(context, story, clock):
    request_address_confirmation(context, story.game, story.seat, "new@example.org", clock())
    (code,) = context.confirmation_codes()
    context.committed(clock(), confirm_address, code)
    assert story.returns(name=story.name)[1].endswith("not used any more.")
    story.send()  # the old address is told
    state, why = story.returns(name=story.name)
    assert (state, why.endswith("only asked or told something.")) == ("played", True)
    assert story.is_unchanged()


def test_an_old_letter_comes_back_after_he_was_heard_of(story):
    letter = story.letter()
    story.answers(letter, str(letter["To"]), 5)
    story.send()
    assert "answered since" in story.reports(letter, 1)[1]
    assert story.is_unchanged()


def test_who_has_stopped_his_letters_is_not_waited_for(context, story, clock):
    context.committed(clock(), stop_letters, story.game, story.seat, False)
    story.send()
    story.returns()
    assert not story.halted()
    story.tick(48)
    assert story.row.turn == 2


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


def test_who_calls_a_letter_unwanted_gets_no_more_of_that_game(context, story, mails):
    assert story.comes(COMPLAINT, "bounce@play.example.org")[0] == "ignored", "it names no letter"
    found = story.comes(COMPLAINT, envelope_of(mails, story.letter()))
    assert found == ("played", received_mail.UNWANTED)
    player = context.player_of(story.game, story.seat)
    with context.reading() as session:
        assert not load_preferences(session, player, story.game).letters
        assert load_preferences(session, player).letters, "other games are none of it"
    assert story.is_unchanged()


@pytest.fixture
def unsent(context, mails, clock):
    """A game of two, whose letters have not left."""
    return ReturnedMail(context, mails, clock, context.start_game("Anna", "Ben"))


@pytest.mark.parametrize("nobody", [True, False])
def test_an_address_that_the_relay_refuses_fails_but_not_for_a_refused_letter(context, unsent, nobody):
    error = DeliveryFailed("No such mailbox.", final=True, nobody=nobody)
    send_due_letters(context, Relay(refused={f"{unsent.name.lower()}@example.org"}, error=error), NOON)
    assert unsent.fails() is nobody
    assert unsent.halted() is nobody
    unsent.mended()
    unsent.tick(13 * 24)
    assert unsent.halted() is nobody


def test_what_comes_back_at_once_waits_until_the_letter_is_noted_as_sent(context, unsent):
    found = []

    class Quick(Collector):
        """A carrier whose letter to one address is back, and read, before it has carried it."""

        def send(self, sender, recipient, raw):
            super().send(sender, recipient, raw)
            if recipient.startswith(unsent.name.lower()):
                found.append(unsent.comes(report(self, self.mails[-1]), sender))

    quick = Quick()
    send_due_letters(context, quick, NOON)
    assert found == [("waiting", "")]
    assert not unsent.fails()
    context.work_until_idle(quick, NOON + READ_AGAIN_AFTER)
    assert unsent.fails()
    assert unsent.halted()
    unsent.mended()


def test_it_waits_for_a_letter_in_hand_an_hour_at_most_and_is_believed_then(context, story):
    """The letter was never noted as sent, as after a fall."""
    with context.changing() as session:
        number = context.rows_of(OutgoingLetter.id, OutgoingLetter.message_id == story.letter()["Message-ID"])
        letter = session.get_one(OutgoingLetter, number[0])
        letter.state, letter.sent_at, letter.due_at = "waiting", None, NOON + timedelta(days=1)
    assert story.returns() == ("waiting", "")
    dispatch.process_waiting_mail(context, NOON + timedelta(minutes=59))
    assert not story.fails()
    assert dispatch.process_waiting_mail(context, NOON + timedelta(hours=1)) == 1
    assert story.fails()


def test_a_letter_that_came_back_does_so_once(story, mails):
    assert story.returns()[1].startswith("A letter came back")
    letter = story.letter()
    again = report(mails, letter) + "\n"
    assert story.comes(again, envelope_of(mails, letter)) == ("played", received_mail.ALREADY_KNOWN)


UNKNOWN = "550 5.1.1 User unknown in local recipient table"
OURS = [
    "550-5.7.26 Your email has been blocked: the sender is unauthenticated. Gmail requires SPF or DKIM.",
    "550 5.7.1 Service unavailable, client host [192.0.2.9] blocked using zen.spamhaus.org",
    "550 5.7.606 Access denied, banned sending IP [192.0.2.9]",
    "421 4.7.0 Try again later, closing connection: rate limit exceeded",
    "550 5.7.25 The IP address sending this message does not have a PTR record",
    "550 5.7.0 Message rejected as spam",
    "554 Your host is on a blacklist",
    "550 5.1.0 sender rejected: DMARC",
    "451 4.3.2 Please try again later",
]
THEIRS = [
    UNKNOWN,
    "550 5.1.1 <spam@block.example.org>: unknown here, says mx.ip-policy.example.org[192.0.2.5]",
    "552 5.2.2 Mailbox full",
    "550 5.2.1 The recipient is receiving mail at a rate that prevents additional messages",
    "550 5.4.1 Recipient address rejected: Access denied",
    "554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.1>",
    "550 No such user here",
]


class Quartet(ReturnedMail):
    """A game of four, and an operator who hears of faults of ours."""

    def says_of(self, name, reply, hours=0):
        """The last letter to a player comes back with these words of a mail server."""
        letter = self.letter(name)
        text = report(self.mails, letter, status=code if "." in (code := reply.split()[1]) else "5.0.0")
        said = text[text.index("Diagnostic-Code") :].partition("\n\n")[0]
        text = text.replace(said, f"Diagnostic-Code: smtp; {reply}")
        assert self.comes(text, envelope_of(self.mails, letter), hours)[0] == "played"

    def state(self):
        """Whose address is marked and whose clock stands, and whether the operator sees a fault of ours."""
        names = [self.name, *self.others]
        marked = [name for name in names if self.fails(name)]
        assert marked == [name for name in names if self.halted(name)]
        self.mended()
        add_store_checks(self.context, self.clock)
        seen = {
            "letters" in self.context.health.find_failing(),
            self.context.rows_of(OperatorMail.matter) == [OperatorMatter.LETTERS_REFUSED],
            any("our fault" in line for line in describe_backlog(self.context, self.clock())),
        }
        assert len(seen) == 1, "the operator hears of it in each way or in none"
        return marked, seen.pop()


@pytest.fixture
def four(tmp_path, mails, clock):
    context = desk(tmp_path, ALEXANDROS_OPERATOR="operator@example.org")
    return Quartet(context, mails, clock, begin_game(context, mails, "Anna", "Ben", "Cleo", "Dirk"))


@pytest.mark.parametrize("reply", [*OURS, *THEIRS])
def test_one_report_is_judged_by_its_code_and_words(four, caplog, reply):
    four.says_of(four.name, reply)
    ours = reply in OURS
    assert four.state() == ([] if ours else [four.name], ours)
    assert ("came back for a fault of this server" in caplog.text) is ours
    assert bool(four.told()) is not ours


def test_several_readers_within_an_hour_are_no_coincidence_and_their_marks_go(four):
    for name in (four.name, four.other):
        four.says_of(name, UNKNOWN, 0.2)
    assert four.state() == ([four.name, four.other], False), "the control: two are marked"
    for name in four.others[1:]:
        four.says_of(name, UNKNOWN, 0.2)
    assert four.state() == ([], True)


def test_readers_whose_letters_come_back_hours_apart_fail_each_alone(four):
    for name in (four.name, *four.others):
        four.says_of(name, UNKNOWN, 1.1)
    assert four.state() == ([four.name, *four.others], False)


def test_the_letter_of_a_turn_goes_again_and_a_dead_address_is_marked_in_the_end(four, mails):
    """The fault of three is mended at once; the mover's address is dead all the same."""
    for name, reply in zip((*reversed(four.others), four.name), (*OURS[:3], UNKNOWN), strict=True):
        four.says_of(name, reply)
    assert four.state() == ([], True)
    for marked in ([], [four.name]):
        sent = len(mails.to(four.name))
        four.work(0.4)
        assert len(mails.to(four.name)) == sent
        four.work(0.1)
        assert len(mails.to(four.name)) == sent + 1
        four.says_of(four.name, UNKNOWN)
        assert [name for name in (four.name, *four.others) if four.fails(name)] == marked
