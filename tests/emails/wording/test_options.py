"""What a letter offers: the game takes it all, it can be read, and nothing that can be done is missing."""

from collections.abc import Iterator

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.options import (
    MOST_MARCHES,
    MOST_WAYS,
    Option,
    list_options,
    number_corners,
    reachable_targets,
)
from engine import march_rules, rules
from engine.actions import Action, ActionRefused, Choose, March, Occupy, Play, Stay, TakeOver
from engine.events import Event
from engine.evolve import evolve, replay
from engine.notation.grammar import read_canonical
from engine.notation.orders import write
from engine.position import Phase, Position, view
from engine.provinces import find_sieges
from tests.breadth import spread
from tests.emails import stored_games
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NAMES, played
from tests.spoken import parse_plainly, read

STORED = ["two-players", "three-players"]


def decisions(name: str) -> Iterator[Position]:
    """Every position of a stored game in which somebody can do something."""
    for position in stored_games.positions(name):
        if rules.due(position) is None and not position.table.over:
            yield position


def late(seed: int) -> Iterator[Position]:
    """Decisions late in a game by chance players, whose hands are large."""
    log = played(NAMES, seed)[1]
    position = replay(BOARD, log[:1])
    for number, event in enumerate(log[1:]):
        position = evolve(position, event)
        if number % 9 == 0 and rules.due(position) is None and not position.table.over:
            yield position


def offered(position: Position) -> list[Option]:
    return [choice for group in list_options(view(position, position.table.seat)) for choice in group.choices]


def done(position: Position, line: str) -> Position:
    """The position after a line is played, what follows at once included."""
    seat = position.table.seat
    return after(position, read(line, view(position, seat)))


def after(position: Position, action: Action) -> Position:
    events: tuple[Event, ...] = rules.decide(
        position, position.table.seat, action, lambda bag: next(iter(bag))
    )
    for event in events:
        position = evolve(position, event)
    return position


@pytest.mark.parametrize("name", STORED)
def test_every_choice_is_accepted_by_the_game(name: str) -> None:
    for position in decisions(name):
        for choice in offered(position):
            if choice.further or not choice.words:
                continue
            now = position
            for line in choice.words.split("; "):
                now = done(now, line)
            assert now != position


@pytest.mark.parametrize("seed", [0, 3])
def test_every_choice_is_accepted_with_large_hands_too(seed: int) -> None:
    for position in late(seed):
        for choice in offered(position):
            if not choice.further:
                now = position
                for line in choice.words.split("; "):
                    now = done(now, line)


@pytest.mark.parametrize("name", STORED)
def test_words_are_spelt_as_the_game_spells_them(name: str) -> None:
    for position in decisions(name):
        for choice in offered(position):
            now = position
            for line in choice.words.split("; ") if not choice.further else ():
                action = read(line, view(now, now.table.seat))
                assert write(action, now.table.board) == line
                now = after(now, action)


def test_words_that_lead_on_mean_several_actions() -> None:
    seen = 0
    for position in (*decisions("two-players"), *late(0)):
        for choice in offered(position):
            if not choice.further:
                continue
            if not choice.words:
                assert choice.title
                continue
            *first, last = choice.words.split("; ")
            now = position
            for line in first:
                now = done(now, line)
            with pytest.raises(ActionRefused, match="could mean"):
                read(last, view(now, now.table.seat))
            seen += 1
    assert seen


@pytest.mark.parametrize("name", STORED)
def test_every_card_and_every_corner_is_offered(name: str) -> None:
    for position in decisions(name):
        table = position.table
        if table.phase is not Phase.CARD:
            continue
        known = view(position, table.seat)
        said = [choice.words.split("; ") for choice in offered(position)]
        for card in rules.card_choices(known):
            lines = [rest for first, *rest in said if first == write(card, table.board)]
            assert lines, f"{card} is missing"
            if isinstance(card, Stay):
                continue
            ends = {line.rpartition("-" if "-" in line else " ")[2] for [line] in lines}
            spaces = march_rules.targets(table, card.card, from_display=isinstance(card, Choose))
            corners = {
                str(corner) for space in spaces for corner in march_rules.reachable_corners(table, space)
            }
            assert ends == corners


@pytest.mark.parametrize("name", STORED)
def test_paths_are_listed_where_they_are_few(name: str) -> None:
    for position in decisions(name):
        table = position.table
        if table.phase is not Phase.CARD:
            continue
        groups = list_options(view(position, table.seat))
        for group in groups:
            marches = [choice for choice in group.choices if "march" in choice.words]
            assert len(marches) <= max(MOST_MARCHES, len(number_corners(view(position, table.seat), None)))
            assert len({choice.words for choice in marches}) == len(marches)


@pytest.mark.parametrize("name", STORED)
def test_every_province_and_every_simple_action_is_offered(name: str) -> None:
    for position in decisions(name):
        table = position.table
        if table.phase is not Phase.ACTIONS:
            continue
        known = view(position, table.seat)
        words = {choice.words for choice in offered(position)}
        assert {write(action, table.board) for action in rules.simple_actions(known)} <= words
        actions = [read(line, known) for line in words if line]
        for siege in find_sieges(table, table.seat, known.hand):
            ways = [
                action
                for action in actions
                if isinstance(action, Occupy | TakeOver) and set(action.guards) <= set(siege.province.spaces)
            ]
            assert 0 < len(ways) <= MOST_WAYS


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("name", spread(1, STORED))
def test_no_title_no_detail_and_no_heading_is_an_order(name: str) -> None:
    for position in decisions(name):
        for group in list_options(view(position, position.table.seat)):
            said = [
                group.heading,
                *(one for choice in group.choices for one in (choice.title, choice.detail)),
            ]
            for text in said:
                for part in (text, *text.split(";"), *text.split(". ")):
                    with pytest.raises(ActionRefused):
                        parse_plainly(part, position.table.board)


@pytest.mark.parametrize("name", STORED)
def test_choices_are_the_same_in_every_language(name: str) -> None:
    """What links hold stays as the game spells it, in the same order; all that is said about it is Dutch."""
    for position in decisions(name):
        known = view(position, position.table.seat)
        english = list_options(known)
        with use_locale(Locale("nl")):
            dutch = list_options(known)
        for ours, theirs in zip(english, dutch, strict=True):
            assert ours.heading != theirs.heading
            words = [(choice.words, choice.further) for choice in ours.choices]
            assert words == [(choice.words, choice.further) for choice in theirs.choices]
            for one, other in zip(ours.choices, theirs.choices, strict=True):
                assert one.title != other.title
                assert one.detail != other.detail or not one.detail or " +" in one.detail


def said(position: Position) -> str:
    """All that is offered, as one can read it."""
    lines = []
    for group in list_options(view(position, position.table.seat)):
        lines += ["", group.heading]
        lines += [f"  {one.title}: {one.detail}" if one.detail else f"  {one.title}" for one in group.choices]
    return "\n".join(lines).strip() + "\n"


@pytest.mark.usefixtures("dutch")
def test_choices_read_as_approved_in_dutch() -> None:
    found = [*decisions("three-players")]
    shown = [found[at] for at in (40, 25, 62, 126)]
    approved("choices.nl.txt", f"\n{'=' * 60}\n\n".join(map(said, shown)))


@pytest.mark.parametrize("name", STORED)
def test_others_are_offered_nothing(name: str) -> None:
    for position in stored_games.positions(name):
        for seat in range(len(position.hands)):
            known = view(position, seat)
            if not known.my_turn:
                assert list_options(known) == ()
                assert number_corners(known, None) == {}
                assert reachable_targets(known) == ()
    assert list_options(view(stored_games.positions(name)[0], None)) == ()


@pytest.mark.parametrize("name", STORED)
def test_corners_are_numbered_in_reading_order_and_named_in_the_titles(name: str) -> None:
    for position in decisions(name):
        if position.table.phase is Phase.ACTIONS:
            continue
        known = view(position, position.table.seat)
        for choice in offered(position):
            said, _, line = choice.words.rpartition("; ")
            if line.startswith("march"):
                card = read_canonical(said, position.table.board) if said else None
                assert card is None or isinstance(card, Choose | Play)
                numbered = number_corners(known, card)
                assert list(numbered) == sorted(numbered)
                assert list(numbered.values()) == [str(number) for number in range(1, len(numbered) + 1)]
                corner = line.replace("-", " ").split()[-1]
                [number] = [label for point, label in numbered.items() if str(point) == corner]
                assert f"corner {number} ({corner})" in choice.title


def test_marches_that_differ_in_the_named_target_only_are_offered_once() -> None:
    for position in decisions("three-players"):
        if position.table.phase is not Phase.CARD:
            continue
        for group in list_options(view(position, position.table.seat)):
            paths = [choice.words.rpartition(" ")[2] for choice in group.choices if not choice.further]
            assert len(set(paths)) == len(paths)


def test_a_march_says_what_it_does() -> None:
    seen = set()
    for position in decisions("three-players"):
        table = position.table
        if table.phase is not Phase.CARD:
            continue
        for choice in offered(position):
            first, _, line = choice.words.partition("; ")
            if choice.further or not line:
                continue
            card = read(first, view(position, table.seat))
            assert isinstance(card, Choose | Play)
            moved = after(position, card)
            march = read(line, view(moved, table.seat))
            assert isinstance(march, March)
            told = march_rules.outcome_of(table, march.path)
            kinds = [bool(told.laid), bool(told.red), bool(told.splits)]
            assert ("no new wall" in choice.detail) == (not told.laid)
            assert ("last turn" in choice.detail) == bool(told.red)
            assert ("closes off" in choice.detail or "splits" in choice.detail) == bool(told.splits)
            seen.add(tuple(kinds))
    assert len(seen) >= 3
