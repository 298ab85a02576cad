"""How a game stands, in a sentence and in tables, in each language."""

from dataclasses import replace

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
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
from tests.emails.approving import approved
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_in_words_reads_as_approved(language: str) -> None:
    """What is needed at several moments, then the picture and each province."""
    march = seen(Phase.MARCH)
    moments = (
        seen(Phase.CARD),
        march,
        seen(Phase.ACTIONS),
        seen(Phase.CARD, 1),
        seen(Phase.CARD, None),
        over(1, (0, 1)),
        over(0, (0,)),
    )
    with use_locale(Locale(language)):
        said = [summarize_game(known) for known in moments]
        said.append(board_alt_text(march, number_corners(march, None)))
        said += [f"{land.holder}: {land.contents}" for land in province_standings(seen(Phase.CARD))]
        approved(f"standings.{language}.txt", "\n".join(said) + "\n")


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
