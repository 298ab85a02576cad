"""Games outside of turns: creation, joining, leaving, cancelling and rematches; votes and nudges."""
