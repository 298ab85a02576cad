"""Phrases of phrases/*.toml: what is said of a number, a moment, a name, a turn or a price, in each language.

A group names its teller (`tells`), and a time zone unless it is UTC. A meaning is what the teller's function
below returns.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from emails import names
from emails.i18n import UTC_ZONE, Locale, use_locale
from emails.languages.supported_languages import expand_phrases
from emails.letters import lobby_letters
from emails.letters.parts import invitation_subject
from emails.picture.palette import initial_of
from emails.terms import AbsenceNote, DaysAway, TurnOutlook
from emails.tokens import mask_tokens
from emails.wording import advice_text, phrases
from emails.wording.costs import check_placement, cost_of_province
from emails.wording.requests import Request, RequestKind
from emails.wording.review_text import format_chance, summarize_turn
from emails.wording.texts import nearest_numbers, say
from engine.actions import Action
from engine.bots.advice import (
    GameWin,
    HandSizeChange,
    LevyChange,
    LevyGain,
    LossRisk,
    Suggestion,
    TakeoverCost,
)
from engine.cards import Symbol
from engine.notation.grammar import read_canonical
from engine.notation.orders import Verb
from engine.position import Position, View, view
from tests.emails.phrasebook import Group, mistakes, read_groups
from tests.emails.positions import BOARD
from tests.engine.build import alexandros, bag, board, fence, places, position, province, spaces

BEGUN = datetime(2027, 1, 12, 18, 30, tzinfo=UTC)
NOW = datetime(2026, 8, 5, 8, tzinfo=UTC)
"""A Wednesday, ten in the morning in Amsterdam."""
TODAY = date(2027, 1, 12)
AWAY = AbsenceNote(TODAY, "UTC", (DaysAway(TODAY, date(2027, 1, 15)),))


def whole(words: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", words)]


def span(words: str) -> timedelta:
    """A span such as `5 hours 12 minutes`."""
    return timedelta(**{unit: int(number) for number, unit in re.findall(r"(-?\d+) (\w+)", words)})


def moment(words: str) -> datetime:
    """A moment, by universal time unless it names another."""
    found = datetime.fromisoformat(words)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def actions(words: str) -> list[Action]:
    return [read_canonical(one, BOARD) for one in words.split("; ")]


def outlook(words: str, _: Group) -> str:
    """When a turn comes, between two moments of which neither need be known."""
    if words == "nothing is known":
        return say("time.next_turn", outlook=None, now=NOW)
    bounds = (moment(one) if one else None for one in words.split(" to "))
    return say("time.next_turn", outlook=TurnOutlook(*bounds), now=NOW)


def length(words: str, _: Group) -> str:
    seats, people, hours = whole(words)
    return lobby_letters.format_span(lobby_letters.estimate_length(seats, people, 60 * hours), 60 * hours)


def done(words: str, _: Group) -> str:
    """What was done of a request, which may have a detail behind a colon."""
    kind, _, about = words.partition(": ")
    return say("sections.done", request=Request(RequestKind(kind), about), absence=AWAY, resigned=True)


def suggestion(gain: float = 3.2, *actions: Action) -> Suggestion:
    return Suggestion(actions, gain, (HandSizeChange(1, 3),))


REASONS = {
    "end": GameWin,
    "levy": LevyGain,
    "hand": HandSizeChange,
    "loss": LossRisk,
    "levies": lambda mine, *rivals: LevyChange(mine, tuple(zip(rivals[::2], rivals[1::2], strict=True))),
    "risk": partial(TakeoverCost, BOARD.places["Larissa"], Symbol.LYRE),
    "risk-beside": partial(TakeoverCost, BOARD.places["Troy"], Symbol.LYRE),
}
"""Why a turn is advised: what makes a reason of its numbers."""


def reasons(words: str, _: Group) -> str:
    """Why a turn is advised, for reasons such as `levy 12 5`."""
    given = [one.split() for one in words.split(", ")]
    found = [REASONS[kind](*(float(n) if "." in n else int(n) for n in numbers)) for kind, *numbers in given]
    return advice_text.explain(position(alexandros(), hands=("lyre", "lyre")).table, found)


def advice(words: str, _: Group) -> str:
    known = view(position(alexandros(), phase="card", hands=("lyre", "")), 0)
    [told] = advice_text.list_turn_choices(known, [suggestion(3.2, *actions(words))])
    return told.title


# --- what a province would cost --------------------------------------------------------------------------

ROW = "h...h.l....s..t.."
"""Two parts, once walled: one with two horses and a lyre, worth 6, one with a soldier and a temple."""
WEST = "AB2 AB3 AB4 AB5 AB6 AB7 AB8 AB9 AB10"


def on_row(group: Group) -> Position:
    """A position of the hands and guards of a group, on its strip or the usual one."""
    strip = alexandros() if "great" in group else board(group.get("strip", ROW))
    walls = "" if "great" in group else fence(strip, spaces(strip, group.get("west", WEST)))
    given = {key: tuple(group[key]) for key in ("hands", "guards") if key in group}
    return position(strip, **given, walls=walls, phase=group.get("phase", "actions"))


def known_to(now: Position, group: Group) -> View:
    """What the first player knows, or whom the group names; a spectator is none."""
    return view(now, None if "spectator" in group else group.get("reader", 0))


def cost(place: str, group: Group) -> str:
    """Whether the cards and guards of the reader suffice for a province, then each sentence and each way."""
    now = on_row(group)
    found = cost_of_province(known_to(now, group), province(now, place))
    enough = "enough" if found.ways else "not enough"
    return "\n".join((enough, *found.sentences, *(f"* {way.title}: {way.detail}." for way in found.ways)))


def total(words: str, group: Group) -> str:
    """Whether guards, and the cards for the loser behind `give`, fit, and what is said of them."""
    now = on_row(group)
    guards, named, given = words.partition(" give")
    spots = places(now.table.board, guards)
    held = bool(spots) and province(now, guards.split()[0]).holder is not None
    verb = Verb.TAKEOVER if held else Verb.OCCUPY
    found = check_placement(known_to(now, group), verb, spots, bag(given) if named else None)
    return "\n".join(("fits" if found.fits else "does not fit", *found.sentences))


TELLERS: Mapping[str, Callable[[str, Group], str]] = {
    "name": lambda words, _: phrases.safe_name(words),
    "fault of a name": lambda words, _: names.find_name_fault(words) or "",
    "fault of a player's name": lambda words, _: names.find_player_name_fault(words) or "",
    "link": lambda words, _: "yes" if names.holds_link(words) else "",
    "skeleton": lambda words, _: names.skeleton(words),
    "initial": lambda words, _: initial_of(words, 2),
    "masked": lambda words, _: mask_tokens(words),
    "phrases": lambda words, _: " / ".join(expand_phrases(words)),
    "capital": lambda words, _: phrases.capitalize_first(words),
    "list": lambda words, group: phrases.format_list(
        words.split(", ") if words else (), group.get("last", "and")
    ),
    "walls": lambda words, _: phrases.format_walls(int(words)),
    "a card": lambda words, _: phrases.a_card(Symbol(words)),
    "the card": lambda words, _: phrases.the_card(Symbol(words)),
    "cards": lambda words, _: phrases.format_cards(bag(words)),
    "hours": lambda words, _: phrases.format_hours(int(words)),
    "remaining": lambda words, _: phrases.format_remaining(span(words)),
    "moment": lambda words, _: phrases.format_time(moment(words)),
    "deadline": lambda words, _: phrases.format_deadline(moment(words)),
    "waiting": lambda words, _: say(
        "time.waiting", name="Ben", since=phrases.name_past(BEGUN, BEGUN + span(words))
    ),
    "nearest rules": lambda words, _: ", ".join(nearest_numbers(words)),
    "invitation": lambda words, group: invitation_subject(words, group["game"]),
    "tidy note": lambda words, _: lobby_letters.tidy_note(words),
    "fault of a note": lambda words, _: lobby_letters.find_note_fault(lobby_letters.tidy_note(words)) or "",
    "chance": lambda words, _: format_chance(float(words)),
    "turn": lambda words, _: summarize_turn(actions(words), BOARD),
    "gain": lambda words, _: advice_text.format_gain(suggestion(float(words))),
    **{one.__name__: one for one in (outlook, length, done, reasons, advice, cost, total)},
}
GROUPS = read_groups(Path(__file__).parent / "phrases")


@pytest.mark.parametrize("name", GROUPS)
def test_phrases_are_told_as_the_tables_say(name: str) -> None:
    group = GROUPS[name]

    def tell(words: str, language: str, _: Group) -> str:
        with use_locale(Locale(language, group.get("zone", UTC_ZONE))):
            return TELLERS[group["tells"]](words, group)

    assert mistakes(group, tell) == []
