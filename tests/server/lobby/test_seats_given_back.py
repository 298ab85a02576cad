"""What still points at a seat that was given back, and at a player who has none: letters, codes, links."""

from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from emails.i18n import Tongue, speaking
from server.accounts import addresses, sign_in
from server.accounts.sign_in import MOST_A_DAY, MOST_AN_HOUR, NotSigned
from server.clock import tick
from server.lobby import open_seats
from server.lobby.games import Wish, open_game
from server.lobby.organiser import cancel, fill
from server.lobby.rematches import MOST_TIMES, play_again
from server.store.game_terms import Terms
from server.store.models import (
    Act,
    Confirmation,
    Game,
    Incoming,
    Outgoing,
    Player,
    Seating,
    Second,
)
from server.worker import work
from tests.server.desk import NOON, Collector, game_row, seat_of, start_game
from tests.server.inbox.test_new_game_mail import Post, games

ANNA, BEN, OPEN = Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org"), Wish("", None, open=True)
LINK = Terms("link")


@pytest.fixture
def game(office) -> str:
    return open_game(office, "Friday", [ANNA, BEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)


def number_of(office, name: str) -> int:
    with office.reading() as session:
        return session.exec(select(Player.id).where(Player.name == name)).one()


def links(office, address: str = "ben@example.org") -> int:
    """How many letters with links went to an address."""
    with office.reading() as session:
        chosen = select(Outgoing).where(Outgoing.kind == "signin", Outgoing.recipient == address)
        return len(session.exec(chosen).all())


def test_whoever_has_left_all_his_seats_can_still_confirm_his_address(office, game):
    seat = seat_of(office, game, "Ben")
    addresses.ask_address(office, game, seat, "ben@example.com", NOON)
    open_seats.leave(office, game, seat, 0, NOON)
    with office.reading() as session:
        code = session.exec(select(Confirmation.code)).one()
    assert addresses.confirmed(office, code, NOON).address == "ben@example.com"
    work(office, post := Collector(), NOON)
    assert not [mail for mail in post.mails if mail["X-Alexandros"] == "moved"]


def test_the_letter_to_an_address_that_was_left_hangs_on_no_seat_that_can_be_given_back(office, game):
    other = start_game(office, "Ben", "Cleo")
    with office.writing() as session:  # whichever of his seats is stored first
        ben = session.get_one(Seating, (game, seat_of(office, game, "Ben"))).player
        assert session.get_one(Seating, (other, seat_of(office, other, "Ben"))).player == ben
    seat = seat_of(office, game, "Ben")
    addresses.ask_address(office, game, seat, "thief@example.com", NOON)
    with office.reading() as session:
        code = session.exec(select(Confirmation.code)).one()
    addresses.confirmed(office, code, NOON)
    open_seats.leave(office, game, seat, 0, NOON)  # before the postman comes
    work(office, post := Collector(), NOON)
    (told,) = [mail for mail in post.to("Ben") if mail["X-Alexandros"] == "moved"]
    assert "thief@example.com" in told.get_body(("plain",)).get_content()


def test_a_mail_about_a_proposal_whose_organiser_has_left_is_read_once(office):
    post = Post(office)
    letter = post.proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    post.answer(letter, "yes")
    [game] = games(office, "open")
    open_seats.leave(office, game, seat_of(office, game, "Anna"), 0, NOON)
    post.answer(letter, "24 hours")
    with office.reading() as session:
        assert not session.exec(select(Incoming).where(Incoming.state == "waiting")).all()


def test_the_links_that_one_player_asked_for_do_not_count_for_the_next_on_his_seat(office, game):
    seat = seat_of(office, game, "Ben")
    for _ in range(MOST_AN_HOUR + 2):
        sign_in.ask(office, "ben@example.org", NOON)
    assert links(office) == MOST_AN_HOUR
    open_seats.leave(office, game, seat, 0, NOON)
    start_game(office, "Cleo", "Dirk")
    open_seats.join(office, game, number_of(office, "Cleo"), "Cleo", NOON)
    open_seats.join(office, game, number_of(office, "Dirk"), "Dirk", NOON)
    for name in ("cleo@example.org", "dirk@example.org"):
        sign_in.ask(office, name, NOON)
        assert links(office, name) == 1
    start_game(office, "Ben", "Cleo")  # and he, too, has got his links although his seat is another's
    sign_in.ask(office, "ben@example.org", NOON)
    assert links(office) == MOST_AN_HOUR


def test_strangers_who_ask_for_a_player_do_not_keep_him_out(office):
    start_game(office, "Anna", "Ben")
    ben, later = number_of(office, "Ben"), NOON
    for hour in range(6):
        later = NOON + timedelta(hours=hour)
        for _ in range(MOST_AN_HOUR + 1):
            sign_in.ask(office, "ben@example.org", later)
    assert links(office) == MOST_A_DAY
    sign_in.ask_as(office, ben, later)  # by a ticket, which no stranger has
    assert links(office) == MOST_A_DAY + 1


def test_the_button_in_a_game_mails_no_more_links_than_lie_unused_in_the_box(office):
    start_game(office, "Anna", "Ben")
    ben = number_of(office, "Ben")
    for _ in range(MOST_AN_HOUR):
        sign_in.ask_as(office, ben, NOON)
    with pytest.raises(NotSigned, match="Several links"), speaking(Tongue()):
        sign_in.ask_as(office, ben, NOON + timedelta(minutes=29))
    sign_in.ask_as(office, ben, NOON + timedelta(minutes=30))


def test_a_game_that_cannot_be_read_does_not_stop_the_clock_of_the_others(office, game, caplog):
    other = open_game(office, "Sunday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    for one in (game, other):
        open_seats.ask(office, one, Wish("Cleo", "cleo@example.org"), NOON)
    with office.writing() as session:
        session.execute(update(Act).where(Act.game == game, Act.seq == 1).values(said="something else"))
        session.commit()
    office.shelf.__init__()
    running = start_game(office, "Anna", "Dirk", hours=24)
    tick(office, NOON + timedelta(hours=25))
    with office.reading() as session:
        assert all(one.name != "Cleo" for one in open_seats.seats_of(session, other))
    assert game_row(office, running).turn == 2
    assert game in caplog.text


def test_a_seat_that_is_worn_out_does_not_bar_the_next_open_one(office, monkeypatch):
    monkeypatch.setattr(open_seats, "MOST_CHANGES", 2)
    game = open_game(office, "Friday", [ANNA, OPEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.ask(office, game, BEN, NOON)
    worn = seat_of(office, game, "Ben")
    with office.reading() as session:
        since = office.history(session, session.get_one(Game, game)).since(worn)
    open_seats.leave(office, game, worn, since, NOON)
    open_seats.ask(office, game, BEN, NOON)
    assert seat_of(office, game, "Ben") != worn


def test_letters_to_a_second_address_count_where_they_go(office):
    start_game(office, "Anna", "Cleo")
    with office.writing() as session:
        session.add(Second(player=number_of(office, "Anna"), address="anna@example.net"))
        session.commit()
    made = [
        open_game(office, "Friday", [BEN, OPEN], NOON, terms=LINK) for _ in range(open_seats.MOST_A_DAY + 1)
    ]
    for game in made[:-1]:
        open_seats.ask(office, game, Wish("Anna", "anna@example.net"), NOON)
    with pytest.raises(open_seats.NotJoined, match="enough mails"), speaking(Tongue()):
        open_seats.ask(office, made[-1], Wish("Anna", "anna@example.net"), NOON)


def test_a_rematch_is_called_off_and_asked_for_anew_only_so_often(office):
    game = start_game(office, "Anna", "Ben")
    with office.writing() as session:
        session.execute(update(Game).where(Game.id == game).values(status="over"))
        session.commit()
    for _ in range(MOST_TIMES):
        made = play_again(office, game, 0, NOON)
        cancel(office, made.game, NOON)
    with pytest.raises(open_seats.NotJoined, match="called off"), speaking(Tongue()):
        play_again(office, game, 0, NOON)


def test_a_person_who_is_called_house_plays_again_with_the_house(office):
    house = Wish("House", "anna@example.org")
    game = open_game(office, "Friday", [house, OPEN], NOON, organiser=house.address, terms=LINK)
    fill(office, game, "open", NOON)
    with office.writing() as session:
        session.execute(update(Game).where(Game.id == game).values(status="over"))
        session.commit()
    made = play_again(office, game, seat_of(office, game, "House"), NOON)
    with office.reading() as session:
        names = session.exec(select(Seating.name).where(Seating.game == made.game)).all()
    assert sorted(names) == ["House", "House 1"]
