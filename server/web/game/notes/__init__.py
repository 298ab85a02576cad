"""What the page of a game notes beside the board: what its reader plans, what is asked of all."""
