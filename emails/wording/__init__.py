"""The game in words, in the language of whoever reads: positions, options, what happened, rules."""
