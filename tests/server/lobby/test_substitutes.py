"""A substitute plays on for whoever has vanished: claimed once, without the chat of before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from click.testing import CliRunner
from sqlmodel import select

from emails.letters.kinds import LetterKind
from emails.terms import AbsenceRule
from server.accounts.sign_in import MOST_A_DAY, request_link, request_link_for_seat
from server.admin.backups import examine_stored_acts
from server.commands import games
from server.lobby.games import find_or_create_player
from server.lobby.leaving import come_back, offer_seat, resign, take_offered_seat
from server.lobby.open_seats import SeatRefused
from server.outbox.chat import count_visible_to, load_conversation, post, unread_chat
from server.outbox.letter_kinds import SIGN_IN_LINK_VALID
from server.privacy.erasure import forget_address
from server.store import projection
from server.store.context import Context
from server.store.event_log import require_started
from server.store.game_terms import SeatRequest, list_offered_games
from server.store.models import (
    Act,
    ChatMessage,
    Game,
    OfferedSeat,
    OutgoingLetter,
    Seating,
    StoredTerms,
)
from server.store.states import Channel
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import (
    at_once,
    body,
    committed,
    game_row,
    kinds,
    names_of,
    work_until_idle,
)
from tests.server.lobby.test_seat_returns import kept, lets_pass, opened, plays
from tests.server.web.site import Site


def offered(context) -> list[int]:
    with context.reading() as session:
        return list(session.exec(select(OfferedSeat.seat)))


def known(context, name: str, clock) -> int:
    with context.writing() as session:
        found = find_or_create_player(session, name, f"{name.lower()}@example.org", "en", clock())
        session.commit()
        return found.id


def seating(context, game, seat: int) -> Seating:
    with context.reading() as session:
        return session.get_one(Seating, (game, seat))


def path_of(context, game) -> str:
    return context.links.join_link(game).removeprefix(context.links.base_url)


def names_in(context, game) -> tuple[str, ...]:
    with context.reading() as session:
        history = require_started(context.history_of(session, session.get_one(Game, game)))
    return history.position.table.names


def let_first_vanish(context, game, mails, clock) -> None:
    """Let the first to move be late until their seat is offered, and the others play meanwhile."""
    lets_pass(context, mails, clock)
    while not offered(context):
        if game_row(context, game).seat == 0:
            lets_pass(context, mails, clock)
        else:
            plays(context, game)
            work_until_idle(context, mails, clock.forward(1))


@pytest.fixture
def vacant(context, mails, clock) -> str:
    """A game of three in which the first to move was late twice in a row."""

    def with_first_late() -> str:
        game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
        work_until_idle(context, mails, clock())
        let_first_vanish(context, game, mails, clock)
        return game

    return begin_once(context, mails, with_first_late, clock=clock)


def test_games_that_nobody_may_see_leave_room_for_those_that_all_may(context, clock):
    games = [opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo") for _ in range(4)]
    for game in games:
        for seat in (0, 1):
            committed(context, clock.forward(0.1), resign, game, seat, Channel.WEB)
    with context.writing() as session:
        for game in games[:2]:
            terms = session.get_one(StoredTerms, game)
            terms.watched = True
            session.add(terms)
        session.commit()
    with context.reading() as session:
        listed = [[(one.game.id, one.free) for one in list_offered_games(session, most)] for most in (1, 9)]
    assert listed == [[(games[1], 2)], [(games[1], 2), (games[0], 2)]]


@pytest.mark.parametrize("rule", first(1, [AbsenceRule.ALWAYS, AbsenceRule.SEAT]))
def test_by_the_other_rules_none_is(context, mails, clock, rule):
    opened(context, rule)
    work_until_idle(context, mails, clock())
    for _ in range(4):
        lets_pass(context, mails, clock)
    assert offered(context) == []


def test_the_others_get_a_link_that_they_can_pass_on_and_the_player_may_still_come_back(
    context, vacant, mails, clock
):
    first, *others = names_of(context, vacant)
    for name in others:
        [letter] = [one for one in mails.to(name) if kinds([one]) == ["seat_offered"]]
        text = body(letter)
        assert context.links.join_link(vacant) in text
        assert "/t/" not in text
    [told] = [one for one in mails.to(first) if kinds([one]) == ["absence"]]
    assert "Until somebody has taken the seat you can come back." in " ".join(body(told).split())
    assert committed(context, clock(), come_back, vacant, 0, Channel.WEB)
    assert (offered(context), kept(context)) == ([], [])
    dirk = known(context, "Dirk", clock)
    with pytest.raises(SeatRefused, match="its player is back"):
        take_offered_seat(context, vacant, dirk, "Dirk", clock())


def test_whoever_takes_it_plays_on_from_there(context, vacant, mails, clock):
    first = names_of(context, vacant)[0]
    before, dirk = game_row(context, vacant), known(context, "Dirk", clock)
    assert take_offered_seat(context, vacant, dirk, "Dirk", clock()) == 0
    assert take_offered_seat(context, vacant, dirk, "Dirk", clock()) == 0
    after = game_row(context, vacant)
    assert (after.after, after.turn, after.seat) == (before.after, before.turn, before.seat)
    assert names_in(context, vacant)[0] == "Dirk"
    assert (offered(context), kept(context)) == ([], [])
    work_until_idle(context, mails, clock.forward(1))
    assert "replaced" in kinds(mails.to(first))
    assert "Somebody plays on for you, Anna" in body(mails.to(first)[-1]) or first != "Anna"
    assert kinds(mails.to("Dirk")) == ["substitute"]
    while game_row(context, vacant).seat != 0:
        plays(context, vacant)
        work_until_idle(context, mails, clock.forward(1))
    assert kinds(mails.to("Dirk"))[-1] == "your_turn"
    assert game_row(context, vacant).deadline is not None
    count = len(mails.to(first))
    plays(context, vacant)
    work_until_idle(context, mails, clock.forward(1))
    assert len(mails.to(first)) == count
    assert list(examine_stored_acts(context)) == []
    projection.rebuild(context)
    assert list(examine_stored_acts(context)) == []


def test_the_links_of_whoever_is_to_move_stay_good(context, vacant, mails, clock):
    place = Site(context)
    place.clock.now = clock()
    seat = game_row(context, vacant).seat
    assert seat
    link = place.link(vacant, seat=seat)
    take_offered_seat(context, vacant, known(context, "Dirk", clock), "Dirk", clock())
    visitor = place.visitor().get(link)
    assert visitor.status == 200
    assert "Dirk" in visitor.text


def test_the_links_of_whoever_had_it_open_nothing_any_more(context, vacant, clock):
    place = Site(context)
    place.clock.now = clock()
    link = place.link(vacant, seat=0)
    assert place.visitor().get(link).status == 200
    take_offered_seat(context, vacant, known(context, "Dirk", clock), "Dirk", clock())
    for page in ("", "/pulse", "/agreements", "/settings", "/away"):
        assert place.visitor().get(link + page).status == 410
    assert place.visitor().get(place.link(vacant, seat=0)).status == 200


def test_of_many_who_take_it_at_once_one_has_it(context, vacant, clock):
    people, took = [known(context, name, clock) for name in ("Dirk", "Second", "Third", "Fourth")], []

    def press(player: int) -> None:
        take_offered_seat(context, vacant, player, f"Player {player}", clock())
        took.append(player)

    assert at_once(*(partial(press, one) for one in people)) == []
    assert [seating(context, vacant, 0).player] == took
    with context.reading() as session:
        acts = session.exec(select(Act.events).where(Act.game == vacant)).all()
    assert sum("seat_joined" in events for events in acts) == 1
    assert list(examine_stored_acts(context)) == []


def says(context, game, seat: int, to: int | None, words: str, clock) -> None:
    with context.writing() as session:
        post(context, session, session.get_one(Game, game), seat, to, words, clock())
        session.commit()


def read_by(context, game, seat: int) -> list[tuple[str, str, str]]:
    with context.reading() as session:
        return [(one.writer, one.addressee, one.words) for one in load_conversation(session, game, seat)]


def test_they_read_nothing_of_before_and_the_others_still_see_who_wrote_it(context, vacant, mails, clock):
    first, second = names_of(context, vacant)[:2]
    says(context, vacant, 0, None, "to all before", clock)
    says(context, vacant, 0, 1, "to one before", clock)
    says(context, vacant, 1, 0, "an answer before", clock)
    take_offered_seat(context, vacant, known(context, "Dirk", clock), "Dirk", clock())
    says(context, vacant, 1, 0, "welcome", clock)
    says(context, vacant, 0, None, "thank you", clock)
    words = [words for *_, words in read_by(context, vacant, 0)]
    assert words == ["welcome", "thank you"]
    with context.reading() as session:
        assert count_visible_to(session, vacant, 0) == 2
        assert [one.words for one in unread_chat(session, vacant, 0)[0]] == ["welcome"]
    told = [one for one in read_by(context, vacant, 1) if one[0]]
    assert told == [
        (first, "", "to all before"),
        (first, second, "to one before"),
        (second, "the player who had the seat before", "an answer before"),
        (second, "Dirk", "welcome"),
        ("Dirk", "", "thank you"),
    ]
    place = Site(context)
    place.clock.now = clock()
    page = place.visitor().get(place.link(vacant, seat=0))
    assert "to all before" not in page.text
    work_until_idle(context, mails, clock.forward(1))
    assert not any(
        "before" in body(one).split("Settings")[0] and "to all before" in body(one)
        for one in mails.to("Dirk")
    )


def test_who_is_forgotten_takes_their_words_along_and_those_of_the_other_stay(context, vacant, clock):
    first = names_of(context, vacant)[0]
    says(context, vacant, 0, None, "to all before", clock)
    take_offered_seat(context, vacant, known(context, "Dirk", clock), "Dirk", clock())
    says(context, vacant, 0, None, "thank you", clock)
    forget_address(context, f"{first.lower()}@example.org", clock())
    with context.reading() as session:
        said = [one.words for one in session.exec(select(ChatMessage).where(ChatMessage.seat == 0))]
        acts = " ".join(session.exec(select(Act.events).where(Act.game == vacant)))
    assert said == ["thank you"]
    assert f'"{first}"' not in acts
    assert names_in(context, vacant)[0] == "Dirk"
    forget_address(context, "dirk@example.org", clock())
    assert names_in(context, vacant)[0] == "a player"
    assert offered(context) == [0]
    assert list(examine_stored_acts(context)) == []


# --- by the pages, by mail, by the operator -------------------------------------------------------------


def test_links_that_claim_a_seat_count_among_those_of_a_day(context, vacant, clock):
    """Whoever asks for another's address again and again does not fill their box."""
    name = names_of(context, vacant)[1]
    address = f"{name.lower()}@example.org"
    began = clock()
    for number in range(MOST_A_DAY):
        now = began + number * SIGN_IN_LINK_VALID
        request_link_for_seat(context, vacant, SeatRequest(name, address), now)
        request_link(context, address, now)
    with context.reading() as session:
        mailed = Counter(session.exec(select(OutgoingLetter.kind)))
    assert mailed[LetterKind.SEAT_CLAIM]
    assert mailed[LetterKind.SIGNIN]
    assert mailed[LetterKind.SEAT_CLAIM] + mailed[LetterKind.SIGNIN] == MOST_A_DAY


def test_what_the_page_says_does_not_depend_on_the_address(context, vacant, clock):
    place = Site(context)
    place.clock.now = clock()
    pages = []
    for address in ("ben@example.org", "fourth@example.net"):
        page = place.visitor().get(path_of(context, vacant))
        pages.append(page.send(name="Dirk", address=address).text)
    assert "Look in your mail" in pages[0]
    assert pages[0] == pages[1]


def test_a_seat_is_offered_whatever_the_rule_is(context, mails, clock):
    game = opened(context, AbsenceRule.SEAT)
    work_until_idle(context, mails, clock())
    with pytest.raises(SeatRefused):
        offer_seat(context, game, 0, Channel.OPERATOR, clock())
    lets_pass(context, mails, clock)
    assert offered(context) == [0]
    assert not offer_seat(context, game, 0, Channel.OPERATOR, clock())


def test_the_command_lists_and_offers(context, mails, clock, monkeypatch):
    game = opened(context, AbsenceRule.SEAT)
    work_until_idle(context, mails, clock())
    lets_pass(context, mails, clock)

    @contextmanager
    def own_context() -> Iterator[Context]:
        yield context

    monkeypatch.setattr(games, "opened_context", own_context)
    assert context.links.join_link(game) in CliRunner().invoke(games.offer, [game]).output
    told = CliRunner().invoke(games.offer, [game, "1"])
    assert told.output.splitlines()[-1] == context.links.join_link(game)
    assert offered(context) == [0]
    assert CliRunner().invoke(games.offer, [game, "2"]).exit_code == 1


def test_each_step_is_told_by_the_names_of_its_time(context, vacant, mails, clock):
    place, before = Site(context), count_facts(context, vacant)
    place.clock.now = clock()
    first = names_of(context, vacant)[0]
    take_offered_seat(context, vacant, known(context, "Dirk", clock), "Dirk", clock())
    mover, page = game_row(context, vacant).seat or 0, place.visitor()
    recap = page.get(place.link(vacant, seat=mover)).page.xpath("string(//*[@id='since'])")
    assert first in recap  # what the caretaker played before
    assert "Dirk" not in recap
    while game_row(context, vacant).seat != 0:
        plays(context, vacant)
        work_until_idle(context, mails, clock.forward(1))
    plays(context, vacant)
    place.clock.now = clock()
    link = place.link(vacant, seat=1)
    page.get(f"{link}/history?at={before - 1}")
    steps = {int(one.get("data-at")): one.text_content() for one in page.page.xpath("//ol[@class='told']//a")}
    assert not any("Dirk" in words for at, words in steps.items() if at < before)
    assert not any(first in words for at, words in steps.items() if at >= before)
    assert any("Dirk marched" in words for words in steps.values())
    titles = [str(one).rpartition(": ")[2] for one in page.page.xpath("//summary/h3/text()")]
    assert titles[0] == "Dirk"
    assert first in titles
    players = "string(//div[@class='wide']/table)"
    assert first in page.page.xpath(players)
    assert "Dirk" in page.get(f"{link}/history?at={before}").page.xpath(players)
    assert "Dirk" in page.get(link).page.xpath("string(//*[@id='since'])")
    sheet = page.get(f"{link}/sheet").text
    assert "Dirk" in sheet
    assert first not in sheet


def count_facts(context, game) -> int:
    with context.reading() as session:
        return len(context.history_of(session, session.get_one(Game, game)).events)
