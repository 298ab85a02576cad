"""The one way in: what a message does, what it does not, and what everybody hears of it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event
from sqlmodel import select

from engine.actions import Illegal, Unreadable
from engine.bots import play_to_win
from engine.cards import SYMBOLS
from engine.notation.orders import write
from engine.position import view
from engine.rules import legal
from server.store.event_log import GameNotRunning, StalePosition, load_acts
from server.store.models import Game, OutgoingLetter
from server.store.states import Channel
from server.turns.dry_run import LinesRefused, preview
from server.turns.play import play_turn
from tests.server.desk import NOON
from tests.server.reviewed import play_out

pytestmark = pytest.mark.systems


def first_legal(context, game):
    position = context.position_of(game)
    return write(next(legal(view(position, position.table.seat))), position.table.board)


def test_a_whole_turn_in_one_message(context, game):
    played = context.say(game, *context.turn_words(game), "draw", "draw", "end")
    assert played.run.undone == ()
    assert len(played.run.done) == 4
    assert played.history.position.table.turn == 2


def test_an_act_costs_as_many_statements_before_the_clock_of_its_turn_runs(context, game):
    context.confirm(context.mover(game))
    said: list[str] = []
    event.listen(context.database, "before_cursor_execute", lambda *given: said.append(given[2]))
    costs = []
    for words in context.turn_words(game):
        row = context.game_row(game)
        assert (row.turn_began_at is None) == (not costs)
        said.clear()
        context.play(game, row.seat, row.after, [words], "link", NOON)
        costs.append([one.split()[0] for one in said if "pg_" not in one and "BEGIN" not in one])
    assert costs[0] == costs[1] == "SELECT INSERT SELECT UPDATE SELECT INSERT".split()


def test_a_line_that_cannot_be_read_refuses_all_before_anything_happens(context, game):
    words = context.turn_words(game)
    with pytest.raises(LinesRefused) as refused:
        context.say(game, *words, "dance")
    assert refused.value.line == "dance"
    assert isinstance(refused.value.refusal, Unreadable)
    assert context.position_of(game).table.chosen is None


def test_a_refusal_before_a_reveal_refuses_all(context, game):
    with pytest.raises(LinesRefused) as refused:
        context.say(game, "draw", *context.turn_words(game))
    assert isinstance(refused.value.refusal, Illegal)
    with context.reading() as session:
        assert len(load_acts(session, game)) == 2


def test_8_3_what_is_known_to_be_impossible_is_refused_before_a_card_is_turned(context, game):
    card, march = context.turn_words(game)
    for rest in (["draw", march], ["march Larissa"] * 2, [march, "levy horse"]):
        with pytest.raises(LinesRefused):
            context.say(game, card, *rest)
    assert context.game_row(game).seq == 2


def test_8_3_after_a_reveal_what_was_done_stands_and_the_rest_is_reported(context, game):
    words = context.turn_words(game)
    display = context.position_of(game).table.display
    chosen = words[0].split()[1]
    other = next(card for card in SYMBOLS if card not in display and card != chosen)
    context.rng.choice = lambda cards: next(card for card in cards if card not in (other, chosen))
    played = context.say(game, *words, f"take {other}", "draw")
    assert played.run.done == tuple(words)
    assert played.run.undone == (f"take {other}", "draw")
    assert f"no {other} in the display" in str(played.run.refusal)


def test_not_his_turn(context, game):
    with pytest.raises(LinesRefused, match="turn of"):
        context.say(game, first_legal(context, game), seat=1)


def test_a_game_that_is_over_gets_no_turn_more(context):
    """One server has played its last turn while another was about to."""
    game = play_out(context, "Anna", "house")
    row = context.game_row(game)
    with pytest.raises(GameNotRunning):
        play_turn(context, game, row.after, play_to_win, Channel.HOUSE, NOON)
    assert context.game_row(game).seq == row.seq


def test_nobody_plays_in_a_game_that_is_not_there(context):
    with pytest.raises(GameNotRunning):
        context.play("aaaaaaaa", 0, 1, ["end"], "link", NOON)


def test_two_at_once_make_one_act(context, game):
    row, words = context.game_row(game), first_legal(context, game)

    def press(_):
        try:
            return context.play(game, 0, row.after, [words], "link", NOON)
        except StalePosition:
            return None

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(press, range(8)))
    assert sum(result is not None for result in results) == 1
    with context.reading() as session:
        assert [row.seq for row in load_acts(session, game)] == [1, 2, 3]


def test_a_preview_changes_nothing_and_throws_no_dice(context, game):
    words = context.turn_words(game)
    position = context.position_of(game)
    shown = preview(position, 0, words)
    assert shown.hidden
    assert shown.done == tuple(words)
    assert shown.position.table.alexander != position.table.alexander
    assert context.position_of(game) == position


def test_a_preview_stops_at_a_card_that_nobody_has_seen(context, game):
    context.say(game, *context.turn_words(game))
    shown = preview(context.position_of(game), 0, ["draw", "draw"])
    assert shown.hidden
    assert shown.done == ("draw",)
    assert shown.position == context.position_of(game)


@pytest.mark.parametrize("rest", [["draw"], ["levy horse"], ["march Larissa A3-B2-C3"]])
def test_a_preview_refuses_what_would_be_refused(context, game, rest):
    card, march = context.turn_words(game)
    position = context.position_of(game)
    if rest[0].startswith("march"):
        rest = [march, march]
    with pytest.raises(LinesRefused):
        preview(position, 0, [card, *rest])


def test_a_preview_refuses_a_third_action_and_whatever_follows_the_end(context, game):
    context.say(game, *context.turn_words(game))
    position = context.position_of(game)
    one, other = position.table.display
    for lines in ([f"take {one}", f"take {other}", "draw"], ["end", "draw"]):
        with pytest.raises(LinesRefused, match="turn is over"):
            preview(position, 0, lines)
    assert preview(position, 0, [f"take {one}", f"take {other}", "end"]).done == (
        f"take {one}",
        f"take {other}",
    )


def test_an_act_tells_whoever_must_move_next(context, game):
    context.say(game, *context.turn_words(game), "end")
    with context.reading() as session:
        row = session.get_one(Game, game)
        letters = session.exec(select(OutgoingLetter).where(OutgoingLetter.seq == row.seq)).all()
    assert [(letter.seat, letter.kind) for letter in letters] == [(1, "your_turn")]
