"""A drawing as PNG: with our fonts, in our palette, and never of too many bytes."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO

from PIL import Image
from resvg_py import svg_to_bytes

from emails.picture import palette

MAX_BYTES = 60_000
"""Bytes of a PNG at most, so that a mail with it and a chart stays below 150 KB in base64."""
COMPRESSION_LEVEL = 7
"""How hard zlib tries; 9 takes five times as long for a file 4% smaller."""
GROUND_TAG, PROVINCES_TAG = '<g class="ground">', '<g class="provinces">'
"""The tags with which the unchanging ground and the layers over it begin in every picture of a board."""
FONT_FOLDER = files("font_source_sans_pro") / "files"
FONT_FILES = [str(FONT_FOLDER / f"SourceSansPro-{face}.ttf") for face in ("Bold", "SemiboldIt")]
"""Without these files resvg draws no text and reports no error."""


def render_png(drawn: str, most: int = MAX_BYTES) -> bytes:
    """A drawing as a PNG, of the width and height that stand in it and of `most` bytes at most.

    Its palette is ours, so that each colour is exactly what it is meant to be. Where that takes too many
    bytes, the edges are a little harder, and if need be the picture a little smaller.
    """
    colours = _rasterize(drawn)
    for tones, level in (
        (palette.COLOURS, COMPRESSION_LEVEL),
        (palette.FEW_COLOURS, COMPRESSION_LEVEL),
        (palette.FEW_COLOURS, 9),
    ):
        stored = _encode_png(colours, tones, level)
        if len(stored) <= most:
            return stored
    while len(stored) > most:
        colours = colours.resize((colours.width * 7 // 8, colours.height * 7 // 8), Image.Resampling.HAMMING)
        stored = _encode_png(colours, palette.FEW_COLOURS, COMPRESSION_LEVEL)
    return stored


@lru_cache(maxsize=64)
def cached_png(svg: str, most: int = MAX_BYTES) -> bytes:
    """The PNG of a drawing, cached."""
    return render_png(svg, most)


def _rasterize(drawn: str) -> Image.Image:
    """The pixels of a drawing. The ground, a fifth of the work, is the same in all pictures of a board."""
    head, _, rest = drawn.partition(GROUND_TAG)
    ground, split, over = rest.partition(PROVINCES_TAG)
    if not split:
        return _run_resvg(drawn).convert("RGB")
    whole = _rasterize_ground(f"{head[: head.index('>') + 1]}{GROUND_TAG}{ground}</svg>").copy()
    upper = _run_resvg(f"{head}{PROVINCES_TAG}{over}")
    whole.paste(upper, mask=upper.getchannel("A"))
    return whole


@lru_cache(maxsize=8)
def _rasterize_ground(drawn: str) -> Image.Image:
    return _run_resvg(drawn).convert("RGB")


def _run_resvg(drawn: str) -> Image.Image:
    whole = svg_to_bytes(svg_string=drawn, font_files=FONT_FILES, skip_system_fonts=True)
    with Image.open(BytesIO(whole)) as image:
        image.load()
    return image


def _encode_png(image: Image.Image, colours: tuple[palette.RGB, ...], level: int) -> bytes:
    few = image.quantize(palette=_palette_image(colours), dither=Image.Dither.NONE)
    stored = BytesIO()
    few.save(stored, "PNG", compress_level=level)
    return stored.getvalue()


@cache
def _palette_image(colours: tuple[palette.RGB, ...]) -> Image.Image:
    """An image that holds the palette: `quantize` takes one only from an image."""
    made = Image.new("P", (1, 1))
    made.putpalette([part for colour in colours for part in colour])
    return made
