"""Writes every letter of the gallery into a folder: as a mail, as text, as HTML, and its pictures."""

import argparse
from pathlib import Path

from server.store import load_boards
from tests.gallery.letter_files import render_files


def main() -> None:
    """Write the files into the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.gallery", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in render_files(load_boards()["Alexandros"]):
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
