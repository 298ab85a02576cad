"""A substitute plays on for whoever has vanished: claimed once, without the chat of before, and told of."""

import re
from collections import Counter
from email.message import EmailMessage
from functools import partial

import pytest

from emails.letters import game_letters
from emails.terms import AbsenceRule, JoinedBy
from emails.wording.requests import Request, RequestKind
from server.accounts.sign_in import MOST_A_DAY, request_link, request_link_for_seat
from server.lobby.leaving import offer_seat, take_offered_seat
from server.lobby.open_seats import SeatRefused
from server.outbox.chat import count_visible_to, load_conversation, post
from server.outbox.notifications import SIGN_IN_LINK_VALID, Notification
from server.outbox.queue import UnitOfWork
from server.personal_data import forget_address
from server.store.game_terms import SeatRequest, list_offered_games
from server.store.models import Act, ChatMessage, Game, OutgoingLetter, StoredTerms
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import at_once, body, kinds, words_of
from tests.server.lobby.table import Table

PEOPLE = "Anna", "Ben", "Cleo"


def path_of(context, game) -> str:
    return context.links.join_link(game).removeprefix(context.links.base_url)


@pytest.fixture
def vacant(table) -> Table:
    return table.vacant()


def test_games_that_nobody_may_see_leave_room_for_those_that_all_may(table, context, clock):
    games = [table.open(AbsenceRule.TURN, *PEOPLE) for _ in range(4)]
    for game in games:
        for seat in (0, 1):
            clock.forward(0.1)
            game.resign(seat)
    first, second, *_ = [game.game for game in games]
    with context.changing() as session:
        for game in (first, second):
            session.get_one(StoredTerms, game).watched = True
    with context.reading() as session:
        listed = [[(one.game.id, one.free) for one in list_offered_games(session, most)] for most in (1, 9)]
    assert listed == [[(second, 2)], [(second, 2), (first, 2)]]


@pytest.mark.parametrize("rule", first(1, [AbsenceRule.ALWAYS, AbsenceRule.SEAT]))
def test_by_the_other_rules_none_is(table, rule):
    game = table.begin(rule)
    for _ in range(4):
        game.time_out()
    assert game.offered == []


def test_the_others_get_a_link_that_they_can_pass_on_and_the_player_may_still_come_back(context, vacant):
    first, *others = vacant.names
    for name in others:
        [letter] = vacant.letters(name, "seat_offered")
        text = body(letter)
        assert context.links.join_link(vacant.game) in text
        assert "/t/" not in text
    assert "Until somebody has taken the seat you can come back." in vacant.last_words(first, "absence")
    assert vacant.come_back(0)
    assert (vacant.offered, vacant.kept) == ([], [])
    with pytest.raises(SeatRefused, match="its player is back"):
        vacant.take()


def test_whoever_takes_it_plays_on_from_there(vacant, mails):
    first = vacant.names[0]
    before = vacant.row
    assert [vacant.take(), vacant.take()] == [0, 0]
    after = vacant.row
    assert (after.after, after.turn, after.seat) == (before.after, before.turn, before.seat)
    assert vacant.names[0] == "Dirk"
    assert (vacant.offered, vacant.kept) == ([], [])
    vacant.deliver(1)
    assert "replaced" in vacant.kinds(first)
    assert "Somebody plays on for you, Anna" in body(mails.to(first)[-1]) or first != "Anna"
    assert vacant.kinds("Dirk") == ["substitute"]
    while vacant.row.seat != 0:
        vacant.play_on()
    assert vacant.kinds("Dirk")[-1] == "your_turn"
    assert vacant.row.deadline is not None
    count = len(mails.to(first))
    vacant.play_on()
    assert len(mails.to(first)) == count
    vacant.check()


def test_links_of_the_player_to_move_stay_good_and_those_of_the_replaced_open_nothing(place, vacant):
    seat = vacant.row.seat
    assert seat
    moving, link = (place.link(vacant.game, seat=one) for one in (seat, 0))
    assert place.visitor().get(link).status == 200
    vacant.take()
    visitor = place.visitor().get(moving)
    assert visitor.status == 200
    assert "Dirk" in visitor.text
    for page in ("", "/pulse", "/agreements", "/settings", "/away"):
        assert place.visitor().get(link + page).status == 410
    assert place.look(vacant.game, seat=0).status == 200


def test_of_many_who_take_it_at_once_one_has_it(context, vacant, clock):
    people, took = [vacant.known(name) for name in ("Dirk", "Second", "Third", "Fourth")], []

    def press(player: int) -> None:
        take_offered_seat(context, vacant.game, player, f"Player {player}", clock())
        took.append(player)

    assert at_once(*(partial(press, one) for one in people)) == []
    assert [vacant.seating(0).player] == took
    assert vacant.count("seat_joined") == 1
    assert vacant.faults == []


def says(game: Table, seat: int, to: int | None, words: str) -> None:
    with game.context.changing() as session:
        row = session.get_one(Game, game.game)
        post(game.context, session, row, seat, to, words, game.clock())


def read_by(game: Table, seat: int) -> list[tuple[str, str, str]]:
    with game.context.reading() as session:
        return [(one.writer, one.addressee, one.words) for one in load_conversation(session, game.game, seat)]


def test_they_read_nothing_of_before_and_the_others_still_see_who_wrote_it(context, place, vacant, mails):
    first, second = vacant.names[:2]
    says(vacant, 0, None, "to all before")
    says(vacant, 0, 1, "to one before")
    says(vacant, 1, 0, "an answer before")
    vacant.take()
    says(vacant, 1, 0, "welcome")
    says(vacant, 0, None, "thank you")
    words = [words for *_, words in read_by(vacant, 0)]
    assert words == ["welcome", "thank you"]
    with context.reading() as session:
        assert count_visible_to(session, vacant.game, 0) == 2
    assert vacant.unread(0) == ["welcome"]
    told = [one for one in read_by(vacant, 1) if one[0]]
    assert told == [
        (first, "", "to all before"),
        (first, second, "to one before"),
        (second, "the player who had the seat before", "an answer before"),
        (second, "Dirk", "welcome"),
        ("Dirk", "", "thank you"),
    ]
    page = place.look(vacant.game, seat=0)
    assert "to all before" not in page.text
    vacant.deliver(1)
    assert not any(
        "before" in body(one).split("Settings")[0] and "to all before" in body(one)
        for one in mails.to("Dirk")
    )


def test_who_is_forgotten_takes_their_words_along_and_those_of_the_other_stay(context, vacant, clock):
    first = vacant.names[0]
    says(vacant, 0, None, "to all before")
    vacant.take()
    says(vacant, 0, None, "thank you")
    forget_address(context, f"{first.lower()}@example.org", clock())
    assert context.rows_of(ChatMessage.words, ChatMessage.seat == 0) == ["thank you"]
    assert f'"{first}"' not in " ".join(context.rows_of(Act.events, Act.game == vacant.game))
    assert vacant.names[0] == "Dirk"
    forget_address(context, "dirk@example.org", clock())
    assert vacant.names[0] == "a player"
    assert vacant.offered == [0]
    assert vacant.faults == []


def test_links_that_claim_a_seat_count_among_those_of_a_day(context, vacant, clock):
    """Whoever asks for another's address again and again does not fill their box."""
    name = vacant.names[1]
    address = f"{name.lower()}@example.org"
    began = clock()
    for number in range(MOST_A_DAY):
        now = began + number * SIGN_IN_LINK_VALID
        request_link_for_seat(context, vacant.game, SeatRequest(name, address), now)
        request_link(context, address, now)
    mailed = Counter(context.rows_of(OutgoingLetter.kind))
    assert mailed["seat_claim"]
    assert mailed["signin"]
    assert mailed["seat_claim"] + mailed["signin"] == MOST_A_DAY


def test_what_the_page_says_does_not_depend_on_the_address(context, place, vacant):
    pages = []
    for address in ("ben@example.org", "fourth@example.net"):
        page = place.visitor().get(path_of(context, vacant.game))
        pages.append(page.send(name="Dirk", address=address).text)
    assert "Look in your mail" in pages[0]
    assert pages[0] == pages[1]


def test_a_seat_is_offered_whatever_the_rule_is(table, context, clock):
    game = table.begin(AbsenceRule.SEAT)
    with pytest.raises(SeatRefused):
        offer_seat(context, game.game, 0, Channel.OPERATOR, clock())
    game.time_out()
    assert game.offered == [0]
    assert not offer_seat(context, game.game, 0, Channel.OPERATOR, clock())


def test_the_command_lists_and_offers(table, context):
    game = table.left_alone()
    link = context.links.join_link(game.game)
    assert link in context.type_in("offer", game.game).output
    assert context.type_in("offer", game.game, "1").output.splitlines()[-1] == link
    assert game.offered == [0]
    assert context.type_in("offer", game.game, "2").exit_code == 2


def test_each_step_is_told_by_the_names_of_its_time(place, vacant):
    before = len(vacant.history.events)
    first = vacant.names[0]
    vacant.take()
    mover, page = vacant.row.seat or 0, place.visitor()
    recap = page.get(place.link(vacant.game, seat=mover)).page.xpath("string(//*[@id='since'])")
    assert first in recap  # what the caretaker played before
    assert "Dirk" not in recap
    while vacant.row.seat != 0:
        vacant.play_on()
    vacant.play()
    link = place.link(vacant.game, seat=1)
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


@pytest.fixture
def passed_on(table) -> Table:
    """A game in whose second round the seat of the first to move was passed on to Dirk, who has played."""

    def with_substitute() -> Table:
        game = table.begin(AbsenceRule.TURN, *PEOPLE)
        for _ in range(4):
            game.play_on()
        game.resign(0)
        game.deliver(1)
        game.take()
        while game.row.turn < 8:
            game.play_on()
        return game

    return table.once(with_substitute)


def history_for(game: Table, seat: int) -> str:
    """The course of the game, as a mail of the player on a seat gets it."""
    asked = Notification(seat, game_letters.Shown((Request(RequestKind.HISTORY),)))
    with game.context.changing() as session:
        UnitOfWork(game.context, session, game.clock()).queue(session.get_one(Game, game.game), [asked])
    game.deliver(1)
    return " ".join(body(game.mails.mails[-1]).partition("== The game so far ==")[2].split())


def first_of(game: Table) -> str:
    """Who was dealt the seat that Dirk has now."""
    [first] = {*PEOPLE} - {*game.names}
    return first


def movers(history: str) -> list[str]:
    return re.findall(r"Turn \d+, ([^:]+):", history)


@pytest.mark.breadth
def test_the_history_by_mail_names_who_played_each_turn(passed_on):
    first, (_, second, third) = first_of(passed_on), passed_on.names
    told = history_for(passed_on, 1)
    assert movers(told) == [first, "you", third, first, "you", third, "Dirk"]
    assert f"turns go {first}, you and {third}" in told
    assert movers(history_for(passed_on, 2))[:2] == [first, second]


def test_a_substitute_is_not_told_that_they_did_what_was_done_before(passed_on):
    first, (_, second, third) = first_of(passed_on), passed_on.names
    told = history_for(passed_on, 0)
    assert movers(told) == [first, second, third, first, second, third, "you"]
    assert "you were dealt" not in told
    assert "you " not in told[told.index("Turn 1,") : told.index("Turn 5,")].lower()


@pytest.mark.breadth
@pytest.mark.parametrize("everything", [False, True])
def test_whose_player_has_gone_is_named_in_the_next_letter(table, everything):
    game = table.begin(AbsenceRule.TURN, *PEOPLE)
    first, second, _ = game.names
    game.prefer(second, everything=everything)
    game.play()
    game.resign(0)
    game.take()
    game.deliver(1)
    told = game.last_words(second, "your_turn")
    assert f"{first} marched " in told
    assert "Dirk marched " not in told


@pytest.fixture
def begun(table) -> Table:
    """A game of three of which the first letters have left."""
    return table.begin(AbsenceRule.TURN, *PEOPLE)


def pass_on(game: Table, seat: int) -> EmailMessage:
    """Its player resigns, and Dirk takes the seat: the one letter that he gets."""
    game.resign(seat)
    game.known("Dirk")
    game.context.confirm("Dirk")
    game.take()
    game.deliver(1)
    [letter] = game.mails.to("Dirk")
    assert kinds([letter]) == ["substitute"]
    return letter


def test_who_waits_is_told_whose_seat_it_was_and_that_there_is_nothing_to_do(context, begun):
    _, second, third = begun.names
    begun.play()
    letter = pass_on(begun, 2)
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


def test_who_is_to_move_gets_their_turn_and_until_when_in_the_same_letter(begun):
    first, _, _ = begun.names
    seat = begun.row.seat
    assert seat == 0
    told = words_of(pass_on(begun, 0))
    assert f"in place of {first}, with" in told
    assert "It is your turn. Choose " in told
    assert "please play before " in told
    assert "Open your turn: " in told
    assert begun.row.deadline is not None


def test_it_names_whoever_had_the_seat_last(context, begun, mails, clock):
    pass_on(begun, 2)
    begun.resign(2)
    take_offered_seat(context, begun.game, begun.known("Anna"), "Anna B", clock())
    begun.deliver(1)
    assert "in place of Dirk, with" in words_of(mails.mails[-1])


OFFERED = "//section[@id='to-take-over']//a"


@pytest.mark.parametrize(
    ("rule", "resigns"),
    first(2, [(AbsenceRule.TURN, False), (AbsenceRule.TURN, True), (AbsenceRule.ALWAYS, True)]),
)
def test_by_whatever_way_it_is_offered_in_the_letters_and_in_the_list(table, context, place, rule, resigns):
    """After two turns in a row that were missed, or once its player has given the game up."""
    game = table.begin(rule, *PEOPLE)
    if resigns:
        game.resign(0)
    else:
        game.let_first_vanish()
    assert game.offered == [0]
    says(game, 1, None, "to all before")
    game.deliver()
    gone, *others = game.names
    for name in others:
        [letter] = game.letters(name, "seat_offered")
        assert context.links.join_link(game.game) in body(letter)
    visitor = place.visitor().get("/games")
    assert "Games with a seat to take over" not in visitor.text
    with context.changing() as session:
        session.get_one(StoredTerms, game.game).joined_by = JoinedBy.ALL
    [(name, link)] = visitor.get("/games").links(OFFERED)
    assert (name, link.partition("?")[0]) == ("Friday", path_of(context, game.game))
    assert f"Will you play on for {gone}?" in visitor.get(link).text
    hand = context.position_of(game.game).hands[0]
    assert game.take() == 0
    assert context.position_of(game.game).hands[0] == hand
    with context.reading() as session:
        assert count_visible_to(session, game.game, 0) == 0
    assert visitor.get("/games").links(OFFERED) == []
    assert game.faults == []
