"""The words of orders in two languages: what is read, what is only a sentence, and what is written."""

import pytest

from engine.actions import ActionRefused, Ambiguous, Unreadable
from engine.board import Board
from engine.cards import Symbol
from engine.notation.orders import USAGES
from tests.engine.build import board, position, spelled
from tests.engine.notation.test_grammar import LAND, acting, marching, meant
from tests.spoken import VOCABULARIES, VOCABULARY, parse, translate_orders

# --- the vocabularies -----------------------------------------------------------------------------------


def test_every_language_has_a_word_for_everything() -> None:
    for own in VOCABULARIES.values():
        assert {*own.verbs.values()} == {*USAGES}
        assert {*own.symbols.values()} == {*Symbol}


def test_no_word_means_two_things() -> None:
    for kind in ("verbs", "symbols"):
        words = [word for own in VOCABULARIES.values() for word in getattr(own, kind)]
        assert len(words) == len(set(words))
    assert not set(VOCABULARY.verbs) & set(VOCABULARY.symbols)
    assert not VOCABULARY.small & (set(VOCABULARY.verbs) | set(VOCABULARY.symbols))


def test_whatever_begins_an_order_is_a_verb() -> None:
    """Who guards against lines that begin an order need look at the first word only."""
    assert {verb.split()[0] for verb in VOCABULARY.verbs} <= set(VOCABULARY.verbs)


# --- reading --------------------------------------------------------------------------------------------


def test_dutch_moves_are_read() -> None:
    card = position(LAND, phase="card")
    assert meant(card, "kies harp") == meant(card, "neem de harp") == spelled("choose lyre", LAND)
    assert meant(card, "speel soldaat") == spelled("play soldier", LAND)
    assert meant(card, "blijf") == spelled("stay", LAND)
    for line in (
        "marcheer Larissa A3-B4-C5",
        "marcheer naar Larissa, hoek C5",
        "ga naar punt C5",
        "marcheer met Alexander naar B4, C5",
        "march naar Larissa B4 to C5",
    ):
        assert meant(marching(), line) == spelled("march Larissa A3-B4-C5", LAND), line


def test_cards_given_are_read_in_either_language() -> None:
    strip = board("h...h...l.", start="A1")
    now = position(strip, hands=("horse horse lyre", "", ""), guards=("", "Ha"))
    for line in (
        "verover Ha+Hb geef paard+harp",
        "neem over Ha en Hb geef lyre + paard",
        "take over Ha and Hb geef harp horse",
    ):
        assert meant(now, line) == spelled("takeover Ha+Hb give horse+lyre", strip), line


def test_a_place_called_give_is_no_gift() -> None:
    """Only symbols are handed over: what comes before a place is a place."""
    strip = board("h...h...l.", start="A1")
    first, second, third = strip.names
    for name in ("Give", "Geef"):
        land = Board("Named", strip.start, strip.symbols, {first: name, second: "Hb", third: "La"})
        now = position(land, hands=("horse horse horse horse", "lyre"), guards=("", "Hb"))
        (said,) = parse(f"take over {name} and Hb", land)
        assert said.places == (first, second)
        (said,) = parse(f"takeover Hb {name} paard", land)
        assert said.places == (second,)
        assert meant(now, f"takeover {name} {name} paard") == spelled(f"takeover {name} give horse", land)


# --- sentences that are no orders -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    """
    Pas op
    Pas op!
    Pas op de kaart
    Stop met de belasting
    Stop in Alexander
    Stop ermee
    Klaar?
    Klaar voor de start
    Klaar met de kaart
    Trek in een kaart
    Trek de stadhouder
    Trek een muur
    Trek je niets aan
    Trek niet
    Terug naar de kaart
    Terug in een punt
    Terug van vakantie
    Hef op
    Hef het glas
    Blijf bij de kaart
    Blijf van de harp af
    Neem over
    Neem terug van de kaart
    Neem geen paard
    Haal de kaart
    Bezet Troy niet
    Kies harp niet
    Ga naar de kaart
    Ga zo door
    Bezet Troy of Larissa
    Marcheer Larissa D4 of C5
    Verover Aegae, geef paard of harp
    Hef paard of harp
    Veel plezier
    Tot ziens
    Succes
    Bedankt
    """.strip().splitlines(),
)
def test_a_sentence_is_no_order(line: str) -> None:
    for now in (acting(), marching(), position(LAND, phase="card")):
        with pytest.raises(Unreadable):
            meant(now, line.strip())


# --- writing --------------------------------------------------------------------------------------------


def test_orders_are_said_in_dutch() -> None:
    for text, dutch in {
        "choose lyre": "kies harp",
        "play temple": "speel tempel",
        "march Memphis D4-D6": "marcheer Memphis D4-D6",
        "stay": "blijf",
        "stay soldier": "blijf soldaat",
        "draw": "trek",
        "take amphora": "neem waterkruik",
        "occupy Aegae+Larissa": "bezet Aegae+Larissa",
        "takeover Aegae": "verover Aegae",
        "takeover Aegae+Larissa give temple+horse+horse": "verover Aegae+Larissa geef tempel+paard+paard",
        "levy horse": "hef paard",
        "recall Troy": "terug Troy",
        "end": "klaar",
        "soldier": "soldaat",
        "lyre Ecbatana": "harp Ecbatana",
        "choose lyre; march Memphis D4-D6": "kies harp; marcheer Memphis D4-D6",
        "choose lyre;draw": "kies harp;trek",
        "march Memphis D4-D6 or march Memphis D4-C5": "marcheer Memphis D4-D6 of marcheer Memphis D4-C5",
        "": "",
    }.items():
        assert translate_orders(text, "nl") == dutch
        assert translate_orders(text, "en") == translate_orders(text, "xx") == text


def test_a_place_is_never_translated() -> None:
    assert translate_orders("occupy horse+draw", "nl") == "bezet horse+draw"
    assert (
        translate_orders("march or C3-C5 or march Or C3-C5", "nl") == "marcheer or C3-C5 of marcheer Or C3-C5"
    )
    assert translate_orders("takeover give give horse", "nl") == "verover give geef paard"


# --- refusals -------------------------------------------------------------------------------------------


def test_a_refusal_keeps_its_sentence_and_its_values() -> None:
    for line, sentence, values in [
        ("chose lyre", "“%(word)s” is no action", {"word": "chose"}),
        ("take over Aegae C3", "say takeover, the places of the guards, give, the cards for the loser", {}),
        ("march Larissa", "Alexander has marched", {}),
    ]:
        with pytest.raises(ActionRefused) as caught:
            meant(acting(), line)
        assert (caught.value.sentence, caught.value.values) == (sentence, values)
    with pytest.raises(Ambiguous) as ambiguous:
        meant(position(LAND, hands=("horse lyre", ""), guards=("Troy Larissa",)), "levy")
    assert ambiguous.value.sentence == "it could mean %(actions)s"
    assert translate_orders(str(ambiguous.value.values["actions"]), "nl") == "hef paard of hef harp"
