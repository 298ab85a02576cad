"""A seat is asked for and taken by mail: only by who reads the mail that comes, and by one alone."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread
from urllib.parse import unquote

import pytest
from sqlmodel import func, select

from emails.terms import AbsenceRule, JoinedBy
from emails.tokens import Purpose, seal_game
from server.admin.backups import examine_stored_acts
from server.inbox import dispatch
from server.inbox.intake import is_deliverable
from server.lobby.leaving import resign, take_offered_seat
from server.outbox.budgets import MOST_FROM_ONE, MOST_TO_ONE, mail_origin, record_attempt
from server.store.context import Context
from server.store.game_terms import SeatRequest
from server.store.models import Act, Player, Seating
from server.store.refusals import Refusal
from server.store.server_facts import GameTerms
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import NOON, Clock, body, committed, names_of, open_game
from tests.server.inbox.test_new_game_mail import Post, kind
from tests.server.lobby.test_seat_returns import opened
from tests.server.lobby.test_substitutes import known
from tests.server.web.site import Site

DIRK = "Dirk <dirk@example.org>"
ENGLISH, DUTCH = "I would like to play.", "Ik wil graag meespelen."


@pytest.fixture
def post(context: Context) -> Post:
    return Post(context)


@pytest.fixture
def offered(context: Context, clock: Clock) -> str:
    """A game of three of which the first has resigned, so that the seat is offered."""
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    committed(context, clock(), resign, game, 0, Channel.WEB)
    return game


def address(context: Context, game: str) -> str:
    return context.links.join_address(game)


def holder(context: Context, game: str) -> str:
    """Who has the first seat, by their address."""
    with context.reading() as session:
        chosen = select(Player.address).join(Seating, Seating.player == Player.id)
        return str(session.exec(chosen.where(Seating.game == game, Seating.seat == 0)).one())


def joined(context: Context, game: str) -> int:
    with context.reading() as session:
        same = select(func.count()).select_from(Act).where(Act.game == game, Act.said == "join")
        return session.exec(same).one()


@pytest.mark.parametrize(
    ("words", "asked", "yes"),
    first(1, [(ENGLISH, "Will you play on, Dirk?", "yes"), (DUTCH, "Speel jij verder, Dirk?", "ja")]),
)
def test_a_seat_is_asked_for_by_mail_and_taken_by_the_answer(
    context: Context, post: Post, offered: str, words: str, asked: str, yes: str
) -> None:
    before = holder(context, offered)
    assert post.write(words, to=address(context, offered), sender=DIRK) == "played"
    letter = post.to("dirk")
    assert kind(letter) == "seat_claim"
    assert asked in body(letter)
    assert holder(context, offered) == before
    assert post.answer(letter, yes) == "played"
    assert holder(context, offered) == "dirk@example.org"
    assert kind(post.to("dirk")) == "substitute"
    with context.reading() as session:
        last = session.exec(select(Act.door).where(Act.game == offered).order_by(Act.seq.desc())).first()
    assert last == Channel.REPLY
    assert list(examine_stored_acts(context)) == []


def test_an_address_without_a_name_is_called_by_it_with_a_capital(
    context: Context, post: Post, offered: str
) -> None:
    post.write(ENGLISH, to=address(context, offered), sender="dirk@example.org")
    assert "Will you play on, Dirk?" in body(post.to("dirk"))


@pytest.mark.breadth
@pytest.mark.parametrize(("whose", "called"), [(0, "{}"), (1, "{} 2")])
def test_who_is_called_as_whoever_had_the_seat_keeps_the_name_and_as_another_gets_a_number(
    context: Context, post: Post, offered: str, whose: int, called: str
) -> None:
    name = names_of(context, offered)[whose]
    post.write(ENGLISH, to=address(context, offered), sender=f"{name} <dirk@example.org>")
    assert post.answer(post.to("dirk"), "yes") == "played"
    assert names_of(context, offered)[0] == called.format(name)


@pytest.mark.breadth
def test_a_yes_twice_is_a_yes_once_and_says_nothing_else(context: Context, post: Post, offered: str) -> None:
    post.write(ENGLISH, to=address(context, offered), sender=DIRK)
    letter = post.to("dirk")
    assert post.answer(letter, "yes") == "played"
    count = len(post.carrier.to("dirk"))
    assert post.answer(letter, "yes") == "played"
    assert (joined(context, offered), len(post.carrier.to("dirk"))) == (1, count)


def test_who_writes_in_somebody_elses_name_has_nothing_by_it(
    context: Context, post: Post, offered: str
) -> None:
    before = holder(context, offered)
    post.write(f"{ENGLISH}\nyes", to=address(context, offered), sender=DIRK, envelope="mallory@example.org")
    letter = post.to("dirk")
    assert not post.carrier.to("mallory")
    assert post.answer(letter, "yes", sender="Cleo <cleo@example.org>") == "ignored"
    forged = str(letter["Reply-To"]).replace("new+", "new+a")
    assert not is_deliverable(context, forged)
    assert post.write("yes", to=forged, sender=DIRK) == "ignored"
    assert post.answer(letter, "Let me think about it") == "ignored"
    assert holder(context, offered) == before


def test_the_code_of_one_thing_is_none_of_another(context: Context, offered: str) -> None:
    keys = context.links.keys
    for purpose in (Purpose.PROPOSAL_REPLY, Purpose.JOIN, Purpose.CLAIM):
        assert is_deliverable(context, f"new+{seal_game(purpose, offered, keys)}@play.example.org")
    for purpose in (Purpose.ORGANISER, Purpose.PROPOSAL):
        assert not is_deliverable(context, f"new+{seal_game(purpose, offered, keys)}@play.example.org")
    gone = seal_game(Purpose.JOIN, "aaaaaaaa", keys)
    assert is_deliverable(context, f"new+{gone}@play.example.org")


@pytest.mark.breadth
def test_a_game_that_is_no_more_and_a_player_that_is_none_are_passed_over(
    context: Context, post: Post, offered: str
) -> None:
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
def test_who_comes_too_late_is_told_so(
    context: Context, post: Post, offered: str, clock: Clock, words: str, told: str
) -> None:
    post.write(words, to=address(context, offered), sender=DIRK)
    letter = post.to("dirk")
    fourth = known(context, "Fourth", clock)
    take_offered_seat(context, offered, fourth, "Fourth", clock())
    assert post.answer(letter, "yes") == "refused"
    assert kind(post.to("dirk")) == "seat_refused"
    assert told in " ".join(body(post.to("dirk")).split())
    assert post.write(words, to=address(context, offered), sender="Eve <eve@example.com>") == "refused"
    assert told in " ".join(body(post.to("eve")).split())
    assert "/x/" in body(post.to("eve"))  # where they say that they want no such mail
    assert holder(context, offered) == "fourth@example.org"


@pytest.mark.breadth
def test_an_answer_that_leans_towards_yes_is_told_what_to_write(
    context: Context, post: Post, offered: str
) -> None:
    post.write(ENGLISH, to=address(context, offered), sender=DIRK)
    assert post.answer(post.to("dirk"), "yes but only on Sundays") == "refused"
    assert "with the one word “yes”" in " ".join(body(post.to("dirk")).split())
    assert joined(context, offered) == 0


@pytest.mark.breadth
@pytest.mark.systems
def test_of_two_who_answer_at_once_one_has_the_seat(context: Context, post: Post, offered: str) -> None:
    for sender in (DIRK, "Eve <eve@example.com>"):
        post.write(ENGLISH, to=address(context, offered), sender=sender)
    for number, name in enumerate(("dirk", "eve")):
        letter = post.to(name)
        raw = f"From: {letter['To']}\r\nMessage-ID: <{name}{number}@example.org>\r\n\r\nyes"
        post.store(str(letter["To"]), str(letter["Reply-To"]), raw.encode())
    together, broken = Barrier(2), []

    def read() -> None:
        together.wait()
        try:
            dispatch.process_waiting_mail(context, post.now)
        except Refusal as error:
            broken.append(error)

    threads = [Thread(target=read) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    dispatch.process_waiting_mail(context, post.now)
    assert (broken, joined(context, offered)) == ([], 1)
    assert holder(context, offered) in ("dirk@example.org", "eve@example.com")
    assert list(examine_stored_acts(context)) == []


@pytest.mark.breadth
def test_nobodys_mailbox_is_filled(context: Context, post: Post, offered: str, clock: Clock) -> None:
    most = MOST_TO_ONE[0][1]
    for _ in range(most + 3):
        post.write(ENGLISH, to=address(context, offered), sender=DIRK)
    asked = len(post.carrier.to("dirk"))
    assert 0 < asked <= most
    take_offered_seat(context, offered, known(context, "Fourth", clock), "Fourth", clock())
    for _ in range(most + 3):
        post.write(ENGLISH, to=address(context, offered), sender=DIRK)
    assert len(post.carrier.to("dirk")) == most
    post.network, post.now = "192.0.2.0/24", post.now + timedelta(minutes=1)
    with context.writing() as session:
        for _ in range(MOST_FROM_ONE - 1):
            record_attempt(session, mail_origin(post.network, DIRK), post.now)
        session.commit()
    for name, letters in (("eve", 1), ("fay", 0)):
        post.write(ENGLISH, to=address(context, offered), sender=f"Eve <{name}@example.com>")
        assert len(post.carrier.to(name)) == letters


@pytest.mark.breadth
def test_programs_and_the_house_itself_get_no_answer(context: Context, post: Post, offered: str) -> None:
    to = address(context, offered)
    assert post.write(ENGLISH, to=to, sender=DIRK, Auto_Submitted="auto-replied") == "ignored"
    assert post.write(ENGLISH, to=to, sender="Dirk <new@play.example.org>") == "ignored"
    assert not post.carrier.to("dirk")


@pytest.mark.breadth
def test_an_open_seat_is_asked_for_in_the_same_way_before_the_game_begins(
    context: Context, post: Post
) -> None:
    seats = [SeatRequest("Anna", "anna@example.org"), SeatRequest("", None, open=True)]
    terms = GameTerms(JoinedBy.LINK)
    game = open_game(context, "Friday", seats, NOON, organiser="anna@example.org", terms=terms)
    assert post.write(ENGLISH, to=address(context, game), sender=DIRK) == "played"
    assert kind(post.to("dirk")) == "invitation"
    assert post.write(ENGLISH, to=address(context, game), sender="Eve <eve@example.com>") == "played"
    assert not post.carrier.to("eve")  # the seat is held for Dirk, which nobody else is told
    assert post.answer(post.to("dirk"), "yes") == "played"
    assert post.write(ENGLISH, to=address(context, game), sender="Eve <eve@example.com>") == "refused"


@pytest.mark.breadth
@pytest.mark.parametrize(("language", "words"), [("en", ENGLISH), ("nl", DUTCH)])
def test_the_page_of_the_seat_says_how_to_ask_by_mail(
    context: Context, offered: str, language: str, words: str
) -> None:
    link = context.links.join_link(offered).removeprefix(context.links.base_url)
    visitor = Site(context).visitor().get(f"{link}?lang={language}")
    [mail] = [href for href in visitor.page.xpath("//main//a/@href") if href.startswith("mailto:")]
    assert mail.startswith(f"mailto:{address(context, offered)}?")
    assert unquote(mail).endswith(f"&body={words}")
