"""What a letter tells of a game from its beginning on: who did what, by the names of those who did it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from emails.i18n import gettext, ngettext
from emails.letters.contexts import GameLetterContext
from emails.seat_names import names_of_last
from emails.wording.narration import TurnNews, list_turns, name_mover, narrate_events, split_turns
from emails.wording.requests import RequestKind, request_word
from engine.position import View, VisibleEvent

MOST_TURNS = 20
"""Turns of the history that are told in one letter."""
MOST_OF_HISTORY = 9_000
"""Bytes of them, but for the last one."""


def history_lines(
    context: GameLetterContext, happened: Sequence[VisibleEvent], until: str = ""
) -> Iterator[str]:
    """What everybody did, a line for each turn, the last one last; of a long game the end of it.

    `happened`: the whole game as the reader was told it. `until`: the number of the turn with which it ends;
    empty: the last.
    """
    view, names = context.view, names_of_last(context.seat_names, len(happened))
    if not happened:
        return
    began, _ = split_turns(happened)
    turns = list_turns(happened, view.table, names=names)
    last = min(len(turns), max(1, int(until))) if until else len(turns)
    told: list[str] = []
    room = MOST_OF_HISTORY
    for number in range(last, max(0, last - MOST_TURNS), -1):
        line = _turn_line(view, number, turns[number - 1])
        room -= len(line.encode())
        if told and room < 0:
            break
        told.append(line)
    left = last - len(told)
    if left:
        yield ngettext(
            "%(number)s earlier turn is not told here: “%(words)s” shows it.",
            "%(number)s earlier turns are not told here: “%(words)s” shows the last of them.",
            left,
            words=f"{request_word(RequestKind.HISTORY)} {left}",
        )
    else:
        yield from narrate_events(began, view, names[: len(began)])
    yield from reversed(told)


def _turn_line(view: View, number: int, turn: TurnNews) -> str:
    return gettext(
        "Turn %(turn)s, %(name)s: %(deeds)s",
        turn=number,
        name=name_mover(turn, view),
        deeds=" ".join(narrate_events(turn.events, view, turn.names)),
    )
