"""What can be done, in words that seldom stand in a letter."""

from dataclasses import replace

import pytest

from emails.i18n import Locale, gettext, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.wording import options
from engine import march_rules
from engine.actions import ActionRefused, Choose, Levy, Play, Take
from engine.cards import EMPTY, Bag, Symbol
from engine.position import view
from tests.emails import stored_games
from tests.emails.positions import BOARD
from tests.spoken import parse_plainly

LARISSA, TROY, SUSA, GAZA = (BOARD.places[name] for name in ("Larissa", "Troy", "Susa", "Gaza"))
HORSE = Symbol.HORSE
TABLE = stored_games.positions("three-players")[0].table


def headings() -> list[str]:
    return [
        options.card_heading(TABLE, Choose(HORSE), (TROY, GAZA), joker=True),
        options.card_heading(TABLE, Choose(HORSE), (TROY,), joker=False),
        options.card_heading(TABLE, Play(HORSE), (TROY, GAZA, SUSA, LARISSA), joker=False),
        options.target_heading(TABLE, TROY),
        options.add_waypoints(options.corner_title(TABLE, (TROY,), BOARD.start, "3"), [BOARD.start]),
        options.add_waypoints("Troy", []),
        options.path_count_detail(1200, 1),
        options.path_count_detail(1200, 3),
        options.stay_title(HORSE),
        options.stay_title(None),
        gettext(options.STAY_HEADING),
        options.gift_detail(TABLE, 1, Bag.of([HORSE, HORSE])),
        options.action_title(TABLE, Take(HORSE)),
        options.action_title(TABLE, Levy(HORSE)),
    ]


def test_headings() -> None:
    assert headings() == [
        "Take the horse as a joker and march to Troy or Gaza",
        "Take the horse and march with it to Troy",
        "Discard a horse from your hand and march to one of 4 symbols",
        "To Troy (horse)",
        "Troy, corner 3 (A3), via A3",
        "Troy",
        "1200 ways there, with 1 new wall or more: you are asked which",
        "1200 ways there, with 3 new walls or more: you are asked which",
        "Stay where he is and take the horse",
        "Stay where he is",
        "No march is possible: stay, and the game ends after this turn",
        "Ben gets 2 horses",
        "Take the horse from the display",
        "With a horse",
    ]


@pytest.mark.usefixtures("dutch")
def test_headings_in_dutch() -> None:
    assert headings() == [
        "Het paard als joker nemen en naar Troy of Gaza marcheren",
        "Het paard nemen en naar Troy marcheren",
        "Een paard uit je hand afleggen en naar een van 4 symbolen marcheren",
        "Naar Troy (paard)",
        "Troy, hoek 3 (A3), via A3",
        "Troy",
        "1200 routes erheen, met minstens 1 nieuwe muur: je krijgt de vraag welke",
        "1200 routes erheen, met minstens 3 nieuwe muren: je krijgt de vraag welke",
        "Alexander laten staan en het paard nemen",
        "Alexander laten staan",
        "Er is geen mars mogelijk: Alexander blijft staan en het spel eindigt na deze beurt",
        "Ben krijgt 2 paarden",
        "Het paard van de open kaarten nemen",
        "Met een paard",
    ]


@pytest.mark.usefixtures("language")
def test_no_heading_is_an_order() -> None:
    named = (options.MORE_WAYS_TITLE, options.END_HEADING)
    for line in (*headings(), *map(gettext, named)):
        for part in (line, *line.split(";"), *line.split(":")):
            with pytest.raises(ActionRefused):
                parse_plainly(part, BOARD)


def outcomes() -> set[str]:
    """What every march of a stored game could do, numbers left out."""
    found = set()
    for position in stored_games.positions("three-players")[::5]:
        table = position.table
        known = view(position, table.seat)
        for target in (TROY, SUSA, GAZA, LARISSA):
            for corner in march_rules.reachable_corners(table, target)[:1]:
                path = next(iter(march_rules.ShortestPaths(table, corner)))
                told = march_rules.outcome_of(table, path)
                for red in {0, min(1, len(told.laid)), len(told.laid)}:
                    found.add(options.march_detail(known, replace(told, red=red), EMPTY))
    return found


def test_outcomes_differ_in_every_language() -> None:
    said = []
    for language in LANGUAGES:
        with use_locale(Locale(language)):
            said.append(outcomes())
    english, dutch = said
    assert len(english) == len(dutch) > 100
    assert not english & dutch
