"""What differs between servers: the settings, read from the environment and from files, and checked."""
