"""Conversations by mail: what a player writes, what is answered, and what has changed after each mail."""

from pathlib import Path

import pytest

from tests.server.stories import stories, tell


@pytest.mark.parametrize(("story", "case"), stories(Path(__file__).parent / "conversations"))
def test_a_conversation(context, carrier, story, case):
    tell(context, carrier, story, case)
