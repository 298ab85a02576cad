"""A plan by mail: kept, shown, changed and withdrawn by an answer to whatever letter, in each language."""

import pytest

from tests.breadth import first
from tests.server.beginnings import begin_game
from tests.server.desk import NOON, names_of, set_preferences, work_until_idle
from tests.server.inbox.test_mail_dispatch import answer_to, body, last_letter, states
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
from tests.server.turns.test_play import whole_turn


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def waiting(context, game):
    return names_of(context, game)[1]


def test_it_is_kept_while_another_is_to_move_and_played_when_the_turn_comes(context, game, carrier):
    turn, march = march_after(context, game)
    kind, text = answer_to(context, carrier, waiting(context, game), f"plan: {march}; draw; draw")
    assert kind == "shown"
    assert f"“plan: {march}; draw; draw”" in text
    pass_turn(context, game, turn)
    work_until_idle(context, carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", f"{march}; draw; draw")


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "plan: if Troy is free: {march}; draw"), ("nl", "plan: als Troy vrij is: {march}; trek")],
)
def test_with_a_condition(context, game, carrier, language, said):
    turn, march = march_after(context, game)
    second = waiting(context, game)
    set_preferences(context, game, second, language=language)
    assert answer_to(context, carrier, second, said.format(march=march))[0] == "shown"
    assert plans(context)[0].words == f"plan: if Troy is free: {march}; draw"
    pass_turn(context, game, turn)
    work_until_idle(context, carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", f"{march}; draw")


def test_the_answer_says_when_it_is_played_and_what_would_stop_it(context, game, carrier):
    _, text = answer_to(
        context, carrier, waiting(context, game), "plan: if Troy is free: horse; march Larissa; draw; draw"
    )
    assert (
        "It is played a few seconds after your turn has come, unless the province of Troy is not free, "
        "no horse is in the display or the card does not lead to Larissa."
    ) in text


def test_of_one_that_has_missed_its_turn_nobody_reads_that_it_is_played(context, game, carrier):
    turn, _ = march_after(context, game)
    second = waiting(context, game)
    assert "It is played a few seconds after" in answer_to(context, carrier, second, f"plan: {NEVER}")[1]
    pass_turn(context, game, turn)
    work_until_idle(context, carrier, SOON)
    _, text = answer_to(context, carrier, second, "plan")
    assert "Your turn has come, and nothing of it is played" in text
    assert ("It ends with this turn" in text, "It is played" in text) == (True, False)


def test_what_stands_under_a_plan_is_never_played_now(context, game, carrier):
    """In the own turn, where it could be."""
    name = names_of(context, game)[0]
    before = acts(context, game)
    answer_to(context, carrier, name, f"plan: {NEVER}\ndraw")
    assert acts(context, game) == before


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plan", "You have no plan for your next turn."),
        ("my plan please", "You have no plan for your next turn."),
        ("What was my plan again?", "You have no plan for your next turn."),
        ("no plan", "You have no plan for your next turn."),
        ("forget my plan", "You have no plan for your next turn."),
    ],
)
def test_it_can_be_seen_and_withdrawn(context, game, carrier, text, shown):
    name = waiting(context, game)
    answer_to(context, carrier, name, f"plan: {NEVER}")
    assert len(plans(context)) == 1
    kind, said = answer_to(context, carrier, name, text)
    assert kind == "shown"
    if text in ("no plan", "forget my plan"):
        assert shown in said
        assert plans(context) == []
    else:
        assert f"“plan: {NEVER}”" in said
        assert "As the game stands now" in said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("plan: if Ben sleeps: lyre; draw", "“Ben sleeps” is no condition that a plan knows"),
        ("plan: lyre; frob", "“frob” was not understood"),
        ("plan: stay\n\nplan: stay", "Write a plan in a mail without other orders"),
        ("draw\n\nplan: stay", "Write a plan in a mail without other orders"),
        ("plan:", "the plan says no turn"),
    ],
)
def test_what_cannot_be_kept_is_told_in_a_sentence(context, game, carrier, text, why):
    kind, said = answer_to(context, carrier, waiting(context, game), text)
    assert kind == "refused"
    assert why in said
    assert plans(context) == []
    assert states(context)[-1][0] == "refused"


def test_words_for_the_others_go_with_it(context, game, carrier):
    name = waiting(context, game)
    kind, said = answer_to(context, carrier, name, f"plan: {NEVER}\nsay: take your time")
    assert kind == "answer"
    assert "take your time" in said
    assert f"“plan: {NEVER}”" in said
    other = names_of(context, game)[0]
    assert all("plan" not in body(mail) or "plan:" not in body(mail) for mail in carrier.to(other)[-1:])


def test_the_letter_after_a_turn_leads_to_the_plan(context, game, carrier):
    """And to the one that there is; the letter of the own turn does not."""
    first = names_of(context, game)[0]
    turn, _ = march_after(context, game)
    assert "/plan" not in body(last_letter(context, carrier, first))
    kind, said = answer_to(context, carrier, first, "\n".join(turn))
    assert kind == "answer"
    assert "Plan your next turn (or reply “plan: …”): http://" in said
    assert "/plan " in said
    answer_to(context, carrier, first, f"plan: {NEVER}")
    _, said = answer_to(context, carrier, first, "say: your turn")
    assert "Your plan for your next turn: http://" in said
    assert NEVER not in said


RULES = {
    "en": "Of several shortest paths the one that encloses most for you is taken.",
    "nl": "Van meerdere kortste paden wordt het pad genomen dat voor jou het meest insluit.",
}


@pytest.fixture
def small_board(monkeypatch):
    play_on_small_board(monkeypatch)


@pytest.mark.usefixtures("small_board")
@pytest.mark.parametrize("language", PLANS)
@pytest.mark.parametrize("seed", first(1, [HORSE, NO_HORSE]))
def test_the_plan_of_the_letters_is_kept_as_it_stands_there_and_played(context, carrier, seed, language):
    game = start_small_game(context, seed)
    name = names_of(context, game)[1]
    set_preferences(context, game, name, language=language)
    work_until_idle(context, carrier, NOON)
    kind, said = answer_to(context, carrier, name, PLANS[language])
    assert kind == "shown"
    assert RULES[language] in said
    assert len(plans(context)) == 1
    pass_turn(context, game, [*whole_turn(context, game), "end"])
    work_until_idle(context, carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", PLAYED[seed])
