"""Playing again: the same people in a new game, once for each game that is over."""

from threading import Barrier, Thread

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from engine.bots import house
from engine.notation.grammar import write
from engine.views import view
from server.lobby import open_seats
from server.lobby.games import accept
from server.lobby.open_seats import NotJoined
from server.lobby.organiser import cancel
from server.lobby.rematches import play_again, rematch_of
from server.store.game_terms import Terms, opening
from server.store.models import Game, Outgoing, Seating
from server.turns.play import play
from tests.server.desk import NOON, desk, game_row, seat_of, start_game


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An office with one game that is over, of Anna, Ben and the house."""
    office = desk(tmp_path_factory.mktemp("rematch"), seed=3)
    game = start_game(office, "Anna", "Ben", "house", hours=24)
    while (row := game_row(office, game)).status != "over":
        with office.reading() as session:
            position = office.history(session, row).position
        known = view(position, position.table.seat)
        play(office, game, row.seat, row.after, [write(house(known), known.table.board)], "web", NOON)
    return office, game


@pytest.fixture
def over(place):
    """The same, which nobody has played again yet."""
    office, game = place
    with office.writing() as session:
        for made in session.exec(select(Game).where(Game.id != game)):
            opened = opening(session, made.id)
            opened.rematch_of = ""
            session.add(opened)
        session.execute(update(Game).where(col(Game.id) == game).values(name="Friday", hours=24))
        session.commit()
    return office, game


def people(office, game) -> list[tuple[str, bool, bool]]:
    """The names, whether the house plays, whether they are in."""
    with office.reading() as session:
        return sorted(
            (one.name, one.house, one.accepted_at is not None) for one in open_seats.seats_of(session, game)
        )


def named(office, game) -> str:
    return game_row(office, game).name


def test_whoever_presses_is_in_and_the_others_are_invited(over):
    office, game = over
    made = play_again(office, game, seat_of(office, game, "Anna"), NOON)
    assert people(office, made.game) == [("Anna", False, True), ("Ben", False, False), ("House", True, True)]
    row, old = game_row(office, made.game), game_row(office, game)
    assert (row.name, row.hours, row.edition, row.board) == ("Friday, again", 24, old.edition, old.board)
    assert made.seat == seat_of(office, made.game, "Anna")
    with office.reading() as session:
        letters = session.exec(select(Outgoing).where(Outgoing.game == made.game)).all()
        assert [(one.kind, one.recipient) for one in letters] == [("invitation", "ben@example.org")]
        found = opening(session, made.game)
        assert (found.rematch_of, found.seat, found.watched) == (game, made.seat, False)
    accept(office, made.game, seat_of(office, made.game, "Ben"), NOON)
    assert game_row(office, made.game).status == "running"


def test_pressing_twice_is_once_and_whoever_presses_next_takes_his_seat(over):
    office, game = over
    anna, ben = (seat_of(office, game, name) for name in ("Anna", "Ben"))
    made = play_again(office, game, anna, NOON)
    assert play_again(office, game, anna, NOON) == made
    other = play_again(office, game, ben, NOON)
    assert (other.game, other.seat) == (made.game, seat_of(office, made.game, "Ben"))
    assert game_row(office, made.game).status == "running"
    assert play_again(office, game, ben, NOON) == other


def test_two_who_press_at_once_are_in_one_new_game(over):
    office, game = over
    barrier, found = Barrier(2), []

    def press(name: str) -> None:
        seat = seat_of(office, game, name)
        barrier.wait()
        found.append(play_again(office, game, seat, NOON).game)

    threads = [Thread(target=press, args=[name]) for name in ("Anna", "Ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert len(set(found)) == 1
    assert game_row(office, found[0]).status == "running"


def test_whoever_gave_his_seat_back_can_have_it_again_while_it_is_open(over):
    office, game = over
    made = play_again(office, game, seat_of(office, game, "Anna"), NOON)
    open_seats.leave(office, made.game, seat_of(office, made.game, "Ben"), 0, NOON)
    again = play_again(office, game, seat_of(office, game, "Ben"), NOON)
    assert (again.game, people(office, made.game)[1]) == (made.game, ("Ben", False, True))


def test_a_rematch_that_was_called_off_can_be_asked_for_anew(over):
    office, game = over
    first = play_again(office, game, seat_of(office, game, "Anna"), NOON)
    cancel(office, first.game, NOON)
    with office.reading() as session:
        assert rematch_of(session, game) is None
    second = play_again(office, game, seat_of(office, game, "Ben"), NOON)
    assert second.game != first.game
    assert people(office, second.game)[1] == ("Ben", False, True)


def test_the_names_go_on_and_keep_within_their_length(over):
    office, game = over
    with office.writing() as session:
        session.get_one(Game, game).name = "F" * 40
        session.commit()
    seen, last = [], game
    for _ in range(3):
        made = play_again(office, last, seat_of(office, last, "Anna"), NOON)
        seen.append(named(office, made.game))
        with office.writing() as session:
            session.get_one(Game, made.game).status = "over"
            session.commit()
        last = made.game
    assert seen == [f"{'F' * 32}…, again", f"{'F' * 30}…, again 2", f"{'F' * 30}…, again 3"]
    assert {len(name) for name in seen} == {40}


def test_what_is_no_game_to_play_again(over):
    office, game = over
    with pytest.raises(NotJoined, match="Nobody plays on that seat"):
        play_again(office, game, seat_of(office, game, "House"), NOON)
    running = start_game(office, "Anna", "Ben")
    with pytest.raises(NotJoined, match="not over yet"):
        play_again(office, running, 0, NOON)


def test_a_game_without_a_limit_and_with_an_empty_seat_is_played_again_with_both(over):
    """As games are whose log was taken in from elsewhere."""
    office, game = over
    with office.writing() as session:
        session.get_one(Game, game).hours = 0
        house_seat = session.exec(select(Seating).where(Seating.game == game, Seating.name == "House")).one()
        house_seat.house = False
        session.commit()
    try:
        made = play_again(office, game, seat_of(office, game, "Anna"), NOON)
    finally:
        with office.writing() as session:
            session.get_one(Seating, (game, house_seat.seat)).house = True
            session.commit()
    assert game_row(office, made.game).hours == 48
    assert people(office, made.game) == [("", False, False), ("Anna", False, True), ("Ben", False, False)]


def test_terms_write_only_what_is_new():
    assert Terms().fact == {}
    assert Terms("link", True, "abcdefgh").fact == {
        "joined_by": "link",
        "watched": True,
        "rematch_of": "abcdefgh",
    }
