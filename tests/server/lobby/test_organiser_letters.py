"""Before a game begins: its organiser hears who will not play, and its players that it was called off."""

import re

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from emails.links import Ticket, unseal
from server.accounts.unsubscribe import stop
from server.clock import tick
from server.delivery import outgoing
from server.lobby import open_seats
from server.lobby.games import Wish, accept, open_game
from server.lobby.organiser import cancel, fill
from server.store.game_terms import Terms
from server.store.models import Act, Game, Outgoing, Seating
from server.worker import work
from tests.server.desk import NOON, Collector, seat_of, wish

ANNA, BEN, OPEN = Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org"), Wish("", None, open=True)
CLEO = Wish("Cleo", "cleo@example.org")
LINK = Terms("link")


@pytest.fixture
def post() -> Collector:
    return Collector()


@pytest.fixture
def game(office, post) -> str:
    """A game of Anna, who has opened it, and of Ben and Cleo, who have got their invitations."""
    made = open_game(office, "Friday", [ANNA, BEN, CLEO], NOON, organiser=ANNA.address, terms=LINK)
    work(office, post, NOON)
    return made


def kinds(post: Collector, name: str) -> list[str]:
    return [str(mail["X-Alexandros"]) for mail in post.to(name)]


def words(mail) -> str:
    return " ".join(mail.get_body(("plain",)).get_content().split())


def links(mail) -> list[str]:
    return re.findall(r"https?://\S+", mail.get_body(("plain",)).get_content())


def since(office, game: str, name: str) -> int:
    with office.reading() as session:
        return office.history(session, session.get_one(Game, game)).since(seat_of(office, game, name))


def leave(office, game: str, name: str, now=NOON) -> None:
    open_seats.leave(office, game, seat_of(office, game, name), since(office, game, name), now)


def rows(office, game: str, kind: str) -> list[Outgoing]:
    with office.reading() as session:
        return list(session.exec(select(Outgoing).where(Outgoing.game == game, Outgoing.kind == kind)))


# --- who will not play ----------------------------------------------------------------------------------


@pytest.mark.parametrize("accepts", [False, True])
def test_the_organiser_hears_who_declines_or_leaves_and_what_he_can_do(office, game, post, clock, accepts):
    if accepts:
        accept(office, game, seat_of(office, game, "Ben"), NOON)
    ben = seat_of(office, game, "Ben")
    for _ in range(2):
        open_seats.leave(office, game, ben, 0, NOON)
    work(office, post, clock())
    (letter,) = post.to("Anna")
    assert letter["X-Alexandros"] == "declined"
    told = "Ben was in “Friday” and has given" if accepts else "Ben was invited to “Friday” and does not want"
    assert told in words(letter)
    assert "pass on a link to the seat" in words(letter)
    ticket = unseal(links(letter)[0].rpartition("/")[2], office.post.secret)
    assert ticket == Ticket(game, seat_of(office, game, "Anna"), 0, "accept")
    assert (kinds(post, "Ben"), kinds(post, "Cleo")) == (["invitation"], ["invitation"])


def test_where_only_those_play_who_are_named_there_is_no_link_to_pass_on(office, post, clock):
    game = open_game(office, "Friday", [ANNA, BEN], NOON, organiser=ANNA.address)
    leave(office, game, "Ben")
    work(office, post, clock())
    assert "link to the seat" not in words(post.to("Anna")[0])


def test_the_organiser_hears_of_a_seat_that_was_asked_for_in_vain(office, post, clock):
    game = open_game(office, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.ask(office, game, BEN, clock())
    work(office, post, clock())
    tick(office, clock.forward(24.1))
    work(office, post, clock())
    work(office, post, clock())
    assert kinds(post, "Anna") == ["declined"]
    assert "Ben asked for a seat in “Friday” but did not accept it within a day." in words(post.to("Anna")[0])


def test_whoever_joins_and_leaves_twice_is_told_of_twice(office, post, clock):
    game = open_game(office, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    for _ in range(2):
        open_seats.ask(office, game, BEN, clock())
        leave(office, game, "Ben", clock())
        work(office, post, clock())
    assert kinds(post, "Anna") == ["declined", "declined"]
    assert len({mail["Message-ID"] for mail in post.to("Anna")}) == 2


def test_what_nothing_can_be_done_about_any_more_is_not_told(office, game, post, clock):
    leave(office, game, "Ben")
    open_seats.ask(office, game, Wish("Dirk", "dirk@example.org"), NOON)  # before the letter has left
    work(office, post, clock())
    leave(office, game, "Cleo")
    fill(office, game, "open", clock())
    work(office, post, clock())
    leave(office, game, "Dirk")
    cancel(office, game, clock())
    work(office, post, clock())
    assert kinds(post, "Anna") == []
    assert [row.state for row in rows(office, game, "declined")] == ["dropped"] * 3


def test_the_organiser_hears_nothing_of_what_he_does_himself(office, game, post, clock):
    fill(office, game, "awaited", NOON)
    other = open_game(office, "Saturday", [ANNA, BEN], NOON, organiser=ANNA.address, terms=LINK)
    leave(office, other, "Anna")
    open_seats.ask(office, other, CLEO, NOON)  # she has his seat now, and has opened nothing
    leave(office, other, "Ben")
    work(office, post, clock())
    assert rows(office, game, "declined") == rows(office, other, "declined") == []


def test_an_organiser_who_does_not_play_or_wants_no_letters_hears_nothing(office, game, post, clock):
    apart = open_game(office, "Saturday", [ANNA, BEN], NOON, terms=LINK)
    leave(office, apart, "Ben")
    stop(office, game, seat_of(office, game, "Anna"), False, NOON)
    leave(office, game, "Ben")
    work(office, post, clock())
    assert kinds(post, "Anna") == ["invitation", "stopped"]


def test_it_waits_for_the_hour_of_the_organiser(office, game, post, clock):
    wish(office, game, "Anna", everywhere=True, pace="daily", hour=18)
    leave(office, game, "Ben")
    work(office, post, clock.forward(5))
    assert kinds(post, "Anna") == []
    work(office, post, clock.forward(1))
    assert kinds(post, "Anna") == ["declined"]


def test_a_letter_in_the_hands_of_the_postman_is_not_for_whoever_has_the_organisers_seat(office, game):
    leave(office, game, "Ben")
    (row,) = rows(office, game, "declined")
    leave(office, game, "Anna")
    assert isinstance(outgoing.write(office, row, NOON), str)
    open_seats.ask(office, game, Wish("Dirk", "dirk@example.org"), NOON)
    assert isinstance(outgoing.write(office, row, NOON), str)


DEEDS = {
    "leave": lambda office, game: leave(office, game, "Ben"),
    "call off": lambda office, game: cancel(office, game, NOON),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_letter_is_stored_with_its_act_or_neither_is(office, game, deed):
    with office.writing() as session:
        session.execute(
            text("CREATE TRIGGER full BEFORE INSERT ON outgoing BEGIN SELECT RAISE(ABORT, 'full'); END")
        )
        session.commit()
    with pytest.raises(IntegrityError, match="full"):
        DEEDS[deed](office, game)
    with office.reading() as session:
        assert len(session.exec(select(Act).where(Act.game == game)).all()) == 1
        assert session.get_one(Game, game).status == "open"
        assert session.get_one(Seating, (game, seat_of(office, game, "Ben"))).player is not None


# --- called off -----------------------------------------------------------------------------------------


def test_everybody_who_is_in_or_was_invited_hears_that_a_game_is_called_off(office, game, post, clock):
    accept(office, game, seat_of(office, game, "Ben"), NOON)
    for _ in range(2):
        cancel(office, game, NOON)
    work(office, post, clock.forward(48))
    assert (kinds(post, "Anna"), kinds(post, "Ben")) == ([], ["invitation", "called_off"])
    assert kinds(post, "Cleo") == ["invitation", "called_off"]
    for name in ("Ben", "Cleo"):
        letter = post.to(name)[-1]
        assert "“Friday” was called off by its organiser before it began." in words(letter)
        assert "new@play.example.org" in words(letter)
        assert links(letter) == ["http://127.0.0.1:8000/new"]
        html = letter.get_body(("html",)).get_content()
        assert not re.search(r"/[tuj]/|mailto:", html)
        assert letter["References"].split()[0] == post.to(name)[0]["References"].split()[0]


def test_who_has_declined_or_never_heard_of_a_game_hears_nothing_of_its_end(office, post, clock):
    seats = [ANNA, BEN, CLEO, OPEN]
    game = open_game(office, "Friday", seats, NOON, organiser=ANNA.address, terms=LINK)
    leave(office, game, "Ben")
    cancel(office, game, NOON)  # before Cleo's invitation has left
    work(office, post, clock())
    assert (kinds(post, "Ben"), kinds(post, "Cleo")) == ([], [])
    assert [row.why for row in rows(office, game, "called_off")] == ["its occasion has passed"]


def test_whoever_has_the_seat_of_one_who_was_invited_before_him_was_not_invited_by_that(office, game, post):
    leave(office, game, "Ben")
    open_seats.ask(office, game, Wish("Dirk", "dirk@example.org"), NOON)
    cancel(office, game, NOON)
    work(office, post, NOON)
    assert (kinds(post, "Ben"), kinds(post, "Dirk")) == (["invitation"], [])


def test_where_the_organiser_does_not_play_or_no_more_all_who_are_in_hear_it(office, post, clock):
    apart = open_game(office, "Friday", [ANNA, BEN], NOON)
    work(office, post, NOON)
    cancel(office, apart, NOON)
    work(office, post, clock())
    assert kinds(post, "Anna") == kinds(post, "Ben") == ["invitation", "called_off"]
    left = open_game(office, "Saturday", [ANNA, BEN], NOON, organiser=ANNA.address, terms=LINK)
    leave(office, left, "Anna")
    open_seats.ask(office, left, CLEO, NOON)
    work(office, post, NOON)
    cancel(office, left, NOON)
    work(office, post, clock())
    assert kinds(post, "Cleo") == ["invitation", "called_off"]


def test_who_wants_no_letters_finds_it_on_the_page(office, game, post, clock):
    stop(office, game, seat_of(office, game, "Ben"), False, NOON)
    cancel(office, game, NOON)
    work(office, post, clock())
    assert kinds(post, "Ben") == ["invitation", "stopped"]


def test_letters_are_in_the_language_of_their_readers(office, game, post, clock):
    for name in ("Anna", "Ben"):
        wish(office, game, name, everywhere=True, language="nl")
    leave(office, game, "Cleo")
    work(office, post, clock())
    cancel(office, game, NOON)
    work(office, post, clock())
    assert "Cleo was uitgenodigd voor “Friday” en wil niet meespelen." in words(post.to("Anna")[-1])
    assert "“Friday” is door de organisator afgelast" in words(post.to("Ben")[-1])
