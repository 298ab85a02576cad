"""The drawings: the five symbols, the outlines of the guards, and Alexander's sun.

Each is a piece of SVG round the point (0, 0), 24 units high, in one colour that whoever uses it chooses with
`fill` and `stroke`; lines have a width of their own, so nothing else is stroked where the width is 0.
"""

from __future__ import annotations

from math import cos, pi, sin

from engine.cards import Symbol

SYMBOL_DRAWINGS = {
    # A pediment, four columns, two steps.
    Symbol.TEMPLE: (
        '<path d="M0-12L13-5V-3H-13V-5zM-11-1.5h3.6V7h-3.6zM-4.9-1.5h3.2V7h-3.2zM1.7-1.5h3.2V7H1.7z'
        'M7.4-1.5H11V7H7.4zM-12 8.3h24V10h1v2h-26V10h1z"/>'
    ),
    # A jar with a narrow foot and two handles.
    Symbol.AMPHORA: (
        '<path d="M-4.5-12h9v2.4H3V-7C3-4.5 8-3 8 1.5 8 6 3.5 8 2.6 9.8H4.5V12h-9V9.8h1.9C-3.5 8-8 6-8 1.5'
        '-8-3-3-4.5-3-7v-2.6h-1.5z"/>'
        '<path fill="none" stroke-width="2" d="M-3-8.6C-10-9.6-10.5-4-6.6-2M3-8.6C10-9.6 10.5-4 6.6-2"/>'
    ),
    # A head in profile, looking west.
    Symbol.HORSE: (
        '<path fill-rule="evenodd" d="M-6 12C-6.5 7-1.5 4.5-1.8.3-3.5 2-5.5 2-7 3.4L-8.4 5.2-11.3 3.2'
        "C-11.5 1-9-2.5-7.4-5.4L-3.6-9-4-12.3-.4-10C6.5-9.3 10.5-3.5 10.5 3V12z"
        'M-4.4-5.6a1.3 1.3 0 1 0 .1 0z"/>'
    ),
    # Two horns, a bar, three strings, a sound box.
    Symbol.LYRE: (
        '<path fill="none" stroke-width="2.8" d="M-3.5 7.5C-11.5 5-11.5-2-8-5-6.3-6.8-7-9.5-9.6-11.2'
        'M3.5 7.5C11.5 5 11.5-2 8-5 6.3-6.8 7-9.5 9.6-11.2"/>'
        '<path d="M-8-8.4H8V-6H-8zM-3.4-7h1.5V7h-1.5zM-.75-7h1.5V7h-1.5zM1.9-7h1.5V7H1.9z'
        'M-6 6.2H6C6 10.3 3.6 12 0 12S-6 10.3-6 6.2z"/>'
    ),
    # A helmet from the front: a crest across, two eyes with the nose between, two cheeks.
    Symbol.SOLDIER: (
        '<path d="M-9 10C-8.3 6-9 3-9 0-9-6-5-8.3 0-8.3S9-6 9 0C9 3 8.3 6 9 10L3.6 12 2.6 4.8 7.2 2.8 6.8-.6'
        " 1.4-.2V5.2L0 6.8-1.4 5.2V-.2L-6.8-.6-7.2 2.8-2.6 4.8-3.6 12z"
        'M-11.4-4.6C-9-15.4 9-15.4 11.4-4.6L9.4-4.8C7.5-12-7.5-12-9.4-4.8z"/>'
    ),
}

GUARD_OUTLINES = (
    '<circle r="9.5"/>',
    '<path d="M-8.6-8.6H8.6V8.6H-8.6z"/>',
    '<path d="M0-12.2L12.2 0 0 12.2-12.2 0z"/>',
    '<path d="M0-12.6L12.6 8.8H-12.6z"/>',
)
"""What a seat's guards stand on, by seat: circle, square, diamond, triangle."""
LETTER_SIZES = (15, 15, 15, 13)
"""The font size of the initial on each outline."""
LETTER_DROPS = (4.6, 4.6, 4.6, 6.2)
"""How far below the middle of each outline the foot of a letter stands."""


def _sun_path(rays: int, outer: float, inner: float) -> str:
    turns = ((pi * step / rays, inner if step % 2 else outer) for step in range(2 * rays))
    return "M" + "L".join(f"{far * sin(turn):.1f} {-far * cos(turn):.1f}" for turn, far in turns) + "z"


SUN_DRAWING = f'<path d="{_sun_path(12, 13.5, 5.5)}"/>'
"""The sun of Macedon."""
