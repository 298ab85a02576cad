"""What the documents say is so: commands run, settings are read, files and functions that they name exist."""

import ast
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from emails.picture import palette
from server.cli import main
from server.network import DONE_FOLDER, REFUSED_FOLDER
from server.settings import PREFIX, Settings
from server.store.database import SCHEMA_VERSION
from tests.paths import TOP
from tests.test_house import (
    FLOORS,
    LONGEST_FUNCTION,
    sources,
    tree,
)

README, OPERATOR = TOP / "README.md", TOP / "config/commands.md"
GUIDES = sorted(TOP.glob("config/*.md"))
DOCUMENTS = [README, *sorted({*TOP.glob("*/README.md"), *GUIDES, *TOP.glob("config/*/README.md")})]
LONGEST_GUIDE = 250
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_A_LINE = re.compile(r"`(alexandros [^`]+)`")
SQL = re.compile(
    r"\b(?:SELECT\s[^`]+?\sFROM|UPDATE\s+\w+\s+SET|INSERT\s+INTO|DELETE\s+FROM"
    r"|(?:CREATE|ALTER|DROP)\s+(?:DATABASE|ROLE|USER|TABLE|INDEX))\b"
)
"""A statement, where the commands of the program and of PostgreSQL (createdb) do the same."""


def exported() -> dict[str, str]:
    """The settings that README.md tells to write down."""
    (block,) = [block for block in BLOCK.findall(README.read_text("utf-8")) if "export " in block]
    words = [shlex.split(line, comments=True)[1] for line in block.splitlines() if line.startswith("export ")]
    return dict(word.split("=", 1) for word in words)


def test_the_settings_of_the_example_are_read() -> None:
    settings = Settings.read(exported() | {"ALEXANDROS_SECRET": "a secret of more than sixteen letters"})
    assert settings.mail_domain == "example.org"


def test_the_table_of_settings_names_each_once_and_in_their_order() -> None:
    rows = re.findall(rf"^\| `{PREFIX}(\w+)`", (TOP / "config/settings.md").read_text("utf-8"), re.MULTILINE)
    assert [row.lower() for row in rows] == list(Settings.model_fields)


def test_the_folders_of_a_mailbox_are_called_what_they_are() -> None:
    way = (TOP / "config/mail.md").read_text("utf-8").split("- **A mailbox.**")[1].split("\n- **")[0]
    told = " ".join(way.split())
    assert f"A stored mail is moved to the folder `{DONE_FOLDER}`," in told
    assert f"above the size limit to `{REFUSED_FOLDER}`." in told


def test_the_table_of_commands_names_each_once() -> None:
    assert isinstance(main, click.Group)
    rows = re.findall(r"^- `alexandros (\w+)", OPERATOR.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(main.list_commands(click.Context(main)))


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.relative_to(TOP).as_posix())
def test_no_document_tells_anybody_to_write_sql(file: Path) -> None:
    assert SQL.findall(file.read_text("utf-8")) == []


def test_the_first_page_is_short() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.relative_to(TOP).as_posix())
def test_what_a_document_links_to_is_there(file: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", file.read_text("utf-8")):
        assert (file.parent / link).exists(), link


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.relative_to(TOP).as_posix())
def test_where_a_document_links_to_is_a_heading_of_that_name(file: Path) -> None:
    for name, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", file.read_text("utf-8")):
        assert anchor in anchors(file.parent / name if name else file), f"{name}#{anchor}"


def anchors(file: Path) -> set[str]:
    """The names by which the headings of a document are linked to."""
    found = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found}


def test_the_table_of_files_for_operators_names_each_and_none_is_long() -> None:
    named = re.findall(r"^\| \[([^]]+)\]\(\1\)", (TOP / "config/README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == [file.name for file in GUIDES if file.name != "README.md"]
    assert all(len(file.read_text("utf-8").splitlines()) <= LONGEST_GUIDE for file in GUIDES)


def test_the_changes_tell_of_the_version_and_its_database() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    changes = (TOP / "config/README.md").read_text("utf-8").split("## Changes\n")[1]
    newest, *_ = re.findall(r"^\| (\d[\d.]+) \| (\d{4}) \|", changes, re.MULTILINE)
    assert newest == (project["version"], SCHEMA_VERSION)


@pytest.mark.parametrize("floor", ["emails", "server"])
def test_the_table_of_packages_names_each(floor: str) -> None:
    table = (TOP / floor / "README.md").read_text("utf-8").split("## Packages")[1].split("\n## ")[0]
    named = set(re.findall(r"`([\w./]+)`", table))
    rooms = {f"{file.parent.name}/" for file in (TOP / floor).glob("*/__init__.py")}
    files = {file.name for file in (TOP / floor).glob("*.py")} - {"__init__.py"}
    assert rooms | files <= named


@pytest.mark.parametrize("floor", ["emails", "server", "tests"])
def test_files_and_functions_that_are_named_exist(floor: str) -> None:
    """Written as `inbox/dispatch.py: read_mail`, from the floor or from the top."""
    text = (TOP / floor / "README.md").read_text("utf-8")
    for name, members in re.findall(
        r"([\w/<>]+\.(?:py|toml|css|html|words|po|md))(?:: ((?:\w+)(?:, \w+)*))?", text
    ):
        if "<" in name:
            continue
        found = [place / name for place in (TOP, TOP / floor) if (place / name).is_file()]
        assert found, name
        wanted = set(filter(None, members.split(", ")))
        assert wanted <= (defined_in(found[0]) if wanted else set()), f"{name}: {members}"


def defined_in(file: Path) -> set[str]:
    """The functions and classes of a file, those within others too, and the names that it gives values."""
    nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
    found = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return found | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def test_the_types_by_which_words_are_explained_exist() -> None:
    section = (TOP / "server/README.md").read_text("utf-8").split("## Glossary\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`([A-Z]\w+)`", section))
    statements = [one for file in sources(*FLOORS) for one in tree(file).body]
    classes = {one.name for one in statements if isinstance(one, ast.ClassDef)}
    aliases = {ast.unparse(one.targets[0]) for one in statements if isinstance(one, ast.Assign)}
    types = classes | aliases
    assert len(named) > 4
    assert named <= types, named - types


def test_the_limits_that_are_told_are_those_that_are_held() -> None:
    told = " ".join((TOP / "tests/README.md").read_text("utf-8").split())
    assert f"{LONGEST_FUNCTION} lines a function" in told


# --- the first hour -------------------------------------------------------------------------------------


def listed(section: str) -> set[str]:
    """The files that the first hour lists under a heading."""
    text = (TOP / "tests/README.md").read_text("utf-8").split(f"### {section}\n")[1].split("\n### ")[0]
    return set(re.findall(r"`([\w/<>.]+\.\w+)[`:]", text))


def mentions(pattern: str) -> set[str]:
    """The files of the product, without catalogues and pictures, in which something is named."""
    files = [
        file for floor in ("engine", "emails", "server", "config") for file in (TOP / floor).rglob("*.*")
    ]
    texts = {
        file: file.read_text("utf-8") for file in files if file.suffix in {".py", ".toml", ".md", ".words"}
    }
    return {file.relative_to(TOP).as_posix() for file, text in texts.items() if re.search(pattern, text)}


@pytest.mark.parametrize("kind", ["news", "time_passed", "welcome"])
def test_a_letter_is_named_in_the_files_listed_and_where_it_is_queued(kind: str) -> None:
    name = "".join(map(str.capitalize, kind.split("_")))
    places = {name.replace("<kind>", kind) for name in listed("A kind of letter")}
    found = mentions(rf"class {name}\b|_letters\.{name}\b|kind = \"{kind}\"")
    assert found <= places
    assert (TOP / f"emails/letters/templates/{kind}.words").is_file()


def test_a_setting_is_named_in_the_files_listed_and_where_it_is_read() -> None:
    found = mentions(r"(?i)\b(?:alexandros_|parse_)?mail_secret\b")
    assert listed("A setting") <= found
    assert found - listed("A setting") - {"config/mail.md"} <= {
        f"server/{name}.py" for name in ("admin/setup_check", "app", "web/__init__", "web/desk/mailbox_pages")
    }


def test_an_edition_is_named_in_the_files_listed() -> None:
    found = mentions(r"rio-grande|identity-games")
    assert {file for file in found if file.endswith(".py")} == {"engine/editions.py"} <= listed("An edition")


def test_a_page_is_named_in_the_files_listed_and_where_links_lead_to_it() -> None:
    found = mentions(r"\breadonly_pages\b")
    links = ("game/viewers", "kit/visitors", "lobby/new_game", "lobby/public_pages")
    files = ("__init__", "game/readonly_pages", "game/ticket_pages", *links)
    assert found == {f"server/web/{name}.py" for name in files}


def test_a_column_is_named_in_the_files_listed_and_where_it_is_used() -> None:
    places = {name.replace("<number>_<name>", "0018_time") for name in listed("A table or a column")}
    found = mentions(r"\brefill_minutes\b")
    kept = {name for name in found if name in places}
    assert kept == {"server/store/models.py", "server/store/migrations/versions/0018_time.py"}


def test_a_colour_is_written_in_one_file() -> None:
    colours = "|".join(palette.SEAT_COLOURS)
    assert mentions(rf"(?i){colours}") == {"emails/picture/palette.py"} <= listed("A colour of the guards")


def test_the_name_of_a_colour_is_written_in_the_files_listed() -> None:
    colours = "|".join(look.split()[0] for look in palette.SEAT_LOOKS)
    named = rf"\b(?:{'|'.join(palette.SEAT_LOOKS)})\b| \((?:{colours})\)"
    found = {
        file.as_posix() for file in sources("tests") if re.search(named, (TOP / file).read_text("utf-8"))
    }
    assert len(found) > 2
    assert mentions(named) | found <= listed("A colour of the guards")


def test_each_attack_is_named_by_the_document_and_each_that_it_names_exists() -> None:
    text = (TOP / "server" / "THREATS.md").read_text("utf-8")
    named = set(re.findall(r"`(?:tests/attacks/)?(test_\w+\.py)`", text))
    assert named == {file.name for file in (TOP / "tests" / "attacks").glob("test_*.py")}
