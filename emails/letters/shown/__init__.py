"""What a letter shows of what was asked for: what was done, the game so far, and the rules."""
