"""Time in words, by the reader's clock: how fast a game goes, deadlines, and when a turn comes."""
