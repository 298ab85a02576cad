"""A plan by mail: kept, shown, changed and withdrawn by an answer to whatever letter, in each language."""

import pytest

from tests.server.beginnings import begin_game
from tests.server.desk import names_of, set_preferences, work_until_idle
from tests.server.inbox.test_mail_dispatch import body, last_letter, reply, states
from tests.server.planning import NEVER, SOON, acts, march_after, pass_turn, plans


@pytest.fixture
def game(context, carrier):
    return begin_game(context, carrier, "Anna", "Ben")


def says(context, carrier, name, text):
    """The answer to a mail: its kind, and its lines joined."""
    reply(context, last_letter(context, carrier, name), text)
    letter = last_letter(context, carrier, name)
    return str(letter["X-Alexandros"]), " ".join(body(letter).split())


def waiting(context, game):
    return names_of(context, game)[1]


def test_it_is_kept_while_another_is_to_move_and_played_when_the_turn_comes(context, game, carrier):
    turn, march = march_after(context, game)
    kind, text = says(context, carrier, waiting(context, game), f"plan: {march}; draw; draw")
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
    assert says(context, carrier, second, said.format(march=march))[0] == "shown"
    assert plans(context)[0].words == f"plan: if Troy is free: {march}; draw"
    pass_turn(context, game, turn)
    work_until_idle(context, carrier, SOON)
    assert acts(context, game)[-1] == (1, "plan", f"{march}; draw")


def test_the_answer_says_when_it_is_played_and_what_would_stop_it(context, game, carrier):
    _, text = says(
        context, carrier, waiting(context, game), "plan: if Troy is free: horse; march Larissa; draw; draw"
    )
    assert (
        "It is played a few seconds after your turn has come, unless the province of Troy is not free, "
        "no horse is in the display or the card does not lead to Larissa."
    ) in text


def test_of_one_that_has_missed_its_turn_nobody_reads_that_it_is_played(context, game, carrier):
    turn, _ = march_after(context, game)
    second = waiting(context, game)
    assert "It is played a few seconds after" in says(context, carrier, second, f"plan: {NEVER}")[1]
    pass_turn(context, game, turn)
    work_until_idle(context, carrier, SOON)
    _, text = says(context, carrier, second, "plan")
    assert "Your turn has come, and nothing of it is played" in text
    assert ("It ends with this turn" in text, "It is played" in text) == (True, False)


def test_it_may_stand_in_several_lines(context, game, carrier):
    _, march = march_after(context, game)
    card, way = march.split("; ")
    text = f"plan:\nif Troy is free:\n{card}\n{way}\ndraw\notherwise: stay\n\nAnna"
    assert says(context, carrier, waiting(context, game), text)[0] == "shown"
    assert [one.words for one in plans(context)] == [
        f"plan: if Troy is free: {card}; {way}; draw. otherwise: stay"
    ]


def test_what_stands_under_a_plan_is_never_played_now(context, game, carrier):
    """In the own turn, where it could be."""
    name = names_of(context, game)[0]
    before = acts(context, game)
    says(context, carrier, name, f"plan: {NEVER}\ndraw")
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
    says(context, carrier, name, f"plan: {NEVER}")
    assert len(plans(context)) == 1
    kind, said = says(context, carrier, name, text)
    assert kind == "shown"
    if text in ("no plan", "forget my plan"):
        assert shown in said
        assert plans(context) == []
    else:
        assert f"“plan: {NEVER}”" in said
        assert "As the game stands now" in said


def test_in_dutch(context, game, carrier):
    name = waiting(context, game)
    set_preferences(context, game, name, language="nl")
    kind, said = says(context, carrier, name, "plan: als Troy vrij is: paard; trek. anders: blijf")
    assert kind == "shown"
    assert "“plan: als Troy vrij is: kies paard; trek. anders: blijf”" in said
    assert "“geen plan” trekt het in" in said
    says(context, carrier, name, "geen plan")
    assert plans(context) == []


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
    kind, said = says(context, carrier, waiting(context, game), text)
    assert kind == "refused"
    assert why in said
    assert plans(context) == []
    assert states(context)[-1][0] == "refused"


def test_words_for_the_others_go_with_it(context, game, carrier):
    name = waiting(context, game)
    kind, said = says(context, carrier, name, f"plan: {NEVER}\nsay: take your time")
    assert kind == "answer"
    assert "take your time" in said
    assert f"“plan: {NEVER}”" in said
    other = names_of(context, game)[0]
    assert all("plan" not in body(mail) or "plan:" not in body(mail) for mail in carrier.to(other)[-1:])


def test_a_condition_that_is_no_plan_is_told_how_one_is_written(context, game, carrier):
    name = names_of(context, game)[0]
    kind, said = says(context, carrier, name, "if Ben does not move I will take the horse")
    assert kind == "refused"
    assert "plan: if the display has a horse: horse; march Troy; draw" in said


def test_the_letter_after_a_turn_leads_to_the_plan(context, game, carrier):
    """And to the one that there is; the letter of the own turn does not."""
    first = names_of(context, game)[0]
    turn, _ = march_after(context, game)
    assert "/plan" not in body(last_letter(context, carrier, first))
    kind, said = says(context, carrier, first, "\n".join(turn))
    assert kind == "answer"
    assert "Plan your next turn (or reply “plan: …”): http://" in said
    assert "/plan " in said
    says(context, carrier, first, f"plan: {NEVER}")
    _, said = says(context, carrier, first, "say: your turn")
    assert "Your plan for your next turn: http://" in said
    assert NEVER not in said
