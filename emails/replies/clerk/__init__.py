"""Proposals for a mail that cannot be read whole: legal turns that agree with all words understood.

Nothing is played by them; the writer is asked which one is meant.
"""
