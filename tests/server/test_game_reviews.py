"""Finished games are looked through turn by turn; the letters of the end wait for that, and not for long."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import col

from emails.letters import game_letters
from emails.wording.review_text import summarize_review
from engine.bots.reviews import Review, chances, harvests, review_turn
from engine.evolve import start
from engine.position import view
from server.admin.backups import examine_stored_acts
from server.delivery.claims import claim_letter
from server.delivery.sending import send_due_letters
from server.outbox.notifications import encode_payload
from server.reviews import REVIEW_TAKES, is_review_awaited, list_turns, load_review, review_finished_games
from server.store.event_log import list_steps
from server.store.models import GameReview, OutgoingLetter
from server.store.schedule import FIRST_PUT_OFF, MOST_FAILURES
from server.thinker import ThinkerBusy, ThinkerLost, ThinkerStopped, ThinkingTooLong
from tests.breadth import first
from tests.server.desk import NOON, Collector, Desk, desk, words_of
from tests.server.reviewed import HastyJudge, play_out
from tests.server.storage import storage
from tests.server.test_poisoned_rows import poison

SECONDS = "7"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A database with a game that has just ended, and its id."""
    folder = tmp_path_factory.mktemp("finished")
    context = desk(folder, ALEXANDROS_HOUSE_SECONDS=SECONDS)
    game = play_out(context, "Anna", "Ben")
    context.database.dispose()
    return folder, game


@pytest.fixture
def game(finished: tuple[Path, str]) -> str:
    return finished[1]


@pytest.fixture
def context(finished: tuple[Path, str], tmp_path: Path) -> Desk:
    storage().copy(finished[0], tmp_path)
    return office(tmp_path)


def office(folder: Path, seconds: str = SECONDS, judge: HastyJudge | None = None) -> Desk:
    context = desk(folder, ALEXANDROS_HOUSE_SECONDS=seconds)
    context.thinker = judge or HastyJudge()
    return context


def folder_of(context: Desk) -> Path:
    return storage().folder_of(context.database)


def review_of(context: Desk, game: str) -> Review | None:
    ended = context.position_of(game)
    with context.reading() as session:
        return load_review(context, session, game, ended)


def row_of(context: Desk, game: str) -> GameReview:
    with context.reading() as session:
        return session.get_one(GameReview, game)


def is_awaited(context: Desk, game: str) -> bool:
    with context.reading() as session:
        return is_review_awaited(session, game)


def look_through(context: Desk, now: datetime = NOON) -> int:
    steps = 0
    while review_finished_games(context, now):
        steps += 1
    return steps


def fail_to_the_end(context: Desk) -> int:
    """Let a review fail as often as it is tried; how often that was."""
    context.thinker = HastyJudge(*(ThinkerLost() for _ in range(MOST_FAILURES)))
    return sum(look_through(context, NOON + timedelta(hours=hours)) for hours in range(9))


def leaving(context: Desk, now: datetime) -> list[str]:
    due = OutgoingLetter.kind == "game_over", col(OutgoingLetter.due_at) <= now
    return context.rows_of(OutgoingLetter.kind, *due)


def test_a_game_is_looked_through_turn_by_turn(context, game):
    turns = context.position_of(game).table.turn
    assert review_of(context, game) is None
    assert is_awaited(context, game)
    assert look_through(context) == turns
    review = review_of(context, game)
    assert review is not None
    assert [one.verdict.turn for one in review.turns] == list(range(1, turns + 1))
    assert not is_awaited(context, game)
    assert row_of(context, game).made_at == NOON
    assert set(context.thinker.seconds) == {float(SECONDS)}


def test_whoever_is_stopped_goes_on_where_they_were(context, game):
    for _ in range(3):
        review_finished_games(context, NOON)
    again = office(folder_of(context))
    look_through(again)
    turns = again.position_of(game).table.turn
    assert context.thinker.judged + again.thinker.judged == list(range(1, turns + 1))
    assert review_of(again, game) is not None


def test_what_two_servers_find_is_stored_once(context, game):
    other = office(folder_of(context))
    while review_finished_games(context, NOON) + review_finished_games(other, NOON):
        pass
    assert review_of(context, game) is not None


def test_a_turn_that_takes_too_long_stays_unjudged(context, game):
    context.thinker = HastyJudge(ThinkingTooLong())
    look_through(context)
    review = review_of(context, game)
    assert review is not None
    assert [one.verdict.turn for one in review.turns if not one.verdict.best] == [1]
    assert review.turns[0].verdict.cost == 0


@pytest.mark.parametrize("why", [ThinkerBusy, ThinkerStopped])
def test_a_judge_who_has_no_time_is_asked_again(context, game, why):
    context.thinker = HastyJudge(why())
    assert not review_finished_games(context, NOON)
    assert row_of(context, game).tries == 0
    assert look_through(context)
    assert review_of(context, game) is not None


def test_a_review_that_fails_is_tried_again_later(context, game):
    context.thinker = HastyJudge(ThinkerLost())
    assert look_through(context) == 1
    assert row_of(context, game).due_at == NOON + FIRST_PUT_OFF
    look_through(context, NOON + FIRST_PUT_OFF)
    assert review_of(context, game) is not None


def test_one_that_fails_again_and_again_is_given_up_and_the_operator_is_told(context, game):
    assert list(examine_stored_acts(context)) == []
    assert fail_to_the_end(context) == MOST_FAILURES
    assert not is_awaited(context, game)
    assert review_of(context, game) is None
    [told] = examine_stored_acts(context)
    assert f"game {game}: its review was given up" in told


DAMAGED = ["'{\"turns\": 3}'", "x'ff'", "substr(said, 1, 300)", "replace(said, 'choose', 'chose')"]


@pytest.mark.parametrize("said", first(2, ["json_remove(said, '$.turns[0].chances')", *DAMAGED]))
def test_one_of_which_the_first_half_is_damaged_is_begun_anew(context, game, said):
    for _ in range(3):
        review_finished_games(context, NOON)
    poison(context, "review", "said", said, game)
    assert look_through(context) == context.position_of(game).table.turn
    assert review_of(context, game) is not None
    assert row_of(context, game).tries == 0


@pytest.mark.parametrize("said", first(1, DAMAGED))
def test_a_whole_one_that_is_damaged_is_made_again_once(context, game, said):
    look_through(context)
    made = review_of(context, game)
    for again in (made, None):
        poison(context, "review", "said", said, game)
        assert list(examine_stored_acts(context))
        assert look_through(context) == 0, "nobody has seen it yet"
        assert review_of(context, game) is None
        assert bool(look_through(context)) == (again is not None)
        assert review_of(context, game) == again
    assert "its review cannot be read" in " ".join(examine_stored_acts(context))


def test_without_seconds_no_game_is_looked_through_and_no_letter_waits_for_that(context, game):
    alone = office(folder_of(context), seconds="0")
    look_through(alone)
    assert not alone.thinker.seconds
    assert not is_awaited(alone, game)
    assert leaving(alone, NOON) == ["game_over", "game_over"]


@pytest.mark.long
def test_the_judge_itself_says_the_same_again(context, game):
    context.thinker = desk(folder_of(context)).thinker
    look_through(context)
    review, history = review_of(context, game), context.history(game)
    assert review is not None
    assert review.chances == pytest.approx(
        chances(start(history.position.table.board, history.deal)), abs=1e-4
    )
    assert review.turns[-1].chances == pytest.approx(chances(history.position), abs=1e-4)
    for one, (played, after) in zip(review.turns, list_turns(history), strict=True):
        assert one.chances == pytest.approx(chances(after), abs=1e-4)
        assert one.verdict.played == played.actions
        assert one.verdict.cost == pytest.approx(review_turn(played).cost, abs=0.01)


def test_the_letters_of_the_end_wait_for_the_review_and_leave_at_once_then(context, game):
    soon = NOON + timedelta(seconds=9)
    assert leaving(context, soon) == []
    look_through(context, soon)
    assert leaving(context, soon) == ["game_over", "game_over"]


def test_they_wait_no_longer_than_it_may_take(context, game):
    assert leaving(context, NOON + REVIEW_TAKES - timedelta(seconds=1)) == []
    assert leaving(context, NOON + REVIEW_TAKES) == ["game_over", "game_over"]


def test_an_answer_that_the_letter_of_the_end_tells_waits_with_it(context, game):
    answer = store_answer(context, game_letters.Answer(("draw",)))
    assert claim_letter(context, answer, NOON) is None
    look_through(context, NOON + timedelta(seconds=9))
    claimed = claim_letter(context, answer, NOON + timedelta(seconds=9))
    assert claimed is not None
    assert (claimed.row.kind, claimed.row.answers) == ("game_over", answer.answers)


def test_an_answer_that_says_more_does_not_wait(context, game):
    answer = store_answer(context, game_letters.Answer(("draw",), undone=("draw",), why="there is no card"))
    claimed = claim_letter(context, answer, NOON)
    assert claimed is not None
    assert claimed.row.kind == "answer"


def store_answer(context: Desk, detail: game_letters.Answer) -> OutgoingLetter:
    """A letter that is due and answers a mail of whoever was on the first seat."""
    end = OutgoingLetter.kind == "game_over", OutgoingLetter.seat == 0
    [last] = context.rows_of(OutgoingLetter, *end)
    said = {"kind": "answer", "detail": encode_payload(detail), "due_at": NOON}
    named = {"id": None, "message_id": "<1@play.example.org>", "answers": "<2@example.org>"}
    answer = OutgoingLetter(**last.model_dump() | said | named)
    with context.changing() as session:
        session.add(answer)
    return answer


def test_the_letter_tells_of_the_review(context, game):
    for name in ("Anna", "Ben"):
        context.set_preferences(game, name, pictures=False)
    look_through(context)
    review, history, post = review_of(context, game), context.history(game), Collector()
    assert review is not None
    found = list(harvests(list_steps(history)))
    send_due_letters(context, post, NOON)
    for seat, name in enumerate(history.position.table.names):
        lines = summarize_review(review, found, view(history.position, seat))
        assert len(lines) == 3
        assert all(line in words_of(post.to(name)[-1]) for line in lines)
