"""Before a game begins: letters to its organiser and players, and what still points at a seat given back."""

import re
from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from emails.i18n import Locale, use_locale
from emails.tokens import Ticket, unseal_ticket
from server.accounts import addresses, sign_in
from server.accounts.sign_in import MOST_AT_ONCE
from server.accounts.unsubscribe import stop_letters
from server.clock import tick
from server.delivery import sending
from server.delivery.composition import LetterNotWanted
from server.lobby import open_seats
from server.lobby.open_seats import cancel_game, fill_with_bots
from server.lobby.rematches import MOST_REMATCHES_CANCELLED, open_rematch
from server.store.game_terms import SeatRequest
from server.store.models import Act, IncomingMail, OutgoingLetter, Player, Seating
from tests.server.beginnings import begin_once
from tests.server.desk import (
    ANNA,
    BEN,
    BY_LINK,
    CLEO,
    DIRK,
    HOUSE,
    HOUSE_NAMES,
    NOON,
    OPEN_SEAT,
    Collector,
    accept_invitation,
    change_game,
    changing,
    committed,
    confirm,
    confirmation_codes,
    game_row,
    history_of,
    open_game,
    player_of,
    rows_of,
    seat_of,
    start_game,
    start_timed_game,
    tamper,
    words_of,
    work_until_idle,
)
from tests.server.inbox.test_new_game_mail import Post, games
from tests.server.lobby.test_open_seats import opened
from tests.server.storage import storage


@pytest.fixture
def post() -> Collector:
    return Collector()


@pytest.fixture
def game(context, post) -> str:
    """A game of Anna, who has opened it, and of Ben and Cleo, who have got their invitations."""

    def with_invitations() -> str:
        made = opened(context, BEN, CLEO)
        work_until_idle(context, post, NOON)
        return made

    return begin_once(context, post, with_invitations)


def kinds(post: Collector, name: str) -> list[str]:
    return [str(mail["X-Alexandros"]) for mail in post.to(name)]


def links(mail) -> list[str]:
    return re.findall(r"https?://\S+", mail.get_body(("plain",)).get_content())


def since(context, game, name: str) -> int:
    return history_of(context, game).player_since(seat_of(context, game, name))


def leave(context, game, name: str, now=NOON) -> None:
    open_seats.leave_seat(context, game, seat_of(context, game, name), since(context, game, name), now)


def rows(context, game, kind: str) -> list[OutgoingLetter]:
    return rows_of(context, OutgoingLetter, OutgoingLetter.game == game, OutgoingLetter.kind == kind)


@pytest.mark.parametrize("accepts", [False, True])
def test_the_organiser_hears_who_declines_or_leaves_and_what_he_can_do(context, game, post, clock, accepts):
    if accepts:
        accept_invitation(context, game, seat_of(context, game, "Ben"), NOON)
    ben = seat_of(context, game, "Ben")
    for _ in range(2):
        open_seats.leave_seat(context, game, ben, 0, NOON)
    work_until_idle(context, post, clock())
    (letter,) = post.to("Anna")
    assert letter["X-Alexandros"] == "declined"
    told = "Ben was in “Friday” and has given" if accepts else "Ben was invited to “Friday” and does not want"
    assert told in words_of(letter)
    assert "pass on a link to the seat" in words_of(letter)
    ticket = unseal_ticket(links(letter)[0].rpartition("/")[2], context.links.keys)
    assert ticket == Ticket(game, seat_of(context, game, "Anna"), 0, "accept")
    assert (kinds(post, "Ben"), kinds(post, "Cleo")) == (["invitation"], ["invitation"])


def test_the_organiser_hears_of_a_seat_that_was_asked_for_in_vain(context, post, clock):
    game = opened(context, OPEN_SEAT)
    open_seats.hold_seat(context, game, BEN, clock())
    work_until_idle(context, post, clock())
    tick(context, clock.forward(24.1))
    work_until_idle(context, post, clock())
    work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == ["declined"]
    assert "Ben asked for a seat in “Friday” but did not accept it within a day." in words_of(
        post.to("Anna")[0]
    )


def test_whoever_joins_and_leaves_twice_is_told_of_twice(context, post, clock):
    game = opened(context, OPEN_SEAT)
    for _ in range(2):
        open_seats.hold_seat(context, game, BEN, clock())
        leave(context, game, "Ben", clock())
        work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == ["declined", "declined"]
    assert len({mail["Message-ID"] for mail in post.to("Anna")}) == 2


def test_what_nothing_can_be_done_about_any_more_is_not_told(context, game, post, clock):
    leave(context, game, "Ben")
    open_seats.hold_seat(context, game, DIRK, NOON)  # before the letter has left
    work_until_idle(context, post, clock())
    leave(context, game, "Cleo")
    fill_with_bots(context, game, "open", clock())
    work_until_idle(context, post, clock())
    leave(context, game, "Dirk")
    cancel_game(context, game, clock())
    work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == []
    assert [row.state for row in rows(context, game, "declined")] == ["dropped"] * 3


def test_the_organiser_hears_nothing_of_what_he_does_himself(context, game, post, clock):
    fill_with_bots(context, game, "awaited", NOON)
    other = opened(context, BEN, name="Saturday")
    leave(context, other, "Anna")
    open_seats.hold_seat(context, other, CLEO, NOON)  # she has his seat now, and has opened nothing
    leave(context, other, "Ben")
    work_until_idle(context, post, clock())
    assert rows(context, game, "declined") == rows(context, other, "declined") == []


def test_an_organiser_who_does_not_play_or_wants_no_letters_hears_nothing(context, game, post, clock):
    apart = open_game(context, "Saturday", [ANNA, BEN], NOON, terms=BY_LINK)
    leave(context, apart, "Ben")
    committed(context, NOON, stop_letters, game, seat_of(context, game, "Anna"), False)
    leave(context, game, "Ben")
    work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == ["invitation", "stopped"]


def test_a_letter_in_the_hands_of_the_postman_is_not_for_whoever_has_the_organisers_seat(context, game):
    leave(context, game, "Ben")
    (row,) = rows(context, game, "declined")
    leave(context, game, "Anna")
    with pytest.raises(LetterNotWanted):
        sending.write_letter(context, row, NOON)
    open_seats.hold_seat(context, game, DIRK, NOON)
    with pytest.raises(LetterNotWanted):
        sending.write_letter(context, row, NOON)


DEEDS = {
    "leave": lambda context, game: leave(context, game, "Ben"),
    "call off": lambda context, game: cancel_game(context, game, NOON),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_letter_is_stored_with_its_act_or_neither_is(context, game, deed):
    accept_invitation(context, game, seat_of(context, game, "Ben"), NOON)
    with changing(context) as session:
        storage().refuse_rows(session, "outgoing")
    with pytest.raises(IntegrityError, match="full"):
        DEEDS[deed](context, game)
    assert len(rows_of(context, Act, Act.game == game)) == 2
    assert game_row(context, game).status == "open"
    assert player_of(context, game, seat_of(context, game, "Ben"))


def test_everybody_who_is_in_hears_that_a_game_is_called_off_and_nobody_else_does(context, game, post, clock):
    accept_invitation(context, game, seat_of(context, game, "Ben"), NOON)
    for _ in range(2):
        cancel_game(context, game, NOON)
    work_until_idle(context, post, clock.forward(48))
    assert (kinds(post, "Anna"), kinds(post, "Ben")) == ([], ["invitation", "called_off"])
    assert kinds(post, "Cleo") == ["invitation"]
    letter = post.to("Ben")[-1]
    assert "“Friday” was called off by its organiser before it began." in words_of(letter)
    assert "new@play.example.org" in words_of(letter)
    assert links(letter) == ["http://127.0.0.1:8000/new"]
    html = letter.get_body(("html",)).get_content()
    assert not re.search(r"/[tuj]/|mailto:", html)
    assert letter["References"].split()[0] == post.to("Ben")[0]["References"].split()[0]


def test_whoever_has_the_seat_of_one_who_was_invited_before_him_was_not_invited_by_that(context, game, post):
    leave(context, game, "Ben")
    open_seats.hold_seat(context, game, DIRK, NOON)
    cancel_game(context, game, NOON)
    work_until_idle(context, post, NOON)
    assert (kinds(post, "Ben"), kinds(post, "Dirk")) == (["invitation"], [])


def test_where_the_organiser_does_not_play_or_no_more_all_who_are_in_hear_it(context, post, clock):
    apart = open_game(context, "Friday", [ANNA, BEN], NOON)
    work_until_idle(context, post, NOON)
    accept_invitation(context, apart, seat_of(context, apart, "Anna"), NOON)
    cancel_game(context, apart, NOON)
    work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == ["invitation", "called_off"]
    assert kinds(post, "Ben") == ["invitation"]
    left = opened(context, BEN, name="Saturday")
    leave(context, left, "Anna")
    open_seats.hold_seat(context, left, CLEO, NOON)
    work_until_idle(context, post, NOON)
    accept_invitation(context, left, seat_of(context, left, "Cleo"), NOON, since(context, left, "Cleo"))
    cancel_game(context, left, NOON)
    work_until_idle(context, post, clock())
    assert kinds(post, "Cleo") == ["invitation", "called_off"]


@pytest.fixture
def joinable(context) -> str:
    return opened(context, BEN, OPEN_SEAT)


def number_of(context, name: str) -> int:
    [found] = rows_of(context, Player.id, Player.name == name)
    return found


def links_sent(context, address: str = "ben@example.org") -> int:
    """How many letters with links went to an address."""
    wanted = OutgoingLetter.kind == "signin", OutgoingLetter.recipient == address
    return len(rows_of(context, OutgoingLetter, *wanted))


def test_whoever_has_left_all_his_seats_can_still_confirm_his_address(context, joinable):
    seat = seat_of(context, joinable, "Ben")
    addresses.request_address_confirmation(context, joinable, seat, "ben@example.com", NOON)
    open_seats.leave_seat(context, joinable, seat, 0, NOON)
    (code,) = confirmation_codes(context)
    assert committed(context, NOON, addresses.confirm_address, code).address == "ben@example.com"
    work_until_idle(context, post := Collector(), NOON)
    assert not [mail for mail in post.mails if mail["X-Alexandros"] == "moved"]


def test_the_letter_to_an_address_that_was_left_hangs_on_no_seat_that_can_be_given_back(context, joinable):
    other = start_game(context, "Ben", "Cleo")
    seat = seat_of(context, joinable, "Ben")
    ben = player_of(context, joinable, seat)
    assert player_of(context, other, seat_of(context, other, "Ben")) == ben
    addresses.request_address_confirmation(context, joinable, seat, "thief@example.com", NOON)
    (code,) = confirmation_codes(context)
    committed(context, NOON, addresses.confirm_address, code)
    open_seats.leave_seat(context, joinable, seat, 0, NOON)  # before the postman comes
    work_until_idle(context, post := Collector(), NOON)
    (told,) = [mail for mail in post.to("Ben") if mail["X-Alexandros"] == "moved"]
    assert "thief@example.com" in told.get_body(("plain",)).get_content()


def test_a_mail_about_a_proposal_whose_organiser_has_left_is_read_once(context):
    post = Post(context)
    letter = post.proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    post.answer(letter, "yes")
    [game] = games(context, "open")
    open_seats.leave_seat(context, game, seat_of(context, game, "Anna"), 0, NOON)
    post.answer(letter, "24 hours")
    assert not rows_of(context, IncomingMail, IncomingMail.state == "waiting")


def test_the_links_that_one_player_asked_for_do_not_count_for_the_next_on_his_seat(context, joinable):
    seat = seat_of(context, joinable, "Ben")
    confirm(context, "Ben")
    for _ in range(MOST_AT_ONCE + 2):
        sign_in.request_link(context, "ben@example.org", NOON)
    assert links_sent(context) == MOST_AT_ONCE
    open_seats.leave_seat(context, joinable, seat, 0, NOON)
    start_game(context, "Cleo", "Dirk")
    open_seats.join_game(context, joinable, number_of(context, "Cleo"), "Cleo", NOON)
    open_seats.join_game(context, joinable, number_of(context, "Dirk"), "Dirk", NOON)
    for name in ("cleo@example.org", "dirk@example.org"):
        sign_in.request_link(context, name, NOON)
        assert links_sent(context, name) == 1
    start_game(context, "Ben", "Cleo")  # and he, too, has got his links although his seat is another's
    sign_in.request_link(context, "ben@example.org", NOON)
    assert links_sent(context) == MOST_AT_ONCE


def test_a_game_that_cannot_be_read_does_not_stop_the_clock_of_the_others(context, joinable, caplog):
    other = opened(context, OPEN_SEAT, name="Sunday")
    for one in (joinable, other):
        open_seats.hold_seat(context, one, CLEO, NOON)
    tamper(context, joinable)
    running = start_timed_game(context, "Anna", "Dirk", hours=24)
    tick(context, NOON + timedelta(hours=25))
    with context.reading() as session:
        assert all(one.name != "Cleo" for one in open_seats.seats_of(session, other))
    assert game_row(context, running).turn == 2
    assert joinable in caplog.text


def test_a_seat_that_is_worn_out_does_not_bar_the_next_open_one(context, monkeypatch):
    monkeypatch.setattr(open_seats, "MOST_SEAT_CHANGES", 2)
    game = open_game(
        context, "Friday", [ANNA, OPEN_SEAT, OPEN_SEAT], NOON, organiser=ANNA.address, terms=BY_LINK
    )
    open_seats.hold_seat(context, game, BEN, NOON)
    worn = seat_of(context, game, "Ben")
    leave(context, game, "Ben")
    open_seats.hold_seat(context, game, BEN, NOON)
    assert seat_of(context, game, "Ben") != worn


def test_a_rematch_is_called_off_and_asked_for_anew_only_so_often(context):
    game = start_game(context, "Anna", "Ben")
    change_game(context, game, status="over")
    for _ in range(MOST_REMATCHES_CANCELLED):
        made = open_rematch(context, game, 0, NOON)
        cancel_game(context, made.game, NOON)
    with pytest.raises(open_seats.SeatRefused, match="called off"), use_locale(Locale()):
        open_rematch(context, game, 0, NOON)


def test_somebody_who_has_a_name_of_the_house_plays_again_with_another_of_it(context):
    anna = SeatRequest(HOUSE, "anna@example.org")
    game = open_game(context, "Friday", [anna, OPEN_SEAT], NOON, organiser=anna.address, terms=BY_LINK)
    fill_with_bots(context, game, "open", NOON)
    change_game(context, game, status="over")
    made = open_rematch(context, game, seat_of(context, game, HOUSE), NOON)
    names = rows_of(context, Seating.name, Seating.game == made.game)
    assert sorted(names) == sorted(HOUSE_NAMES[:2])
