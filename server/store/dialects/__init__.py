"""What SQLite and PostgreSQL do differently; nothing outside this room asks which of them it is.

SQLite has one writer, which waits for its lock when its transaction begins, and readers see what was
committed before they began. PostgreSQL is held to the same by locks of our own and by its isolation levels.
"""
