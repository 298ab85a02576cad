"""Proposals for a mail that is only partly readable: legal turns that agree with all understood words.

Proposals are never played; the writer is asked to choose one.
"""
