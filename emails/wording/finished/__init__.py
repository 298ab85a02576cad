"""A finished game in words and charts: its statistics, its course, its review."""
