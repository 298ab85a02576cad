"""Players: their addresses, sign-in and keys, unsubscribing, and letters that cannot be delivered.

In reading order, each importing only those before it:

    address_change paused_clocks undeliverable addresses unsubscribe sessions sign_in api_keys
"""
