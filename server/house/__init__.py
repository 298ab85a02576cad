"""What the house does by itself: it plays the turns of its own players, and of people who are away."""
