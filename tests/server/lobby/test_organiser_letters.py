"""Before a game begins: its organiser hears who will not play, and its players that it was called off."""

import re

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from emails.tokens import Ticket, unseal_ticket
from server.accounts.unsubscribe import stop_letters
from server.clock import tick
from server.delivery import sending
from server.delivery.composition import LetterNotWanted
from server.lobby import open_seats
from server.lobby.open_seats import cancel_game, fill_with_bots
from server.store.game_terms import SeatRequest
from server.store.models import Act, Game, OutgoingLetter, Seating
from server.store.server_facts import GameTerms
from tests.server.beginnings import begin_once
from tests.server.desk import (
    NOON,
    Collector,
    accept_invitation,
    committed,
    open_game,
    seat_of,
    set_preferences,
    work_until_idle,
)
from tests.server.storage import storage

ANNA, BEN, OPEN = (
    SeatRequest("Anna", "anna@example.org"),
    SeatRequest("Ben", "ben@example.org"),
    SeatRequest("", None, open=True),
)
CLEO = SeatRequest("Cleo", "cleo@example.org")
LINK = GameTerms("link")


@pytest.fixture
def post() -> Collector:
    return Collector()


@pytest.fixture
def game(context, post) -> str:
    """A game of Anna, who has opened it, and of Ben and Cleo, who have got their invitations."""

    def with_invitations() -> str:
        made = open_game(context, "Friday", [ANNA, BEN, CLEO], NOON, organiser=ANNA.address, terms=LINK)
        work_until_idle(context, post, NOON)
        return made

    return begin_once(context, post, with_invitations)


def kinds(post: Collector, name: str) -> list[str]:
    return [str(mail["X-Alexandros"]) for mail in post.to(name)]


def words(mail) -> str:
    return " ".join(mail.get_body(("plain",)).get_content().split())


def links(mail) -> list[str]:
    return re.findall(r"https?://\S+", mail.get_body(("plain",)).get_content())


def since(context, game: str, name: str) -> int:
    with context.reading() as session:
        return context.history_of(session, session.get_one(Game, game)).player_since(
            seat_of(context, game, name)
        )


def leave(context, game: str, name: str, now=NOON) -> None:
    open_seats.leave_seat(context, game, seat_of(context, game, name), since(context, game, name), now)


def rows(context, game: str, kind: str) -> list[OutgoingLetter]:
    with context.reading() as session:
        return list(
            session.exec(
                select(OutgoingLetter).where(OutgoingLetter.game == game, OutgoingLetter.kind == kind)
            )
        )


# --- who will not play ----------------------------------------------------------------------------------


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
    assert told in words(letter)
    assert "pass on a link to the seat" in words(letter)
    ticket = unseal_ticket(links(letter)[0].rpartition("/")[2], context.links.keys)
    assert ticket == Ticket(game, seat_of(context, game, "Anna"), 0, "accept")
    assert (kinds(post, "Ben"), kinds(post, "Cleo")) == (["invitation"], ["invitation"])


def test_where_only_those_play_who_are_named_there_is_no_link_to_pass_on(context, post, clock):
    game = open_game(context, "Friday", [ANNA, BEN], NOON, organiser=ANNA.address)
    leave(context, game, "Ben")
    work_until_idle(context, post, clock())
    assert "link to the seat" not in words(post.to("Anna")[0])


def test_the_organiser_hears_of_a_seat_that_was_asked_for_in_vain(context, post, clock):
    game = open_game(context, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.hold_seat(context, game, BEN, clock())
    work_until_idle(context, post, clock())
    tick(context, clock.forward(24.1))
    work_until_idle(context, post, clock())
    work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == ["declined"]
    assert "Ben asked for a seat in “Friday” but did not accept it within a day." in words(post.to("Anna")[0])


def test_whoever_joins_and_leaves_twice_is_told_of_twice(context, post, clock):
    game = open_game(context, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    for _ in range(2):
        open_seats.hold_seat(context, game, BEN, clock())
        leave(context, game, "Ben", clock())
        work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == ["declined", "declined"]
    assert len({mail["Message-ID"] for mail in post.to("Anna")}) == 2


def test_what_nothing_can_be_done_about_any_more_is_not_told(context, game, post, clock):
    leave(context, game, "Ben")
    open_seats.hold_seat(
        context, game, SeatRequest("Dirk", "dirk@example.org"), NOON
    )  # before the letter has left
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
    other = open_game(context, "Saturday", [ANNA, BEN], NOON, organiser=ANNA.address, terms=LINK)
    leave(context, other, "Anna")
    open_seats.hold_seat(context, other, CLEO, NOON)  # she has his seat now, and has opened nothing
    leave(context, other, "Ben")
    work_until_idle(context, post, clock())
    assert rows(context, game, "declined") == rows(context, other, "declined") == []


def test_an_organiser_who_does_not_play_or_wants_no_letters_hears_nothing(context, game, post, clock):
    apart = open_game(context, "Saturday", [ANNA, BEN], NOON, terms=LINK)
    leave(context, apart, "Ben")
    committed(context, NOON, stop_letters, game, seat_of(context, game, "Anna"), False)
    leave(context, game, "Ben")
    work_until_idle(context, post, clock())
    assert kinds(post, "Anna") == ["invitation", "stopped"]


def test_it_waits_for_the_hour_of_the_organiser(context, game, post, clock):
    set_preferences(context, game, "Anna", everywhere=True, pace="daily", hour=18)
    leave(context, game, "Ben")
    work_until_idle(context, post, clock.forward(5))
    assert kinds(post, "Anna") == []
    work_until_idle(context, post, clock.forward(1))
    assert kinds(post, "Anna") == ["declined"]


def test_a_letter_in_the_hands_of_the_postman_is_not_for_whoever_has_the_organisers_seat(context, game):
    leave(context, game, "Ben")
    (row,) = rows(context, game, "declined")
    leave(context, game, "Anna")
    with pytest.raises(LetterNotWanted):
        sending.write_letter(context, row, NOON)
    open_seats.hold_seat(context, game, SeatRequest("Dirk", "dirk@example.org"), NOON)
    with pytest.raises(LetterNotWanted):
        sending.write_letter(context, row, NOON)


DEEDS = {
    "leave": lambda context, game: leave(context, game, "Ben"),
    "call off": lambda context, game: cancel_game(context, game, NOON),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_letter_is_stored_with_its_act_or_neither_is(context, game, deed):
    accept_invitation(context, game, seat_of(context, game, "Ben"), NOON)
    with context.writing() as session:
        storage().refuse_rows(session, "outgoing")
        session.commit()
    with pytest.raises(IntegrityError, match="full"):
        DEEDS[deed](context, game)
    with context.reading() as session:
        assert len(session.exec(select(Act).where(Act.game == game)).all()) == 2
        assert session.get_one(Game, game).status == "open"
        assert session.get_one(Seating, (game, seat_of(context, game, "Ben"))).player is not None


# --- called off -----------------------------------------------------------------------------------------


def test_everybody_who_is_in_hears_that_a_game_is_called_off_and_nobody_else_does(context, game, post, clock):
    accept_invitation(context, game, seat_of(context, game, "Ben"), NOON)
    for _ in range(2):
        cancel_game(context, game, NOON)
    work_until_idle(context, post, clock.forward(48))
    assert (kinds(post, "Anna"), kinds(post, "Ben")) == ([], ["invitation", "called_off"])
    assert kinds(post, "Cleo") == ["invitation"]
    letter = post.to("Ben")[-1]
    assert "“Friday” was called off by its organiser before it began." in words(letter)
    assert "new@play.example.org" in words(letter)
    assert links(letter) == ["http://127.0.0.1:8000/new"]
    html = letter.get_body(("html",)).get_content()
    assert not re.search(r"/[tuj]/|mailto:", html)
    assert letter["References"].split()[0] == post.to("Ben")[0]["References"].split()[0]


def test_who_has_declined_left_or_never_heard_of_a_game_hears_nothing_of_its_end(context, post, clock):
    seats = [ANNA, BEN, CLEO, SeatRequest("Dirk", "dirk@example.org")]
    game = open_game(context, "Friday", seats, NOON, organiser=ANNA.address, terms=LINK)
    leave(context, game, "Ben")
    accept_invitation(context, game, seat_of(context, game, "Dirk"), NOON)
    leave(context, game, "Dirk")
    cancel_game(context, game, NOON)  # before Cleo's invitation has left
    work_until_idle(context, post, clock())
    assert [kinds(post, name) for name in ("Ben", "Cleo", "Dirk")] == [[], [], []]
    assert rows(context, game, "called_off") == []


def test_whoever_has_the_seat_of_one_who_was_invited_before_him_was_not_invited_by_that(context, game, post):
    leave(context, game, "Ben")
    open_seats.hold_seat(context, game, SeatRequest("Dirk", "dirk@example.org"), NOON)
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
    left = open_game(context, "Saturday", [ANNA, BEN], NOON, organiser=ANNA.address, terms=LINK)
    leave(context, left, "Anna")
    open_seats.hold_seat(context, left, CLEO, NOON)
    work_until_idle(context, post, NOON)
    accept_invitation(context, left, seat_of(context, left, "Cleo"), NOON, since(context, left, "Cleo"))
    cancel_game(context, left, NOON)
    work_until_idle(context, post, clock())
    assert kinds(post, "Cleo") == ["invitation", "called_off"]


def test_who_wants_no_letters_finds_it_on_the_page(context, game, post, clock):
    accept_invitation(context, game, seat_of(context, game, "Ben"), NOON)
    committed(context, NOON, stop_letters, game, seat_of(context, game, "Ben"), False)
    cancel_game(context, game, NOON)
    work_until_idle(context, post, clock())
    assert kinds(post, "Ben") == ["invitation", "stopped"]


def test_letters_are_in_the_language_of_their_readers(context, game, post, clock):
    for name in ("Anna", "Ben"):
        set_preferences(context, game, name, everywhere=True, language="nl")
    leave(context, game, "Cleo")
    accept_invitation(context, game, seat_of(context, game, "Ben"), NOON)
    work_until_idle(context, post, clock())
    cancel_game(context, game, NOON)
    work_until_idle(context, post, clock())
    assert "Cleo was uitgenodigd voor “Friday” en wil niet meespelen." in words(post.to("Anna")[-1])
    assert "“Friday” is door de organisator afgelast" in words(post.to("Ben")[-1])
