"""Proposals for a mail that is only partly readable: the legal turns that fit its words best.

Proposals are never played; the writer is asked to choose one.
"""
