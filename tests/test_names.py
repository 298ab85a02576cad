"""One name for one thing: no two classes and no two modules of the product are called the same."""

import ast
from collections import Counter
from collections.abc import Iterable

from tests.test_house import FLOORS, MIGRATIONS, sources, tree


def given_twice(names: Iterable[str]) -> list[str]:
    """The names that stand there more than once."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def class_names(module: ast.Module) -> list[str]:
    """Of the classes that others can import; what begins with an underscore is a file's own."""
    return [one.name for one in module.body if isinstance(one, ast.ClassDef) and one.name[0] != "_"]


def test_no_two_classes_have_one_name() -> None:
    assert not given_twice(name for file in sources(*FLOORS) for name in class_names(tree(file)))


def test_no_two_modules_have_one_name() -> None:
    files = [file for file in sources(*FLOORS) if not str(file).startswith(MIGRATIONS)]
    assert len(files) > 500
    assert not given_twice(file.stem for file in files if file.stem != "__init__")


def test_what_is_called_the_same_is_found() -> None:
    one, other = ast.parse("class Card: ...\nclass _Row: ..."), ast.parse("class Card: ...\nclass _Row: ...")
    assert given_twice([*class_names(one), *class_names(other)]) == ["Card"]
