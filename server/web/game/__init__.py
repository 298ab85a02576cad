"""Pages of a game: the turn with its dock, history, chat, plans, votes, and the finished game."""
