"""The files in config/ of the programs beside the server, as those programs read them."""

import configparser
import re
import shlex

import yaml

from tests.paths import TOP

CONFIG = TOP / "config"
UNITS = CONFIG / "systemd"


def text(name: str) -> str:
    return (CONFIG / name).read_text("utf-8")


def block(name: str, guide: str) -> str:
    """What a guide gives to be pasted, by the mark before it."""
    (found,) = re.findall(rf"^<!-- {name} -->\n```(?:sh)?\n(.*?)^```", text(guide), re.MULTILINE | re.DOTALL)
    return str(found)


def with_changes(name: str, changes: dict[str, str]) -> str:
    """A file of config/ with the paths and ports of this machine; each that is to be changed stands there."""
    found = text(name)
    for before, after in changes.items():
        assert before in found, f"{name} has no {before}"
        found = found.replace(before, after)
    return found


def unit(name: str) -> configparser.ConfigParser:
    """A unit of systemd; of a key that stands there several times the last value."""
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read_string(text(f"systemd/{name}"))
    return parsed


def environment_file(name: str = "systemd/settings.env") -> dict[str, str]:
    lines = [line for line in text(name).splitlines() if line and not line.startswith("#")]
    return {key: "".join(shlex.split(value)) for key, value in (line.split("=", 1) for line in lines)}


def postfix() -> dict[str, str]:
    """The parameters of main.cf, each of which stands there once."""
    rows = re.findall(r"^([a-z]\w+) =[ ]?(.*)$", text("mail/main.cf"), re.MULTILINE)
    assert len(rows) == len(dict(rows))
    return dict(rows)


def words(name: str) -> dict[str, str]:
    """The rows of a file that has a word and its value in each, as OpenDKIM and OpenDMARC have."""
    rows = [line.split(None, 1) for line in text(name).splitlines() if line and not line.startswith("#")]
    assert len(rows) == len({row[0] for row in rows})
    return {row[0]: row[1] for row in rows}


def yaml_of(name: str) -> dict[str, object]:
    found = yaml.safe_load(text(name))
    assert isinstance(found, dict)
    return found
