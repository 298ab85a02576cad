"""A game that is over, in words and charts: what was done in it, how it went, what its review tells."""
