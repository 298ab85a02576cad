"""Orders as text: how actions are written, and how texts of players are parsed."""
