"""The server's own facts in a game's log, and the votes and agreements folded from them."""
