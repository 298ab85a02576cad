"""What people say about their time in sentences: that they are away, back, asleep, need more time."""
