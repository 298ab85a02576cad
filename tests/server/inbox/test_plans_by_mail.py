"""A plan by mail: kept, shown, changed and withdrawn by an answer to whatever letter, in each language."""

import pytest

from tests.breadth import first
from tests.server.desk import NOON
from tests.server.inbox.test_mail_dispatch import answer_to
from tests.server.planning import (
    HORSE,
    NEVER,
    NO_HORSE,
    PLANS,
    PLAYED,
    SOON,
    acts,
    march_after,
    pass_turn,
    plans,
    play_on_small_board,
    start_small_game,
)


@pytest.fixture
def second(context, game):
    return context.names_of(game)[1]


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("en", "plan: {}; draw; draw", "plan: {}; draw; draw"),
        ("en", "plan: if Troy is free: {}; draw", "plan: if Troy is free: {}; draw"),
        ("nl", "plan: als Troy vrij is: {}; trek", "plan: if Troy is free: {}; draw"),
    ],
)
def test_it_is_kept_while_another_is_to_move_and_played_when_the_turn_comes(
    context, game, carrier, second, says, language, said, kept
):
    turn, march = march_after(context, game)
    context.set_preferences(game, second, language=language)
    kind, text = says(said.format(march), by=second)
    assert kind == "shown"
    assert language == "nl" or f"“{said.format(march)}”" in text
    assert plans(context)[0].words == kept.format(march)
    pass_turn(context, game, turn)
    context.work_until_idle(carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", kept.format(march).rpartition(": ")[2])


def test_of_one_that_has_missed_its_turn_nobody_reads_that_it_is_played(context, game, carrier, second, says):
    turn, _ = march_after(context, game)
    assert "It is played a few seconds after" in says(f"plan: {NEVER}", by=second)[1]
    pass_turn(context, game, turn)
    context.work_until_idle(carrier, SOON)
    _, text = says("plan", by=second)
    assert "Your turn has come, and nothing of it is played" in text
    assert ("It ends with this turn" in text, "It is played" in text) == (True, False)


RULES = {
    "en": "Of several shortest paths the one that encloses most for you is taken.",
    "nl": "Van meerdere kortste paden wordt het pad genomen dat voor jou het meest insluit.",
}


@pytest.mark.parametrize("language", PLANS)
@pytest.mark.parametrize("seed", first(1, [HORSE, NO_HORSE]))
def test_the_plan_of_the_letters_is_kept_as_it_stands_there_and_played(
    context, carrier, monkeypatch, seed, language
):
    play_on_small_board(monkeypatch)
    game = start_small_game(context, seed)
    name = context.names_of(game)[1]
    context.set_preferences(game, name, language=language)
    context.work_until_idle(carrier, NOON)
    kind, said = answer_to(context, carrier, name, PLANS[language])
    assert kind == "shown"
    assert RULES[language] in said
    assert len(plans(context)) == 1
    pass_turn(context, game, [*context.turn_words(game), "end"])
    context.work_until_idle(carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", PLAYED[seed])
