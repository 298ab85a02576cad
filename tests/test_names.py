"""One name for one thing: no two types and no two modules of the product are called the same."""

import ast
from collections import Counter
from collections.abc import Iterable

from tests.test_house import FLOORS, MIGRATIONS, sources, tree


def given_twice(names: Iterable[str]) -> list[str]:
    """The names that stand there more than once."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def alias_name(one: ast.stmt) -> str:
    """What a statement calls a type that has no class of its own; empty where it does not.

    What is called to make it, such as a type variable, is no such type.
    """
    match one:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if not isinstance(value, ast.Call):
            return name if name[0].isupper() and not name.isupper() else ""
        case _:
            return ""


def type_names(module: ast.Module) -> list[str]:
    """Of the types that others can import; what begins with an underscore is a file's own."""
    names = (one.name if isinstance(one, ast.ClassDef) else alias_name(one) for one in module.body)
    return [name for name in names if name and name[0] != "_"]


def test_no_two_types_have_one_name() -> None:
    assert not given_twice(name for file in sources(*FLOORS) for name in type_names(tree(file)))


def test_no_two_modules_have_one_name() -> None:
    files = [file for file in sources(*FLOORS) if not str(file).startswith(MIGRATIONS)]
    assert len(files) > 500
    assert not given_twice(file.stem for file in files if file.stem != "__init__")


def test_what_is_called_the_same_is_found() -> None:
    one = ast.parse("class Card: ...\nclass _Row: ...\nValue = TypeVar('Value')\nMOST = 3")
    other = ast.parse("Card = tuple[int, str]\n_Row = dict[str, int]\nValue = TypeVar('Value')\nMOST = 4")
    assert given_twice([*type_names(one), *type_names(other)]) == ["Card"]
