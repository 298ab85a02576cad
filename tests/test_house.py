"""The laws of the house: who may import whom, what lies where, and that ruff and mypy have nothing to say."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from server.store.database import BASELINE
from tests.breadth import first
from tests.paths import TOP

LONGEST_FUNCTION = 60
"""Lines of a function of the product or the tests."""

FLOORS = ("engine", "emails", "server")  # each imports only floors that stand before it

# No clock, dice, disk, network, logging, and nothing that reaches them by another way.
OUTSIDE_THE_GAME = """
    asyncio calendar concurrent ctypes datetime dbm email fileinput getpass glob http imaplib importlib io
    logging mmap multiprocessing os pathlib pickle platform poplib random runpy sched secrets select selectors
    shelve shutil signal smtplib socket socketserver sqlite3 ssl subprocess sys tempfile threading time urllib
    uuid warnings zoneinfo
    """.split()

# What stores, sends, serves or throws dice: the post office does that.
NOT_FOR_LETTERS = """
    aiosmtpd asyncio config flask http.client http.server imaplib logging poplib random secrets
    smtplib socket sqlalchemy sqlite3 sqlmodel subprocess tempfile tests threading time urllib.request uuid
    waitress werkzeug
    """.split()

MIGRATIONS = "server/store/migrations/versions"
"""Its files are numbered, import nothing of the house, and are never changed."""

TOP_LEVEL = {"README.md", "config", "emails", "engine", "pyproject.toml", "server", "tests"}

# Written with a class here and there, so that this file does not name them itself.
MACHINE = re.compile(
    r"(?<![\w.])/(?:wor[k]|roo[t]|far[m]|hom[e]/\w+|User[s]/\w+|op[t]/\w+|tm[p]/\w+)/"
    r"|\.\./share[d]|\.pyen[v]"
    r"|(?:extra-)?index-ur[l]|find-link[s]|trusted-hos[t]|PIP_[A-Z]|artifactor[y]|devp[i]|pypi\.or[g]|pythonhoste[d]"
)


@cache
def files() -> list[Path]:
    """Every file that is or would be committed, named from the top."""
    git = ["git", "-c", f"safe.directory={TOP}", "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(git, cwd=TOP, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({Path(name) for name in names if name and (TOP / name).is_file()})


def sources(*folders: str) -> list[Path]:
    """The Python files that are or would be committed, of these folders or of all."""
    return [file for file in files() if file.suffix == ".py" and (not folders or file.parts[0] in folders)]


def tree(file: Path) -> ast.Module:
    """Never kept: the garbage collector would pass over the trees of all files, in every later test too."""
    return ast.parse((TOP / file).read_text("utf-8"), str(file))


def functions(block: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for part in ast.iter_child_nodes(block):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part
        if isinstance(part, ast.stmt | ast.excepthandler | ast.match_case):
            yield from functions(part)


@cache
def imports(file: Path) -> frozenset[str]:
    """Every module that the file imports, by its full name: `engine.board`, never `.board`."""
    found = set[str]()
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = file.parent.parts[: len(file.parent.parts) - node.level + 1] if node.level else ()
            source = ".".join((*package, *filter(None, [node.module])))
            found |= {whole if module(whole := f"{source}.{alias.name}") else source for alias in node.names}
    return frozenset(found)


def imported(*floors: str) -> list[tuple[str, str]]:
    """Every import of these floors: the file and what it imports."""
    return [(str(file), name) for file in sources(*floors) for name in sorted(imports(file))]


@cache
def module(name: str) -> bool:
    """Whether a module of the house has this full name."""
    place = TOP.joinpath(*name.split("."))
    return name.split(".")[0] in FLOORS and (place.with_suffix(".py").is_file() or place.is_dir())


def among(name: str, names: list[str]) -> bool:
    """Whether a module is one of these, or lies within one of them."""
    return any(name == one or name.startswith(one + ".") for one in names)


@cache
def rooms() -> tuple[str, ...]:
    return tuple(sorted({file.parent.as_posix() for file in sources(*FLOORS)} - {MIGRATIONS}))


def part_of(name: str, room: str) -> str | None:
    """The file or room of a room in which a module lies; None outside of it."""
    parts, above = name.split("."), room.split("/")
    if parts[: len(above)] != above or len(parts) == len(above):
        return None
    return parts[len(above)]


# --- the floors and the rooms ---------------------------------------------------------------------------


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_imports_only_floors_below_it(floor: str) -> None:
    above = [*FLOORS[FLOORS.index(floor) + 1 :], "tests"]
    assert not [(file, name) for file, name in imported(floor) if among(name, above)]


def test_the_engine_imports_only_itself_and_the_standard_library() -> None:
    allowed = ["engine", *sys.stdlib_module_names]
    assert not [(file, name) for file, name in imported("engine") if not among(name, allowed)]


def test_the_engine_has_no_clock_dice_disk_network_or_logging() -> None:
    assert not [(file, name) for file, name in imported("engine") if among(name, OUTSIDE_THE_GAME)]
    nodes = [node for file in sources("engine") for node in ast.walk(tree(file))]
    called = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    assert not called & {"open", "print", "input", "__import__", "exec", "eval"}


def test_the_letters_neither_store_nor_send() -> None:
    assert not [(file, name) for file, name in imported("emails") if among(name, NOT_FOR_LETTERS)]


def test_the_configuration_has_no_code() -> None:
    assert not sources("config")


@pytest.mark.parametrize("room", rooms())
def test_no_files_of_a_room_import_each_other_in_a_circle(room: str) -> None:
    graph: dict[str, set[str]] = {}
    for file in sources(*FLOORS):
        own = part_of(".".join(file.with_suffix("").parts), room)
        if own is not None and own != "__init__":
            others = {part_of(name, room) for name in imports(file)}
            graph.setdefault(own, set()).update(one for one in others if one not in (None, own))
    TopologicalSorter(graph).prepare()  # raises `CycleError` with the circle


def test_migrations_are_numbered_and_import_nothing_of_the_house() -> None:
    names = [file.name for file in sources("server") if file.parent.as_posix() == MIGRATIONS]
    first = int(BASELINE)
    assert [name[:5] for name in names] == [f"{number:04}_" for number in range(first, first + len(names))]
    used = {(file, name) for file, name in imported("server") if file.startswith(MIGRATIONS)}
    assert not {one for one in used if not among(one[1], ["alembic", "sqlalchemy", *sys.stdlib_module_names])}


def test_incoming_and_outgoing_mail_do_not_know_each_other() -> None:
    for room, other in (("inbox", "delivery"), ("delivery", "inbox")):
        own = [one for one in imported("server") if one[0].startswith(f"server/{room}")]
        assert not [one for one in own if other in one[1]]


# --- what is known of the database ----------------------------------------------------------------------

DIALECTS = re.compile("sqlite|postgres|psycopg|dialect.name", re.IGNORECASE)
TOLD_BY_NAME = {
    "server/settings.py",
    "server/cli/service.py",  # the demo has a file of its own
}


def names_in(file: Path) -> Iterator[str]:
    """Every module that is imported, argument and text in a file, but for what explains it."""
    found = tree(file)
    explained = {id(node.value) for node in ast.walk(found) if isinstance(node, ast.Expr)}
    for node in ast.walk(found):
        match node:
            case ast.Constant(value=str() as words) if id(node) not in explained:
                yield words
            case ast.Attribute() | ast.keyword():
                yield ast.unparse(node)
    yield from imports(file)


def test_one_room_knows_which_database_it_is() -> None:
    room = Path("server/store/dialects")
    rest = [file for file in sources("server") if not {room, Path(MIGRATIONS)} & set(file.parents)]
    named = {str(file) for file in rest for name in names_in(file) if DIALECTS.search(name)}
    assert named == TOLD_BY_NAME


# --- what lies where, and how long a function is ---------------------------------------------------------


def test_the_top_level_is_exact() -> None:
    assert {file.parts[0] for file in files() if not file.parts[0].startswith(".")} == TOP_LEVEL


def test_no_file_names_a_machine_or_a_registry() -> None:
    texts = {str(file): (TOP / file).read_bytes().decode("utf-8", "replace") for file in files()}
    assert not {file: found.group() for file, text in texts.items() if (found := MACHINE.search(text))}


def test_no_function_is_longer_than_a_screen() -> None:
    lengths = [
        (f"{file}: {one.name}", (one.end_lineno or 0) - one.lineno + 1)
        for file in sources()
        for one in functions(tree(file))
    ]
    assert not [(name, length) for name, length in lengths if length > LONGEST_FUNCTION]


# --- what the tools say ---------------------------------------------------------------------------------


@pytest.mark.early
@pytest.mark.parametrize("command", first(1, ["ruff check --output-format concise", "mypy"]))
def test_nothing_to_say(command: str) -> None:
    said = subprocess.run([sys.executable, "-m", *command.split()], cwd=TOP, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.early
@pytest.mark.breadth
def test_tests_call_what_there_is_by_the_names_that_it_has() -> None:
    """Tests are not typed strictly; a name or an argument that has moved is found also where none is run."""
    checks = "--config-file= --cache-dir=.mypy_cache/tests --python-version 3.11"
    checks += " --check-untyped-defs --explicit-package-bases --ignore-missing-imports"
    said = subprocess.run(
        [sys.executable, "-m", "mypy", *checks.split(), "tests"],
        cwd=TOP,
        capture_output=True,
        text=True,
    )
    assert "checked" in said.stdout, said.stdout + said.stderr
    wrong = re.compile(r"\[(call-arg|name-defined|import)\]$|Module \".*\" has no attribute")
    assert not [line for line in said.stdout.splitlines() if wrong.search(line)]


# --- what is installed ----------------------------------------------------------------------------------


def needs() -> Iterator[Requirement]:
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    for wanted in [project["dependencies"], *project["optional-dependencies"].values()]:
        yield from map(Requirement, wanted)


def pins() -> dict[str, str]:
    """The version that config/constraints.txt allows of each package."""
    lines = (TOP / "config/constraints.txt").read_text("utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    exact = {canonicalize_name(one.name): re.fullmatch(r"==([^*,]+)", str(one.specifier)) for one in wanted}
    assert len(exact) == len(wanted), "pinned twice"
    assert all(exact.values()), "not an exact pin"
    return {name: pin[1] for name, pin in exact.items() if pin}


def test_each_dependency_has_a_pin_that_it_accepts() -> None:
    pinned = pins()
    versions = [(need, pinned.get(canonicalize_name(need.name))) for need in needs()]
    assert not [(str(need), pin) for need, pin in versions if pin is None or pin not in need.specifier]


def test_what_the_dependencies_need_is_pinned_too_and_nothing_else_is() -> None:
    found, ahead = set(), list(needs())
    while ahead:
        need = ahead.pop()
        name, asked = canonicalize_name(need.name), {"", *need.extras}
        if name not in found or need.extras:
            found.add(name)
            further = [Requirement(text) for text in requires(name) or []]
            ahead += [
                one
                for one in further
                if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in asked)
            ]
    elsewhere = {"colorama", "tzdata"}  # needed on Windows only
    assert found | elsewhere == pins().keys() | elsewhere
