"""What people write and what it means: the exact spelling, the liberal reading, and the three refusals."""

import pytest

from engine.actions import (
    Action,
    ActionRefused,
    Ambiguous,
    Choose,
    Draw,
    End,
    Illegal,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
    Unreadable,
)
from engine.board import Board, corners
from engine.cards import EMPTY, Symbol
from engine.evolve import evolve
from engine.march_rules import ShortestPaths
from engine.notation.grammar import read_canonical, resolve
from engine.notation.orders import write
from engine.position import Position, view
from engine.rules import decide
from tests.engine.build import after, alexandros, bag, board, fence, places, position, spelled
from tests.engine.players import BOARDS, game
from tests.spoken import parse, read

LAND = alexandros()


def meant(now: Position, line: str) -> Action:
    return read(line, view(now, now.table.seat))


def marching(**more: object) -> Position:
    """The lyre was chosen on the first turn: Larissa it is."""
    return position(LAND, phase="march", chosen="lyre", **more)


def acting() -> Position:
    return position(LAND, hands=("horse lyre", ""), guards=("Troy",))


def question(now: Position, line: str) -> Ambiguous:
    with pytest.raises(Ambiguous) as caught:
        meant(now, line)
    return caught.value


def choices(asked: Ambiguous, land: Board = LAND) -> list[str]:
    return [write(action, land) for action in asked.candidates]


# --- writing --------------------------------------------------------------------------------------------


def test_the_exact_spelling() -> None:
    larissa = LAND.places["Larissa"]
    path = tuple(LAND.point_names[name] for name in ("A3", "B2", "C3"))
    spellings: dict[str, Action] = {
        "choose lyre": Choose(Symbol.LYRE),
        "play horse": Play(Symbol.HORSE),
        "march Larissa A3-B2-C3": March(larissa, path),
        "stay soldier": Stay(Symbol.SOLDIER),
        "stay": Stay(None),
        "draw": Draw(),
        "take amphora": Take(Symbol.AMPHORA),
        "occupy Aegae+Larissa": Occupy(places(LAND, "Larissa Aegae")),
        "takeover Aegae+Larissa give temple+horse+horse": TakeOver(
            places(LAND, "Larissa Aegae"), bag("horse temple horse")
        ),
        "takeover Aegae": TakeOver(places(LAND, "Aegae"), EMPTY),
        "levy temple": Levy(Symbol.TEMPLE),
        "recall Larissa": Recall(larissa),
        "end": End(),
    }
    for text, action in spellings.items():
        assert write(action, LAND) == text
        assert spelled(text, LAND) == action


# --- reading --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("draw", "draw"),
        ("Draw a card.", "draw"),
        ("  DRAW  ", "draw"),
        ("take the horse", "take horse"),
        ("take: horse", None),
        ("take horses", "take horse"),
        ("levy taxes with the horse", "levy horse"),
        ("tax horse", "levy horse"),
        ("take back Troy", "recall Troy"),
        ("take back the guard on troy", "recall Troy"),
        ("occupy larissa, AEGAE & Athens", "occupy Aegae+Larissa+Athens"),
        ("Occupy Larissa and Aegae", "occupy Aegae+Larissa"),
        ("take over Aegae, give: horse", None),
        ("take over Aegae", "takeover Aegae"),
        ("end", "end"),
        ("end turn", "end"),
        ("end the turn.", "end"),
        ("pass", "end"),
        ("done", "end"),
        ("trek", "draw"),
        ("Trek een kaart.", "draw"),
        ("neem het paard", "take horse"),
        ("Pak de waterkruik", "take amphora"),
        ("haal het stadhuis", "take temple"),
        ("neem paarden", "take horse"),
        ("neem lyre", "take lyre"),
        ("take harp", "take lyre"),
        ("hef belasting met het paard", "levy horse"),
        ("hef met een harp", "levy lyre"),
        ("hef paard", "levy horse"),
        ("terug Troy", "recall Troy"),
        ("haal terug Troy", "recall Troy"),
        ("neem terug: Troy", None),
        ("bezet larissa, AEGAE & Athens", "occupy Aegae+Larissa+Athens"),
        ("verover Aegae", "takeover Aegae"),
        ("neem over Aegae", "takeover Aegae"),
        ("klaar", "end"),
        ("stop", "end"),
        ("pas", "end"),
        ("end my turn", "end"),
    ],
)
def test_case_commas_synonyms_and_small_words_in_two_languages(line: str, text: str | None) -> None:
    if text is None:
        with pytest.raises(Unreadable):
            meant(acting(), line)
    else:
        assert meant(acting(), line) == spelled(text, LAND)


def test_take_means_choose_where_a_card_is_to_be_chosen() -> None:
    now = position(LAND, phase="card")
    assert meant(now, "take lyre") == Choose(Symbol.LYRE)
    assert meant(now, "discard lyre") == Play(Symbol.LYRE)


def test_a_levy_that_can_mean_only_one_thing() -> None:
    assert meant(acting(), "levy taxes") == Levy(Symbol.HORSE)
    two = position(LAND, hands=("horse lyre", ""), guards=("Troy Larissa",))
    assert question(two, "levy")
    with pytest.raises(Illegal, match=r"5\.11"):
        meant(position(LAND), "levy")


@pytest.mark.parametrize(
    "line",
    [
        "march Larissa A3-B4-C5",
        "march Larissa C5",
        "march to larissa, corner C5",
        "march C5",
        "go to C5",
        "move Alexander to point C5",
        "march larissa a3 b4 c5",
        "march Larissa B4-C5",
        "march A3-B4-C5",
        "march Larissa A3 C5",
        "march Larissa A3>B4>C5",
        "march Larissa A3 > B4 > C5",
    ],
)
def test_a_path_that_is_left_out_where_there_is_one(line: str) -> None:
    assert meant(marching(), line) == spelled("march Larissa A3-B4-C5", LAND)


def test_a_march_that_is_not_said_enough_is_ambiguous() -> None:
    asked = question(marching(), "march Larissa D4")
    texts = choices(asked)
    assert texts == [f"march Larissa {path}" for path in ("A3-B2-C3-D4", "A3-B4-C3-D4", "A3-B4-C5-D4")]
    assert all(text in str(asked) for text in texts)
    assert not asked.more
    assert meant(marching(), "march B2 D4") == spelled("march Larissa A3-B2-C3-D4", LAND)


def test_the_last_point_is_the_corner() -> None:
    assert meant(marching(), "march B4 C5 to D4") == spelled("march Larissa A3-B4-C5-D4", LAND)
    with pytest.raises(Illegal, match=r"4\.5"):
        meant(marching(), "march Larissa D4 C5")


def test_of_many_marches_some_to_each_corner_are_named_those_with_few_walls_first() -> None:
    now = position(LAND, phase="march", chosen="lyre", walls="A3-B4-C5")
    asked = question(now, "march Larissa")
    paths = ("A3-B4-C5", "A3-B4-C3", "A3-B4-C5-D4", "A3-B2-C3", "A3-B4-C3-D4", "A3-B2-C3-D4")
    assert choices(asked) == [f"march Larissa {path}" for path in paths]
    assert not asked.more
    asked = question(position(LAND, phase="march", chosen="soldier", alexander="F14"), "march Melitene")
    assert len(asked.candidates) == 6
    assert asked.more


def test_a_point_on_the_way_finds_the_path_among_very_many() -> None:
    plain = board(*("." * 40 for _ in range(19)), "." * 39 + "h", start="A1")
    now = position(plain, phase="march", chosen="horse")
    (target,) = plain.names
    ways = ShortestPaths(now.table, max(corners(target)))
    assert ways.count() > 30_000_000
    path = [now.table.alexander]
    while path[-1] != ways.corner:
        path.append(max(ways.next_points(path[-1])))
    *between, last = path[1:]
    line = f"march Ha {'-'.join(map(str, between))} to {last}"
    assert meant(now, line) == March(target, tuple(path))


def test_a_corner_of_two_targets_is_ambiguous_until_one_is_named() -> None:
    shared = board(".h.h.", " ...", start="C3")
    now = position(shared, phase="march", chosen="horse")
    assert {text.split()[1] for text in choices(question(now, "march B4"), shared)} == {"Ha", "Hb"}
    assert meant(now, "march Hb B4") == spelled("march Hb C3-B4", shared)


def test_gifts_are_filled_in_where_there_is_one_choice() -> None:
    strip = board("h...h...l.", start="A1")
    walls = fence(strip, list(strip.symbols)[:8])
    one = position(strip, hands=("horse horse horse", "", ""), guards=("", "Ha"), walls=walls)
    assert meant(one, "takeover Ha+Hb") == spelled("takeover Ha+Hb give horse", strip)
    several = position(strip, hands=("horse horse lyre", "", ""), guards=("", "Ha"))
    asked = choices(question(several, "take over Ha and Hb"), strip)
    assert {text.split(" give ")[1] for text in asked} == {"horse+horse", "horse+lyre"}
    line = "Take over Hb, Ha; give lyre and horse".replace(";", "")
    assert meant(several, line) == spelled("takeover Ha+Hb give horse+lyre", strip)


def test_gifts_are_asked_for_only_where_the_rest_can_be_paid() -> None:
    strip = board("h...h...l.", start="A1")
    now = position(strip, hands=("horse", "", ""), guards=("", "Ha"))
    with pytest.raises(Illegal, match=r"lacks horse\+lyre"):
        meant(now, "takeover Ha+Hb")
    free = position(strip, hands=("horse lyre", "", ""))
    assert meant(free, "takeover Ha+Hb") == TakeOver(places(strip, "Ha Hb"), EMPTY)


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "similar"),
    [
        ("chose lyre", "choose"),
        ("ocupy Larissa", "occupy"),
        ("mrach Larissa C5", "march"),
        ("march Larisa C5", "Larissa"),
        ("occupy Atens", "Athens"),
        ("take hrose", "horse"),
        ("take solder", "soldier"),
        ("kis harp", "kies"),
        ("treken", "trek"),
        ("bezeten Troy", "bezet"),
        ("marcheeren naar Troy", "marcheer"),
        ("neem pard", "paard"),
        ("neem sodaat", "soldaat"),
        ("neem waterkuik", "waterkruik"),
        ("bezet Larisa", "Larissa"),
    ],
)
def test_did_you_mean(line: str, similar: str) -> None:
    with pytest.raises(Unreadable) as caught:
        meant(acting(), line)
    assert similar in caught.value.did_you_mean


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "...",
        "Larissa, Troy",
        "- draw",
        "> draw",
        "hello Anna",
        "march",
        "march lyre",
        "march Larissa Aegae C5",
        "choose",
        "choose lyre horse",
        "choose Larissa",
        "choose C5",
        "draw horse",
        "draw draw",
        "take",
        "end Larissa",
        "occupy",
        "occupy horse",
        "occupy Aegae Larissa Troy Sparta Corinth",
        "levy horse lyre",
        "recall Troy Larissa",
        "march Larissa Z99",
        "march Larissa A3-B4-C5 don't",
        "draw ✓",
        "draw\x00",
        "1. draw",
        "draw 2",
        "\uff44\uff52\uff41\uff57",
        "dra" + "w" * 1000,
        "march Larissa " + "A3-" * 2000,
    ],
)
def test_what_is_no_action(line: str) -> None:
    with pytest.raises(Unreadable) as caught:
        meant(acting(), line)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("line", ["march Larissa", "march C5", "march Larissa C5"])
def test_what_cannot_be_filled_in_is_illegal(line: str) -> None:
    with pytest.raises(Illegal) as caught:
        meant(acting(), line)
    assert caught.value.rule == "3.1"


def test_a_path_that_does_not_exist_is_illegal() -> None:
    for line in ("march Larissa A5", "march D6", "march Larissa B6-C5", "march Larissa A3-D4-C5"):
        with pytest.raises(Illegal) as caught:
            meant(marching(), line)
        assert caught.value.rule == "4.5"


def test_a_fully_spelled_action_is_left_to_the_judge() -> None:
    assert meant(marching(), "march Troy A3-B4-C5") == spelled("march Troy A3-B4-C5", LAND)
    assert meant(acting(), "choose temple") == Choose(Symbol.TEMPLE)
    assert meant(acting(), "stay") == Stay(None)


# --- what is left out -----------------------------------------------------------------------------------


def stepped(now: Position, line: str) -> list[str]:
    """The actions of a line, each done before the next is read, in canonical text."""
    done = []
    waiting = list(parse(line, LAND))
    while waiting:
        said, *waiting = waiting
        action, more = resolve(said, view(now, now.table.seat))
        waiting = [*more, *waiting]
        done.append(write(action, LAND))
        for event in decide(now, now.table.seat, action, lambda cards: cards.kinds()[0]):
            now = evolve(now, event)
    return done


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("lyre", ["choose lyre"]),
        ("harp", ["choose lyre"]),
        ("soldier", ["play soldier"]),
        ("lyre C5", ["choose lyre", "march Larissa A3-B4-C5"]),
        ("lyre, Larissa C5", ["choose lyre", "march Larissa A3-B4-C5"]),
        ("march Larissa C5", ["choose lyre", "march Larissa A3-B4-C5"]),
        ("ga naar Larissa C5 en trek", ["choose lyre", "march Larissa A3-B4-C5", "draw"]),
        ("lyre, march C5, take horse, draw", ["choose lyre", "march Larissa A3-B4-C5", "take horse", "draw"]),
        ("horse and march to Troy via B4 then recall", None),
    ],
)
def test_what_can_be_one_thing_only_may_be_left_out(line: str, done: list[str] | None) -> None:
    now = position(LAND, phase="card", hands=("soldier", ""), display="horse lyre")
    if done is None:
        with pytest.raises(ActionRefused):
            stepped(now, line)
    else:
        assert stepped(now, line) == done


def test_a_card_on_display_and_in_the_hand_is_asked_for() -> None:
    now = position(LAND, phase="card", hands=("lyre", ""), display="horse lyre")
    for line in ("lyre", "march Larissa", "march C5"):
        with pytest.raises(Ambiguous) as caught:
            stepped(now, line)
        assert caught.value.candidates == (Choose(Symbol.LYRE), Play(Symbol.LYRE)), line
    assert stepped(now, "play lyre and march C5") == ["play lyre", "march Larissa A3-B4-C5"]


def test_a_card_that_is_not_there_is_named_by_the_judge() -> None:
    now = position(LAND, phase="card", hands=("temple", ""), display="horse lyre")
    for line, rule in (("soldier", "4.1"), ("march Sangala", "4.3"), ("march J4", "4.3"), ("lyre D6", "4.5")):
        with pytest.raises(Illegal) as caught:
            stepped(now, line)
        assert caught.value.rule == rule, line


def test_a_symbol_alone_takes_a_card_and_never_levies_taxes() -> None:
    now = position(LAND, hands=("horse lyre", ""), guards=("Troy",), display="temple lyre")
    assert stepped(now, "temple") == ["take temple"]
    assert stepped(now, "lyre") == ["take lyre"]
    two = position(LAND, hands=("horse lyre", ""), guards=("Troy",), display="temple horse")
    for then in (now, after(two, "take horse")):
        with pytest.raises(Ambiguous, match="it could mean levy horse") as caught:
            stepped(then, "paard")
        assert caught.value.candidates == (Levy(Symbol.HORSE),)
    both = position(LAND, hands=("horse lyre", ""), guards=("Troy",), display="horse lyre")
    with pytest.raises(Ambiguous) as caught:
        stepped(both, "horse")
    assert caught.value.candidates == (Take(Symbol.HORSE), Levy(Symbol.HORSE))
    with pytest.raises(Illegal, match=r"5\.1"):
        stepped(now, "soldier")
    for line in ("lyr", "temp"):
        with pytest.raises(Unreadable):
            stepped(now, line)


def test_whose_turn_it_is_not_is_told_so_by_the_judge() -> None:
    now = position(LAND, phase="card", hands=("soldier", "lyre"), display="horse lyre")
    for line, action in (("lyre", Choose(Symbol.LYRE)), ("soldier", Choose(Symbol.SOLDIER))):
        assert read(line, view(now, 1)) == action
    with pytest.raises(Illegal, match="a card must be chosen first"):
        read("march C5", view(now, 1))


# --- canonical text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["alexandros", "towers", "strip"])
def test_a_canonical_text_is_read_without_a_position(name: str) -> None:
    for act in game(name, 3).acts:
        table = act.before.table
        assert read_canonical(write(act.action, table.board), table.board) == act.action


@pytest.mark.parametrize(
    "words",
    [
        "",
        "choose",
        "choose sheep",
        "choose lyre horse",
        "Choose lyre",
        "march Larissa",
        "march Larissa A3-Z99",
        "march Nowhere A3-B4",
        "occupy",
        "takeover Larissa take lyre",
        "takeover Larissa give",
        "recall",
        "draw 2",
        "end ",
        "lyre",
        "dance",
    ],
)
def test_nothing_else_is_canonical(words: str) -> None:
    with pytest.raises(ValueError, match="not the canonical text"):
        read_canonical(words, BOARDS["alexandros"])
