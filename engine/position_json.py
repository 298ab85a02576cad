"""A position as JSON: what the `replay` command prints."""

from __future__ import annotations

from engine.codec import event_name
from engine.notation.orders import write
from engine.position import Position, Table
from engine.provinces import provinces
from engine.rules import due, legal
from engine.views import view


def describe(position: Position, *, with_legal: bool = False) -> dict[str, object]:
    """A position as the JSON object that `replay` prints."""
    table = position.table
    board, next_due = table.board, due(position)
    described: dict[str, object] = {
        "phase": str(table.phase),
        "turn": table.turn,
        "seat": table.seat,
        "actions_left": table.actions_left,
        "levied": table.levied,
        "last_turn": table.last_turn,
        "idle": table.idle,
        "chosen": table.chosen,
        "due": None if next_due is None else event_name(next_due),
        "alexander": str(table.alexander),
        "black": table.black,
        "red": table.red,
        "walls": [str(edge) for edge in sorted(table.walls)],
        "display": list(table.display),
        "supply": list(position.supply),
        "discard": list(table.discard),
        "hands": [list(hand) for hand in position.hands],
        "scores": list(table.scores),
        "guards": [[board.names[place] for place in places] for places in table.guards],
        "provinces": _describe_provinces(table),
        "winners": None if table.winners is None else list(table.winners),
    }
    if with_legal:
        actions = legal(view(position, table.seat)) if next_due is None else ()
        described["legal"] = sorted(write(action, board) for action in actions)
    return described


def _describe_provinces(table: Table) -> list[dict[str, object]]:
    return [
        {
            "first": str(province.first),
            "spaces": len(province.spaces),
            "value": province.value,
            "places": [table.board.names[place] for place in province.places],
            "holder": province.holder,
        }
        for province in provinces(table)
    ]
