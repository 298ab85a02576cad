"""Text whose lines a mail program has broken for the way, to be joined again."""

from __future__ import annotations


def join_flowed_lines(text: str, delsp: bool = False) -> str:
    """Text with its soft line breaks taken out (RFC 3676): a line that ends in a blank goes on in the next.

    Quoted lines keep one `>` for each depth. `delsp`: the blank at a soft break is no part of the words.
    """
    done: list[str] = []
    depth, open_line = -1, False
    for line in text.splitlines():
        bare = line.lstrip(">")
        marks = len(line) - len(bare)
        bare = bare.removeprefix(" ")
        soft = bare.endswith(" ") and bare != "-- "
        words = bare[:-1] if soft and delsp else bare
        if open_line and marks == depth and bare != "-- " and len(done[-1]) < 2000:
            done[-1] += words
        else:
            done.append(f"{'>' * marks} {words}" if marks else words)
        depth, open_line = marks, soft
    return "\n".join(done)
