"""The operator's own pages: who plays, what became of mail, how a game stands, and what they change in it."""
