"""Playing again: the same people in a new game, once for each game that is over."""

from functools import partial

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from emails.terms import USUAL_TIME
from engine.bots import play_to_win
from engine.notation.orders import write
from engine.position import view
from server.lobby import open_seats
from server.lobby.open_seats import SeatRefused, cancel_game
from server.lobby.proposals import find_rematch, open_rematch
from server.store.game_terms import terms_of
from server.store.models import Game, OutgoingLetter, Seating
from server.store.turn_clock import turn_time_of
from tests.server.desk import HOUSE, NOON, at_once, desk
from tests.server.web.site import Site

BUTTON = "//form[contains(@action, '/rematch')]"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An office with one game that is over, of Anna, Ben and the house."""
    context = desk(tmp_path_factory.mktemp("rematch"), seed=3)
    game = context.start_game("Anna", "Ben", "house", hours=24)
    while not (now := context.position_of(game)).table.over:
        words = write(play_to_win(view(now, now.table.seat)), now.table.board)
        context.play(game, now.table.seat, context.game_row(game).after, [words], "web", NOON)
    return context, game


@pytest.fixture
def context(played):
    return played[0]


@pytest.fixture
def game(played):
    context, game = played
    with context.changing() as session:
        for made in session.exec(select(Game).where(Game.id != game)):
            terms_of(session, made.id).rematch_of = ""
    context.change_game(game, name="Friday", turn_minutes=24 * 60)
    return game


def rematch(context, game, name="Anna"):
    return open_rematch(context, game, context.seat_of(game, name), NOON)


def people(context, game) -> list[tuple[str, bool, bool]]:
    """The names, whether the house plays, whether they are in."""
    with context.reading() as session:
        return sorted(
            (one.name, one.house, one.accepted_at is not None) for one in open_seats.seats_of(session, game)
        )


def test_somebody_of_the_house_plays_again_and_an_old_seat_of_it_gets_a_name(context, game):
    for old, new in (("Porus", "Porus"), ("House", HOUSE)):
        with context.changing() as session:
            session.execute(update(Seating).where(Seating.game == game, col(Seating.house)).values(name=old))
        made = rematch(context, game)
        assert [name for name, house, _ in people(context, made.game) if house] == [new]
        cancel_game(context, made.game, NOON)
    with context.changing() as session:
        session.execute(update(Seating).where(Seating.game == game, col(Seating.house)).values(name=HOUSE))


def test_whoever_presses_is_in_and_the_others_are_invited(context, game):
    made = rematch(context, game)
    assert people(context, made.game) == [("Anna", False, True), ("Ben", False, False), (HOUSE, True, True)]
    row, old = context.game_row(made.game), context.game_row(game)
    assert (row.name, row.turn_minutes) == ("Friday, again", 24 * 60)
    assert (row.edition, row.board) == (old.edition, old.board)
    assert made.seat == context.seat_of(made.game, "Anna")
    letters = context.rows_of(OutgoingLetter, OutgoingLetter.game == made.game)
    assert [(one.kind, one.recipient) for one in letters] == [("invitation", "ben@example.org")]
    with context.reading() as session:
        found = terms_of(session, made.game)
    assert (found.rematch_of, found.seat, found.watched) == (game, made.seat, False)
    context.accept_invitation(made.game, context.seat_of(made.game, "Ben"), NOON)
    assert context.game_row(made.game).status == "running"


def test_pressing_twice_is_once_and_whoever_presses_next_takes_his_seat(context, game):
    made = rematch(context, game)
    again = rematch(context, game)
    assert (again.game, again.seat) == (made.game, made.seat)
    for _ in range(2):
        other = rematch(context, game, "Ben")
        assert (other.game, other.seat) == (made.game, context.seat_of(made.game, "Ben"))
        assert context.game_row(made.game).status == "running"


def test_two_who_press_at_once_are_in_one_new_game(context, game):
    seats, found = [context.seat_of(game, name) for name in ("Anna", "Ben")], []

    def press(seat: int) -> None:
        found.append(open_rematch(context, game, seat, NOON).game)

    assert at_once(*(partial(press, seat) for seat in seats)) == []
    assert len(found) == 2
    assert len(set(found)) == 1
    assert context.game_row(found[0]).status == "running"


def test_whoever_gave_his_seat_back_can_have_it_again_while_it_is_open(context, game):
    made = rematch(context, game)
    open_seats.leave_seat(context, made.game, context.seat_of(made.game, "Ben"), 0, NOON)
    again = rematch(context, game, "Ben")
    assert (again.game, people(context, made.game)[1]) == (made.game, ("Ben", False, True))


def test_a_rematch_that_was_called_off_can_be_asked_for_anew(context, game):
    first = rematch(context, game)
    cancel_game(context, first.game, NOON)
    with context.reading() as session:
        assert find_rematch(session, game) is None
    second = rematch(context, game, "Ben")
    assert second.game != first.game
    assert people(context, second.game)[1] == ("Ben", False, True)


def test_the_names_go_on_and_keep_within_their_length(context, game):
    context.change_game(game, name="F" * 40)
    seen, last = [], game
    for _ in range(3):
        made = rematch(context, last)
        seen.append(context.game_row(made.game).name)
        context.change_game(made.game, status="over")
        last = made.game
    assert seen == [f"{'F' * 32}…, again", f"{'F' * 30}…, again 2", f"{'F' * 30}…, again 3"]
    assert {len(name) for name in seen} == {40}


def test_what_is_no_game_to_play_again(context, game):
    with pytest.raises(SeatRefused, match="Nobody plays on that seat"):
        rematch(context, game, HOUSE)
    running = context.start_game("Anna", "Ben")
    with pytest.raises(SeatRefused, match="not over yet"):
        open_rematch(context, running, 0, NOON)


def test_a_game_without_a_limit_and_with_an_empty_seat_is_played_again_with_both(context, game):
    """As games are whose log was taken in from elsewhere."""
    with context.changing() as session:
        session.get_one(Game, game).turn_minutes = 0
        house_seat = session.exec(select(Seating).where(Seating.game == game, Seating.name == HOUSE)).one()
        house_seat.house = False
    try:
        made = rematch(context, game)
    finally:
        with context.changing() as session:
            session.get_one(Seating, (game, house_seat.seat)).house = True
    assert turn_time_of(context.game_row(made.game)) == USUAL_TIME
    assert people(context, made.game) == [("", False, False), ("Anna", False, True), ("Ben", False, False)]


def test_a_game_that_goes_on_has_no_button_and_its_address_does_nothing(context):
    place, game = Site(context), context.start_game("Anna", "Ben")
    visitor = place.look(game)
    assert not visitor.page.xpath(BUTTON)
    assert visitor.post(f"{place.link(game)}/rematch", nonce="x").status == 400


def test_one_presses_and_is_in_and_the_other_presses_and_takes_a_seat(context, game):
    place = Site(context)
    seats = {name: context.seat_of(game, name) for name in ("Anna", "Ben")}
    links = {name: place.link(game, seat=seat) for name, seat in seats.items()}
    bearer = place.visitor().get(links["Anna"])
    assert not bearer.page.xpath(BUTTON)
    assert "Sign in to play again" in bearer.text
    anna, ben = (place.signed_in(game, seats[name]).get(links[name]) for name in seats)
    assert "Play again with the same people" in anna.text
    _, action, fields = anna.form(BUTTON)
    anna.send(BUTTON)
    assert (anna.title, "Friday, again" in anna.text) == ("You are in, Anna", True)
    assert anna.client.post(action, data=fields).status_code == 303  # pressed twice
    assert anna.get(links["Anna"]).click("To the next game").title == "You are in, Anna"
    assert "is open already" in ben.get(links["Ben"]).text
    assert "turn" in ben.send(BUTTON).title
    with context.reading() as session:
        assert find_rematch(session, game).status == "running"
