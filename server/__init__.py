"""The server. Unlike `engine` and `emails`, it uses the clock, random numbers, the disk and the network."""
