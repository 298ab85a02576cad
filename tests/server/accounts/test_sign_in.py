"""Signing in: the mailed link, what a browser holds, keys for programs; and who hears of it by mail."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from emails.tokens import KeyRing
from server.accounts import addresses, sign_in
from server.accounts.addresses import request_address_confirmation
from server.accounts.sign_in import (
    MOST_A_DAY,
    MOST_AT_ONCE,
    MOST_BROWSERS,
    STAYS_SIGNED_IN_FOR,
    SignInRefused,
)
from server.delivery.sending import send_due_letters
from server.inbox.dispatch import process_waiting_mail
from server.inbox.intake import store_mail
from server.lobby import proposals
from server.outbox.budgets import read_block, store_block
from server.outbox.notifications import set_letters_wanted
from server.store.game_terms import SeatRequest
from server.store.models import ApiKey, OutgoingLetter, Player, Seating, SignedInBrowser
from server.store.states import BlockOrigin
from tests.server.desk import NOON, Collector, at_once, body, desk
from tests.server.storage import storage

SOON = NOON + timedelta(minutes=9)
LATE = NOON + timedelta(minutes=10)


@pytest.fixture
def context(tmp_path):
    found = desk(tmp_path)
    found.start_game("Anna", "Ben")
    return found


@pytest.fixture
def anna(context) -> int:
    return context.rows_of(Player.id, Player.name == "Anna")[0]


@pytest.fixture
def ben(context) -> int:
    return context.rows_of(Player.id, Player.name == "Ben")[0]


def links_sent(context) -> list[OutgoingLetter]:
    return context.rows_of(OutgoingLetter, OutgoingLetter.kind == "signin")


def letters(context, now=NOON) -> list:
    mails = Collector()
    while send_due_letters(context, mails, now):
        pass
    return [mail for mail in mails.mails if mail["X-Alexandros"] == "signin"]


def code_in(mail) -> str:
    return re.search(r"/s/([a-z2-7]{32})\s", mail.get_body(("plain",)).get_content())[1]


def new_code(context, address: str = "anna@example.org", now=NOON) -> str:
    sign_in.request_link(context, address, now)
    return code_in(letters(context, now)[-1])


def player_of(context, token: str, now=NOON) -> int | None:
    with context.reading() as session:
        found = sign_in.find_browser(session, token, now)
        return None if found is None else found.player


# --- the letter -------------------------------------------------------------------------------------------


def test_who_plays_here_gets_a_link_and_nobody_else_does(context):
    sign_in.request_link(context, " ANNA@example.org ", NOON)
    sign_in.request_link(context, "stranger@example.org", NOON)
    sign_in.request_link(context, "", NOON)
    (mail,) = letters(context)
    assert mail["To"] == "anna@example.org"
    assert not {"List-Unsubscribe", "List-Id", "References"} & {*mail.keys()}
    assert sign_in.read_code(context, code_in(mail), SOON)[0] == "Anna"


def test_a_letter_that_waited_while_the_secret_was_replaced_has_a_link_that_works(context):
    sign_in.request_link(context, "anna@example.org", NOON)
    keys = KeyRing((b"a newer secret of the house", *context.links.keys.secrets))
    context.links = replace(context.links, keys=keys)
    (mail,) = letters(context)
    assert sign_in.read_code(context, code_in(mail), SOON)[0] == "Anna"
    assert sign_in.read_code(context, new_code(context), SOON)[0] == "Anna"


def test_who_was_only_named_in_a_game_that_nobody_confirmed_gets_none(context):
    head = b"From: cleo@example.org\r\nMessage-ID: <1@x>\r\n\r\nben@example.org"
    store_mail(context, "cleo@example.org", f"new@{context.links.domain}", head, NOON)
    process_waiting_mail(context, NOON)
    assert "cleo@example.org" in [one.address for one in context.rows_of(Player)]
    sign_in.request_link(context, "cleo@example.org", NOON)
    assert not letters(context)


def test_the_letter_speaks_its_readers_language_and_comes_though_he_wants_no_letters(context, anna):
    game = context.rows_of(Seating)[0].game
    context.set_preferences(game, "Anna", everywhere=True, language="nl")
    with context.changing() as session:
        set_letters_wanted(session, anna, None, False, NOON)
    sign_in.request_link(context, "anna@example.org", NOON)
    (mail,) = letters(context)
    assert 'lang="nl"' in mail.get_body(("html",)).get_content()


def test_to_a_stranger_a_link_is_one_of_the_letters_that_they_did_not_ask_for(context):
    with context.changing() as session:
        store_block(session, read_block("ben@example.org", BlockOrigin.READER, NOON))
    for number in range(4):
        moment = NOON + number * sign_in.SIGN_IN_LINK_VALID
        sign_in.request_link(context, "anna@example.org", moment, network="192.0.2.0/24")
        sign_in.request_link(context, "ben@example.org", moment, network="192.0.2.0/24")
    sent = [one.recipient for one in links_sent(context)]
    assert sent == ["anna@example.org"] * 3
    context.confirm("Anna", "Ben")
    sign_in.request_link(context, "anna@example.org", NOON + timedelta(hours=1))
    sign_in.request_link(context, "ben@example.org", NOON + timedelta(hours=1))
    assert len(links_sent(context)) == 5


def test_not_too_many_links_are_mailed_to_one_player(context, anna):
    context.confirm("Anna", "Ben")
    for minutes in range(0, 80, 10):
        for _ in range(MOST_AT_ONCE + 1):
            sign_in.request_link(context, "anna@example.org", NOON + timedelta(minutes=minutes))
    assert len(links_sent(context)) == MOST_A_DAY
    sign_in.request_link(context, "ben@example.org", NOON)
    assert len(links_sent(context)) == MOST_A_DAY + 1
    for hours in range(MOST_A_DAY):
        sign_in.request_link_for(context, anna, NOON + timedelta(hours=4 + hours))
    with pytest.raises(SignInRefused, match="Several links"):
        sign_in.request_link_for(context, anna, NOON + timedelta(hours=4 + MOST_A_DAY))
    assert len(links_sent(context)) == 2 * MOST_A_DAY + 1


def test_a_letter_that_could_not_leave_in_time_is_not_sent(context):
    sign_in.request_link(context, "anna@example.org", NOON)
    assert not letters(context, LATE)
    assert [one.state for one in links_sent(context)] == ["dropped"]


def test_whoever_reads_the_database_cannot_sign_in(context, anna):
    code = new_code(context)
    token = sign_in.sign_in(context, code, "Firefox; Linux", NOON)
    key = sign_in.create_key(context, anna, "My program", NOON)
    dump = storage().dump(context.database)
    assert "My program" in dump
    assert not [secret for secret in (code, token, key) if secret in dump]


def test_of_two_who_press_at_once_one_is_signed_in(context):
    code, tokens = new_code(context), []

    def press() -> None:
        tokens.append(sign_in.sign_in(context, code, "", NOON))

    assert at_once(press, press) == []
    assert (len(tokens), len(context.rows_of(SignedInBrowser))) == (1, 1)


def test_a_browser_stays_signed_in_as_long_as_it_comes_back_within_three_months(context, anna):
    token = sign_in.sign_in(context, new_code(context), "", NOON)
    later = NOON + STAYS_SIGNED_IN_FOR - timedelta(days=1)
    assert sign_in.note_visit(context, token, later) == anna
    assert player_of(context, token, later + STAYS_SIGNED_IN_FOR - timedelta(days=1)) == anna
    assert player_of(context, token, later + STAYS_SIGNED_IN_FOR) is None
    assert sign_in.note_visit(context, token, later + STAYS_SIGNED_IN_FOR) is None
    sign_in.request_link(context, "stranger@example.org", later + STAYS_SIGNED_IN_FOR)
    assert not context.rows_of(SignedInBrowser)


def test_that_a_browser_was_seen_is_noted_once_an_hour(context):
    token = sign_in.sign_in(context, new_code(context), "", NOON)
    for minutes, noted in ((59, NOON), (60, NOON + timedelta(hours=1)), (61, NOON + timedelta(hours=1))):
        sign_in.note_visit(context, token, NOON + timedelta(minutes=minutes))
        assert context.rows_of(SignedInBrowser)[0].seen_at == noted


def test_one_player_is_signed_in_in_so_many_browsers_at_most(context, anna):
    with context.changing() as session:
        for number in range(MOST_BROWSERS):
            at = NOON + timedelta(minutes=number)
            session.add(SignedInBrowser(digest=str(number), player=anna, browser="", at=at, seen_at=at))
    now = NOON + timedelta(days=1)
    sign_in.sign_in(context, new_code(context, now=now), "", now)
    found = {one.digest for one in context.rows_of(SignedInBrowser)}
    assert len(found) == MOST_BROWSERS
    assert "0" not in found


def test_a_key_acts_for_its_player_until_it_is_ended(context, anna, ben):
    key = sign_in.create_key(context, anna, " My\nprogram ", NOON)
    assert re.fullmatch(r"alx_[a-z2-7]{32}", key)
    with context.reading() as session:
        assert sign_in.player_with_key(session, key) == anna
        assert sign_in.player_with_key(session, key + "a") is None
        assert sign_in.player_with_key(session, "") is None
        (found,) = sign_in.keys_of(session, anna)
    assert (found.name, found.at, found.used_at) == ("My program", NOON, None)
    sign_in.revoke_key(context, ben, found.id)
    assert context.rows_of(ApiKey)
    for _ in range(2):
        sign_in.revoke_key(context, anna, found.id)
        assert not context.rows_of(ApiKey)
    with context.reading() as session:
        assert sign_in.player_with_key(session, key) is None


def test_that_a_key_was_used_is_noted_once_an_hour(context, anna):
    key = sign_in.create_key(context, anna, "x", NOON)
    for minutes, noted in ((0, 0), (59, 0), (60, 60)):
        sign_in.note_key_use(context, key, NOON + timedelta(minutes=minutes))
        assert context.rows_of(ApiKey)[0].used_at == NOON + timedelta(minutes=noted)
    sign_in.note_key_use(context, "alx_other", NOON)


# --- when the address changes -----------------------------------------------------------------------------


def test_another_address_ends_all_that_came_to_the_one_before(context, anna, ben):
    game, seat = next((one.game, one.seat) for one in context.rows_of(Seating) if one.name == "Anna")
    token = sign_in.sign_in(context, new_code(context), "", NOON)
    others = sign_in.sign_in(context, new_code(context, "ben@example.org"), "", NOON)
    sign_in.create_key(context, anna, "x", NOON)
    unused = new_code(context)
    sign_in.request_link(context, "anna@example.org", NOON)  # its letter has not left
    addresses.request_address_confirmation(context, game, seat, "thief@example.org", NOON)
    (asked,) = context.confirmation_codes()
    assert player_of(context, token) == anna
    context.committed(NOON, addresses.confirm_address, asked)
    assert player_of(context, token) is None
    assert player_of(context, others) == ben
    assert not context.rows_of(ApiKey)
    with pytest.raises(SignInRefused):
        sign_in.sign_in(context, unused, "", NOON)
    assert not letters(context)
    kept = sign_in.sign_in(context, new_code(context, "thief@example.org"), "", NOON)
    context.committed(NOON, addresses.confirm_address, asked)  # pressed once more
    assert player_of(context, kept) == anna
    (back,) = context.confirmation_codes(purpose="back")
    context.committed(NOON, addresses.confirm_address, back)
    assert player_of(context, kept) is None


def test_the_way_back_takes_over_from_whoever_signed_in_at_the_old_address_meanwhile(context):
    game, seat = next((one.game, one.seat) for one in context.rows_of(Seating) if one.name == "Anna")
    addresses.request_address_confirmation(context, game, seat, "thief@example.org", NOON)
    context.committed(NOON, addresses.confirm_address, context.confirmation_codes()[0])
    requests = [SeatRequest("Anna", "anna@example.org"), SeatRequest("Cleo", "cleo@example.org")]
    context.open_game("Sunday", requests, NOON)
    meanwhile = sign_in.sign_in(context, new_code(context), "", NOON)
    (back,) = context.confirmation_codes(purpose="back")
    context.committed(NOON, addresses.confirm_address, back)
    assert player_of(context, meanwhile) is None
    assert not context.rows_of(SignedInBrowser)


def test_who_is_signed_in_is_not_forgotten_with_a_proposal(context, anna):
    sign_in.sign_in(context, new_code(context), "", NOON)
    with context.reading() as session:
        assert proposals.must_keep_player(session, anna)
        assert not proposals.must_keep_player(session, 999)


@pytest.fixture
def begun(context) -> str:
    """The game of Anna and Ben, whose first letters have left."""
    letters(context)
    return context.rows_of(Seating)[0].game


def told(context, mails, now=NOON, name="Anna"):
    """The notices that have gone to a player since this was asked last."""
    send_due_letters(context, mails, now)
    found = [mail for mail in mails.to(name) if mail["X-Alexandros"] == "notice"]
    mails.mails.clear()
    return found


def test_a_new_browser_is_told_what_when_which_and_what_to_do(context, begun, mails):
    sign_in.sign_in(context, new_code(context), "Firefox; Android", NOON)
    (notice,) = told(context, mails)
    assert notice["To"] == "anna@example.org"
    words = " ".join(body(notice).split())
    assert "Mon 2 March 2026, 12:00 UTC" in words
    assert "Firefox on Android" in words
    assert "http://127.0.0.1:8000/me/browsers" in words
    assert words.count("http") == 1
    assert not [lead for lead in ("/t/", "/s/", "/c/", "/u/", "play+") if lead in notice.as_string()]


def test_a_browser_that_signs_in_again_is_not_new(context, begun, mails, clock):
    token = sign_in.sign_in(context, new_code(context), "", NOON)
    assert len(told(context, mails)) == 1
    later = clock.forward(2)
    token = sign_in.sign_in(context, new_code(context, now=later), "", later, token)
    assert told(context, mails, later) == []
    later = clock.forward(2)
    bens = sign_in.sign_in(context, new_code(context, "ben@example.org", now=later), "", later, token)
    assert len(told(context, mails, later, "Ben")) == 1
    sign_in.sign_in(context, new_code(context, now=later), "", later, bens)
    assert len(told(context, mails, later)) == 1


def test_a_burst_is_a_few_notices_of_each_kind(context, begun, mails, clock, anna):
    for _ in range(3):
        sign_in.request_link_for(context, anna, NOON)
    for code in map(code_in, letters(context)[-3:]):
        sign_in.sign_in(context, code, "", NOON)
    for _ in range(5):
        sign_in.create_key(context, anna, "A program", NOON, "Chrome; Windows")
    found = told(context, mails)
    assert len(found) == 6
    first, second = found[0], found[-1]
    assert first["Subject"] == "Alexandros: a new sign-in"
    assert "“A program”" in body(second)
    assert "Chrome on Windows" in " ".join(body(second).split())
    sign_in.create_key(context, anna, "B", clock.forward(0.9), "")
    assert told(context, mails, clock()) == []
    sign_in.create_key(context, anna, "C", clock.forward(0.1), "")
    assert len(told(context, mails, clock())) == 1


def test_another_address_is_told_to_the_one_in_use(context, begun, mails):
    seat = context.seat_of(begun, "Anna")
    request_address_confirmation(context, begun, seat, "new@example.org", NOON, browser="Safari; iPhone")
    (notice,) = told(context, mails)
    assert "new@example.org" in body(notice)
    assert "Safari on iPhone" in " ".join(body(notice).split())


def test_who_sits_nowhere_is_not_told(context, begun, mails, anna):
    with context.changing() as session:
        session.get_one(Seating, (begun, context.seat_of(begun, "Anna"))).player = None
    sign_in.create_key(context, anna, "x", NOON)
    assert told(context, mails) == []


def test_a_link_signs_in_once(context, anna):
    code = new_code(context)
    token = sign_in.sign_in(context, code.upper(), "Firefox; Linux", SOON)
    assert player_of(context, token) == anna
    with pytest.raises(SignInRefused, match="used already"):
        sign_in.sign_in(context, code, "Firefox; Linux", SOON)
    with pytest.raises(SignInRefused, match="used already"):
        sign_in.read_code(context, code, SOON)


def test_browsers_are_ended_one_by_one_or_all_but_one_and_only_ones_own(context, anna, ben):
    first, second, third = (sign_in.sign_in(context, new_code(context), "", NOON) for _ in range(3))
    other = sign_in.sign_in(context, new_code(context, "ben@example.org"), "", NOON)
    with context.reading() as session:
        found = next(one for one in sign_in.browsers_of(session, anna) if sign_in.is_same_browser(one, first))
    sign_in.sign_out_browser(context, ben, found.id)
    assert player_of(context, first) == anna
    for _ in range(2):
        sign_in.sign_out_browser(context, anna, found.id)
        assert player_of(context, first) is None
    sign_in.sign_out_everywhere(context, anna, but=second)
    assert [player_of(context, one) for one in (second, third, other)] == [anna, None, ben]
    sign_in.sign_out_everywhere(context, anna)
    assert [player_of(context, one) for one in (second, other)] == [None, ben]
