"""A name that a test replaces exists where it is replaced, so no control fails by a name that moved.

Most controls run in breadth, long after the gate: here each of their names is looked up without running them.
"""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest

from tests.paths import TOP

PATCHING = re.compile(r"\bmonkeypatch\b|\bMonkeyPatch\b")
FILES = [path for path in sorted((TOP / "tests").rglob("*.py")) if PATCHING.search(path.read_text())]


def is_patch(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr"


def imported_names(tree: ast.Module) -> dict[str, str]:
    """What each name that a file imports stands for, as `module:name`."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {one.asname or one.name: f"{node.module}:{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.asname or one.name: one.name for one in node.names}
    return found


def imported_value(spelled: str) -> object:
    """A module or what it holds, whether or not the module has been loaded."""
    module, _, name = spelled.partition(":")
    found = import_module(module)
    return found if not name else getattr(found, name, None) or import_module(f"{module}.{name}")


def patched_names(text: str) -> Iterator[tuple[int, str, bool]]:
    """Line, name and whether it exists, of each name replaced in what the file imports or spells whole."""
    tree = ast.parse(text)
    imported = imported_names(tree)
    for node in ast.walk(tree):
        if not is_patch(node):
            continue
        match node.args:
            case [ast.Constant(str() as whole), _, *_] if "." in whole:
                home, _, name = whole.rpartition(".")
                yield node.lineno, whole, hasattr(resolve_name(home), name)
            case [ast.expr() as home, ast.Constant(str() as name), _, *_]:
                first, *rest = ast.unparse(home).split(".")
                if first in imported:
                    value = imported_value(imported[first])
                    for part in rest:
                        value = getattr(value, part)
                    yield node.lineno, f"{ast.unparse(home)}.{name}", hasattr(value, name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(TOP)))
def test_each_replaced_name_exists(path: Path) -> None:
    missing = [f"line {line}: {name}" for line, name, exists in patched_names(path.read_text()) if not exists]
    assert not missing


def test_enough_of_them_are_looked_up() -> None:
    assert sum(1 for path in FILES for _ in patched_names(path.read_text())) > 100


@pytest.mark.parametrize("written", ['setattr(json, "turned", None)', 'setattr("emails.i18n.turned", None)'])
def test_a_name_that_moved_is_seen(written: str) -> None:
    found = patched_names(f"import json\nmonkeypatch.{written}")
    assert [exists for _, _, exists in found] == [False]
