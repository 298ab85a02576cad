"""A drawing as PNG: with our fonts, in our palette, and never of too many bytes."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO

from PIL import Image
from resvg_py import svg_to_bytes

from emails.picture import palette

MOST = 60_000
"""Bytes of a PNG at most, so that a mail with it and a chart stays below 150 KB in base64."""
LEVEL = 7
"""How hard zlib tries; 9 takes five times as long for a file 4% smaller."""
GROUND, OVER = '<g class="ground">', '<g class="provinces">'
"""How what never changes begins in every picture of a board, and how what lies over it does."""
FACES = files("font_source_sans_pro") / "files"
FONT_FILES = [str(FACES / f"SourceSansPro-{face}.ttf") for face in ("Bold", "SemiboldIt")]
"""Without them a PNG has no text at all, and nothing says so."""


def png(drawn: str, most: int = MOST) -> bytes:
    """A drawing as a PNG, of the width and height that stand in it and of `most` bytes at most.

    Its palette is ours, so that each colour is exactly what it is meant to be. Where that takes too many
    bytes, the edges are a little harder, and if need be the picture a little smaller.
    """
    colours = _rendered(drawn)
    for tones, level in ((palette.COLOURS, LEVEL), (palette.FEW_COLOURS, LEVEL), (palette.FEW_COLOURS, 9)):
        stored = _stored(colours, tones, level)
        if len(stored) <= most:
            return stored
    while len(stored) > most:
        colours = colours.resize((colours.width * 7 // 8, colours.height * 7 // 8), Image.Resampling.HAMMING)
        stored = _stored(colours, palette.FEW_COLOURS, LEVEL)
    return stored


@lru_cache(maxsize=64)
def drawn(svg: str, most: int = MOST) -> bytes:
    """The same, drawn once while it is asked for again and again."""
    return png(svg, most)


def _rendered(drawn: str) -> Image.Image:
    """The pixels of a drawing. The ground, a fifth of the work, is the same in all pictures of a board."""
    head, _, rest = drawn.partition(GROUND)
    ground, split, over = rest.partition(OVER)
    if not split:
        return _pixels(drawn).convert("RGB")
    whole = _ground(f"{head[: head.index('>') + 1]}{GROUND}{ground}</svg>").copy()
    upper = _pixels(f"{head}{OVER}{over}")
    whole.paste(upper, mask=upper.getchannel("A"))
    return whole


@lru_cache(maxsize=8)
def _ground(drawn: str) -> Image.Image:
    return _pixels(drawn).convert("RGB")


def _pixels(drawn: str) -> Image.Image:
    whole = svg_to_bytes(svg_string=drawn, font_files=FONT_FILES, skip_system_fonts=True)
    with Image.open(BytesIO(whole)) as image:
        image.load()
    return image


def _stored(image: Image.Image, colours: tuple[palette.RGB, ...], level: int) -> bytes:
    few = image.quantize(palette=_bearer(colours), dither=Image.Dither.NONE)
    stored = BytesIO()
    few.save(stored, "PNG", compress_level=level)
    return stored.getvalue()


@cache
def _bearer(colours: tuple[palette.RGB, ...]) -> Image.Image:
    """An image that bears a palette, which is how Pillow is told of one."""
    made = Image.new("P", (1, 1))
    made.putpalette([part for colour in colours for part in colour])
    return made
