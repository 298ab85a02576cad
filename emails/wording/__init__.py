"""The game in words in the reader's language: positions, options, events, rules."""
