"""What is written is read as it was meant, whatever places are called; and whatever is said is answered."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.actions import ActionRefused
from engine.board import Board
from engine.notation.orders import spell_out, write
from engine.position import view
from engine.rules import legal
from tests.engine.build import after, board, fence, position
from tests.engine.notation.test_grammar import LAND, marching, meant
from tests.spoken import VOCABULARIES, parse, translate_orders


def awkward(names: list[str]) -> Board:
    return Board.read(
        f"""
name = "Awkward"
start = "A1"
rows = ["h.l.s.t.a.h.", ".h.l.s.t.a.l"]
places = {[names[:6], names[6:]]}
"""
    )


AWKWARD = {
    "english": awkward("Horse Give Take Over Lyres To Card March A Temple Back End".split()),
    "dutch": awkward("Paard Geef Neem Over Harpen Naar Kaart Trek De Tempel Terug Klaar".split()),
    "joining": awkward("Then Plus Thanks Next Lyr Gr Daarna Dan Nr Please Hoek Draw".split()),
    "both": awkward("paard GIVE Haal of Lyre or Geef Terug en Stadhuis Back Verover".split()),
}


@pytest.mark.parametrize("land", AWKWARD.values(), ids=AWKWARD)
@pytest.mark.parametrize("seats", [2, 3])
def test_whatever_places_are_called_what_is_written_is_read(seats: int, land: Board) -> None:
    hoard = "temple temple amphora amphora horse horse lyre lyre soldier soldier"
    others = ("horse lyre",) * (seats - 1)
    first, second, *_, seventh, _, _, _, _, last = land.names.values()
    guards = (seventh, f"{second} {first}")
    held = position(land, hands=(hoard, *others), guards=guards, display="horse temple")
    west = [space for space in land.symbols if space.col < 7]
    walled = position(
        land, hands=(hoard, *others), guards=(last, second), display="lyre temple", walls=fence(land, west)
    )
    free = position(land, hands=(hoard, *others), guards=(last,), walls=fence(land, west))
    card = position(land, phase="card", hands=(hoard, *others), display="temple lyre", alexander="A7")
    for now in (held, walled, free, card, after(card, "choose temple", dice="horse")):
        actions = list(islice(legal(view(now, 0)), 3000))
        assert actions
        for action in actions:
            for language in VOCABULARIES:
                text = translate_orders(write(action, land), language)
                assert meant(now, text) == action, text
                (said,) = parse(text, land)
                assert parse(spell_out(said, land), land) == (said,), text


def test_a_long_way_is_read_too() -> None:
    coast = board("." * 1500 + "h", start="A1")
    now = position(coast, phase="march", chosen="horse", black=5000)
    for action in islice(legal(view(now, 0)), 3):
        assert meant(now, write(action, coast)) == action


WORDS = st.sampled_from(
    "choose play march take over back give levy taxes draw end occupy takeover recall stay Larissa Troy "
    "kies marcheer neem terug geef hef trek stop harp paarden de op of "
    "A3 B4 C5 D4 horse lyre lyres the and to , + - > with 7 ! “ \t é".split(" ")
)


@given(st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=60))
def test_whatever_is_written_is_read_or_refused(line: str) -> None:
    for now in (marching(), position(LAND), position(LAND, phase="card")):
        try:
            sentence = write(meant(now, line), LAND)
        except ActionRefused as refusal:
            sentence = str(refusal)
        assert len(sentence.splitlines()) == 1
