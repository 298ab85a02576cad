"""The version of the program: its number, and the commit it was made of as far as that is known."""

from __future__ import annotations

import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from server.installation import PACKAGE

COMMIT_FILE = "extra_metadata/commit"
"""Written into a wheel when it is built (.ci/commit_hook.py)."""
CHECKOUT = Path(__file__).parents[2]
UNKNOWN = "unknown commit"


def describe_version() -> str:
    """The version and the commit, such as "0.1.0, commit 1db8ca0"."""
    number, commit = "unknown version", ""
    try:
        package = distribution(PACKAGE)
        number, commit = package.version, package.read_text(COMMIT_FILE) or ""
    except PackageNotFoundError:
        pass  # run from a folder that nobody installed
    commit = _commit_of_checkout() or commit.strip()
    return f"{number}, {f'commit {commit[:12]}' if commit else UNKNOWN}"


def _commit_of_checkout() -> str:
    """The commit that is checked out where the program lies; empty where that is no checkout."""
    if not (CHECKOUT / ".git").exists():
        return ""
    try:
        git = ["git", "-C", str(CHECKOUT), "rev-parse", "HEAD"]
        return subprocess.run(git, check=True, capture_output=True, text=True, timeout=5).stdout.strip()
    except (OSError, subprocess.SubprocessError):  # no git, or a folder that it does not trust
        return ""
