"""Personal data: storage periods, export and erasure."""
