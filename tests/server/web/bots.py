"""Programs for a test: each calls the API with the key of a player, or without one."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from werkzeug.test import TestResponse

from server.accounts import sign_in
from server.app import LARGEST_REQUEST
from server.connections import create_web_server
from server.network import Endpoint
from tests.ports import free_port
from tests.server.test_connections import running
from tests.server.web.site import Site

LYRE_TO_LARISSA = ("choose lyre", "march Larissa A3-B4-C3")


@dataclass
class Bot:
    """A program with a key, or without."""

    place: Site
    key: str = ""

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.place.app.test_client().get(f"/api/{path}", headers=self.headers() | headers)

    def post(self, path: str, body: object = None, **headers: str) -> TestResponse:
        client = self.place.app.test_client()
        return client.post(f"/api/{path}", json=body, headers=self.headers() | headers)

    def act(self, game: str, *lines: str, after: int | None = None, **more: object) -> TestResponse:
        after = self.place.history(game).after if after is None else after
        return self.send(game, json.dumps({"after": after, "lines": lines, **more}))

    def send(self, game: str, body: str | bytes, kind: str = "application/json") -> TestResponse:
        client = self.place.app.test_client()
        return client.post(f"/api/games/{game}/acts", data=body, content_type=kind, headers=self.headers())


def bot(place: Site, game: str, name: str) -> Bot:
    player = place.context.player_of(game, place.seat(game, name))
    return Bot(place, sign_in.create_key(place.context, player, "my bot", place.clock()))


def bots(place: Site, game: str) -> list[Bot]:
    """The programs of all players, in the order of their seats."""
    return [bot(place, game, name) for name in place.names(game)]


def problem(answer: TestResponse, status: int) -> dict:
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/problem+json"
    assert answer.json["status"] == status
    assert re.fullmatch(r"[“A-Z].*[.?]", answer.json["detail"]), answer.json["detail"]
    return answer.json


def deal_lyre(place: Site) -> str:
    """A game whose first seat can march to Larissa with a lyre."""
    place.dice.told = ["temple", "horse", "lyre", "soldier"]
    return place.start_game("Anna", "Ben")


@contextmanager
def served(place: Site) -> Iterator[str]:
    """The pages on a port of this machine; gives their address."""
    port = free_port()
    server = create_web_server(place.app, Endpoint("127.0.0.1", port), LARGEST_REQUEST)
    with running(server, server.map, port):
        yield f"http://127.0.0.1:{port}"
