"""The whole turns that are offered: legal whatever cards come, different, short and true."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from emails.wording.advice_text import TurnChoice
from engine.actions import ActionRefused
from engine.board import corners
from engine.events import CardDrawn, CardOpened, Event, SupplyRenewed
from engine.position import Position, view
from tests.bots.alike import alike, asked_positions, beginnings_of_turns
from tests.bots.claims import CLAIMS, Played, claims_in, numbers_unread, play_words
from tests.breadth import by_run
from tests.newcomers import adapter

MOST_TURNS, MOST_WORDS = 5, 14
SOME = 60
WORLDS = 3
"""Other ways in which the cards can lie, in which a turn is played too."""
USUAL = {"levy", "changes", "chance", "cards"}
COMMON = CLAIMS.keys() - {"wins", "safe", "kept", "risk", "all safe"}
"""Kinds of claims that hundreds and thousands of positions hold."""


def faults(now: Position, turns: list[TurnChoice]) -> list[str]:
    """What is wrong with the turns that are offered in a position."""
    found = []
    if [one.letter for one in turns] != list("abcde")[: len(turns)]:
        found.append(f"letters {[one.letter for one in turns]}")
    marches = [one.words.partition("; ")[0] + march for one in turns if (march := march_of(one.words))]
    found += [f"{march} is offered {many} times" for march, many in Counter(marches).items() if many > 1]
    found += [f"{words} twice" for words, many in Counter(turn.words for turn in turns).items() if many > 1]
    for one in turns:
        found += [f"{one.letter}: {fault}" for fault in faults_of(now, one)]
    return found


def march_of(words: str) -> str:
    """The way of the march of a turn, whichever place it is said to go to."""
    return next((step.rpartition(" ")[2] for step in words.split("; ") if step.startswith("march")), "")


def most_words_of_why(now: Position) -> int:
    """Return two words more for each rival after the first: a reason names all whose points change."""
    return MOST_WORDS + 2 * (len(now.hands) - 2)


def faults_of(now: Position, one: TurnChoice) -> list[str]:
    found = []
    steps = one.words.split("; ")
    if "draw" in steps and set(steps[steps.index("draw") :]) != {"draw"}:
        found.append(f"goes on behind a card that nobody has seen: {one.words}")
    for what, said, most in (("title", one.title, MOST_WORDS), ("why", one.why, most_words_of_why(now))):
        if not said.strip() or len(said.split()) > most:
            found.append(f"{what} of {len(said.split())} words: {said!r}")
        if "\n" in said:
            found.append(f"{what} of several lines: {said!r}")
    if one.corner and not march_of(one.words).endswith(str(one.corner)):
        found.append(f"its disc stands at {one.corner}: {one.words}")
    played = list[list[Event]]()
    for seed, world in enumerate([now, *alike(now, Random(2), WORLDS)]):
        try:
            done = play_words(world, one.words, Random(seed))
        except ActionRefused as refusal:
            return [*found, f"cannot be played: {one.words}: {refusal}"]
        played.append([event for event in done.events if not isinstance(event, UNKNOWN)])
        found += faults_of_why(one, done)
        found += faults_of_title(one.title, done)
    if any(events != played[0] for events in played):
        found.append(f"brings something else where other cards come: {one.words}")
    return sorted(set(found))


UNKNOWN = (CardDrawn, CardOpened, SupplyRenewed)


def faults_of_why(one: TurnChoice, done: Played) -> list[str]:
    """What its sentence says that does not come true."""
    try:
        claims = claims_in(one.why)
    except AssertionError as unread:
        return [f"{unread}"]
    unread = [
        f"{one.why!r}: number {number} belongs to nothing" for number in numbers_unread(one.why, claims)
    ]
    wrong = [claim for claim in claims if not claim.holds(done)]
    return unread + [f"not true: {claim.found[0]!r} of {one.words}" for claim in wrong]


def faults_of_title(title: str, done: Played) -> list[str]:
    """The places of a title are those that the turn is about, by the names that the board has for them."""
    names = done.before.table.board.names
    said = {space for space, name in names.items() if re.search(rf"\b{re.escape(name)}\b", title)}
    about = {getattr(event, "target", None) for event in done.events}
    about |= {place for event in done.events for place in getattr(event, "guards", ())}
    about |= {place for event in done.events for place in getattr(event, "removed", ())}
    about |= {getattr(event, "place", None) for event in done.events}
    corner = next((event.path[-1] for event in done.events if hasattr(event, "path")), None)
    around = {space for space in names if corner is not None and corner in corners(space)}
    strange = sorted(names[space] for space in said - about - around)
    return [f"its title names {', '.join(strange)}: {title!r}"] if strange else []


def look(asked: Iterable[Position]) -> tuple[list[str], Counter[int], Counter[str], Counter[str]]:
    """What is wrong, how many turns were offered, of which kinds, and which kinds of claims they made."""
    wrong, many, labels, told = list[str](), Counter[int](), Counter[str](), Counter[str]()
    for now in asked:
        turns = adapter.turns_to_choose(view(now, now.table.seat))
        many[len(turns)] += 1
        labels.update(one.label for one in turns)
        told.update(claim.kind for one in turns for claim in claims_in(one.why))
        if not 1 <= len(turns) <= MOST_TURNS:
            wrong.append(f"{len(turns)} turns, turn {now.table.turn}")
        wrong += [f"turn {now.table.turn}: {fault}" for fault in faults(now, turns)]
    return wrong, many, labels, told


@pytest.mark.parametrize(
    ("number", "seed", "kinds"), by_run([(2, 0, set())], [(SOME, 70, USUAL)], [(1500, 900, COMMON)])
)
def test_offered_turns_are_what_they_say(record_property, number, seed, kinds):
    wrong, many, labels, told = look(beginnings_of_turns(number, seed=seed))
    figure = f"turns offered {dict(many)}, labels {dict(labels)}, claims {dict(told)}, wrong {len(wrong)}"
    record_property("figure", figure)
    assert not wrong, (len(wrong), wrong[:8])
    assert len(labels) > 2 or number < SOME
    assert told.keys() >= kinds


def test_in_the_middle_of_a_turn_they_are_too():
    asked = [one for one in asked_positions(3 * SOME, seed=300) if one.table.phase != "card"][:SOME]
    wrong, *_ = look(asked)
    assert not wrong, (len(wrong), wrong[:8])


def test_in_dutch_they_are_the_same_turns_and_as_short():
    wrong = []
    for now in beginnings_of_turns(SOME, seed=400):
        known = view(now, now.table.seat)
        both = zip(adapter.turns_to_choose(known), adapter.turns_to_choose(known, "nl"), strict=True)
        for one, other in both:
            same = one.words == other.words and digits(one.why) == digits(other.why)
            long = len(other.title.split()) > MOST_WORDS or len(other.why.split()) > most_words_of_why(now)
            if not same or long:
                wrong.append((one, other))
    assert not wrong, (len(wrong), wrong[:5])


def digits(said: str) -> list[str]:
    return sorted(re.findall(r"\d+", said))
