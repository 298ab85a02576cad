"""Stories of letters: when they come, what they tell together, and who gets none."""

from pathlib import Path

import pytest

from tests.server.stories import stories, tell


@pytest.mark.parametrize(("story", "case"), stories(Path(__file__).parent / "stories"))
def test_a_story(context, carrier, story, case):
    tell(context, carrier, story, case)
