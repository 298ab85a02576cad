"""Writes into what is installed what it was made of: the commit of a wheel, the folder of a checkout."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface):
    """Asks git for `alexandros --version`; where git knows nothing the wheel is built without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add where the command begins; and the commit of a wheel, or the folder of what can be edited."""
        self.folder = tempfile.TemporaryDirectory()  # gone when the build is
        is_editable = version == "editable"
        added = build_data["force_include_editable" if is_editable else "force_include"]
        # What is added lies in the folder of the package.
        added[str(Path(self.root, "server/start.py"))] = "start.py"
        if is_editable:
            added[self._write_file("checkout", str(Path(self.root).resolve()))] = "checkout"
            return
        git = ["git", "-C", self.root, "rev-parse", "HEAD"]
        try:
            commit = subprocess.run(git, check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.SubprocessError):
            return
        added[self._write_file("commit", commit)] = "commit"

    def _write_file(self, name: str, words: str) -> str:
        file = Path(self.folder.name, name)
        file.write_text(words, "utf-8")
        return str(file)
