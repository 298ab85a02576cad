"""What a mail asks for besides orders: a plan, days away, and what all who play are asked for."""
