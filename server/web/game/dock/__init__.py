"""The dock of a turn: what can be chosen, what is drafted, and the board beside it."""
