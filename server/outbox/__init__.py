"""Who is to be told of what: preferences, notifications, the queue of letters, units of work, chat."""
