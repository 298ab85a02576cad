"""Requests in a mail besides orders: plans, days away, and votes of all players."""
