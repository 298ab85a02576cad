"""Bots against each other: `python -m tests.arena steady greedy --games 200` (or `--help`)."""
