"""Several processes on PostgreSQL: a commit wakes the others, and what one has in hand they pass over."""

from queue import Empty, Queue
from threading import Event

import pytest
from sqlalchemy import make_url, select, text

from emails.tokens import Ticket
from server.admin.backups import back_up
from server.delivery.relay import RecipientLocks
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.inbox.dispatch import process_waiting_mail
from server.loops import WakeUps
from server.settings import name_for_libpq, read_database_url
from server.store.dialects import system_of
from server.store.dialects.postgresql import CHANNEL
from server.store.models import Game
from tests.breadth import BREADTH
from tests.postgresql import USER, cluster
from tests.server.desk import NOON, Collector, desk
from tests.server.storage import POSTGRESQL, choose

ASKED_AGAIN = 50_000
PATIENCE = 60.0
"""Seconds, on a machine that does a lot besides."""


@pytest.fixture(autouse=True)
def on_postgresql(system):
    choose(POSTGRESQL)


@pytest.fixture
def here(tmp_path):
    return desk(tmp_path)


@pytest.fixture
def there(here, tmp_path):
    return desk(tmp_path, seed=2)


@pytest.fixture
def heard(there):
    """What wakes the other process, in turn; it has begun to listen."""
    found: Queue[str] = Queue()
    listening = WakeUps(there, lambda: found.put("woken"))
    listening.start()
    assert found.get(timeout=PATIENCE) == "woken", "at once, for what was missed"
    yield found
    listening.ask_to_stop()
    listening.join()


def test_a_commit_wakes_who_listens_elsewhere(here, heard):
    here.start_game("Anna", "Ben")
    assert heard.get(timeout=PATIENCE) == "woken"


@pytest.mark.breadth
def test_what_is_undone_wakes_nobody_and_nor_does_what_the_process_did_itself(here, there, heard):
    with here.writing() as session:
        here.system.announce(session.connection(), here.sender)
        session.rollback()
    there.start_game("Anna", "Ben")
    with pytest.raises(Empty):
        heard.get(timeout=1)
    here.start_game("Anna", "Ben")
    assert heard.get(timeout=PATIENCE) == "woken"


@pytest.mark.breadth
def test_who_was_cut_off_listens_again_and_looks_at_what_was_missed(here, heard):
    ended = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN {CHANNEL}'"
    assert cluster().execute(ended)
    assert heard.get(timeout=PATIENCE) == "woken"


@pytest.fixture
def keys(here):
    url = here.settings.database
    found = [system_of(url).open_keys(url) for _ in range(2)]
    yield found
    for one in found:
        one.close()


def test_one_process_at_a_time_holds_a_key_and_one_that_ends_holds_none(keys):
    one, other = keys
    assert (one.take("a"), other.take("a"), other.take("b")) == (True, False, True)
    one.let_go("a")
    assert other.take("a")
    other.close()
    for key in "ab":  # PostgreSQL sees a little later that a connection has ended
        assert any(one.take(key) for _ in range(ASKED_AGAIN))


def test_a_connection_that_was_ended_is_opened_again(keys, here):
    keys[0].take("a")
    own = here.database.url.database
    cluster().execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{own}'")
    with here.reading() as session:
        assert session.scalar(text("SELECT 1")) == 1
    keys[0].let_go("a")
    assert keys[0].take("a")


def test_letters_to_whom_another_process_writes_are_passed_over(here, there, keys):
    here.start_game("Anna", "Ben")
    locks = [RecipientLocks(shared=one) for one in keys]
    assert locks[0].take("ANNA@example.org")
    carrier = Collector()
    while send_due_letters(there, carrier, NOON, most=1, locks=locks[1]):
        pass
    assert [recipient for _, recipient in carrier.envelopes] == ["ben@example.org"]
    locks[0].let_go("anna@example.org")
    assert send_due_letters(there, carrier, NOON, most=1, locks=locks[1]) == 1
    assert [recipient for _, recipient in carrier.envelopes] == ["ben@example.org", "anna@example.org"]


def test_mails_of_whom_another_process_reads_are_passed_over_and_stay_in_order(here, there, keys):
    game = here.start_game("Anna", "Ben")
    to = here.links.reply_address(Ticket(game, here.game_row(game).seat, here.game_row(game).after))
    for number, name in enumerate(["anna", "ben", "anna"]):
        sender = f"{name}@example.org"
        raw = f"From: {sender}\r\nMessage-ID: <{number}@x>\r\n\r\nboard\r\n"
        intake.store_mail(here, sender, to, raw.encode(), NOON)
    assert keys[0].take("writer anna@example.org")
    assert process_waiting_mail(there, NOON, most=1, shared=keys[1]) == 1
    assert process_waiting_mail(there, NOON, most=1, shared=keys[1]) == 0, "Anna's are read elsewhere"
    keys[0].let_go("writer anna@example.org")
    assert [process_waiting_mail(there, NOON, most=1, shared=keys[1]) for _ in range(3)] == [1, 1, 0]


WRITABLE = "target_session_attrs=read-write"


@pytest.mark.parametrize(
    ("named", "hosts", "ports"),
    [
        ("a:p%40ss@one,two/games?", "one,two", None),
        ("a:p%40ss@one,two:5433/games?", "one,two", 5433),
        ("a:p%40ss@/games?host=one:5433&host=two:5434&", "one,two", "5433,5434"),
    ],
)
def test_each_server_is_told_to_libpq(named, hosts, ports):
    told = name_for_libpq(read_database_url(f"postgresql+psycopg://{named}{WRITABLE}"))
    assert (told["host"], told.get("port"), told["dbname"]) == (hosts, ports, "games")
    assert (told["password"], told["target_session_attrs"]) == ("p@ss", "read-write")


@BREADTH
def test_the_one_that_is_there_is_found_by_whoever_works_listens_and_copies(system, tmp_path):
    choose(POSTGRESQL)
    place = desk(tmp_path)
    place.start_game("Anna", "Ben")
    base = place.settings.database.database
    more = "connect_timeout=7&application_name=ours&options=-c%20work_mem%3D5MB"
    url = f"postgresql+psycopg://{USER}@/{base}?host=/nowhere&host={cluster().folder}&{WRITABLE}&{more}"
    context = desk(tmp_path, ALEXANDROS_DATABASE=url)
    with context.reading() as session:
        assert len(session.exec(select(Game.id)).all()) == 1
        for name, own in {"application_name": "ours", "work_mem": "5MB", "lock_timeout": "15s"}.items():
            assert session.scalar(text(f"SHOW {name}")) == own
    heard, stopping = [], Event()
    stopping.set()
    assert system_of(make_url(url)).listen(make_url(url), "me", lambda: heard.append(1), stopping)
    assert heard == [1]
    assert back_up(context, tmp_path / "copy", NOON) == 1
    context.database.dispose()
