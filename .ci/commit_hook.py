"""Writes into a wheel the commit that it is built of, for `alexandros --version`."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):
    """Asks git; where git knows nothing the wheel is built without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add a file with the commit to the wheel's metadata; an editable install asks its checkout."""
        git = ["git", "-C", self.root, "rev-parse", "HEAD"]
        try:
            commit = subprocess.run(git, check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.SubprocessError):
            return
        if version == "standard":
            self.folder = tempfile.TemporaryDirectory()  # gone when the build is
            file = Path(self.folder.name, "commit")
            file.write_text(commit)
            build_data["extra_metadata"][str(file)] = "commit"
