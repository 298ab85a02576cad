"""A plan waits for its turn, is played once a few seconds later if it fits, and nobody else hears of it."""

import re
from datetime import timedelta

import pytest
from sqlmodel import update

from engine.notation.orders import write
from engine.plans import PlannedTurn
from engine.position import Phase
from server.clock import tick
from server.outbox.queue import UnitOfWork
from server.privacy.erasure import forget_player
from server.privacy.personal_data import collect_data_at
from server.privacy.retention import PLANS_KEPT_FOR, delete_expired
from server.store.models import Game, Player, Seating, StoredPlan
from server.turns import play
from server.turns.plans import PlanRefused, withdraw_plan
from server.turns.play import find_plan
from tests.server.desk import (
    NOON,
    body,
    changing,
    game_row,
    kinds,
    resign,
    work_until_idle,
)
from tests.server.planning import (
    LATER,
    NEVER,
    SOON,
    acts,
    march_after,
    pass_turn,
    plan,
    plans,
    play_due_plans,
)
from tests.server.turns.test_play import position_of, say, whole_turn


def found(context, game, seat):
    with context.reading() as session:
        return find_plan(context, session, session.get_one(Game, game), seat)


def test_it_is_played_a_few_seconds_after_its_turn_has_come(context, game):
    turn, march = march_after(context, game)
    plan(context, game, 1, f"plan: {march}; draw; draw")
    assert play_due_plans(context, LATER) == 0
    pass_turn(context, game, turn)
    assert play_due_plans(context, SOON - timedelta(seconds=1)) == 0
    assert play_due_plans(context, SOON) == 1
    assert acts(context, game)[-1] == (1, "plan", f"{march}; draw; draw")
    assert plans(context) == []
    assert game_row(context, game).turn == 3
    assert play_due_plans(context, LATER) == 0


def test_it_ends_where_it_says_no_more(context, game, mails):
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw")
    pass_turn(context, game, turn)
    tick(context, SOON)
    table = position_of(context, game).table
    assert (table.seat, table.phase, table.actions_left) == (1, Phase.ACTIONS, 1)
    work_until_idle(context, mails, SOON)
    letter = mails.to(table.names[1])[-1]
    assert "Your turn is not over" in body(letter)
    assert kinds([letter]) == ["plan_played"]


def test_the_first_that_fits_is_played(context, game):
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{NEVER}. otherwise {march}; draw")
    pass_turn(context, game, turn)
    tick(context, SOON)
    assert acts(context, game)[-1][1:] == ("plan", f"{march}; draw")


def test_where_nothing_fits_nothing_is_played_and_the_letter_says_why(context, game, mails):
    work_until_idle(context, mails, NOON)
    turn, _ = march_after(context, game)
    plan(context, game, 1, NEVER)
    pass_turn(context, game, turn)
    work_until_idle(context, mails, NOON)
    letter = mails.mails[-1]
    assert kinds([letter]) == ["your_turn"]
    said = " ".join(body(letter).split())
    assert "Your plan is not played" in said
    assert re.search(r"“stay; recall Troy”: “stay” cannot be done: ", said)
    before = acts(context, game)
    work_until_idle(context, mails, LATER)
    assert acts(context, game) == before
    assert [one.missed for one in plans(context)] == [True]
    assert mails.mails[-1] is letter
    pass_turn(context, game, [*whole_turn(context, game), "draw", "draw"])
    assert plans(context) == []


def test_the_letter_of_a_turn_that_is_planned_waits_and_its_time_begins_all_the_same(context, game, mails):
    work_until_idle(context, mails, NOON)
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw; draw")
    pass_turn(context, game, turn)
    many = len(mails.mails)
    work_until_idle(context, mails, NOON)
    assert len(mails.mails) == many
    assert game_row(context, game).turn_began_at == NOON
    work_until_idle(context, mails, SOON)
    assert sorted(kinds(mails.mails[many:])) == ["plan_played", "your_turn"]
    work_until_idle(context, mails, LATER)
    assert len(mails.mails) == many + 2


def test_one_from_when_plans_had_implicit_conditions_is_dropped_in_its_turn(context, game, mails):
    work_until_idle(context, mails, NOON)
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw")
    with changing(context) as session:
        session.exec(update(StoredPlan).values(words=f"{march}; draw"))
    kept = found(context, game, 1)
    assert (kept.plan, kept.words) == (None, f"{march}; draw")
    pass_turn(context, game, turn)
    work_until_idle(context, mails, LATER)
    letter = mails.mails[-1]
    assert kinds([letter]) == ["your_turn"]
    said = " ".join(body(letter).split())
    assert "Your plan is not played" in said
    assert "This plan is from before plans were read as they are now" in said
    assert acts(context, game)[-1][1] != "plan"
    pass_turn(context, game, [*whole_turn(context, game), "draw", "draw"])
    assert plans(context) == []


def test_in_the_own_turn_it_is_tried_at_once(context, game):
    words = "; ".join(whole_turn(context, game))
    plan(context, game, 0, f"{words}; draw; draw")
    assert play_due_plans(context, SOON) == 1
    assert acts(context, game)[-1] == (0, "plan", f"{words}; draw; draw")


def test_in_the_middle_of_the_own_turn_it_is_for_the_next_one(context, game):
    say(context, game, *whole_turn(context, game))
    plan(context, game, 0, NEVER)
    assert [one.turn for one in plans(context)] == [3]
    say(context, game, "draw", "draw")
    assert len(plans(context)) == 1


def test_the_newer_counts_and_it_can_be_withdrawn(context, game):
    plan(context, game, 1, NEVER)
    plan(context, game, 1, "if Troy is free: stay")
    assert [one.words for one in plans(context)] == ["plan: if Troy is free: stay"]
    with changing(context) as session:
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
    board = position_of(context, game).table.board
    assert acts(context, game)[-1][2] == "; ".join(write(action, board) for action in meant.outlook.actions)
    assert f"{card}; march " in acts(context, game)[-1][2]


def test_a_player_who_has_resigned_has_no_plan(context, game):
    plan(context, game, 1, NEVER)
    resign(context, game, 1)
    assert plans(context) == []
    with pytest.raises(PlanRefused):
        plan(context, game, 1, NEVER)


def test_of_two_servers_one_plays_it(context, game, monkeypatch):
    """The second has read the plan before the first has played it."""
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw")
    pass_turn(context, game, turn)
    inner, again = play._claim, []

    def claim(unit, *rest):
        if not again:
            again.append(True)
            unit.session.rollback()
            again.append(play_due_plans(context, SOON))
        return inner(unit, *rest)

    monkeypatch.setattr(play, "_claim", claim)
    play_due_plans(context, SOON)
    assert [door for _, door, _ in acts(context, game)].count("plan") == 1


def test_one_that_is_cut_off_is_played_once(context, game, monkeypatch):
    turn, march = march_after(context, game)
    plan(context, game, 1, f"{march}; draw")
    pass_turn(context, game, turn)

    class Killed(BaseException):
        pass

    def killed(unit):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(UnitOfWork, "commit", killed)
        with pytest.raises(Killed):
            play_due_plans(context, SOON)
    assert "plan" not in [door for _, door, _ in acts(context, game)]
    assert play_due_plans(context, SOON) == 1
    assert [door for _, door, _ in acts(context, game)].count("plan") == 1


def test_its_player_can_see_it_and_is_forgotten_with_it(context, game):
    plan(context, game, 1, NEVER)
    with context.reading() as session:
        player = session.get_one(Seating, (game, 1)).player
        address = session.get_one(Player, player).address
    [seat] = [one for person in collect_data_at(context, address)["players"] for one in person["games"]]
    assert [one["words"] for one in seat["planned"]] == [f"plan: {NEVER}"]
    forget_player(context, player, NOON)
    assert plans(context) == []


def test_it_goes_after_its_time(context, game):
    plan(context, game, 1, NEVER)
    for late, left in ((timedelta(minutes=-1), 1), (timedelta(minutes=1), 0)):
        context.next_cleanup = None
        delete_expired(context, NOON + PLANS_KEPT_FOR + late)
        assert len(plans(context)) == left
