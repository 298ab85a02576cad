"""Approved files: what players see, kept so that a change of it shows in the history.

`APPROVE=1 pytest tests/emails` writes them anew; read the difference before you commit it. Nothing is
approved while a language lacks the words of a sentence: else a Dutch letter would have English in it.
"""

import os
import re
from collections.abc import Collection
from pathlib import Path

from tests import catalogues

APPROVED = Path(__file__).parent / "approved"


def approved(name: str, made: str | bytes) -> None:
    file, data = APPROVED / name, made.encode() if isinstance(made, str) else made
    if os.environ.get("APPROVE"):
        for language in catalogues.TRANSLATED:
            lacking = catalogues.untranslated(language)
            assert not lacking, (
                f"{name} is not approved before these have their words in {language}: {lacking}"
            )
        file.write_bytes(data)
    assert file.exists(), f"{name} is not approved yet: APPROVE=1 writes it"
    if isinstance(made, str):
        assert made == file.read_text("utf-8")
    else:
        assert data == file.read_bytes(), f"{name} is drawn in another way"


def nothing_else_is_approved(kinds: Collection[str], names: Collection[str]) -> None:
    """Make sure that no letter of these kinds is kept that nobody writes any more."""
    kept = [file for file in sorted(APPROVED.iterdir()) if re.split("[.-]", file.name)[0] in kinds]
    stale = [file for file in kept if file.name not in names]
    if os.environ.get("APPROVE"):
        for file in stale:
            file.unlink()
    else:
        assert not stale
