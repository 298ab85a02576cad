"""Seats that change hands before a game begins: taken, given back, played by the house; or all is off."""

import json
from threading import Barrier, Thread

import pytest
from sqlalchemy import delete
from sqlmodel import select

from emails.links import seal_stop
from engine.logfile import check_log
from server.accounts.unsubscribe import NotStopped
from server.accounts.unsubscribe import seat_of as seat_of_letter
from server.admin import archive
from server.admin.doctor import examine
from server.clock import tick
from server.delivery import outgoing
from server.inbox import incoming
from server.inbox.intake import take_in
from server.lobby import open_seats
from server.lobby.games import NotOpened, Wish, accept, open_game
from server.lobby.open_seats import NotJoined
from server.lobby.organiser import cancel, fill
from server.store import projection
from server.store.boards import boards
from server.store.game_terms import Terms, opening, to_join, to_watch, watchable
from server.store.models import Act, Game, Opening, Outgoing, Player, Seating, Second
from server.worker import work
from tests.server.desk import NOON, Collector, game_row, names_of, seat_of, start_game

ANNA, BEN, OPEN = Wish("Anna", "anna@example.org"), Wish("Ben", "ben@example.org"), Wish("", None, open=True)
CLEO, DIRK = Wish("Cleo", "cleo@example.org"), Wish("Dirk", "dirk@example.org")
LINK = Terms("link")


@pytest.fixture
def game(office) -> str:
    """A game of Anna, who is in, and of whoever joins."""
    return open_game(office, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)


@pytest.fixture
def post() -> Collector:
    return Collector()


def seats(office, game) -> list[Seating]:
    with office.reading() as session:
        return open_seats.seats_of(session, game)


def names(office, game) -> list[str]:
    return sorted(one.name for one in seats(office, game))


def history(office, game):
    with office.reading() as session:
        return office.history(session, session.get_one(Game, game))


def said(office, game) -> list[tuple[str, list[str]]]:
    """What the acts of a game say, and the kinds of their facts."""
    with office.reading() as session:
        rows = session.exec(select(Act).where(Act.game == game).order_by(Act.seq)).all()
    return [(row.said, [fact["type"] for fact in json.loads(row.events)]) for row in rows]


def player(office, wish) -> int:
    """Somebody who has played here before."""
    with office.writing() as session:
        known = Player(address=wish.address, name=wish.name)
        session.add(known)
        session.commit()
        return known.id


def waiting(office, game) -> list[tuple[str, str]]:
    """The letters of a game that will be sent: their kinds and to whom."""
    with office.reading() as session:
        rows = session.exec(select(Outgoing).where(Outgoing.game == game, Outgoing.state == "waiting")).all()
    return [(row.kind, row.recipient.partition("@")[0]) for row in rows]


# --- open seats -----------------------------------------------------------------------------------------


def test_an_open_seat_has_a_number_and_no_name_and_the_game_waits_for_whoever_joins(office, game):
    assert names(office, game) == ["", "Anna"]
    assert game_row(office, game).status == "open"
    with office.reading() as session:
        assert opening(session, game).joined_by == "link"
        assert opening(session, game).seat == seat_of(office, game, "Anna")
        assert open_seats.is_joinable(session, session.get_one(Game, game))
    assert waiting(office, game) == []


def test_an_invitation_tells_that_a_seat_is_open(office, post):
    open_game(office, "Friday", [ANNA, OPEN, OPEN], NOON, terms=LINK)
    work(office, post, NOON)
    (letter,) = post.mails
    assert "with whoever joins:" in " ".join(letter.get_body(("plain",)).get_content().split())


@pytest.mark.parametrize(
    ("wishes", "terms", "reason"),
    [([ANNA, OPEN], Terms(), "an open seat needs"), ([ANNA], LINK, "2 to 4 seats")],
)
def test_what_cannot_be_opened(office, wishes, terms, reason):
    with pytest.raises(NotOpened, match=reason):
        open_game(office, "Friday", wishes, NOON, terms=terms)


def test_a_game_with_open_seats_does_not_start_at_once(office):
    with pytest.raises(NotOpened, match="cannot start at once"):
        open_game(office, "Friday", [ANNA, OPEN], NOON, at_once=True, terms=LINK)


# --- joining --------------------------------------------------------------------------------------------


def test_whoever_is_known_joins_at_once_and_the_last_starts_the_game(office, game):
    ben = player(office, BEN)
    seat = open_seats.join(office, game, ben, "Ben", NOON)
    assert seat == seat_of(office, game, "Ben")
    assert said(office, game)[-2:] == [
        ("join", ["seat_joined", "seat_accepted"]),
        ("", ["game_started"]),
    ]
    assert sorted(names_of(office, game)) == ["Anna", "Ben"]
    assert open_seats.join(office, game, ben, "Ben", NOON) == seat  # twice is once
    assert len(said(office, game)) == 3


def test_a_stranger_gets_a_letter_and_joins_by_accepting(office, game, post):
    open_seats.ask(office, game, BEN, NOON)
    seat = seat_of(office, game, "Ben")
    assert game_row(office, game).status == "open"
    work(office, post, NOON)
    (letter,) = post.to("Ben")
    assert "accept" in letter.get_body(("plain",)).get_content()
    answer = f"From: ben@example.org\r\nMessage-ID: <1@x>\r\nTo: {letter['Reply-To']}\r\n\r\naccept\r\n"
    take_in(office, "ben@example.org", str(letter["Reply-To"]), answer.encode(), NOON)
    incoming.process(office, NOON)
    assert game_row(office, game).status == "running"
    assert names_of(office, game)[seat] == "Ben"


def test_the_same_person_twice_is_once_whatever_he_writes(office, game, clock):
    anna = seat_of(office, game, "Anna")
    with office.writing() as session:
        session.add(Second(player=seats(office, game)[anna].player, address="anna@work.example.org"))
        session.commit()
    before = len(said(office, game))
    for address in ("anna@example.org", "ANNA@example.org", "anna@work.example.org"):
        open_seats.ask(office, game, Wish("Somebody else", address), NOON)
    assert len(said(office, game)) == before
    open_seats.ask(office, game, BEN, NOON)
    open_seats.ask(office, game, BEN, NOON)
    assert waiting(office, game) == [("invitation", "ben")]


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (Wish("anna", "ben@example.org"), "called anna"),
        (Wish("", "ben@example.org"), "must have 1 to 40 letters"),
        (Wish("x" * 41, "ben@example.org"), "must have 1 to 40 letters"),
        (Wish("Ben\n", "ben at home"), "no mail address"),
    ],
)
def test_who_cannot_join_hears_why(office, game, wish, reason):
    with pytest.raises(NotJoined, match=reason):
        open_seats.ask(office, game, wish, NOON)
    assert names(office, game) == ["", "Anna"]


def test_a_full_game_a_private_one_and_one_that_has_begun_cannot_be_joined(office, game):
    open_seats.ask(office, game, BEN, NOON)
    with pytest.raises(NotJoined, match="All seats of this game are taken"):
        open_seats.ask(office, game, CLEO, NOON)
    closed = open_game(office, "Friday", [ANNA, BEN], NOON)
    open_seats.leave(office, closed, seat_of(office, closed, "Ben"), 0, NOON)
    with pytest.raises(NotJoined, match="Only those who were invited"):
        open_seats.ask(office, closed, CLEO, NOON)
    with pytest.raises(NotJoined, match="has begun"):
        open_seats.ask(office, start_game(office, "Anna", "Ben"), CLEO, NOON)


def test_an_address_gets_only_so_many_letters_a_day(office, clock):
    for number in range(open_seats.MOST_A_DAY + 1):
        game = open_game(office, f"Game {number}", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
        if number < open_seats.MOST_A_DAY:
            open_seats.ask(office, game, BEN, clock())
            continue
        with pytest.raises(NotJoined, match="enough mails for today"):
            open_seats.ask(office, game, Wish("Ben", "BEN@example.org"), clock())
        open_seats.ask(office, game, BEN, clock.forward(25))


def test_strangers_ask_for_only_so_many_letters_an_hour(office, monkeypatch, clock):
    monkeypatch.setattr(open_seats, "MOST_AN_HOUR", 2)
    game = open_game(office, "Friday", [ANNA, OPEN, OPEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.ask(office, game, BEN, clock())
    open_seats.ask(office, game, CLEO, clock())
    with pytest.raises(NotJoined, match="come back in an hour"):
        open_seats.ask(office, game, DIRK, clock())
    open_seats.ask(office, game, DIRK, clock.forward(1))


def test_of_two_who_join_for_the_last_seat_at_once_one_gets_it(office):
    people = [player(office, one) for one in (BEN, CLEO)]
    for number in range(8):
        game = open_game(office, f"Game {number}", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=LINK)
        barrier, told = Barrier(2), []

        def press(one: int, game: str = game, barrier: Barrier = barrier, told: list[str] = told) -> None:
            barrier.wait()
            try:
                open_seats.join(office, game, people[one], ("Ben", "Cleo")[one], NOON)
                told.append("in")
            except NotJoined as error:
                told.append(str(error))

        threads = [Thread(target=press, args=[one]) for one in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert told.count("in") == 1
        assert told.count("This game has begun already, or it was called off.") == 1
        assert game_row(office, game).status == "running"
    assert list(examine(office)) == []


# --- a seat that is held --------------------------------------------------------------------------------


def test_a_seat_that_is_not_accepted_within_a_day_is_free_again(office, game, clock, post):
    open_seats.ask(office, game, BEN, clock())
    seat = seat_of(office, game, "Ben")
    tick(office, clock.forward(23.9))
    assert names(office, game) == ["Anna", "Ben"]
    tick(office, clock.forward(0.2))
    assert names(office, game) == ["", "Anna"]
    assert said(office, game)[-1] == ("", ["seat_left"])
    tick(office, clock())
    assert len(said(office, game)) == 3
    work(office, post, clock())
    assert post.to("Ben") == []  # the letter waited all the time, and is past
    with pytest.raises(NotOpened, match="no such invitation"):
        accept(office, game, seat, clock(), after=2)


def test_whom_the_organiser_has_invited_may_take_his_time(office, clock):
    game = open_game(office, "Friday", [ANNA, BEN, OPEN], NOON, organiser=ANNA.address, terms=LINK)
    open_seats.join(office, game, player(office, CLEO), "Cleo", NOON)
    tick(office, clock.forward(24 * 30))
    assert names(office, game) == ["Anna", "Ben", "Cleo"]


# --- giving it back -------------------------------------------------------------------------------------


@pytest.mark.parametrize("accepts", [False, True])
def test_an_invited_player_may_decline_and_one_who_is_in_may_leave(office, accepts, post, clock):
    game = open_game(office, "Friday", [ANNA, BEN, DIRK], NOON, organiser=ANNA.address, terms=LINK)
    seat = seat_of(office, game, "Ben")
    if accepts:
        accept(office, game, seat, NOON)
    open_seats.leave(office, game, seat, 0, NOON)
    open_seats.leave(office, game, seat, 0, NOON)
    assert said(office, game)[-1] == ("leave" if accepts else "decline", ["seat_left"])
    assert [one[0] for one in said(office, game)].count("decline") <= 1
    assert names(office, game) == ["", "Anna", "Dirk"]
    with office.reading() as session:
        assert open_seats.who_left(session, game) == ["Ben"]
    work(office, post, clock())
    assert (post.to("Ben"), len(post.to("Dirk"))) == ([], 1)


def test_whoever_has_left_is_not_whoever_joins_after_him(office, game, post, clock):
    open_seats.ask(office, game, BEN, clock())
    work(office, post, clock())
    seat, old = seat_of(office, game, "Ben"), history(office, game)
    (letter,) = post.to("Ben")
    open_seats.leave(office, game, seat, old.since(seat), clock())
    open_seats.ask(office, game, CLEO, clock())
    assert seat_of(office, game, "Cleo") == seat
    with pytest.raises(NotOpened, match="somebody else has that seat"):
        accept(office, game, seat, clock(), after=old.since(seat))
    answer = f"From: ben@example.org\r\nMessage-ID: <1@x>\r\nTo: {letter['Reply-To']}\r\n\r\naccept\r\n"
    take_in(office, "ben@example.org", str(letter["Reply-To"]), answer.encode(), clock())
    incoming.process(office, clock())
    open_seats.leave(office, game, seat, old.since(seat), clock())  # nor can he give her seat back
    with pytest.raises(NotStopped):
        seat_of_letter(office, game, old.holder(seat))
    assert seat_of_letter(office, game, history(office, game).holder(seat)) == seat
    assert names(office, game) == ["Anna", "Cleo"]
    assert game_row(office, game).status == "open"
    accept(office, game, seat, clock(), after=history(office, game).since(seat))
    assert game_row(office, game).status == "running"
    work(office, post, clock.forward(1))
    assert len(post.to("Ben")) == 1
    stop = post.to("Cleo")[-1]["List-Unsubscribe"]
    assert seal_stop(game, history(office, game).holder(seat), office.post.secret) in stop


def test_a_letter_in_the_hands_of_the_postman_is_not_written_for_the_next_player(office, game, clock):
    open_seats.ask(office, game, BEN, clock())
    seat = seat_of(office, game, "Ben")
    with office.reading() as session:
        row = session.exec(select(Outgoing).where(Outgoing.game == game)).one()
    open_seats.leave(office, game, seat, 2, clock())
    assert isinstance(outgoing.write(office, row, clock()), str)
    open_seats.ask(office, game, CLEO, clock())
    assert isinstance(outgoing.write(office, row, clock()), str)


def test_nobody_leaves_a_game_that_has_begun(office):
    game = start_game(office, "Anna", "Ben")
    with pytest.raises(NotJoined, match="has begun"):
        open_seats.leave(office, game, 0, 1, NOON)


def test_a_seat_changes_hands_only_so_often(office, game, monkeypatch):
    monkeypatch.setattr(open_seats, "MOST_CHANGES", 4)
    for _ in range(2):
        open_seats.ask(office, game, BEN, NOON)
        seat = seat_of(office, game, "Ben")
        open_seats.leave(office, game, seat, history(office, game).since(seat), NOON)
    with pytest.raises(NotJoined, match="too often"):
        open_seats.ask(office, game, BEN, NOON)


# --- the organiser --------------------------------------------------------------------------------------


def test_the_house_takes_the_open_seats_and_then_those_of_who_has_not_answered(office, post, clock):
    wishes = [ANNA, BEN, OPEN, Wish("", None)]
    game = open_game(office, "Friday", wishes, NOON, organiser=ANNA.address, terms=LINK)
    ben = seat_of(office, game, "Ben")
    for _ in range(2):
        fill(office, game, "open", NOON)
    assert names(office, game) == ["Anna", "Ben", "House", "House 2"]
    assert game_row(office, game).status == "open"
    for _ in range(2):
        fill(office, game, "awaited", NOON)
    assert names(office, game) == ["Anna", "House", "House 2", "House 3"]
    assert game_row(office, game).status == "running"
    assert [one[0] for one in said(office, game)] == ["", "house open", "house awaited", ""]
    with pytest.raises(NotOpened):
        accept(office, game, ben, NOON)
    work(office, post, clock())
    assert post.to("Ben") == []


def test_the_house_does_not_play_alone(office):
    game = open_game(office, "Friday", [ANNA, BEN], NOON)
    with pytest.raises(NotJoined, match="Somebody must play"):
        fill(office, game, "awaited", NOON)
    nobody = open_game(office, "Friday", [OPEN, OPEN], NOON, terms=LINK)
    with pytest.raises(NotJoined, match="Somebody must play"):
        fill(office, nobody, "open", NOON)


def test_a_game_that_is_called_off_never_begins(office, game, post, clock):
    open_seats.ask(office, game, BEN, NOON)
    for _ in range(2):
        cancel(office, game, NOON)
    assert said(office, game)[-1] == ("cancel", ["game_cancelled"])
    assert len(said(office, game)) == 3
    assert game_row(office, game).status == "cancelled"
    with pytest.raises(NotOpened):
        accept(office, game, seat_of(office, game, "Ben"), NOON, after=2)
    for deed in (
        lambda: open_seats.ask(office, game, CLEO, NOON),
        lambda: fill(office, game, "awaited", NOON),
    ):
        with pytest.raises(NotJoined, match="called off"):
            deed()
    open_seats.leave(office, game, 0, 0, NOON)
    work(office, post, clock.forward(48))
    assert post.mails == []
    with pytest.raises(NotOpened, match="not started"):
        list(archive.export(office, game))
    projection.rebuild(office)
    assert game_row(office, game).status == "cancelled"
    assert list(examine(office)) == []


def test_a_game_that_has_begun_is_not_called_off(office):
    game = start_game(office, "Anna", "Ben")
    with pytest.raises(NotJoined, match="has begun"):
        cancel(office, game, NOON)


# --- what is stored -------------------------------------------------------------------------------------


def test_how_games_were_opened_is_worked_out_anew(office):
    terms = Terms("all", watched=True)
    game = open_game(office, "Friday", [ANNA, OPEN], NOON, organiser=ANNA.address, terms=terms)
    with office.reading() as session:
        before = opening(session, game).model_dump()
    with office.writing() as session:
        session.execute(delete(Opening))
        session.commit()
    with office.reading() as session:
        assert not watchable(session, game)
    projection.rebuild(office)
    with office.reading() as session:
        assert opening(session, game).model_dump() == before
        assert watchable(session, game)


def test_a_game_of_before_says_nothing_of_all_this_and_goes_on(office):
    """Its first act has no keys beyond those it always had, and there is no row of how it was opened."""
    game = open_game(office, "Friday", [ANNA, BEN], NOON)
    with office.writing() as session:
        first = json.loads(session.get_one(Act, (game, 1)).events)[0]
        session.execute(delete(Opening))
        session.commit()
    assert set(first) == {"type", "name", "board", "edition", "hours", "seats"}
    with office.reading() as session:
        assert (opening(session, game).joined_by, watchable(session, game)) == ("", False)
        assert not open_seats.is_joinable(session, session.get_one(Game, game))
    tick(office, NOON)
    assert [accept(office, game, seat, NOON) for seat in (0, 1)] == [False, True]


def test_the_log_of_a_game_whose_seats_changed_hands_is_as_any_other(office, game):
    open_seats.ask(office, game, BEN, NOON)
    seat = seat_of(office, game, "Ben")
    open_seats.leave(office, game, seat, 2, NOON)
    open_seats.join(office, game, player(office, CLEO), "Cleo", NOON)
    lines = [line.encode() for line in archive.export(office, game)]
    (started,) = [event for event, _ in check_log(lines, boards())]
    assert sorted(started.seats) == ["Anna", "Cleo"]
    assert list(examine(office)) == []
    office.shelf.put(game, type(history(office, game))())
    assert history(office, game).since(seat) == 4


# --- lists for everybody --------------------------------------------------------------------------------


def test_strangers_find_the_games_that_anybody_may_join_or_watch_and_no_others(office, clock):
    def opened(name: str, terms: Terms, *wishes: Wish) -> str:
        return open_game(office, name, [ANNA, *wishes], clock(), organiser=ANNA.address, terms=terms)

    for name, terms in (("Private", Terms()), ("By link", LINK), ("Full", Terms("all"))):
        opened(name, terms, *([BEN] if name != "By link" else [OPEN]))
    free = opened("Free", Terms("all", watched=True), BEN, OPEN)
    with office.reading() as session:
        (one,) = to_join(session, clock(), 50)
        assert (one.game.id, sorted(one.names), one.free) == (free, ["Anna", "Ben"], 1)
        assert to_watch(session, 50) == []
    accept(office, free, seat_of(office, free, "Ben"), clock())
    fill(office, free, "open", clock())
    with office.reading() as session:
        assert to_join(session, clock(), 50) == []
        assert [one.game.id for one in to_watch(session, 50)] == [free]
    old = opened("Old", Terms("all"), OPEN)
    with office.reading() as session:
        assert [one.game.id for one in to_join(session, clock(), 50)] == [old]
        assert to_join(session, clock.forward(24 * 31), 50) == []
