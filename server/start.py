"""Where the installed command begins: nothing is loaded before it is sure that it is ours.

The wheel has this file and `installation.py` once more, as the package `alexandros_by_mail`, and the command
begins there: another package `server` would be loaded before anything of ours could look at it.
"""

from __future__ import annotations

import sys

from .installation import find_intruder  # beside this file, by whichever name it is loaded


def main() -> None:
    """Run the command, or end with a sentence where another package is in its place."""
    if sentence := find_intruder():
        print(f"alexandros: {sentence}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    from server.cli import main as run

    run()
