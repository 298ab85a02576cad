"""The version of the program: its number, and its commit if that is known."""

from __future__ import annotations

import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGE = "alexandros-by-mail"
HOME = Path(__file__).parents[2]
"""The checkout, or the folder of the installed package."""
COMMIT_FILE = "commit"
"""Written into the wheel when it is built (.ci/build_hook.py)."""
UNKNOWN = "unknown commit"


def describe_version() -> str:
    """Return the version and the commit, such as "0.2.0, commit 1db8ca0"."""
    try:
        number = version(PACKAGE)
    except PackageNotFoundError:
        number = "unknown version"  # run from a checkout that is not installed
    written = HOME / COMMIT_FILE
    commit = _commit_of_checkout() or (written.read_text("utf-8").strip() if written.exists() else "")
    return f"{number}, {f'commit {commit[:12]}' if commit else UNKNOWN}"


def _commit_of_checkout() -> str:
    """Return the commit of the checkout; empty if it is not one."""
    if not (HOME / ".git").exists():
        return ""
    try:
        git = ["git", "-C", str(HOME), "rev-parse", "HEAD"]
        return subprocess.run(git, check=True, capture_output=True, text=True, timeout=5).stdout.strip()
    except (OSError, subprocess.SubprocessError):  # no git, or it does not trust the folder
        return ""
