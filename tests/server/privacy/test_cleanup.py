"""What has been kept long enough goes at a tick, and what is needed stays."""

from datetime import datetime, timedelta

import pytest
from sqlmodel import SQLModel, select

from server.accounts import sign_in
from server.accounts.addresses import request_address_confirmation
from server.accounts.sign_in import create_key
from server.clock import tick
from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.inbox.dispatch import process_waiting_mail
from server.inbox.intake import store_mail
from server.lobby.open_seats import leave_seat
from server.outbox import chat
from server.outbox.notifications import Preferences, set_letters_wanted, store_preferences
from server.retention import delete_expired
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.models import (
    AddressConfirmation,
    ApiKey,
    BouncingAddress,
    Game,
    IncomingMail,
    LocalMail,
    OperatorMail,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    SignedInBrowser,
    SignInLink,
    StoredPreferences,
    UnsolicitedLetter,
)
from server.store.states import LetterState, MailState, OperatorMatter
from tests.breadth import spread
from tests.server.beginnings import begin_game
from tests.server.desk import NOON
from tests.server.inbox.test_mail_dispatch import body, last_letter, reply

DAY = timedelta(days=1)


def store(context: Context, *made: SQLModel) -> None:
    with context.changing() as session:
        session.add_all(made)


def player_of(context: Context, name: str) -> int:
    return context.rows_of(Player, Player.name == name)[0].id


def clean(context: Context, now: datetime) -> None:
    context.next_cleanup = None
    while context.next_cleanup is None:
        delete_expired(context, now)


def test_a_mail_goes_after_thirty_days_and_an_ignored_one_after_seven(context):
    for number, sent in enumerate((NOON, NOON, NOON + 2 * DAY, NOON + 40 * DAY)):
        store_mail(context, "anna@example.org", "new@play.example.org", b"To: x\r\n\r\n%d" % number, sent)
    with context.changing() as session:
        played, ignored, later, _ = session.exec(select(IncomingMail)).all()
        played.state, ignored.state, later.state = MailState.PLAYED, MailState.IGNORED, MailState.REFUSED
        numbers = [played.id, ignored.id, later.id]
    for days, left in ((6.9, 4), (7, 3), (29.9, 3), (30, 2), (32, 1)):
        clean(context, NOON + days * DAY)
        assert len(context.rows_of(IncomingMail)) == left, days
    assert context.rows_of(IncomingMail)[0].state == MailState.WAITING  # however old it gets
    clean(context, NOON + 400 * DAY)
    assert context.rows_of(IncomingMail)[0].raw
    assert numbers == [1, 2, 3]


def test_the_last_mail_goes_too_but_its_number_is_not_given_again(context):
    store_mail(context, "anna@example.org", "new@play.example.org", b"To: x\r\n\r\n", NOON)
    with context.changing() as session:
        session.exec(select(IncomingMail)).one().state = MailState.PLAYED
    clean(context, NOON + 31 * DAY)
    emptied = context.rows_of(IncomingMail)[0]
    assert (emptied.sender, emptied.recipient, emptied.raw, emptied.why) == ("", "", b"", "")
    store_mail(context, "anna@example.org", "new@play.example.org", b"To: y\r\n\r\n", NOON + 32 * DAY)
    assert [one.id for one in context.rows_of(IncomingMail)] == [1, 2]
    clean(context, NOON + 32 * DAY)
    assert [one.id for one in context.rows_of(IncomingMail)] == [2]


def test_letters_go_thirty_days_after_they_were_queued_unless_they_wait(context, carrier):
    begin_game(context, carrier, "Anna", "Ben")
    sent = context.rows_of(OutgoingLetter)
    with context.changing() as session:
        session.get_one(OutgoingLetter, sent[0].id).state = LetterState.WAITING
        session.get_one(OutgoingLetter, sent[0].id).merged_into = sent[-1].id
    clean(context, NOON + 30 * DAY - timedelta(minutes=1))
    assert len(context.rows_of(OutgoingLetter)) == len(sent)
    clean(context, NOON + 30 * DAY)
    waiting, last = context.rows_of(OutgoingLetter)
    assert (waiting.id, waiting.merged_into) == (sent[0].id, None) or waiting.merged_into == last.id
    assert (last.id, last.recipient, last.text, last.detail) == (sent[-1].id, "", "", "{}")


def test_a_letter_that_left_late_stays_until_it_can_come_back_no_more(context, carrier):
    begin_game(context, carrier, "Anna", "Ben")
    with context.changing() as session:
        late = session.exec(select(OutgoingLetter)).first()
        late.sent_at = NOON + 5 * DAY
    clean(context, NOON + 31 * DAY)
    assert late.id in [one.id for one in context.rows_of(OutgoingLetter)]
    clean(context, NOON + 36 * DAY)
    assert late.id not in [one.id for one in context.rows_of(OutgoingLetter)]


def test_who_was_invited_to_a_game_that_waits_stays_known_until_it_begins(context, carrier):
    seats = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Ben", "ben@example.org")]
    game = context.open_game("Friday", seats, NOON)
    send_due_letters(context, carrier, NOON)
    clean(context, NOON + 90 * DAY)
    assert {one.kind for one in context.rows_of(OutgoingLetter)} == {"invitation"}
    assert len(context.rows_of(OutgoingLetter)) == 2
    context.change_game(game, status="cancelled")
    clean(context, NOON + 90 * DAY)
    assert [one.recipient for one in context.rows_of(OutgoingLetter)] == [""]


def test_the_words_of_a_letter_go_a_day_after_its_answer(context, carrier):
    game = begin_game(context, carrier, "Anna", "Ben")
    name = context.mover(game)
    answered = last_letter(context, carrier, name)
    number = next(
        one.id for one in context.rows_of(OutgoingLetter) if one.message_id == answered["Message-ID"]
    )
    reply(context, answered, "hand")
    process_waiting_mail(context, NOON)
    words = {one.id: one.text for one in context.rows_of(OutgoingLetter)}
    clean(context, NOON + 0.9 * DAY)
    assert {one.id: one.text for one in context.rows_of(OutgoingLetter)} == words
    clean(context, NOON + DAY)
    assert {one.id: one.text for one in context.rows_of(OutgoingLetter)} == {**words, number: ""}
    assert words[number] == body(answered) or words[number]


def test_browsers_keys_links_addresses_and_proposals_go_when_nobody_used_them(context, game):
    anna = player_of(context, "Anna")
    create_key(context, anna, "A program", NOON)
    sign_in.request_link(context, "anna@example.org", NOON)
    request_address_confirmation(context, game, context.seat_of(game, "Anna"), "anna.new@example.org", NOON)
    store(
        context,
        SignedInBrowser(digest="x", player=anna, browser="Firefox", at=NOON, seen_at=NOON + DAY),
        Proposal(game=game, seat=0, request="{}"),
    )
    for days, table, left in (
        (0.9, SignInLink, 1),
        (1, SignInLink, 0),
        (29, Proposal, 1),
        (29.9, AddressConfirmation, 1),
        (30, AddressConfirmation, 0),
        (30, Proposal, 0),
        (90.9, SignedInBrowser, 1),
        (91, SignedInBrowser, 0),
        (364, ApiKey, 1),
        (365, ApiKey, 0),
    ):
        clean(context, NOON + days * DAY)
        assert len(context.rows_of(table)) == left, (days, table)


def test_returned_mail_the_ledger_and_mails_to_the_operator_are_forgotten(context, game):
    anna = player_of(context, "Anna")
    store(
        context,
        BouncingAddress(player=anna, address="one@example.org", since=NOON, ended_at=NOON),
        BouncingAddress(player=anna, address="two@example.org", since=NOON),
        UnsolicitedLetter(message_id="<x>", address="digest", origin="", at=NOON),
        OperatorMail(
            matter=OperatorMatter.LETTERS_REFUSED, raw=b"", state=LetterState.SENT, at=NOON, due_at=NOON
        ),
        OperatorMail(matter=OperatorMatter.RELAY_AWAY, raw=b"", at=NOON, due_at=NOON),
    )
    clean(context, NOON + 29 * DAY)
    tables = BouncingAddress, UnsolicitedLetter, OperatorMail
    assert [len(context.rows_of(one)) for one in tables] == [2, 1, 2]
    clean(context, NOON + 31 * DAY)
    assert [one.address for one in context.rows_of(BouncingAddress)] == ["two@example.org"]
    assert context.rows_of(UnsolicitedLetter) == []
    assert [one.matter for one in context.rows_of(OperatorMail)] == [OperatorMatter.RELAY_AWAY]


def test_who_never_said_yes_and_has_no_seat_goes_thirty_days_after_their_last_letter(context):
    seats = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo", "Dirk")]
    game = context.open_game("Friday", seats, NOON, organiser="anna@example.org")
    for name in ("Ben", "Dirk"):
        leave_seat(context, game, context.seat_of(game, name), 10**6, NOON + DAY)
    with context.changing() as session:
        set_letters_wanted(session, player_of(context, "Dirk"), None, False, NOON)
        store_preferences(session, player_of(context, "Ben"), None, Preferences(language="nl"), NOON)
    clean(context, NOON + 29 * DAY)
    assert sorted(one.name for one in context.rows_of(Player)) == ["Anna", "Ben", "Cleo", "Dirk"]
    clean(context, NOON + 30 * DAY)
    assert sorted(one.name for one in context.rows_of(Player)) == ["Anna", "Cleo", "Dirk"]
    assert len(context.rows_of(StoredPreferences)) == 1


def test_who_said_yes_once_or_may_have_stopped_letters_in_an_earlier_version_stays_known(context):
    for name, confirmed_at in (("Anna", NOON), ("Ben", None), ("Cleo", None), ("Dirk", None)):
        address = f"{name.lower()}@example.org"
        store(context, Player(address=address, name=name, confirmed_at=confirmed_at))
    for name, stopped in (("Cleo", None), ("Dirk", False)):
        number = player_of(context, name)
        store(context, StoredPreferences(player=number, game="", said="{}", letters_stopped=stopped))
    clean(context, NOON)
    assert [one.name for one in context.rows_of(Player)] == ["Anna", "Cleo"]


@pytest.mark.parametrize("pause", spread(1, [4, 1]))
def test_the_tick_does_it_and_a_game_goes_on(context, carrier, pause):
    game = begin_game(context, carrier, "Anna", "Ben")
    for day in range(0, 41, pause):
        tick(context, NOON + day * DAY)
        send_due_letters(context, carrier, NOON + day * DAY)
    oldest = min(one.queued_at for one in context.rows_of(OutgoingLetter))
    assert oldest > NOON + 8 * DAY
    with context.reading() as session:
        assert session.get_one(Game, game).seq > 10
        assert session.get(Seating, (game, 0)) is not None


def test_the_built_in_mailbox_is_emptied_after_thirty_days(context):
    context.start_game("Anna", "Ben")
    send_due_letters(context, choose_transport(context, lambda: NOON), NOON)
    assert context.rows_of(LocalMail)
    clean(context, NOON + 30 * DAY - timedelta(minutes=1))
    assert context.rows_of(LocalMail)
    clean(context, NOON + 30 * DAY)
    assert context.rows_of(LocalMail) == []


def test_a_key_that_is_used_stays(context, game):
    create_key(context, player_of(context, "Anna"), "A program", NOON)
    with context.changing() as session:
        session.exec(select(ApiKey)).one().used_at = NOON + 300 * DAY
    clean(context, NOON + 400 * DAY)
    assert len(context.rows_of(ApiKey)) == 1


def test_messages_are_told_when_their_letters_are_not_known_any_more(context, carrier):
    game = begin_game(context, carrier, "Anna", "Ben")
    ben, now = context.seat_of(game, "Ben"), NOON

    def say(words: str) -> None:
        with context.changing() as session:
            row = session.get_one(Game, game)
            chat.post(context, session, row, context.seat_of(game, "Anna"), ben, words, now)

    context.set_preferences(game, "Ben", messages=True)
    for day in range(5):
        now = NOON + day * 10 * DAY
        say(f"Number {day}")
        send_due_letters(context, carrier, now)
        clean(context, now)
    told = [mail for mail in carrier.to("Ben") if mail["X-Alexandros"] == "message"]
    assert len(told) == 5
    assert len({str(mail["Message-ID"]) for mail in told}) == 5
