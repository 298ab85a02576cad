"""The server as a monitor sees it, and what the operator's document says of that."""

import json
import re
from urllib.request import urlopen

import pytest

from server.monitoring import HealthPart
from tests.paths import TOP
from tests.ports import free_port
from tests.server.desk import desk, set_preferences, start_game
from tests.server.test_serving import PATIENCE, alexandros, served, settings

GUIDE = (TOP / "config/watching.md").read_text("utf-8").split("## What to watch\n")[1].split("\n## ")[0]


@pytest.mark.breadth
def test_a_server_is_asked_and_its_log_is_read_by_programs(tmp_path):
    port = free_port()
    context = desk(tmp_path)
    set_preferences(context, start_game(context, "Anna", "house"), "Anna", pictures=False)
    with alexandros("serve", folder=tmp_path, environment=settings(tmp_path, port)) as process:
        at = f"http://127.0.0.1:{port}"
        assert served(process, f"{at}/livez") == "ok\n"
        assert served(process, f"{at}/readyz") in ("ok\n", "letters\n")
        with urlopen(f"{at}/metrics", timeout=PATIENCE) as answer:
            figures = answer.read().decode()
        process.terminate()
        _, logged = process.communicate(timeout=PATIENCE)
    lines = [json.loads(line) for line in logged.splitlines()]
    assert all({"at", "level", "log"} <= line.keys() for line in lines)
    assert {line["event"] for line in lines if line["log"] == "events"} <= {
        "act",
        "letter",
        "health",
        "downtime",
    }
    assert 'alexandros_info{schema="' in figures
    loops = set(re.findall(r'^alexandros_loop_age_seconds\{loop="([\w-]+)"\}', figures, re.MULTILINE))
    assert loops == {"mail", "clock", "house", "operator", "plans", "reviews", "delivery-1"}
    own = [
        part for part in HealthPart if part != HealthPart.LOOP and not part.startswith("role-")
    ]  # it has each role
    assert all(f'alexandros_part_failing{{part="{part}"}}' in figures for part in own)


def test_the_document_explains_each_word() -> None:
    explained = set(re.findall(r"`([\w-]+)`", GUIDE))
    assert {part for part in HealthPart if part != HealthPart.LOOP} <= explained


@pytest.mark.parametrize("table", ["incoming", "outgoing", "game"])
def test_the_first_row_that_is_set_aside_is_one_more_than_none(context, table) -> None:
    labels = {"table": table, "fate": "set-aside"}
    value = context.events.metrics.registry.get_sample_value
    assert value("alexandros_rows_failed_total", labels) == 0
