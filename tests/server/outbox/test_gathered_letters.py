"""What waits for a player together is one letter, and never are there two about one thing."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.tokens import Ticket
from emails.wording.advice_text import describe_bots
from engine.bots import play_to_win, stand_in
from engine.events import GameEnded
from engine.notation.orders import write
from engine.position import view
from server.clock import tick
from server.delivery.claims import CLAIM_LASTS
from server.delivery.sending import send_due_letters
from server.inbox import intake
from server.outbox import chat
from server.store.models import Game, OutgoingLetter
from server.turns import dry_run
from tests.server.beginnings import begin_game
from tests.server.desk import AWAY, HOUSE_NAMES, NOON, Collector, FailingRelay, body, desk, kinds, words_of
from tests.server.inbox.test_mail_dispatch import answering
from tests.spoken import parse_lines

TOLD = "another letter contains it"


@pytest.fixture
def game(context, mails):
    """Three players, of whom the first is to move; all have had the letters of the start."""
    game = begin_game(context, mails, "Anna", "Ben", "Cleo")
    mails.mails.clear()
    mails.envelopes.clear()
    return game


@pytest.fixture
def house(tmp_path):
    return desk(tmp_path, seed=3)


def take_turn(context, game, now):
    turn = context.game_row(game).turn
    while context.game_row(game).turn == turn:
        row, known = context.game_row(game), known_to_mover(context, game)
        context.play(game, row.seat, row.after, [write(stand_in(known), known.table.board)], "web", now)


def known_to_mover(context, game):
    position = context.position_of(game)
    return view(position, position.table.seat)


def mover(context, game, ahead=0):
    names = context.names_of(game)
    return names[(context.game_row(game).seat + ahead) % len(names)]


def stored(context, *kinds):
    rows = context.rows_of(OutgoingLetter, OutgoingLetter.kind.in_(kinds))
    return [(row.kind, row.state, row.why) for row in rows]


def answer(context, letter, text, now):
    """Take in an answer to a letter; it is read when the office next works."""
    mail = answering(letter, text, Message_ID=f"<{abs(hash((text, now)))}@client.example.org>")
    intake.store_mail(context, str(letter["To"]), str(letter["Reply-To"]), bytes(mail), now)
    return mail["Message-ID"]


def best(context, game):
    known = known_to_mover(context, game)
    return write(play_to_win(known), known.table.board)


def say_to(context, game, name, words, now):
    with context.changing() as session:
        writer = next(seat for seat, one in enumerate(context.names_of(game)) if one != name)
        chat.post(context, session, session.get_one(Game, game), writer, None, words, now)


def begin_with_house(context, mails, clock):
    """A game of Anna and two players of the house, whose first letters have left."""
    game = context.start_game("Anna", "house", "house", now=clock())
    context.work_until_idle(mails, clock())
    return game


def test_where_the_house_begins_the_first_letter_is_of_the_start_and_of_the_turn(house, mails, clock):
    game = begin_with_house(house, mails, clock)
    assert house.names_of(game)[0] != "Anna"
    assert kinds(mails.mails) == ["welcome"]
    assert "choose " in body(mails.mails[0])


def test_a_turn_by_mail_against_the_house_is_answered_by_one_mail(house, mails, clock):
    game = begin_with_house(house, mails, clock)
    faces = [" ".join(describe_bots([name])) for name in HOUSE_NAMES[:2]]
    assert all(face in words_of(mails.mails[-1]) for face in faces)
    while house.game_row(game).turn < 7:
        asked = answer(house, mails.mails[-1], best(house, game), clock.forward(0.1))
        before = len(mails.mails)
        house.work_until_idle(mails, clock())
        (sent,) = mails.mails[before:]
        assert (kinds([sent]), sent["In-Reply-To"]) == (["answer"], asked)
        assert faces[0] not in words_of(sent)
        assert mover(house, game) == "Anna"  # the house has played where her turn was over
        assert "your turn" in words_of(sent).casefold()
    assert ("your_turn", "dropped", TOLD) in stored(house, "your_turn")
    assert any(line.startswith("  * a. ") for line in body(sent).splitlines())


def test_two_mails_have_two_answers_and_one_of_them_tells_the_rest(house, mails, clock):
    game = begin_with_house(house, mails, clock)
    letter = mails.mails[-1]
    asked = [answer(house, letter, words, clock()) for words in ("say: Hello!", "say: Good luck!")]
    say_to(house, game, "Anna", "From the house.", clock())
    house.set_preferences(game, "Anna", messages=True)
    house.work_until_idle(mails, clock())
    assert [mail["In-Reply-To"] for mail in mails.mails[1:]] == asked
    assert ["From the house." in body(mail) for mail in mails.mails[1:]] == [True, False]


def test_when_an_answer_waits_for_the_relay_it_still_tells_the_turn(house, mails, clock):
    game = begin_with_house(house, mails, clock)
    while mover(house, game) == "Anna" and house.game_row(game).turn < 4:
        answer(house, mails.mails[-1], best(house, game), clock.forward(0.1))
        house.work_until_idle(FailingRelay(error=AWAY), clock())
        house.work_until_idle(mails, clock.forward(0.1))
    assert set(kinds(mails.mails[1:])) == {"answer"}


def ends(context, game):
    """Whether the game ends by what its mover does next."""
    position, words = context.position_of(game), best(context, game)
    orders = parse_lines([words], position.table.board)
    found = dry_run.simulate_orders(position, position.table.seat, orders, context.pick_card)
    return any(isinstance(event, GameEnded) for event in found.events)


@pytest.mark.breadth
@pytest.mark.parametrize("words", ["\nsay: Thank you all!", ""])
def test_the_letter_of_the_end_is_the_answer_to_the_mail_that_ended_it(house, mails, clock, words):
    game = house.start_game("Anna", "Ben", now=clock(), hours=24 * 50)
    while not ends(house, game):
        row = house.game_row(game)
        house.play(game, row.seat, row.after, [best(house, game)], "web", clock())
    house.work_until_idle(mails, clock.forward(1))
    name, row = mover(house, game), house.game_row(game)
    letter = EmailMessage()  # as it would be this moment
    letter["To"], letter["Message-ID"] = f"{name.lower()}@example.org", "<now@play.example.org>"
    letter["Reply-To"] = house.links.reply_address(Ticket(game, row.seat, row.after))
    asked = answer(house, letter, best(house, game) + words, clock.forward(0.1))
    before = len(mails.to(name))
    house.work_until_idle(mails, clock())
    assert house.game_row(game).status == "over"
    sent = mails.to(name)[before:]
    assert kinds(sent) == (["answer", "game_over"] if "say" in words else ["game_over"])
    assert sent[0]["In-Reply-To"] == asked
    assert sent[0]["Auto-Submitted"] == "auto-replied"


def test_two_servers_make_one_letter_of_the_day(tmp_path, context, game, mails, clock):
    other = desk(tmp_path)
    cleo = mover(context, game, 2)
    context.set_preferences(game, cleo, pace="daily", hour=8)
    say_to(context, game, cleo, "Good luck!", clock())
    eight = clock.forward(20)
    tick(context, eight)
    tick(other, eight)
    send_due_letters(other, mails, eight)
    send_due_letters(context, mails, eight)
    tick(other, eight)
    assert kinds(mails.to(cleo)) == ["digest"]


@pytest.fixture
def cleo(context, game, clock):
    """Who hears of two things at eight: a turn, and that somebody's time has passed."""
    name = mover(context, game, 2)
    context.set_preferences(game, name, pace="daily", hour=8, moves=True)
    take_turn(context, game, clock())
    send_due_letters(context, Collector(), clock())
    tick(context, clock.forward(50))
    clock.forward(18)
    return name


def test_what_a_letter_that_cannot_be_written_would_have_told_is_told_by_the_next(
    context, cleo, mails, clock
):
    with context.changing() as session:
        for row in session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "time_passed")):
            row.detail = '{"seat": "nobody"}'
    context.work_until_idle(mails, clock())
    assert kinds(mails.to(cleo)) == ["your_turn"]


def test_a_letter_overtaken_by_a_later_one_is_not_sent_after_it(context, game, mails, clock):
    ben = mover(context, game, 1)
    take_turn(context, game, clock())
    with context.changing() as session:
        number = context.rows_of(OutgoingLetter.id, OutgoingLetter.kind == "your_turn")[-1]
        row = session.get_one(OutgoingLetter, number)
        row.tries, row.due_at = 8, NOON + timedelta(hours=30)  # a relay was away
    context.begin_time(game, clock())  # its player has been on the page
    context.work_until_idle(mails, clock.forward(24))
    context.work_until_idle(mails, clock.forward(6))
    assert kinds(mails.to(ben)) == ["reminder"]
    assert stored(context, "your_turn")[-1] == ("your_turn", "dropped", TOLD)


def test_who_wants_no_pictures_gets_plain_text(context, game, mails, clock, monkeypatch):
    ben = mover(context, game, 1)
    context.set_preferences(game, ben, pictures=False)
    take_turn(context, game, clock())
    monkeypatch.setattr("server.delivery.composition.draw_pictures", None)  # nothing is drawn
    send_due_letters(context, mails, clock())
    (letter,) = mails.to(ben)
    assert letter.get_content_type() == "text/plain"
    assert "choose " in letter.get_content()


def test_two_servers_at_once_send_one_letter(tmp_path, context, cleo, mails, clock):
    other, carried = desk(tmp_path), []

    class Interrupted:
        """A carrier during whose work another server sends letters, once."""

        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            if not carried:
                send_due_letters(other, mails, clock())
            carried.append(recipient)

    send_due_letters(context, Interrupted(), clock())
    everybody = [*carried, *(recipient for _, recipient in mails.envelopes)]
    assert everybody.count(f"{cleo.lower()}@example.org") == 1
    assert {state for _, state, _ in stored(context, "your_turn", "time_passed")} == {"sent", "dropped"}


def test_a_server_that_falls_after_sending_leaves_the_same_letter_to_the_next(context, cleo, mails, clock):
    class Killed(BaseException):
        pass

    class Dying(Collector):
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            super().send(sender, recipient, raw)
            if recipient.startswith(cleo.lower()):
                raise Killed

    first = Dying()
    with pytest.raises(Killed):
        send_due_letters(context, first, clock())
    send_due_letters(context, mails, clock())
    assert mails.to(cleo) == []
    clock.now += CLAIM_LASTS
    send_due_letters(context, mails, clock())
    assert [mail["Message-ID"] for mail in mails.to(cleo)] == [mail["Message-ID"] for mail in first.to(cleo)]
    assert body(mails.to(cleo)[0]) == body(first.to(cleo)[0])
