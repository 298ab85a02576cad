"""Plans: read and written back the same, played only where their guards hold and the rules allow."""

import pytest

from emails.languages.lexicon import lexicon_of, plan_words
from engine.actions import Ambiguous, Unreadable
from engine.cards import Symbol
from engine.notation.canonical_text import Verb
from engine.notation.grammar import write as write_action
from engine.notation.orders import Order
from engine.plans.guard_failures import AlexanderElsewhere, CardNotOpen
from engine.plans.open_marches import rank_marches
from engine.plans.plan_choice import (
    PlannedTurn,
    RejectedAlternative,
    choose_alternative,
    find_open_question,
)
from engine.plans.plan_reader import PlanReader
from engine.plans.plan_writer import write_plan
from engine.plans.rehearsal import OrderRefused, foresee_turn, next_turn_of, rehearse, settle_cards
from engine.plans.turn_plans import (
    UNCHANGED,
    AlexanderAt,
    CardMissing,
    CardOpen,
    NobodyAbove,
    PlayerNotAbove,
    ProvinceFree,
    TurnPlan,
)
from engine.plans.turn_steps import check_steps, put_in_order
from engine.position import Position
from engine.rules import legal
from engine.views import view
from tests.engine.build import after, alexandros, board, fence, position, spaces
from tests.engine.planners import in_turn

LAND = alexandros()
TROY, C5 = LAND.places["Troy"], LAND.point_names["C5"]
BY_ITS_NAME = "name the corner in a plan, such as C5: its number may mean another one by then"
AFTER_A_CARD = "what follows a card that is drawn is done only where you say so"
EXAMPLE = "plan: if the display has a horse: horse; march Memphis; occupy. otherwise: lyre; draw"


def read(text: str, language: str = "en", land=LAND) -> TurnPlan:
    lexicon = lexicon_of(language)
    return PlanReader(land, lexicon.orders, lexicon.plans).read(text)


def write(plan: TurnPlan, language: str = "en", land=LAND) -> str:
    return write_plan(plan, land, plan_words(language))


def begun(**other: object) -> Position:
    """A turn of seat 0 that begins, with Troy walled in."""
    facts = {"hands": ("lyre", "soldier"), "display": "horse temple", "walls": fence(LAND, [TROY])} | other
    return position(LAND, phase="card", **facts)  # type: ignore[arg-type]


def chosen(
    text: str, now: Position, before: Position | None = None
) -> PlannedTurn | tuple[RejectedAlternative, ...]:
    plan = read(text, land=now.table.board)
    return choose_alternative(plan, view(now, now.table.seat), (before or now).table)


# --- what is written is read ----------------------------------------------------------------------------


def test_the_plan_of_a_letter_is_read() -> None:
    plan = read(EXAMPLE)
    first, second = plan.alternatives
    assert first.guards == (CardOpen(Symbol.HORSE),)
    assert [one.verb for one in first.orders] == [None, Verb.MARCH, Verb.OCCUPY]
    assert first.orders[2].places == first.orders[1].places == (LAND.places["Memphis"],)
    assert second.guards == (UNCHANGED,)
    assert [one.verb for one in second.orders] == [None, Verb.DRAW]


def test_it_is_said_back_in_each_language() -> None:
    plan = read(EXAMPLE)
    assert write(plan) == (
        "if the display has a horse: horse; march Memphis; occupy Memphis. otherwise: lyre; draw"
    )
    assert write(plan, "nl") == (
        "als er een paard open ligt: paard; marcheer Memphis; bezet Memphis. anders: harp; trek"
    )


@pytest.mark.parametrize(
    ("said", "guards"),
    [
        ("Troy is still free", (ProvinceFree(TROY),)),
        ("Alexander is at C5 and nobody has more than 40 points", (AlexanderAt(C5), NobodyAbove(40))),
        ("there is an amphora in the display, nothing changed", (CardOpen(Symbol.AMPHORA), UNCHANGED)),
        ("nobody is above 99", (NobodyAbove(99),)),
        ("nobody above 40 points", (NobodyAbove(40),)),
        ("no one above 40", (NobodyAbove(40),)),
        ("the horse is still open", (CardOpen(Symbol.HORSE),)),
        ("the display has no horse and Troy is free", (CardMissing(Symbol.HORSE), ProvinceFree(TROY))),
        ("there's no lyre left", (CardMissing(Symbol.LYRE),)),
        ("ben has less than 80 points", (PlayerNotAbove("ben", 79),)),
        ("Anna is not above 60", (PlayerNotAbove("anna", 60),)),
        ("Jean-Luc de Vries has at most 9 points", (PlayerNotAbove("jean luc de vries", 9),)),
    ],
)  # fmt: skip
def test_guards_are_told_in_several_ways(said: str, guards: object) -> None:
    (one,) = read(f"if {said}: play lyre; march Troy C5; draw; then draw").alternatives
    assert one.guards == guards


@pytest.mark.parametrize(
    ("said", "guards"),
    [
        ("Troy nog vrij is", (ProvinceFree(TROY),)),
        ("Alexander op C5 staat en niemand meer dan 40 punten heeft", (AlexanderAt(C5), NobodyAbove(40))),
        ("er een waterkruik ligt", (CardOpen(Symbol.AMPHORA),)),
        ("er niets veranderd is", (UNCHANGED,)),
        ("er geen paard open ligt", (CardMissing(Symbol.HORSE),)),
        ("Cleo minder dan 80 punten heeft", (PlayerNotAbove("cleo", 79),)),
        ("Anna niet boven de 60 punten is", (PlayerNotAbove("anna", 60),)),
        ("Ben hoogstens 12 punten heeft en Troy vrij is", (PlayerNotAbove("ben", 12), ProvinceFree(TROY))),
    ],
)  # fmt: skip
def test_and_in_dutch(said: str, guards: object) -> None:
    (one,) = read(f"plan: als {said}: speel harp; marcheer Troy C5; trek; dan trek", "nl").alternatives
    assert one.guards == guards


def test_what_is_done_in_any_case_has_no_guard() -> None:
    first, second = read("if Troy is free: lyre C5. else in any case: horse; march A3").alternatives
    assert first.guards
    assert second.guards == ()
    assert read(write(TurnPlan((first, second)))) == TurnPlan((first, second))


@pytest.mark.parametrize(
    ("language", "said", "meant"),
    [
        ("en", "Plan if there's a horse: horse, march memphis, occupy. otherwise lyre, draw", EXAMPLE),
        ("en", "new plan: if there is a horse, horse; march Memphis; occupy. otherwise: lyre; draw", EXAMPLE),
        ("en", "Plan for my next turn, as long as nothing changes round there: lyre; draw", "lyre; draw"),
        ("nl", "plan: als er een paard ligt: paard; naar Memphis; bezetten. anders: lier; trekken", EXAMPLE),
        ("nl", "mijn plan: als er een paard ligt dan paard; naar Memphis; bezet. anders lier; trek", EXAMPLE),
        ("nl", "plan voor mn beurt: als niemand boven de 9 is: trek", "if nobody is above 9: draw"),
        ("nl", "plan: als niemand boven de 9 punten: trek", "if nobody is above 9: draw"),
    ],
)  # fmt: skip
def test_a_plan_may_be_written_as_people_write(language: str, said: str, meant: str) -> None:
    assert read(said, language) == read(meant)


KNOWN = (
    "It knows a card in the display, a free province, the corner on which Alexander stands, the points of "
    "players, and that nothing has changed"
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("plan:", "the plan says no turn: write it behind the colon"),
        ("if Troy is free horse; draw", "write a colon between the condition and its turn"),
        ("if Ben holds a horse: horse", f"“Ben holds a horse” is no condition that a plan knows. {KNOWN}"),
        ("if I draw a lyre: lyre", f"“I draw a lyre” is no condition that a plan knows. {KNOWN}"),
        ("lyre; march Troy 2", BY_ITS_NAME),
        ("lyre; draw; draw", f"{AFTER_A_CARD}: write “then” before “draw”"),
        ("lyre; occupy", "say occupy and the places of the guards"),
        ("lyre; takeover Troy from Ben", "leave out in a plan from whom you take over"),
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


@pytest.mark.parametrize("text", ["march Troy; lyre; draw", "lyre; draw, then march Troy"])
def test_a_turn_in_another_order_is_no_plan_and_may_be_put_right(text: str) -> None:
    said = read(text)
    with pytest.raises(Unreadable):
        check_steps(said)
    check_steps(put_in_order(said))


def test_to_take_a_card_before_the_march_is_to_choose_it() -> None:
    assert put_in_order(read("take horse; march Troy; draw")) == read("horse; march Troy; draw")


def test_each_turn_of_a_plan_is_a_whole_one() -> None:
    check_steps(read("horse; march Troy; draw. otherwise: stay"))
    with pytest.raises(Unreadable):
        check_steps(read("horse; march Troy; occupy, else draw"))


def test_a_turn_with_two_cards_is_none_in_any_order() -> None:
    with pytest.raises(Unreadable):
        put_in_order(read("horse; lyre; draw"))


def test_a_place_may_be_called_by_a_word_of_plans() -> None:
    land = board("h..l...s...a..t..h", start="A7")
    called = dict(zip(land.places, "Then Else If And Plan Otherwise".split(), strict=True))
    rows = ["h..l...s...a..t..h"]
    odd = type(land).read(f'name = "Odd"\nstart = "A7"\nrows = {rows}\nplaces = [{list(called.values())}]\n')
    for name in called.values():
        text = f"lyre; march {name}; occupy {name}; draw; then draw"
        plan = read(text, land=odd)
        assert read(write(plan, land=odd), land=odd) == plan


# --- what is played -------------------------------------------------------------------------------------


def test_the_first_that_fits_is_played() -> None:
    now = begun(hands=("horse", "soldier"), display="horse lyre")
    one, two = chosen("lyre", now), chosen("if the display has a temple: temple. otherwise: lyre", now)
    assert isinstance(one, PlannedTurn)
    assert isinstance(two, PlannedTurn)
    assert (one.number, two.number) == (1, 2)
    assert one.actions == two.actions


def test_none_fits_and_each_says_why() -> None:
    now = position(LAND, phase="card", hands=("", "soldier"), display="horse lyre")
    found = chosen("if the display has a temple: temple. otherwise: play soldier", now)
    assert isinstance(found, tuple)
    guarded, illegal = found
    assert guarded.failures == (CardNotOpen(Symbol.TEMPLE, was_open=False),)
    assert illegal.refusal is not None


def test_it_is_played_up_to_the_first_card_drawn_and_beyond_where_it_says_so() -> None:
    now = begun()
    march = _any_march(now, "lyre")
    plain, beyond = (
        chosen(f"play lyre; {march}; draw", now),
        chosen(f"play lyre; {march}; draw; then draw", now),
    )
    assert isinstance(plain, PlannedTurn)
    assert isinstance(beyond, PlannedTurn)
    assert plain.actions == beyond.actions
    assert len(plain.actions) == 3
    assert plain.beyond == ()
    assert [one.verb for one in beyond.beyond] == [Verb.DRAW]


def _any_march(now: Position, card: str) -> str:
    """The first march that a card of the hand leads to, in full."""
    marching = after(now, f"play {card}")
    return write_action(next(legal(view(marching, 0))), LAND)


def test_by_itself_a_turn_asks_that_nothing_has_changed_in_what_it_touches() -> None:
    before = begun()
    march = _any_march(before, "lyre")
    for changed in (begun(guards=("", "Troy")), begun(alexander="C5")):
        found = chosen(f"play lyre; {march}; occupy Troy", changed, before)
        assert isinstance(found, tuple)
        assert found[0].failures
    elsewhere = begun(display="soldier temple", scores=(3, 40))
    assert isinstance(chosen(f"play lyre; {march}; draw", elsewhere, before), PlannedTurn)


def test_a_march_that_is_left_out_is_left_to_the_moment_and_one_that_is_named_asks_for_alexander() -> None:
    before, moved = begun(), begun(alexander="C5")
    assert isinstance(chosen("play lyre; draw", moved, before), PlannedTurn)
    found = chosen("play lyre; march Larissa; draw", moved, before)
    assert isinstance(found, tuple)
    assert [type(one) for one in found[0].failures] == [AlexanderElsewhere]


@pytest.mark.parametrize(
    "text", ["if the display has a lyre: lyre; draw", "lyre; march Larissa; draw", EXAMPLE, "horse; draw"]
)
def test_a_march_that_is_left_open_is_no_open_question(text: str) -> None:
    now = position(LAND, phase="card", hands=("horse", "soldier"), display="horse lyre", seat=1)
    assert find_open_question(settle_cards(read(text), view(now, 0)), view(now, 0)) is None


def test_what_else_is_left_open_is_found_when_it_is_written() -> None:
    now = position(
        LAND, phase="card", hands=("lyre horse", ""), display="temple amphora", guards=("Troy Larissa", "")
    )
    asked = find_open_question(read("temple; recall"), view(now, 0))
    assert asked is not None
    assert isinstance(asked.refusal, Ambiguous)
    assert asked.refusal.candidates


def test_whether_a_turn_could_be_played_now_is_asked_by_itself() -> None:
    now = foresee_turn(view(begun(), 0))
    rehearse(now, read("horse; draw").alternatives[0].until_reveal)
    with pytest.raises(OrderRefused):
        rehearse(now, read("soldier; draw").alternatives[0].until_reveal)


def test_an_open_march_lays_the_fewest_walls_and_is_the_first_of_equal_ones_in_reading_order() -> None:
    now = begun()
    found = chosen("play lyre; draw", now)
    assert isinstance(found, PlannedTurn)
    every = in_turn(after(now, "play lyre"), Order(Verb.MARCH))
    assert len(every) > 3
    assert found.actions[1] == every[0]


def test_all_marches_come_in_that_order_where_walls_make_some_paths_cheaper() -> None:
    marching = position(
        LAND, phase="march", chosen="horse", display="horse lyre", alexander="H6", walls="H6-H8-I9 J6-J8"
    )
    assert len(every := in_turn(marching, Order(Verb.MARCH))) > 1
    far = position(LAND, phase="march", chosen="lyre", alexander="I5", walls="I5-J6-J8 J10-J12 I7-I9")
    assert [*rank_marches(marching.table, Order(Verb.MARCH))] == every
    assert [*rank_marches(far.table, Order(Verb.MARCH))] == in_turn(far, Order(Verb.MARCH))


def test_it_is_the_first_after_which_the_rest_can_be_done() -> None:
    now = position(LAND, phase="card", hands=("temple amphora", "soldier"), display="horse lyre")
    plain, occupying = (chosen(f"play temple; {rest}", now) for rest in ("draw", "occupy Perinthus"))
    assert isinstance(plain, PlannedTurn)
    assert isinstance(occupying, PlannedTurn)
    assert write_action(plain.actions[1], LAND) == "march Sestos A3-A5-B6"
    assert write_action(occupying.actions[1], LAND) == "march Sestos A3-A5-B6-B8"
    never = chosen("play temple; occupy Memphis", now)
    assert isinstance(never, tuple)
    assert never[0].order == Order(Verb.OCCUPY, places=(LAND.places["Memphis"],))


@pytest.mark.parametrize(
    ("display", "played"),
    [
        ("horse temple", ["choose horse", "march Memphis H8-I7", "occupy Memphis"]),
        ("lyre temple", ["choose lyre", "march Philae H8-H10-I11-J12", "draw"]),
        ("temple soldier", ["play lyre", "march Philae H8-H10-I11-J12", "draw"]),
    ],
)
def test_the_plan_of_a_letter_is_played_as_it_stands_there(display: str, played: list[str]) -> None:
    strips = ("HI8", "HI10", "IJ6", "IJ7", "IJ8", "IJ9", "IJ10", "IJ11")
    walls = fence(LAND, spaces(LAND, " ".join(strips)))
    now = position(LAND, phase="card", hands=("lyre", ""), display=display, alexander="H8", walls=walls)
    plan = settle_cards(read(EXAMPLE), view(now, 0))
    assert find_open_question(plan, view(now, 0)) is None
    found = choose_alternative(plan, view(now, 0), now.table)
    assert isinstance(found, PlannedTurn)
    assert [write_action(one, LAND) for one in found.actions] == played


def test_it_marches_as_far_as_it_is_said() -> None:
    now = begun()
    marching = after(now, "play lyre")
    last = in_turn(marching, Order(Verb.MARCH))[-1]
    place, corner = LAND.names[last.target], last.path[-1]
    said = Order(Verb.MARCH, (), (last.target,), (corner,))
    found = chosen(f"play lyre; march {place} {corner}; draw", now)
    assert isinstance(found, PlannedTurn)
    assert found.actions[1] == in_turn(marching, said)[0]


def test_a_card_says_where_it_comes_from() -> None:
    now = begun()
    plan = read("lyre. otherwise: horse. otherwise: soldier; march Troy C5; temple")
    first, second, third = settle_cards(plan, view(now, 0)).alternatives
    assert [one.orders[0].verb for one in (first, second, third)] == [Verb.PLAY, Verb.CHOOSE, Verb.CHOOSE]
    assert third.orders[2].verb == Verb.TAKE


def test_a_card_that_lies_open_and_in_the_hand_is_chosen_unless_the_plan_says_that_none_lies_open() -> None:
    both = position(LAND, phase="card", hands=("horse", "soldier"), display="horse temple")
    plan = settle_cards(
        read("horse; draw. otherwise if the display has no horse: horse; draw"), view(both, 0)
    )
    assert [one.orders[0].verb for one in plan.alternatives] == [Verb.CHOOSE, Verb.PLAY]


def test_a_seat_plans_its_next_turn() -> None:
    now = position(LAND, phase="card", hands=("", "", ""), display="horse temple", seat=1, turn=5)
    assert [next_turn_of(now.table, seat) for seat in range(3)] == [7, 5, 6]
    acting = position(LAND, phase="actions", hands=("", "", ""), display="horse temple", seat=1, turn=5)
    assert next_turn_of(acting.table, 1) == 8


def test_no_guard_can_ask_for_a_hidden_card() -> None:
    for said in ("my hand has a lyre", "Ben has a lyre", "the supply has a lyre", "a lyre is drawn"):
        with pytest.raises(Unreadable):
            read(f"if {said}: lyre")
