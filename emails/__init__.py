"""The letters: what players are sent and what their answers say; sends and stores nothing."""
