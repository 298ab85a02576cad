"""Playing: orders run on a scratch position, and written as one act; drafts; plans; advice; turns to come."""
