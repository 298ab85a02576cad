"""A letter is approved with all its words: none is while a language lacks some."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import catalogues
from tests.emails import approving

ENTRY = 'msgid "the game has begun"\nmsgstr "het spel is begonnen"\n'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where approved files and catalogues lie for the length of a test, which approves what it is given."""
    shutil.copytree(catalogues.CATALOGUES / "nl", tmp_path / "nl")
    monkeypatch.setattr(catalogues, "CATALOGUES", tmp_path)
    monkeypatch.setattr(approving, "APPROVED", tmp_path)
    monkeypatch.setenv("APPROVE", "1")
    catalogues.untranslated.cache_clear()
    yield tmp_path
    catalogues.untranslated.cache_clear()


@pytest.mark.breadth
def test_a_letter_is_approved_where_every_sentence_has_its_words(place: Path) -> None:
    approving.approved("welcome.nl.txt", "Welkom")
    assert (place / "welcome.nl.txt").read_text("utf-8") == "Welkom"


@pytest.mark.parametrize("left", ['msgid "the game has begun"\nmsgstr ""\n', ""], ids=["empty", "not there"])
def test_none_is_approved_while_a_sentence_has_none(place: Path, left: str) -> None:
    file = place / "nl" / "wording.po"
    text = file.read_text("utf-8")
    assert ENTRY in text
    file.write_text(text.replace(ENTRY, left), "utf-8")
    with pytest.raises(AssertionError, match=r"their words in nl: \(\"wording.po: 'the game has begun'\",\)"):
        approving.approved("welcome.nl.txt", "Welcome")
    assert not (place / "welcome.nl.txt").exists()
