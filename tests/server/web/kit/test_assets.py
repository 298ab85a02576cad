"""Style sheets and faces of the pages: complete, and small."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from emails.languages.supported_languages import HERE as CATALOGUES
from server.store import load_boards
from server.web.kit import assets
from tests.paths import TOP


def test_every_property_that_the_style_sheet_reads_is_set_and_each_colour_of_the_board_is_read():
    sheet = "".join(map(assets.build_style_sheet, assets.STYLE_SHEETS))
    read = set(re.findall(r"var\(--([\w-]+)", sheet))
    beside = [*(TOP / "server/web").rglob("*.js"), *(TOP / "server/web").rglob("*.html")]
    said = " ".join(file.read_text("utf-8") for file in beside)
    given = set(re.findall(r"--([\w-]+)\s*:", sheet))
    assert not {name for name in read - given if f"--{name}" not in said}
    assert not set(re.findall(r"--([\w-]+):", assets.board_colours())) - read


def drawn(file: Path | BytesIO) -> set[str]:
    with TTFont(file) as font:
        return set(map(chr, font.getBestCmap()))


@pytest.mark.parametrize("name", assets.FONT_CHARACTERS)
def test_a_face_is_small_and_says_whose_it_is(name):
    cut = assets.subset_font(name)
    assert cut is assets.subset_font(name), "it is cut once"
    assert len(cut) < 15_000
    with TTFont(BytesIO(cut)) as font:
        assert font.flavor == "woff2"
        assert "Adobe" in str(font["name"].getDebugName(assets.COPYRIGHT_NAME_ID))


def test_our_faces_draw_every_character_of_our_names_and_words():
    sentences = [*CATALOGUES.rglob("*.po"), *(TOP / "server/web").rglob("*.html")]
    named = "".join(name for board in load_boards().values() for name in (board.name, *board.names.values()))
    written = {"bold": "".join(file.read_text("utf-8") for file in sentences) + named, "italic": named}
    for name, text in written.items():
        there = drawn(BytesIO(assets.subset_font(name)))
        assert set("Az") <= there
        assert (set(text) & drawn(assets.FONT_SOURCES[name])) - there == set()
    assert set("Łőñßé“”→") <= drawn(BytesIO(assets.subset_font("bold")))
