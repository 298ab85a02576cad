"""The languages in which letters are tried."""

from collections.abc import Iterator

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Speak each language in turn; for tests of what holds in all of them."""
    with use_locale(Locale(request.param)):
        yield request.param


@pytest.fixture
def dutch() -> Iterator[None]:
    with use_locale(Locale("nl")):
        yield
