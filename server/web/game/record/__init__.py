"""What has become of a game: since a reader's last turn, step by step, at its end, for those who watch."""
