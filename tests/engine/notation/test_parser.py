"""Lines as people write them: several actions, numbers; and what is refused on purpose."""

from string import ascii_lowercase

import pytest

from emails.languages.lexicon import lexicon_of
from engine.actions import NotOffered, Unreadable
from engine.notation import parser
from engine.notation.orders import OrderLine, spell_out
from engine.notation.parser import NO_CHOICES
from engine.notation.vocabulary import Vocabulary
from tests.engine.build import alexandros
from tests.spoken import VOCABULARIES, VOCABULARY, looks_like_order, parse, parse_line

LAND = alexandros()
SIGNS = "an action has only words, numbers, and the signs “,” “+” and “-”"
NUMBERS = {"1": "draw", "3": "occupy Memphis", "4": "choose lyre; march Larissa C5", "12": "end"}


def said(line: str, numbers: dict[str, str] | None = None) -> str:
    return "; ".join(spell_out(one, LAND) for one in parse(line, LAND, numbers or NO_CHOICES))


def why(line: str, numbers: dict[str, str] | None = None) -> str:
    with pytest.raises(Unreadable) as caught:
        parse(line, LAND, numbers or NO_CHOICES)
    return str(caught.value)


def guesses(line: str) -> tuple[str, ...]:
    with pytest.raises(Unreadable) as caught:
        parse(line, LAND)
    return caught.value.did_you_mean


# --- several actions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("choose lyre, march Larissa C3, draw", "choose lyre; march Larissa C3; draw"),
        ("Choose lyre. March to Larissa, corner C3. Draw!", "choose lyre; march Larissa C3; draw"),
        ("lyre and march to Larissa then draw", "lyre; march Larissa; draw"),
        ("trek en neem harp", "draw; take lyre"),
        ("kies harp, dan marcheer Larissa C3 en daarna trek", "choose lyre; march Larissa C3; draw"),
        ("draw + take lyre", "draw; take lyre"),
        ("draw plus take lyre and then end turn", "draw; take lyre; end"),
        ("draw next stop", "draw; end"),
        ("draw & draw", "draw; draw"),
        ("trek terug Troy", "recall Troy"),
        ("trek en terug Troy", "draw; recall Troy"),
        ("trek, terug Troy", "draw; recall Troy"),
        ("occupy Aegae, Larissa and Troy then levy lyre", "occupy Aegae+Larissa+Troy; levy lyre"),
        ("bezet Aegae plus Troy, hef harp", "occupy Aegae+Troy; levy lyre"),
        ("levy taxes with lyre", "levy lyre"),
        ("levy tax with lyre, draw", "levy lyre; draw"),
        ("hef belasting met harp", "levy lyre"),
        ("march A3 -> B4 \u2013 C5", "march A3-B4-C5"),
        ("takeover Aegae, give lyre. Then draw", "takeover Aegae give lyre; draw"),
    ],
)
def test_one_line_may_hold_several_actions(line: str, meant: str) -> None:
    assert said(line) == meant


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("draw or take lyre", "“or” is no place, point or symbol"),
        ("trek of neem harp", "“of” is no place, point or symbol"),
        ("choose lyre or horse", "“or” is no place, point or symbol"),
        ("lyre of harp", "“of” is no place, point or symbol"),
        ("march Larissa of C5", "“of” is no place, point or symbol"),
        ("marcheer C5 of Larissa", "“of” is no place, point or symbol"),
        ("occupy Troy or Aegae", "“or” is no place, point or symbol"),
        ("1 or 2", "“1” is no action"),
        ("1. choose lyre", SIGNS),
        ("2) march Larissa C3", SIGNS),
        ("(3) draw", SIGNS),
        ("march Larissa C3, 2. draw", SIGNS),
        ("choose lyre 2 march Larissa", "“march” is no place, point or symbol"),
        ("draw draw", "“draw” is no place, point or symbol"),
        ("ga naar Troy terug", "“terug” is no place, point or symbol"),
        ("haal één terug", "“terug” is no place, point or symbol"),
        ("march Larissa C3 and", "“and” is no action"),
        ("trek, dan", "“dan” is no action"),
        ("and hello", "“and” is no action"),
        ("and then", "“and” is no action"),
        ("dan pas", "“dan” is no action"),
        ("march A3 then B4", "“B4” is no action"),
        ("march Larissa, then Troy", "“Troy” is no action"),
        ("neem een kaart terug Troy", "“terug” is no place, point or symbol"),
        ("take, Troy", "say take and one symbol"),
        ("lyre horse", "say march, a place, and the corner or the path"),
        ("Stop!", "say end alone"),
        ("trek en stop!", "say end alone"),
        ("draw?", SIGNS),
        ("levy! lyre", SIGNS),
        ("take over Larissa ... draw", SIGNS),
        ("draw. . occupy Memphis", SIGNS),
        ("takeover Larissa give lyre +", "“+” is no action"),
        ("draw &", "“&” is no action"),
        ("“draw”", SIGNS),
        ('"draw', SIGNS),
        ("“draw a card” and", SIGNS),
        ("“hello”", SIGNS),
        ("draw)", SIGNS),
        ("draw not", "“not” is no place, point or symbol"),
        ("do not draw", "“do” is no action"),
        ("don't draw", "“don't” is no action"),
        ("trek niet", "“niet” is no place, point or symbol"),
        ("if lyre draw", "“if” is no action"),
        ("draw unless stop", "“unless” is no place, point or symbol"),
        ("trek als klaar", "“als” is no place, point or symbol"),
        ("- draw", SIGNS),
        ("* draw", SIGNS),
        ("• Draw", SIGNS),
        ("> draw", SIGNS),
        ("(draw)", SIGNS),
        ("draw 👍", SIGNS),
        ("Draw :)", SIGNS),
        ("draw -", SIGNS),
        ("draw /", SIGNS),
        ("draw / take lyre", SIGNS),
        ("take lyre/horse", SIGNS),
        ("march A3/B4/C5", SIGNS),
        ("occupy Troy/Aegae", SIGNS),
        ("occupy Troy > Aegae", SIGNS),
        ("occupy Troy - Aegae", SIGNS),
        ("occupy Troy. Aegae", "“Aegae” is no action"),
        ("take lyre -> draw", SIGNS),
        ("choose lyre - march Larissa C3", SIGNS),
        ("march Larissa > C3", SIGNS),
        ("occupy Troy from Aegae", "“from” is no place, point or symbol"),
        ("bezet Troy van Aegae", "“van” is no place, point or symbol"),
        ("march from Larissa to C3", "“from” is no place, point or symbol"),
        ("march from A3", "“from” is no place, point or symbol"),
        ("march C3 over", "“over” is no place, point or symbol"),
        ("end with", "say end alone"),
        ("end turn with", "say end alone"),
        ("Stop met", "say end alone"),
        ("klaar met", "say end alone"),
        ("levy with", "say levy and one symbol"),
        ("draw the", "say draw alone"),
        ("occupy Troy with", "say occupy and the places of the guards"),
        ("haal stadhouder terug uit", "“terug” is no place, point or symbol"),
        ("take back", "say recall and the place of the guard"),
        ("terug", "say recall and the place of the guard"),
        ("trek terug", "say recall and the place of the guard"),
        ("neem terug", "say recall and the place of the guard"),
        ("trek, terug", "say recall and the place of the guard"),
        ("draw, take it back", "“it” is no place, point or symbol"),
        ("draw from the display", "“from” is no place, point or symbol"),
        ("thanks", "“thanks” is no action"),
        ("march", "say march, a place, and the corner or the path"),
    ],
)
def test_what_is_refused_on_purpose(line: str, sentence: str) -> None:
    for numbers in (None, NUMBERS):
        assert why(line, numbers) == sentence


# --- what is left to freer readers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    """
    lyr | hor | lyr C5 | c ly | take ly | neem paa | m Larissa C3 | m Lari C3 | march Lari C3 | dr | occ Mem
    | lyr, m Lari C3, dr | dr, r Troy | draw and end, thank you very much! | trek, alvast bedankt | "draw"
    | \u2018choose lyre, draw\u2019 | „trek“ | march to corner 1 of Larissa | march Larissa no. 1
    | take Troy back | march Larissa via B4 | march from A3 to C5 | take my guard back | recall | corner 1
    | please draw | choose lyre march Larissa C3 | please stop
    | L | L. | M. Larissa | R. Troy | r. troy | T | A. C. Gaza | dr Troy | 1. draw | I draw
    """.split("|"),
)
def test_abbreviations_and_sentences_are_no_orders(line: str) -> None:
    assert why(line.strip(), NUMBERS)


@pytest.mark.parametrize("vocabulary", [VOCABULARY, *(lexicon_of(code).orders for code in VOCABULARIES)])
def test_one_letter_is_that_of_a_choice_or_no_card(vocabulary: Vocabulary) -> None:
    offered = {"b": "draw", "j": "end"}
    for letter in set(ascii_lowercase) - offered.keys():
        with pytest.raises(NotOffered, match=f"there is no “{letter}” in that mail; it offers b, j"):
            parser.parse(letter, LAND, offered, vocabulary)
        for line in (letter, f"take {letter}", f"play {letter}", f"{letter} C5", f"{letter}, draw"):
            for choices in (offered, NO_CHOICES):
                found = parser.parse_line(OrderLine, line, LAND, choices, vocabulary).orders
                assert not any(said.symbols for said in found), line
    assert parser.parse("J", LAND, offered, vocabulary) == parser.parse("end", LAND)


# --- numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("3", "occupy Memphis"),
        ("4", "choose lyre; march Larissa C5"),
        ("#12", "end"),
    ],
)
def test_a_number_alone_stands_for_the_orders_of_its_choice(line: str, meant: str) -> None:
    assert said(line, NUMBERS) == meant


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("nr 5", "“nr” is no action"),
        ("march 100", "“100” is no place, point or symbol"),
        ("march C3-5", SIGNS),
        ("lyre 5 6", "say march, a place, and the corner or the path"),
        ("01", "“01” is no action"),
        ("march 3", "“3” is no place, point or symbol"),
        ("draw 1", "“1” is no place, point or symbol"),
        ("1 2", "“1” is no action"),
        ("1, draw", "“1” is no action"),
        ("march 1 draw", "“1” is no place, point or symbol"),
        ("march 1. draw", SIGNS),
        ("lyre 1 draw", "“1” is no place, point or symbol"),
        ("march 1, no 2", "“1” is no place, point or symbol"),
        ("march 1 no. 2", "“1” is no place, point or symbol"),
        ("march C3, no. 1", "“no” is no place, point or symbol"),
        ("march 1 - no 2", SIGNS),
        ("march no 1", "“no” is no place, point or symbol"),
        ("lyre 1 no 2", "“1” is no place, point or symbol"),
        ("corner 3", "“corner” is no action"),
        ("no .1", "“no” is no action"),
        ("no 1", "“no” is no action"),
        ("nr", "“nr” is no action"),
        ("1st", SIGNS),
        ("march 1st", SIGNS),
        ("-1", SIGNS),
        ("1%", SIGNS),
    ],
)
def test_any_other_number_is_refused(line: str, sentence: str) -> None:
    assert why(line, NUMBERS) == sentence


# --- letters --------------------------------------------------------------------------------------------

LETTERS = {"a": "choose lyre; march Larissa A3-B4-C5; draw", "b": "draw", "h": "end", "aa": "take horse"}


@pytest.mark.parametrize(
    "line",
    """
    b | B | b. | b) | (b) | B! | b, please | b thanks | b, bedankt
    """.split("|"),
)
def test_a_letter_alone_stands_for_a_choice(line: str) -> None:
    assert said(line.strip(), LETTERS) == "draw"
    found = parse_line(line.strip(), LAND, LETTERS)
    assert (found.answer, found.marks, found.refusal) == ("b", ["b"], None)
    assert parse_line(line.strip(), LAND).refusal is not None


def test_a_letter_stands_for_all_orders_of_its_choice() -> None:
    assert said("a", LETTERS) == "choose lyre; march Larissa A3-B4-C5; draw"
    assert said("aa", LETTERS) == "take horse"
    assert said("h", LETTERS) == "end"


@pytest.mark.parametrize(
    "line",
    """
    a b | a, b | a or b | not a | b? | -b | b: | b; | b then draw | draw b
    | a. Lyre to Larissa; draw. | plan b | b b | please b | option b
    | a horse | c | A B C | vitamin b | 1b | b1
    """.split("|"),
)
def test_a_letter_among_other_words_is_no_answer(line: str) -> None:
    with pytest.raises(Unreadable):
        parse(line.strip(), LAND, LETTERS)


# --- numbers of corners ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("2", "march 2"),
        ("#2", "march 2"),
        ("march 2", "march 2"),
        ("march Larissa 2", "march Larissa 2"),
        ("lyre 2", "lyre; march 2"),
        ("lyre 2, draw", "lyre; march 2; draw"),
        ("choose lyre, march 12", "choose lyre; march 12"),
    ],
)
def test_a_number_of_no_letter_is_that_of_a_corner(line: str, meant: str) -> None:
    assert said(line) == meant
    assert said(said(line).replace("; ", ", ")) == meant


# --- did you mean ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("take harp and draww", ("draw",)),
        ("neem sodaat", ("soldaat",)),
        ("bezet Larisa", ("Larissa",)),
        ("kis paard", ("kies",)),
        ("marsh Larissa", ("march",)),
        ("occupy Harm", ("Harmozia",)),
        ("take amp", ("amphora",)),
        ("dra", ("draw",)),
        ("do", ()),
    ],
)
def test_similar_words_are_suggested(line: str, words: tuple[str, ...]) -> None:
    assert set(words) <= set(guesses(line))


def test_a_refusal_repeats_words_as_they_were_written() -> None:
    assert why("Hello Anna") == "“Hello” is no action"
    assert why("take Pony") == "“Pony” is no place, point or symbol"
    assert why("draw AND") == "“AND” is no action"


def test_begins_tells_what_may_be_an_order_by_its_first_word() -> None:
    for line in ("draw", "Lyre", "3", "trek je niets aan"):
        assert looks_like_order(line), line
    for line in ("Anna", "L", "L. Smith", "so", "nr", "hello", "- draw", "", "Ben", "dr", "and draw"):
        assert not looks_like_order(line), line
