"""The time for a turn, as pure values and functions: no database, no settings, no clock."""
