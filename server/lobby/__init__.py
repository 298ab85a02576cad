"""Games outside of turns: created, joined, left, cancelled and played again; votes and nudges."""
