"""Signing in: the mailed link, what a browser holds, keys for programs; and who is told what."""

import json
import re
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from sqlmodel import select

from emails.i18n import Tongue, speaking
from server.accounts import addresses, sign_in, undeliverable
from server.accounts.sign_in import (
    LASTS,
    MOST_A_DAY,
    MOST_AN_HOUR,
    MOST_BROWSERS,
    MOST_KEYS,
    NotSigned,
)
from server.delivery.outgoing import deliver
from server.inbox.incoming import process
from server.inbox.intake import take_in
from server.lobby import proposals
from server.lobby.games import Wish, open_game
from server.outbox.preferences import keep_letters
from server.store.models import Confirmation, Key, Outgoing, Player, Seating, SignedIn, SignIn
from tests.server.desk import NOON, Collector, desk, start_game, wish

SOON = NOON + timedelta(minutes=29)
LATE = NOON + timedelta(minutes=30)


@pytest.fixture
def office(tmp_path):
    found = desk(tmp_path)
    start_game(found, "Anna", "Ben")
    return found


def rows(office, table) -> list:
    with office.reading() as session:
        return list(session.exec(select(table)))


def number_of(office, name: str) -> int:
    with office.reading() as session:
        return session.exec(select(Player.id).where(Player.name == name)).one()


def letters(office, now=NOON) -> list:
    """The letters with links that arrive."""
    mails = Collector()
    while deliver(office, mails, now):
        pass
    return [mail for mail in mails.mails if mail["X-Alexandros"] == "signin"]


def code_in(mail) -> str:
    return re.search(r"/s/([a-z2-7]{32})\s", mail.get_body(("plain",)).get_content())[1]


def new_code(office, address: str = "anna@example.org", now=NOON) -> str:
    sign_in.ask(office, address, now)
    return code_in(letters(office, now)[-1])


def player_of(office, token: str, now=NOON) -> int | None:
    with office.reading() as session:
        return sign_in.player_of(session, token, now)


# --- the letter -------------------------------------------------------------------------------------------


def test_who_plays_here_gets_a_link_and_nobody_else_does(office):
    sign_in.ask(office, " ANNA@example.org ", NOON)
    sign_in.ask(office, "stranger@example.org", NOON)
    sign_in.ask(office, "", NOON)
    (mail,) = letters(office)
    assert mail["To"] == "anna@example.org"
    assert not {"List-Unsubscribe", "List-Id", "References"} & {*mail.keys()}
    assert sign_in.asked(office, code_in(mail), SOON) == "Anna"


def test_who_was_only_named_in_a_game_that_nobody_confirmed_gets_none(office):
    head = b"From: cleo@example.org\r\nMessage-ID: <1@x>\r\n\r\nben@example.org"
    take_in(office, "cleo@example.org", f"new@{office.post.domain}", head, NOON)
    process(office, NOON)
    assert "cleo@example.org" in [one.address for one in rows(office, Player)]
    sign_in.ask(office, "cleo@example.org", NOON)
    assert not letters(office)


def test_the_letter_speaks_its_readers_language_and_comes_though_he_wants_no_letters(office):
    game = rows(office, Seating)[0].game
    wish(office, game, "Anna", everywhere=True, language="nl")
    with office.writing() as session:
        keep_letters(session, number_of(office, "Anna"), "", False, NOON)
        session.commit()
    sign_in.ask(office, "anna@example.org", NOON)
    (mail,) = letters(office)
    assert 'lang="nl"' in mail.get_body(("html",)).get_content()


def test_the_letter_goes_where_the_letters_go_when_the_first_address_fails(office):
    game, seat = next((one.game, one.seat) for one in rows(office, Seating) if one.name == "Anna")
    addresses.ask_address(office, game, seat, "anna@second.example.org", NOON, second=True)
    (asked,) = rows(office, Confirmation)
    addresses.confirmed(office, asked.code, NOON)
    with office.writing() as session:
        letter = session.exec(select(Outgoing).where(Outgoing.seat == seat, Outgoing.game == game)).first()
        undeliverable.came_back(office, session, letter, "no such box", NOON)
        session.commit()
    for address in ("anna@example.org", "anna@second.example.org"):
        sign_in.ask(office, address, NOON)
    assert {mail["To"] for mail in letters(office)} == {"anna@second.example.org"}


def test_not_too_many_links_are_mailed_to_one_player(office):
    for hours in (0, 0, 1.1, 2.2, 3.3):
        for _ in range(MOST_AN_HOUR):
            sign_in.ask(office, "anna@example.org", NOON + timedelta(hours=hours))
    assert len([one for one in rows(office, Outgoing) if one.kind == "signin"]) == MOST_A_DAY
    sign_in.ask(office, "ben@example.org", NOON)
    assert [one.kind for one in rows(office, Outgoing)].count("signin") == MOST_A_DAY + 1
    anna = number_of(office, "Anna")
    for hours in range(MOST_A_DAY):
        sign_in.ask_as(office, anna, NOON + timedelta(hours=4 + hours))
    with pytest.raises(NotSigned, match="Several links"):
        sign_in.ask_as(office, anna, NOON + timedelta(hours=4 + MOST_A_DAY))
    assert [one.kind for one in rows(office, Outgoing)].count("signin") == 2 * MOST_A_DAY + 1


def test_a_letter_that_could_not_leave_in_time_is_not_sent(office):
    sign_in.ask(office, "anna@example.org", NOON)
    assert not letters(office, LATE)
    assert [one.state for one in rows(office, Outgoing) if one.kind == "signin"] == ["dropped"]


def test_whoever_reads_the_database_cannot_sign_in(office):
    code = new_code(office)
    token = sign_in.sign_in(office, code, "Firefox; Linux", NOON)
    key = sign_in.new_key(office, number_of(office, "Anna"), "My program", NOON)
    with office.database.connect() as connection:
        dump = "\n".join(connection.connection.iterdump())  # all that is stored
    assert "My program" in dump
    assert not [secret for secret in (code, token, key) if secret in dump]


# --- the link ---------------------------------------------------------------------------------------------


def test_a_link_signs_in_once(office):
    code = new_code(office)
    token = sign_in.sign_in(office, code.upper(), "Firefox; Linux", SOON)
    assert player_of(office, token) == number_of(office, "Anna")
    with pytest.raises(NotSigned, match="used already"):
        sign_in.sign_in(office, code, "Firefox; Linux", SOON)
    with pytest.raises(NotSigned, match="used already"):
        sign_in.asked(office, code, SOON)


def test_a_link_is_good_for_half_an_hour_and_is_forgotten_later(office):
    code = new_code(office)
    for moment in (LATE, NOON + timedelta(hours=20)):
        with pytest.raises(NotSigned, match="half an hour"):
            sign_in.sign_in(office, code, "", moment)
    assert len(rows(office, SignIn)) == 1
    sign_in.ask(office, "stranger@example.org", NOON + timedelta(days=2))
    assert not rows(office, SignIn)


@pytest.mark.parametrize("code", ["", "x", "a" * 32, "a" * 33, "é" * 32, "1" * 32])
def test_a_link_that_is_not_ours_signs_nobody_in(office, code):
    with pytest.raises(NotSigned, match="not one of ours"):
        sign_in.sign_in(office, code, "", NOON)


def test_of_two_who_press_at_once_one_is_signed_in(office):
    code, gate, tokens, refused = new_code(office), Barrier(2), [], []

    def press() -> None:
        gate.wait()
        try:
            tokens.append(sign_in.sign_in(office, code, "", NOON))
        except NotSigned as error:
            refused.append(error)

    threads = [Thread(target=press) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert (len(tokens), len(refused), len(rows(office, SignedIn))) == (1, 1, 1)


def test_each_link_is_another_and_each_signs_in(office):
    codes = [new_code(office), new_code(office)]
    assert len({sign_in.sign_in(office, code, "", NOON) for code in codes}) == 2


# --- browsers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "x", "x" * 200])
def test_a_token_that_is_not_ours_is_nobody(office, token):
    assert player_of(office, token) is None
    assert sign_in.visit(office, token, NOON) is None


def test_a_browser_stays_signed_in_as_long_as_it_comes_back_within_three_months(office):
    anna, token = number_of(office, "Anna"), sign_in.sign_in(office, new_code(office), "", NOON)
    later = NOON + LASTS - timedelta(days=1)
    assert sign_in.visit(office, token, later) == anna
    assert player_of(office, token, later + LASTS - timedelta(days=1)) == anna
    assert player_of(office, token, later + LASTS) is None
    assert sign_in.visit(office, token, later + LASTS) is None
    sign_in.ask(office, "stranger@example.org", later + LASTS)
    assert not rows(office, SignedIn)


def test_that_a_browser_was_seen_is_noted_once_an_hour(office):
    token = sign_in.sign_in(office, new_code(office), "", NOON)
    for minutes, noted in ((59, NOON), (60, NOON + timedelta(hours=1)), (61, NOON + timedelta(hours=1))):
        sign_in.visit(office, token, NOON + timedelta(minutes=minutes))
        assert rows(office, SignedIn)[0].seen_at == noted


def test_browsers_are_ended_one_by_one_or_all_but_one_and_only_ones_own(office):
    anna, ben = number_of(office, "Anna"), number_of(office, "Ben")
    first, second, third = (sign_in.sign_in(office, new_code(office), "", NOON) for _ in range(3))
    other = sign_in.sign_in(office, new_code(office, "ben@example.org"), "", NOON)
    with office.reading() as session:
        found = next(one for one in sign_in.browsers(session, anna) if sign_in.is_browser(one, first))
    sign_in.end(office, ben, found.id)
    assert player_of(office, first) == anna
    for _ in range(2):
        sign_in.end(office, anna, found.id)
        assert player_of(office, first) is None
    sign_in.end_all(office, anna, but=second)
    assert [player_of(office, one) for one in (second, third, other)] == [anna, None, ben]
    sign_in.end_all(office, anna)
    assert [player_of(office, one) for one in (second, other)] == [None, ben]


def test_one_player_is_signed_in_in_so_many_browsers_at_most(office):
    anna = number_of(office, "Anna")
    with office.writing() as session:
        for number in range(MOST_BROWSERS):
            at = NOON + timedelta(minutes=number)
            session.add(SignedIn(digest=str(number), player=anna, browser="", at=at, seen_at=at))
        session.commit()
    now = NOON + timedelta(days=1)
    sign_in.sign_in(office, new_code(office, now=now), "", now)
    found = {one.digest for one in rows(office, SignedIn)}
    assert len(found) == MOST_BROWSERS
    assert "0" not in found


# --- keys -------------------------------------------------------------------------------------------------


def test_a_key_acts_for_its_player_until_it_is_ended(office):
    anna = number_of(office, "Anna")
    key = sign_in.new_key(office, anna, " My\nprogram ", NOON)
    assert re.fullmatch(r"alx_[a-z2-7]{32}", key)
    with office.reading() as session:
        assert sign_in.bearer(session, key, NOON) == anna
        assert sign_in.bearer(session, key + "a", NOON) is None
        assert sign_in.bearer(session, "", NOON) is None
        (found,) = sign_in.keys(session, anna)
    assert (found.name, found.at, found.used_at) == ("My program", NOON, None)
    sign_in.end_key(office, number_of(office, "Ben"), found.id)
    assert rows(office, Key)
    for _ in range(2):
        sign_in.end_key(office, anna, found.id)
        assert not rows(office, Key)
    with office.reading() as session:
        assert sign_in.bearer(session, key, NOON) is None


def test_that_a_key_was_used_is_noted_once_an_hour(office):
    key = sign_in.new_key(office, number_of(office, "Anna"), "x", NOON)
    for minutes, noted in ((0, 0), (59, 0), (60, 60)):
        sign_in.note_use(office, key, NOON + timedelta(minutes=minutes))
        assert rows(office, Key)[0].used_at == NOON + timedelta(minutes=noted)
    sign_in.note_use(office, "alx_other", NOON)


def test_a_key_has_a_name_and_a_player_has_only_so_many(office):
    anna = number_of(office, "Anna")
    with pytest.raises(NotSigned, match="give the key a name"):
        sign_in.new_key(office, anna, " \n", NOON)
    for number in range(MOST_KEYS):
        sign_in.new_key(office, anna, f"{number}", NOON)
    with pytest.raises(NotSigned, match="You have 10 keys"), speaking(Tongue()):
        sign_in.new_key(office, anna, "one more", NOON)
    sign_in.new_key(office, number_of(office, "Ben"), "one", NOON)


# --- when the address changes -----------------------------------------------------------------------------


def test_another_address_ends_all_that_came_to_the_one_before(office):
    game, seat = next((one.game, one.seat) for one in rows(office, Seating) if one.name == "Anna")
    anna, ben = number_of(office, "Anna"), number_of(office, "Ben")
    token = sign_in.sign_in(office, new_code(office), "", NOON)
    others = sign_in.sign_in(office, new_code(office, "ben@example.org"), "", NOON)
    sign_in.new_key(office, anna, "x", NOON)
    unused = new_code(office)
    sign_in.ask(office, "anna@example.org", NOON)  # its letter has not left
    addresses.ask_address(office, game, seat, "thief@example.org", NOON)
    (asked,) = rows(office, Confirmation)
    assert player_of(office, token) == anna
    addresses.confirmed(office, asked.code, NOON)
    assert player_of(office, token) is None
    assert player_of(office, others) == ben
    assert not rows(office, Key)
    with pytest.raises(NotSigned):
        sign_in.sign_in(office, unused, "", NOON)
    assert not letters(office)
    kept = sign_in.sign_in(office, new_code(office, "thief@example.org"), "", NOON)
    addresses.confirmed(office, asked.code, NOON)  # pressed once more
    assert player_of(office, kept) == anna
    back = next(one.code for one in rows(office, Confirmation) if one.code.startswith("back"))
    addresses.confirmed(office, back, NOON)
    assert player_of(office, kept) is None


def test_the_way_back_takes_over_from_whoever_signed_in_at_the_old_address_meanwhile(office):
    game, seat = next((one.game, one.seat) for one in rows(office, Seating) if one.name == "Anna")
    addresses.ask_address(office, game, seat, "thief@example.org", NOON)
    addresses.confirmed(office, rows(office, Confirmation)[0].code, NOON)
    wishes = [Wish("Anna", "anna@example.org"), Wish("Cleo", "cleo@example.org")]
    open_game(office, "Sunday", wishes, NOON)
    meanwhile = sign_in.sign_in(office, new_code(office), "", NOON)
    back = next(one.code for one in rows(office, Confirmation) if one.code.startswith("back"))
    addresses.confirmed(office, back, NOON)
    assert player_of(office, meanwhile) is None
    assert not rows(office, SignedIn)


def test_who_is_signed_in_is_not_forgotten_with_a_proposal(office):
    sign_in.sign_in(office, new_code(office), "", NOON)
    with office.reading() as session:
        assert proposals._known(session, number_of(office, "Anna"))
        assert not proposals._known(session, 999)


def test_the_letter_says_what_it_is_for_in_its_details_only(office):
    sign_in.ask(office, "anna@example.org", NOON)
    letters(office)
    (row,) = (one for one in rows(office, Outgoing) if one.kind == "signin")
    assert (row.state, row.text) == ("sent", "")
    assert {"digest", "mark"} <= json.loads(row.detail).keys()
