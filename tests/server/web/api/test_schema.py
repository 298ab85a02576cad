"""Schemathesis asks the API what its document allows, and what it does not: every answer is as described.

It comes by HTTP on a port of this machine: by WSGI its check of keys cannot be done. Each test is one run:
examples, borders, whatever else fits or does not, and calls that follow from one another.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
import schemathesis
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.engine.events import NonFatalError, ScenarioFinished

from engine.bots import play_to_win
from server.accounts import sign_in
from server.store.models import Seating
from server.turns.play import play_turn
from tests.server.desk import ANNA, BEN, NOON
from tests.server.web.bots import served
from tests.server.web.site import Site

# What is well formed can still be against the rules of the game.
ACCEPTED = ["2xx", "3xx", "401", "403", "404", "409", "422"]
MARCHES = ["march Larissa A3-B4-C3", "march Larissa"]
ORDERS = ["choose lyre", *MARCHES, "draw", "draw; draw", "end", "levy", "marhc"]
ZONES = ["Europe/Amsterdam", "Pacific/Kiritimati", "Mars/Base"]
DAYS = ["2026-03-01", "2026-03-02", "2026-03-09", "2026-04-01", "2026-12-01", "9999-12-31"]
ACTS = "/api/games/{game}/acts"


@dataclass
class World:
    """A site with games of every kind, and a key of Anna's."""

    place: Site
    games: list[str]
    key: str


@pytest.fixture
def here(place: Site) -> World:
    """Games that wait, that run (hers and others'), that are over, and that anybody may watch."""
    place.app.config["LIMITS"]["api"] = 1_000_000
    context = place.context
    place.dice.told = ["temple", "horse", "lyre", "soldier"]
    own, over = context.start_game("Anna", "Ben"), context.start_game("Anna", "Dirk")
    while not (history := place.history(over)).position.table.over:
        play_turn(context, over, history.after, play_to_win, "house", NOON)
    watched, others = context.start_game("Ben", "Cleo"), context.start_game("Ben", "Dirk")
    waiting = context.open_game("Saturday", [ANNA, BEN], NOON)
    context.let_watch(watched)
    context.let_advise(own)
    with context.reading() as session:
        player = session.get_one(Seating, (own, 0)).player  # whose turn it is
    key = sign_in.create_key(context, player, "tests", NOON)
    return World(place, [own, over, watched, others, waiting], key)


def narrowed(here: World, document: dict) -> dict:
    """The document with the games, acts and orders that there are, so that most of what is asked is there."""
    for known in document["paths"].values():
        for one in [one for call in known.values() for one in call.get("parameters", ())]:
            if one["name"] == "game":
                one["schema"] = {"type": "string", "enum": here.games}
    acts = document["components"]["schemas"]["Acts"]["properties"]
    acts["after"] = {"type": "integer", "minimum": 2, "maximum": 4}
    acts["lines"]["items"] = {"type": "string", "enum": ORDERS}
    acts["lines"]["maxItems"] = 3
    schemas = document["components"]["schemas"]
    schemas["AvailabilityWish"]["properties"]["zone"]["enum"] = ZONES
    schemas["VacationWish"]["properties"] |= {"first": {"enum": [*DAYS, None]}, "last": {"enum": DAYS}}
    schemas["VacationEnd"]["properties"]["vacation"] = {"enum": [1, 2, 3, None]}
    return document


Answered = dict[str, Counter[int]]


def run(here: World, key: str, examples: int, *, narrow: bool) -> Answered:
    """One run; gives how often each call was answered by which status, once nothing is wrong with any."""
    document = here.place.app.test_client().get("/api/openapi.json").json
    config = {
        "checks": {"positive_data_acceptance": {"expected-statuses": ACCEPTED}},
        "generation": {"deterministic": True, "database": "none", "max-examples": examples},
        "phases": {"stateful": {"generation": {"max-examples": max(1, examples // 4)}}},
        "headers": {"Authorization": f"Bearer {key}"} if key else {},
    }
    answered: Answered = defaultdict(Counter)
    wrong = []
    with served(here.place) as address:
        schema = schemathesis.openapi.from_dict(
            narrowed(here, document) if narrow else document, config=SchemathesisConfig.from_dict(config)
        )
        schema.config.update(base_url=address)
        for event in engine.from_schema(schema).execute():
            if isinstance(event, NonFatalError):
                wrong.append(str(event.info))
            if isinstance(event, ScenarioFinished):
                wrong += problems(event, answered)
    assert not wrong, "\n\n".join(wrong[:5])
    return answered


def problems(event: ScenarioFinished, answered: Answered) -> Iterator[str]:
    """What is wrong with some calls, counted by their answers."""
    for number, interaction in event.recorder.interactions.items():
        call = event.recorder.cases[number].value
        assert interaction.response is not None
        if call.method != "OPTIONS":  # whoever asks what can be asked gets an answer everywhere
            answered[call.operation.label][interaction.response.status_code] += 1
        for check in event.recorder.checks.get(number, []):
            if check.failure_info is not None:
                said = interaction.response.content[:500].decode()
                yield f"{check.name}: {check.failure_info.failure}\n{call.as_curl_command()}\n{said}"


@pytest.mark.breadth
def test_with_a_key_on_the_games_that_there_are(here):
    answered = run(here, here.key, 8, narrow=True)
    assert {200, 400, 403, 404, 405} <= answered["GET /api/games/{game}"].keys()
    assert {200, 400, 403, 404, 405} <= answered["GET /api/games/{game}/log"].keys()
    assert {200, 400, 403, 404, 405, 409, 415, 422} <= answered["POST " + ACTS].keys()
    assert {200, 400, 401, 405} <= answered["GET /api/games"].keys()
    assert {200, 401} <= answered["GET /api/availability"].keys()
    assert {200, 404} <= answered["GET /api/reminders"].keys()
    assert {200, 400, 405, 415, 422} <= answered["POST /api/availability"].keys()
    assert {200, 400, 405, 415, 422} <= answered["POST /api/vacations"].keys()
    assert {200, 400, 405, 415, 422} <= answered["POST /api/vacations/end"].keys()


@pytest.mark.breadth
def test_without_a_key_on_the_games_that_there_are(here):
    watched, others = here.games[2:4]
    answered = run(replace(here, games=[watched, others]), "", 8, narrow=True)
    assert {200, 404} <= answered["GET /api/games/{game}"].keys()
    assert answered["POST " + ACTS].keys() == {401, 405}
    assert answered["GET /api/games"].keys() == {401, 405}


@pytest.mark.breadth
def test_with_a_key_on_whatever_the_document_allows(here):
    assert {400, 404, 405, 415} <= run(here, here.key, 8, narrow=False)["POST " + ACTS].keys()


def test_the_document_is_one(here):
    document = here.place.app.test_client().get("/api/openapi.json").json
    schemathesis.openapi.from_dict(document).validate()
    used = {line for line in json.dumps(document).split('"') if line.startswith("#/components/")}
    for kind, found in document["components"].items():
        if kind != "securitySchemes":
            unused = {f"#/components/{kind}/{name}" for name in found} - used
            faults = {"Broken", "Unavailable"}  # nobody is promised a fault of ours
            assert unused <= {f"#/components/responses/{name}" for name in faults}


@pytest.mark.long
@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("with_key", [True, False])
def test_for_minutes(here, with_key, narrow):
    run(here, here.key if with_key else "", 300, narrow=narrow)
