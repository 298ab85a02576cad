"""Incoming mail: receiving, reading and answering. Answers are queued here, and sent elsewhere."""
