"""Storage: tables, the log of acts, the columns derived from it, and the context shared by all parts."""
