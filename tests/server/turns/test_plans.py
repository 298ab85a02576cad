"""Plans and drafts: a plan is played once soon after its turn has come, a draft is kept till any act.

Nobody else hears of either.
"""

import re
from datetime import timedelta

import pytest
from sqlmodel import select, update

from engine.notation.orders import write
from engine.plans import PlannedTurn
from engine.position import Phase
from server.clock import tick
from server.outbox.queue import UnitOfWork
from server.personal_data import collect_data_at, forget_player
from server.retention import delete_expired
from server.store.models import Draft, Game, Player, StoredPlan
from server.store.personal import Kept
from server.turns import play
from server.turns.dry_run import LinesRefused, compile_draft, keep_draft, load_draft
from server.turns.play import PlanRefused, find_plan, play_due_plans, withdraw_plan
from tests.server.desk import NOON, body, kinds, words_of
from tests.server.planning import LATER, NEVER, SOON, acts, march_after, pass_turn, plan, plans


def found(context, game, seat):
    with context.reading() as session:
        return find_plan(context, session, session.get_one(Game, game), seat)


def plan_march(context, game, words):
    """Plan words about a march of the next seat, and play the turn before it; gives the march."""
    turn, march = march_after(context, game)
    plan(context, game, 1, words.format(march))
    pass_turn(context, game, turn)
    return march


def test_it_is_played_a_few_seconds_after_its_turn_has_come(context, game):
    turn, march = march_after(context, game)
    plan(context, game, 1, f"plan: {march}; draw; draw")
    assert play_due_plans(context, LATER) == 0
    pass_turn(context, game, turn)
    assert play_due_plans(context, SOON - timedelta(seconds=1)) == 0
    assert play_due_plans(context, SOON) == 1
    assert acts(context, game)[-1] == (1, "plan", f"{march}; draw; draw")
    assert plans(context) == []
    assert context.game_row(game).turn == 3
    assert play_due_plans(context, LATER) == 0


def test_it_ends_where_it_says_no_more(context, game, mails):
    plan_march(context, game, "{}; draw")
    tick(context, SOON)
    table = context.position_of(game).table
    assert (table.seat, table.phase, table.actions_left) == (1, Phase.ACTIONS, 1)
    context.work_until_idle(mails, SOON)
    letter = mails.to(table.names[1])[-1]
    assert "Your turn is not over" in body(letter)
    assert kinds([letter]) == ["plan_played"]


def test_the_first_that_fits_is_played(context, game):
    march = plan_march(context, game, f"{NEVER}. otherwise {{}}; draw")
    tick(context, SOON)
    assert acts(context, game)[-1][1:] == ("plan", f"{march}; draw")


def test_where_nothing_fits_nothing_is_played_and_the_letter_says_why(context, game, mails):
    context.work_until_idle(mails, NOON)
    plan_march(context, game, NEVER)
    context.work_until_idle(mails, NOON)
    letter = mails.mails[-1]
    assert kinds([letter]) == ["your_turn"]
    assert "Your plan is not played" in words_of(letter)
    assert re.search(r"“stay; recall Troy”: “stay” cannot be done: ", words_of(letter))
    before = acts(context, game)
    context.work_until_idle(mails, LATER)
    assert acts(context, game) == before
    assert [one.missed for one in plans(context)] == [True]
    assert mails.mails[-1] is letter
    pass_turn(context, game, [*context.turn_words(game), "draw", "draw"])
    assert plans(context) == []


def test_the_letter_of_a_turn_that_is_planned_waits_and_its_time_begins_all_the_same(context, game, mails):
    context.work_until_idle(mails, NOON)
    plan_march(context, game, "{}; draw; draw")
    many = len(mails.mails)
    context.work_until_idle(mails, NOON)
    assert len(mails.mails) == many
    assert context.game_row(game).turn_began_at == NOON
    context.work_until_idle(mails, SOON)
    assert sorted(kinds(mails.mails[many:])) == ["plan_played", "your_turn"]
    context.work_until_idle(mails, LATER)
    assert len(mails.mails) == many + 2


def test_one_from_when_plans_had_implicit_conditions_is_dropped_in_its_turn(context, game, mails):
    context.work_until_idle(mails, NOON)
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw")
    with context.changing() as session:
        session.exec(update(StoredPlan).values(words=f"{march}; draw"))
    kept = found(context, game, 1)
    assert (kept.plan, kept.words) == (None, f"{march}; draw")
    pass_turn(context, game, turn)
    context.work_until_idle(mails, LATER)
    letter = mails.mails[-1]
    assert kinds([letter]) == ["your_turn"]
    assert "Your plan is not played" in words_of(letter)
    assert "This plan is from before plans were read as they are now" in words_of(letter)
    assert acts(context, game)[-1][1] != "plan"
    pass_turn(context, game, [*context.turn_words(game), "draw", "draw"])
    assert plans(context) == []


def test_in_the_own_turn_it_is_tried_at_once(context, game):
    words = "; ".join(context.turn_words(game))
    plan(context, game, 0, f"{words}; draw; draw")
    assert play_due_plans(context, SOON) == 1
    assert acts(context, game)[-1] == (0, "plan", f"{words}; draw; draw")


def test_in_the_middle_of_the_own_turn_it_is_for_the_next_one(context, game):
    context.say(game, *context.turn_words(game))
    plan(context, game, 0, NEVER)
    assert [one.turn for one in plans(context)] == [3]
    context.say(game, "draw", "draw")
    assert len(plans(context)) == 1


def test_the_newer_counts_and_it_can_be_withdrawn(context, game):
    plan(context, game, 1, NEVER)
    plan(context, game, 1, "if Troy is free: stay")
    assert [one.words for one in plans(context)] == ["plan: if Troy is free: stay"]
    with context.changing() as session:
        assert withdraw_plan(session, game, 1)
        assert not withdraw_plan(session, game, 1)
    assert plans(context) == []


def test_a_march_that_it_leaves_open_is_kept_open_and_settled_when_it_is_played(context, game):
    turn, march = march_after(context, game)
    card, _ = march.split("; ")
    plan(context, game, 1, f"{card}; draw")
    assert [one.words for one in plans(context)] == [f"plan: {card}; draw"]
    pass_turn(context, game, turn)
    meant = found(context, game, 1)
    assert meant is not None
    assert isinstance(meant.outlook, PlannedTurn)
    assert play_due_plans(context, SOON) == 1
    board = context.position_of(game).table.board
    assert acts(context, game)[-1][2] == "; ".join(write(action, board) for action in meant.outlook.actions)
    assert f"{card}; march " in acts(context, game)[-1][2]


def test_a_player_who_has_resigned_has_no_plan(context, game):
    plan(context, game, 1, NEVER)
    context.resign(game, 1)
    assert plans(context) == []
    with pytest.raises(PlanRefused):
        plan(context, game, 1, NEVER)


def times_played(context, game):
    return [door for _, door, _ in acts(context, game)].count("plan")


def test_of_two_servers_one_plays_it(context, game, monkeypatch):
    """The second has read the plan before the first has played it."""
    plan_march(context, game, "{}; draw")
    inner, again = play._claim, []

    def claim(unit, *rest):
        if not again:
            again.append(True)
            unit.session.rollback()
            again.append(play_due_plans(context, SOON))
        return inner(unit, *rest)

    monkeypatch.setattr(play, "_claim", claim)
    play_due_plans(context, SOON)
    assert times_played(context, game) == 1


def test_one_that_is_cut_off_is_played_once(context, game, monkeypatch):
    plan_march(context, game, "{}; draw")

    class Killed(BaseException):
        pass

    def killed(unit):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(UnitOfWork, "commit", killed)
        with pytest.raises(Killed):
            play_due_plans(context, SOON)
    assert times_played(context, game) == 0
    assert play_due_plans(context, SOON) == 1
    assert times_played(context, game) == 1


# --- drafts ---------------------------------------------------------------------------------------------


def loaded(context, game, seat=None):
    row = context.game_row(game)
    with context.reading() as session:
        return load_draft(session, row, row.seat if seat is None else seat)


def draft(context, game, *lines):
    row = context.game_row(game)
    drafted = compile_draft(context.position_of(game), row.seat, lines)
    with context.changing() as session:
        keep_draft(session, session.get_one(Game, game), row.seat, drafted.kept, NOON)
    return drafted


@pytest.fixture
def words(context, game):
    return tuple(context.turn_words(game))


def test_what_is_drafted_is_there_for_its_player_and_for_nobody_else(context, game, words):
    before = context.game_row(game)
    drafted = draft(context, game, *words)
    assert (drafted.kept, drafted.later) == (words, ())
    assert loaded(context, game) == words
    assert all(loaded(context, game, seat) == () for seat in range(3) if seat != before.seat)
    assert context.game_row(game) == before


def test_what_draws_a_card_or_ends_the_turn_is_not_kept(context, game, words):
    for rest in (("draw", "take lyre"), ("end",)):
        drafted = draft(context, game, *words, *rest)
        assert (drafted.kept, drafted.later) == (words, rest)
        assert loaded(context, game) == words


def test_what_cannot_be_done_is_refused_and_changes_nothing(context, game, words):
    draft(context, game, *words)
    for wrong in (["dance"], ["draw"], [*words, *words], ["choose lyre"] * 21):
        with pytest.raises(LinesRefused):
            draft(context, game, *wrong)
    assert loaded(context, game) == words


def test_the_newer_draft_is_kept_and_an_empty_one_is_none(context, game, words):
    draft(context, game, *words)
    draft(context, game, *words[:1])
    assert loaded(context, game) == words[:1]
    assert len(context.rows_of(Draft)) == 1
    draft(context, game)
    assert context.rows_of(Draft) == []


def test_any_act_ends_a_draft(context, game, words):
    draft(context, game, *words)
    context.say(game, *words)
    assert context.rows_of(Draft) == []
    assert loaded(context, game) == ()


def test_a_draft_of_another_position_is_none(context, game, words):
    draft(context, game, *words)
    with context.changing() as session:
        session.exec(select(Draft)).one().after -= 1
    assert loaded(context, game) == ()


# --- both -----------------------------------------------------------------------------------------------


def keep_one(context, game, table, words):
    """Let the player to move keep a draft, or a plan; what they read of it in their data."""
    if table is Draft:
        draft(context, game, *words)
        return "begun_and_not_played", "; ".join(words)
    plan(context, game, 0, NEVER)
    return "planned", f"plan: {NEVER}"


@pytest.mark.parametrize("table", [Draft, StoredPlan])
def test_its_player_can_see_it_and_is_forgotten_with_it(context, game, words, table):
    name, said = keep_one(context, game, table, words)
    player = context.player_of(game, 0)
    address = context.rows_of(Player.address, Player.id == player)[0]
    [seat] = [one for person in collect_data_at(context, address)["players"] for one in person["games"]]
    assert [one["words"] for one in seat[name]] == [said]
    forget_player(context, player, NOON)
    assert context.rows_of(table) == []


@pytest.mark.parametrize(("table", "rule"), [(Draft, Kept.DRAFTS), (StoredPlan, Kept.PLANS)])
def test_it_goes_after_its_time(context, game, words, table, rule):
    keep_one(context, game, table, words)
    for late, left in ((timedelta(minutes=-1), 1), (timedelta(minutes=1), 0)):
        context.next_cleanup = None
        delete_expired(context, NOON + rule.period + late)
        assert len(context.rows_of(table)) == left
