"""Players: their addresses, sign-in and keys, unsubscribing, and letters that cannot be delivered.

In reading order, each importing only those before it:

    link_renewal sessions confirmations address_change paused_clocks undeliverable addresses unsubscribe
    sign_in api_keys
"""
