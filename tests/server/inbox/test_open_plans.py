"""A plan that leaves its march open is kept by mail, tells which march it will be, and is played so."""

import pytest

from tests.breadth import first
from tests.server.desk import NOON, names_of, set_preferences, work_until_idle
from tests.server.inbox.test_plans_by_mail import says
from tests.server.planning import SOON, acts, pass_turn, plans
from tests.server.small_board import HORSE, NO_HORSE, PLANS, PLAYED, play_on_small_board, start_small_game
from tests.server.turns.test_play import whole_turn

RULES = {
    "en": "Of several shortest paths the one that encloses most for you is taken.",
    "nl": "Van meerdere kortste paden wordt het pad genomen dat voor jou het meest insluit.",
}


@pytest.fixture(autouse=True)
def small_board(monkeypatch):
    play_on_small_board(monkeypatch)


@pytest.mark.parametrize("language", PLANS)
@pytest.mark.parametrize("seed", first(1, [HORSE, NO_HORSE]))
def test_the_plan_of_the_letters_is_kept_as_it_stands_there_and_played(context, carrier, seed, language):
    game = start_small_game(context, seed)
    name = names_of(context, game)[1]
    set_preferences(context, game, name, language=language)
    work_until_idle(context, carrier, NOON)
    kind, said = says(context, carrier, name, PLANS[language])
    assert kind == "shown"
    assert RULES[language] in said
    assert len(plans(context)) == 1
    pass_turn(context, game, [*whole_turn(context, game), "end"])
    work_until_idle(context, carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", PLAYED[seed])
