"""Players: their addresses, sign-in and keys, unsubscribing, and letters that cannot be delivered.

In reading order, each importing only those before it:

    link_renewal sessions confirmations paused_clocks address_change undeliverable second_address
    address_requests addresses unsubscribe sign_in api_keys
"""
