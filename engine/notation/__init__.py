"""Orders: actions written as text, and texts of players parsed into actions."""
