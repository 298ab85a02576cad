"""The differences between SQLite and PostgreSQL; no other package asks which one is used.

SQLite has one writer, which takes its lock at the beginning of the transaction, and readers see what was
committed before they began. On PostgreSQL advisory locks and isolation levels give the same guarantees.
"""
