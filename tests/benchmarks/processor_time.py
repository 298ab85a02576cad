"""The processor time that processes have taken, as Linux counts it."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def _fields(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def seconds_of(process: int) -> float:
    """Of a process."""
    return sum(map(int, _fields(process)[11:13])) / TICKS


def seconds_with_children(process: int) -> float:
    """Of a process with those that it has started, and those of them that have ended."""
    found = sum(map(int, _fields(process)[11:15]))
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = _fields(int(folder.name))
        except OSError:
            continue  # it has ended just now
        if fields[1] == str(process):
            found += sum(map(int, fields[11:13]))
    return found / TICKS
