"""A substitute plays on for whoever has vanished: claimed once, without the chat of before, and told of."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from functools import partial

import pytest
from click.testing import CliRunner

from emails.letters import game_letters
from emails.letters.kinds import LetterKind
from emails.terms import AbsenceRule, JoinedBy
from emails.wording.requests import Request, RequestKind
from server.accounts.sign_in import MOST_A_DAY, request_link, request_link_for_seat
from server.admin.backups import examine_stored_acts
from server.commands import games
from server.lobby.games import find_or_create_player
from server.lobby.leaving import come_back, offer_seat, resign, take_offered_seat
from server.lobby.open_seats import SeatRefused
from server.outbox.chat import count_visible_to, load_conversation, post
from server.outbox.letter_kinds import SIGN_IN_LINK_VALID
from server.outbox.notifications import Notification
from server.outbox.queue import queue_letters
from server.privacy.erasure import forget_address
from server.store import projection
from server.store.context import Context
from server.store.game_terms import SeatRequest, list_offered_games
from server.store.models import Act, ChatMessage, Game, OfferedSeat, OutgoingLetter, Seating, StoredTerms
from server.store.states import Channel
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import (
    at_once,
    body,
    changing,
    committed,
    confirm,
    game_row,
    history_of,
    kinds,
    names_of,
    position_of,
    rows_of,
    set_preferences,
    unread,
    words_of,
    work_until_idle,
)
from tests.server.lobby.test_seat_returns import begun as started
from tests.server.lobby.test_seat_returns import kept, left_alone, lets_pass, opened, plays


def offered(context) -> list[int]:
    return rows_of(context, OfferedSeat.seat)


def known(context, name: str, clock) -> int:
    with changing(context) as session:
        return find_or_create_player(session, name, f"{name.lower()}@example.org", "en", clock()).id


def takes(context, game, clock, name: str = "Dirk") -> int:
    """Somebody takes the seat that is offered."""
    return take_offered_seat(context, game, known(context, name, clock), name, clock())


def seating(context, game, seat: int) -> Seating:
    with context.reading() as session:
        return session.get_one(Seating, (game, seat))


def path_of(context, game) -> str:
    return context.links.join_link(game).removeprefix(context.links.base_url)


def let_first_vanish(context, game, mails, clock) -> None:
    """Let the first to move be late until their seat is offered, and the others play meanwhile."""
    lets_pass(context, mails, clock)
    while not offered(context):
        if game_row(context, game).seat == 0:
            lets_pass(context, mails, clock)
        else:
            plays_on(context, game, mails, clock)


@pytest.fixture
def vacant(context, mails, clock) -> str:
    """A game of three in which the first to move was late twice in a row."""

    def with_first_late() -> str:
        game = started(context, mails, clock, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
        let_first_vanish(context, game, mails, clock)
        return game

    return begin_once(context, mails, with_first_late, clock=clock)


def test_games_that_nobody_may_see_leave_room_for_those_that_all_may(context, clock):
    games = [opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo") for _ in range(4)]
    for game in games:
        for seat in (0, 1):
            committed(context, clock.forward(0.1), resign, game, seat, Channel.WEB)
    with changing(context) as session:
        for game in games[:2]:
            session.get_one(StoredTerms, game).watched = True
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
    assert "Until somebody has taken the seat you can come back." in words_of(told)
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
    assert names_of(context, vacant)[0] == "Dirk"
    assert (offered(context), kept(context)) == ([], [])
    work_until_idle(context, mails, clock.forward(1))
    assert "replaced" in kinds(mails.to(first))
    assert "Somebody plays on for you, Anna" in body(mails.to(first)[-1]) or first != "Anna"
    assert kinds(mails.to("Dirk")) == ["substitute"]
    while game_row(context, vacant).seat != 0:
        plays_on(context, vacant, mails, clock)
    assert kinds(mails.to("Dirk"))[-1] == "your_turn"
    assert game_row(context, vacant).deadline is not None
    count = len(mails.to(first))
    plays_on(context, vacant, mails, clock)
    assert len(mails.to(first)) == count
    assert list(examine_stored_acts(context)) == []
    projection.rebuild(context)
    assert list(examine_stored_acts(context)) == []


def test_the_links_of_whoever_is_to_move_stay_good(context, place, vacant, mails, clock):
    seat = game_row(context, vacant).seat
    assert seat
    link = place.link(vacant, seat=seat)
    takes(context, vacant, clock)
    visitor = place.visitor().get(link)
    assert visitor.status == 200
    assert "Dirk" in visitor.text


def test_the_links_of_whoever_had_it_open_nothing_any_more(context, place, vacant, clock):
    link = place.link(vacant, seat=0)
    assert place.visitor().get(link).status == 200
    takes(context, vacant, clock)
    for page in ("", "/pulse", "/agreements", "/settings", "/away"):
        assert place.visitor().get(link + page).status == 410
    assert place.look(vacant, seat=0).status == 200


def test_of_many_who_take_it_at_once_one_has_it(context, vacant, clock):
    people, took = [known(context, name, clock) for name in ("Dirk", "Second", "Third", "Fourth")], []

    def press(player: int) -> None:
        take_offered_seat(context, vacant, player, f"Player {player}", clock())
        took.append(player)

    assert at_once(*(partial(press, one) for one in people)) == []
    assert [seating(context, vacant, 0).player] == took
    acts = rows_of(context, Act.events, Act.game == vacant)
    assert sum("seat_joined" in events for events in acts) == 1
    assert list(examine_stored_acts(context)) == []


def says(context, game, seat: int, to: int | None, words: str, clock) -> None:
    with changing(context) as session:
        post(context, session, session.get_one(Game, game), seat, to, words, clock())


def read_by(context, game, seat: int) -> list[tuple[str, str, str]]:
    with context.reading() as session:
        return [(one.writer, one.addressee, one.words) for one in load_conversation(session, game, seat)]


def test_they_read_nothing_of_before_and_the_others_still_see_who_wrote_it(
    context, place, vacant, mails, clock
):
    first, second = names_of(context, vacant)[:2]
    says(context, vacant, 0, None, "to all before", clock)
    says(context, vacant, 0, 1, "to one before", clock)
    says(context, vacant, 1, 0, "an answer before", clock)
    takes(context, vacant, clock)
    says(context, vacant, 1, 0, "welcome", clock)
    says(context, vacant, 0, None, "thank you", clock)
    words = [words for *_, words in read_by(context, vacant, 0)]
    assert words == ["welcome", "thank you"]
    with context.reading() as session:
        assert count_visible_to(session, vacant, 0) == 2
    assert unread(context, vacant, 0) == ["welcome"]
    told = [one for one in read_by(context, vacant, 1) if one[0]]
    assert told == [
        (first, "", "to all before"),
        (first, second, "to one before"),
        (second, "the player who had the seat before", "an answer before"),
        (second, "Dirk", "welcome"),
        ("Dirk", "", "thank you"),
    ]
    page = place.look(vacant, seat=0)
    assert "to all before" not in page.text
    work_until_idle(context, mails, clock.forward(1))
    assert not any(
        "before" in body(one).split("Settings")[0] and "to all before" in body(one)
        for one in mails.to("Dirk")
    )


def test_who_is_forgotten_takes_their_words_along_and_those_of_the_other_stay(context, vacant, clock):
    first = names_of(context, vacant)[0]
    says(context, vacant, 0, None, "to all before", clock)
    takes(context, vacant, clock)
    says(context, vacant, 0, None, "thank you", clock)
    forget_address(context, f"{first.lower()}@example.org", clock())
    assert rows_of(context, ChatMessage.words, ChatMessage.seat == 0) == ["thank you"]
    assert f'"{first}"' not in " ".join(rows_of(context, Act.events, Act.game == vacant))
    assert names_of(context, vacant)[0] == "Dirk"
    forget_address(context, "dirk@example.org", clock())
    assert names_of(context, vacant)[0] == "a player"
    assert offered(context) == [0]
    assert list(examine_stored_acts(context)) == []


def test_links_that_claim_a_seat_count_among_those_of_a_day(context, vacant, clock):
    """Whoever asks for another's address again and again does not fill their box."""
    name = names_of(context, vacant)[1]
    address = f"{name.lower()}@example.org"
    began = clock()
    for number in range(MOST_A_DAY):
        now = began + number * SIGN_IN_LINK_VALID
        request_link_for_seat(context, vacant, SeatRequest(name, address), now)
        request_link(context, address, now)
    mailed = Counter(rows_of(context, OutgoingLetter.kind))
    assert mailed[LetterKind.SEAT_CLAIM]
    assert mailed[LetterKind.SIGNIN]
    assert mailed[LetterKind.SEAT_CLAIM] + mailed[LetterKind.SIGNIN] == MOST_A_DAY


def test_what_the_page_says_does_not_depend_on_the_address(context, place, vacant, clock):
    pages = []
    for address in ("ben@example.org", "fourth@example.net"):
        page = place.visitor().get(path_of(context, vacant))
        pages.append(page.send(name="Dirk", address=address).text)
    assert "Look in your mail" in pages[0]
    assert pages[0] == pages[1]


def test_a_seat_is_offered_whatever_the_rule_is(context, mails, clock):
    game = started(context, mails, clock, AbsenceRule.SEAT)
    with pytest.raises(SeatRefused):
        offer_seat(context, game, 0, Channel.OPERATOR, clock())
    lets_pass(context, mails, clock)
    assert offered(context) == [0]
    assert not offer_seat(context, game, 0, Channel.OPERATOR, clock())


def test_the_command_lists_and_offers(context, mails, clock, monkeypatch):
    game = left_alone(context, mails, clock)

    @contextmanager
    def own_context() -> Iterator[Context]:
        yield context

    monkeypatch.setattr(games, "opened_context", own_context)
    assert context.links.join_link(game) in CliRunner().invoke(games.offer, [game]).output
    told = CliRunner().invoke(games.offer, [game, "1"])
    assert told.output.splitlines()[-1] == context.links.join_link(game)
    assert offered(context) == [0]
    assert CliRunner().invoke(games.offer, [game, "2"]).exit_code == 1


def test_each_step_is_told_by_the_names_of_its_time(context, place, vacant, mails, clock):
    before = len(history_of(context, vacant).events)
    first = names_of(context, vacant)[0]
    takes(context, vacant, clock)
    mover, page = game_row(context, vacant).seat or 0, place.visitor()
    recap = page.get(place.link(vacant, seat=mover)).page.xpath("string(//*[@id='since'])")
    assert first in recap  # what the caretaker played before
    assert "Dirk" not in recap
    while game_row(context, vacant).seat != 0:
        plays_on(context, vacant, mails, clock)
    plays(context, vacant)
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


def plays_on(context, game, mails, clock) -> None:
    plays(context, game)
    work_until_idle(context, mails, clock.forward(1))


@pytest.fixture
def passed_on(context, mails, clock) -> str:
    """A game in whose second round the seat of the first to move was passed on to Dirk, who has played."""

    def with_substitute() -> str:
        game = started(context, mails, clock, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
        for _ in range(4):
            plays_on(context, game, mails, clock)
        committed(context, clock(), resign, game, 0, Channel.WEB)
        work_until_idle(context, mails, clock.forward(1))
        takes(context, game, clock)
        while game_row(context, game).turn < 8:
            plays_on(context, game, mails, clock)
        return game

    return begin_once(context, mails, with_substitute, clock=clock)


def history_for(context, game, seat: int, mails, clock) -> str:
    """The course of the game, as a mail of the player on a seat gets it."""
    asked = Notification(seat, game_letters.Shown((Request(RequestKind.HISTORY),)))
    with changing(context) as session:
        queue_letters(context, session, session.get_one(Game, game), [asked], clock())
    work_until_idle(context, mails, clock.forward(1))
    return " ".join(body(mails.mails[-1]).partition("== The game so far ==")[2].split())


def first_of(context, game) -> str:
    """Who was dealt the seat that Dirk has now."""
    [first] = {"Anna", "Ben", "Cleo"} - {*names_of(context, game)}
    return first


def movers(history: str) -> list[str]:
    """Whose each turn is said to be."""
    return re.findall(r"Turn \d+, ([^:]+):", history)


@pytest.mark.breadth
def test_the_history_by_mail_names_who_played_each_turn(context, passed_on, mails, clock):
    first, (_, second, third) = first_of(context, passed_on), names_of(context, passed_on)
    told = history_for(context, passed_on, 1, mails, clock)
    assert movers(told) == [first, "you", third, first, "you", third, "Dirk"]
    assert f"turns go {first}, you and {third}" in told
    assert movers(history_for(context, passed_on, 2, mails, clock))[:2] == [first, second]


def test_a_substitute_is_not_told_that_they_did_what_was_done_before(context, passed_on, mails, clock):
    first, (_, second, third) = first_of(context, passed_on), names_of(context, passed_on)
    told = history_for(context, passed_on, 0, mails, clock)
    assert movers(told) == [first, second, third, first, second, third, "you"]
    assert "you were dealt" not in told
    assert "you " not in told[told.index("Turn 1,") : told.index("Turn 5,")].lower()


@pytest.mark.breadth
@pytest.mark.parametrize("everything", [False, True])
def test_whose_player_has_gone_is_named_in_the_next_letter(context, mails, clock, everything):
    game = started(context, mails, clock, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    first, second, _ = names_of(context, game)
    set_preferences(context, game, second, everything=everything)
    plays(context, game)
    committed(context, clock(), resign, game, 0, Channel.WEB)
    takes(context, game, clock)
    work_until_idle(context, mails, clock.forward(1))
    [turn] = [one for one in mails.to(second) if kinds([one]) == ["your_turn"]]
    told = words_of(turn)
    assert f"{first} marched " in told
    assert "Dirk marched " not in told


@pytest.fixture
def begun(context, mails, clock) -> str:
    """A game of three of which the first letters have left."""
    return started(context, mails, clock, AbsenceRule.TURN, "Anna", "Ben", "Cleo")


def pass_on(context, game, seat: int, mails, clock) -> EmailMessage:
    """Its player resigns, and Dirk takes the seat: the one letter that he gets."""
    committed(context, clock(), resign, game, seat, Channel.WEB)
    dirk = known(context, "Dirk", clock)
    confirm(context, "Dirk")
    take_offered_seat(context, game, dirk, "Dirk", clock())
    work_until_idle(context, mails, clock.forward(1))
    [letter] = mails.to("Dirk")
    assert kinds([letter]) == ["substitute"]
    return letter


def test_who_waits_is_told_whose_seat_it_was_and_that_there_is_nothing_to_do(context, begun, mails, clock):
    _, second, third = names_of(context, begun)
    plays(context, begun)
    letter = pass_on(context, begun, 2, mails, clock)
    told = words_of(letter)
    assert letter["Subject"] == "Friday: the seat is yours"
    assert told.startswith("--- Write above this line --- The seat is yours, Dirk From now on you play in")
    assert f"in “Friday” in place of {third}, with" in told
    assert "Your turn comes with a mail; until then there is nothing to do." in told
    assert f"{second} has until " in told
    assert "== Your cards and what they can do ==" in told
    assert context.links.rules_link() in told
    html = letter.get_body(("html",))
    assert html is not None
    assert "The seat is yours, Dirk" in html.get_content()
    assert context.links.rules_link() in html.get_content()


def test_who_is_to_move_gets_their_turn_and_until_when_in_the_same_letter(context, begun, mails, clock):
    first, _, _ = names_of(context, begun)
    seat = game_row(context, begun).seat
    assert seat == 0
    told = words_of(pass_on(context, begun, 0, mails, clock))
    assert f"in place of {first}, with" in told
    assert "It is your turn. Choose " in told
    assert "please play before " in told
    assert "Open your turn: " in told
    assert game_row(context, begun).deadline is not None


def test_it_names_whoever_had_the_seat_last(context, begun, mails, clock):
    pass_on(context, begun, 2, mails, clock)
    committed(context, clock(), resign, begun, 2, Channel.WEB)
    take_offered_seat(context, begun, known(context, "Anna", clock), "Anna B", clock())
    work_until_idle(context, mails, clock.forward(1))
    assert "in place of Dirk, with" in words_of(mails.mails[-1])


OFFERED = "//section[@id='to-take-over']//a"


@pytest.mark.parametrize(
    ("rule", "resigns"),
    first(2, [(AbsenceRule.TURN, False), (AbsenceRule.TURN, True), (AbsenceRule.ALWAYS, True)]),
)
def test_by_whatever_way_it_is_offered_in_the_letters_and_in_the_list(
    context, place, mails, clock, rule, resigns
):
    """After two turns in a row that were missed, or once its player has given the game up."""
    game = started(context, mails, clock, rule, "Anna", "Ben", "Cleo")
    if resigns:
        committed(context, clock(), resign, game, 0, Channel.WEB)
    else:
        let_first_vanish(context, game, mails, clock)
    assert offered(context) == [0]
    says(context, game, 1, None, "to all before", clock)
    work_until_idle(context, mails, clock())
    gone, *others = names_of(context, game)
    for name in others:
        [letter] = [one for one in mails.to(name) if kinds([one]) == ["seat_offered"]]
        assert context.links.join_link(game) in body(letter)
    visitor = place.visitor().get("/games")
    assert "Games with a seat to take over" not in visitor.text
    with changing(context) as session:
        session.get_one(StoredTerms, game).joined_by = JoinedBy.ALL
    [(name, link)] = visitor.get("/games").links(OFFERED)
    assert (name, link.partition("?")[0]) == ("Friday", path_of(context, game))
    assert f"Will you play on for {gone}?" in visitor.get(link).text
    hand = position_of(context, game).hands[0]
    assert takes(context, game, clock) == 0
    assert position_of(context, game).hands[0] == hand
    with context.reading() as session:
        assert count_visible_to(session, game, 0) == 0
    assert visitor.get("/games").links(OFFERED) == []
    assert list(examine_stored_acts(context)) == []
