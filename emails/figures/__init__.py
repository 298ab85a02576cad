"""The twelve figures of the rules page."""
