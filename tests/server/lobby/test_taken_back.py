"""Whoever has resigned is back by saying so while the seat is offered, until somebody has it."""

from __future__ import annotations

from email.message import EmailMessage
from threading import Barrier, Thread

import pytest
from sqlmodel import select

from emails.terms import AbsenceRule
from emails.wording.requests import VoteAnswer, VoteKind
from server.admin.backups import examine_stored_acts
from server.lobby.leaving import (
    ResignationRefused,
    come_back,
    resign,
    take_back_resignation,
    take_offered_seat,
)
from server.lobby.open_seats import SeatRefused
from server.lobby.votes import VoteRefused
from server.outbox.chat import unread_chat
from server.privacy.erasure import forget_address
from server.store import projection
from server.store.context import Context
from server.store.models import Act, Game, Resignation, Seating
from server.store.refusals import GameSuspended
from server.store.states import Channel, GameStatus
from server.turns.bot_turns import play_bot_turns
from server.web.kit.request_context import csrf_token
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import (
    Clock,
    Collector,
    body,
    committed,
    game_row,
    kinds,
    names_of,
    projected,
    set_preferences,
    type_in,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import last_letter, reply
from tests.server.lobby.test_seat_returns import back, kept, opened, plays
from tests.server.lobby.test_substitutes import known, let_first_vanish, offered, seating
from tests.server.lobby.voting import answers
from tests.server.web.bots import bot
from tests.server.web.site import Site, Visitor


@pytest.fixture
def place(context: Context, clock: Clock) -> Site:
    found = Site(context)
    found.clock.now = clock()
    return found


@pytest.fixture
def left(context: Context, mails: Collector, clock: Clock) -> str:
    """A game of three of which the second to move has resigned, and the others have heard it."""
    return left_by(context, mails, clock, AbsenceRule.TURN)


def left_by(context: Context, mails: Collector, clock: Clock, rule: AbsenceRule) -> str:
    def with_second_resigned() -> str:
        game = opened(context, rule, "Anna", "Ben", "Cleo")
        for name in names_of(context, game):
            set_preferences(context, game, name, messages=True)
        work_until_idle(context, mails, clock())
        gives_up(context, game, clock)
        work_until_idle(context, mails, clock())
        return game

    return begin_once(context, mails, with_second_resigned, rule, clock=clock)


def gives_up(context: Context, game: str, clock: Clock, seat: int = 1) -> None:
    assert committed(context, clock(), resign, game, seat, Channel.WEB)


def resigned(context: Context) -> list[int]:
    with context.reading() as session:
        return list(session.exec(select(Resignation.seat)))


def player(context: Context, game: str, seat: int = 1) -> int:
    found = seating(context, game, seat).player
    assert found is not None
    return found


def takes_back(context: Context, game: str, clock: Clock, seat: int = 1) -> bool:
    found: bool = committed(
        context, clock(), take_back_resignation, game, seat, player(context, game, seat), Channel.WEB
    )
    return found


def returns(context: Context) -> int:
    with context.reading() as session:
        return sum("seat_returned" in events for events in session.exec(select(Act.events)))


def unheard(context: Context, game: str, seat: int) -> list[str]:
    with context.reading() as session:
        return [one.words for one in unread_chat(session, game, seat)[0]]


def told(mail: EmailMessage) -> str:
    return " ".join(body(mail).split())


# --- the act --------------------------------------------------------------------------------------------


def test_their_turns_are_theirs_again_and_the_others_hear_it(
    context: Context, left: str, mails: Collector, clock: Clock
) -> None:
    assert (resigned(context), offered(context)) == ([1], [1])
    assert takes_back(context, left, clock)
    assert not takes_back(context, left, clock)
    assert (resigned(context), offered(context), kept(context), returns(context)) == ([], [], [], 1)
    first, second, third = names_of(context, left)
    work_until_idle(context, mails, clock.forward(1))
    for name in (first, third):
        assert any(f"{second} is back and plays again" in told(one) for one in mails.to(name))
    plays(context, left)
    work_until_idle(context, mails, clock.forward(1))
    assert game_row(context, left).seat == 1
    assert kinds(mails.to(second))[-1] == "your_turn"
    assert game_row(context, left).deadline is not None
    plays(context, left)
    assert list(examine_stored_acts(context)) == []
    before = projected(context, left)
    projection.rebuild(context)
    assert projected(context, left) == before
    assert list(examine_stored_acts(context)) == []


def test_whose_turn_it_is_gets_the_letter_of_it(context: Context, mails: Collector, clock: Clock) -> None:
    game = opened(context, AbsenceRule.TURN)
    work_until_idle(context, mails, clock())
    gives_up(context, game, clock, 0)
    assert takes_back(context, game, clock, 0)
    assert play_bot_turns(context, clock()) == 0
    work_until_idle(context, mails, clock.forward(1))
    assert kinds(mails.to(names_of(context, game)[0]))[-1] == "your_turn"
    assert game_row(context, game).seat == 0


def test_who_resigns_and_is_back_before_anybody_hears_is_not_spoken_of(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    for _ in range(2):
        gives_up(context, game, clock)
        assert any("has resigned" in one for one in unheard(context, game, 0))
        takes_back(context, game, clock)
        assert unheard(context, game, 0) == unheard(context, game, 2) == []
    mails.mails.clear()
    work_until_idle(context, mails, clock.forward(1))
    assert "seat_offered" not in kinds(mails.mails)
    assert not any("has resigned" in told(one) or "is back" in told(one) for one in mails.mails)


def test_who_resigns_once_more_is_spoken_of_once_more(
    context: Context, left: str, mails: Collector, clock: Clock
) -> None:
    takes_back(context, left, clock)
    work_until_idle(context, mails, clock.forward(0.1))
    gives_up(context, left, clock)
    work_until_idle(context, mails, clock.forward(0.1))
    first, _, third = names_of(context, left)
    for name in (first, third):
        assert kinds(mails.to(name)).count("seat_offered") == 2
        assert "has resigned" in " ".join(map(told, mails.to(name)[-2:]))
    assert takes_back(context, left, clock)


@pytest.mark.breadth
def test_who_was_heard_to_be_away_and_resigns_after_coming_back_is_told_to_have_resigned(
    context: Context, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    for name in names_of(context, game):
        set_preferences(context, game, name, messages=True)
    work_until_idle(context, mails, clock())
    let_first_vanish(context, game, mails, clock)
    work_until_idle(context, mails, clock.forward(1))
    assert back(context, game, 0, clock())
    gives_up(context, game, clock, 0)
    assert ["has resigned" in one for one in unheard(context, game, 1)] == [True]
    takes_back(context, game, clock, 0)
    assert ["is back" in one for one in unheard(context, game, 1)] == [True]


def test_who_is_passed_over_plays_again(context: Context, left: str, place: Site, clock: Clock) -> None:
    for seat in (0, 2):
        answers(context, left, seat, VoteKind.EMPTY_SEAT, VoteAnswer.GO_ON, clock(), 1)
    assert place.history(left).skipped == {1}
    takes_back(context, left, clock)
    assert place.history(left).skipped == frozenset()
    assert list(examine_stored_acts(context)) == []


def test_a_vote_on_their_seat_is_over(context: Context, left: str, clock: Clock) -> None:
    answers(context, left, 0, VoteKind.EMPTY_SEAT, VoteAnswer.GO_ON, clock(), 1)
    takes_back(context, left, clock)
    with pytest.raises(VoteRefused, match="not voted on any more"):
        answers(context, left, 2, VoteKind.EMPTY_SEAT, VoteAnswer.GO_ON, clock(), 1)


def test_nothing_else_that_they_do_takes_it_back(
    context: Context, left: str, place: Site, mails: Collector, clock: Clock
) -> None:
    second = names_of(context, left)[1]
    visitor = place.visitor().get(place.link(left, seat=1))
    assert resigned(context) == [1]
    visitor.send("//form[contains(@action, '/say')]", words="Good luck to you all")
    assert visitor.status == 200
    away = place.signed_in(left, 1).get(place.link(left, seat=1) + "/away")
    away.send("//form[.//*[@name='wish']]", wish="back")
    reply(context, letter_of(mails, second), "say: I watch")
    reply(context, letter_of(mails, second), "away until Friday")
    assert not committed(context, clock(), come_back, left, 1, Channel.WEB)
    assert (resigned(context), offered(context), returns(context)) == ([1], [1], 0)


def letter_of(mails: Collector, name: str) -> EmailMessage:
    """A letter of the game that somebody has got before they resigned."""
    return mails.to(name)[0]


def presses_return(place: Site, visitor: Visitor, game: str, seat: int = 1, link: str = "") -> Visitor:
    """The button is sent, though no page shows it."""
    with place.app.test_request_context():
        nonce = csrf_token(f"return {game} {seat}")
    return visitor.post((link or place.link(game, seat=seat)) + "/return", nonce=nonce)


def test_where_the_game_is_over_or_halted_nobody_comes_back(
    context: Context, left: str, place: Site, clock: Clock
) -> None:
    set_row(context, left, suspended_at=clock())
    with pytest.raises(GameSuspended):
        takes_back(context, left, clock)
    assert "I am back" not in place.visitor().get(place.link(left, seat=1)).text
    set_row(context, left, suspended_at=None, status=GameStatus.OVER)
    with pytest.raises(ResignationRefused, match="is over"):
        takes_back(context, left, clock)
    assert returns(context) == 0


def set_row(context: Context, game: str, **values: object) -> None:
    with context.writing() as session:
        row = session.get_one(Game, game)
        for name, value in values.items():
            setattr(row, name, value)
        session.commit()


def test_who_is_forgotten_does_not_come_back(context: Context, left: str, place: Site, clock: Clock) -> None:
    second = names_of(context, left)[1]
    number, link = player(context, left), place.link(left, seat=1)
    forget_address(context, f"{second.lower()}@example.org", clock())
    with pytest.raises(ResignationRefused, match="Somebody else"):
        committed(context, clock(), take_back_resignation, left, 1, number, Channel.WEB)
    for one in (link, place.link(left, seat=1)):
        assert presses_return(place, place.visitor(), left, link=one).status in (404, 410)
    assert (resigned(context), offered(context), returns(context)) == ([1], [1], 0)
    assert list(examine_stored_acts(context)) == []


# --- by whom and how ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "word", "words", "shown"),
    first(
        1,
        [
            ("en", "back", "you can come back: answer “back”", "You are back"),
            ("nl", "ben terug", "kun je terugkomen: antwoord “ben terug”", "Je bent terug"),
        ],
    ),
)
def test_by_the_word_that_the_answer_tells(
    context: Context, mails: Collector, clock: Clock, language: str, word: str, words: str, shown: str
) -> None:
    game = opened(context, AbsenceRule.TURN)
    second = names_of(context, game)[1]
    set_preferences(context, game, second, language=language)
    work_until_idle(context, mails, clock())
    reply(context, letter_of(mails, second), {"en": "resign", "nl": "opgeven"}[language])
    asked = last_letter(context, mails, second)
    assert f"“{word}”" in told(asked)
    assert "for good" not in told(asked)
    assert "voorgoed" not in told(asked)
    reply(context, asked, {"en": "yes", "nl": "ja"}[language])
    answer = last_letter(context, mails, second)
    assert (resigned(context), words in told(answer)) == ([1], True)
    reply(context, answer, word)
    assert (resigned(context), offered(context), returns(context)) == ([], [], 1)
    assert shown in told(last_letter(context, mails, second))


def test_in_the_game_of_the_mail_alone(context: Context, left: str, mails: Collector, clock: Clock) -> None:
    other = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    work_until_idle(context, mails, clock())
    name = names_of(context, left)[1]
    seat = names_of(context, other).index(name)
    gives_up(context, other, clock, seat)
    reply(context, letter_of(mails, name), "back")
    with context.reading() as session:
        assert [(one.game, one.seat) for one in session.exec(select(Resignation))] == [(other, seat)]


def test_by_a_button_with_a_ticket_alone_and_not_by_looking(
    context: Context, left: str, place: Site, clock: Clock
) -> None:
    visitor = place.visitor().get(place.link(left, seat=1))
    assert "Until somebody else has the seat you can come back." in visitor.text
    assert place.visitor().get(place.link(left, seat=1) + "/return").status == 405
    visitor.post(place.link(left, seat=1) + "/return", nonce="x")
    assert (visitor.status, resigned(context)) == (400, [1])
    visitor.get(place.link(left, seat=1)).send("//form[contains(@action, '/return')]")
    assert (visitor.status, visitor.title, resigned(context)) == (200, "You are back", [])
    presses_return(place, visitor, left)
    assert (visitor.status, returns(context)) == (200, 1)
    visitor.click("To the game")
    assert "Nothing is needed of you now" in visitor.text


def test_the_page_says_before_that_they_can_come_back(
    context: Context, place: Site, mails: Collector, clock: Clock
) -> None:
    game = opened(context, AbsenceRule.TURN)
    work_until_idle(context, mails, clock())
    visitor = place.signed_in(game, 1).get(place.link(game, seat=1) + "/resign")
    assert "Until somebody has it you can come back." in visitor.text
    assert "for good" not in visitor.text
    visitor.send("//main//form")
    assert "Until somebody else has the seat you can come back." in visitor.text
    assert resigned(context) == [1]


def test_not_by_links_of_before_they_were_made_new_nor_of_others(
    context: Context, left: str, place: Site, clock: Clock
) -> None:
    link = place.link(left, seat=1)
    with context.writing() as session:
        session.get_one(Seating, (left, 1)).epoch += 1
        session.commit()
    assert presses_return(place, place.visitor(), left, link=link).status >= 400
    assert presses_return(place, place.visitor(), left, link=place.link(left, seat=0)).status == 400
    assert resigned(context) == [1]
    assert presses_return(place, place.visitor(), left).status == 200
    assert resigned(context) == []


def test_nobody_comes_back_from_a_banned_address(context: Context, left: str, place: Site) -> None:
    type_in(context, "ban", f"{names_of(context, left)[1].lower()}@example.org")
    assert presses_return(place, place.visitor(), left).status == 403
    assert resigned(context) == [1]


def test_by_a_program(context: Context, left: str, place: Site) -> None:
    one, client = bot(place, left, names_of(context, left)[1]), place.app.test_client()
    for new in (True, False):
        assert client.post(f"/api/games/{left}/back", headers=one.headers()).json == {"back": new}
    assert (resigned(context), returns(context)) == ([], 1)


# --- somebody has taken the seat -------------------------------------------------------------------------


def test_once_somebody_has_the_seat_nobody_comes_back(
    context: Context, left: str, place: Site, mails: Collector, clock: Clock
) -> None:
    second, link, before = names_of(context, left)[1], place.link(left, seat=1), player(context, left)
    take_offered_seat(context, left, known(context, "Dirk", clock), "Dirk", clock())
    with pytest.raises(ResignationRefused, match="Somebody else"):
        committed(context, clock(), take_back_resignation, left, 1, before, Channel.WEB)
    assert presses_return(place, place.visitor(), left, link=link).status == 410
    reply(context, letter_of(mails, second), "back")
    assert (seating(context, left, 1).name, returns(context)) == ("Dirk", 0)
    gives_up(context, left, clock)
    with pytest.raises(ResignationRefused, match="Somebody else"):
        committed(context, clock(), take_back_resignation, left, 1, before, Channel.WEB)
    assert takes_back(context, left, clock)
    with pytest.raises(SeatRefused, match="its player is back"):
        take_offered_seat(context, left, known(context, "Fourth", clock), "Fourth", clock())


@pytest.mark.parametrize("number", range(4))
def test_of_who_is_back_and_who_takes_the_seat_at_once_one_has_it(
    context: Context, left: str, place: Site, clock: Clock, number: int
) -> None:
    dirk, second, link = known(context, "Dirk", clock), names_of(context, left)[1], place.link(left, seat=1)
    gate, ends, said = Barrier(2), list[str](), list[str]()

    def take() -> None:
        gate.wait()
        try:
            take_offered_seat(context, left, dirk, "Dirk", clock())
            ends.append("Dirk")
        except SeatRefused as error:
            said.append(str(error))

    def come() -> None:
        visitor = place.visitor()
        gate.wait()
        presses_return(place, visitor, left, link=link)
        if visitor.status == 200:
            ends.append(second)
        else:
            said.append(visitor.text)

    threads = [Thread(target=one) for one in ((take, come), (come, take))[number % 2]]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert (len(ends), len(said)) == (1, 1)
    assert said[0]
    assert [seating(context, left, 1).name] == ends
    assert (resigned(context), offered(context)) == ([], [])
    assert list(examine_stored_acts(context)) == []
