"""Letters to players and the parsing of their replies; sends and stores nothing."""
