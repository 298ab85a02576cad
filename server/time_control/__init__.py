"""The time for a turn, as pure values and functions without database, settings or clock."""
