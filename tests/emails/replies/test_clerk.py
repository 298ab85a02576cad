"""What is proposed for mails in people's own words: legal turns that agree with all that they say."""

import time

import pytest

from emails.replies.clerk.mentions import count_slips
from emails.replies.clerk.proposals import ProposalKind, TurnProposal, propose
from engine.actions import Illegal
from engine.notation.grammar import read_canonical
from engine.position import view
from engine.rules import play_out
from tests.clerk.corpus import board, points, position
from tests.clerk.judging import first_card

CARD, MARCH, ACTIONS, THREE = "p01", "p02", "p04", "p44"
"""Decisions: before a card, before a march, and two before the actions, among two and three players."""


def proposed(text: str, point: str, language: str = "en") -> TurnProposal:
    now = position(point)
    choices = {letter: "; ".join(orders) for letter, orders in points()[point].choices.items()}
    return propose(text.split("\n"), view(now, now.table.seat), choices, (language,))


def orders(text: str, point: str, language: str = "en") -> list[str]:
    return ["; ".join(one.orders) for one in proposed(text, point, language).readings]


SESTOS = "choose temple; march Sestos A5-A7-B8"
ATHENS = "play amphora; march Athens A5-B6-C7-D6"
THIRD = "choose lyre; march Gordium A5-B6-B8-C9; occupy Perinthus; draw"
FIRST = [
    (CARD, "en", "I'd love the temple, off to Sestos at B8 via A7", SESTOS),
    (CARD, "en", "ok so temple to sestos (a7, b8) and then draw 2 please!", f"{SESTOS}; draw; draw"),
    (CARD, "en", "Tempel to Sestso, B8 by A7, two cards", f"{SESTOS}; draw; draw"),
    (CARD, "en", "I take the temple from the table. Then Alexander walks A7, B8.", SESTOS),
    (CARD, "en", "🏛 → Sestos B8 via A7", SESTOS),
    (CARD, "en", "the second one please", "choose lyre; march Gordium A5-A7-B8-C9; draw; draw"),
    (CARD, "en", "I think I'll go with c", THIRD),
    (CARD, "en", "Not the lyre; temple to Sestos, A7-B8", SESTOS),
    (CARD, "en", "lyre to Gordium, no wait, temple to Sestos via A7 to B8", SESTOS),
    (CARD, "en", "B8 via A7 with the temple I'd say", SESTOS),
    (CARD, "en", "- temple\n- Sestos, B8 via A7\n- draw\n- draw", f"{SESTOS}; draw; draw"),
    (CARD, "en", "use my amphora: Athens D6 via B6 and C7", ATHENS),
    (CARD, "nl", "doe mij de tempel maar, lekker naar Sestos, B8 via A7", SESTOS),
    (CARD, "nl", "tempel pakken, over A7 naar B8, en twee kaartjes graag", f"{SESTOS}; draw; draw"),
    (
        CARD,
        "nl",
        "ik gooi m'n kruik weg en loop naar Athene, D6 via B6, C7",
        "play amphora; march Athens A5-B6-C7-D6",
    ),
    (
        CARD,
        "nl",
        "de derde uit het lijstje",
        "choose lyre; march Gordium A5-B6-B8-C9; occupy Perinthus; draw",
    ),
    (MARCH, "en", "let him walk to E11 and get me that temple", "march Celaenae F10-E11; take temple"),
    (MARCH, "en", "To e11 pls, then both open cards", "march Celaenae F10-E11; take temple; take lyre"),
    (MARCH, "nl", "naar E11 graag, en dan nog de harp", "march Celaenae F10-E11; take lyre"),
    (MARCH, "nl", "E11, dan eentje van de stapel en de tempel", "march Celaenae F10-E11; draw; take temple"),
    (ACTIONS, "en", "Guard on Aegae, then taxes with the horse", "occupy Aegae; levy horse"),
    (ACTIONS, "en", "please bring my guard home from Ephesus", "recall Ephesus"),
    (ACTIONS, "en", "kick Anna out of Athens!", "takeover Athens"),
    (ACTIONS, "en", "levvy with a soldeir and grab the horse", "levy soldier; take horse"),
    (ACTIONS, "en", "two cards, face down", "draw; draw"),
    (ACTIONS, "en", "a card off the deck and the lyre", "draw; take lyre"),
    (ACTIONS, "en", "take Philippi back, then put it on Aegae", "recall Philippi; occupy Aegae"),
    (ACTIONS, "en", "I'd like Aegae please", "occupy Aegae"),
    (ACTIONS, "en", "nothing but a horse from the display, done", "take horse"),
    (ACTIONS, "en", "taxes (temple) and that's it", "levy temple; end"),
    (ACTIONS, "en", "12 points please, discard a horse for it", "levy horse"),
    (ACTIONS, "nl", "ik wil Athene van Anna afpakken", "takeover Athens"),
    (ACTIONS, "nl", "stadhouder op Aegae en belasting innen met de soldaat", "occupy Aegae; levy soldier"),
    (ACTIONS, "nl", "Philippi terughalen graag", "recall Philippi"),
    (ACTIONS, "nl", "eerst Aegae bezetten, daarna een kaart trekken", "occupy Aegae; draw"),
    (ACTIONS, "nl", "tweemaal trekken", "draw; draw"),
    (THREE, "en", "Aegae, Anna gets a temple and two lyres", "takeover Aegae give temple+lyre+lyre"),
    (THREE, "en", "snatch the amphora and levy with my soldier", "take amphora; levy soldier"),
    (THREE, "nl", "pak de kruik en hef met de soldaat", "take amphora; levy soldier"),
]


@pytest.mark.parametrize(("point", "language", "text", "meant"), FIRST)
def test_what_is_meant_stands_first(point: str, language: str, text: str, meant: str) -> None:
    found = orders(text, point, language)
    assert found
    assert found[0].removesuffix("; end") == meant.removesuffix("; end")
    assert len(found) <= 3


AGAINST = [
    (CARD, "en", "temple to Sestos, but only if it lays no red wall", ProposalKind.CONDITION),
    (CARD, "en", "If Ben lets me: temple to Sestos", ProposalKind.CONDITION),
    (CARD, "en", "Should I go to Sestos with the temple?", ProposalKind.QUESTION),
    (CARD, "en", "what about the temple to Sestos?", ProposalKind.QUESTION),
    (CARD, "en", "Next turn I will march to Gordium", ProposalKind.PLAN),
    (CARD, "en", "temple to Sestos B8. Forget it, I need to think", ProposalKind.RETRACTION),
    (CARD, "en", "temple to Sestos B8\n\nno wait", ProposalKind.RETRACTION),
    (CARD, "en", "What a lovely day it is, the cherries are ripe", ProposalKind.NOTHING),
    (CARD, "en", "well played last night, Anna!", ProposalKind.NOTHING),
    (CARD, "nl", "tempel naar Sestos, maar alleen als het mag van Anna", ProposalKind.CONDITION),
    (CARD, "nl", "zal ik met de tempel naar Sestos gaan?", ProposalKind.QUESTION),
    (CARD, "nl", "volgende beurt ga ik naar Gordium", ProposalKind.PLAN),
    (CARD, "nl", "tempel naar Sestos. laat maar", ProposalKind.RETRACTION),
    (CARD, "nl", "De kersen zijn rijp en de zon schijnt", ProposalKind.NOTHING),
]


@pytest.mark.parametrize(("point", "language", "text", "kind"), AGAINST)
def test_nothing_is_proposed_that_contradicts_a_word(
    point: str, language: str, text: str, kind: ProposalKind
) -> None:
    found = proposed(text, point, language)
    assert not found.readings
    assert found.kind is kind


def test_what_is_denied_is_not_proposed() -> None:
    for text in ("levy please, not with the horse", "tax them, but don't use a horse"):
        found = orders(text, ACTIONS)
        assert found
        assert not any("levy horse" in one for one in found)


def test_either_of_two_things_is_proposed() -> None:
    assert {"take horse", "take lyre"} <= set(orders("the horse or the lyre from the display", ACTIONS))


def test_what_no_rule_allows_is_said_with_its_reason() -> None:
    found = proposed("Let's head to Athens with the temple, shall we", CARD)
    assert not found.readings
    assert found.objection is not None
    assert isinstance(found.objection.illegal, Illegal)
    assert found.objection.illegal.rule == "4.3"
    late = proposed("temple to Sestos, B8 via A7, then I tax everybody with my horse", CARD)
    assert late.objection is not None
    assert late.objection.illegal.rule == "5.11"


def test_every_proposal_is_legal() -> None:
    for point, language, text, _ in FIRST[::4]:
        after = position(point)
        seat = after.table.seat
        for one in proposed(text, point, language).readings[:1]:
            for words in one.orders:
                _, after = play_out(after, seat, read_canonical(words, board()), first_card)


def test_words_that_have_no_part_in_it_are_named_as_they_were_written() -> None:
    assert "Zeus" in proposed("Zeus willing the temple to Sestos, B8 via A7", CARD).unplaced


def test_a_slip_is_counted_by_letters_and_a_swap_once() -> None:
    assert count_slips("larisa", "larissa", 2) == 1
    assert count_slips("sestso", "sestos", 2) == 1
    assert count_slips("troy", "memphis", 2) > 2


def test_no_text_takes_long() -> None:
    hard = " ".join(["temple lyre Sestos Gordium Athens B8 A7 C9 draw levy take occupy or horse 2 a b"] * 60)
    begun = time.process_time()
    proposed(hard, CARD)
    proposed("x" * 100_000, CARD)
    assert time.process_time() - begun < 1.0
