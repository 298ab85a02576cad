"""Write actions as text, and parse texts of players into orders and actions."""
