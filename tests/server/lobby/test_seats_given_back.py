"""What still points at a seat that was given back, and at a player who has none: letters, codes, links."""

from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from emails.i18n import Locale, use_locale
from server.accounts import addresses, sign_in
from server.accounts.sign_in import MOST_A_DAY, MOST_AT_ONCE, MOST_UNUSED_LINKS, SignInRefused
from server.clock import tick
from server.lobby import open_seats
from server.lobby.open_seats import cancel_game, fill_with_bots
from server.lobby.rematches import MOST_REMATCHES_CANCELLED, open_rematch
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game, IncomingMail, OutgoingLetter, Player, Seating
from server.store.server_facts import GameTerms
from tests.server.desk import (
    HOUSE,
    HOUSE_NAMES,
    NOON,
    Collector,
    committed,
    confirm,
    confirmation_codes,
    game_row,
    open_game,
    seat_of,
    start_game,
    start_timed_game,
    work_until_idle,
)
from tests.server.inbox.test_new_game_mail import Post, games

ANNA, BEN, OPEN = (
    SeatRequest("Anna", "anna@example.org"),
    SeatRequest("Ben", "ben@example.org"),
    SeatRequest("", None, open=True),
)
LINK = GameTerms("link")


@pytest.fixture
def game(context) -> str:
    return open_game(context, "Friday", [ANNA, BEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)


def number_of(context, name: str) -> int:
    with context.reading() as session:
        return session.exec(select(Player.id).where(Player.name == name)).one()


def links(context, address: str = "ben@example.org") -> int:
    """How many letters with links went to an address."""
    with context.reading() as session:
        chosen = select(OutgoingLetter).where(
            OutgoingLetter.kind == "signin", OutgoingLetter.recipient == address
        )
        return len(session.exec(chosen).all())


def test_whoever_has_left_all_his_seats_can_still_confirm_his_address(context, game):
    seat = seat_of(context, game, "Ben")
    addresses.request_address_confirmation(context, game, seat, "ben@example.com", NOON)
    open_seats.leave_seat(context, game, seat, 0, NOON)
    (code,) = confirmation_codes(context)
    assert committed(context, NOON, addresses.confirm_address, code).address == "ben@example.com"
    work_until_idle(context, post := Collector(), NOON)
    assert not [mail for mail in post.mails if mail["X-Alexandros"] == "moved"]


def test_the_letter_to_an_address_that_was_left_hangs_on_no_seat_that_can_be_given_back(context, game):
    other = start_game(context, "Ben", "Cleo")
    with context.writing() as session:  # whichever of his seats is stored first
        ben = session.get_one(Seating, (game, seat_of(context, game, "Ben"))).player
        assert session.get_one(Seating, (other, seat_of(context, other, "Ben"))).player == ben
    seat = seat_of(context, game, "Ben")
    addresses.request_address_confirmation(context, game, seat, "thief@example.com", NOON)
    (code,) = confirmation_codes(context)
    committed(context, NOON, addresses.confirm_address, code)
    open_seats.leave_seat(context, game, seat, 0, NOON)  # before the postman comes
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
    with context.reading() as session:
        assert not session.exec(select(IncomingMail).where(IncomingMail.state == "waiting")).all()


def test_the_links_that_one_player_asked_for_do_not_count_for_the_next_on_his_seat(context, game):
    seat = seat_of(context, game, "Ben")
    confirm(context, "Ben")
    for _ in range(MOST_AT_ONCE + 2):
        sign_in.request_link(context, "ben@example.org", NOON)
    assert links(context) == MOST_AT_ONCE
    open_seats.leave_seat(context, game, seat, 0, NOON)
    start_game(context, "Cleo", "Dirk")
    open_seats.join_game(context, game, number_of(context, "Cleo"), "Cleo", NOON)
    open_seats.join_game(context, game, number_of(context, "Dirk"), "Dirk", NOON)
    for name in ("cleo@example.org", "dirk@example.org"):
        sign_in.request_link(context, name, NOON)
        assert links(context, name) == 1
    start_game(context, "Ben", "Cleo")  # and he, too, has got his links although his seat is another's
    sign_in.request_link(context, "ben@example.org", NOON)
    assert links(context) == MOST_AT_ONCE


def test_strangers_who_ask_for_a_player_do_not_keep_him_out(context):
    start_game(context, "Anna", "Ben")
    confirm(context, "Ben")
    ben, later = number_of(context, "Ben"), NOON
    for hour in range(6):
        later = NOON + timedelta(hours=hour)
        for _ in range(MOST_AT_ONCE + 1):
            sign_in.request_link(context, "ben@example.org", later)
    assert links(context) == MOST_A_DAY
    sign_in.request_link_for(context, ben, later)  # by a ticket, which no stranger has
    assert links(context) == MOST_A_DAY + 1


def test_the_button_in_a_game_mails_no_more_links_than_lie_unused_in_the_box(context):
    start_game(context, "Anna", "Ben")
    ben = number_of(context, "Ben")
    for _ in range(MOST_UNUSED_LINKS):
        sign_in.request_link_for(context, ben, NOON)
    with pytest.raises(SignInRefused, match="Several links"), use_locale(Locale()):
        sign_in.request_link_for(context, ben, NOON + timedelta(minutes=9))
    sign_in.request_link_for(context, ben, NOON + timedelta(minutes=10))


def test_a_game_that_cannot_be_read_does_not_stop_the_clock_of_the_others(context, game, caplog):
    other = open_game(context, "Sunday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    for one in (game, other):
        open_seats.hold_seat(context, one, SeatRequest("Cleo", "cleo@example.org"), NOON)
    with context.writing() as session:
        session.execute(update(Act).where(Act.game == game, Act.seq == 1).values(said="something else"))
        session.commit()
    context.history_cache.__init__()
    running = start_timed_game(context, "Anna", "Dirk", hours=24)
    tick(context, NOON + timedelta(hours=25))
    with context.reading() as session:
        assert all(one.name != "Cleo" for one in open_seats.seats_of(session, other))
    assert game_row(context, running).turn == 2
    assert game in caplog.text


def test_a_seat_that_is_worn_out_does_not_bar_the_next_open_one(context, monkeypatch):
    monkeypatch.setattr(open_seats, "MOST_SEAT_CHANGES", 2)
    game = open_game(context, "Friday", [ANNA, OPEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.hold_seat(context, game, BEN, NOON)
    worn = seat_of(context, game, "Ben")
    with context.reading() as session:
        since = context.history_of(session, session.get_one(Game, game)).player_since(worn)
    open_seats.leave_seat(context, game, worn, since, NOON)
    open_seats.hold_seat(context, game, BEN, NOON)
    assert seat_of(context, game, "Ben") != worn


def test_a_rematch_is_called_off_and_asked_for_anew_only_so_often(context):
    game = start_game(context, "Anna", "Ben")
    with context.writing() as session:
        session.execute(update(Game).where(Game.id == game).values(status="over"))
        session.commit()
    for _ in range(MOST_REMATCHES_CANCELLED):
        made = open_rematch(context, game, 0, NOON)
        cancel_game(context, made.game, NOON)
    with pytest.raises(open_seats.SeatRefused, match="called off"), use_locale(Locale()):
        open_rematch(context, game, 0, NOON)


def test_somebody_who_has_a_name_of_the_house_plays_again_with_another_of_it(context):
    anna = SeatRequest(HOUSE, "anna@example.org")
    game = open_game(context, "Friday", [anna, OPEN], NOON, organiser=anna.address, terms=LINK)
    fill_with_bots(context, game, "open", NOON)
    with context.writing() as session:
        session.execute(update(Game).where(Game.id == game).values(status="over"))
        session.commit()
    made = open_rematch(context, game, seat_of(context, game, HOUSE), NOON)
    with context.reading() as session:
        names = session.exec(select(Seating.name).where(Seating.game == made.game)).all()
    assert sorted(names) == sorted(HOUSE_NAMES[:2])
