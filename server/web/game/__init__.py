"""The pages of a game: a turn, its choices and their preview, history, chat, the end."""
