"""What happened, in sentences: each fact and each turn, without what the reader may not know."""

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from emails.names import SeatNames
from emails.wording.narration import build_overlay, narrate_events, narrate_turns
from emails.wording.standings import warn_of_end
from engine.actions import ActionRefused
from engine.board import side
from engine.cards import EMPTY, Bag, Symbol
from engine.event_log import decode
from engine.events import (
    AlexanderMarched,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    EndReason,
    Event,
    GameClosed,
    GameEnded,
    ProvinceTakenOver,
    TaxesLevied,
    TurnEnded,
)
from engine.position import View, VisibleEvent, veil_event, view
from engine.provinces import levy_gains, provinces
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NASTY_NAMES, stored_game
from tests.spoken import parse

STORED = ["two-players", "three-players"]
LYRE, HORSE, TEMPLE = Symbol.LYRE, Symbol.HORSE, Symbol.TEMPLE
A3, B4, C3 = (BOARD.point_names[name] for name in ("A3", "B4", "C3"))
LARISSA, AEGAE = BOARD.places["Larissa"], BOARD.places["Aegae"]

MARCH = AlexanderMarched(1, LARISSA, (A3, B4), (side(A3, B4),), 0)
TAKEOVER = ProvinceTakenOver(1, 0, (LARISSA,), (AEGAE,), Bag.of([LYRE, LYRE]), Bag.of([LYRE]))


def known(me: int | None = 0, names: tuple[str, ...] = ("Anna", "Ben", "Cleo")) -> View:
    table = stored_game("three-players").positions[0].table
    return View(table.but(names=names), me, EMPTY, (0, 0, 0), 30)


def told_of(name: str, reader: int | None) -> list[str]:
    """A whole stored game, as a reader is told it."""
    final = view(stored_game(name).positions[-1], reader)
    return narrate_events([veil_event(fact, reader) for fact in stored_game(name).events], final)


def test_each_fact_is_said_in_one_sentence_as_approved(language: str) -> None:
    lines = Path(__file__).with_name("facts.jsonl").read_text("utf-8").splitlines()
    facts = [decode(json.loads(line), BOARD) for line in lines]
    before = {TurnEnded: [MARCH]}
    said = [narrate_events([*before.get(type(fact), []), fact], known())[-1] for fact in facts]
    approved(f"facts.{language}.txt", "\n".join(said) + "\n")


@pytest.mark.usefixtures("language")
def test_every_reason_to_end_has_its_words() -> None:
    reasons = {*get_args(EndReason)} - {"agreement"}
    ends = [GameClosed((0,)), *(GameEnded(reason, (0,)) for reason in reasons)]
    assert len({narrate_events([end], known())[0] for end in ends}) == len(get_args(EndReason))


def test_who_draws_hears_the_card_and_the_others_only_that_one_was_drawn() -> None:
    fact = CardDrawn(1, TEMPLE)
    [mine] = narrate_events([veil_event(fact, 1)], known(1))
    assert mine == "You drew a temple from the supply."
    for reader in (0, 2, None):
        [theirs] = narrate_events([veil_event(fact, reader)], known(reader))
        assert theirs == "Ben drew a card from the supply."


@pytest.mark.parametrize("name", STORED)
def test_no_reader_is_told_what_another_drew(name: str) -> None:
    log = list(stored_game(name).events)
    for reader in (0, None):
        other: list[Event] = [
            replace(fact, card=HORSE if fact.card is not HORSE else LYRE)
            if isinstance(fact, CardDrawn) and fact.seat != reader
            else fact
            for fact in log
        ]
        assert other != log
        seen = view(stored_game(name).positions[-1], reader)
        assert told_of(name, reader) == narrate_events([veil_event(fact, reader) for fact in other], seen)


def test_deeds_alike_are_one_sentence() -> None:
    facts: list[VisibleEvent] = [veil_event(CardDrawn(1, TEMPLE), 0), veil_event(CardDrawn(1, LYRE), 0)]
    assert narrate_events(facts, known()) == ["Ben drew 2 cards from the supply."]
    assert narrate_events([CardDrawn(0, LYRE)] * 2, known()) == ["You drew 2 lyres from the supply."]


def test_a_turn_that_ended_by_itself_is_not_told() -> None:
    spent: list[VisibleEvent] = [MARCH, CardTaken(1, LYRE), CardTaken(1, HORSE), TurnEnded(1)]
    assert len(narrate_events(spent, known())) == 2
    assert len(narrate_events([MARCH, TurnEnded(1)], known())) == 2


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("names", [NASTY_NAMES, ("draw", "end; draw", "take lyre", "x\ndraw")])
def test_no_sentence_is_an_order(name: str, names: tuple[str, ...]) -> None:
    seats = len(stored_game(name).positions[0].hands)
    final = stored_game(name).positions[-1]
    final = replace(final, table=final.table.but(names=names[:seats]))
    for reader in (0, 1, None):
        heard = [veil_event(fact, reader) for fact in stored_game(name).events]
        for sentence in narrate_events(heard, view(final, reader)):
            assert "\n" not in sentence
            with pytest.raises(ActionRefused):  # a message is played whole or not at all
                _ = [parse(line, BOARD) for line in sentence.split(";")]


@pytest.mark.parametrize("name", STORED)
def test_a_whole_game_reads_as_approved(name: str) -> None:
    approved(f"story-{name}.txt", "\n".join(told_of(name, 1)) + "\n")


@pytest.mark.usefixtures("dutch")
def test_a_whole_game_reads_as_approved_in_dutch() -> None:
    approved("story-three-players.nl.txt", "\n".join(told_of("three-players", 1)) + "\n")


# --- marks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STORED)
def test_marks_show_what_happened_since_the_last_turn(name: str) -> None:
    for at, seat in stored_game(name).turn_starts():
        made = stored_game(name).letter_context(at, seat)
        pointed = build_overlay(made.since, made.before, made.view)
        marched = [fact for fact in made.since if isinstance(fact, AlexanderMarched)]
        assert pointed.marches == tuple((fact.seat, fact.path) for fact in marched)
        assert pointed.fresh == {wall for fact in marched for wall in fact.walls}
        assert made.before is not None
        assert pointed.fresh == made.view.table.walls - made.before.walls
        assert pointed.labels == {}  # no card is chosen
        assert pointed.targets


@pytest.mark.parametrize("name", STORED)
def test_changed_provinces_are_marked_and_what_remains_of_the_board_is_not(name: str) -> None:
    seen = 0
    for at, seat in stored_game(name).turn_starts():
        made = stored_game(name).letter_context(at, seat)
        assert made.before is not None
        changed = build_overlay(made.since, made.before, made.view).changed
        home = {space: part for part in provinces(made.before) for space in part.spaces}
        for part in provinces(made.view.table):
            was = home[part.first]
            if part.holder != was.holder:
                assert set(part.spaces) <= changed
                seen += 1
            elif part.spaces == was.spaces:
                assert not set(part.spaces) & changed
        rest = max(provinces(made.view.table), key=lambda part: len(part.spaces))
        if rest.holder is None and home[rest.first].holder is None:
            assert not set(rest.spaces) & changed
    assert seen


def told(*events: VisibleEvent, me: int = 2) -> str:
    [line] = narrate_turns(events, known(me))
    return line.partition(": ")[2]


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ((CardChosen(1, HORSE, "display"), CardOpened(LYRE)), "Ben took a horse."),
        ((CardChosen(1, HORSE, "hand"),), "Ben discarded a horse."),
        (
            (CardChosen(1, HORSE, "display"), CardOpened(LYRE), MARCH),
            "Ben marched with a horse from the display to Larissa (1 wall).",
        ),
        (
            (CardChosen(1, HORSE, "hand"), MARCH, CardTaken(1, LYRE), CardOpened(HORSE), CardTaken(1, HORSE)),
            "Ben marched with a horse from hand to Larissa (1 wall) and took a horse and a lyre.",
        ),
        (
            (MARCH, CardTaken(1, LYRE), TaxesLevied(1, HORSE, (0, 3, 0)), CardDrawn(1, LYRE), TurnEnded(1)),
            "Ben marched to Larissa (1 wall), took a lyre, levied taxes (Ben +3) and drew a lyre.",
        ),
        (
            (MARCH, CardTaken(1, LYRE), TaxesLevied(1, HORSE, (0, 3, 0)), GameEnded("points", (1,))),
            "Ben marched to Larissa (1 wall), took a lyre, levied taxes (Ben +3) and ended the game.",
        ),
    ],
)
def test_deeds_are_told_in_their_order_and_a_card_with_its_march(events, sentence) -> None:
    assert told(*events) == sentence


def test_a_takeover_names_what_its_loser_held_and_where_the_guard_stands_now() -> None:
    assert told(TAKEOVER) == "Ben took over Larissa from Anna (guard on Aegae)."
    assert told(TAKEOVER, me=0) == "Ben took over Larissa from you (guard on Aegae, you got a lyre)."


def test_a_levy_that_ends_the_game_is_told_before_it_comes() -> None:
    game = stored_game("three-players")
    now = game.letter_context(*game.turn_starts()[-1]).view.table
    gains = levy_gains(now)
    seat = gains.index(max(gains))
    scores = [0, 0, 0]
    scores[seat] = now.edition.winning_score - gains[seat]
    view = View(now.but(scores=tuple(scores)), seat, EMPTY, (0, 0, 0), 30)
    [warning] = warn_of_end(view)
    assert warning.endswith(f"ends the game: you would have {now.edition.winning_score} points")
    scores[seat] -= 1
    assert not [*warn_of_end(View(now.but(scores=tuple(scores)), seat, EMPTY, (0, 0, 0), 30))]


BEFORE, AFTER = SeatNames(("Anna", "Ben", "Cleo"), False), SeatNames(("Anna", "Dirk", "Cleo"))


def told_to_dirk(*facts: tuple[VisibleEvent, SeatNames]) -> str:
    events, names = tuple(fact for fact, _ in facts), tuple(then for _, then in facts)
    [line] = narrate_turns(events, known(1, AFTER.names), names=names)
    return line.partition(": ")[2]


def test_who_had_the_seat_then_is_named_and_whoever_has_it_now_is_you_only_since() -> None:
    levy = TaxesLevied(1, HORSE, (2, 3, 0))
    assert told_to_dirk((MARCH, BEFORE), (levy, BEFORE)) == (
        "Ben marched to Larissa (1 wall) and levied taxes (Anna +2, Ben +3)."
    )
    assert told_to_dirk((MARCH, AFTER), (levy, AFTER)) == (
        "you marched to Larissa (1 wall) and levied taxes (Anna +2, you +3)."
    )


def test_a_seat_that_is_passed_on_within_a_turn_names_both() -> None:
    assert told_to_dirk((MARCH, BEFORE), (CardTaken(1, LYRE), AFTER)) == (
        "Ben and you marched to Larissa (1 wall) and took a lyre."
    )


def test_what_was_taken_over_was_theirs_who_held_it_then() -> None:
    [line] = narrate_turns((TAKEOVER,), known(0, ("Dirk", "Ben", "Cleo")), names=(BEFORE,))
    assert " from Anna" in line
    assert " from you" in narrate_turns((TAKEOVER,), known(0))[0]
