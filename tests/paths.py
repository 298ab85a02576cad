"""Where things lie that tests read."""

from pathlib import Path

TOP = Path(__file__).parents[1]
BOARD_FILE = TOP / "config/boards/alexandros.toml"
GAMES = TOP / "tests/engine/games"
