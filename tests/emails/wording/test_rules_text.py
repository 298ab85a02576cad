"""The rules for players: every clause that is enforced stands there, in each language, under its number."""

import ast
import re

from emails.languages.supported_languages import HERE as CATALOGUES
from emails.wording.texts import find_clauses, part_titles, read_rules
from tests.emails.letters.test_letter_form import is_order
from tests.emails.positions import BOARD
from tests.paths import TOP
from tests.spoken import assert_no_orders, parse_request

README = (TOP / "engine/README.md").read_text("utf-8")
NUMBERS = re.findall(r"^(?:- |\| )\*\*(\d+\.\d+)\*\*", README, re.MULTILINE)


def named_by_refusals() -> set[str]:
    """Every number that a refusal may name, as it stands in the code."""
    found = set()
    for file in (*TOP.glob("engine/*.py"), *TOP.glob("server/*.py"), *TOP.glob("emails/*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall(r"^\d+(?:\.\d+)?$|(?<=rule )\d+(?:\.\d+)?", node.value))
    return found & ({f"{part}.{clause}" for part in range(10) for clause in range(20)} | {"7"})


def test_each_language_has_exactly_the_clauses_that_are_enforced(language: str) -> None:
    assert len(NUMBERS) > 40
    assert [one.number for one in read_rules(language).clauses] == NUMBERS
    assert list(read_rules(language).parts) == re.findall(r"^## (\d+)\. ", README, re.MULTILINE)
    assert (CATALOGUES / language / "rules.toml").is_file()


def test_every_rule_that_a_refusal_names_can_be_read(language: str) -> None:
    wanted = named_by_refusals()
    assert {"3.1", "4.9", "5.9", "7"} <= wanted
    assert not [number for number in wanted if not find_clauses(number)]


def test_clauses_refer_only_to_clauses(language: str) -> None:
    for one in read_rules(language).clauses:
        assert not set(re.findall(r"\b\d\.\d+\b", one.text)) - set(NUMBERS), one
        assert 20 < len(one.text) < 600
        assert "\n" not in one.text
        assert "  " not in one.text
        assert one.text.endswith((".", ")"))


def test_no_clause_is_the_same_in_two_languages() -> None:
    english, dutch = read_rules("en").clauses, read_rules("nl").clauses
    assert not [one.number for one, other in zip(english, dutch, strict=True) if one.text == other.text]
    words = {word for one in dutch for word in re.findall(r"[a-z]+", one.text.casefold())}
    assert not words & {"the", "wall", "province", "guard", "display", "supply", "hertaling"}
    assert {"muur", "stadhouder", "trekstapel", "aflegstapel", "zijden", "velden"} <= words


def test_no_sentence_of_the_rules_is_an_order_or_a_request(language: str) -> None:
    rules = read_rules(language)
    for one in (*(clause.text for clause in rules.clauses), *rules.parts.values()):
        assert all(parse_request(piece) is None for piece in (one, *re.split(r"(?<=[.:;,]) ", one)))
        assert_no_orders([one], BOARD, r"(?<=[.:;,]) ")
        assert not is_order(one)


def test_a_part_is_all_its_clauses() -> None:
    actions = [number for number in NUMBERS if number.startswith("5.")]
    assert [one.number for one in find_clauses("5")] == actions
    assert [one.number for one in find_clauses("1")] == ["1.1", "1.2", "1.3", "1.4"]
    assert [one.number for one in find_clauses("4.1")] == ["4.1"]
    assert find_clauses("10") == find_clauses("5.99") == find_clauses("") == ()
    assert part_titles()["5"] == "Actions"


def test_the_numbers_of_the_game_are_those_of_the_board_and_the_box() -> None:
    said = {one.number: one.text for one in read_rules("en").clauses}
    assert "65 black walls and 10 red" in said["1.3"]
    assert "100 points" in said["9.2"]
    assert "101" in said["9.2"]
    assert len(BOARD.names) > 50
