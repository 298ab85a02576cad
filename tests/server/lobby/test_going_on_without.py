"""A vote on a seat that nobody plays: it waits, the others go on without it, or the game ends."""

from datetime import timedelta

import pytest

from emails.terms import AbsenceRule
from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from server.clock import tick
from server.lobby.leaving import offer_seat
from server.lobby.votes import VoteRefused, find_seat_vote_end
from server.store.server_facts import VOTE_OPEN_FOR
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import body, kinds, words_of
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.lobby.table import Table
from tests.server.planning import plan, plans
from tests.server.web.bots import bots

WAIT, GO_ON, END = VoteAnswer.WAIT, VoteAnswer.GO_ON, VoteAnswer.END
NOTED, SKIPPED = VoteOutcome.NOTED, VoteOutcome.SKIPPED


@pytest.fixture
def gone(table) -> Table:
    """A game of three in which the first has vanished, and the caretaker has played their first turn."""
    return table.left_alone("Anna", "Ben", "Cleo")


def all_agree(game: Table) -> None:
    assert [game.vote(seat) for seat in (1, 2)] == [NOTED, SKIPPED]


def test_everybody_hears_it_the_next_player_gets_their_turn_and_letters_tell_what_was_skipped(mails, gone):
    all_agree(gone)
    name = gone.names[0]
    told = f"The game goes on without {name}: the turns of that seat are skipped"
    heard = [sum(told in one for one in gone.unread(seat)) for seat in range(3)]
    assert heard == [1, 1, 0]
    gone.play_on()
    gone.play_on()
    second, third = gone.names[1:]
    letter = words_of(mails.to(second)[-1])
    assert f"Turn 4: {name}, skipped." in letter
    assert f"Turn 3: {third} " in letter
    assert "turn 5" in str(mails.to(second)[-1]["Subject"])


@pytest.mark.breadth
def test_with_one_player_left_it_goes_on_to_its_end(table, context, clock):
    game = table.left_alone("Anna", "Ben")
    assert game.vote(1) == SKIPPED
    for turn in (2, 4, 6):
        assert (game.row.seat, game.row.turn) == (1, turn)
        game.play_on()
    assert game.kinds(game.names[1]).count("your_turn") >= 3
    for _ in range(400):
        if game.row.status == "over":
            break
        clock.forward(48.5)
        context.begin_time(game.game, clock())
        tick(context, clock.forward(49))
    assert game.row.status == "over"
    assert game.row.turn > 6
    game.check()


@pytest.fixture
def four(table) -> Table:
    """A game of four in which the first has vanished, and it is the second's turn."""
    return table.left_alone("Anna", "Ben", "Cleo", "Dirk")


def keep_turn(game: Table) -> None:
    """Let no turn run out while a seat is voted on."""
    game.context.change_game(game.game, deadline=game.history.offers[0] + 4 * VOTE_OPEN_FOR)


@pytest.mark.parametrize(
    ("said", "skipped", "status"),
    [
        ((GO_ON, GO_ON), {0}, "running"),
        ((GO_ON,), {0}, "running"),
        ((GO_ON, WAIT), set(), "running"),
        ((GO_ON, END), set(), "running"),
        ((WAIT,), set(), "running"),
        ((), set(), "running"),
        ((END, END), set(), "over"),
        ((END,), set(), "over"),
    ],
)
def test_the_majority_of_those_decides_who_answer_within_three_days(clock, four, said, skipped, status):
    asked_at = four.history.offers[0]
    for seat, answer in enumerate(said, 1):
        assert four.vote(seat, answer) == NOTED
    keep_turn(four)
    for clock.now in (asked_at + VOTE_OPEN_FOR - timedelta(minutes=1), asked_at + VOTE_OPEN_FOR):
        assert four.history.skipped == frozenset()
        assert four.row.status == "running"
        four.deliver()
    assert (four.history.skipped, four.row.status) == (skipped, status)
    if skipped or status == "over":
        with pytest.raises(VoteRefused):
            four.vote(3)
    four.check()


@pytest.mark.parametrize("said", [WAIT, None])
def test_while_a_seat_waits_any_player_has_all_asked_again(context, mails, clock, four, said):
    for seat in (1, 2) if said else ():
        assert four.vote(seat, said or WAIT) == NOTED
    keep_turn(four)
    clock.now = four.history.offers[0] + VOTE_OPEN_FOR
    four.deliver()
    before, last = len(mails.mails), four.history.seq
    assert (four.vote(3, WAIT), four.history.seq) == (NOTED, last)
    assert [four.vote(3), four.vote(3)] == [VoteOutcome.ASKED, NOTED]
    four.deliver()
    again = [one for one in mails.mails[before:] if kinds([one]) == ["seat_offered"]]
    asked = [one for name in four.names[1:3] for one in again if one in mails.to(name)]
    assert (len(again), len(asked), four.history.skipped) == (2, 2, frozenset())
    clock.now += VOTE_OPEN_FOR - timedelta(minutes=1)
    reply(context, asked[0], "3", now=clock())
    assert (four.row.status, four.history.skipped) == ("running", frozenset())
    reply(context, asked[1], "2", now=clock())
    assert four.history.skipped == {0}
    four.check()


def test_a_seat_that_waits_is_asked_about_again_on_the_page_and_by_the_first_letter(
    context, clock, place, four
):
    four.deliver()
    first = four.letters(four.names[1], "seat_offered")[0]
    assert four.vote(2, WAIT) == NOTED
    keep_turn(four)
    clock.now = four.history.offers[0] + VOTE_OPEN_FOR
    page = place.look(four.game, "/agreements", seat=2)
    form = "//form[.//input[@value='empty seat']]"
    assert page.page.xpath(f"{form}//button/@value") == ["go on", "end"]
    assert "It waits for somebody to take it" in page.text
    reply(context, first, "2", now=clock())
    page = place.look(four.game, "/agreements", seat=2)
    assert page.page.xpath(f"{form}//button/@value") == ["wait", "go on", "end"]
    page.send(form, answer="go on")
    clock.now += VOTE_OPEN_FOR
    four.deliver()
    assert four.history.skipped == {0}


def test_a_game_that_ends_so_drops_plans_and_tells_all(context, gone):
    plan(context, gone.game, 2, "lyre; draw")
    assert gone.vote(1, END) == NOTED
    assert gone.vote(2, END) == VoteOutcome.ENDED
    assert gone.row.status == "over"
    assert plans(context) == []
    gone.deliver(1)
    for name in gone.names:
        assert gone.kinds(name).count("game_over") == 1
    gone.check()


def test_a_seat_that_is_skipped_is_not_voted_on_though_it_is_offered_again(context, gone):
    all_agree(gone)
    assert gone.resign(0)
    assert offer_seat(context, gone.game, 0, Channel.OPERATOR, gone.clock())
    assert (gone.history.skipped, gone.offered) == ({0}, [0])
    with context.reading() as session:
        assert find_seat_vote_end(context, session, gone.row) is None
    with pytest.raises(VoteRefused):
        gone.vote(1)
    gone.check()


def test_nor_is_a_substitute(table):
    game = table.open(AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    game.resign(0)
    all_agree(game)
    assert game.take("Dirk") == 0
    assert game.history.skipped == frozenset()
    game.play()
    game.play()
    assert game.row.seat == 0
    game.check()


@pytest.mark.parametrize("language", first(1, ["nl", "en"]))
def test_two_agree_by_number_to_the_letter_or_to_any_other_of_the_game(context, mails, gone, language):
    first, second, third = gone.names
    for name in (second, third):
        gone.prefer(name, language=language)
    gone.deliver()
    letter = gone.letters(third, "seat_offered")[-1]
    assert first in body(letter)
    assert [one for one in ("1:", "2:", "3:", "/j/") if one not in body(letter)] == []
    reply(context, letter, "2")
    other = next(one for one in mails.to(second)[::-1] if kinds([one]) != ["your_turn"])
    reply(context, other, "2.")
    assert gone.history.skipped == {0}
    gone.deliver()
    reply(context, mails.to(first)[-1], "back")
    assert gone.history.skipped == frozenset()


def test_a_yes_to_the_letter_is_asked_for_a_number(context, mails, gone):
    third = gone.names[2]
    gone.deliver()
    reply(context, gone.letters(third, "seat_offered")[-1], "yes")
    gone.deliver()
    answer = mails.to(third)[-1]
    assert (kinds([answer]), "Reply with the number alone" in body(answer)) == (["refused"], True)
    reply(context, answer, "3")
    assert gone.history.agreements.votes[VoteKind.EMPTY_SEAT, 0].answers == {2: END}


def test_two_agree_on_the_page(place, gone):
    first = gone.names[0]
    form = "//form[.//input[@value='empty seat']]"
    asker = place.look(gone.game, "/agreements", seat=1)
    assert f"Go on without {first}" in asker.text
    asker.send(form, answer="go on")
    assert f"Not answered yet: {gone.names[2]}." in asker.text
    other = place.look(gone.game, "/agreements", seat=2).send(form, answer="go on")
    assert "the turns of that seat are skipped" in other.text
    assert gone.history.skipped == {0}
    for page in ("", "/away"):
        own = place.look(gone.game, page, seat=0).text
        assert "Each of your turns is skipped until you are back" in own
        assert "caretaker" not in own
    away = place.look(gone.game, "/agreements", seat=0)
    assert "The others go on without you" in away.text
    away.send("//form[.//button[@value='back']]", say="back")
    assert gone.history.skipped == frozenset()


def test_two_agree_by_programs(place, gone):
    words = {"vote": "empty seat", "answer": "go on", "about": 0}
    answers = [
        one.post(f"games/{gone.game}/votes", words).json["outcome"] for one in bots(place, gone.game)[1:]
    ]
    assert answers == ["noted", "skipped"]
    assert gone.history.skipped == {0}
