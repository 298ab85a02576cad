"""When letters come: at once, gathered, or once a day; and never two about one thing."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from engine.bots import stand_in
from engine.notation.orders import write
from engine.position import view
from server.clock import tick
from server.delivery.claims import CLAIM_LASTS
from server.delivery.sending import send_due_letters
from server.outbox import chat
from server.store.models import Game, OutgoingLetter
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    Collector,
    begin_time,
    body,
    changing,
    desk,
    game_row,
    kinds,
    names_of,
    play,
    set_preferences,
    start_game,
    work_until_idle,
)

EIGHT = datetime(2026, 3, 3, 8, tzinfo=UTC)


@pytest.fixture
def post():
    return Collector()


@pytest.fixture
def game(context, post, clock):
    """Three players, of whom the first is to move; all have had the letters of the start."""
    game = begin_game(context, post, "Anna", "Ben", "Cleo")
    post.mails.clear()
    post.envelopes.clear()
    return game


def take_turn(context, game, now, lines=20):
    """A whole turn, quietly played on the page, or so many actions of one."""
    begun = game_row(context, game)
    while lines and game_row(context, game).turn == begun.turn:
        with context.reading() as session:
            row = session.get_one(Game, game)
            position = context.history_of(session, row).position
        known = view(position, row.seat)
        play(context, game, row.seat, row.after, [write(stand_in(known), known.table.board)], "web", now)
        lines -= 1


def mover(context, game, ahead=0):
    row = game_row(context, game)
    names = names_of(context, game)
    return names[(row.seat + ahead) % len(names)]


def stored(context, *kinds):
    with context.reading() as session:
        chosen = select(OutgoingLetter).where(OutgoingLetter.kind.in_(kinds)).order_by(OutgoingLetter.id)
        return [(row.kind, row.state, row.why) for row in session.exec(chosen)]


TOLD = "another letter contains it"
PASSED = "its occasion has passed"


def test_where_the_house_begins_the_first_letter_is_of_the_start_and_of_the_turn(tmp_path, post, clock):
    context = desk(tmp_path, seed=3)
    game = start_game(context, "Anna", "house", "house", now=clock())
    assert names_of(context, game)[0] != "Anna"
    work_until_idle(context, post, clock())
    assert kinds(post.mails) == ["welcome"]
    assert "choose " in body(post.mails[0])


def write_to_all(context, game, writer, now):
    with changing(context) as session:
        seat = names_of(context, game).index(writer)
        chat.post(context, session, session.get_one(Game, game), seat, None, "Good luck!", now)


def test_two_servers_make_one_letter_of_the_day(tmp_path, context, game, post, clock):
    other = desk(tmp_path)
    cleo = mover(context, game, 2)
    set_preferences(context, game, cleo, pace="daily", hour=8)
    write_to_all(context, game, mover(context, game), clock())
    tick(context, EIGHT)
    tick(other, EIGHT)
    send_due_letters(other, post, EIGHT)
    send_due_letters(context, post, EIGHT)
    tick(other, EIGHT)
    assert kinds(post.to(cleo)) == ["digest"]


def waiting_for_cleo(context, game, clock):
    """Cleo hears of two things at eight: a turn, and that somebody's time has passed."""
    cleo = mover(context, game, 2)
    set_preferences(context, game, cleo, pace="daily", hour=8, moves=True)
    take_turn(context, game, clock())
    send_due_letters(context, Collector(), clock())
    tick(context, clock.forward(50))
    clock.now = EIGHT.replace(day=5)
    return cleo


def test_what_a_letter_that_cannot_be_written_would_have_told_is_told_by_the_next(context, game, post, clock):
    cleo = waiting_for_cleo(context, game, clock)
    with changing(context) as session:
        for row in session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "time_passed")):
            row.detail = '{"seat": "nobody"}'
    work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == ["your_turn"]


def test_a_letter_overtaken_by_a_later_one_is_not_sent_after_it(context, game, post, clock):
    ben = mover(context, game, 1)
    take_turn(context, game, clock())
    with changing(context) as session:
        row = session.exec(
            select(OutgoingLetter)
            .where(OutgoingLetter.kind == "your_turn")
            .order_by(OutgoingLetter.id.desc())
        ).first()
        row.tries, row.due_at = 8, NOON + timedelta(hours=30)  # a relay was away
    begin_time(context, game, clock())  # its player has been on the page
    work_until_idle(context, post, clock.forward(24))
    work_until_idle(context, post, clock.forward(6))
    assert kinds(post.to(ben)) == ["reminder"]
    assert stored(context, "your_turn")[-1] == ("your_turn", "dropped", TOLD)


def test_who_wants_no_pictures_gets_plain_text(context, game, post, clock, monkeypatch):
    ben = mover(context, game, 1)
    set_preferences(context, game, ben, pictures=False)
    take_turn(context, game, clock())
    monkeypatch.setattr("server.delivery.composition.draw_pictures", None)  # nothing is drawn
    send_due_letters(context, post, clock())
    (letter,) = post.to(ben)
    assert letter.get_content_type() == "text/plain"
    assert "choose " in letter.get_content()


@dataclass
class Interrupted:
    """A carrier during whose work something else happens, once."""

    what: object
    carried: list[str] = field(default_factory=list)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        what, self.what = self.what, lambda: None
        what()
        self.carried.append(recipient)


def test_two_servers_at_once_send_one_letter(tmp_path, context, game, post, clock):
    other = desk(tmp_path)
    cleo = waiting_for_cleo(context, game, clock)
    mine = Interrupted(lambda: send_due_letters(other, post, clock()))
    send_due_letters(context, mine, clock())
    mails = [*mine.carried, *(recipient for _, recipient in post.envelopes)]
    assert mails.count(f"{cleo.lower()}@example.org") == 1
    assert {state for _, state, _ in stored(context, "your_turn", "time_passed")} == {"sent", "dropped"}


def test_a_server_that_falls_after_sending_leaves_the_same_letter_to_the_next(context, game, post, clock):
    cleo = waiting_for_cleo(context, game, clock)

    class Killed(BaseException):
        pass

    @dataclass
    class Dying(Collector):
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            Collector.send(self, sender, recipient, raw)
            if recipient.startswith(cleo.lower()):
                raise Killed

    first = Dying()
    with pytest.raises(Killed):
        send_due_letters(context, first, clock())
    send_due_letters(context, post, clock())
    assert post.to(cleo) == []
    clock.now += CLAIM_LASTS
    send_due_letters(context, post, clock())
    assert [mail["Message-ID"] for mail in post.to(cleo)] == [mail["Message-ID"] for mail in first.to(cleo)]
    assert body(post.to(cleo)[0]) == body(first.to(cleo)[0])
