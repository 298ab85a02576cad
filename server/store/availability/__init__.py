"""When players do not want to be asked to move, as it is stored: sleep, days off, vacations.

In reading order, each importing only those before it:

    availability_models stored_availability
"""
