"""Time in words, in the reader's zone: deadlines, and when a turn comes."""
