"""Whoever looks after the machine reads its logs: they hold no key, and weak secrets are none."""

import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from server.settings import Settings, SettingsError
from tests.attacks import reading, small_world
from tests.attacks.small_world import open_world
from tests.ports import free_port
from tests.server.test_serving import alexandros, served, settings
from tests.server.test_settings import GIVEN
from tests.server.web.site import site

WEAK = [
    "a" * 16,
    "ab" * 20,
    "0123456789abcdef",
    "passwordpassword",
    "changemechangeme",
    "alexandrosalexandros",
    "alexandros.example.org",
    "1111111111111111111111111111",
    "secret secret secret",
    "a" * 64,
]


@pytest.mark.parametrize("secret", WEAK)
def test_a_weak_secret_is_refused_with_a_sentence(secret):
    with pytest.raises(SettingsError) as refused:
        Settings.read(GIVEN | {"ALEXANDROS_SECRET": secret})
    assert "ALEXANDROS_SECRET" in str(refused.value)
    assert secret not in str(refused.value)


def test_the_command_makes_a_secret_that_is_taken():
    typed = [sys.executable, "-c", "from server.cli import main; main()", "secret"]
    asked = [subprocess.run(typed, capture_output=True, text=True, timeout=60) for _ in range(2)]
    made = [one.stdout.strip() for one in asked]
    assert made[0] != made[1]
    for one in made:
        assert Settings.read(GIVEN | {"ALEXANDROS_SECRET": one.rpartition("=")[2]})


def test_no_line_that_is_logged_holds_a_key(world, game, caplog):
    letter = world.last(world.place.context.mover(game))
    links = [link for link in reading.links_in(letter) if "corner=" not in link]
    with caplog.at_level(logging.DEBUG):
        for link in links[:20]:
            world.visitor(link)
        world.write(str(letter["To"]), str(letter["Reply-To"]), "nonsense")
        world.write("dirk@example.org", str(letter["Reply-To"]), "board")
        world.deliver()
    keys = {reading.sealed(one) for one in (*links, *reading.addresses_in(letter))}
    assert not [key for key in keys if key in caplog.text]


@pytest.mark.breadth
def test_the_servers_own_log_masks_tickets(tmp_path, world, game):
    link = reading.ticket_in(world.last(world.place.context.mover(game)))
    world.place.context.database.dispose()
    port = free_port()
    with alexandros("serve", folder=tmp_path, environment=settings(tmp_path, port)) as process:
        served(process, f"http://127.0.0.1:{port}/healthz")
        for path in (link, f"{link}/settings", f"/c/{'a' * 26}", f"/s/{'b' * 32}"):
            try:
                urlopen(f"http://127.0.0.1:{port}{path}").read()
            except HTTPError as error:
                error.close()
        process.terminate()
        told = "".join(str(one) for one in process.communicate(timeout=60) if one)
    told += "".join(one.read_text(errors="replace") for one in tmp_path.rglob("*.log"))
    for key in (reading.sealed(link), "a" * 26, "b" * 32):
        assert key not in told


def test_how_the_log_of_nginx_is_masked_stands_in_its_file():
    text = (Path(__file__).parents[2] / "config" / "web" / "nginx.conf").read_text()
    assert re.search(r"log_format|map \$|access_log", text)


def test_two_secrets_may_stand_there_and_the_old_one_still_opens(tmp_path):
    """The first seals, all open: so it can be changed without shutting anybody out."""
    old, new = small_world.strong("old"), small_world.strong("new")
    world, game = open_world(tmp_path, "Anna", "Ben", ALEXANDROS_SECRET=old)
    link = reading.ticket_in(world.last(world.place.context.mover(game)))
    world.place.context.database.dispose()
    both = small_world.World(site(tmp_path, ALEXANDROS_SECRET=small_world.several(new, old)), tmp_path)
    assert reading.shows_seat(both.visitor(link))
    both.place.context.database.dispose()
    alone = small_world.World(site(tmp_path, ALEXANDROS_SECRET=new), tmp_path)
    assert not reading.shows_seat(alone.visitor(link))


def test_what_the_pages_answer_about_health_holds_no_key_and_no_name(world, game):
    for path in ("/healthz", "/api/openapi.json", "/games", "/"):
        answer = world.place.app.test_client().get(path)
        assert game not in answer.text
        assert "anna@" not in answer.text.lower()
    assert json.loads(world.place.app.test_client().get("/api/openapi.json").text)
