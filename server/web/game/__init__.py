"""Pages of a game: the turn with its buttons (dock), history, chat, plans, votes, and the finished game."""
