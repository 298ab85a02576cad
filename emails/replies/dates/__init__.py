"""From when till when somebody is away, as they say it in a mail."""
