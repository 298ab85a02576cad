"""What it costs to run 10, 10,000 and 100,000 games beside each other, and what is left of one after its end.

Processor time, but for the way from a mail to its answer. `many_games.py` says how the games are made.
The page `/games` lists 10 games of 10, but 50 of 10,000: so it is measured too with 10 listed at each size.
"""

import resource
import statistics
import time
from contextlib import closing
from datetime import timedelta
from itertools import islice

import pytest
from sqlmodel import func, select

from emails.tokens import Ticket
from engine.bots import stand_in
from engine.notation.orders import write
from server import readiness
from server.admin.backups import examine_games
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.loops import Loops
from server.monitoring import CHECKED_EVERY
from server.store.models import Act, Game, OutgoingLetter, Seating
from server.store.states import GameStatus
from server.web.lobby import public_pages
from tests.benchmarks.many_games import WATCHED_FIRST, multiply_game
from tests.benchmarks.measure import spent
from tests.server.desk import NOON, Clock, Collector, Desk, desk
from tests.server.web.played import known, say, wanted
from tests.server.web.site import Site

SIZES = 10, 10_000, 100_000
OPENING = 4
"""Actions that are played in the game that is written again and again."""
LANES = 4
SAMPLE = 20
ROUNDS = 40
EXAMINED = 1_000
"""Games that the doctor reads, or all where there are fewer."""
ENDED, ACTS = 8, 140
"""Games that are played to their end, and how many acts each is to have."""


def quiet(place: Site, game: str) -> str:
    """What the caretaker would do for whose turn it is."""
    now = known(place, game)
    return write(stand_in(now), now.table.board)


def want_no_pictures(context: Desk, game: str) -> None:
    for name in ("Anna", "Ben", "Cleo"):
        context.set_preferences(game, name, everywhere=True, pictures=False)


@pytest.fixture(scope="module", params=SIZES, ids="{:,}".format)
def world(request, tmp_path_factory):
    """A server with so many running games, and those of them that are measured."""
    context = desk(tmp_path_factory.mktemp("world"))
    place = Site(context)
    first = context.start_game("Anna", "Ben", "Cleo")
    want_no_pictures(context, first)
    context.let_watch(first)
    for _ in range(OPENING):
        say(place, first, wanted(place, first))
    context.work_until_idle(Collector(), NOON)
    begun = time.perf_counter()
    made = multiply_game(context, first, request.param, NOON)
    yield place, [first, *made[:: max(1, len(made) // SAMPLE)]], time.perf_counter() - begun
    context.database.dispose()


def named(world, what: str) -> str:
    """A figure's name with how many games there are."""
    place, _, _ = world
    with place.context.reading() as session:
        running = session.exec(select(func.count(Game.id)).where(Game.status == GameStatus.RUNNING)).one()
    return f"{running:>7,} games: {what}"


def test_loops_with_nothing_to_do(figure, world):
    place, _, made_in = world
    figure(named(world, "made in"), f"{made_in:.0f} s")
    clock = Clock()
    lanes = [Collector() for _ in range(LANES)]
    loops = Loops.of(place.context, lanes, clock, steady=lambda: (clock() - NOON).total_seconds())
    readiness.add_loop_checks(place.context, loops)

    def work() -> None:
        """What goes on beside the pages in a tick: the loops, a heartbeat every other time, the checks."""
        clock.now += timedelta(seconds=CHECKED_EVERY)
        for one in loops.each:
            one._work(clock())
        place.context.health.check_all()

    for one in loops.each:
        while one._work(NOON):
            pass
    took = spent(work, ROUNDS)
    shown = f"{took:.1f} ms, {took / CHECKED_EVERY / 10:.3f} %"
    figure(named(world, "idle: loops and checks each 5 s, of a core"), shown, "1 %")


def test_an_act(figure, world):
    place, games, _ = world
    took = []
    for _ in range(10):
        for game in games:
            row, words = place.row(game), [quiet(place, game)]
            took.append(spent(lambda: place.context.play(game, row.seat, row.after, words, "link", NOON)))  # noqa: B023
    figure(named(world, "an act through play, mean"), f"{statistics.mean(took):.2f} ms", "0.9 ms")


def test_pages(figure, world, monkeypatch):
    place, games, _ = world
    browser = place.app.test_client()
    links = [place.link(game) for game in games]
    for what, pages, aim in (
        ("the page of a turn", links, ""),
        ("/games", ["/games"] * 5, ""),
        ("the pulse of an open page", [f"{link}/pulse" for link in links] * 5, "0.6 ms"),
        ("the pulse for spectators", [f"/g/{games[0]}/pulse"] * 50, "0.6 ms"),
    ):
        for page in pages[:3]:
            assert browser.get(page).status_code == 200
        environments = [browser.open(page).request.environ for page in pages]
        took = [spent(lambda: request(place, one)) for one in environments]  # noqa: B023
        figure(named(world, what), f"{statistics.median(took):.2f} ms", aim)

    monkeypatch.setattr(public_pages, "MOST_GAMES", WATCHED_FIRST)
    assert browser.get("/games").text.count('href="/g/') == WATCHED_FIRST
    environment = browser.open("/games").request.environ
    took = [spent(lambda: request(place, environment)) for _ in range(20)]
    figure(named(world, f"/games, {WATCHED_FIRST} of them listed"), f"{statistics.median(took):.2f} ms")


def request(place: Site, environment: dict) -> None:
    """Ask for a page as a web server does, without what a client for tests adds."""
    given = {
        name: value for name, value in environment.items() if not name.startswith(("werkzeug.", "flask."))
    }
    answer = place.app(given, lambda *_: lambda _: None)
    b"".join(answer)
    answer.close()


def test_from_a_mail_to_its_answer(figure, world):
    place, games, _ = world
    context, carrier = place.context, Collector()
    context.work_until_idle(carrier, NOON)
    walls, processor = [], []
    for number, game in enumerate(games):
        seat = 0
        letter = context.rows_of(OutgoingLetter, OutgoingLetter.game == game, OutgoingLetter.seat == seat)[-1]
        to = context.links.reply_address(Ticket(game, seat, context.game_row(game).after), letter.id)
        raw = f"From: {letter.recipient}\r\nMessage-ID: <{number}.{game}@client>\r\n\r\nhand\r\n".encode()
        carrier.mails.clear()
        begun, begun_working = time.perf_counter(), time.process_time()
        intake.store_mail(context, letter.recipient, to, raw, NOON)
        dispatch.process_waiting_mail(context, NOON)
        while send_due_letters(context, carrier, NOON):
            pass
        walls.append((time.perf_counter() - begun) * 1000)
        processor.append((time.process_time() - begun_working) * 1000)
        assert [mail for mail in carrier.mails if mail["To"] == letter.recipient], "it is answered"
    figure(
        named(world, "from a mail to its answer, median, by the clock"), f"{statistics.median(walls):.1f} ms"
    )
    figure(named(world, "the same, processor"), f"{statistics.median(processor):.1f} ms")


def test_a_part_of_the_doctor(figure, world):
    place, _, _ = world
    seen = 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def examine() -> None:
        nonlocal seen
        with closing(examine_games(place.context)) as games:
            for _, sentences in islice(games, EXAMINED):
                assert not sentences
                seen += 1

    took = spent(examine)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    figure(named(world, "the doctor, a game; memory"), f"{took / seen:.2f} ms; {grown:.0f} MB")


def test_what_is_kept_of_a_game(figure, tmp_path):
    """Games of many acts, with letters, before and after what the table of retention deletes."""
    place = Site(desk(tmp_path))
    context, carrier = place.context, Collector()
    empty = size_of(context)
    games = [context.start_game("Anna", "Ben", "Cleo") for _ in range(ENDED)]
    want_no_pictures(context, games[0])
    now = NOON
    while going := [game for game in games if not place.table(game).over]:
        now += timedelta(minutes=30)
        for game in going:
            slow = place.history(game).seq < ACTS * 0.75
            say(place, game, (quiet if slow else wanted)(place, game), now)
        while send_due_letters(context, carrier, now):
            pass
    acts = len(context.rows_of(Act.seq)) / ENDED
    assert len(context.rows_of(Seating.seat)) == 3 * ENDED
    before = (size_of(context) - empty) / ENDED
    assert acts > ACTS / 2
    figure("a game at its end, its letters with it", f"{before / 1000:.0f} KB")
    for _ in range(200):
        context.next_cleanup = None
        context.work_until_idle(carrier, now + timedelta(days=62))
    after = (size_of(context) - empty) / ENDED
    figure("  the same when retention has done its work", f"{after / 1000:.0f} KB", "100 KB")


def size_of(context) -> int:
    """The bytes of a database without pages that are free."""
    with context.database.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("BEGIN")
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        return pages * connection.exec_driver_sql("PRAGMA page_size").scalar()
