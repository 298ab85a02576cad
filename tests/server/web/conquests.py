"""The provinces that a player can get now, for tests of the pages."""

from engine.position import Phase, View
from engine.provinces import find_sieges
from server.web.game.preview import Conquest, build_conquest


def list_conquests(view: View) -> list[Conquest]:
    """Every province the reader can get now, the most valuable first."""
    table = view.table
    if not view.my_turn or table.phase is not Phase.ACTIONS:
        return []
    found = sorted(find_sieges(table, table.seat, view.hand), key=lambda siege: -siege.province.value)
    return [build_conquest(view, siege) for siege in found]
