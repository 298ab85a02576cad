"""Orders as text: how an action is written, and what the words that people write mean in a position."""
