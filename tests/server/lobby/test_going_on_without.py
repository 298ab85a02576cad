"""A vote on a seat that nobody plays: it waits, the others go on without it, or the game ends."""

from dataclasses import replace
from datetime import timedelta

import pytest

from emails.terms import AbsenceRule
from emails.wording.narration import VoteOutcome
from emails.wording.requests import VoteAnswer, VoteKind
from engine.event_log import check_log
from server.admin import archive
from server.admin.backups import examine_stored_acts
from server.clock import tick
from server.lobby.leaving import resign, take_offered_seat
from server.lobby.votes import VoteRefused
from server.store import projection
from server.store.boards import load_boards
from server.store.event_log import HistoryCache
from server.store.server_facts import VOTE_OPEN_FOR
from server.store.states import Channel
from tests.breadth import first
from tests.server.desk import (
    begin_time,
    body,
    change_game,
    committed,
    game_row,
    history_of,
    kinds,
    names_of,
    projected,
    set_preferences,
    unread,
    words_of,
    work_until_idle,
)
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.lobby.test_seat_returns import back, left_alone, lets_pass, opened, plays
from tests.server.lobby.test_substitutes import known
from tests.server.lobby.voting import answers, facts_of
from tests.server.planning import plan, plans
from tests.server.web.bots import bots

WAIT, GO_ON, END = VoteAnswer.WAIT, VoteAnswer.GO_ON, VoteAnswer.END
NOTED, SKIPPED = VoteOutcome.NOTED, VoteOutcome.SKIPPED


@pytest.fixture
def gone(context, mails, clock) -> str:
    """A game of three in which the first has vanished, and the caretaker has played their first turn."""
    return left_alone(context, mails, clock, "Anna", "Ben", "Cleo")


def says(context, clock, game, seat: int, answer: VoteAnswer = GO_ON, about: int = 0) -> VoteOutcome:
    return answers(context, game, seat, VoteKind.EMPTY_SEAT, answer, clock(), about)


def all_agree(context, clock, game) -> None:
    assert [says(context, clock, game, seat) for seat in (1, 2)] == [NOTED, SKIPPED]


def plays_on(context, mails, clock, game) -> None:
    """Whoever is to move plays, and all letters leave."""
    plays(context, game)
    work_until_idle(context, mails, clock.forward(0.1))
    begin_time(context, game, clock())


def skipped_in(context, game) -> list[tuple[int, int]]:
    """Which turns were skipped: the act, and the seat."""
    return [(seq, fact["seat"]) for seq, fact in facts_of(context, game, "turn_skipped")]


def is_sound(context, game) -> None:
    """What is stored follows from the acts, by every check there is."""
    assert list(examine_stored_acts(context)) == []
    before = projected(context, game)
    projection.rebuild(context)
    assert projected(context, game) == before
    known = history_of(context, game)
    context.history_cache = HistoryCache()
    assert history_of(context, game) == known
    lines = [line.encode() for line in archive.export_log(context, game)]
    *_, (_, last) = check_log(lines, load_boards())
    names = known.position.table.names  # of whoever plays there now
    assert replace(last, table=last.table.but(names=names)) == known.position


def test_the_turns_of_who_is_gone_are_skipped_as_they_come(context, mails, clock, gone):
    all_agree(context, clock, gone)
    assert history_of(context, gone).skipped == {0}
    assert skipped_in(context, gone) == []
    for _ in range(2):
        row = game_row(context, gone)
        plays_on(context, mails, clock, gone)
        assert game_row(context, gone).turn == row.turn + (2 if row.seat == 2 else 1)
        is_sound(context, gone)
    assert (game_row(context, gone).seat, game_row(context, gone).turn) == (1, 5)
    assert [seat for _, seat in skipped_in(context, gone)] == [0]
    assert skipped_in(context, gone)[0][0] == history_of(context, gone).seq
    assert kinds(mails.to(names_of(context, gone)[1]))[-1] == "your_turn"


def test_a_turn_that_goes_on_is_skipped_at_once_and_one_that_has_begun_is_played_to_its_end(context, clock):
    game = opened(context, AbsenceRule.SEAT, "Anna", "Ben", "Cleo")
    committed(context, clock(), resign, game, 0, Channel.WEB)
    all_agree(context, clock, game)
    assert (game_row(context, game).seat, game_row(context, game).turn) == (1, 2)
    assert [seat for _, seat in skipped_in(context, game)] == [0]
    is_sound(context, game)


def test_everybody_hears_it_the_next_player_gets_their_turn_and_letters_tell_what_was_skipped(
    context, mails, clock, gone
):
    all_agree(context, clock, gone)
    name = names_of(context, gone)[0]
    told = f"The game goes on without {name}: the turns of that seat are skipped"
    heard = [sum(told in one for one in unread(context, gone, seat)) for seat in range(3)]
    assert heard == [1, 1, 0]
    plays_on(context, mails, clock, gone)
    plays_on(context, mails, clock, gone)
    second, third = names_of(context, gone)[1:]
    letter = words_of(mails.to(second)[-1])
    assert f"Turn 4: {name}, skipped." in letter
    assert f"Turn 3: {third} " in letter
    assert "turn 5" in str(mails.to(second)[-1]["Subject"])


@pytest.mark.breadth
def test_with_one_player_left_it_goes_on_to_its_end(context, mails, clock):
    game = left_alone(context, mails, clock, "Anna", "Ben")
    assert says(context, clock, game, 1) == SKIPPED
    for turn in (2, 4, 6):
        assert (game_row(context, game).seat, game_row(context, game).turn) == (1, turn)
        plays_on(context, mails, clock, game)
    assert kinds(mails.to(names_of(context, game)[1])).count("your_turn") >= 3
    for _ in range(400):
        if game_row(context, game).status == "over":
            break
        clock.forward(48.5)
        begin_time(context, game, clock())
        tick(context, clock.forward(49))
    assert game_row(context, game).status == "over"
    assert game_row(context, game).turn > 6
    is_sound(context, game)


@pytest.fixture
def four(context, mails, clock) -> str:
    """A game of four in which the first has vanished, and it is the second's turn."""
    return left_alone(context, mails, clock, "Anna", "Ben", "Cleo", "Dirk")


def keep_turn(context, game) -> None:
    """Let no turn run out while a seat is voted on."""
    change_game(context, game, deadline=history_of(context, game).offers[0] + 4 * VOTE_OPEN_FOR)


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
def test_the_majority_of_those_decides_who_answer_within_three_days(
    context, mails, clock, four, said, skipped, status
):
    asked_at = history_of(context, four).offers[0]
    for seat, answer in enumerate(said, 1):
        assert says(context, clock, four, seat, answer) == NOTED
    keep_turn(context, four)
    for clock.now in (asked_at + VOTE_OPEN_FOR - timedelta(minutes=1), asked_at + VOTE_OPEN_FOR):
        assert history_of(context, four).skipped == frozenset()
        assert game_row(context, four).status == "running"
        work_until_idle(context, mails, clock())
    assert (history_of(context, four).skipped, game_row(context, four).status) == (skipped, status)
    if skipped or status == "over":
        with pytest.raises(VoteRefused):
            says(context, clock, four, 3)
    is_sound(context, four)


@pytest.mark.parametrize("said", [WAIT, None])
def test_while_a_seat_waits_any_player_has_all_asked_again(context, mails, clock, four, said):
    for seat in (1, 2) if said else ():
        assert says(context, clock, four, seat, said or WAIT) == NOTED
    keep_turn(context, four)
    clock.now = history_of(context, four).offers[0] + VOTE_OPEN_FOR
    work_until_idle(context, mails, clock())
    before, last = len(mails.mails), history_of(context, four).seq
    assert (says(context, clock, four, 3, WAIT), history_of(context, four).seq) == (NOTED, last)
    assert [says(context, clock, four, 3), says(context, clock, four, 3)] == [VoteOutcome.ASKED, NOTED]
    work_until_idle(context, mails, clock())
    again = [one for one in mails.mails[before:] if kinds([one]) == ["seat_offered"]]
    asked = [one for name in names_of(context, four)[1:3] for one in again if one in mails.to(name)]
    assert (len(again), len(asked), history_of(context, four).skipped) == (2, 2, frozenset())
    clock.now += VOTE_OPEN_FOR - timedelta(minutes=1)
    reply(context, asked[0], "3", now=clock())
    assert (game_row(context, four).status, history_of(context, four).skipped) == ("running", frozenset())
    reply(context, asked[1], "2", now=clock())
    assert history_of(context, four).skipped == {0}
    is_sound(context, four)


def test_a_seat_that_waits_is_asked_about_again_on_the_page_and_by_the_first_letter(
    context, mails, clock, place, four
):
    work_until_idle(context, mails, clock())
    first = next(one for one in mails.to(names_of(context, four)[1]) if kinds([one]) == ["seat_offered"])
    assert says(context, clock, four, 2, WAIT) == NOTED
    keep_turn(context, four)
    clock.now = history_of(context, four).offers[0] + VOTE_OPEN_FOR
    page = place.look(four, "/agreements", seat=2)
    form = "//form[.//input[@value='empty seat']]"
    assert page.page.xpath(f"{form}//button/@value") == ["go on", "end"]
    assert "It waits for somebody to take it" in page.text
    reply(context, first, "2", now=clock())
    page = place.look(four, "/agreements", seat=2)
    assert page.page.xpath(f"{form}//button/@value") == ["wait", "go on", "end"]
    page.send(form, answer="go on")
    clock.now += VOTE_OPEN_FOR
    work_until_idle(context, mails, clock())
    assert history_of(context, four).skipped == {0}


def test_an_answer_can_be_changed_and_the_same_twice_is_once(context, clock, four):
    assert [says(context, clock, four, 1, one) for one in (END, END, GO_ON)] == [NOTED] * 3
    assert says(context, clock, four, 2) == NOTED
    assert says(context, clock, four, 3, END) == SKIPPED


def test_or_once_that_seat_is_kept(context, mails, clock, four):
    plays_on(context, mails, clock, four)
    plays_on(context, mails, clock, four)
    assert [says(context, clock, four, seat) for seat in (1, 2)] == [NOTED, NOTED]
    lets_pass(context, mails, clock)
    assert history_of(context, four).is_caretaken(3)
    assert history_of(context, four).skipped == {0}
    is_sound(context, four)


def test_a_game_that_ends_so_drops_plans_and_tells_all(context, mails, clock, gone):
    plan(context, gone, 2, "lyre; draw")
    assert says(context, clock, gone, 1, END) == NOTED
    assert says(context, clock, gone, 2, END) == VoteOutcome.ENDED
    assert game_row(context, gone).status == "over"
    assert plans(context) == []
    work_until_idle(context, mails, clock.forward(1))
    for name in names_of(context, gone):
        assert kinds(mails.to(name)).count("game_over") == 1
    is_sound(context, gone)


def test_who_is_back_is_never_skipped(context, mails, clock, gone):
    all_agree(context, clock, gone)
    plays_on(context, mails, clock, gone)
    assert back(context, gone, 0, clock())
    assert history_of(context, gone).skipped == frozenset()
    plays_on(context, mails, clock, gone)
    assert (game_row(context, gone).seat, game_row(context, gone).turn) == (0, 4)
    assert skipped_in(context, gone) == []
    is_sound(context, gone)


def test_nor_is_a_substitute(context, mails, clock):
    game = opened(context, AbsenceRule.TURN, "Anna", "Ben", "Cleo")
    committed(context, clock(), resign, game, 0, Channel.WEB)
    all_agree(context, clock, game)
    assert take_offered_seat(context, game, known(context, "Dirk", clock), "Dirk", clock()) == 0
    assert history_of(context, game).skipped == frozenset()
    plays(context, game)
    plays(context, game)
    assert game_row(context, game).seat == 0
    is_sound(context, game)


def test_who_vanishes_again_is_voted_on_anew(context, mails, clock, gone):
    all_agree(context, clock, gone)
    back(context, gone, 0, clock())
    with pytest.raises(VoteRefused, match="not voted on any more"):
        says(context, clock, gone, 1)
    plays_on(context, mails, clock, gone)
    plays_on(context, mails, clock, gone)
    lets_pass(context, mails, clock)
    assert history_of(context, gone).is_caretaken(0)
    assert history_of(context, gone).skipped == frozenset()
    all_agree(context, clock, gone)
    assert history_of(context, gone).skipped == {0}


def test_who_still_plays_answers_and_only_of_who_is_gone(context, clock, gone):
    for about in (1, 2, 3):
        with pytest.raises(VoteRefused, match="not voted on any more"):
            says(context, clock, gone, 1, GO_ON, about)
    with pytest.raises(VoteRefused, match="do not play"):
        says(context, clock, gone, 0)
    with pytest.raises(VoteRefused, match="no answer to this vote"):
        says(context, clock, gone, 1, VoteAnswer.YES)
    all_agree(context, clock, gone)
    with pytest.raises(VoteRefused, match="not voted on any more"):
        says(context, clock, gone, 1)


def test_two_who_are_gone_are_voted_on_apart(context, mails, clock):
    game = opened(context, AbsenceRule.SEAT, "Anna", "Ben", "Cleo", "Dirk")
    for seat in (0, 2):
        committed(context, clock(), resign, game, seat, Channel.WEB)
    assert [says(context, clock, game, 1, GO_ON, seat) for seat in (0, 2)] == [NOTED, NOTED]
    assert says(context, clock, game, 3, GO_ON, 2) == SKIPPED
    assert history_of(context, game).skipped == {2}
    assert says(context, clock, game, 3) == SKIPPED
    assert history_of(context, game).skipped == {0, 2}
    for seat in (1, 3, 1):
        assert game_row(context, game).seat == seat
        plays(context, game)
    is_sound(context, game)


@pytest.mark.parametrize("language", first(1, ["nl", "en"]))
def test_by_number_to_the_letter_or_to_any_other_of_the_game(context, mails, clock, gone, language):
    first, second, third = names_of(context, gone)
    for name in (second, third):
        set_preferences(context, gone, name, language=language)
    work_until_idle(context, mails, clock())
    letter = next(one for one in mails.to(third)[::-1] if kinds([one]) == ["seat_offered"])
    assert first in body(letter)
    assert [one for one in ("1:", "2:", "3:", "/j/") if one not in body(letter)] == []
    reply(context, letter, "2")
    other = next(one for one in mails.to(second)[::-1] if kinds([one]) != ["your_turn"])
    reply(context, other, "2.")
    assert history_of(context, gone).skipped == {0}
    work_until_idle(context, mails, clock())
    reply(context, mails.to(first)[-1], "back")
    assert history_of(context, gone).skipped == frozenset()


def test_a_yes_to_the_letter_is_asked_for_a_number(context, mails, clock, gone):
    third = names_of(context, gone)[2]
    work_until_idle(context, mails, clock())
    reply(context, next(one for one in mails.to(third)[::-1] if kinds([one]) == ["seat_offered"]), "yes")
    work_until_idle(context, mails, clock())
    answer = mails.to(third)[-1]
    assert (kinds([answer]), "Reply with the number alone" in body(answer)) == (["refused"], True)
    reply(context, answer, "3")
    assert history_of(context, gone).agreements.votes[VoteKind.EMPTY_SEAT, 0].answers == {2: END}


def test_on_the_page(context, place, clock, gone):
    first = names_of(context, gone)[0]
    form = "//form[.//input[@value='empty seat']]"
    asker = place.look(gone, "/agreements", seat=1)
    assert f"Go on without {first}" in asker.text
    asker.send(form, answer="go on")
    assert f"Not answered yet: {names_of(context, gone)[2]}." in asker.text
    other = place.look(gone, "/agreements", seat=2).send(form, answer="go on")
    assert "the turns of that seat are skipped" in other.text
    assert history_of(context, gone).skipped == {0}
    for page in ("", "/away"):
        own = place.look(gone, page, seat=0).text
        assert "Each of your turns is skipped until you are back" in own
        assert "caretaker" not in own
    away = place.look(gone, "/agreements", seat=0)
    assert "The others go on without you" in away.text
    away.send("//form[.//button[@value='back']]", say="back")
    assert history_of(context, gone).skipped == frozenset()


def test_by_a_program(context, place, clock, gone):
    words = {"vote": "empty seat", "answer": "go on", "about": 0}
    answers = [one.post(f"games/{gone}/votes", words).json["outcome"] for one in bots(place, gone)[1:]]
    assert answers == ["noted", "skipped"]
    assert history_of(context, gone).skipped == {0}
