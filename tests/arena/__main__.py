"""Bots against each other, every deal from every seat: who wins how often, with what points, in what time."""

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Mapping

from engine.editions import EDITIONS
from tests.arena.matches import Record, play_match
from tests.arena.players import PLAYERS, named


def show(records: Mapping[str, Record], ends: Counter[str]) -> str:
    lines = [f"{'':12}{'wins':>9}{'95%':>16}{'points':>8}{'ms a turn: median':>20}{'95%':>7}{'most':>7}"]
    for name, record in records.items():
        low, high = record.interval()
        times = sorted(1000 * one for one in record.turns)
        lines.append(
            f"{name:12}{record.wins / record.games:9.1%}{f'{low:.1%} - {high:.1%}':>16}"
            f"{record.points / record.games:8.0f}{statistics.median(times):20.1f}"
            f"{times[int(0.95 * len(times))]:7.1f}{times[-1]:7.0f}"
        )
    games = f"{ends.total()} games: " + ", ".join(f"{many} by {end}" for end, many in ends.most_common())
    return "\n".join([*lines, games]) + "\n"


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.arena", description=__doc__)
    asked.add_argument(
        "players", nargs="+", help=f"two to four of {', '.join(PLAYERS)}; twice the same is fine"
    )
    asked.add_argument("--games", type=int, default=40)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--edition", choices=[*EDITIONS], default="rio-grande")
    asked.add_argument("--every", type=int, help="print how it stands each time so many games are over")
    wanted = asked.parse_args()
    match = play_match(wanted.players, named, wanted.games, wanted.seed, wanted.edition)
    for records, ends in match:
        played = ends.total()
        if played == wanted.games or (wanted.every and played % wanted.every == 0):
            sys.stdout.write(show(records, ends))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
