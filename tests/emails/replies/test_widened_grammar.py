"""Orders told in sentences: what is read of them in each language, and what is left to be asked about."""

import pytest

from emails.languages.lexicon import lexicon_of
from engine.actions import ActionRefused
from engine.notation.orders import OrderLine
from engine.notation.parser import parse_line, spell_out
from tests.clerk.corpus import board
from tests.emails.positions import BOARD
from tests.emails.replies.test_remarks import plays, said
from tests.spoken import parse

CHOICES = {"a": "draw", "b": "end", "c": "levy horse"}
READ = {
    "counts": """
        en: draw 2 | two blind cards | draw x2 = draw; draw
        en: 2x draw | 2 cards from the deck | draw two cards = draw; draw
        nl: trek 2 | 2x trekken = draw; draw
        nl: tweemaal blind | trek twee kaarten | twee kaarten van de stapel = draw; draw
        en: draw 1 | a card from the deck | draw one card | pick up one from the stack = draw
        nl: kaart trekken | ik trek een kaart | een gedekte kaart | Kaartje trekken graag. = draw
        en: grab the horse and a card | grab the horse, then 1 card = take horse; draw
    """,
    "choices": """
        en: OK, a! | just a | go with a | choice a please = draw
        en: I'll take a | a it is | Let's do a | first option = draw
        nl: doe a maar | ik neem a | optie a graag | keuze a svp | ik ga voor a | de a dus = draw
        en: a, then c | a and c | option a and then c = draw; levy horse
        nl: a, dan c | a en c = draw; levy horse
        en: second choice please | the second option = end
        nl: tweede keuze graag | de tweede optie = end
    """,
    "the march": """
        en: to E11 please | E11 | just to E11 | he goes to E11 = march E11
        nl: naar E11 | alleen naar E11 graag | alexander gaat naar E11 = march E11
        en: C9, B8 | C9 then B8 | C9 -> B8 | walk C9, B8 = march C9-B8
        nl: C9, dan B8 | loop C9, B8 = march C9-B8
        en: B8 by way of C9 | via C9 to B8 | to B8 over C9 = march via C9 to B8
        nl: B8 via C9 | langs C9 naar B8 | over C9 naar B8 = march via C9 to B8
        en: to Troy, corner three | Troy. Corner 3 please. = march Troy 3
        nl: naar Troje, hoek drie | Troje hoek 3 = march Troy 3
        en: Larissa = march Larissa
    """,
    "cards and marches": """
        en: horse, then E11 | horse to E11 | 🐴 → E11 = ? horse; march E11
        nl: paard naar E11 | paard, dan naar E11 = ? horse; march E11
        en: horse from the display to Troy (E11) = take horse; march Troy E11
        en: I'll take the horse from the table, to Troy, E11 = take horse; march Troy E11
        nl: paard van tafel naar Troje, E11 = take horse; march Troy E11
        nl: ik neem het paard en loop naar Troje op E11 = take horse; march Troy E11
        en: discard horse, E11 = play horse; march E11
        en: horse from my hand, to E11 | I'm using a horse out of my hand: E11 = play horse; march E11
        nl: paard uit mijn hand, naar E11 = play horse; march E11
        nl: ik leg het paard af en ga naar E11 | paard wegdoen, E11 = play horse; march E11
    """,
    "guards": """
        en: guard on Troy | put a guard on Troy | place a guard in Troy = occupy Troy
        nl: stadhouder op Troje | zet een stadhouder op Troje = occupy Troy
        nl: Troje bezetten | ik wil Troje bezetten = occupy Troy
        en: guards on Sparta and Corinth = occupy Sparta+Corinth
        en: attack Troy | I want to take over Troy = takeover Troy
        nl: Troje overnemen | ik wil Troje veroveren = takeover Troy
        en: bring the guard home from Troy = recall Troy
        en: take the Troy guard back | fetch the guard on Troy back = recall Troy
        nl: stadhouder van Troje terug | ik wil de stadhouder van Troje terughalen = recall Troy
    """,
    "cards and taxes": """
        en: take horse and temple = take horse; take temple
        en: I'd like the horse and the temple from the display = take horse; take temple
        nl: neem paard en tempel | ik wil het paard en de tempel pakken = take horse; take temple
        en: I'd like the horse from the display please = take horse
        en: I'll grab the horse | pick up the horse = take horse
        nl: paard erbij pakken | ik pak het paard | het paard van tafel graag = take horse
        en: tax with my horse | collect taxes with the horse = levy horse
        en: horse for taxes | I'll levy using the horse = levy horse
        nl: belasting innen met het paard | ik wil heffen met een paard | belasting met paard = levy horse
    """,
    "headings": """
        en: March: Troy E11 | My move: to Troy E11 = march Troy E11
        nl: Mijn zet: naar Troje, E11 = march Troy E11
        en: Actions: draw, then take the horse = draw; take horse
    """,
}
"""By classes: in a language, several ways to say one thing, and what that is. A card alone has no verb."""
ASKED = """
    en: a / no wait, c | a or c | a? | not a
    en: a but not c | horse or lyre | Troy or Sparta | E11 / E9 | a, or else c
    nl: a of c | niet a | paard of harp | toch liever c | E11 of E9
    en: take Troy | two cards please | draw 3 | draw 0
    en: 2 draw | draw draw | horse taken | Larissa occupied | 1. draw
    nl: neem Troje | twee kaarten | trek drie | pak een kaart
    en: maybe draw | I'd draw | don't draw
    en: I would draw if I could | draw later | draw next turn | I took the horse
    nl: misschien trekken | ik zou trekken | niet trekken | later trekken | ik heb getrokken
    en: guard on Troy, two cards | horse -> lyre | two guards on Troy
    en: Troy, Sparta | back | from Troy to E11
    en: draw please, to Troy | to Troy, then to Sparta | draw, then to Troy please
    en: Stop! | Done! | the end | play safe
    en: E11 to the left | take the horse from Troy | the first | march home
    en: take a card | take two cards | occupy Troy, pay the horse | guard on Troy paying my horse
"""
"""What could mean two things, or nothing of the game."""


def rows(table: str) -> list[tuple[str, str, str]]:
    """Each line of a table with its language and what it orders."""
    found = []
    for row in filter(None, map(str.strip, table.splitlines())):
        language, _, said = row.partition(": ")
        lines, _, orders = said.partition(" = ")
        found += [(language, line.strip(), orders) for line in lines.split(" | ")]
    return found


def read(language: str, line: str) -> OrderLine:
    return parse_line(line, board(), CHOICES, lexicon_of(language).orders)


def spelled(line: OrderLine) -> str:
    """What a line orders, a card alone behind a question mark."""
    words = [spell_out(one, board()) for one in line.orders]
    bare = [one.verb is None for one in line.orders]
    return "; ".join(f"? {said}" if alone else said for said, alone in zip(words, bare, strict=True))


@pytest.mark.parametrize("kind", READ)
def test_what_people_say_is_read(kind: str) -> None:
    wrong = [
        (line, spelled(found) or str(found.refusal), orders)
        for language, line, orders in rows(READ[kind])
        if spelled(found := read(language, line)) != orders
    ]
    assert not wrong


def test_what_could_mean_two_things_is_not_read() -> None:
    found = [(line, spelled(read(language, line))) for language, line, _ in rows(ASKED)]
    assert not [one for one in found if one[1]]


@pytest.mark.parametrize(
    "text",
    [
        "draw\n\nthe horse please",
        "draw\nI'll take the horse",
        "I'll take the horse\n\ndraw",
        "a\n\nlet's do c",
        "let's do c\n\na",
        "I'll take the horse\n\nI'd like the temple",
        "to E11\nAnna\nto E9 please",
    ],
)
def test_sentences_beside_other_orders_may_be_meant_instead_of_them(text: str) -> None:
    assert not plays(said(text, CHOICES))


def test_a_province_is_taken_only_from_who_is_named() -> None:
    (order,) = read("en", "I'm taking Perinthus off Anna").orders
    assert (order.verb, order.holder) == ("takeover", "anna")


@pytest.mark.parametrize(
    "text",
    [
        "- choose horse\n- march Troy\n- draw",
        "1. choose horse\n2. march Troy\n3. draw",
        "1) choose horse\n2) march Troy\n3) draw",
        "\u2022 choose horse\n\u2022 march Troy\n\u2022 draw",
        "1. b\n2. a",
    ],
)
def test_marks_of_a_list_are_passed_over_where_all_its_items_are_orders(text: str) -> None:
    found = said(text, CHOICES)
    if text.startswith("1. b"):  # choices with numbers before them are ranked
        assert not plays(found)
    else:
        assert plays(found)
        assert [order.verb for line in found.orders for order in line.orders] == ["choose", "march", "draw"]


@pytest.mark.parametrize(
    "line", ["Elküldve a telefonomról", "Trimis de pe telefonul meu", "Sendt fra min telefon"]
)
def test_a_phone_signs_in_its_own_language(line: str) -> None:
    assert plays(said(f"draw\n{line}"))


def test_headers_that_have_run_into_a_rule_are_no_words_of_their_reader() -> None:
    assert plays(said("draw\n-----Von: Alexandros\nBetreff: Friday\n\nIt is your turn."))


def test_what_stands_below_marked_lines_under_a_rule_is_found() -> None:
    found = said("-----Original Message-----\n> It is your turn.\n> a) draw\n\ntake horse\n")
    assert [line.words for line in found.orders] == ["take horse"]


def test_one_card_is_all_that_is_played_where_one_card_is_all_that_is_said() -> None:
    for words in ("horse", "play the temple"):
        (line,) = said(words).orders
        assert len(line.orders) == 1
        assert line.orders[0].verb != "march"


@pytest.mark.parametrize(
    "text", ["Hi Ben, draw a card", "Good evening all! I'll draw.", "Lovely weather here. Draw."]
)
def test_harmless_talk_may_stand_before_an_order_in_its_line(text: str) -> None:
    assert plays(said(text))


@pytest.mark.parametrize(
    "text", ["Not yet, draw", "Should I? Draw", "If Ben agrees, draw", "Later. Draw", "Wait. Draw"]
)
def test_talk_that_doubts_before_an_order_in_its_line_is_asked_about(text: str) -> None:
    assert not plays(said(text))


@pytest.mark.parametrize("text", ["take horse and a card", "take horse, a card", "neem paard en een kaart"])
def test_one_more_card_that_is_not_named_is_drawn_and_not_passed_over(text: str) -> None:
    assert parse(text, BOARD) == parse("take horse; draw", BOARD)
    assert parse("take the horse card", BOARD) == parse("take horse", BOARD)


@pytest.mark.parametrize("text", ["occupy Aegae and a card", "bezet Aegae en een kaart"])
def test_one_more_card_behind_guards_may_be_what_is_paid_and_is_asked_about(text: str) -> None:
    with pytest.raises(ActionRefused):
        parse(text, BOARD)
