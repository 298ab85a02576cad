"""What each table and column declares about personal data, as approved by eye."""

import os
from pathlib import Path

from sqlalchemy import Column, Table

from server.store.database import MODELS
from server.store.personal import STAYS, Kept

APPROVED = Path(__file__).parent / "approved" / "declarations.txt"


def test_each_column_declares_what_was_approved() -> None:
    made = "\n".join(map(describe, MODELS.tables.values()))
    if os.environ.get("APPROVE"):
        APPROVED.write_text(made, "utf-8")
    assert made == APPROVED.read_text("utf-8")


def describe(table: Table) -> str:
    said = table.info
    rules = " ".join(rule.name for rule in said.get("rules", ())) or "-"
    facts = {"since": said.get("since"), "with": said.get("erased_with"), "section": said.get("export")}
    head = [table.name, rules, *(f"{name}={fact}" for name, fact in facts.items() if fact)]
    return "\n".join((", ".join(head), *(f"  {describe_column(one)}" for one in table.columns), ""))


def describe_column(column: Column) -> str:
    name, emptied = column.info.get("export", ""), column.info.get("emptied", STAYS)
    exported = f" is exported as {name}" if name else ""
    return f"{column.name}{exported}{'' if emptied is STAYS else f', emptied: {emptied!r}'}"


def test_each_rule_is_declared_by_a_table_and_each_table_of_a_player_says_so() -> None:
    tables = MODELS.tables.values()
    declared = {rule for table in tables for rule in table.info.get("rules", ())}
    assert set(Kept) - declared == {Kept.WITHDRAWALS}  # a journal without a table
    for table in tables:
        owned = "player" in table.columns and not table.columns["player"].nullable
        assert (table.info.get("erased_with") == "player") == owned, table.name
