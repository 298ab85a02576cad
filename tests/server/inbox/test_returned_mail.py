"""What comes back is believed where a seal of ours shows it, and answered never."""

from datetime import timedelta

import pytest
from sqlmodel import select

from emails.links import Forged, Ticket, seal_bounce, unseal_bounce
from server.accounts.addresses import ask_address, confirmed
from server.accounts.undeliverable import try_again
from server.accounts.unsubscribe import stop
from server.clock import tick
from server.delivery.outgoing import deliver
from server.delivery.transports import NotCarried
from server.inbox import incoming, returned_mail
from server.store.models import Confirmation, Outgoing
from server.worker import work
from tests.emails.replies.reports import FORMS, postfix
from tests.server.desk import NOON, Collector, game_row, names_of, seat_of, start_game
from tests.server.inbox.returned import (
    comes,
    envelope_of,
    fails,
    halted,
    mended,
    mover,
    report,
    returns,
    unchanged,
    write,
)


@pytest.fixture
def mails():
    return Collector()


@pytest.fixture
def game(office, mails):
    game = start_game(office, "Anna", "Ben", "Cleo", hours=48)
    deliver(office, mails, NOON)
    return game


def test_each_letter_comes_back_to_an_address_of_its_own(office, game, mails):
    back = [sender for sender, _ in mails.envelopes]
    assert len(set(back)) == 3
    for sender, letter in zip(back, mails.mails, strict=True):
        local, _, domain = sender.partition("@")
        assert domain == "play.example.org"
        assert len(local) <= 64
        number = unseal_bounce(local.removeprefix("bounce+").upper(), office.post.secret)
        with office.reading() as session:
            assert session.get_one(Outgoing, number).message_id == letter["Message-ID"]
        assert letter["From"] == "Alexandros <alexandros@example.org>"


def test_a_seal_is_for_one_letter_and_one_purpose(office):
    secret = office.post.secret
    token = seal_bounce(7, secret)
    assert unseal_bounce(token, secret) == 7
    for other in (
        "",
        "a",
        token[:-1],
        token + "a",
        seal_bounce(8, secret)[:-4] + token[-4:],
        "a" * 18,
        "é" * 18,
    ):
        with pytest.raises(Forged):
            unseal_bounce(other, secret)
    with pytest.raises(Forged):
        unseal_bounce(seal_bounce(7, b"another secret of some length"), secret)
    for number in (0, -1, 2**40):
        with pytest.raises(ValueError, match="out of range"):
            seal_bounce(number, secret)


# --- what changes nothing --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "status", "why"),
    [("delayed", "4.4.1", "The letter is late"), ("delivered", "2.0.0", "The letter has arrived")],
)
def test_what_is_late_or_arrived_has_not_failed(office, game, mails, action, status, why):
    name = mover(office, game)
    assert returns(office, mails, game, NOON, action=action, status=status)[1].startswith(why)
    assert unchanged(office, game, name)


def test_a_letter_given_up_after_days_has_failed(office, game, mails, clock):
    returns(office, mails, game, clock.forward(20), action="failed", status="4.4.7")
    assert fails(office, game, mover(office, game))


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
    office, game, mails, sender, subject, more
):
    name = mover(office, game)
    letter = mails.to(name)[-1]
    text = HOLIDAY.format(subject=subject, more=more)
    state, _ = comes(office, text, envelope_of(mails, letter), NOON, sender)
    assert state == "ignored"
    assert unchanged(office, game, name)
    assert deliver(office, mails, NOON) == 0


def test_a_report_is_never_answered_and_ours_never_starts_a_loop(office, game, mails, clock):
    """Each letter comes back at once, and so does each that is sent of it."""
    sent = 0
    for _ in range(40):
        work(office, mails, clock.forward(1))
        for letter in mails.mails[sent:]:
            comes(office, report(mails, letter), envelope_of(mails, letter), clock())
        sent = len(mails.mails)
    with office.reading() as session:
        kinds = [row.kind for row in session.exec(select(Outgoing).where(Outgoing.state != "dropped"))]
    assert sent <= 6
    assert not {"answer", "refused", "shown"} & set(kinds)
    assert all(sender for sender, _ in mails.envelopes)


def test_nobody_without_a_letter_of_his_makes_his_mail_come_back(office, game, mails):
    """Whoever plays in a game can guess the Message-ID of the others' letters."""
    name = mover(office, game)
    letter = mails.to(name)[-1]
    own = mails.to(next(one for one in names_of(office, game) if one != name))[-1]
    other = office.post.reply_address(Ticket(game, 9, 2))
    to, known = str(letter["To"]), str(letter["Message-ID"])
    for where in (
        "bounce@play.example.org",
        "bounce+" + "a" * 20 + "@play.example.org",
        str(own["Reply-To"]),
    ):
        for answer in ("", other, "play+aaaa@play.example.org", str(own["Reply-To"])):
            assert comes(office, postfix(to, where, known, answer), where, NOON)[0] == "ignored"
    assert unchanged(office, game, name)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_without_its_own_address_a_report_needs_the_letter_itself(office, game, mails, form):
    name = mover(office, game)
    letter = mails.to(name)[-1]
    to, known, answer = (str(letter[one]) for one in ("To", "Message-ID", "Reply-To"))
    assert comes(office, postfix("x@example.org", answer, known, answer), answer, NOON)[0] == "ignored"
    assert (
        comes(office, postfix(to, answer, "<other@play.example.org>", answer), answer, NOON)[0] == "ignored"
    )
    assert unchanged(office, game, name)
    assert comes(office, form(to, answer, known, answer), answer, NOON)[0] == "played"
    assert fails(office, game, name)


def test_it_may_also_come_to_the_address_without_a_token(office, game, mails):
    name = mover(office, game)
    letter = mails.to(name)[-1]
    assert comes(office, report(mails, letter), "bounce@play.example.org", NOON)[0] == "played"
    assert fails(office, game, name)


def test_an_address_that_is_not_used_any_more_may_fail(office, game, mails, clock):
    name = mover(office, game)
    ask_address(office, game, seat_of(office, game, name), "new@example.org", clock())
    with office.reading() as session:
        code = session.exec(select(Confirmation)).one().code
    confirmed(office, code, clock())
    assert returns(office, mails, game, clock(), name=name)[1].endswith("not used any more.")
    deliver(office, mails, clock())  # the old address is told
    state, why = returns(office, mails, game, clock(), name=name)
    assert (state, why.endswith("only asked or told something.")) == ("played", True)
    assert unchanged(office, game, name)


def test_an_address_that_does_not_exist_was_only_asked(office, game, mails, clock):
    name = mover(office, game)
    ask_address(office, game, seat_of(office, game, name), "wrong@example.org", clock())
    deliver(office, mails, clock())
    returns(office, mails, game, clock(), name="wrong")
    assert unchanged(office, game, name)


def test_an_old_letter_comes_back_after_he_was_heard_of(office, game, mails, clock):
    name = mover(office, game)
    letter = mails.to(name)[-1]
    address = str(letter["To"])
    comes(office, write(mails, letter, address), str(letter["Reply-To"]), clock.forward(5), address)
    deliver(office, mails, clock())
    text = report(mails, letter)
    assert "heard of since" in comes(office, text, envelope_of(mails, letter), clock.forward(1))[1]
    assert unchanged(office, game, name)


def test_pressing_the_button_each_day_does_not_hold_up_the_others(office, game, mails, clock):
    name = mover(office, game)
    seat = seat_of(office, game, name)
    turns, days = game_row(office, game).turn, 0
    while game_row(office, game).turn == turns and days < 60:
        returns(office, mails, game, clock(), name=name)
        work(office, mails, clock.forward(24))
        try_again(office, game, seat, clock())
        work(office, mails, clock())
        days += 1
    assert days < 20


def test_who_has_stopped_his_letters_is_not_waited_for(office, game, mails, clock):
    name = mover(office, game)
    stop(office, game, seat_of(office, game, name), False, clock())
    deliver(office, mails, clock())
    returns(office, mails, game, clock())
    assert not halted(office, game, name)
    tick(office, clock.forward(48))
    assert game_row(office, game).turn == 2


# --- what the relay says at once -------------------------------------------------------------------------


class Refusing(Collector):
    """A carrier that refuses one address."""

    def __init__(self, address, nobody):
        super().__init__()
        self.address, self.nobody = address, nobody

    def carry(self, sender, recipient, raw):
        if recipient == self.address:
            raise NotCarried("No such mailbox.", final=True, nobody=self.nobody)
        super().carry(sender, recipient, raw)


@pytest.mark.parametrize("nobody", [True, False])
def test_an_address_that_the_relay_refuses_fails_but_not_for_a_refused_letter(office, nobody):
    game = start_game(office, "Anna", "Ben")
    name = mover(office, game)
    deliver(office, Refusing(f"{name.lower()}@example.org", nobody), NOON)
    assert fails(office, game, name) is nobody
    assert halted(office, game, name) is nobody
    mended(office, game)


# --- a letter comes back before it is noted as sent ------------------------------------------------------


class Quick(Collector):
    """A carrier whose letter to one address is back, and read, before it has carried it."""

    def __init__(self, office, address):
        super().__init__()
        self.office, self.address, self.found = office, address, []

    def carry(self, sender, recipient, raw):
        super().carry(sender, recipient, raw)
        if recipient == self.address:
            self.found.append(comes(self.office, report(self, self.mails[-1]), sender, NOON))


def test_what_comes_back_at_once_waits_until_the_letter_is_noted_as_sent(office):
    game = start_game(office, "Anna", "Ben")
    name = mover(office, game)
    quick = Quick(office, f"{name.lower()}@example.org")
    deliver(office, quick, NOON)
    assert quick.found == [("waiting", "")]
    assert not fails(office, game, name)
    work(office, quick, NOON)
    assert fails(office, game, name)
    assert halted(office, game, name)
    mended(office, game)


def in_hand(office, mails, game, now):
    """The last letter to the mover was never noted as sent, as after a fall; it comes back."""
    name = mover(office, game)
    with office.writing() as session:
        letter = session.exec(
            select(Outgoing).where(Outgoing.message_id == mails.to(name)[-1]["Message-ID"])
        ).one()
        letter.state, letter.sent_at, letter.due_at = "waiting", None, NOON + timedelta(days=1)
        session.commit()
    return name, comes(office, report(mails, mails.to(name)[-1]), envelope_of(mails, mails.to(name)[-1]), now)


def test_it_waits_an_hour_at_most_and_is_believed_then(office, game, mails):
    name, became = in_hand(office, mails, game, NOON)
    assert became == ("waiting", "")
    assert incoming.process(office, NOON + timedelta(minutes=59)) == 0
    assert not fails(office, game, name)
    assert incoming.process(office, NOON + timedelta(hours=1)) == 1
    assert fails(office, game, name)


def test_a_letter_that_came_back_does_so_once(office, game, mails):
    assert returns(office, mails, game, NOON)[1].startswith("A letter came back")
    letter = mails.to(mover(office, game))[-1]
    again = report(mails, letter) + "\n"
    assert comes(office, again, envelope_of(mails, letter), NOON) == ("played", returned_mail.KNOWN)
