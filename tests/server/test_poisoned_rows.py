"""A row that cannot be read stops only itself: other games go on, their mails are read, letters leave."""

import pytest

from server.inbox import dispatch
from server.store import schedule
from server.store.game_terms import list_watchable_games
from server.store.models import IncomingMail
from server.store.schedule import FIRST_PUT_OFF, MOST_FAILURES, read_moment, write_moment
from server.store.states import MomentName
from tests.server.desk import NOON
from tests.server.storage import storage


def poison(context, table: str, column: str, value: str, game: str) -> None:
    """Make one column of the rows of a game unreadable, as a fault of the disk might."""
    of = "id" if table == "game" else "game"
    where = "1 = 1" if table == "incoming" else f"{of} = '{game}'"
    statement = f"UPDATE {table} SET {column} = {value} WHERE {where}"
    if not storage().spoil(context.database, statement):
        pytest.skip("this database keeps nothing in a column that is no value of it")


@pytest.mark.systems
@pytest.mark.parametrize("column", ["watched_at", "opened_at", "deadline"])
def test_a_game_of_which_a_row_cannot_be_read_is_left_out_of_lists_alone(context, caplog, column):
    broken, sound = context.start_game("Anna", "Ben"), context.start_game("Cleo", "Dirk")
    context.let_watch(broken)
    context.let_watch(sound)
    table, _, column = f"game.{column}".rpartition(".")
    poison(context, table.rpartition(".")[2], column, "'infinity'", broken)
    with context.reading() as session:
        assert [one.game.id for one in list_watchable_games(session, 9)] == [sound]
    assert f"game {broken} cannot be read" in caplog.text


@pytest.mark.systems
def test_a_moment_of_the_server_that_cannot_be_read_counts_as_none(context):
    with context.changing() as session:
        write_moment(session, MomentName.RELAY_AWAY, NOON)
    storage().spoil(context.database, "UPDATE moment SET at = 'infinity'")
    with context.reading() as session:
        assert read_moment(session, MomentName.RELAY_AWAY) is None


def test_a_mail_that_fails_is_tried_three_times_and_set_aside_with_the_reason(context, monkeypatch):
    game = context.start_game("Anna", "Ben")
    context.write_mail(game, "Anna", "board")

    def fails(*_):
        raise RuntimeError("nobody thought of this")

    monkeypatch.setitem(dispatch.PROCESSORS, "play", fails)
    moment = NOON
    for tries in range(1, MOST_FAILURES + 1):
        assert dispatch.process_waiting_mail(context, moment) == 1
        assert dispatch.process_waiting_mail(context, moment) == 0, "it waits"
        [row] = context.rows_of(IncomingMail)
        assert row.state == ("refused" if tries == MOST_FAILURES else "waiting")
        moment += FIRST_PUT_OFF * 2**tries
    assert row.why == dispatch.CANNOT_BE_READ
    assert context.stored_mails(), "its bytes are kept"


@pytest.mark.parametrize("command", ["games", "doctor", "rebuild"])
def test_commands_name_an_id_that_is_no_text_and_go_on(context, command):
    broken, *sound = (context.start_game(name, "Dirk") for name in ("Anna", "Ben", "Cleo"))
    poison(context, "game", "id", "CAST('a' || x'ff' AS TEXT)", broken)
    for game in sound:
        poison(context, "act", "digest", "'0'", game)
    found = context.type_in(command)
    assert found.exit_code == 1
    assert [one for one in (r"a\xff", *sound) if one in found.stdout] == [r"a\xff", *sound]


def test_the_doctor_reads_a_part_of_the_games(context):
    games = sorted(context.start_game("Anna", "Ben") for _ in range(4))
    for game in games:
        poison(context, "act", "digest", "'0'", game)
    part = context.type_in("doctor", "--after", games[0], "--until", games[2]).stdout
    assert [game for game in games if game in part] == games[1:3]
    assert [game for game in games if game in context.type_in("doctor").stdout] == games


@pytest.mark.parametrize(
    ("find", "column"),
    [
        (schedule.games_due, "due_at"),
        (schedule.seats_due, "daily_at"),
        (schedule.held_seats_due, "held_until"),
    ],
)
def test_an_id_that_is_no_text_hides_none_of_the_others_from_the_clock(context, caplog, find, column):
    broken, sound = context.start_game("Anna", "Ben"), context.start_game("Cleo", "Dirk")
    table, of = ("game", "id") if column == "due_at" else ("seating", "game")
    for game in (broken, sound):
        poison(context, table, column, "'2026-03-02 12:00:00.000000'", game)
    poison(context, table, of, "CAST(x'ff' AS TEXT)", broken)
    with context.reading() as session:
        found = {one if isinstance(one, str) else one[0] for one in find(session, NOON)}
    assert found == {sound}


@pytest.mark.parametrize(("column", "value"), [("name", "CAST(x'ff' AS TEXT)"), ("daily_at", "'some day'")])
def test_the_doctor_names_a_game_whose_seats_cannot_be_read(context, column, value):
    game = context.start_game("Anna", "Ben")
    poison(context, "seating", column, value, game)
    examined = context.type_in("doctor")
    assert examined.exit_code == 1
    assert f"game {game}: its seats cannot be read" in examined.stdout
