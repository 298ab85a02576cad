"""Certificates of servers that tests start: made anew each time, and trusted by nobody else."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from tests.judges.court import program

KEY = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"


def make_certificate(folder: Path, name: str, **known: Any) -> None:
    """A certificate and its key in a folder, NAME.pem and NAME.key; `known`: as whom openssl is run."""
    made = f"req -x509 {KEY} -days 2 -subj /CN=localhost -keyout {name}.key -out {name}.pem"
    command = [program("openssl", package="openssl"), *made.split()]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, **known)
