"""How a game stands, in a sentence and in tables, in each language."""

from dataclasses import replace

import pytest

from emails.wording.options import labels
from emails.wording.standings import alt, lands, needed, rows, summary
from engine.actions import Refusal
from engine.notation.parser import parse
from engine.position import Phase, View
from engine.views import view
from tests.emails import sheets
from tests.emails.positions import NASTY_NAMES

STORED = "three-players"
ORDERS = ("draw", "terug", "take lyre")


def seen(phase: Phase, me: int | None = 0, turn: int = 16) -> View:
    """A turn of the first player in this phase, as late in it as there is something to do."""
    found = [one for one in sheets.positions(STORED) if one.table.turn == turn and one.table.phase is phase]
    return view([one for one in found if phase is not Phase.ACTIONS or one.table.actions_left][-1], me)


def over(me: int | None, winners: tuple[int, ...]) -> View:
    last = sheets.positions(STORED)[-1]
    return view(replace(last, table=last.table.but(winners=winners)), me)


def test_what_is_needed_is_said_first() -> None:
    assert summary(seen(Phase.CARD)) == (
        "It is your turn: choose the amphora, the horse or a card from your hand, and march."
    )
    assert summary(seen(Phase.MARCH)) == "Your turn goes on: march with the horse."
    assert summary(seen(Phase.ACTIONS)) == "Your turn goes on: you have 1 action left."
    assert summary(seen(Phase.CARD, 1)) == "It is Anna's turn; there is nothing for you to do now."
    assert summary(seen(Phase.CARD, None)) == "It is Anna's turn; there is nothing for you to do now."
    assert summary(over(1, (0, 1))) == "The game is over. Anna and you won with 105 points."
    assert summary(over(0, (0,))) == "The game is over. You won with 105 points."


@pytest.mark.usefixtures("dutch")
def test_what_is_needed_is_said_in_dutch() -> None:
    assert summary(seen(Phase.CARD)) == (
        "Je bent aan de beurt: kies de waterkruik, het paard of een kaart uit je hand, en marcheer."
    )
    assert summary(seen(Phase.MARCH)) == "Je beurt gaat verder: marcheer met het paard."
    assert summary(seen(Phase.ACTIONS)) == "Je beurt gaat verder: je hebt nog 1 actie."
    assert summary(seen(Phase.CARD, 1)) == "Anna is aan de beurt; je hoeft nu niets te doen."
    assert summary(over(1, (0, 1))) == "Het spel is afgelopen. Anna en jij wonnen met 105 punten."
    assert summary(over(0, (0,))) == "Het spel is afgelopen. Jij won met 105 punten."


def test_the_picture_is_told_in_words() -> None:
    known = seen(Phase.MARCH)
    assert alt(known, labels(known)) == (
        "The board. Alexander stands on I29; 32 walls on it. Your guards: Chorasmia. Ben's guards: Armavir "
        "and Nautaca. Cleo's guards: Philippi, Aegae and Larissa. He can march to corner 1 (G29), 2 (G31), "
        "3 (H30), 4 (J28), 5 (K27) and 6 (K29)."
    )


@pytest.mark.usefixtures("dutch")
def test_the_picture_is_told_in_dutch() -> None:
    known = seen(Phase.MARCH)
    assert alt(known, labels(known)) == (
        "Het bord. Alexander staat op I29; er staan 32 muren op. Je stadhouders: Chorasmia. De stadhouders "
        "van Ben: Armavir en Nautaca. De stadhouders van Cleo: Philippi, Aegae en Larissa. Hij kan marcheren "
        "naar hoek 1 (G29), 2 (G31), 3 (H30), 4 (J28), 5 (K27) en 6 (K29)."
    )


@pytest.mark.parametrize(
    ("tongue", "mine", "large"),
    [
        (
            "english",
            "12 spaces: Dahae (amphora), Thara (temple), Chorasmia (soldier) and Gazaca (lyre)",
            "103 spaces, 46 with a symbol",
        ),
        (
            "dutch",
            "12 velden: Dahae (waterkruik), Thara (tempel), Chorasmia (soldaat) en Gazaca (harp)",
            "103 velden, 46 met een symbool",
        ),
    ],
)
def test_the_contents_of_provinces(
    tongue: str, mine: str, large: str, request: pytest.FixtureRequest
) -> None:
    if tongue == "dutch":
        request.getfixturevalue("dutch")
    found = lands(seen(Phase.CARD))
    assert found[0].contents == mine
    assert large in {land.contents for land in found}
    assert {land.holder for land in found} == {"you" if tongue == "english" else "jij", "Ben", "Cleo", ""}


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("names", [NASTY_NAMES[:3], ORDERS])
def test_nothing_said_of_a_game_is_an_order(names: tuple[str, ...]) -> None:
    for position in sheets.positions(STORED):
        named = replace(position, table=position.table.but(names=names))
        for me in (0, 1, None):
            known = view(named, me)
            lines = [summary(known), alt(known, labels(known)), *(row.guards for row in rows(known))]
            if known.my_turn:
                lines.append(needed(known))
            lines += [words for land in lands(known) for words in (land.holder, land.contents)]
            for line in lines:
                assert "\n" not in line
                for part in (line, *line.split(";"), *line.split(". ")):
                    with pytest.raises(Refusal):
                        parse(part, known.table.board)
