"""What is kept: tables, the log of acts, what is projected from it, and the context that all work needs."""
