"""A seat is asked for and taken by mail: only by who reads the mail that comes, and by one alone."""

from collections.abc import Callable

import pytest

from emails.terms import AbsenceRule
from emails.tokens import Purpose, seal_game
from server.admin.backups import examine_stored_acts
from server.inbox import dispatch
from server.inbox.intake import is_deliverable
from server.outbox.notifications import load_preferences
from server.store.context import Context
from server.store.event_log import Refusal
from server.store.models import Act, Player
from tests.server.desk import Clock, Collector, at_once, body, kinds, words_of
from tests.server.inbox.test_new_game_mail import Post, kind
from tests.server.lobby.table import Table

DIRK = "Dirk <dirk@example.org>"
ENGLISH, DUTCH = "I would like to play.", "Ik wil graag meespelen."


@pytest.fixture
def post(context: Context) -> Post:
    return Post(context)


@pytest.fixture
def vacant(context: Context, mails: Collector, clock: Clock) -> Table:
    """A game of three of which the first has resigned, so that the seat is offered."""
    game = Table(context, mails, clock).open(AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    game.resign(0)
    return game


@pytest.fixture
def offered(vacant: Table) -> str:
    return vacant.game


@pytest.fixture
def asks(context: Context, post: Post, offered: str) -> Callable[..., str]:
    """Let somebody ask for the seat by mail, by default Dirk; gives what became of it."""
    to = context.links.join_address(offered)
    return lambda words=ENGLISH, sender=DIRK, **more: post.write(words, to=to, sender=sender, **more)


def holder(context: Context, game: str) -> str:
    [address] = context.rows_of(Player.address, Player.id == context.player_of(game))
    return address


def joined(context: Context, game: str) -> list[str]:
    """Through which channel somebody has taken a seat, each time."""
    return context.rows_of(Act.door, Act.game == game, Act.said == "join")


def test_a_seat_is_taken_by_the_first_yes_alone(context, post, offered, asks):
    asks()
    letter = post.to("dirk")
    for _ in range(2):
        assert post.answer(letter, "yes") == "played"
    assert joined(context, offered) == ["reply"]
    assert kinds(post.carrier.to("dirk")) == ["seat_claim", "substitute"]


def test_who_writes_in_somebody_elses_name_has_nothing_by_it(context, post, offered, asks):
    before = holder(context, offered)
    asks(f"{ENGLISH}\nyes", envelope="mallory@example.org")
    letter = post.to("dirk")
    assert not post.carrier.to("mallory")
    assert post.answer(letter, "yes", sender="Cleo <cleo@example.org>") == "ignored"
    forged = str(letter["Reply-To"]).replace("new+", "new+a")
    assert not is_deliverable(context, forged)
    assert post.write("yes", to=forged, sender=DIRK) == "ignored"
    assert post.answer(letter, "Let me think about it") == "ignored"
    assert holder(context, offered) == before


@pytest.mark.breadth
def test_a_game_that_is_no_more_and_a_player_that_is_none_are_passed_over(context, post, offered):
    keys = context.links.keys
    for token in (
        seal_game(Purpose.JOIN, "aaaaaaaa", keys),
        seal_game(Purpose.CLAIM, "aaaaaaaa", keys, 1),
        seal_game(Purpose.CLAIM, offered, keys, 4711),
    ):
        assert post.write("yes", to=f"new+{token}@play.example.org", sender=DIRK) == "ignored"
    assert not post.carrier.to("dirk")


@pytest.mark.breadth
@pytest.mark.parametrize(("words", "told"), [(ENGLISH, "taken that seat already"), (DUTCH, "al genomen")])
def test_who_comes_too_late_is_told_so(context, post, vacant, offered, words, told, asks):
    asks(words)
    letter = post.to("dirk")
    vacant.take("Fourth")
    assert post.answer(letter, "yes") == "refused"
    assert kind(post.to("dirk")) == "seat_refused"
    assert told in " ".join(body(post.to("dirk")).split())
    assert asks(words, "Eve <eve@example.com>") == "refused"
    assert told in " ".join(body(post.to("eve")).split())
    assert "/x/" in body(post.to("eve"))  # where they say that they want no such mail
    assert holder(context, offered) == "fourth@example.org"


@pytest.mark.breadth
@pytest.mark.systems
def test_of_two_who_answer_at_once_one_has_the_seat(context, post, offered, asks):
    for sender in (DIRK, "Eve <eve@example.com>"):
        asks(sender=sender)
    for number, name in enumerate(("dirk", "eve")):
        letter = post.to(name)
        raw = f"From: {letter['To']}\r\nMessage-ID: <{name}{number}@example.org>\r\n\r\nyes"
        post.store(str(letter["To"]), str(letter["Reply-To"]), raw.encode())

    def read() -> None:
        try:
            dispatch.process_waiting_mail(context, post.now)
        except Refusal as error:
            raise AssertionError("the mail is answered instead") from error

    assert at_once(read, read) == []
    dispatch.process_waiting_mail(context, post.now)
    assert joined(context, offered) == ["reply"]
    assert holder(context, offered) in ("dirk@example.org", "eve@example.com")
    assert list(examine_stored_acts(context)) == []


@pytest.mark.parametrize(("answers", "zone"), [("1", "Pacific/Auckland"), ("hand", "UTC")])
def test_a_substitute_who_comes_by_mail_is_asked_for_their_zone_once(
    context, post, offered, answers, zone, asks
):
    one_at_night = {"Date": "Tue, 3 Mar 2026 01:00:00 +1300"}
    asks(**one_at_night)
    letter = post.to("dirk")
    assert post.answer(letter, "yes", **one_at_night) == "played"
    question = next(one for one in post.carrier.to("dirk") if kind(one) == "asked_back")
    assert "Is it 01:00 where you are, as in Auckland?" in words_of(question)
    post.answer(question, answers, **one_at_night)
    with context.reading() as session:
        assert load_preferences(session, context.player_of(offered)).zone == zone
    post.answer(letter, "yes", **one_at_night)
    assert kinds(post.carrier.to("dirk")).count("asked_back") == 1
