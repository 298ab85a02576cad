"""The colours of the board are written once, in the palette: pages take them from there."""

import re
from collections.abc import Iterator

from emails.picture import palette
from server.web.kit import assets
from tests.paths import TOP

COLOUR = re.compile(r"#[0-9a-f]{6}\b", re.IGNORECASE)
HOME = TOP / "emails/picture/palette.py"
SUN = TOP / "server/web/kit/static/sun.svg"
"""An icon that browsers load by itself, without any style sheet."""


def colours_of_the_palette() -> Iterator[str]:
    """Every colour that has a name there, but white."""
    for value in vars(palette).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str) and COLOUR.fullmatch(one) and one != palette.WHITE:
                yield one


def test_no_colour_of_the_palette_is_written_elsewhere():
    mine = set(colours_of_the_palette())
    assert {*palette.SEAT_COLOURS, palette.INK, palette.CHOICE} < mine
    written = [
        file
        for floor in ("emails", "server")
        for kind in ("py", "css", "js", "html", "words", "svg")
        for file in (TOP / floor).rglob(f"*.{kind}")
        if file not in (HOME, SUN)
    ]
    assert len(written) > 200
    twice = {
        (str(file.relative_to(TOP)), colour)
        for file in written
        for colour in COLOUR.findall(file.read_text("utf-8").lower())
        if colour in mine
    }
    assert not twice


def test_the_sun_has_the_colours_of_alexander():
    assert set(COLOUR.findall(SUN.read_text("utf-8").lower())) == {palette.PURPLE, palette.SUN}


def test_every_property_that_the_style_sheet_reads_is_set_and_each_colour_of_the_board_is_read():
    sheet = "".join(map(assets.build_style_sheet, assets.STYLE_SHEETS))
    read = set(re.findall(r"var\(--([\w-]+)", sheet))
    beside = [*(TOP / "server/web").rglob("*.js"), *(TOP / "server/web").rglob("*.html")]
    said = " ".join(file.read_text("utf-8") for file in beside)
    given = set(re.findall(r"--([\w-]+)\s*:", sheet))
    assert not {name for name in read - given if f"--{name}" not in said}
    assert not set(re.findall(r"--([\w-]+):", assets.board_colours())) - read
