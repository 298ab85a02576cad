"""Letters before delivery: preferences, notifications, the queue, units of work, and chat."""
