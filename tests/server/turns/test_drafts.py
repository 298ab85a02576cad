"""A turn that is begun and not played: what of it is kept, until when, and that nobody else hears of it."""

from datetime import timedelta

import pytest
from sqlmodel import select

from server.privacy.erasure import forget_player
from server.privacy.personal_data import collect_data_at
from server.privacy.retention import DRAFTS_KEPT_FOR, delete_expired
from server.store.models import Draft, Game, Player, Seating
from server.turns.dry_run import LinesRefused, compile_draft, keep_draft, load_draft
from tests.server.desk import NOON, changing, game_row, rows_of
from tests.server.turns.test_play import position_of, say, whole_turn


def drafts(context):
    return rows_of(context, Draft)


def loaded(context, game, seat=None):
    row = game_row(context, game)
    with context.reading() as session:
        return load_draft(session, row, row.seat if seat is None else seat)


def begin(context, game, *lines):
    row = game_row(context, game)
    found = compile_draft(position_of(context, game), row.seat, lines)
    with changing(context) as session:
        keep_draft(session, session.get_one(Game, game), row.seat, found.kept, NOON)
    return found


def test_what_is_drafted_is_there_for_its_player_and_for_nobody_else(context, game):
    before = game_row(context, game)
    words = tuple(whole_turn(context, game))
    found = begin(context, game, *words)
    assert (found.kept, found.later) == (words, ())
    assert loaded(context, game) == words
    assert all(loaded(context, game, seat) == () for seat in range(3) if seat != before.seat)
    assert game_row(context, game) == before


def test_what_draws_a_card_or_ends_the_turn_is_not_kept(context, game):
    words = whole_turn(context, game)
    for rest in (("draw", "take lyre"), ("end",)):
        found = begin(context, game, *words, *rest)
        assert (found.kept, found.later) == (tuple(words), rest)
        assert loaded(context, game) == tuple(words)


def test_what_cannot_be_done_is_refused_and_changes_nothing(context, game):
    words = whole_turn(context, game)
    begin(context, game, *words)
    for wrong in (["dance"], ["draw"], [*words, *words], ["choose lyre"] * 21):
        with pytest.raises(LinesRefused):
            begin(context, game, *wrong)
    assert loaded(context, game) == tuple(words)


def test_the_newer_draft_is_kept_and_an_empty_one_is_none(context, game):
    begin(context, game, *whole_turn(context, game))
    begin(context, game, *whole_turn(context, game)[:1])
    assert loaded(context, game) == tuple(whole_turn(context, game)[:1])
    assert len(drafts(context)) == 1
    begin(context, game)
    assert drafts(context) == []


def test_any_act_ends_a_draft(context, game):
    words = whole_turn(context, game)
    begin(context, game, *words)
    say(context, game, *words)
    assert drafts(context) == []
    assert loaded(context, game) == ()


def test_a_draft_of_another_position_is_none(context, game):
    words = whole_turn(context, game)
    begin(context, game, *words)
    with changing(context) as session:
        session.exec(select(Draft)).one().after -= 1
    assert loaded(context, game) == ()


def test_it_goes_after_its_time(context, game):
    begin(context, game, *whole_turn(context, game))
    for late, left in ((timedelta(minutes=-1), 1), (timedelta(minutes=1), 0)):
        context.next_cleanup = None
        delete_expired(context, NOON + DRAFTS_KEPT_FOR + late)
        assert len(drafts(context)) == left


def test_its_player_can_see_it_and_is_forgotten_with_it(context, game):
    words = whole_turn(context, game)
    begin(context, game, *words)
    row = game_row(context, game)
    with context.reading() as session:
        player = session.get_one(Seating, (game, row.seat)).player
        address = session.get_one(Player, player).address
    [seat] = [one for person in collect_data_at(context, address)["players"] for one in person["games"]]
    assert [one["words"] for one in seat["begun_and_not_played"]] == ["; ".join(words)]
    forget_player(context, player, NOON)
    assert drafts(context) == []
