"""What happened, in sentences: each fact, in the reader's words, without what he may not know."""

from dataclasses import replace
from typing import get_args

import pytest

from emails.wording.narration import build_overlay, narrate_events
from engine.actions import ActionRefused
from engine.board import side
from engine.cards import EMPTY, Bag, Symbol
from engine.events import (
    AlexanderMarched,
    AlexanderStayed,
    CardChosen,
    CardDrawn,
    CardOpened,
    CardTaken,
    EndReason,
    Event,
    GameClosed,
    GameEnded,
    GuardRecalled,
    ProvinceOccupied,
    ProvinceTakenOver,
    SupplyRenewed,
    TaxesLevied,
    TurnEnded,
)
from engine.position import View, VisibleEvent, veil_event, view
from engine.provinces import provinces
from tests.emails import stored_games
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NASTY_NAMES
from tests.spoken import parse

STORED = ["two-players", "three-players"]
LYRE, HORSE, TEMPLE = Symbol.LYRE, Symbol.HORSE, Symbol.TEMPLE
A3, B4, C3 = (BOARD.point_names[name] for name in ("A3", "B4", "C3"))
LARISSA, AEGAE = BOARD.places["Larissa"], BOARD.places["Aegae"]


def known(me: int | None = 0, names: tuple[str, ...] = ("Anna", "Ben", "Cleo")) -> View:
    table = stored_games.positions("three-players")[0].table
    return View(table.but(names=names), me, EMPTY, (0, 0, 0), 30)


FACTS: list[tuple[Event, list[str], list[str]]] = [
    (CardChosen(1, LYRE, "display"), ["Ben", "took the lyre"], ["You"]),
    (CardChosen(1, LYRE, "hand"), ["Ben", "lyre", "hand"], ["display"]),
    (
        AlexanderMarched(1, LARISSA, (A3, B4, C3), (side(A3, B4),), 0),
        ["Larissa", "A3-B4-C3", "1 wall"],
        ["red"],
    ),
    (AlexanderMarched(1, LARISSA, (A3, B4, C3), (), 0), ["no wall"], ["red"]),
    (AlexanderMarched(1, LARISSA, (A3, B4), (side(A3, B4),), 1), ["red", "last turn"], []),
    (AlexanderStayed(1, HORSE), ["Ben", "horse", "ends"], []),
    (AlexanderStayed(1, None), ["o march was possible"], ["None"]),
    (CardTaken(0, HORSE), ["You", "horse", "display"], ["Anna"]),
    (ProvinceOccupied(1, (LARISSA,), Bag.of([LYRE, HORSE])), ["Ben", "Larissa", "a horse and a lyre"], []),
    (ProvinceOccupied(0, (LARISSA, AEGAE), EMPTY), ["You", "Larissa and Aegae", "no card"], []),
    (
        ProvinceTakenOver(1, 0, (LARISSA,), (AEGAE,), Bag.of([LYRE, LYRE]), Bag.of([LYRE])),
        ["Ben took over your province", "Larissa", "Aegae", "2 lyres", "you got a lyre"],
        ["Anna"],
    ),
    (TaxesLevied(1, LYRE, (3, 0, 12)), ["Ben", "lyre", "you 3", "Cleo 12"], ["Ben 0"]),
    (TaxesLevied(1, LYRE, (0, 0, 0)), ["nobody"], []),
    (GuardRecalled(0, LARISSA), ["You", "Larissa"], []),
    (TurnEnded(1), ["Ben", "early"], []),
    (CardOpened(LYRE), ["display", "a lyre"], []),
    (SupplyRenewed(), ["discard pile", "supply"], []),
    (GameEnded("points", (0, 2)), ["points", "you and Cleo won"], []),
    (GameEnded("walls", (1,)), ["red wall", "Ben won"], []),
    (GameEnded("no march", (1,)), ["no march"], []),
    (GameEnded("stalemate", (1,)), ["no wall"], []),
]


@pytest.mark.parametrize(("fact", "said", "unsaid"), FACTS)
def test_each_fact_is_said_in_one_sentence(fact: Event, said: list[str], unsaid: list[str]) -> None:
    before = [AlexanderMarched(1, LARISSA, (A3, B4, C3), (), 0)] if isinstance(fact, TurnEnded) else []
    *_, sentence = narrate_events([*before, fact], known())
    assert sentence.endswith(".")
    assert sentence[0].isupper()
    for words in said:
        assert words in sentence
    for words in unsaid:
        assert words not in sentence


IN_DUTCH: list[tuple[Event, str]] = [
    (CardChosen(1, HORSE, "display"), "Ben nam het paard van de open kaarten."),
    (CardChosen(0, HORSE, "hand"), "Je legde een paard uit je hand af."),
    (
        AlexanderMarched(1, LARISSA, (A3, B4, C3), (side(A3, B4),), 0),
        "Ben marcheerde naar Larissa via A3-B4-C3 en bouwde 1 muur (A3-B4).",
    ),
    (
        AlexanderMarched(0, LARISSA, (A3, B4, C3), (side(A3, B4), side(B4, C3)), 2),
        "Je marcheerde naar Larissa via A3-B4-C3 en bouwde 2 muren, allemaal rood: dit is de laatste beurt.",
    ),
    (
        AlexanderStayed(0, HORSE),
        "Er was geen mars mogelijk: je nam het paard, en het spel eindigt met deze beurt.",
    ),
    (CardDrawn(0, TEMPLE), "Je trok een tempel van de trekstapel."),
    (CardTaken(0, HORSE), "Je nam het paard van de open kaarten."),
    (
        ProvinceOccupied(1, (LARISSA, AEGAE), EMPTY),
        "Ben bezette een provincie met stadhouders op Larissa en Aegae, zonder een kaart te betalen.",
    ),
    (
        ProvinceTakenOver(1, 0, (LARISSA,), (AEGAE,), Bag.of([LYRE, LYRE]), Bag.of([LYRE])),
        "Ben nam je provincie over met een stadhouder op Aegae, voor 2 harpen, waarvan je een harp kreeg; "
        "je stadhouder verliet Larissa.",
    ),
    (
        ProvinceTakenOver(0, 2, (LARISSA, AEGAE), (AEGAE,), Bag.of([LYRE, LYRE]), Bag.of([LYRE])),
        "Je nam de provincie van Cleo over met een stadhouder op Aegae, voor 2 harpen, waarvan Cleo een harp "
        "kreeg; de stadhouders van Cleo verlieten Larissa en Aegae.",
    ),
    (TaxesLevied(1, LYRE, (3, 0, 12)), "Ben hief belasting met een harp: jij 3, Cleo 12."),
    (GuardRecalled(0, LARISSA), "Je nam de stadhouder van Larissa terug."),
    (TurnEnded(0), "Je beëindigde je beurt vroegtijdig."),
    (CardOpened(HORSE), "Nieuw bij de open kaarten: een paard."),
    (SupplyRenewed(), "De aflegstapel werd geschud en is nu de trekstapel."),
    (
        GameEnded("points", (0, 2)),
        "Het spel is afgelopen, want er zijn 101 punten gehaald: jij en Cleo wonnen.",
    ),
    (
        GameEnded("walls", (1,)),
        "Het spel is afgelopen met de beurt waarin de eerste rode muur is gebouwd: Ben won.",
    ),
]


@pytest.mark.usefixtures("dutch")
@pytest.mark.parametrize(("fact", "said"), IN_DUTCH)
def test_what_happened_is_said_in_dutch(fact: Event, said: str) -> None:
    before = [AlexanderMarched(1, LARISSA, (A3, B4, C3), (), 0)] if isinstance(fact, TurnEnded) else []
    *_, sentence = narrate_events([*before, fact], known())
    assert sentence == said


@pytest.mark.usefixtures("language")
def test_every_reason_to_end_has_its_words() -> None:
    ends = [
        GameClosed((0,)) if reason == "agreement" else GameEnded(reason, (0,))
        for reason in get_args(EndReason)
    ]
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
    log = list(stored_games.stored(name))
    for reader in (0, None):
        other: list[Event] = [
            replace(fact, card=HORSE if fact.card is not HORSE else LYRE)
            if isinstance(fact, CardDrawn) and fact.seat != reader
            else fact
            for fact in log
        ]
        assert other != log
        seen = view(stored_games.positions(name)[-1], reader)
        assert narrate_events([veil_event(fact, reader) for fact in log], seen) == narrate_events(
            [veil_event(fact, reader) for fact in other], seen
        )


def test_deeds_alike_are_one_sentence() -> None:
    facts: list[VisibleEvent] = [veil_event(CardDrawn(1, TEMPLE), 0), veil_event(CardDrawn(1, LYRE), 0)]
    assert narrate_events(facts, known()) == ["Ben drew 2 cards from the supply."]
    assert narrate_events([CardDrawn(0, LYRE), CardDrawn(0, LYRE)], known()) == [
        "You drew 2 lyres from the supply."
    ]


def test_a_turn_that_ended_by_itself_is_not_told() -> None:
    march = AlexanderMarched(1, LARISSA, (A3, B4, C3), (), 0)
    spent: list[VisibleEvent] = [march, CardTaken(1, LYRE), CardTaken(1, HORSE), TurnEnded(1)]
    assert len(narrate_events(spent, known())) == 2
    assert len(narrate_events([march, TurnEnded(1)], known())) == 2


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("names", [NASTY_NAMES, ("draw", "end; draw", "take lyre", "x\ndraw")])
def test_no_sentence_is_an_order(name: str, names: tuple[str, ...]) -> None:
    seats = len(stored_games.positions(name)[0].hands)
    final = stored_games.positions(name)[-1]
    final = replace(final, table=final.table.but(names=names[:seats]))
    for reader in (0, 1, None):
        for sentence in narrate_events(
            [veil_event(fact, reader) for fact in stored_games.stored(name)], view(final, reader)
        ):
            assert "\n" not in sentence
            with pytest.raises(ActionRefused):  # a message is played whole or not at all
                _ = [parse(line, BOARD) for line in sentence.split(";")]


@pytest.mark.parametrize("name", STORED)
def test_a_whole_game_reads_as_approved(name: str) -> None:
    final = view(stored_games.positions(name)[-1], 1)
    story = narrate_events([veil_event(fact, 1) for fact in stored_games.stored(name)], final)
    approved(f"story-{name}.txt", "\n".join(story) + "\n")


@pytest.mark.usefixtures("dutch")
def test_a_whole_game_reads_as_approved_in_dutch() -> None:
    final = view(stored_games.positions("three-players")[-1], 1)
    story = narrate_events([veil_event(fact, 1) for fact in stored_games.stored("three-players")], final)
    approved("story-three-players.nl.txt", "\n".join(story) + "\n")


# --- marks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STORED)
def test_marks_show_what_happened_since_the_last_turn(name: str) -> None:
    for at, seat in stored_games.turns(name):
        made = stored_games.letter_context(name, at, seat)
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
    for at, seat in stored_games.turns(name):
        made = stored_games.letter_context(name, at, seat)
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
