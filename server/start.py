"""Where the installed command begins: nothing is loaded before it is sure that it is ours."""

from __future__ import annotations

import sys

from server.installation import find_intruder


def main() -> None:
    """Run the command, or end with a sentence where another package is in its place."""
    if sentence := find_intruder():
        print(f"alexandros: {sentence}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    from server.cli import main as run

    run()
