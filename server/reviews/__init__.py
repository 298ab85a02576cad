"""What the judge thinks of games that are over: worked out turn by turn, kept, and waited for."""
