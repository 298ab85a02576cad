"""What is kept of people: how long, what they are told of it, and how they are forgotten."""
