"""When players do not want to be asked to move, as it is stored: sleep, days off, vacations."""
