"""The server's own facts in the log of a game, and what those who play have agreed on by them."""
