"""Days away in words: until when a clock stands, what is asked of them, what plays meanwhile."""
