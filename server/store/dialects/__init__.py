"""Differences between SQLite and PostgreSQL; other packages do not depend on which of them is used.

SQLite has one writer, which takes its lock at the beginning of the transaction; readers see the state
committed before they began. On PostgreSQL advisory locks and isolation levels give the same guarantees.
"""
