"""Incoming mail: taken in by any way, and what it says is done and answered. Knows nothing of delivery."""
