"""Plans in words: what a player plans, and what came of it."""
