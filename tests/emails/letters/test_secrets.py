"""No letter tells its reader what he may not know: with other hidden cards he is sent the same bytes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from random import Random

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters import game_letters
from emails.letters.parts import GameLetterContext, build_sections
from emails.letters.renderer import Letter
from emails.terms import ReserveLeft, TurnTime
from emails.wording.requests import Request, RequestKind, VoteKind
from engine.cards import SYMBOLS, Bag
from engine.events import CardDrawn, Event, GameStarted
from engine.position import VisibleEvent, view
from tests.breadth import spread
from tests.emails.positions import sample_of
from tests.emails.specimens import WAYS, ask_among
from tests.engine.players import Game, game, shuffled
from tests.gallery import samples
from tests.gallery.letter_files import CHAT
from tests.gallery.samples import DEADLINE, HOURS, SampleGame, compose

PAIRS, PARTS, GAMES = 1000, 10, 20
EVERY = 99


@cache
def sample(number: int) -> SampleGame:
    return sample_of(game("alexandros", number))


def after(found: Game, acts: int) -> int:
    """How many events have happened after so many acts."""
    return 1 + sum(len(act.events) for act in found.acts[:acts])


def worlds(whole: SampleGame, at: int, seat: int, dice: Random) -> tuple[SampleGame, SampleGame]:
    """A game after so many events, and the same with other cards where `seat` sees none."""
    one = SampleGame(whole.events[:at], whole.positions[:at])
    events = tuple(changed(event, seat, dice) for event in one.events)
    return one, SampleGame(events, (*one.positions[:-1], shuffled(one.positions[-1], seat, dice)))


def changed(event: Event, seat: int, dice: Random) -> Event:
    """A fact with other cards in the hands of others."""
    match event:
        case CardDrawn() if event.seat != seat:
            return replace(event, card=dice.choice(SYMBOLS))
        case GameStarted():
            others = [Bag.of([dice.choice(SYMBOLS)]) for _ in event.hands]
            hands = (hand if one == seat else others[one] for one, hand in enumerate(event.hands))
            return replace(event, hands=tuple(hands))
        case _:
            return event


def letter_context(world: SampleGame, seat: int) -> GameLetterContext:
    day = timedelta(hours=24)
    made = world.letter_context(len(world.events), seat)
    reserve = ReserveLeft(day, DEADLINE - day, day)
    return replace(made, turn_time=TurnTime.of_hours(HOURS, 24), reserve=reserve, messages=CHAT)


def ways(made: GameLetterContext, heard: tuple[VisibleEvent, ...]) -> dict[str, Callable[[], Letter]]:
    """Every letter that a seat may be sent in this position, by its kind and what is special about it."""
    table = made.view.table
    acted = replace(made, acted=made.since[-2:])
    lost, posted = ("draw",), ("You told everybody: “Good luck!”",)
    found: dict[str, Callable[[], Letter]] = {
        "welcome": lambda: compose(game_letters.Welcome(), made),
        "message": lambda: compose(game_letters.Message(), made),
        "digest": lambda: compose(game_letters.Digest(), replace(made, messages=())),
        "news": lambda: samples.render_news(made),
        "refused": lambda: samples.render_refused("This answers an older mail.", made),
        "stopped": lambda: compose(game_letters.Stopped(everywhere=False), made),
        "absence": lambda: compose(game_letters.Absence(), made),
        "seat_offered": lambda: compose(game_letters.SeatOffered(0), made),
        "substitute": lambda: compose(game_letters.Substitute(), replace(made, earlier_name="Dirk")),
        "plan_played": lambda: compose(game_letters.PlanPlayed(("draw",), "there is no card"), acted),
        "motion": lambda: compose(game_letters.Vote(VoteKind.PAUSE, 0), made),
        "answer": lambda: samples.render_answer(made, made.since[-2:], lost, "there is no card", posted),
        "answer-posted": lambda: samples.render_answer(made, posted=posted),
        "answer-whole-turn": lambda: samples.render_answer(made, heard[len(heard) // 2 :]),
    }
    wished = tuple(Request(kind) for kind in RequestKind)
    found["shown"] = lambda: samples.render_shown(made, build_sections(wished, made, heard))
    if table.over:
        return found | {"game_over": lambda: compose(game_letters.GameOver(), made, happened=heard)}
    found["time_passed"] = lambda: compose(game_letters.TimePassed(table.seat), acted)
    if made.view.my_turn:
        found |= {
            "reminder": lambda: compose(game_letters.Reminder(made.view.my_seat), made),
            "your_turn": lambda: samples.render_your_turn(made),
            "step": lambda: samples.render_step(made),
            "refused-question": lambda: samples.render_refused(
                "“x” could mean several things.", made, ask_among(made.view, rest=("end",))
            ),
        }
    return found


@dataclass(frozen=True)
class Pair:
    """Two worlds that a seat cannot tell apart, with what it is sent in either, and in which language."""

    seat: int
    language: str
    letter_contexts: tuple[GameLetterContext, GameLetterContext]
    heard: tuple[tuple[VisibleEvent, ...], tuple[VisibleEvent, ...]]
    kinds: tuple[str, ...]


def pair(number: int, most: int) -> Pair:
    """Two worlds and at most so many kinds of letters; the number says which, each by dice of its own."""
    dice = Random(number)
    found = game("alexandros", number % GAMES)
    act = len(found.acts) if dice.random() < 0.08 else dice.randrange(len(found.acts))
    seat = dice.randrange(len(found.first.seats))
    both = worlds(sample(number % GAMES), after(found, act), seat, dice)
    one, other = (letter_context(world, seat) for world in both)
    mine, its = (world.told_to(seat) for world in both)
    known = [*ways(one, mine)]
    kinds = tuple(known if most >= len(known) else dice.sample(known, most))
    if most == 1 and one.view.table.over and dice.random() < 0.5:
        kinds = ("game_over",)
    if most == 1 and one.view.my_turn and dice.random() < 0.5:
        kinds = (dice.choice(known[-4:]),)  # what only the one to move is sent is rare
    return Pair(seat, dice.choice(list(LANGUAGES)), (one, other), (mine, its), kinds)


def compare(number: int, most: int) -> None:
    """Whether what a seat is sent in two worlds is the same: words, HTML, and pictures as they are drawn."""
    found = pair(number, most)
    with use_locale(Locale(found.language)):
        for kind in found.kinds:
            told = zip(found.letter_contexts, found.heard, strict=True)
            first, second = (ways(made, heard)[kind]() for made, heard in told)
            assert first == second, (number, kind)


@pytest.mark.parametrize("part", [0, *spread(2, range(1, PARTS))])
@pytest.mark.parametrize("most", [1, pytest.param(EVERY, marks=pytest.mark.long)])
def test_what_is_hidden_makes_no_difference_in_a_thousand_pairs(part: int, most: int) -> None:
    for number in range(part, PAIRS, PARTS):
        compare(number, most)


def test_every_kind_of_letter_is_compared_for_every_seat() -> None:
    seen: dict[str, set[int]] = {}
    phases: dict[str, set[str]] = {}
    for number in range(PAIRS):
        found = pair(number, 1)
        table = found.letter_contexts[0].view.table
        for kind in found.kinds:
            seen.setdefault(kind, set()).add(found.seat)
            phases.setdefault(kind, set()).add(f"{table.phase} {found.letter_contexts[0].view.my_turn}")
    with_position = {"game_over", "time_passed", *{kind.partition("-")[0] for kind in WAYS}}
    assert {kind.partition("-")[0] for kind in seen} == with_position
    assert {kind for kind, seats in seen.items() if not seats >= {0, 1, 2}} == set()
    assert all(len(phases[kind]) >= 3 for kind in ("answer", "refused", "stopped", "message", "news"))


def test_the_pairs_differ_in_what_is_hidden() -> None:
    apart = 0
    for number in range(100):
        dice = Random(number)
        found = game("alexandros", number % GAMES)
        at = after(found, dice.randrange(len(found.acts)))
        one, other = (world.positions[-1] for world in worlds(sample(number % GAMES), at, 0, dice))
        apart += one != other
        assert view(one, 0) == view(other, 0)
    assert apart > 60
