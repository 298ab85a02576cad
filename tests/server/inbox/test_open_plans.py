"""A plan that leaves its march open is kept by mail, tells which march it will be, and is played so."""

import pytest

from tests.breadth import first
from tests.server.desk import NOON, body, names_of, wish, work_until_idle
from tests.server.inbox.test_mail_dispatch import last_letter
from tests.server.inbox.test_plans_by_mail import says
from tests.server.planning import SOON, acts, pass_turn, plans
from tests.server.small_board import (
    FROM_ANYWHERE,
    HORSE,
    NO_HORSE,
    PLANS,
    PLAYED,
    play_on_small_board,
    start_small_game,
)
from tests.server.turns.test_play import whole_turn

RULES = {
    "en": "Where it leaves a march open, that with the fewest new walls is played",
    "nl": "Waar het een mars openlaat, wordt die met de minste nieuwe muren gespeeld",
}


@pytest.fixture(autouse=True)
def small_board(monkeypatch):
    play_on_small_board(monkeypatch)


@pytest.mark.parametrize("language", PLANS)
@pytest.mark.parametrize(("seed", "texts"), first(1, [(HORSE, PLANS), (NO_HORSE, FROM_ANYWHERE)]))
def test_the_plan_of_the_letters_is_kept_and_played(context, carrier, seed, texts, language):
    game = start_small_game(context, seed)
    name = names_of(context, game)[1]
    wish(context, game, name, language=language)
    work_until_idle(context, carrier, NOON)
    kind, said = says(context, carrier, name, texts[language])
    assert kind == "shown"
    assert RULES[language] in said
    assert len(plans(context)) == 1
    pass_turn(context, game, [*whole_turn(context, game), "end"])
    work_until_idle(context, carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", PLAYED[seed])


def test_a_turn_without_a_condition_waits_for_alexander_where_he_stood_and_says_so(context, carrier):
    """Its march is left out, and he has marched: it would be another march than when it was planned."""
    game = start_small_game(context, NO_HORSE)
    name = names_of(context, game)[1]
    work_until_idle(context, carrier, NOON)
    _, said = says(context, carrier, name, PLANS["en"])
    assert "is played only if Alexander stands where he stood" in said
    _, said = says(context, carrier, name, "plan: in any case: lyre; draw")
    assert "Alexander stands where he stood" not in said
    says(context, carrier, name, PLANS["en"])
    pass_turn(context, game, [*whole_turn(context, game), "end"])
    work_until_idle(context, carrier, SOON)
    assert acts(context, game)[-1][:2] != (1, "plan")
    told = " ".join(body(last_letter(context, carrier, name)).split())
    assert "draw”: something has changed in what it touches." in told, told
