"""Plans: read and written back the same, played only where their guards hold and the rules allow."""

import pytest

from emails.languages.lexicon import lexicon_of, words_of
from engine.actions import Ambiguous, Unreadable
from engine.cards import Symbol
from engine.notation.orders import Order, Verb
from engine.notation.orders import write as write_action
from engine.plans import (
    CardOpen,
    OrderRefused,
    PlannedTurn,
    PlanReader,
    ProvinceFree,
    RejectedAlternative,
    TurnPlan,
    check_plan,
    choose_alternative,
    foresee_turn,
    next_turn_of,
    rank_marches,
    rehearse,
    settle_cards,
    write_plan,
)
from engine.position import Position, view
from engine.rules import legal
from tests.engine.build import after, alexandros, board, fence, position, spaces
from tests.engine.planners import in_turn

LAND = alexandros()
TROY = LAND.places["Troy"]
BY_ITS_NAME = "name the corner in a plan, such as C5: its number may mean another one by then"
ORDER = "a turn is one card, one march and then actions: write them in this order"
EXAMPLE = "plan: if the display has a horse: horse; march Memphis; occupy. otherwise: lyre; draw"


def read(text: str, language: str = "en", land=LAND) -> TurnPlan:
    lexicon = lexicon_of(language)
    return PlanReader(land, lexicon.plans).read(text)


def write(plan: TurnPlan, language: str = "en", land=LAND) -> str:
    return write_plan(plan, land, words_of(language).plan_words)


def begun(**other: object) -> Position:
    """A turn of seat 0 that begins, with Troy walled in."""
    facts = {"hands": ("lyre", "soldier"), "display": "horse temple", "walls": fence(LAND, [TROY])} | other
    return position(LAND, phase="card", **facts)  # type: ignore[arg-type]


def chosen(text: str, now: Position) -> PlannedTurn | tuple[RejectedAlternative, ...]:
    plan = settle_cards(read(text, land=now.table.board), view(now, now.table.seat))
    return choose_alternative(plan, view(now, now.table.seat))


def planned(text: str, now: Position) -> PlannedTurn:
    """The turn that is played of a plan, which is legal."""
    found = chosen(text, now)
    assert isinstance(found, PlannedTurn)
    return found


def played(text: str, now: Position) -> list[str]:
    return [write_action(one, now.table.board) for one in planned(text, now).actions]


# --- what is written is read ----------------------------------------------------------------------------


def test_the_plan_of_a_letter_is_read() -> None:
    plan = read(EXAMPLE)
    first, second = plan.alternatives
    assert first.conditions == (CardOpen(Symbol.HORSE),)
    assert [one.verb for one in first.orders] == [None, Verb.MARCH, Verb.OCCUPY]
    assert first.orders[2].places == first.orders[1].places == (LAND.places["Memphis"],)
    assert second.conditions == ()
    assert [one.verb for one in second.orders] == [None, Verb.DRAW]


def test_it_is_said_back_in_each_language() -> None:
    plan = read(EXAMPLE)
    assert write(plan) == (
        "if the display has a horse: horse; march Memphis; occupy Memphis. otherwise: lyre; draw"
    )
    assert write(plan, "nl") == (
        "als er een paard open ligt: paard; marcheer Memphis; bezet Memphis. anders: harp; trek"
    )


TURNS = {
    "en": "if {}: play lyre; march Troy C5; draw; draw",
    "nl": "plan: als {}: speel harp; marcheer Troy C5; trek; trek",
}


@pytest.mark.parametrize(
    ("language", "said", "conditions"),
    [
        ("en", "Troy is still free", (ProvinceFree(TROY),)),
        ("en", "there is an amphora in the display", (CardOpen(Symbol.AMPHORA),)),
        ("en", "the horse is still open", (CardOpen(Symbol.HORSE),)),
        ("en", "the display has a horse and Troy is free", (CardOpen(Symbol.HORSE), ProvinceFree(TROY))),
        ("nl", "Troy nog vrij is", (ProvinceFree(TROY),)),
        ("nl", "er een waterkruik ligt", (CardOpen(Symbol.AMPHORA),)),
        ("nl", "er een paard open ligt en Troy vrij is", (CardOpen(Symbol.HORSE), ProvinceFree(TROY))),
    ],
)
def test_conditions_are_told_in_several_ways(language: str, said: str, conditions: object) -> None:
    (one,) = read(TURNS[language].format(said), language).alternatives
    assert one.conditions == conditions


@pytest.mark.parametrize("text", ["lyre; march Troy; draw; draw", "lyre; march Troy; draw; then draw"])
def test_two_cards_are_drawn_with_or_without_then(text: str) -> None:
    (one,) = read(text).alternatives
    assert [order.verb for order in one.until_reveal] == [None, Verb.MARCH, Verb.DRAW]
    assert [order.verb for order in one.beyond] == [Verb.DRAW]


@pytest.mark.parametrize(
    ("language", "said", "meant"),
    [
        ("en", "Plan if there's a horse: horse, march memphis, occupy. otherwise lyre, draw", EXAMPLE),
        ("en", "new plan: if there is a horse, horse; march Memphis; occupy. otherwise: lyre; draw", EXAMPLE),
        ("en", "Plan for my next turn: take lyre; draw, then draw", "lyre; draw; draw"),
        ("nl", "plan: als er een paard ligt: paard; marcheer Memphis; bezet. anders: lier; trek", EXAMPLE),
        ("nl", "mijn plan: als er paard ligt dan paard; marcheer Memphis; bezet. anders lier; trek", EXAMPLE),
        ("nl", "plan voor mn beurt: als Troy vrij is: harp; trek", "if Troy is free: lyre; draw"),
    ],
)  # fmt: skip
def test_a_plan_may_be_written_as_people_write(language: str, said: str, meant: str) -> None:
    assert read(said, language) == read(meant)


KNOWN = "It knows a card in the display and a free province"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("plan:", "the plan says no turn: write it behind the colon"),
        ("if Troy is free horse; draw", "write a colon between the condition and its turn"),
        ("if Ben holds a horse: horse", f"“Ben holds a horse” is no condition that a plan knows. {KNOWN}"),
        ("if I draw a lyre: lyre", f"“I draw a lyre” is no condition that a plan knows. {KNOWN}"),
        ("lyre; march Troy 2", BY_ITS_NAME),
        ("draw; draw", ORDER),
        ("horse; lyre; draw", ORDER),
        ("march Troy; lyre; draw", ORDER),
        ("lyre; draw, then march Troy", ORDER),
        ("horse; march Troy; occupy, else draw", ORDER),
        ("if nobody is above 40: lyre", f"“nobody is above 40” is no condition that a plan knows. {KNOWN}"),
        ("lyre; occupy", "say occupy and the places of the guards"),
        ("lyre; takeover Troy from Ben", "“from” is no place, point or symbol"),
        ("lyre; frobnicate", "“frobnicate” is no action"),
        ("lyre. otherwise: " * 7 + "horse", "a plan may have 6 turns to choose from"),
        ("lyre; " * 11 + "draw", "a turn has not so many actions"),
        ("lyre; " * 200, "the plan is too long: it may have 1000 characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_by_a_sentence(text: str, why: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(text)
    assert str(refused.value) == why


def test_to_take_a_card_first_is_to_choose_it() -> None:
    assert read("take horse; march Troy; draw") == read("horse; march Troy; draw")


def test_a_place_may_be_called_by_a_word_of_plans() -> None:
    land = board("h..l...s...a..t..h", start="A7")
    called = dict(zip(land.places, "Then Else If And Plan Otherwise".split(), strict=True))
    rows = ["h..l...s...a..t..h"]
    odd = type(land).read(f'name = "Odd"\nstart = "A7"\nrows = {rows}\nplaces = [{list(called.values())}]\n')
    for name in called.values():
        text = f"lyre; march {name}; occupy {name}; draw; draw"
        plan = read(text, land=odd)
        assert read(write(plan, land=odd), land=odd) == plan


# --- what is played -------------------------------------------------------------------------------------


def test_the_first_that_fits_is_played() -> None:
    now = begun(hands=("horse", "soldier"), display="horse lyre")
    one, two = planned("lyre", now), planned("if the display has a temple: temple. otherwise: lyre", now)
    assert (one.number, two.number) == (1, 2)
    assert one.actions == two.actions


def test_none_fits_and_each_says_why() -> None:
    now = position(LAND, phase="card", hands=("", "soldier"), display="horse lyre")
    found = chosen("if the display has a temple: temple. otherwise: play soldier", now)
    assert isinstance(found, tuple)
    first, second = (one.reason for one in found)
    assert first == CardOpen(Symbol.TEMPLE)
    assert isinstance(second, OrderRefused)


def test_a_province_that_somebody_holds_is_not_free() -> None:
    found = chosen("if Troy is free: play lyre", begun(guards=("", "Troy")))
    assert isinstance(found, tuple)
    assert found[0].reason == ProvinceFree(TROY)
    assert planned("if Troy is free: play lyre", begun())


def test_it_is_played_up_to_the_first_card_drawn_and_then_beyond() -> None:
    now = begun()
    found = planned(f"play lyre; {_any_march(now, 'lyre')}; draw; draw", now)
    assert len(found.actions) == 3
    assert [one.verb for one in found.beyond] == [Verb.DRAW]


def _any_march(now: Position, card: str) -> str:
    """The first march that a card of the hand leads to, in full."""
    return write_action(next(legal(view(after(now, f"play {card}"), 0))), LAND)


def test_without_a_condition_it_is_played_wherever_it_is_legal() -> None:
    for now in (begun(), begun(guards=("", "Troy")), begun(scores=(3, 40))):
        march = _any_march(now, "lyre").split()[1]
        assert played(f"play lyre; march {march}; draw", now)[0] == "play lyre"
        assert played("horse; draw", now)[0] == "choose horse"


def test_a_card_that_is_gone_is_not_taken_from_the_hand() -> None:
    planned = settle_cards(read("horse; draw"), view(begun(hands=("horse", "soldier")), 0))
    gone = begun(hands=("horse", "soldier"), display="lyre temple")
    assert isinstance(choose_alternative(planned, view(gone, 0)), tuple)
    assert played("horse; draw", gone)[0] == "play horse"


@pytest.mark.parametrize(
    "text", ["if the display has a lyre: lyre; draw", "lyre; march Larissa; draw", EXAMPLE, "horse; draw"]
)
def test_a_march_that_is_left_open_is_no_open_question(text: str) -> None:
    now = position(LAND, phase="card", hands=("horse", "soldier"), display="horse lyre", seat=1)
    check_plan(settle_cards(read(text), view(now, 0)), view(now, 0))


def test_what_else_is_left_open_is_found_when_it_is_written() -> None:
    now = position(
        LAND, phase="card", hands=("lyre horse", ""), display="temple amphora", guards=("Troy Larissa", "")
    )
    with pytest.raises(OrderRefused) as asked:
        check_plan(read("temple; levy"), view(now, 0))
    assert isinstance(asked.value.refusal, Ambiguous)
    assert asked.value.refusal.candidates


def test_whether_a_turn_could_be_played_now_is_asked_by_itself() -> None:
    now = foresee_turn(view(begun(), 0))
    rehearse(now, read("horse; draw").alternatives[0].until_reveal)
    with pytest.raises(OrderRefused):
        rehearse(now, read("soldier; draw").alternatives[0].until_reveal)


def test_an_open_march_encloses_most_and_then_lays_the_fewest_walls() -> None:
    now = begun()
    found = planned("play lyre; draw", now)
    every = in_turn(after(now, "play lyre"), Order(Verb.MARCH))
    assert len(every) > 3
    assert found.actions[1] == every[0]


def test_of_several_shortest_paths_that_is_taken_which_keeps_the_own_province_whole() -> None:
    """Two paths lead to the corner, and one of them parts the province that the player holds."""
    marching = position(
        LAND, phase="march", chosen="horse", display="horse lyre", alexander="H6", walls="H6-H8-I9 J6-J8"
    )
    assert len(every := in_turn(marching, Order(Verb.MARCH))) > 1
    far = position(LAND, phase="march", chosen="lyre", alexander="I5", walls="I5-J6-J8 J10-J12 I7-I9")
    assert rank_marches(marching.table, Order(Verb.MARCH)) == every
    assert rank_marches(far.table, Order(Verb.MARCH)) == in_turn(far, Order(Verb.MARCH))


def test_it_is_the_first_after_which_the_rest_can_be_done() -> None:
    now = position(LAND, phase="card", hands=("temple amphora", "soldier"), display="horse lyre")
    assert played("play temple; draw", now)[1] == "march Sestos A3-B4-B6-B8"
    assert played("play temple; occupy Perinthus", now)[1] == "march Sestos A3-A5-B6-B8"
    never = chosen("play temple; occupy Memphis", now)
    assert isinstance(never, tuple)
    assert isinstance(never[0].reason, OrderRefused)
    assert never[0].reason.order == Order(Verb.OCCUPY, places=(LAND.places["Memphis"],))


@pytest.mark.parametrize(
    ("display", "done"),
    [
        ("horse temple", ["choose horse", "march Memphis H8-I9-J8", "occupy Memphis"]),
        ("lyre temple", ["choose lyre", "march Philae H8-I9-J10-J12-K13", "draw"]),
        ("temple soldier", ["play lyre", "march Philae H8-I9-J10-J12-K13", "draw"]),
    ],
)
def test_the_plan_of_a_letter_is_played_as_it_stands_there(display: str, done: list[str]) -> None:
    strips = ("HI8", "HI10", "IJ6", "IJ7", "IJ8", "IJ9", "IJ10", "IJ11")
    walls = fence(LAND, spaces(LAND, " ".join(strips)))
    now = position(LAND, phase="card", hands=("lyre", ""), display=display, alexander="H8", walls=walls)
    assert played(EXAMPLE, now) == done


def test_it_marches_as_far_as_it_is_said() -> None:
    now = begun()
    marching = after(now, "play lyre")
    last = in_turn(marching, Order(Verb.MARCH))[-1]
    place, corner = LAND.names[last.target], last.path[-1]
    said = Order(Verb.MARCH, (), (last.target,), (corner,))
    found = planned(f"play lyre; march {place} {corner}; draw", now)
    assert found.actions[1] == in_turn(marching, said)[0]


def test_a_card_says_where_it_comes_from() -> None:
    now = begun()
    plan = settle_cards(read("lyre. otherwise: horse. otherwise: soldier; march Troy C5"), view(now, 0))
    assert [one.orders[0].verb for one in plan.alternatives] == [Verb.PLAY, Verb.CHOOSE, Verb.CHOOSE]


def test_a_card_that_lies_open_and_in_the_hand_is_chosen() -> None:
    both = begun(hands=("horse", "soldier"))
    gone = begun(hands=("horse", "soldier"), display="lyre temple")
    for now, text in ((both, "horse; draw"), (gone, "if the display has a horse: horse; draw")):
        [one] = settle_cards(read(text), view(now, 0)).alternatives
        assert one.orders[0].verb == Verb.CHOOSE


def test_a_seat_plans_its_next_turn() -> None:
    now = position(LAND, phase="card", hands=("", "", ""), display="horse temple", seat=1, turn=5)
    assert [next_turn_of(now.table, seat) for seat in range(3)] == [7, 5, 6]
    acting = position(LAND, phase="actions", hands=("", "", ""), display="horse temple", seat=1, turn=5)
    assert next_turn_of(acting.table, 1) == 8


def test_no_condition_can_ask_for_a_hidden_card() -> None:
    for said in ("my hand has a lyre", "Ben has a lyre", "the supply has a lyre", "a lyre is drawn"):
        with pytest.raises(Unreadable):
            read(f"if {said}: lyre")
