"""The page of rules: its example runs, and each clause on it has a test with its number in the name."""

import doctest
import re
from pathlib import Path

import pytest

from emails.wording.phrases import spell_number
from engine.editions import EDITIONS, differing_rules
from tests.paths import TOP

RULES = (TOP / "engine/README.md").read_text("utf-8")
CLAUSES = re.findall(r"^(?:- |\| )\*\*(\d+\.\d+)\*\*", RULES, re.MULTILINE)


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TOP)
    outcome = doctest.testfile(str(TOP / "engine/README.md"), module_relative=False)
    assert outcome.attempted > 10
    assert not outcome.failed


def test_each_clause_and_each_figure_has_a_test() -> None:
    assert len(CLAUSES) == len(set(CLAUSES)) == 45
    tests = "\n".join(file.read_text("utf-8") for file in Path(__file__).parent.rglob("test_*.py"))
    numbers = {found.replace("_", ".") for found in re.findall(r"def test_(\d_\d+)_", tests)}
    assert set(CLAUSES) <= numbers, set(CLAUSES) - numbers
    assert set(map(int, re.findall(r"def test_figure_(\d+)_", tests))) == set(range(1, 13))


def test_section_9_has_a_column_for_each_edition_and_a_row_for_each_rule_in_which_they_differ() -> None:
    (section,) = re.findall(r"^## 9\..*?(?=^## )", RULES, re.MULTILINE | re.DOTALL)
    assert section.startswith(f"## 9. The {spell_number(len(EDITIONS))} editions\n")
    head, _, *rows = [line for line in section.splitlines() if line.startswith("|")]
    assert re.findall(r"`([\w-]+)`", head) == list(EDITIONS)
    assert {row.count("|") for row in rows} == {len(EDITIONS) + 2}
    assert any(row.startswith("| 3.1 ") for row in rows) == ("3.1" in differing_rules())


def test_every_refusal_names_a_clause_of_the_page() -> None:
    sources = "\n".join(file.read_text("utf-8") for file in (TOP / "engine").rglob("*.py"))
    named = {rule for rule in re.findall(r'Illegal\(\s*"([\d.]+)"', sources) if "." in rule}
    named |= set(re.findall(r"\(rule (\d+\.\d+)\)", sources))
    assert named
    assert named <= set(CLAUSES), named - set(CLAUSES)
