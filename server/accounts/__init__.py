"""Players: their addresses, sign-in and keys, vacations, unsubscribing, and letters that cannot be delivered.

In reading order, each importing only those before it:

    vacations player_returns user_agents link_renewal sessions confirmations
    paused_clocks address_change notices undeliverable bounce_review address_requests addresses unsubscribe
    unwanted_letters sign_in api_keys
"""
