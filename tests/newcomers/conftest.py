"""What newcomers and busy friends begin with: a browser, and pages that are served."""

from collections.abc import Iterator

import pytest

from emails.letters import renderer
from tests.browser.conftest import place, visitors
from tests.server.conftest import draw_small

__all__ = ["place", "visitors"]


@pytest.fixture(scope="module")
def small_pictures() -> Iterator[None]:
    """For tests that look at no picture: those in letters are an eighth as wide."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(renderer, "cached_png", draw_small)
        yield
