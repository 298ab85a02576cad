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
NUMBER = "leave out the number before the action"
SIGNS = "an action has only words, numbers, and the signs “,” “+” and “-”"
NUMBERS = {"1": "C5", "2": "C3", "3": "occupy Memphis", "4": "choose lyre; march Larissa C5", "12": "end"}


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
        ("choose lyre march Larissa C3", "choose lyre; march Larissa C3"),
        ("draw & draw", "draw; draw"),
        ("take lyre, take Troy back", "take lyre; recall Troy"),
        ("take Troy back and take lyre", "recall Troy; take lyre"),
        ("trek terug Troy", "recall Troy"),
        ("trek en terug Troy", "draw; recall Troy"),
        ("trek, terug Troy", "draw; recall Troy"),
        ("haal de stadhouder terug uit Troy, neem paard", "recall Troy; take horse"),
        (
            "neem Aegae en Larissa over geef paard en harp, trek",
            "takeover Aegae+Larissa give horse+lyre; draw",
        ),
        ("occupy Aegae, Larissa and Troy then levy lyre", "occupy Aegae+Larissa+Troy; levy lyre"),
        ("bezet Aegae plus Troy, hef harp", "occupy Aegae+Troy; levy lyre"),
        ("draw, thanks", "draw"),
        ("please draw", "draw"),
        ("Please draw a card", "draw"),
        ("pls draw", "draw"),
        ("draw pls", "draw"),
        ("and draw", "draw"),
        ("then take lyre", "take lyre"),
        ("en klaar", "end"),
        ("En dan trek, aub", "draw"),
        ("levy tax", "levy"),
        ("levy taxes with lyre", "levy lyre"),
        ("levy tax with lyre, draw", "levy lyre; draw"),
        ("hef belasting met harp", "levy lyre"),
        ("take my guard back", "recall"),
        ("haal mijn stadhouder terug", "recall"),
        ("recall", "recall"),
        ("march Larissa via B4", "march Larissa via B4"),
        ("march to Larissa, corner C5, via B4", "march Larissa via B4 to C5"),
        ("Marcheer naar Larissa, hoek C5, langs B4", "march Larissa via B4 to C5"),
        ("march via B2 and B4 to C5", "march via B2-B4 to C5"),
        ("march via B2-B4, corner C5", "march via B2-B4 to C5"),
        ("march over B4 to C5", "march via B4 to C5"),
        ("lyre C5 by B4", "lyre; march via B4 to C5"),
        ("march from A3 to C5 via B4", "march from A3 via B4 to C5"),
        ("ga van A3 naar de hoek C5 van Larissa", "march Larissa from A3 C5"),
        ("march from A3-B4-C5", "march from A3 B4-C5"),
        ("march A3 -> B4 \u2013 C5", "march A3-B4-C5"),
    ],
)
def test_one_line_may_hold_several_actions(line: str, meant: str) -> None:
    assert said(line) == meant


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("draw or take lyre", "say which one of them you mean"),
        ("trek of neem harp", "say which one of them you mean"),
        ("choose lyre or horse", "say which one of them you mean"),
        ("lyre of harp", "say which one of them you mean"),
        ("march Larissa of C5", "say which one of them you mean"),
        ("marcheer C5 of Larissa", "say which one of them you mean"),
        ("occupy Troy or Aegae", "say which one of them you mean"),
        ("1 or 2", "“1” is an answer only on a line of its own: say it in words here"),
        ("1. choose lyre", NUMBER),
        ("2) march Larissa C3", NUMBER),
        ("(3) draw", NUMBER),
        ("march Larissa C3, 2. draw", SIGNS),
        ("choose lyre 2 march Larissa", "“2” is an answer only on a line of its own: say it in words here"),
        ("draw draw", "put a comma before “draw” if it is an action of its own"),
        ("ga naar Troy terug", "say recall and the place of the guard"),
        ("haal één terug", "say recall and the place of the guard"),
        ("march Larissa C3 and", "say what comes after “and”"),
        ("trek, dan", "say what comes after “dan”"),
        ("and hello", "“hello” is no action"),
        ("and then", "“then” is no action"),
        ("dan pas", "say end alone"),
        ("march A3 then B4", "“B4” is no action"),
        ("march Larissa, then Troy", "“Troy” is no action"),
        ("neem een kaart terug Troy", "“kaart” is no place, point or symbol"),
        ("take, Troy", "say take and one symbol"),
        ("lyre horse", "say the card alone, or the card and the corner"),
        ("Stop!", "say end alone"),
        ("trek en stop!", "say end alone"),
        ("draw?", "leave out the question mark if you mean it"),
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
        ("occupy Troy. Aegae", SIGNS),
        ("take lyre -> draw", SIGNS),
        ("choose lyre - march Larissa C3", SIGNS),
        ("march Larissa > C3", SIGNS),
        ("occupy Troy from Aegae", "say occupy and the places of the guards"),
        ("occupy Troy via Aegae", "say occupy and the places of the guards"),
        ("bezet Troy van Aegae", "say occupy and the places of the guards"),
        ("march from Larissa to C3", "say march, a place, and the corner or the path"),
        ("march via Larissa to C3", "say march, a place, and the corner or the path"),
        ("march from A3 from B4", "say march, a place, and the corner or the path"),
        ("march from A3", "say march, a place, and the corner or the path"),
        ("march Larissa via", "say what comes after “via”"),
        ("march Larissa via corner", "say what comes after “corner”"),
        ("march C3 over", "say what comes after “over”"),
        ("end with", "say what comes after “with”"),
        ("end turn with", "say what comes after “with”"),
        ("Stop met", "say what comes after “met”"),
        ("klaar met", "say what comes after “met”"),
        ("levy with", "say what comes after “with”"),
        ("draw the", "say what comes after “the”"),
        ("occupy Troy with", "say what comes after “with”"),
        ("haal stadhouder terug uit", "say what comes after “uit”"),
        ("take back", "say recall and the place of the guard"),
        ("terug", "say recall and the place of the guard"),
        ("trek terug", "say recall and the place of the guard"),
        ("neem terug", "say recall and the place of the guard"),
        ("trek, terug", "say recall and the place of the guard"),
        ("draw, take it back", "“it” is no place, point or symbol"),
        ("draw from the display", "“display” is no place, point or symbol"),
        ("take lyre from the supply", "“supply” is no place, point or symbol"),
        ("draw from the card", "say draw alone"),
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
    | please stop | L | L. | M. Larissa | R. Troy | r. troy | T | A. C. Gaza | dr Troy | 1. draw | I draw
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
    "line",
    """
    1 | #1 | 1. | 1) | 1! | corner 1 | hoek 1 | 1, please | 1 thanks | march 1 | march to corner 1
    | ga naar hoek 1 | march #1
    """.split("|"),
)
def test_a_number_stands_for_a_corner(line: str) -> None:
    assert said(line.strip(), NUMBERS) == "march C5"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("march Larissa 1", "march Larissa C5"),
        ("march via 2 to 1", "march via C3 to C5"),
        ("march 1, draw", "march C5; draw"),
        ("lyre 1", "lyre; march C5"),
        ("3", "occupy Memphis"),
        ("4", "choose lyre; march Larissa C5"),
        ("#12", "end"),
    ],
)
def test_a_number_stands_for_orders_or_in_a_march_for_a_point(line: str, meant: str) -> None:
    assert said(line, NUMBERS) == meant


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("nr 5", "“nr” is no action"),
        ("march 100", "“100” stands for nothing here: say it in words"),
        ("march C3-5", "say march, a place, and the corner or the path"),
        ("march via 5", "say march, a place, and the corner or the path"),
        ("lyre 5 6", "say march, a place, and the corner or the path"),
        ("01", "“01” stands for nothing here: say it in words"),
        ("march 3", "“3” stands for nothing here: say it in words"),
        ("draw 1", "“1” is an answer only on a line of its own: say it in words here"),
        ("1 2", "“1” is an answer only on a line of its own: say it in words here"),
        ("1, draw", "“1” is an answer only on a line of its own: say it in words here"),
        ("march 1 draw", "put a comma before “draw” if it is an action of its own"),
        ("march 1. draw", SIGNS),
        ("lyre 1 draw", "put a comma before “draw” if it is an action of its own"),
        ("march 1, no 2", "“no” is no place, point or symbol"),
        ("march 1 no. 2", SIGNS),
        ("march C3, no. 1", SIGNS),
        ("march 1 - no 2", SIGNS),
        ("march no 1", "“no” is no place, point or symbol"),
        ("lyre 1 no 2", "“no” is no place, point or symbol"),
        ("corner 3", "“3” stands for nothing here: say it in words"),
        ("hoek 12", "“12” stands for nothing here: say it in words"),
        ("punt 4", "“4” stands for nothing here: say it in words"),
        ("point 3", "“3” stands for nothing here: say it in words"),
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
    b | B | b. | b) | (b) | B! | b, please | b thanks | please b | B, thank you | option b | choice B
    | keuze b | kies b | choose b. | letter b | b, bedankt | graag b
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
    | a. Lyre to Larissa; draw. | plan b | b b | a horse | c | A B C | vitamin b | 1b | b1
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
        ("corner 2", "march 2"),
        ("hoek 2", "march 2"),
        ("#2", "march 2"),
        ("march 2", "march 2"),
        ("march Larissa 2", "march Larissa 2"),
        ("lyre 2", "lyre; march 2"),
        ("lyre 2, draw", "lyre; march 2; draw"),
        ("harp 2 via C3", "lyre; march via C3 to 2"),
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
    assert why("draw AND") == "say what comes after “AND”"
    assert why("draw Draw") == "put a comma before “Draw” if it is an action of its own"


def test_begins_tells_what_may_be_an_order_by_its_first_word() -> None:
    for line in ("draw", "Lyre", "3", "nr 3", "corner 3", "trek je niets aan", "and draw"):
        assert looks_like_order(line), line
    for line in ("Anna", "L", "L. Smith", "so", "nr", "hello", "- draw", "", "Ben", "dr", "and lyre"):
        assert not looks_like_order(line), line
