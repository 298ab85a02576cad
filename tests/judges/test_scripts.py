"""The scripts as they are served, without what is for their readers alone, are still scripts."""

import re
import subprocess

import pytest

from server.web.kit.assets import asset_files, build_script
from tests.breadth import first
from tests.judges.court import program

SCRIPTS = sorted(name for name in asset_files() if name.endswith(".js"))
COMMENT = re.compile(r"^\s*(?://|/?\*).*$|(?<=[;{}(,]) +// .*$", re.MULTILINE)
TEMPLATE = re.compile(r"`[^`]*`")


@pytest.mark.parametrize("name", first(4, SCRIPTS))
def test_a_script_that_is_served_can_be_read_by_node(name, tmp_path):
    served = tmp_path / "served.mjs"
    served.write_text(build_script(name), "utf-8")
    judged = subprocess.run(
        [program("node", package="nodejs"), "--check", served], capture_output=True, text=True
    )
    assert judged.returncode == 0, judged.stderr


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_templates_in_a_script_are_served_as_they_are_written(name):
    written = COMMENT.sub("", asset_files()[name].read_text("utf-8"))
    assert TEMPLATE.findall(build_script(name)) == TEMPLATE.findall(written)
