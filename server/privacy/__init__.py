"""What is kept of people: how long, what they are told of it, and how they are forgotten.

In reading order, each importing only those before it:

    retention cleanup redaction traces erasure personal_data
"""
