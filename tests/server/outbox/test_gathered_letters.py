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


def test_nobody_gets_a_letter_about_his_own_click(context, game, post, clock):
    take_turn(context, game, clock(), lines=2)
    send_due_letters(context, post, clock())
    assert post.mails == []
    take_turn(context, game, clock())
    send_due_letters(context, post, clock())
    assert [str(mail["To"]) for mail in post.mails] == [f"{mover(context, game).lower()}@example.org"]


def test_who_wants_to_hear_all_moves_gets_a_letter_after_each_turn_of_another(context, game, post, clock):
    anna, cleo = mover(context, game), mover(context, game, 2)
    set_preferences(context, game, cleo, moves=True)
    set_preferences(context, game, anna, moves=True)
    take_turn(context, game, clock())
    send_due_letters(context, post, clock())
    assert kinds(post.to(cleo)) == ["news"]
    assert kinds(post.to(anna)) == []  # it was his own
    take_turn(context, game, clock.forward(1))
    send_due_letters(context, post, clock())
    assert kinds(post.to(anna)) == ["news"]
    assert kinds(post.to(cleo)) == ["news", "your_turn"]


def test_news_that_come_late_are_told_by_the_letter_of_the_turn(context, game, post, clock):
    cleo = mover(context, game, 2)
    set_preferences(context, game, cleo, moves=True)
    take_turn(context, game, clock())
    take_turn(context, game, clock())
    send_due_letters(context, post, clock())
    assert kinds(post.to(cleo)) == ["your_turn"]
    assert stored(context, "news") == [("news", "dropped", PASSED)]


def test_a_quiet_turn_and_the_turn_after_it_are_one_letter(context, post, clock):
    start_game(context, "Anna", "Ben", now=clock())
    send_due_letters(context, post, clock())
    post.mails.clear()
    tick(context, clock.forward(48))
    send_due_letters(context, post, clock())
    assert sorted(kinds(post.mails)) == ["time_passed", "time_passed"]
    assert ("your_turn", "dropped", TOLD) in stored(context, "your_turn")
    next_one = next(mail for mail in post.mails if "Your turn, " in body(mail))
    assert "choose " in body(next_one)  # what can be done stands in it


def test_where_the_house_begins_the_first_letter_is_of_the_start_and_of_the_turn(tmp_path, post, clock):
    context = desk(tmp_path, seed=3)
    game = start_game(context, "Anna", "house", "house", now=clock())
    assert names_of(context, game)[0] != "Anna"
    work_until_idle(context, post, clock())
    assert kinds(post.mails) == ["welcome"]
    assert "choose " in body(post.mails[0])


def test_gathered_letters_keep_their_distance(context, game, post, clock):
    cleo = mover(context, game, 2)
    set_preferences(context, game, cleo, pace="gathered", minutes=90, moves=True)
    take_turn(context, game, clock.forward(1))
    work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == []  # the letter of the start went an hour ago
    take_turn(context, game, clock.forward(0.25))
    work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == []
    work_until_idle(context, post, clock.forward(0.25))
    assert kinds(post.to(cleo)) == ["your_turn"]
    work_until_idle(context, post, clock.forward(3))
    assert kinds(post.to(cleo)) == ["your_turn"]


def test_a_daily_letter_waits_for_its_hour_and_tells_all(context, game, post, clock):
    cleo = mover(context, game, 2)
    set_preferences(context, game, cleo, pace="daily", hour=8, moves=True)
    take_turn(context, game, clock.forward(1))
    take_turn(context, game, clock.forward(1))
    clock.now = EIGHT.replace(hour=7, minute=59)
    work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == []
    clock.now = EIGHT
    work_until_idle(context, post, clock())
    work_until_idle(context, post, clock.forward(1))
    assert kinds(post.to(cleo)) == ["your_turn"]
    text = body(post.to(cleo)[0])
    for other in names_of(context, game):
        assert other in text


def test_the_daily_letter_follows_the_clock_of_its_reader(context, game, post, clock):
    ben = mover(context, game, 1)
    set_preferences(context, game, ben, pace="daily", hour=8, zone="Europe/Amsterdam", language="nl")
    take_turn(context, game, clock.forward(1))
    clock.now = EIGHT.replace(hour=7)
    work_until_idle(context, post, clock())
    (letter,) = post.to(ben)
    assert "beurt" in body(letter)
    assert "14:00 CET" in body(letter)  # his deadline, by his clock


def test_a_reminder_is_not_sent_beside_the_letter_of_the_turn(context, game, post, clock):
    ben = mover(context, game, 1)
    set_preferences(context, game, ben, pace="daily", hour=11)
    take_turn(context, game, clock.forward(1))
    work_until_idle(context, post, clock.forward(24.5))  # a server that slept over both
    assert kinds(post.to(ben)) == ["your_turn"]
    assert stored(context, "reminder") == [("reminder", "dropped", TOLD)]


def test_who_is_reminded_before_his_hour_gets_no_letter_of_the_turn_after_it(context, post, clock):
    game = start_game(context, "Anna", "Ben", now=clock(), hours=12)
    send_due_letters(context, post, clock())
    ben = mover(context, game, 1)
    set_preferences(context, game, ben, pace="daily", hour=8)
    take_turn(context, game, clock.forward(1))
    work_until_idle(context, post, clock.forward(6))
    assert kinds(post.to(ben)) == ["welcome", "reminder"]
    assert stored(context, "your_turn")[-1] == ("your_turn", "dropped", TOLD)
    work_until_idle(context, post, clock.forward(5))
    assert kinds(post.to(ben)) == ["welcome", "reminder", "reminder"]


def test_who_lets_his_time_pass_hears_it_at_once_the_others_at_their_hour(context, game, post, clock):
    late, cleo = mover(context, game), mover(context, game, 2)
    set_preferences(context, game, late, pace="daily", hour=8, moves=True)
    set_preferences(context, game, cleo, pace="daily", hour=8, moves=True)
    clock.forward(47)
    work_until_idle(context, post, clock())
    post.mails.clear()
    work_until_idle(context, post, clock.forward(1))
    assert kinds(post.to(late)) == ["time_passed"]
    assert kinds(post.to(cleo)) == []
    clock.now = EIGHT.replace(day=5)
    work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == ["time_passed"]


def write_to_all(context, game, writer, now):
    with changing(context) as session:
        seat = names_of(context, game).index(writer)
        chat.post(context, session, session.get_one(Game, game), seat, None, "Good luck!", now)


def test_a_day_on_which_nothing_happens_has_no_letter(context, game, post, clock):
    cleo = mover(context, game, 2)
    set_preferences(context, game, cleo, pace="daily", hour=8)
    for hour in (8, 8.1, 9, 20):
        clock.now = EIGHT.replace(hour=int(hour), minute=round(hour % 1 * 60))
        work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == []
    clock.now = EIGHT.replace(day=4)
    take_turn(context, game, clock.forward(-1))
    work_until_idle(context, post, clock.forward(1))
    assert kinds(post.to(cleo)) == ["news"]


def test_what_was_written_is_worth_a_letter_of_the_day(context, game, post, clock):
    cleo = mover(context, game, 2)
    set_preferences(context, game, cleo, pace="daily", hour=8)
    write_to_all(context, game, mover(context, game), clock())
    clock.now = EIGHT
    work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == ["digest"]


def test_the_letter_of_the_day_begins_with_the_next_day(context, game, post, clock):
    cleo = mover(context, game, 2)
    clock.now = EIGHT.replace(hour=15)
    set_preferences(context, game, cleo, pace="daily", hour=8, now=clock())
    work_until_idle(context, post, clock.forward(1))
    assert kinds(post.to(cleo)) == []
    write_to_all(context, game, mover(context, game), clock())
    clock.now = EIGHT.replace(day=4)
    work_until_idle(context, post, clock())
    assert kinds(post.to(cleo)) == ["digest"]


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
