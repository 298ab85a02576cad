"""Where the installed command begins: our folders go before all others, and then the command is loaded.

The wheel has all of ours in one folder, `alexandros_by_mail`, which no other package has: others have a
`server`, `emails` or `engine` too, and pip would lay theirs over ours without a word. This file lies there as
well, beside the folders; where a checkout is installed to be edited, beside the path of that.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE / "checkout"
"""Written when it is installed to be edited (.ci/build_hook.py)."""


def main() -> None:
    """Run the command with the folders of ours, whatever else is installed."""
    sys.path.insert(0, CHECKOUT.read_text("utf-8") if CHECKOUT.exists() else str(HERE))
    from server.cli import main as run

    run()
