"""The server. Of the three packages, only this one uses clock, random numbers, disk and network."""
