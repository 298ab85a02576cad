"""Entry point of the installed command: puts this program's folders first on the import path.

The wheel installs them in one folder, `alexandros_by_mail`, together with this file: other packages also
have a `server`, `emails` or `engine`, and pip would overwrite one with another. In an editable installation
a second file next to this one holds the path of the checkout.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE / "checkout"
"""File with the path of the checkout, written by an editable installation (.ci/build_hook.py)."""


def main() -> None:
    sys.path.insert(0, CHECKOUT.read_text("utf-8") if CHECKOUT.exists() else str(HERE))
    from server.cli import main as run

    run()
