"""Personal data: how long it is stored, what a person can see of it, and its erasure."""
