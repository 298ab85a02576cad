"""How a game stands, in a sentence and in tables, in each language."""

from dataclasses import replace

import pytest

from emails.wording.options import number_corners
from emails.wording.standings import (
    board_alt_text,
    describe_next_step,
    player_standings,
    province_standings,
    summarize_game,
)
from engine.actions import ActionRefused
from engine.position import Phase, View, view
from tests.breadth import first, spread
from tests.emails import stored_games
from tests.emails.positions import NASTY_NAMES
from tests.spoken import parse_plainly

STORED = "three-players"
ORDERS = ("draw", "terug", "take lyre")


def seen(phase: Phase, me: int | None = 0, turn: int = 16) -> View:
    """A turn of the first player in this phase, as late in it as there is something to do."""
    found = [
        one for one in stored_games.positions(STORED) if one.table.turn == turn and one.table.phase is phase
    ]
    return view([one for one in found if phase is not Phase.ACTIONS or one.table.actions_left][-1], me)


def over(me: int | None, winners: tuple[int, ...]) -> View:
    last = stored_games.positions(STORED)[-1]
    return view(replace(last, table=last.table.but(winners=winners)), me)


def test_what_is_needed_is_said_first() -> None:
    assert summarize_game(seen(Phase.CARD)) == (
        "It is your turn: choose the amphora, the horse or a card from your hand, and march."
    )
    assert summarize_game(seen(Phase.MARCH)) == "Your turn goes on: march with the horse."
    assert summarize_game(seen(Phase.ACTIONS)) == "Your turn goes on: you have 1 action left."
    assert summarize_game(seen(Phase.CARD, 1)) == "It is Anna's turn; there is nothing for you to do now."
    assert summarize_game(seen(Phase.CARD, None)) == "It is Anna's turn; there is nothing for you to do now."
    assert summarize_game(over(1, (0, 1))) == "The game is over. Anna and you won with 105 points."
    assert summarize_game(over(0, (0,))) == "The game is over. You won with 105 points."


@pytest.mark.usefixtures("dutch")
def test_what_is_needed_is_said_in_dutch() -> None:
    assert summarize_game(seen(Phase.CARD)) == (
        "Je bent aan de beurt: kies de waterkruik, het paard of een kaart uit je hand, en marcheer."
    )
    assert summarize_game(seen(Phase.MARCH)) == "Je beurt gaat verder: marcheer met het paard."
    assert summarize_game(seen(Phase.ACTIONS)) == "Je beurt gaat verder: je hebt nog 1 actie."
    assert summarize_game(seen(Phase.CARD, 1)) == "Anna is aan de beurt; je hoeft nu niets te doen."
    assert summarize_game(over(1, (0, 1))) == "Het spel is afgelopen. Anna en jij wonnen met 105 punten."
    assert summarize_game(over(0, (0,))) == "Het spel is afgelopen. Jij won met 105 punten."


def test_the_picture_is_told_in_words() -> None:
    known = seen(Phase.MARCH)
    assert board_alt_text(known, number_corners(known, None)) == (
        "The board. Alexander stands on I29; 32 walls on it. Your guards: Chorasmia. Ben's guards: Armavir "
        "and Nautaca. Cleo's guards: Philippi, Aegae and Larissa. Alexander can march to corner 1 (G29), "
        "2 (G31), 3 (H30), 4 (J28), 5 (K27) and 6 (K29)."
    )


@pytest.mark.usefixtures("dutch")
def test_the_picture_is_told_in_dutch() -> None:
    known = seen(Phase.MARCH)
    assert board_alt_text(known, number_corners(known, None)) == (
        "Het bord. Alexander staat op I29; er staan 32 muren op. Je stadhouders: Chorasmia. De stadhouders "
        "van Ben: Armavir en Nautaca. De stadhouders van Cleo: Philippi, Aegae en Larissa. Alexander kan "
        "marcheren naar hoek 1 (G29), 2 (G31), 3 (H30), 4 (J28), 5 (K27) en 6 (K29)."
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
    found = province_standings(seen(Phase.CARD))
    assert found[0].contents == mine
    assert large in {land.contents for land in found}
    assert {land.holder for land in found} == {"you" if tongue == "english" else "jij", "Ben", "Cleo", ""}


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("names", first(1, [[*ORDERS], [*NASTY_NAMES[:3]]]))
@pytest.mark.parametrize("part", [0, *spread(2, range(1, 9))])
def test_nothing_said_of_a_game_is_an_order(names: tuple[str, ...], part: int) -> None:
    for position in [*stored_games.positions(STORED)][part::9]:
        named = replace(position, table=position.table.but(names=names))
        for me in (0, 1, None):
            known = view(named, me)
            lines = [
                summarize_game(known),
                board_alt_text(known, number_corners(known, None)),
                *(row.guards for row in player_standings(known)),
            ]
            if known.my_turn:
                lines.append(describe_next_step(known))
            lines += [words for land in province_standings(known) for words in (land.holder, land.contents)]
            for line in lines:
                assert "\n" not in line
                for part in (line, *line.split(";"), *line.split(". ")):
                    with pytest.raises(ActionRefused):
                        parse_plainly(part, known.table.board)
