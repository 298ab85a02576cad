"""Render SVG as PNG, with the fonts and colours of the project, within a size limit."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO

from PIL import Image
from resvg_py import svg_to_bytes

from emails.picture import palette

MAX_BYTES = 60_000  # so that a mail in base64 stays below 150 KB
COMPRESSION_LEVEL = 7
"""Compression level of zlib; level 9 takes five times as long for a file 4% smaller."""
GROUND_TAG, PROVINCES_TAG = '<g class="ground">', '<g class="provinces">'
CLOSEUP = re.compile(
    r'width="(\d+)" height="\d+" viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) [\d.]+" '
    r'data-ground="(\d+) (\d+) (\d+)"'
)
FONT_FOLDER = files("font_source_sans_pro") / "files"
FONT_FILES = [str(FONT_FOLDER / f"SourceSansPro-{face}.ttf") for face in ("Bold", "SemiboldIt")]
"""The fonts, without which resvg draws no text and reports no error."""
BOLD, NAME_FACE = 0, 1
"""Indexes of the font for general text, and of the font for place names."""


def render_png(drawn: str, most: int = MAX_BYTES) -> bytes:
    """Render a drawing as a PNG of at most `most` bytes, if necessary with fewer colours, then smaller."""
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


cached_png = lru_cache(maxsize=64)(render_png)


def _rasterize(drawn: str) -> Image.Image:
    head, _, rest = drawn.partition(GROUND_TAG)
    ground, split, over = rest.partition(PROVINCES_TAG)
    if not split:
        return _run_resvg(drawn).convert("RGB")
    upper = _run_resvg(f"{head}{PROVINCES_TAG}{over}")
    whole = _cut_ground(head, f"{GROUND_TAG}{ground}</svg>", upper.size)
    whole.paste(upper, mask=upper.getchannel("A"))
    return whole


def _cut_ground(head: str, ground: str, size: tuple[int, int]) -> Image.Image:
    found = CLOSEUP.search(head)
    if found is None:
        return _rasterize_ground(f"{head[: head.index('>') + 1]}{ground}").copy()
    across, left, top, width, origin, most, high = map(float, found.groups())
    scale = across / width
    whole = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{most * scale:.0f}" height="{high * scale:.0f}" '
        f'viewBox="{origin:g} 0 {round(most * scale) / scale:.6f} {round(high * scale) / scale:.6f}" '
        f'font-family="Source Sans Pro" font-weight="700">{head[head.index("<defs>") :]}{ground}'
    )
    cut = Image.new("RGB", size, palette.PAPER)
    cut.paste(_rasterize_ground(whole), (round((origin - left) * scale), round(-top * scale)))
    return cut


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
    """Return an image with this palette, because `quantize` takes a palette only from an image."""
    made = Image.new("P", (1, 1))
    made.putpalette([part for colour in colours for part in colour])
    return made
