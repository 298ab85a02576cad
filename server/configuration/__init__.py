"""What differs between servers: the settings, read from the environment and from files, and checked.

In reading order, each importing only those before it:

    endpoints networks secret database_urls settings_files setting_values settings
"""
